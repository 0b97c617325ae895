package pricing

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/source"
)

var blockManual = `Price one block: every transaction with its layer, type, payer, gas, gas price
and fee, and the totals by layer.

Name the block by height, by hash, or as "head", the newest final block. A
block that is not final is refused without --unfinalized.

An EVM fee is gas price x weight / weight per gas. A native fee is the amount
in the TransactionFeePaid event, including the tip. On runtimes without this
event, it is the amount withdrawn less the refund. The base fee and the weight
per gas depend on the network and on the runtime that executed the block; fees
networks lists them. If the gateway does not report the runtime, or with
--rules spec, the table in fee rule 6 of the specification applies.

fees compares each fee with what the chain charged according to its balance
events. The verdict is match, drift, cash only (no rule is independent of what
was charged) or no evidence.

fees also checks the block against its parent and the multiplier stored after
it. This reveals missing extrinsics. Checks that lack data are listed as notes.

A fee that no rule determines is listed as undetermined, with the reason, and
is left out of the totals. The exit code is 1 if a fee is undetermined or
differs from what was charged, or if another check failed.

The table shows the EVM hash of an EVM transaction and the extrinsic hash of a
native one; json and csv have both. With an address book, the table shows
labels of payers, and json and csv have labels next to addresses.

` + cli.LabelsManual

const blockExamples = `  fees block 25 --gateway demo
  fees block 24 --gateway http://127.0.0.1:8080 --format json
  fees block 0x8a6106317772a661efcdabc6803822782030b7d040428e9caf4f7dd8beceb75f --gateway demo
  fees block head --unfinalized
  fees block 24 --gateway ./gateway --format csv -o block24.csv
  fees block 20 --gateway demo --rules spec      with the specification's table`

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
		Args:              cli.Arg("a height, a hash or \"head\"", &f.which, source.ParseRef),
		ValidArgsFunction: cobra.FixedCompletions([]string{"head\tthe newest final block"}, cobra.ShellCompDirectiveNoFileComp),
	}, f.SourceFlags.AddHead, f.LabelFlags.Add, f.Forms("table", "json", "csv"), f.AddQuiet)
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if found := negative.FindStringSubmatch(err.Error()); found != nil {
			_, err := source.ParseRef(found[1])
			return err
		}
		return cli.FlagError(c, err)
	})
	c.Flags().BoolVar(&f.all, "all", false, "also list inherents, which pay no fee")
	c.Flags().BoolVar(&f.signatures, "signatures", true, "recover signers, and hashes of EVM transactions, from signatures")
	return c
}

// negative matches the flag library's error on an argument such as -1.
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
	item, report, err := app.PriceBlock(c.Context(), reader, f.which, f.signatures)
	stop()
	if err != nil {
		return err
	}
	if err := book.CheckChain(reader.Tables, item.Rules.Network); err != nil {
		return err
	}
	if f.all {
		report.AddInherents(item.Block)
	}
	err = f.Show(cli.Answer{
		JSON:    app.LabelledReport(report, book),
		CSV:     func(w io.Writer) error { return writeCSV(w, report, book) },
		Text:    func(page *console.Page) { writeTable(page, report, item.Rules, book) },
		Finding: !report.Holds(),
	})
	if f.Format == "csv" && (err == nil || errors.Is(err, cli.ErrFinding)) { // csv has no field for notes on the block
		for _, note := range blockNotes(report) {
			fmt.Fprintln(c.ErrOrStderr(), "fees: note: "+plain.Line(note))
		}
	}
	return err
}

// waiting shows after two seconds, at a terminal, which source the command is waiting for.
func waiting(c *cobra.Command, place string, quiet bool) (stop func()) {
	p := cli.NewProgress(c.ErrOrStderr(), "", quiet).Asked()
	timer := time.AfterFunc(2*time.Second, func() { p.Say("waiting for " + plain.Line(cli.ShownPlace(place))) })
	return func() {
		timer.Stop()
		p.End()
	}
}
