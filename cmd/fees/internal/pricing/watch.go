package pricing

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source/prove"
)

var watchManual = `Print each block's fees as soon as it is final, until Ctrl-C: from the newest
final block on, or from the height that --from names, which may be long past.
Every height is printed once, in order, and each block must be the parent of the
next.

With --node (or FEES_NODE), a WebSocket, the node tells when a block is final;
otherwise the gateway is asked for its head every --poll. Blocks come from the
gateway either way. The API key is the gateway's: the node does not get it.

What passes is waited for, however long it takes, and said on standard error once:
a gateway or a node that is gone or fails, a spent quota, a head that stands still or
goes back. After a wrong answer, a web page or a refused key, it asks 10 times within
a minute; a chain that is not the one that was printed so far ends it. A directory and
the demo have an end, and so has watching them, and a chain that has ended, as its
table says.

The table has a line for each block: its transactions of both layers, what they
paid, the base fee, and failed checks. json is one object a line, as fees
block gives it; csv has the lines of fees block, below one header. Notes on a
block go to standard error where the form has no place for them.

` + cli.LabelsManual + `
With it, json and csv
have labels beside the addresses.

The exit code is 130 after Ctrl-C. Where watching ends by itself, it is 1 if
something did not hold.`

const watchExamples = `  fees watch                                           the gateway at http://127.0.0.1:8080
  fees watch --node ws://127.0.0.1:9944 --format json  told by the node, for a program
  fees watch --from 24 --format csv >> fees.csv        from a past block on
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
		Use: "watch", Short: "Price blocks as they become final", Long: watchManual, Example: watchExamples, RunE: f.watch,
		Args: cli.NoneOf("watch takes no argument, and has %q: --from names a height; fees watch --help explains"),
	}, f.AddFinal, f.LabelFlags.Add, f.StdoutForms("table", "json", "csv"), f.HeadFlags.Add)
	c.Flags().StringVar(&f.from, "from", "", "begin at this height (default: the newest final block)")
	return c
}

func (f *watchFlags) watch(c *cobra.Command, _ []string) error {
	stderr := c.ErrOrStderr()
	w := watcher{Output: f.Output, stderr: stderr}
	options, err := f.Options(stderr)
	if err != nil {
		return err
	}
	if options.From, err = cli.ParseFrom(f.from); err != nil {
		return err
	}
	if w.book, err = f.ReadBook(&cli.LedgerFlags{}, f.Quiet, stderr); err != nil {
		return err
	}
	reader, heads, end, err := f.HeadFlags.Open(&f.SourceFlags)
	if err != nil {
		return err
	}
	defer end()
	if !f.Quiet && cli.IsTerminal(stderr) {
		fmt.Fprintf(stderr, "fees: watching %s; Ctrl-C ends it\n", console.Printable(cli.ShownPlace(f.Place())))
	}
	var last uint64
	ended := false
	prover := prove.Prover{Reader: reader}
	for x, err := range prover.Follow(c.Context(), heads, options, chain.Optional[evidence.Predecessor]{}) {
		if err != nil {
			if w.begun {
				return &httpclient.InterruptedError{Next: last + 1, Err: err}
			}
			return err
		}
		x.Report.Notes = append(x.Report.Notes, x.Report.Uncompared()...)
		if err := w.show(x.Report, x.Rules); err != nil {
			return err
		}
		last, ended = x.Report.Number, x.Rules.Ends(x.Report.Number)
	}
	if ended {
		fmt.Fprintf(stderr, "fees: the chain has ended with block %d: nothing is left to watch\n", last)
	}
	return cli.Found(nil, w.finding)
}

// watcher prints block after block.
type watcher struct {
	cli.Output
	book    *app.AddressBook
	stderr  io.Writer
	begun   bool     // the header is there
	narrow  bool     // there is no room for all columns
	finding bool     // something did not hold
	notes   []string // of the block before
}

// show prints a block, the whole of it at once.
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
	case "table": // whose lines say what is undetermined
		w.tell(r.Number, append(slices.Clone(r.Notes), findingNotes(r)...))
	case "csv":
		w.tell(r.Number, blockNotes(r))
	}
	return nil
}

// tell writes what concerns a block as a whole to standard error, where the block
// before did not have it too.
func (w *watcher) tell(block uint64, notes []string) {
	for _, note := range notes {
		if !slices.Contains(w.notes, note) {
			fmt.Fprintf(w.stderr, "fees: block %d: note: %s\n", block, console.Printable(note))
		}
	}
	w.notes = notes
}

// The columns of the table: so wide for the blocks that there are. Figures that are wider move
// those behind them. A narrow terminal has the time and the fee alone.
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

// maxSymbol is how long a token's name may be in a header.
const maxSymbol = 12

func (w *watcher) writeLine(out io.Writer, r *evidence.Report) {
	base := ""
	if price, ok := r.BaseFeePerGas.Get(); ok {
		base = console.Plain(console.Gwei(price))
	}
	flags := ""
	if n := r.Totals.Undetermined; n > 0 {
		flags += fmt.Sprintf("  INCOMPLETE, %d undetermined", n)
	}
	if n := r.Totals.Drift; n > 0 {
		flags += fmt.Sprintf("  DRIFT, %d of the fees", n)
	}
	if n := len(r.Findings) - r.Totals.Drift; n > 0 {
		flags += "  " + console.Counted(n, "failed check")
	}
	if !r.Proved() {
		flags += "  rules not certain"
	}
	fee := console.Tokens(r.Totals.Fee)
	if w.narrow {
		fmt.Fprintf(out, "%8d %-24s %21s\n", r.Number, cli.Known(r.Time), fee)
		if flags != "" { // what does not hold has a line of its own
			fmt.Fprintln(out, "        "+flags)
		}
		return
	}
	fmt.Fprintf(out, watchLine+"%s\n", r.Number, cli.Known(r.Time), r.Totals.EVM, r.Totals.Native, fee, base, flags)
}
