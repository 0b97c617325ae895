package main

import (
	"context"
	"errors"
	"syscall"

	"github.com/feeledger/fees/archive"
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/closing"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/journal"
	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/nodeclient"
	"github.com/feeledger/fees/reconcile"
	"github.com/feeledger/fees/sidecar"
	"github.com/feeledger/fees/source"
)

// The exit codes, as the manual gives them. exitInterrupted is what shells use
// for a program that was stopped with Ctrl-C.
const (
	exitOK          = 0
	exitFinding     = 1
	exitUsage       = 2
	exitGateway     = 3
	exitLedger      = 4 // or an archive, or a disk that is full
	exitInterrupted = 130
)

// errFinding says that a result was shown in which something does not hold. The
// result itself says what.
var errFinding = errors.New("something does not hold")

// errUnanswered says that a result was shown without what the gateway did not answer for
// now. The result itself holds as far as it goes.
var errUnanswered = errors.New("questions were not answered")

// exitCode is the one place that maps errors to exit codes. What is not known
// here is a mistake in the arguments.
func exitCode(ctx context.Context, err error) int {
	var (
		unreachable *gatewayclient.UnreachableError
		status      *gatewayclient.StatusError
		malformed   *sidecar.DecodeError
		noNode      *nodeclient.UnreachableError
		nodeStatus  *nodeclient.StatusError
		nodeAnswer  *nodeclient.DecodeError
		refused     *nodeclient.RPCError
		fork        *ledger.ForkError
		differs     *ledger.DiffersError
		ofLedger    *ledgerError
		movements   *journal.DifferenceError
	)
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.Is(err, errFinding):
		return exitFinding
	case errors.Is(err, ledger.ErrOtherChain), errors.Is(err, ledger.ErrBelow):
		return exitUsage
	case errors.As(err, &fork):
		return exitGateway
	case errors.As(err, &differs), errors.As(err, &movements), errors.Is(err, journal.ErrUnknown):
		return exitFinding
	case errors.Is(err, archive.ErrDamaged), errors.Is(err, archive.ErrLacks), errors.Is(err, closing.ErrDamaged), errors.Is(err, ledger.ErrDamaged), errors.As(err, &ofLedger), fullDisk(err):
		return exitLedger
	case errors.Is(err, chain.ErrNoBlock),
		errors.Is(err, chain.ErrNotOffered),
		errors.Is(err, chain.ErrWrongBlock),
		errors.Is(err, sidecar.ErrNotJSON),
		errors.Is(err, errUnanswered),
		errors.Is(err, source.ErrNotFinal),
		errors.Is(err, archive.ErrNotFinal),
		errors.Is(err, chain.ErrNoBlock),
		errors.Is(err, chain.ErrWrongBlock),
		errors.Is(err, nodeclient.ErrFork),
		errors.Is(err, nodeclient.ErrNotJSON),
		errors.As(err, &noNode),
		errors.As(err, &nodeStatus),
		errors.As(err, &nodeAnswer),
		errors.As(err, &refused),
		errors.As(err, &unreachable),
		errors.As(err, &status),
		errors.As(err, &malformed),
		errors.Is(err, chain.ErrOverflow): // amounts that no chain can have
		return exitGateway
	}
	return exitUsage
}

// fullDisk tells whether a disk took no more, or broke.
func fullDisk(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) || errors.Is(err, syscall.EIO)
}

// explain is an error's message in one line, with what to do about it.
func explain(ctx context.Context, err error) string {
	var unreachable *gatewayclient.UnreachableError
	var malformed *sidecar.DecodeError
	var status *gatewayclient.StatusError
	var noNode *nodeclient.UnreachableError
	var fork *source.ForkError
	var beside *ledger.ForkError
	var nodeAnswer *nodeclient.DecodeError
	advice := ""
	switch {
	case ctx.Err() != nil:
		return "stopped"
	case errors.Is(err, errFinding):
		return ""
	case errors.As(err, &unreachable):
		advice = "start it, or name another with --gateway or FEES_GATEWAY; --gateway demo needs none"
	case errors.As(err, &status) && status.LostNode():
		advice = "the gateway has lost its node: if the node runs, restart the gateway, which may not find it again by itself"
	case errors.As(err, &noNode):
		advice = "start it, or name another with --node or FEES_NODE"
	case errors.Is(err, nodeclient.ErrNoMethod):
		advice = "fees node methods lists those that the node has"
	case errors.Is(err, chain.ErrNoBlock):
		advice = "the chain has not come that far, or it is another chain's; fees block head shows the newest"
	case errors.As(err, &fork):
		advice = "a block was replaced while the range was read: run it again; if it stays, the gateway's node is on a fork"
	case errors.Is(err, source.ErrNotFinal):
		advice = "wait, or accept it with --unfinalized"
	case errors.Is(err, archive.ErrNotFinal):
		advice = "wait until it is: only final blocks are recorded"
	case errors.Is(err, errUnanswered):
		advice = "run it again; a longer --timeout may help"
	case errors.Is(err, chain.ErrNotOffered):
		advice = "is this the address of a block gateway?"
	case errors.Is(err, archive.ErrDamaged):
		advice = "record it again"
	case errors.Is(err, ledger.ErrNone):
		advice = "fees sync makes one; --ledger or FEES_LEDGER names another"
	case errors.Is(err, reconcile.ErrNotCovered):
		advice = "fees sync fills it; --partial compares with what is there"
	case errors.Is(err, reconcile.ErrNoLookups):
		advice = "fees sync makes them at its end"
	case errors.Is(err, ledger.ErrOtherChain):
		advice = "name another ledger with --ledger"
	case errors.Is(err, ledger.ErrLocked):
		advice = "wait until it ends"
	case errors.As(err, &beside):
		advice = "the ledger and the gateway are on different forks: ask another gateway; fees ledger verify --gateway compares them"
	case errors.As(err, &malformed):
		advice = "try again, or ask another gateway"
	case errors.Is(err, chain.ErrOverflow) && !errors.As(err, &nodeAnswer):
		advice = "no chain has such amounts: ask another gateway"
	}
	if advice == "" {
		return err.Error()
	}
	return err.Error() + "; " + advice
}
