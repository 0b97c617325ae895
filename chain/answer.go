package chain

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/internal/failure"
)

// AtBlock is a part of the state after a block, and that block as reported by the source.
type AtBlock[T any] struct {
	At     uint64         // the height of the block
	AtHash Optional[Hash] // unknown if the source does not report it
	Value  T
}

// Runtime identifies a runtime by name and version.
type Runtime struct {
	SpecName    string // such as "moonbeam"
	SpecVersion uint32
	Token       Token
}

// Token is a chain's native token, as the source reports it. The source may report neither field.
type Token struct {
	Symbol   string // such as GLMR
	Decimals Optional[uint64]
}

// Head is the newest finalized block.
type Head struct {
	Number           uint64
	Hash, ParentHash Optional[Hash] // each unknown if the source did not report it
}

// Heights is the range of heights from First to Last, both included.
type Heights struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

// String returns the range as "A..B".
func (h Heights) String() string { return fmt.Sprintf("%d..%d", h.First, h.Last) }

// Blocks returns the number of heights in the range.
func (h Heights) Blocks() uint64 { return h.Last - h.First + 1 }

// NodeVersion is what a node reports about itself. A field that it does not report is empty.
type NodeVersion struct {
	ClientVersion  string
	ClientImplName string // the network, as named by the runtime
	Chain          string // the network, as named by the node
}

// Balance is an account's balance.
type Balance struct {
	Free     Wei
	Reserved Wei
}

// Account is an account's balance and the number of transactions it has sent.
type Account struct {
	Balance
	Nonce  Nonce
	Symbol string // of the network's token
}

// Errors of a source. Callers choose by them whether to retry, to skip or to stop.
var (
	// ErrNoBlock means that no block has that height or hash.
	ErrNoBlock = failure.New(failure.NotFound, "no such block")
	// ErrSyncing means that a node does not have a block yet because it is still syncing.
	ErrSyncing = errors.New("the node is still syncing")
	// ErrWrongBlock means that a response is for a different block than the request.
	ErrWrongBlock = failure.New(failure.Unanswered, "the response is for a different block")
	// ErrNotOffered means that the source does not serve this kind of request.
	ErrNotOffered = failure.New(failure.Unanswered, "the source does not support this request")
	// ErrUnsupported means that the source will never be able to answer this request: it does not know the item, or
	// cannot read the chain's data there. Other requests may still succeed.
	ErrUnsupported = failure.New(failure.Unanswered, "the source cannot answer this request")
	// ErrPruned means that the node keeps only the newest blocks, and has dropped this one or its state. It wraps
	// ErrUnsupported.
	ErrPruned error = prunedError{}
	// ErrNotKept means that the source stores only part of a chain, and not this part.
	ErrNotKept = failure.New(failure.NotCovered, "not stored")
)

type prunedError struct{}

func (prunedError) Error() string {
	return "the node does not keep this block or its state"
}

func (prunedError) Unwrap() error { return ErrUnsupported }
