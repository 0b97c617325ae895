package pricing

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/network"
)

var watchManual = `Print each block's fees as soon as the block is final, until Ctrl-C. It starts
at the newest final block, or at --from. Every height is printed once, in
order, and each block must be the child of the one before.

With --node (or FEES_NODE, a WebSocket URL) the node announces final blocks;
otherwise the gateway is polled every --poll. Blocks always come from the
gateway, and only the gateway gets the API key.

Temporary failures are reported once on standard error and waited for: a
gateway or node that is down or fails, a spent quota, or a head that stalls or
goes back. After a wrong response, a web page or a refused key it retries 10
times within a minute. A chain other than the one printed so far ends the
command. So does the end of a directory, of the demo, or of a chain that its
network table lists as ended.

The table has one line per block: transactions by layer, fee, base fee and
failed checks. json has one object per line, as in fees block; csv has the rows
of fees block under one header. Other notes go to standard error. With an
address book, json and csv have labels next to addresses.

The exit code is 130 after Ctrl-C. If the command ends by itself, the exit code
is 1 if a check failed.

` + cli.LabelsManual

const watchExamples = `  fees watch                                           the gateway at http://127.0.0.1:8080
  fees watch --node ws://127.0.0.1:9944 --format json  heads from a node, output as JSON
  fees watch --from 24 --format csv >> fees.csv        start at a past block
  fees watch --gateway demo --from 3                   ends after block 27`

// watchFlags are the flags of fees watch.
type watchFlags struct {
	cli.SourceFlags
	cli.LabelFlags
	cli.Output
	cli.HeadFlags
	from string
}

func newWatch() *cobra.Command {
	var f watchFlags
	c := cli.New(&cobra.Command{
		Use: "watch", Short: "Price each block when it becomes final", Long: watchManual, Example: watchExamples, RunE: f.watch,
		Args: cli.NoneOf("fees watch takes no argument, got %q; pass a height with --from"),
	}, f.AddFinal, f.LabelFlags.Add, f.StdoutForms("table", "json", "csv"), f.HeadFlags.Add)
	c.Flags().StringVar(&f.from, "from", "", "start at this height (default: the newest final block)")
	return c
}

func (f *watchFlags) watch(c *cobra.Command, _ []string) error {
	stderr := c.ErrOrStderr()
	w := watcher{Output: f.Output, stderr: stderr}
	options, err := f.Options(&f.SourceFlags, stderr)
	if err != nil {
		return err
	}
	if options.From, err = cli.ParseFrom(f.from); err != nil {
		return err
	}
	if w.book, err = f.ReadBook(&cli.LedgerFlags{}, f.Quiet, stderr); err != nil {
		return err
	}
	reader, heads, closeHeads, err := f.HeadFlags.Open(&f.SourceFlags)
	if err != nil {
		return err
	}
	defer closeHeads()
	if !f.Quiet && cli.IsTerminal(stderr) {
		fmt.Fprintf(stderr, "fees: watching %s; press Ctrl-C to stop\n", plain.Line(cli.ShownPlace(f.Place())))
	}
	end, err := app.Watch(c.Context(), reader, heads, options, w.show)
	if err != nil {
		return err
	}
	if last, ended := end.Get(); ended {
		fmt.Fprintf(stderr, "fees: the chain ended at block %d\n", last)
	}
	return cli.Found(nil, w.finding)
}

// watcher prints one block after another.
type watcher struct {
	cli.Output
	book    *app.AddressBook
	stderr  io.Writer
	begun   bool     // the header was written
	narrow  bool     // the width does not fit all columns
	finding bool     // a check failed
	notes   []string // on the previous block
}

// show prints a block in one write.
func (w *watcher) show(r *evidence.Report, rules network.Rules) error {
	var text bytes.Buffer
	var err error
	switch w.Format {
	case "json":
		err = jsontext.WriteLine(&text, app.LabelledReport(r, w.book))
	case "csv":
		if !w.begun {
			err = writeCSVHeader(&text, w.book)
		}
		err = errors.Join(err, writeCSVRows(&text, r, w.book))
	default:
		if !w.begun {
			w.narrow = w.Width() < watchWidth
			w.writeHeader(&text, rules.Symbol)
		}
		w.writeLine(&text, r)
	}
	if err != nil {
		return err
	}
	if _, err := w.Stdout().Write(text.Bytes()); err != nil {
		return err
	}
	w.begun = true
	w.finding = w.finding || !r.Holds()
	switch w.Format {
	case "table": // its rows show undetermined fees
		w.noteOnce(r.Number, append(slices.Clone(r.Notes), findingNotes(r)...))
	case "csv":
		w.noteOnce(r.Number, blockNotes(r))
	}
	return nil
}

// noteOnce writes the notes on a block to standard error, except those that the previous block had too.
func (w *watcher) noteOnce(block uint64, notes []string) {
	for _, note := range notes {
		if !slices.Contains(w.notes, note) {
			fmt.Fprintf(w.stderr, "fees: block %d: note: %s\n", block, plain.Line(note))
		}
	}
	w.notes = notes
}

// The columns of the table, wide enough for today's blocks. Narrow output has only time and fee.
const (
	watchWidth  = 80
	watchHeader = "%8s %-24s %4s %6s %21s %12s\n"
	watchLine   = "%8d %-24s %4d %6d %21s %12s"
)

func (w *watcher) writeHeader(out io.Writer, symbol string) {
	fee := "fee " + cli.Name(symbol, maxSymbol)
	if w.narrow {
		fmt.Fprintf(out, "%8s %-24s %21s\n", "block", "time", fee)
		return
	}
	fmt.Fprintf(out, watchHeader, "block", "time", "evm", "native", fee, "base Gwei")
}

// maxSymbol limits a token's symbol in a header, in characters.
const maxSymbol = 12

func (w *watcher) writeLine(out io.Writer, r *evidence.Report) {
	base := ""
	if price, ok := r.BaseFeePerGas.Get(); ok {
		base = console.Plain(console.Gwei(price))
	}
	flags := ""
	if n := r.Totals.Undetermined; n > 0 {
		flags += fmt.Sprintf("  incomplete, %d undetermined", n)
	}
	if n := r.Totals.Drift; n > 0 {
		flags += fmt.Sprintf("  DRIFT, %d fees", n)
	}
	if n := len(r.Findings) - r.Totals.Drift; n > 0 {
		flags += "  " + console.Counted(n, "failed check")
	}
	if !r.Proved() {
		flags += "  rules not certain"
	}
	fee := app.ReportToken(r).Tokens(r.Totals.Fee)
	if w.narrow {
		fmt.Fprintf(out, "%8d %-24s %21s\n", r.Number, console.Known(r.Time), fee)
		if flags != "" { // failures go on the next line
			fmt.Fprintln(out, "        "+flags)
		}
		return
	}
	fmt.Fprintf(out, watchLine+"%s\n", r.Number, console.Known(r.Time), r.Totals.EVM, r.Totals.Native, fee, base, flags)
}
