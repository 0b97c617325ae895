package main

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
)

// The exit codes, as documented in fees help topics. exitInterrupted is the shells' code for Ctrl-C.
const (
	exitOK          = 0
	exitFinding     = 1
	exitUsage       = 2
	exitGateway     = 3
	exitLedger      = 4 // also an archive, or a full disk
	exitInterrupted = 130
)

// codes maps errors to exit codes: the first matching row wins. Any other error is a mistake in the
// arguments.
var codes = []struct {
	of   func(error) bool
	code int
}{
	{is(cli.ErrFinding), exitFinding},
	{kind(failure.DoesNotHold), exitFinding},
	{kind(failure.NotUnderstood), exitUsage},
	{as[*ledger.ForkError], exitGateway},
	{kind(failure.Damaged, failure.NotCovered, failure.Busy), exitLedger},
	{as[*app.LedgerError], exitLedger},
	{failure.FullDisk, exitLedger},
	{kind(failure.Unanswered), exitGateway},
	{is(chain.ErrNoBlock), exitGateway},
}

// exitCode returns the exit code of an error.
func exitCode(ctx context.Context, err error) int {
	if ctx.Err() != nil {
		return exitInterrupted
	}
	for _, row := range codes {
		if row.of(err) {
			return row.code
		}
	}
	return exitUsage
}

// is matches errors that wrap target.
func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

// as reports whether an error wraps one of type E.
func as[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// kind matches errors of one of the kinds.
func kind(kinds ...failure.Kind) func(error) bool {
	return func(err error) bool { return slices.Contains(kinds, app.KindOf(err)) }
}

// message returns the text of an error, naming the command's flags in place of input fields.
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

// inputErrors returns the input errors that an error wraps.
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

// takes reports whether a command has a flag.
func takes(c *cobra.Command, flag string) bool { return c != nil && c.Flags().Lookup(flag) != nil }

// explainError returns an error's message in one line, with advice in a second sentence. Command lines in
// it repeat the flags that the command was given, and it names no flag that the command lacks.
func explainError(ctx context.Context, c *cobra.Command, err error) string {
	switch {
	case errors.Is(err, cli.ErrFinding), errors.Is(err, cli.ErrStopped):
		return ""
	case ctx.Err() != nil:
		return cli.Stopped(c)
	}
	text, advice, next := plainPath(repliedFirst(c, err), err), adviceOn(c, err), continues(c, err)
	switch {
	case advice == "":
		advice = capitalized(next)
	case next != "":
		advice += ", then " + next
	}
	if advice == "" {
		return text
	}
	return strings.TrimRight(text, ".") + ". " + advice + "."
}

// plainPath replaces the system's words for a path that cannot be opened.
func plainPath(text string, err error) string {
	path, _ := errors.AsType[*fs.PathError](err)
	plain := failure.PathText(err)
	if plain == "" {
		return text
	}
	return strings.NewReplacer(path.Path+": "+path.Error(), plain, path.Error(), plain).Replace(text)
}

// capitalized returns text with a capital first letter.
func capitalized(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
