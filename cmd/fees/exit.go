package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/network"
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

// exitCode is the one place that maps errors to exit codes. What is not known
// here is a mistake in the arguments.
func exitCode(ctx context.Context, err error) int {
	var ofLedger *app.LedgerError
	var fork *ledger.ForkError
	kind := app.KindOf(err)
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.Is(err, cli.ErrFinding), kind == failure.DoesNotHold:
		return exitFinding
	case kind == failure.NotUnderstood:
		return exitUsage
	case errors.As(err, &fork):
		return exitGateway
	case kind == failure.Damaged, kind == failure.NotCovered, kind == failure.Busy, errors.As(err, &ofLedger), failure.FullDisk(err):
		return exitLedger
	case kind == failure.Unanswered, errors.Is(err, chain.ErrNoBlock):
		return exitGateway
	}
	return exitUsage
}

// message returns the text of an error, with the command's flags for the fields of questions.
func message(c *cobra.Command, err error) string {
	text := err.Error()
	for input := range inputErrors(err) {
		text = strings.Replace(text, input.Error(), input.Naming(func(f app.Field) string {
			if c != nil && !takes(c, string(f)) {
				return string(f)
			}
			return "--" + string(f)
		}), 1)
	}
	return text
}

// inputErrors are those that an error is made of.
func inputErrors(err error) iter.Seq[*app.InputError] {
	return func(yield func(*app.InputError) bool) {
		switch e := err.(type) {
		case *app.InputError:
			yield(e)
		case interface{ Unwrap() error }:
			inputErrors(e.Unwrap())(yield)
		case interface{ Unwrap() []error }:
			for _, one := range e.Unwrap() {
				inputErrors(one)(yield)
			}
		}
	}
}

// takes tells whether a command has a flag.
func takes(c *cobra.Command, flag string) bool { return c != nil && c.Flags().Lookup(flag) != nil }

// explainError is an error's message in one line, with what to do about it. The command lines in it
// have the flags that the command was given, and it names no flag that the command lacks.
func explainError(ctx context.Context, c *cobra.Command, err error) string {
	var unreachable *httpclient.UnreachableError
	var malformed *sidecar.DecodeError
	var status *httpclient.StatusError
	var refused *sidecar.RefusalError
	var fork *source.ForkError
	var beside *ledger.ForkError
	var nodeAnswer *rpc.DecodeError
	var altered *header.RootError
	var lacking *app.NotHeldError
	var unpriced *money.MissingError
	var direct *app.WithoutLedgerError
	var absent *app.NotThereError
	var differs *ledger.DiffersError
	var damage *ledger.DamageError
	advice := ""
	switch {
	case errors.Is(err, cli.ErrFinding), errors.Is(err, cli.ErrStopped):
		return ""
	case ctx.Err() != nil:
		return cli.Stopped(c)
	case errors.As(err, &status) && sidecar.CannotDecode(status.Message), errors.As(err, &refused) && sidecar.CannotDecode(refused.Message):
		advice = "the gateway lacks the chain's types: start it with the chain's types bundle (SAS_SUBSTRATE_TYPES_BUNDLE), or " + fromNode(c)
	case errors.Is(err, sidecar.ErrNoInherents):
		advice = readFromNode(c)
	case providerAdvice(c, err) != "":
		advice = providerAdvice(c, err)
	case errors.Is(err, httpclient.ErrTooLarge) && errors.As(err, &unreachable):
		advice = "try again, or ask another " + unreachable.Place.What
	case errors.As(err, &unreachable):
		advice = strings.TrimSuffix("start it, or "+cli.NameAnother(c, unreachable.Place), ", or ")
	case errors.As(err, &nodeAnswer):
		advice = "try again, or ask another node"
	case errors.As(err, &altered) && !errors.Is(err, answers.ErrDamaged):
		advice = "the node altered the block, or is damaged: ask another node"
	case errors.Is(err, rpc.ErrNoMethod):
		advice = "fees node methods lists those that the node has"
	case errors.Is(err, chain.ErrSyncing):
		advice = "wait until it has come that far, or name another node"
	case errors.Is(err, chain.ErrNoBlock) && !errors.Is(err, chain.ErrCannotTell):
		advice = "the chain has not come that far, or it is another chain's; " + cli.NewestBlockLine(c) + " shows the newest"
	case errors.As(err, &fork):
		advice = "a block was replaced while the range was read: run it again; if it stays, the gateway's node is on a fork"
	case errors.Is(err, source.ErrNotFinal):
		advice = "wait until it is final"
		if takes(c, "unfinalized") {
			advice = "wait, or accept it with --unfinalized"
		}
	case errors.Is(err, answers.ErrNotFinal):
		advice = "wait until it is: only final blocks are recorded"
	case errors.Is(err, app.ErrUnanswered):
		advice = "run it again"
		if takes(c, "timeout") {
			advice += "; a longer --timeout may help"
		}
	case errors.Is(err, chain.ErrNotOffered):
		advice = "is this the address of a block gateway?"
	case errors.Is(err, answers.ErrDamaged):
		advice = "record it again"
	case errors.Is(err, ledger.ErrNone):
		advice = creates(c)
	case errors.As(err, &lacking):
		advice = fills(c, lacking)
	case errors.As(err, &absent):
		advice = adds(c, absent)
	case errors.Is(err, ledger.ErrOlder):
		advice = cli.Line(c, "fees ledger upgrade", "ledger") + " brings it up to date"
	case errors.As(err, &differs):
		advice = cli.CompareLine(c) + " tells the difference"
	case errors.As(err, &damage):
		advice = cli.Line(c, "fees ledger verify", "ledger") + " names all that is damaged"
	case errors.As(err, &unpriced):
		advice = "complete the file"
		if takes(c, "partial") {
			advice += ", or --partial leaves what needs it unknown"
		}
	case errors.As(err, &direct):
		advice = "this fills a ledger: " + cli.SyncLine(c, direct.Blocks)
		if takes(c, "gateway") {
			advice = "without --gateway a ledger is asked, and this fills it: " + cli.SyncLine(c, direct.Blocks)
		}
	case errors.Is(err, ledger.ErrNoCut):
		advice = cli.Line(c, "fees ledger status", "ledger") + " shows which blocks it has"
	case errors.Is(err, network.ErrUnknownNetwork) && takes(c, "network"):
		advice = "name one with --network, or give a table of your own with --network-file"
	case errors.Is(err, network.ErrUnknownNetwork) && takes(c, "network-file"):
		advice = "give a table of your own with --network-file"
	case errors.Is(err, ledger.ErrOtherChain):
		advice = "name another ledger"
		if takes(c, "ledger") {
			advice += " with --ledger"
		}
	case errors.Is(err, ledger.ErrLocked):
		advice = "wait until it ends"
	case errors.Is(err, ledger.ErrLost):
		advice = "run it again when the database is there: it goes on from what is stored"
	case errors.As(err, &beside):
		advice = "the ledger and the gateway are on different forks: ask another gateway; " + cli.CompareLine(c) + " compares them"
	case errors.As(err, &malformed):
		advice = readFromNode(c)
	case errors.Is(err, chain.ErrOverflow):
		advice = "no chain has such amounts: ask another gateway"
	}
	parts := []string{saidFirst(c, err), advice, continues(c, err)}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
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
