// Package walkthrough has the command that lays out a month's end to try, and goes through it.
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
)

// Program runs a command line of fees, and returns its exit code.
type Program func(ctx context.Context, args []string, stdout, stderr io.Writer) int

// defaultDirectory is where the month's end is laid out.
const defaultDirectory = "fees-demo"

const demoManual = `Lay out a month's end in a directory (default ./fees-demo), and go through it in
about three minutes: fill a ledger, report, reconcile, roll forward, export,
close the month and prove the package. Each step shows its command, runs it, and
says what it means. It waits for Enter between the steps; --yes does not wait.

The chain is made up: nobody's accounts, no fee that was ever paid. It begins at
its block 0 and has a block an hour, on 31 January and 1 February 2026. All
checks of its blocks hold, signatures included.

In the directory are, before the walk:
  gateway/      the chain as recorded answers, with balances of eight accounts
  accounts.csv  the address book: address, label, group and account
  company.csv   the company's own record of fees, with planted differences: a
                wrong amount, a missing row, an unknown transaction, a duplicate
  prices.csv    what the token cost in EUR and USD, made up too
  README.txt    all this, and the commands

The directory stays, for you to try more. One that is there and not empty is
refused. The commands are run in it, without FEES_LEDGER and FEES_ACCOUNTS.

--gateway demo of other commands is something else: blocks 3 to 27 of the real
runtime, with the balances of 18 accounts, as they were recorded.

Exit codes: 0 each step ended as it should, 1 one did not, 2 usage, or a
directory that is not empty.`

const demoExamples = `  fees demo                 in ./fees-demo, with a pause after each step
  fees demo try --yes       in ./try, without a pause`

// New is the command. Program runs the commands of its steps.
func New(program Program) *cobra.Command {
	var yes bool
	return cli.New(&cobra.Command{
		Use: "demo [DIRECTORY]", Short: "Try a month's end on a made-up chain, step by step", Long: demoManual, Example: demoExamples,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			w := walk{program: program, stdout: c.OutOrStdout(), stderr: c.ErrOrStderr()}
			if !yes {
				if _, is := cli.Terminal(c.InOrStdin()); !is {
					return fmt.Errorf("standard input is not a terminal, on which Enter could be pressed after each step: %s goes on without it",
						console.Printable(commandLine(args)+" --yes"))
				}
				w.enter = lines(c.InOrStdin())
			}
			return w.lead(c.Context(), append(args, defaultDirectory)[0])
		},
	}, func(c *cobra.Command) {
		c.Flags().BoolVar(&yes, "yes", false, "do not wait for Enter after each step")
	})
}

// commandLine is how the command was called.
func commandLine(args []string) string {
	line := "fees demo"
	for _, arg := range args {
		line += " " + console.Argument(arg)
	}
	return line
}

// layOut writes the files into a directory, which must be empty or not there.
func layOut(directory string) error {
	entries, err := os.ReadDir(directory)
	switch {
	case err == nil && len(entries) > 0:
		return fmt.Errorf("%s is there and is not empty: name another directory, such as %s", directory,
			commandLine([]string{directory + "-2"}))
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return err
	}
	return monthend.Write(directory)
}
