// Package walkthrough implements the demo command, which creates a sample month end and walks through it.
package walkthrough

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/archive/demo/monthend"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/plain"
)

// Program runs a command line of fees, and returns its exit code.
type Program func(ctx context.Context, args []string, stdout, stderr io.Writer) int

// defaultDirectory is the directory of the sample.
const defaultDirectory = "fees-demo"

const demoManual = `Walk through a month end in about three minutes, in a new directory (default
./fees-demo): fill a ledger, report, reconcile, roll forward, export, close the
month and verify the package. Each step shows its command, runs it and explains
the result. Press Enter between steps, or pass --yes.

The chain is a sample: its accounts and fees are not real. It starts at block 0
and has one block per hour, on 31 January and 1 February 2026. All checks of
its blocks pass, including signatures.

Before the walk, the directory contains:
  gateway/      the chain as recorded responses, with balances of 8 accounts
  accounts.csv  the address book: address, label, group and account
  company.csv   a company's own record of fees, with planted differences: a wrong
                amount, a missing row, an unknown transaction and a duplicate
  prices.csv    sample prices of the token in EUR and USD
  README.txt    a description, with commands to try

The directory is kept. A directory that exists and is not empty is refused. The
commands run in it, without FEES_LEDGER and FEES_ACCOUNTS.

--gateway demo, as in other commands, is different: recorded blocks 3 to 27 of
the real runtime, with the balances of 18 accounts.

Exit codes: 0 every step ended as expected, 1 a step did not, 2 usage, or the
directory is not empty.`

const demoExamples = `  fees demo                 in ./fees-demo, pausing after each step
  fees demo try --yes       in ./try, without pausing`

// New returns the command. program runs the commands of its steps.
func New(program Program) *cobra.Command {
	var yes bool
	return cli.New(&cobra.Command{
		Use: "demo [DIRECTORY]", Short: "Try a month end on a sample chain, step by step", Long: demoManual, Example: demoExamples,
		Args: cli.Args(0, 1, "at most one directory"),
		RunE: func(c *cobra.Command, args []string) error {
			directory := append(args, defaultDirectory)[0]
			if err := cli.CheckPath("fees demo", directory); err != nil {
				return err
			}
			w := walk{program: program, stdout: c.OutOrStdout(), stderr: c.ErrOrStderr()}
			if !yes {
				if _, is := cli.Terminal(c.InOrStdin()); !is {
					return fmt.Errorf("cannot wait for Enter because standard input is not a terminal; run %s",
						plain.Line(commandLine(args)+" --yes"))
				}
				w.enter = lines(c.InOrStdin())
			}
			return w.lead(c.Context(), directory)
		},
	}, func(c *cobra.Command) {
		c.Flags().BoolVar(&yes, "yes", false, "do not wait for Enter between steps")
	})
}

// commandLine returns the command line with args.
func commandLine(args []string) string {
	line := "fees demo"
	for _, arg := range args {
		line += " " + console.Argument(arg)
	}
	return line
}

// createSample writes the files into a directory, which must be empty or missing.
func createSample(directory string) error {
	entries, err := os.ReadDir(directory)
	switch {
	case err == nil && len(entries) > 0:
		return fmt.Errorf("directory %s is not empty; name another one: %s", directory,
			commandLine([]string{directory + "-2"}))
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return err
	}
	return monthend.Write(directory)
}
