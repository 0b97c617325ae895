package main

import (
	"context"
	"errors"
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

// codes are the exit codes of errors: the first row that knows an error counts. What no row
// knows is a mistake in the arguments.
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

// exitCode is the one place that maps errors to exit codes.
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

// is tells whether an error is a certain one.
func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

// as tells whether an error has one of a type.
func as[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// kind tells whether an error is of one of the kinds.
func kind(kinds ...failure.Kind) func(error) bool {
	return func(err error) bool { return slices.Contains(kinds, app.KindOf(err)) }
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
	switch {
	case errors.Is(err, cli.ErrFinding), errors.Is(err, cli.ErrStopped):
		return ""
	case ctx.Err() != nil:
		return cli.Stopped(c)
	}
	parts := []string{saidFirst(c, err), adviceOn(c, err), continues(c, err)}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}
