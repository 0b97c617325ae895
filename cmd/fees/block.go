package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/archive/demo"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

const blockManual = `Price one block: every transaction with its layer, type, payer, gas, gas price
and fee, and the totals by layer.

The block is named by its height, by its hash, or as head, which is the newest
final one. A block that is not final yet is refused without --unfinalized.

The fee of an EVM transaction is gas price × weight / 25000; that of a native
one is what the chain recorded as paid, tip included. Which base fee applies
depends on the network and on the runtime that executed the block: fees
networks shows the tables. Where the gateway cannot name the runtime, or with
--rules spec, the specification's own table applies.

A transaction that no rule can price is listed as undetermined with the reason,
stays out of the totals, and makes the exit code 1.

The table shows the EVM's hash for an EVM transaction and the extrinsic's for a
native one; json and csv have both.`

const blockExamples = `  fees block 25 --gateway demo
  fees block 11728459 --gateway http://127.0.0.1:8080 --format json
  fees block 0x8a6106317772a661efcdabc6803822782030b7d040428e9caf4f7dd8beceb75f --gateway demo
  fees block head --unfinalized
  fees block 25 --gateway ./recordings --format csv -o block25.csv
  fees block 25 --gateway demo --rules spec       by the specification's table`

// blockFlags are the flags of fees block.
type blockFlags struct {
	sourceFlags
	output
	all   bool
	quiet bool
}

func newBlock(stdout, stderr io.Writer) *cobra.Command {
	flags := blockFlags{output: output{stdout: stdout}}
	c := &cobra.Command{
		Use:     "block <height|hash|head>",
		Short:   "Price one block",
		Long:    blockManual,
		Example: blockExamples,
		Args:    oneArg("one block: a height, a hash or head"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"head\tthe newest final block"}, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			return priceBlock(c.Context(), args[0], flags, stderr)
		},
	}
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if found := negative.FindStringSubmatch(err.Error()); found != nil {
			_, err := source.ParseRef(found[1])
			return err
		}
		return flagError(c, err)
	})
	flags.sourceFlags.add(c)
	flags.output.add(c, "table", "json", "csv")
	c.Flags().BoolVar(&flags.all, "all", false, "list the inherents too, which pay no fee")
	c.Flags().BoolVar(&flags.quiet, "quiet", false, "no progress on standard error")
	return c
}

// negative finds the argument in the flag library's message on -1.
var negative = regexp.MustCompile(`^unknown shorthand flag: '[0-9]' in (-[0-9]+)$`)

func priceBlock(ctx context.Context, name string, flags blockFlags, stderr io.Writer) error {
	ref, err := source.ParseRef(name)
	if err != nil {
		return err
	}
	reader, err := flags.reader()
	if err != nil {
		return err
	}
	if err := flags.output.check(); err != nil {
		return err
	}
	stop := waiting(stderr, flags.place(), flags.quiet)
	item, err := reader.Read(ctx, ref)
	stop()
	if err != nil {
		return err
	}
	report := fee.Price(item.Block, item.Rules, item.Multiplier)
	if flags.all {
		report.Transactions = append(report.Transactions, fee.Inherents(item.Block)...)
		slices.SortFunc(report.Transactions, func(a, b fee.Transaction) int { return a.Index - b.Index })
	}
	if err := flags.output.write(func(w io.Writer) error {
		switch flags.format {
		case "json":
			return writeJSON(w, report)
		case "csv":
			return writeCSV(w, report)
		}
		return writeTable(w, report, item.Rules, flags.width())
	}); err != nil {
		return err
	}
	if flags.format == "csv" { // which has no place for what concerns the block
		for _, note := range blockNotes(report) {
			fmt.Fprintln(stderr, "fees: note: "+printable(note))
		}
	}
	if !report.Holds() {
		return errFinding
	}
	return nil
}

// waiting tells a person at a terminal, after two seconds, what takes so long.
func waiting(stderr io.Writer, place string, quiet bool) (stop func()) {
	if quiet || !isTerminal(stderr) {
		return func() {}
	}
	timer := time.AfterFunc(2*time.Second, func() {
		fmt.Fprintf(stderr, "fees: waiting for %s\n", printable(withoutPassword(place)))
	})
	return func() { timer.Stop() }
}

// sourceFlags say where blocks come from and what prices them.
type sourceFlags struct {
	gateway      string
	network      string
	networkFile  string
	rules        string
	multiplierAt string
	unfinalized  bool
}

func (f *sourceFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.gateway, "gateway", "", "where blocks come from: a gateway's URL, a directory of recordings, or demo (default: FEES_GATEWAY, else "+defaultGateway+")")
	flags.StringVar(&f.network, "network", "", "the network, where the gateway does not tell; an error if it tells another")
	flags.StringVar(&f.networkFile, "network-file", "", "a file with network tables of your own, as fees networks --format json prints them")
	flags.StringVar(&f.rules, "rules", "auto", "auto: the rules of the runtime that executed the block; spec: the specification's own table")
	flags.StringVar(&f.multiplierAt, "multiplier-at", "", "use the multiplier stored at the block or at its parent, whatever the rules say (block, parent)")
	flags.BoolVar(&f.unfinalized, "unfinalized", false, "accept a block that is not final; head is then the newest of all")
	complete(c, "gateway", demo.Name)
	complete(c, "network", network.BuiltIn().Names()...)
	complete(c, "rules", "auto", "spec")
	complete(c, "multiplier-at", "block", "parent")
}

func complete(c *cobra.Command, flag string, values ...string) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveDefault)); err != nil {
		panic(err) // the flag does not exist
	}
}

// defaultGateway is the gateway's own default address.
const defaultGateway = "http://127.0.0.1:8080"

// place is what the flag says, or the environment, or the default.
func (f *sourceFlags) place() string {
	for _, place := range []string{f.gateway, os.Getenv("FEES_GATEWAY")} {
		if place != "" {
			return place
		}
	}
	return defaultGateway
}

// reader checks the flags and opens the source.
func (f *sourceFlags) reader() (*source.Reader, error) {
	if withoutPassword(f.gateway) != f.gateway {
		return nil, errors.New("--gateway: a user name or password in an argument can be seen by others on this machine: put the URL in FEES_GATEWAY in the environment")
	}
	if f.rules != "auto" && f.rules != "spec" {
		return nil, fmt.Errorf("--rules %q: want auto or spec", f.rules)
	}
	at := network.MultiplierAt(f.multiplierAt)
	if at != "" && at != network.AtBlock && at != network.AtParent {
		return nil, fmt.Errorf("--multiplier-at %q: want block or parent", f.multiplierAt)
	}
	tables, err := loadTables(f.networkFile)
	if err != nil {
		return nil, err
	}
	src, err := source.Open(f.place())
	if err != nil {
		return nil, err
	}
	return &source.Reader{
		Source:        src,
		Tables:        tables,
		Network:       f.network,
		Specification: f.rules == "spec",
		MultiplierAt:  at,
		Unfinalized:   f.unfinalized,
	}, nil
}

// withoutPassword is a URL without its user name and password; any other text
// stays as it is.
func withoutPassword(place string) string {
	if !strings.Contains(place, "@") {
		return place
	}
	u, err := url.Parse(place)
	if err != nil || u.User == nil {
		return place
	}
	u.User = nil
	return u.String()
}
