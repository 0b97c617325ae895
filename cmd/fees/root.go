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
	"github.com/feeledger/fees/internal/sys/plain"
)

// overview is the first screen of help: what people type first, by what they want to do.
const overview = `Exact transaction fees for Moonbeam-style chains: EVM and native, to the wei,
with the rule behind every figure.`

const topics = `Sources (--gateway, else FEES_GATEWAY, else GATEWAY_NODE_URL):
  http://127.0.0.1:8080   the URL of a gateway or node; this one is the default
  ws://127.0.0.1:9944     the URL of a node: no gateway is needed
  ./march                 an archive, created with fees archive record
  ./recordings            a directory of recorded responses: blocks/25.json,
                          multiplier/24.json, ...
  demo                    built-in recorded blocks 3 to 27

Ledger: fees sync, follow and worker store priced blocks in a ledger, a file or
a PostgreSQL database. Other commands read it. It is the one named by --ledger,
else by FEES_LEDGER, else fees.db in the current directory.

Address book: a CSV file with columns address, label, group, account. It labels
addresses in every output. fees uses --labels, then FEES_ACCOUNTS, then
accounts.csv beside the ledger.

Ranges: A..B (inclusive) or A:+N (N blocks, starting at A).

Output: data goes to standard output, messages to standard error. Tables are
for people: they fit the terminal and use colours, unless NO_COLOR is set. In a
file or a pipe, tables are complete and have no colours. json and csv are for
programs; every amount is in wei, as a decimal string. fees never rounds an
amount of tokens, only values in a currency. A spreadsheet rounds the token
amounts of an xlsx file, but not its wei amounts.

Pipes: fees reconcile - reads your record from standard input, and -o - writes
to standard output. On Unix, the other flags for files, such as --prices, take
/dev/stdin.

Exit codes:
    0  success
    1  success, but a check failed: a fee is undetermined, a fee differs from
       what the chain charged, or the rules are older than the runtime
    2  wrong argument or flag, unknown or conflicting network, or a ledger of
       another chain or of later blocks
    3  gateway, node or time-stamping authority: unreachable, block not found
       or not final, malformed response, or a final block that does not follow
       the ledger's last one
    4  archive, ledger or close package: missing, incomplete, damaged or in
       use by another program; also a full disk or a lost database connection
  130  stopped with Ctrl-C`

const manualExamples = `  fees demo                               try a month end, step by step
  fees block 25 --gateway demo            price a recorded block
  fees block 24 --format json             price a block from the local gateway
  fees block head --gateway https://HOST  price the newest final block
  fees block 25 --gateway demo --format csv -o block25.csv
  fees watch                              price each block when it is final
  fees verify 3..27 --gateway demo        verify a range against the chain
  fees explain 25-7 --gateway demo        explain one fee, step by step
  fees sync --month 2026-01               fill the ledger fees.db
  fees follow                             append each block when it is final
  fees worker --ledger postgres://HOST/D  fill a ledger from many machines
  fees report --month 2026-01             total fees by day
  fees serve                              open the ledger in a browser
  fees show 3-4                           look up a hash, a label or a day
  fees tx 3-4                             show a transaction of the ledger
  fees account Payroll                    summarise an account
  fees export --as hledger \
      --accounts group:company            write fees for accounting software
  fees reconcile company.csv \
      --accounts group:company            compare your own record
  fees statement Payroll                  check an account's balance
  fees rollforward --month 2026-01 \
      --accounts group:company            reconcile opening to closing balances
  fees ledger verify                      check that nothing was altered
  fees close --month 2026-01 -o january \
      --accounts group:company            create a month's close package
  fees networks                           list the network tables
  fees gateway spec 24                    query a gateway endpoint
  fees node header --node ws://HOST       query a node
  fees suggest --gateway demo             suggest gas prices
  fees estimate --extrinsic 0x4d0284...   estimate the fee of an extrinsic
  fees tx build system.remark 0x01 \
      --hex --node ws://HOST              build the call data of a transaction
  fees proof check FILE --root 0x --key 0x check a state proof
  fees archive record 25:+100 -o kept     record responses as evidence`

