package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/bookkeeping"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/cmd/fees/internal/endpoints"
	"github.com/feeledger/fees/cmd/fees/internal/finance"
	"github.com/feeledger/fees/cmd/fees/internal/pricing"
	"github.com/feeledger/fees/cmd/fees/internal/transactions"
	"github.com/feeledger/fees/cmd/fees/internal/walkthrough"
	"github.com/feeledger/fees/internal/console"
)

const manual = `fees gives the exact fees of a Moonbeam-like chain: of its EVM layer and of
its native layer, for each transaction and for each block, to the wei, and says
which rules they follow from.

It reads blocks from a node, from a block gateway (Substrate API Sidecar), from
a directory of recorded answers, or from the demo that is built in. fees sync,
follow and worker keep what they found in a ledger, a file or a PostgreSQL
database; the default is fees.db, --ledger or FEES_LEDGER names another.

Where blocks come from (--gateway, else FEES_GATEWAY, else GATEWAY_NODE_URL):
  http://127.0.0.1:8080   a gateway's URL, or a node's; this one is the default
  ws://127.0.0.1:9944     a node's URL: no gateway is needed
  ./recordings            a directory: blocks/25.json, multiplier/24.json, ...
  demo                    recorded blocks 3 to 27, nothing else needed

An address book, a CSV file of address, label, group and account, names
addresses in all that is shown: --labels, else FEES_ACCOUNTS, else accounts.csv
beside the ledger.

Output: data goes to standard output, all else to standard error. The table is
for people; json and csv are for programs, and have every amount in wei as a
decimal string. No amount is ever rounded. A table fits the terminal, and has
colours for what holds and what does not, unless NO_COLOR is set; in a file or a
pipe it is whole, without colours.

Exit codes:
    0  all is well
    1  shown, but something does not hold: a fee that no rule can determine, a
       fee that the chain did not charge like that, a check that is broken, or
       rules older than the runtime
    2  a wrong argument or flag, an unknown or conflicting network, a ledger of
       another chain or of later blocks
    3  the gateway: unreachable, no such block, not final yet, a malformed
       answer, a final block that does not follow the one in the ledger
    4  recordings or an archive that lack the block, or are damaged; a ledger
       that is not there, is damaged, or is written by another program; a disk
       that is full, a database whose connection is lost
  130  stopped with Ctrl-C`

const manualExamples = `  fees demo                               try a month's end, step by step
  fees block 25 --gateway demo            one recorded block, as a table
  fees block 24 --format json             one block of the gateway here
  fees block head --gateway https://HOST  the newest final block
  fees block 25 --gateway demo --format csv -o block25.csv
  fees watch                              each block as soon as it is final
  fees verify 3..27 --gateway demo        prove a range by the chain's records
  fees explain 25-7 --gateway demo        one fee like an invoice
  fees sync --month 2026-01               fill the ledger fees.db
  fees follow                             append each block as it is final
  fees worker --ledger postgres://HOST/D  fill a ledger with many machines
  fees report --month 2026-01             totals by day, account or contract
  fees serve                              the same in a browser, by month
  fees show 3-4                           what a hash, a label or a day is
  fees tx 3-4                             a transaction as the ledger has it
  fees account Payroll                    what the ledger knows of an account
  fees export --as hledger \
      --accounts group:company            fees of the ledger for accounting
  fees reconcile company.csv \
      --accounts group:company            a company's record beside the ledger
  fees statement Payroll                  prove what became of a balance
  fees rollforward --month 2026-01 \
      --accounts group:company            opening to closing, line by line
  fees ledger verify                      prove that nothing was altered
  fees close --month 2026-01 -o january \
      --accounts group:company            a month as a package, proved later
  fees networks                           the tables that blocks are priced by
  fees gateway spec 24                    what an endpoint of the gateway says
  fees node header --node ws://HOST       what a node says
  fees suggest --gateway demo             what to bid for gas, and why
  fees estimate --extrinsic 0x4d0284...   what a native extrinsic would cost
  fees tx build system.remark 0x01 \
      --hex --node ws://HOST              the call data of a transaction
  fees proof check FILE --root 0x --key 0x what a state proof proves
  fees archive record 25:+100 -o kept     keep a gateway's answers as evidence`

// run is the program: it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	screen := cli.NewScreen(stdout, stderr)
	root := newRoot(screen.Stdout, screen.Stderr)
	root.SetArgs(withHelp(args))
	c, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	if message := explainError(ctx, c, err); message != "" {
		fmt.Fprintln(screen.Stderr, "fees: "+console.Printable(message))
	}
	return exitCode(ctx, err)
}

// withHelp asks for the help where --help-all does.
func withHelp(args []string) []string {
	if i := slices.Index(args, "--"+cli.AllFlags); i >= 0 {
		return slices.Insert(slices.Clone(args), i, "--help")
	}
	return args
}

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:               "fees",
		Short:             "Exact fees of a Moonbeam-like chain",
		Long:              manual,
		Example:           manualExamples,
		Version:           cli.Version(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		Args:              cli.NoneOf("unknown command %q; fees help lists the commands"),
		RunE:              cli.ShowHelp,
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetVersionTemplate("{{.Version}}\n")
	cli.SetHelp(root)
	root.SetFlagErrorFunc(cli.FlagError)
	root.SetHelpCommand(newHelp(root))
	for _, family := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Price blocks, prove their fees:", pricing.Commands()},
		{"Keep a ledger:", bookkeeping.Commands()},
		{"Ask a ledger:", finance.Commands()},
		{"Gateways, nodes and archives:", endpoints.Commands()},
		{"Try it:", []*cobra.Command{walkthrough.New(run)}},
	} {
		root.AddGroup(&cobra.Group{ID: family.title, Title: family.title})
		for _, c := range family.commands {
			c.GroupID = family.title
			root.AddCommand(c)
		}
	}
	root.AddCommand(cli.NewVersion())
	tx, _, err := root.Find([]string{"tx"})
	if err != nil {
		panic(err) // it is one of them
	}
	tx.AddCommand(transactions.Commands()...)
	return root
}

// newHelp is the help command that knows when it was asked for what is not there. It also
// writes the whole manual: as one text, and as man pages.
func newHelp(root *cobra.Command) *cobra.Command {
	var all bool
	var pages string
	c := &cobra.Command{
		Use:   "help [command]",
		Short: "Explain fees, or one of its commands",
		Example: `  fees help report
  fees help --all                 every command with all of its flags, in one page
  fees help --man-pages man1      a man page for each command, for man -l man1/fees.1`,
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case all && pages != "":
				return errors.New("--all and --man-pages do not go together")
			case (all || pages != "") && len(args) > 0:
				return fmt.Errorf("--all and --man-pages are of every command: leave out %q", strings.Join(args, " "))
			case all:
				return cli.WriteHelp(root)
			case pages != "":
				return cli.WriteManPages(root, pages)
			}
			c, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("no command %q; fees help lists the commands", strings.Join(args, " "))
			}
			c.InitDefaultHelpFlag()
			c.InitDefaultVersionFlag()
			return c.Help()
		},
	}
	c.Flags().BoolVar(&all, "all", false, "the help of every command, with all flags, in one page")
	c.Flags().StringVar(&pages, "man-pages", "", "write a man page for each command into this directory")
	return c
}
