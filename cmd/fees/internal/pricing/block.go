package pricing

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
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
	cli.QuietFlag
	which      source.Ref
	all        bool
	signatures bool
}

func newBlock() *cobra.Command {
	var f blockFlags
	c := cli.New(&cobra.Command{
		Use: "block <height|hash|head>", Short: "Price one block", Long: blockManual, Example: blockExamples, RunE: f.price,
		Args:              cli.Arg("one block: a height, a hash or head", &f.which, source.ParseRef),
		ValidArgsFunction: cobra.FixedCompletions([]string{"head\tthe newest final block"}, cobra.ShellCompDirectiveNoFileComp),
	}, f.SourceFlags.Add, f.LabelFlags.Add, f.Forms("table", "json", "csv"), f.AddQuiet)
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if found := negative.FindStringSubmatch(err.Error()); found != nil {
			_, err := source.ParseRef(found[1])
			return err
		}
		return cli.FlagError(c, err)
	})
	c.Flags().BoolVar(&f.all, "all", false, "list the inherents too, which pay no fee")
	c.Flags().BoolVar(&f.signatures, "signatures", true, "recover the signer of every transaction too, and the hash of EVM ones")
	return c
}

// negative finds the argument in the flag library's message on -1.
var negative = regexp.MustCompile(`^unknown shorthand flag: '[0-9]' in (-[0-9]+)$`)

func (f *blockFlags) price(c *cobra.Command, _ []string) error {
	reader, err := f.Reader()
	if err != nil {
		return err
	}
	book, err := f.ReadBook(&cli.LedgerFlags{}, f.Quiet, c.ErrOrStderr())
	if err != nil {
		return err
	}
	stop := waiting(c, f.Place(), f.Quiet)
	item, err := reader.Read(c.Context(), f.which)
	stop()
	if err != nil {
		return err
	}
	report, _ := prove.Single(c.Context(), reader, item, evidence.Options{Signatures: f.signatures})
	if f.all {
		report.AddInherents(item.Block)
	}
	err = f.Show(cli.Answer{
		JSON:    app.LabelledReport(report, book),
		CSV:     func(w io.Writer) error { return writeCSV(w, report, book) },
		Text:    func(page *console.Page) { writeTable(page, report, item.Rules, book) },
		Finding: !report.Holds(),
	})
	if f.Format == "csv" && (err == nil || errors.Is(err, cli.ErrFinding)) { // which has no place for what concerns the block
		for _, note := range blockNotes(report) {
			fmt.Fprintln(c.ErrOrStderr(), "fees: note: "+console.Printable(note))
		}
	}
	return err
}

// waiting tells a person at a terminal, after two seconds, what takes so long.
func waiting(c *cobra.Command, place string, quiet bool) (stop func()) {
	p := cli.NewProgress(c.ErrOrStderr(), "", quiet).Asked()
	timer := time.AfterFunc(2*time.Second, func() { p.Say("waiting for " + console.Printable(cli.ShownPlace(place))) })
	return func() {
		timer.Stop()
		p.End()
	}
}
