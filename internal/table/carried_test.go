package table_test

import (
	"bytes"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/pdf"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/test/program"
)

// Another program reads, on each page, the sums that the page before carried forward and the rows: together they are what
// the page carries forward, and the total on the last page, which stands only there.
func TestCarriedForward(t *testing.T) {
	pdftotext := program.Path(t, program.PDF, "pdftotext")
	for _, c := range []struct {
		rows, names int // a name has so many words, over several lines
	}{{30, 1}, {53, 1}, {54, 1}, {55, 1}, {56, 1}, {400, 1}, {90, 60}} {
		var all [][]any
		total := new(big.Int)
		for n := range c.rows {
			amount := big.NewInt(int64(n*n*7919%100_003) - 40_000)
			total.Add(total, amount)
			wei, err := chain.ParseSignedWei(amount.String())
			require.NoError(t, err)
			all = append(all, []any{fmt.Sprintf("row%d%s", n, strings.Repeat(" word", c.names-1)), wei})
		}
		s := &table.Sheet{Name: "rows", Token: console.Token{Symbol: "X"}, Columns: []table.Column{{Name: "item", Kind: table.Text}, {Name: "amount", Kind: table.SignedWei, Total: true}}, Rows: rows(all...)}
		var out bytes.Buffer
		require.NoError(t, table.WritePDF(&out, table.Paper{Size: pdf.A4, Title: "Rows", Portrait: true}, s))
		at := filepath.Join(t.TempDir(), "x.pdf")
		require.NoError(t, os.WriteFile(at, out.Bytes(), 0o600))
		text, err := exec.CommandContext(t.Context(), pdftotext, "-layout", at, "-").Output()
		require.NoError(t, err)
		pages := strings.SplitAfter(string(text), "\f")
		pages = pages[:len(pages)-1]
		title := fmt.Sprintf("%d rows on %d pages", c.rows, len(pages))
		sum, listed := new(big.Int), 0
		for i, page := range pages {
			named := map[string]string{}
			var order []string
			for line := range strings.Lines(page) {
				fields := strings.Fields(line)
				if len(fields) < 2 {
					continue
				}
				digits := strings.NewReplacer("−", "-", ".", "", "'", "", "\u2009", "").Replace(strings.Join(fields[1:], ""))
				switch name := fields[0]; {
				case strings.HasPrefix(name, "row"):
					amount, ok := new(big.Int).SetString(digits[strings.LastIndex(digits, "d")+1:], 10)
					require.True(t, ok, line)
					sum.Add(sum, amount)
					listed, order = listed+1, append(order, "row")
				case name == "carried" || name == "brought" || name == "total":
					order = append(order, name)
					named[name] = strings.TrimPrefix(digits, "forward")
				}
				if strings.HasPrefix(fields[0], "brought") {
					brought, ok := new(big.Int).SetString(named["brought"], 10)
					require.True(t, ok, line)
					require.Equal(t, sum.String(), brought.String(), title)
				}
			}
			last := i == len(pages)-1
			require.Equal(t, i > 0, named["brought"] != "" && order[0] == "brought", title)
			require.Equal(t, !last, named["carried"] != "", title)
			require.Equal(t, last, named["total"] != "", title)
			foot, ok := new(big.Int).SetString(named[order[len(order)-1]], 10)
			require.True(t, ok, title)
			require.Equal(t, sum.String(), foot.String(), title)
		}
		require.Equal(t, c.rows, listed, title)
		require.Equal(t, total.String(), sum.String(), title)
	}
}

// Without a column for their name, or with totals that are not the sums of the rows, no sums are carried forward.
func TestNothingCarried(t *testing.T) {
	var one, two [][]any
	for n := range 200 {
		one, two = append(one, []any{n}), append(two, []any{n, "what"})
	}
	n := table.Column{Name: "n", Kind: table.Integer, Total: true}
	for _, s := range []*table.Sheet{
		{Name: "rows", Columns: []table.Column{n}, Rows: rows(one...)},
		{Name: "rows", Columns: []table.Column{n, {Name: "what", Kind: table.Text}}, Rows: rows(two...), Totals: []any{7, nil}},
	} {
		_, artifacts := onPaper(t, table.Paper{Size: pdf.A4, Title: "Rows"}, s)
		require.NotContains(t, strings.Join(artifacts, ""), "forward")
	}
}