// run runs the program and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	screen := cli.NewScreen(stdout, stderr)
	root := newRoot(screen.Stdout, screen.Stderr)
	root.SetArgs(withHelp(args))
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		cli.RegisterCompletions(root)
	}
	c, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	if message := explainError(ctx, c, err); message != "" {
		message = plain.Line(strings.ReplaceAll(message, "\n", "; ")) // joined errors have one line each
		if !strings.HasPrefix(message, root.Name()+" ") {             // a message about a command starts with its path
			message = "fees: " + message
		}
		fmt.Fprintln(screen.Stderr, message)
	}
	return exitCode(ctx, err)
}

// withHelp adds --help where --help-all is given.
func withHelp(args []string) []string {
	if i := slices.Index(args, "--"+cli.AllFlags); i >= 0 {
		return slices.Insert(slices.Clone(args), i, "--help")
	}
	return args
}

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:               "fees",
		Short:             "Exact transaction fees for Moonbeam-style chains",
		Long:              overview + "\n\n" + topics,
		Example:           manualExamples,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		Args:              cli.NoneOf("unknown command %q; fees help lists the commands"),
		RunE:              cli.ShowHelp,
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	cli.AddVersionFlag(root)
	cli.SetHelp(root, overview)
	root.SetFlagErrorFunc(cli.FlagError)
	root.SetHelpCommand(newHelp(root))
	families := []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Try it", []*cobra.Command{walkthrough.New(run)}},
		{"Price and verify fees", pricing.Commands()},
		{"Keep a ledger", bookkeeping.Commands()},
		{"Report and close", finance.Commands()},
		{cli.MoreCommands, slices.Concat(finance.MoreCommands(), endpoints.Commands(), []*cobra.Command{cli.NewVersion()})},
	}
	for _, family := range families {
		root.AddGroup(&cobra.Group{ID: family.title, Title: family.title + ":"})
		for _, c := range family.commands {
			c.GroupID = family.title
			root.AddCommand(c)
		}
	}
	tx, _, err := root.Find([]string{"tx"})
	if err != nil {
		panic(err) // finance.Commands contains it
	}
	tx.AddCommand(transactions.Commands()...)
	cli.RefusePipes(root)
	return root
}

// newHelp returns the help command. It also writes the complete manual, as one text or as man pages.
func newHelp(root *cobra.Command) *cobra.Command {
	var all bool
	var pages string
	c := &cobra.Command{
		Use:   "help [command|topics]",
		Short: "Show help for fees or for one of its commands",
		Example: `  fees help report
  fees help topics                sources, ledger, output, exit codes, examples
  fees help --all                 every command with all flags, as one text
  fees help --man-pages man1      a man page per command: man -l man1/fees.1`,
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case all && pages != "":
				return errors.New("--all and --man-pages cannot be combined; leave out one of them")
			case (all || pages != "") && len(args) > 0:
				return fmt.Errorf("--all and --man-pages cover every command; leave out %q", strings.Join(args, " "))
			case all:
				return cli.WriteHelp(root)
			case pages != "":
				return cli.WriteManPages(root, pages)
			case len(args) == 1 && args[0] == "topics":
				return cli.WriteTopics(root, topics+"\n\nExamples:\n"+manualExamples)
			}
			c, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("unknown command %q; fees help lists the commands", strings.Join(args, " "))
			}
			c.InitDefaultHelpFlag()
			c.InitDefaultVersionFlag()
			return c.Help()
		},
	}
	c.Flags().BoolVar(&all, "all", false, "show the help of every command, with all flags")
	c.Flags().StringVar(&pages, "man-pages", "", "write a man page for each command into this directory")
	return c
}
