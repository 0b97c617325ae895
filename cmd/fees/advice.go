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
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// remedies say what to do about an error. The first row that matches and has advice counts.
var remedies = []struct {
	of  func(error) bool
	say func(*cobra.Command, error) string
}{
	{lacksTypes, by(func(c *cobra.Command) string {
		return "the gateway lacks the chain's types: start it with the chain's types bundle (SAS_SUBSTRATE_TYPES_BUNDLE), or " + fromNode(c)
	})},
	{is(sidecar.ErrNoInherents), by(readFromNode)},
	{anyError, providerAdvice},
	{as[*httpclient.UnreachableError], on(startIt)},
	{as[*rpc.DecodeError], say("try again, or ask another node")},
	{alteredByNode, say("the node altered the block, or is damaged: ask another node")},
	{is(rpc.ErrNoMethod), say("fees node methods lists those that the node has")},
	{is(chain.ErrSyncing), say("wait until it has come that far, or name another node")},
	{notThatFar, by(func(c *cobra.Command) string {
		return "the chain has not come that far, or it is another chain's; " + cli.NewestBlockLine(c) + " shows the newest"
	})},
	{as[*source.ForkError], say("a block was replaced while the range was read: run it again; if it stays, the gateway's node is on a fork")},
	{is(source.ErrNotFinal), either("unfinalized", "wait, or accept it with --unfinalized", "wait until it is final")},
	{is(answers.ErrNotFinal), say("wait until it is: only final blocks are recorded")},
	{is(app.ErrUnanswered), either("timeout", "run it again; a longer --timeout may help", "run it again")},
	{is(chain.ErrNotOffered), say("is this the address of a block gateway?")},
	{is(answers.ErrDamaged), say("record it again")},
	{is(ledger.ErrNone), by(creates)},
	{as[*app.NotHeldError], on(fills)},
	{as[*app.NotThereError], on(adds)},
	{is(ledger.ErrOlder), line("fees ledger upgrade", " brings it up to date")},
	{as[*ledger.DiffersError], by(func(c *cobra.Command) string { return cli.CompareLine(c) + " tells the difference" })},
	{as[*ledger.DamageError], line("fees ledger verify", " names all that is damaged")},
	{as[*money.MissingError], either("partial", "complete the file, or --partial leaves what needs it unknown", "complete the file")},
	{as[*app.WithoutLedgerError], on(withLedger)},
	{is(ledger.ErrNoCut), line("fees ledger status", " shows which blocks it has")},
	{is(network.ErrUnknownNetwork), by(namesNetwork)},
	{is(ledger.ErrOtherChain), either("ledger", "name another ledger with --ledger", "name another ledger")},
	{is(ledger.ErrLocked), say("wait until it ends")},
	{is(ledger.ErrLost), say("run it again when the database is there: it goes on from what is stored")},
	{as[*ledger.ForkError], by(func(c *cobra.Command) string {
		return "the ledger and the gateway are on different forks: ask another gateway; " + cli.CompareLine(c) + " compares them"
	})},
	{as[*sidecar.DecodeError], by(readFromNode)},
	{is(chain.ErrOverflow), say("no chain has such amounts: ask another gateway")},
}

// adviceOn is the advice on an error; "" if there is none. A row whose advice does not fit the
// command leaves the error to the rows below.
func adviceOn(c *cobra.Command, err error) string {
	for _, row := range remedies {
		if !row.of(err) {
			continue
		}
		if advice := row.say(c, err); advice != "" {
			return advice
		}
	}
	return ""
}

// anyError matches every error: the advice itself tells whether there is any.
func anyError(error) bool { return true }

// say is always the same advice.
func say(text string) func(*cobra.Command, error) string {
	return func(*cobra.Command, error) string { return text }
}

// by is advice that depends on the command.
func by(text func(*cobra.Command) string) func(*cobra.Command, error) string {
	return func(c *cobra.Command, _ error) string { return text(c) }
}

// on is advice that depends on what an error of a type tells.
func on[E error](text func(*cobra.Command, E) string) func(*cobra.Command, error) string {
	return func(c *cobra.Command, err error) string {
		e, _ := errors.AsType[E](err)
		return text(c, e)
	}
}

