package pricing

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
)

// A narrow terminal shows the complete fee, with failures on the next line.
func TestWatchLines(t *testing.T) {
	r := &evidence.Report{Report: new(fee.Report)}
	wei, err := chain.ParseWei("13562199740911341")
	require.NoError(t, err)
	r.Number, r.Totals.Fee, r.Totals.EVM, r.Totals.Undetermined = 16_796_696, wei, 3, 2
	for narrow, width := range map[bool]int{true: 60, false: 80} {
		w := watcher{narrow: narrow}
		var out bytes.Buffer
		w.writeHeader(&out, "GLMR")
		r.Totals.Undetermined = 0
		w.writeLine(&out, r)
		for line := range strings.Lines(out.String()) {
			if !strings.Contains(line, "rules not certain") {
				require.LessOrEqual(t, len(line)-1, width, line)
			}
		}
		r.Totals.Undetermined = 2
		w.writeLine(&out, r)
		require.Contains(t, out.String(), "0.013562199740911341")
		require.Contains(t, out.String(), "incomplete, 2 undetermined")
	}
}
