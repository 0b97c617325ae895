package nodegateway

import (
	"errors"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/nodeclient"
)

// ErrPruned says that the node no longer has what it is asked for: it keeps the latest blocks
// alone. It is a [chain.ErrCannotTell].
var ErrPruned error = errPruned{}

type errPruned struct{}

func (errPruned) Error() string {
	return "the node does not have it: where it keeps the latest blocks alone, name an archive node (--state-pruning archive --blocks-pruning archive)"
}

func (errPruned) Unwrap() error { return chain.ErrCannotTell }

// unknownBlock is the code of a question about the state of a block that the node does not
// have.
//
// Source: paritytech/polkadot-sdk, substrate/client/rpc-api/src/state/error.rs.
const unknownBlock = 4003

// stateError is err, or ErrPruned where that is what a node means that says it of a block's
// state.
func stateError(at place, err error) error {
	var refused *nodeclient.RPCError
	if !errors.As(err, &refused) {
		return err
	}
	code, _ := refused.Code.Get()
	if code != unknownBlock && !strings.Contains(refused.Error(), "State already discarded") {
		return err
	}
	return pruned(at.height, at.hash, err)
}

func pruned(height uint64, hash chain.Hash, err error) error {
	return fmt.Errorf("block %d (%v): %w: %w", height, hash, ErrPruned, err)
}
