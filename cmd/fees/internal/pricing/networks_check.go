package pricing

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/source"
)

const networksCheckManual = `Price a range with your own network table, verify the fees against what the
chain recorded, and report on each row of the table:

  proved        every check of the row passed
  contradicted  a check failed: the row is wrong for these blocks
  not checked   the range has blocks of the row's runtimes, but they prove nothing
  no block      the range has no block of the row's runtimes

A base fee is proved by transactions whose price depends on it. A multiplier
row is proved only while the multiplier is between its minimum and its maximum,
since many rules lead to these. The treasury's account and its parameter are
checked with the destinations. Native fees need a node (--node): only a node
has the length of extrinsics.

A range is A..B (inclusive) or A:+N (N blocks, starting at A). Without one, all
blocks of a directory are checked, or the newest 100 final blocks of a gateway.
Choose a range with many transactions, both native and EVM, some with a
priority fee.

The exit code is 1 if a row is contradicted or a fee is undetermined, and 3 if
a request that a row depends on was not answered.`

const networksCheckExamples = `  fees networks check mine.json --gateway http://127.0.0.1:8080
  fees networks check mine.json 120000:+500 --gateway http://127.0.0.1:8080 --node ws://127.0.0.1:9944
  fees networks check mine.json --gateway ./recordings --network mine`

// networksCheckFlags are the flags of fees networks check.
type networksCheckFlags struct {
	cli.SourceFlags
	cli.Output
	cli.QuietFlag
}

func newNetworksCheck() *cobra.Command {
	var f networksCheckFlags
	c := cli.New(&cobra.Command{
		Use: "check <file> [A..B|A:+N]", Short: "Check a network table against a chain's blocks",
		Long: networksCheckManual, Example: networksCheckExamples, RunE: f.check,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return fmt.Errorf("fees networks check needs a file and optionally a range, got %d arguments; see fees networks check --help", len(args))
			}
			return nil
		},
	}, f.AddFinal, f.Forms("table", "json"), f.Concurrent, describeNode, f.AddQuiet)
	if err := c.Flags().MarkHidden("network-file"); err != nil {
		panic(err) // the flag does not exist
	}
	return c
}

func (f *networksCheckFlags) check(c *cobra.Command, args []string) error {
	f.NetworkFile = args[0]
	reader, err := f.Reader()
	if err != nil {
		return err
	}
	var blocks chain.Heights
	if len(args) == 2 {
		blocks, err = source.ParseRange(args[1])
	} else {
		blocks, err = app.TableRange(c.Context(), reader)
	}
	if err != nil {
		return err
	}
	e := app.Examination{Reader: reader, Concurrency: f.Concurrency, Signatures: true}
	done, err := addNode(c.Context(), &f.SourceFlags, &e, false)
	if err != nil {
		return err
	}
	defer done()
	p := f.Progress(c, "blocks")
	check, err := app.CheckTable(c.Context(), blocks, e, app.Progress{Show: p.Show, End: p.End})
	if errors.Is(err, app.ErrNoTable) {
		return fmt.Errorf("%s: %w; name a network of the file with --network", plain.Line(f.NetworkFile), err)
	}
	if err != nil {
		return err
	}
	err = f.Show(cli.Answer{JSON: tableCheckRecord(check), Text: func(p *console.Page) { writeTableCheck(p, check) }, Finding: !check.Holds()})
	return cmp.Or(err, notAnswered(check.Unanswered))
}

// notAnswered returns an error if n > 0 requests were not answered.
func notAnswered(n int) error {
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%s %s %w", console.Counted(n, "request"), console.Verb(n, "was", "were"), app.ErrUnanswered)
}

// tableCheckRecord returns the result as JSON.
func tableCheckRecord(c *app.TableCheck) cli.Record {
	rows := []cli.Record{}
	for i := range c.Rows {
		r := &c.Rows[i]
		rows = append(rows, cli.Record{
			{"list", r.List}, {"from_runtime", r.From}, {"verdict", r.Verdict()},
			{"blocks", r.Blocks}, {"held", r.Held}, {"broken", r.Broken}, {"why", r.WhyNot()}, {"first", r.First},
		})
	}
	return cli.Record{
		{"network", c.Network.Name}, {"file", c.Network.File}, {"first", c.Blocks.First}, {"last", c.Blocks.Last}, {"holds", c.Holds()},
		{"rows", rows}, {"other_findings", c.Others}, {"first_other", c.FirstOther},
		{"undetermined", c.Undetermined}, {"unanswered", c.Unanswered}, {"first_unanswered", c.FirstUnanswered},
	}
}

// rowVerdicts names the verdicts for people.
var rowVerdicts = map[app.RowVerdict]string{
	app.RowProved: "proved", app.RowContradicted: "contradicted", app.RowUnchecked: "not checked", app.RowUnseen: "no block",
}

func writeTableCheck(out *console.Page, c *app.TableCheck) {
	out.Line(fmt.Sprintf("%s from %s, checked with blocks %v", c.Network.Name, c.Network.File, c.Blocks), 2)
	out.WriteString("\n")
	rows := console.NewTable(
		console.Column{Name: "list"}, console.Column{Name: "from", Right: true}, console.Column{Name: "verdict", Verdict: true},
		console.Column{Name: "blocks", Right: true, Drop: 1}, console.Column{Name: "passed", Right: true, Drop: 1}, console.Column{Name: "failed", Right: true, Broken: true},
	)
	for i := range c.Rows {
		r := &c.Rows[i]
		rows.Row(r.List, r.From, rowVerdicts[r.Verdict()], r.Blocks, r.Held, r.Broken)
	}
	out.Table(rows)
	out.WriteString("\n")
	counts := map[app.RowVerdict]int{}
	for i := range c.Rows {
		r := &c.Rows[i]
		counts[r.Verdict()]++
		switch {
		case r.First != nil:
			out.Line(fmt.Sprintf("%s from %d: %v", r.List, r.From, r.First), 2)
		case r.Verdict() == app.RowUnchecked:
			out.Line(fmt.Sprintf("%s from %d: %s", r.List, r.From, r.WhyNot()), 2)
		}
	}
	if c.Others > 0 {
		out.Line(fmt.Sprintf("other findings: %d; first: %v", c.Others, c.FirstOther), 2)
	}
	if c.Undetermined > 0 {
		out.Line(console.Counted(c.Undetermined, "fee")+" "+console.Verb(c.Undetermined, "is", "are")+" undetermined", 2)
	}
	if c.Unanswered > 0 {
		out.Line(unanswered(c.Unanswered, c.FirstUnanswered), 2)
	}
	out.Line(fmt.Sprintf("%s: %d proved, %d contradicted, %d not checked, %d without a block", console.Counted(len(c.Rows), "row"),
		counts[app.RowProved], counts[app.RowContradicted], counts[app.RowUnchecked], counts[app.RowUnseen]), 2)
}