// either is one advice for a command that has a flag, and another for others.
func either(flag, with, without string) func(*cobra.Command, error) string {
	return by(func(c *cobra.Command) string {
		if takes(c, flag) {
			return with
		}
		return without
	})
}

// line is a command line about the ledger, with what it does.
func line(command, does string) func(*cobra.Command, error) string {
	return by(func(c *cobra.Command) string { return cli.Line(c, command, "ledger") + does })
}

// lacksTypes tells whether a gateway could not decode what its node said.
func lacksTypes(err error) bool {
	var status *httpclient.StatusError
	var refused *sidecar.RefusalError
	return errors.As(err, &status) && sidecar.CannotDecode(status.Message) || errors.As(err, &refused) && sidecar.CannotDecode(refused.Message)
}

// alteredByNode tells whether a block is not what its roots say, and came from a node.
func alteredByNode(err error) bool {
	return as[*header.RootError](err) && !errors.Is(err, answers.ErrDamaged)
}

// notThatFar tells whether a chain has no such block yet.
func notThatFar(err error) bool {
	return errors.Is(err, chain.ErrNoBlock) && !errors.Is(err, chain.ErrCannotTell)
}

// startIt is the advice on a place that does not answer, or sends too much.
func startIt(c *cobra.Command, e *httpclient.UnreachableError) string {
	if errors.Is(e, httpclient.ErrTooLarge) {
		return "try again, or ask another " + e.Place.What
	}
	return strings.TrimSuffix("start it, or "+cli.NameAnother(c, e.Place), ", or ")
}

// withLedger says what answers a question that only a ledger can answer.
func withLedger(c *cobra.Command, direct *app.WithoutLedgerError) string {
	if takes(c, "gateway") {
		return "without --gateway a ledger is asked, and this fills it: " + cli.SyncLine(c, direct.Blocks)
	}
	return "this fills a ledger: " + cli.SyncLine(c, direct.Blocks)
}

// namesNetwork is the advice on an unknown network; "" for a command without the flags.
func namesNetwork(c *cobra.Command) string {
	switch {
	case takes(c, "network"):
		return "name one with --network, or give a table of your own with --network-file"
	case takes(c, "network-file"):
		return "give a table of your own with --network-file"
	}
	return ""
}

// readFromNode says what helps where a gateway's answer cannot be read.
func readFromNode(c *cobra.Command) string { return "try again, or " + fromNode(c) }

// fromNode names the way out that needs no gateway.
func fromNode(c *cobra.Command) string {
	advice := "read from the chain's node instead of a gateway"
	if takes(c, "gateway") {
		advice += ": --gateway ws://HOST"
	}
	return advice
}

// fills says what helps where a ledger lacks a part of a period.
func fills(c *cobra.Command, lacking *app.NotHeldError) string {
	var list []string
	line := cli.SyncLine(c, lacking.Fill)
	if compared, ok := lacking.Compared.Get(); ok && !lacking.Fill.Known() {
		line = cli.PeriodSyncLine(c, compared)
	}
	if line != "" {
		list = append(list, "this fills it: "+line)
	}
	if takes(c, "partial") && len(lacking.Lacks) > 0 {
		list = append(list, "--partial takes what is there")
	}
	return strings.Join(list, "; ")
}

// adds says what adds blocks that a ledger lacks.
func adds(c *cobra.Command, absent *app.NotThereError) string {
	lacks, ok := absent.Lacks.Get()
	if !ok {
		return ""
	}
	var list []string
	if lacks.Gap.Known() {
		list = append(list, "this fills the gap: "+cli.SyncLine(c, lacks.Gap))
	}
	what := "this fills it: "
	if last, ok := lacks.After.Get(); ok {
		what = fmt.Sprintf("this adds those after block %d: ", last)
	}
	return strings.Join(append(list, what+cli.MoreSyncLine(c)), "; ")
}

// creates says how to create a ledger, or to name one.
func creates(c *cobra.Command) string {
	advice := `create one with "` + cli.NewLedgerLine(c) + `"`
	if takes(c, "ledger") {
		advice += ", or pass --ledger FILE"
	}
	return advice
}
