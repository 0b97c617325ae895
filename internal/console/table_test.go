package console_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/console"
)

const (
	aHash    = "0xf24f000000000000000000000000000000000000000000000000000012346cac"
	aPayer   = "0xb92bc0d1d644481da04f5b98ddeecb4a9a6ed7cb"
	longText = "parachainStaking.delegatorBondMoreAndMoreAndMore"
)

func written(table *console.Table, width int) string {
	var out strings.Builder
	page := console.NewPage(&out, width)
	page.Table(table)
	page.Flush()
	return out.String()
}

// As a table gets narrower, hashes are shortened first, then addresses; then columns are hidden, then text
// is shortened.
func TestTableGivesWay(t *testing.T) {
	table := console.NewTable(
		console.Column{Name: "#", Right: true}, console.Column{Name: "hash", Cut: true, Drop: 1}, console.Column{Name: "payer", Cut: true, Drop: 2},
		console.Column{Name: "call", Cut: true}, console.Column{Name: "fee", Right: true, Decimals: true}, console.Column{Name: "outcome", Term: true},
	)
	table.Row(0, aHash, aPayer, "balances.transfer", "1.250000", "succeeded")
	table.Row(11, aHash, "Payroll", longText, "-0.500000", "failed: NotEnoughOfWhatItWants")
	for width, want := range map[int]string{
		math.MaxInt: `
 #  hash                                                                payer                                       call                                                fee  outcome
-------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
 0  0xf24f000000000000000000000000000000000000000000000000000012346cac  0xb92bc0d1d644481da04f5b98ddeecb4a9a6ed7cb  balances.transfer                                  1.25  succeeded
11  0xf24f000000000000000000000000000000000000000000000000000012346cac  Payroll                                     parachainStaking.delegatorBondMoreAndMoreAndMore  -0.50  failed: NotEnoughOfWhatItWants
`,
		165: `
 #  hash                 payer                                       call                                                fee  outcome
--------------------------------------------------------------------------------------------------------------------------------------------------------------
 0  0xf24f0000…12346cac  0xb92bc0d1d644481da04f5b98ddeecb4a9a6ed7cb  balances.transfer                                  1.25  succeeded
11  0xf24f0000…12346cac  Payroll                                     parachainStaking.delegatorBondMoreAndMoreAndMore  -0.50  failed: NotEnoughOfWhatItWants
`,
		119: `
 #  hash         payer        call                                                fee  outcome
-----------------------------------------------------------------------------------------------------------------------
 0  0xf24f…6cac  0xb92b…d7cb  balances.transfer                                  1.25  succeeded
11  0xf24f…6cac  Payroll      parachainStaking.delegatorBondMoreAndMoreAndMore  -0.50  failed: NotEnoughOfWhatItWants
`,
		100: `
 #  call                                                fee  outcome
---------------------------------------------------------------------------------------------
 0  balances.transfer                                  1.25  succeeded
11  parachainStaking.delegatorBondMoreAndMoreAndMore  -0.50  failed: NotEnoughOfWhatItWants
hidden columns: hash, payer (widen the terminal or use --format json)
`,
		60: `
 #  call                  fee  outcome
---------------------------------------------------
 0  balances.transfer    1.25  succeeded
11  parachainStaking.…  -0.50  failed: NotEnough…
hidden columns: hash, payer (widen the terminal or use
  --format json)
`,
		1: `
 # call      fee outcome
--------------------------
 0 balanc…  1.25 succeeded
11 parach… -0.50 failed:…
hidden columns:
  hash, payer (widen
  the terminal or
  use --format json)
`,
	} {
		require.Equal(t, want[1:], written(table, width), "%d columns", width)
	}
}

