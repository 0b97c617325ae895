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
	"github.com/feeledger/fees/internal/sys/plain"
)

// findingsText summarizes findings by kind, with the command that shows the first one.
func findingsText(c *cobra.Command, f *app.Findings) string {
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(f.Kinds)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", f.Kinds[kind], kind))
	}
	from := f.First
	if from > f.Blocks.First { // some checks compare a block with the one before
		from--
	}
	return fmt.Sprintf("failed checks in blocks %v: %s (all are in the view book_findings). The first is in block %d; show it with: %s",
		f.Blocks, strings.Join(kinds, ", "), f.First, cli.VerifyLine(c, chain.Heights{First: from, Last: f.First}))
}

// writeFindings writes the failed checks of a block.
func writeFindings(w io.Writer, r *evidence.Report) {
	for _, f := range r.Findings {
		fmt.Fprintf(w, "fees: check failed: %s\n", plain.Line(app.ReportToken(r).Own(f.String())))
	}
	if n := r.Totals.Undetermined; n > 0 {
		fmt.Fprintf(w, "fees: check failed: block %d: %d %s\n", r.Number, n, app.Undetermined)
	}
	if !r.Proved() {
		fmt.Fprintf(w, "fees: check failed: block %d: %s\n", r.Number, app.Uncertain)
	}
}
