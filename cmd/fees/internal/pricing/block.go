package pricing

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

var blockManual = `Price one block: every transaction with its layer, type, payer, gas, gas price
and fee, and the totals by layer.

The block is named by its height, by its hash, or as head, which is the newest
final one. A block that is not final yet is refused without --unfinalized.

The fee of an EVM transaction is gas price × weight / the weight of one gas;
that of a native one is what the chain recorded as paid, tip included. Which
base fee applies, and what one gas weighs, depends on the network and on the
runtime that executed the block: fees networks shows the tables. Where the gateway cannot name the runtime, or with
--rules spec, the specification's own table applies.

Beside each fee stands whether the chain charged just that, by its own balance
events: match, drift, cash only (there is no independent rule) or no evidence.
Fees that were not charged like that make the exit code 1.

The block is also compared with its parent and with the multiplier that it left
behind, so that extrinsics that are missing are found. A failed check makes the
exit code 1. A comparison that the gateway has no answer for is a note.

A transaction that no rule can price is listed as undetermined with the reason,
stays out of the totals, and makes the exit code 1.

The table shows the EVM's hash for an EVM transaction and the extrinsic's for a
native one; json and csv have both.

` + cli.LabelsManual + `
With it, the table
has the payer's label, and json and csv have labels beside the addresses.`

const blockExamples = `  fees block 25 --gateway demo
  fees block 24 --gateway http://127.0.0.1:8080 --format json
  fees block 0x8a6106317772a661efcdabc6803822782030b7d040428e9caf4f7dd8beceb75f --gateway demo
  fees block head --unfinalized
  fees block 24 --gateway ./gateway --format csv -o block24.csv
  fees block 20 --gateway demo --rules spec       by the specification's table`

// blockFlags are the flags of fees block.
type blockFlags struct {
	cli.SourceFlags
	cli.LabelFlags
	cli.Output
	all        bool
	signatures bool
	quiet      bool
}

func newBlock(stdout, stderr io.Writer) *cobra.Command {
	flags := blockFlags{Output: cli.Output{Stdout: stdout}}
	c := &cobra.Command{
		Use:     "block <height|hash|head>",
		Short:   "Price one block",
		Long:    blockManual,
		Example: blockExamples,
		Args:    cli.OneArg("one block: a height, a hash or head"),
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
		return cli.FlagError(c, err)
	})
	flags.SourceFlags.Add(c)
	flags.LabelFlags.Add(c)
	flags.Output.Add(c, "table", "json", "csv")
	c.Flags().BoolVar(&flags.all, "all", false, "list the inherents too, which pay no fee")
	c.Flags().BoolVar(&flags.signatures, "signatures", true, "recover the signer of every transaction too, and the hash of EVM ones")
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
	reader, err := flags.Reader()
	if err != nil {
		return err
	}
	if err := flags.Output.Check(); err != nil {
		return err
	}
	book, err := flags.LabelFlags.ReadBook(&cli.LedgerFlags{}, flags.quiet, stderr)
	if err != nil {
		return err
	}
	stop := waiting(stderr, flags.Place(), flags.quiet)
	item, err := reader.Read(ctx, ref)
	stop()
	if err != nil {
		return err
	}
	report, _ := prove.Single(ctx, reader, item, evidence.Options{Signatures: flags.signatures})
	if flags.all {
		report.AddInherents(item.Block)
	}
	if err := flags.Output.Write(func(w io.Writer) error {
		switch flags.Format {
		case "json":
			return jsontext.Write(w, app.LabelledReport(report, book))
		case "csv":
			return writeCSV(w, report, book)
		}
		return writeTable(w, report, item.Rules, book, flags.Width())
	}); err != nil {
		return err
	}
	if flags.Format == "csv" { // which has no place for what concerns the block
		for _, note := range blockNotes(report) {
			fmt.Fprintln(stderr, "fees: note: "+console.Printable(note))
		}
	}
	if !report.Holds() {
		return cli.ErrFinding
	}
	return nil
}

// waiting tells a person at a terminal, after two seconds, what takes so long.
func waiting(stderr io.Writer, place string, quiet bool) (stop func()) {
	p := cli.NewProgress(stderr, "", quiet).Asked()
	timer := time.AfterFunc(2*time.Second, func() { p.Say("waiting for " + console.Printable(cli.ShownPlace(place))) })
	return func() {
		timer.Stop()
		p.End()
	}
}