// No line is wider than the page if the cells that are never shortened fit.
func TestTableFits(t *testing.T) {
	random := rand.New(rand.NewPCG(16, 9))
	letters := []rune("abc xyz 0123 é 界 ü")
	word := func(limit int) string {
		runes := make([]rune, random.IntN(limit))
		for i := range runes {
			runes[i] = letters[random.IntN(len(letters))]
		}
		return "x" + string(runes)
	}
	for range 500 {
		var columns []console.Column
		needs := 0 // width of the cells that are never shortened
		for i := range 1 + random.IntN(8) {
			c := console.Column{Name: fmt.Sprint("c", i), Right: random.IntN(2) == 0, Cut: random.IntN(2) == 0, Drop: random.IntN(4)}
			columns = append(columns, c)
		}
		table := console.NewTable(columns...)
		widths := make([]int, len(columns))
		for range random.IntN(6) {
			row := make([]any, len(columns))
			for i, c := range columns {
				cell := word(12)
				if c.Cut {
					cell = []string{word(90), aHash, aPayer}[random.IntN(3)]
				}
				row[i] = cell
				widths[i] = max(widths[i], text.StringWidthWithoutEscSequences(cell))
			}
			table.Row(row...)
		}
		for i, c := range columns {
			switch {
			case c.Drop > 0:
			case c.Cut:
				needs += 12 + 2
			default:
				needs += max(widths[i], len(c.Name)) + 2
			}
		}
		width := 60 + random.IntN(100)
		if needs > width {
			continue
		}
		for line := range strings.Lines(written(table, width)) {
			require.LessOrEqual(t, text.StringWidthWithoutEscSequences(strings.TrimSuffix(line, "\n")), width, line)
		}
	}
}

// A wide character takes two columns and is never halved.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"payroll", 7, "payroll"},
		{"payrolls", 7, "payrol…"},
		{"界界界界", 8, "界界界界"},
		{"界界界界", 7, "界界界…"},
		{"界界界界", 6, "界界…"},
	} {
		got := console.Cut(c.text, c.width)
		require.Equal(t, c.want, got)
		require.LessOrEqual(t, text.StringWidthWithoutEscSequences(got), c.width)
	}
}

func TestEnds(t *testing.T) {
	require.Equal(t, "0xf24f…6cac", console.Ends(aHash, 4))
	require.Equal(t, "0xf24f0000…12346cac", console.Ends(aHash, 8))
	require.Equal(t, aHash, console.Ends(aHash, 0))
	require.Equal(t, "0x12345678", console.Ends("0x12345678", 4), "it is short enough")
}

// Colors do not change the width of a column.
func TestVerdicts(t *testing.T) {
	table := console.NewTable(console.Column{Name: "proof", Verdict: true}, console.Column{Name: "of"})
	for _, verdict := range []string{"match", "drift", "no_evidence", "other"} {
		table.Row(verdict, "x")
	}
	var plain, colours strings.Builder
	for _, page := range []*console.Page{console.NewPage(&plain, 60), console.NewPage(console.Coloured(&colours), 60)} {
		page.Table(table)
		page.Flush()
	}
	require.NotContains(t, plain.String(), "\x1b")
	require.Contains(t, colours.String(), "\x1b[32mmatch\x1b[0m        x\n\x1b[31mdrift\x1b[0m        x\n\x1b[33mno_evidence\x1b[0m  x\nother        x\n")
	require.Equal(t, plain.String(), text.StripEscape(colours.String()))
}

// A pair's text stands next to its name if it fits, and is wrapped with an indent.
func TestPairs(t *testing.T) {
	var pairs console.Pairs
	pairs.Add("evm hash", aHash)
	pairs.Add("nothing", "")
	pairs.Add("payer", aPayer+" (Payroll)")
	for width, want := range map[int]string{
		math.MaxInt: "evm hash  " + aHash + "\npayer     " + aPayer + " (Payroll)\n",
		70:          "evm hash\n  " + aHash + "\npayer     " + aPayer + " (Payroll)\n",
		60:          "evm hash\n  0xf24f" + strings.Repeat("0", 23) + "…" + strings.Repeat("0", 19) + "12346cac\npayer     " + aPayer + "\n          (Payroll)\n",
		50:          "evm hash\n  0xf24f" + strings.Repeat("0", 18) + "…" + strings.Repeat("0", 14) + "12346cac\npayer\n  " + aPayer + "\n  (Payroll)\n",
	} {
		var out strings.Builder
		page := console.NewPage(&out, width)
		page.Pairs(pairs)
		page.Flush()
		require.Equal(t, want, out.String(), "%d columns", width)
	}
}
