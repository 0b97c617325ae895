package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// remedies say what to do about an error, as the beginning of a sentence. The first row that matches
// and has advice wins.
var remedies = []struct {
	of     func(error) bool
	advice func(*cobra.Command, error) string
}{
	{lacksTypes, by(func(c *cobra.Command) string {
		return "Start the gateway with the chain's types bundle (SAS_SUBSTRATE_TYPES_BUNDLE), or " + fromNode(c)
	})},
	{is(sidecar.ErrNoInherents), by(readFromNode)},
	{anyError, providerAdvice},
	{as[*httpclient.UnreachableError], on(startIt)},
	{as[*rpc.DecodeError], advise("Try again, or use another node")},
	{alteredByNode, advise("Use another node; this one altered the block or is damaged")},
	{is(rpc.ErrNoMethod), advise(`List the node's methods with "fees node methods"`)},
	{is(chain.ErrSyncing), advise("Wait until it has caught up, or use another node")},
	{notThatFar, by(func(c *cobra.Command) string {
		return `Check the chain and the block; show the newest with "` + cli.NewestBlockLine(c) + `"`
	})},
	{as[*source.ForkError], advise("Run it again; if it fails again, use a gateway that is not on a fork")},
	{is(source.ErrNotFinal), either("unfinalized", "Wait, or accept it with --unfinalized", "Wait until it is final")},
	{is(source.ErrFinalityUnknown), advise("Use a gateway or a node that reports it; fees sync --unfinalized stores such blocks, unsealed")},
	{is(archive.ErrFinalityUnknown), advise("Record from a gateway or a node that reports it; only final blocks are recorded")},
	{is(archive.ErrNotFinal), advise("Wait until it is; only final blocks are recorded")},
	{is(app.ErrUnanswered), either("timeout", "Run it again, perhaps with a longer --timeout", "Run it again")},
	{notOffered, advise("Check that the URL is a block gateway's")},
	{is(answers.ErrDamaged), advise("Record it again")},
	{is(ledger.ErrNone), by(creates)},
	{as[*app.NotHeldError], on(fills)},
	{as[*app.NotThereError], on(adds)},
	{is(ledger.ErrOlder), line("Upgrade it", "fees ledger upgrade")},
	{as[*ledger.DiffersError], by(func(c *cobra.Command) string { return `Compare them with "` + cli.CompareLine(c) + `"` })},
	{as[*ledger.DamageError], line("List all damage", "fees ledger verify")},
	{as[*money.MissingError], by(addsPrices)},
	{as[*app.WithoutLedgerError], on(withLedger)},
	{is(ledger.ErrNoCut), line("Show its blocks", "fees ledger status")},
	{is(network.ErrUnknownNetwork), by(namesNetwork)},
	{is(ledger.ErrOtherChain), either("ledger", "Name another ledger with --ledger", "Name another ledger")},
	{is(ledger.ErrLocked), advise("Wait until the other program ends")},
	{is(ledger.ErrReplaced), advise("Check that it is the right ledger, then run it again; it continues where the ledger now ends")},
	{is(ledger.ErrLost), advise("Run it again when the database is back; it continues where it stopped")},
	{as[*ledger.ForkError], by(func(c *cobra.Command) string {
		return `Use another gateway, since this one is on another fork, or compare them with "` + cli.CompareLine(c) + `"`
	})},
	{as[*sidecar.DecodeError], by(readFromNode)},
	{is(chain.ErrOverflow), advise("Use another gateway; no chain has such amounts")},
}

// adviceOn returns the advice on an error, "" if there is none. A row without advice for the command
// leaves the error to the rows below.
func adviceOn(c *cobra.Command, err error) string {
	for _, row := range remedies {
		if !row.of(err) {
			continue
		}
		if advice := row.advice(c, err); advice != "" {
			return advice
		}
	}
	return ""
}

// anyError matches every error, for rows whose advice function decides.
func anyError(error) bool { return true }

// advise returns advice that is always the same.
func advise(advice string) func(*cobra.Command, error) string {
	return func(*cobra.Command, error) string { return advice }
}

// by returns advice that depends on the command.
func by(advice func(*cobra.Command) string) func(*cobra.Command, error) string {
	return func(c *cobra.Command, _ error) string { return advice(c) }
}

// on returns advice that depends on an error of type E.
func on[E error](advice func(*cobra.Command, E) string) func(*cobra.Command, error) string {
	return func(c *cobra.Command, err error) string {
		e, _ := errors.AsType[E](err)
		return advice(c, e)
	}
}

// either returns one advice for commands with a flag, and another one for commands without it.
func either(flag, with, without string) func(*cobra.Command, error) string {
	return by(func(c *cobra.Command) string {
		if takes(c, flag) {
			return with
		}
		return without
	})
}

