package chain

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/internal/failure"
)

// AtBlock is a part of the state that a block left behind, and which block that is by
// the word of the source that tells it.
type AtBlock[T any] struct {
	At     uint64         // the height of the block
	AtHash Optional[Hash] // not known where the source does not name it
	Value  T
}

// Runtime is how a runtime names itself.
type Runtime struct {
	SpecName    string // such as "moonbeam"
	SpecVersion uint32
}

// Head is the newest block that is final.
type Head struct {
	Number uint64
	Hash   Optional[Hash] // not known where whoever told of it did not say
}

// Heights are those from First to Last, both included.
type Heights struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

// String writes the heights as "A..B".
func (h Heights) String() string { return fmt.Sprintf("%d..%d", h.First, h.Last) }

// Blocks is how many there are.
func (h Heights) Blocks() uint64 { return h.Last - h.First + 1 }

// Portion is how many neighbouring blocks a source is best asked for together, and how many
// questions it takes to learn all that prices them.
type Portion struct {
	Blocks    uint64
	Questions uint64
}

// NodeVersion is what a node says of itself. What it does not say is empty.
type NodeVersion struct {
	ClientVersion  string
	ClientImplName string // the network, as its runtime names itself
	Chain          string // the network, as its node names it
}

// Balance is what an account has.
type Balance struct {
	Free     Wei
	Reserved Wei
}

// Account is what an account has, and how many transactions it has sent.
type Account struct {
	Balance
	Nonce  Nonce
	Symbol string // of the token
}

// The errors of a source by which who asks it decides what to do.
var (
	// ErrNoBlock says that there is no block of that height or hash.
	ErrNoBlock = failure.New(failure.NotFound, "no such block")
	// ErrSyncing says why a node has no such block: it has not come that far yet.
	ErrSyncing = errors.New("the node is still syncing")
	// ErrWrongBlock says that an answer is for another block than was asked for.
	ErrWrongBlock = failure.New(failure.Unanswered, "answer for another block")
	// ErrNotOffered says that the source answers no question of that kind.
	ErrNotOffered = failure.New(failure.Unanswered, "questions of this kind are not answered")
	// ErrCannotTell says that the source will never answer that question: it does not
	// know what was asked for, or cannot read what the chain has there. It may answer
	// another one.
	ErrCannotTell = failure.New(failure.Unanswered, "this question cannot be answered")
	// ErrPruned means that the node keeps only the latest blocks, and not this one or its
	// state. It is an ErrCannotTell.
	ErrPruned error = prunedError{}
	// ErrNotKept says that the source has only what was kept of a chain, and not that.
	ErrNotKept = failure.New(failure.NotCovered, "it was not kept")
)

type prunedError struct{}

func (prunedError) Error() string {
	return "the node does not keep this block or its state"
}

func (prunedError) Unwrap() error { return ErrCannotTell }
