package bookkeeping

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
)

// findingsText says how many findings there are, of which kinds, and what shows them.
func findingsText(c *cobra.Command, f *app.Findings) string {
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(f.Kinds)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", f.Kinds[kind], kind))
	}
	from := f.First
	if from > f.Blocks.First { // some are about a block and the one before
		from--
	}
	return fmt.Sprintf("does not hold in blocks %v: %s; the ledger's view book_findings has all of the checks; the first is in block %d; this shows it: %s",
		f.Blocks, strings.Join(kinds, ", "), f.First, cli.VerifyLine(c, chain.Heights{First: from, Last: f.First}))
}

// tellFindings says what of a block does not hold.
func tellFindings(w io.Writer, r *evidence.Report) {
	for _, f := range r.Findings {
		fmt.Fprintf(w, "fees: does not hold: %s\n", console.Printable(f.String()))
	}
	if n := r.Totals.Undetermined; n > 0 {
		fmt.Fprintf(w, "fees: does not hold: block %d: %d %s\n", r.Number, n, app.Undetermined)
	}
	if !r.Proved() {
		fmt.Fprintf(w, "fees: does not hold: block %d: %s\n", r.Number, app.Uncertain)
	}
}