// addsPrices returns the advice on missing prices.
func addsPrices(c *cobra.Command) string {
	advice := "Add the missing prices"
	if takes(c, "last-known") {
		advice += ", or use the last price of at most 7 days before with --last-known"
		if takes(c, "partial") {
			advice += ", or leave these amounts unknown with --partial"
		}
	}
	return advice
}

// line returns advice to do something with a command on the same ledger.
func line(do, command string) func(*cobra.Command, error) string {
	return by(func(c *cobra.Command) string { return do + ` with "` + cli.Line(c, command, "ledger") + `"` })
}

// lacksTypes reports whether a gateway could not decode its node's data.
func lacksTypes(err error) bool {
	var status *httpclient.StatusError
	var refused *sidecar.RefusalError
	return errors.As(err, &status) && sidecar.CannotDecode(status.Message) || errors.As(err, &refused) && sidecar.CannotDecode(refused.Message)
}

// alteredByNode reports whether a block from a node does not match its own roots.
func alteredByNode(err error) bool {
	return as[*header.RootError](err) && !errors.Is(err, answers.ErrDamaged)
}

// notThatFar reports whether a chain has no such block yet.
func notThatFar(err error) bool {
	return errors.Is(err, chain.ErrNoBlock) && !errors.Is(err, chain.ErrUnsupported)
}

// notOffered reports whether a gateway lacks an endpoint. A [source.NeitherError] contains its own remedy.
func notOffered(err error) bool {
	return errors.Is(err, chain.ErrNotOffered) && !as[*source.NeitherError](err)
}

// startIt returns the advice on a source that does not answer or sends too much.
func startIt(c *cobra.Command, e *httpclient.UnreachableError) string {
	if errors.Is(e, httpclient.ErrTooLarge) {
		return "Try again, or use another " + e.Place.What
	}
	return strings.TrimSuffix("Start it, or "+cli.NameAnother(c, e.Place), ", or ")
}

// withLedger returns the advice on a request that only a ledger can answer.
func withLedger(c *cobra.Command, direct *app.WithoutLedgerError) string {
	line := cli.SyncLine(c, direct.Blocks)
	if line == "" { // the command names no period
		line = cli.NewLedgerLine(c)
	}
	fill := `fill a ledger with "` + line + `"`
	if takes(c, "gateway") {
		return "Leave out --gateway, and " + fill
	}
	return capitalized(fill)
}

// namesNetwork returns the advice on an unknown network, "" for a command without the flags.
func namesNetwork(c *cobra.Command) string {
	switch {
	case takes(c, "network"):
		return "Name one with --network, or pass your own table with --network-file"
	case takes(c, "network-file"):
		return "Pass your own table with --network-file"
	}
	return ""
}

// readFromNode returns the advice on a response that cannot be read.
func readFromNode(c *cobra.Command) string { return "Try again, or " + fromNode(c) }

// fromNode returns the advice to use a node.
func fromNode(c *cobra.Command) string {
	advice := "read from the chain's node instead of a gateway"
	if takes(c, "gateway") {
		advice += " with --gateway ws://HOST"
	}
	return advice
}

// fills returns the advice on a ledger that lacks part of a period.
func fills(c *cobra.Command, lacking *app.NotHeldError) string {
	line := cli.SyncLine(c, lacking.Fill)
	if compared, ok := lacking.Compared.Get(); ok && !lacking.Fill.Known() {
		line = cli.PeriodSyncLine(c, compared)
	}
	partial := takes(c, "partial") && len(lacking.Lacks) > 0
	switch {
	case line != "" && partial:
		return `Run "` + line + `", or add --partial`
	case line != "":
		return `Run "` + line + `"`
	case partial:
		return "Add --partial to use incomplete periods"
	}
	return ""
}

// adds returns the advice on blocks that a ledger lacks.
func adds(c *cobra.Command, absent *app.NotThereError) string {
	lacks, ok := absent.Lacks.Get()
	if !ok {
		return ""
	}
	more := `fill it with "` + cli.MoreSyncLine(c) + `"`
	if last, ok := lacks.After.Get(); ok {
		more = fmt.Sprintf(`add the blocks after %d with "%s"`, last, cli.MoreSyncLine(c))
	}
	if lacks.Gap.Known() {
		return `Fill the gap with "` + cli.SyncLine(c, lacks.Gap) + `", and ` + more
	}
	return capitalized(more)
}

// creates returns the advice to create or name a ledger.
func creates(c *cobra.Command) string {
	advice := `Create one with "` + cli.NewLedgerLine(c) + `"`
	if takes(c, "ledger") {
		advice += ", or pass --ledger FILE"
	}
	return advice
}
