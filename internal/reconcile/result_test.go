package reconcile_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/table"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// troubled is a company's file with one correct row, one that is a wei too high, one of others and one missing, with its
// result.
func troubled(t testing.TB) (text string, r *reconcile.Result) {
	var mine []*sent
	for _, s := range allSent(t, "moonbeam-2100") {
		if s.From == allSent(t, "moonbeam-2100")[1].From && len(mine) < 3 {
			mine = append(mine, s)
		}
	}
	more, err := wei(t, mine[1].Charged).Add(chain.NewWei(1))
	require.NoError(t, err)
	text = fmt.Sprintf("Tx Hash;Fee;Payer;Date\n%s;%s;%s;01.01.2026\n%s;%s;%s;01.01.2026\n%s;1000000000000000;;\n",
		mine[0].hash(), mine[0].Charged, mine[0].From, mine[1].hash(), more, mine[1].From, "0x"+strings.Repeat("ab", 32))
	o := reconcile.Options{
		Unit: reconcile.Wei, Symbol: "GLMR", DateFormat: "dd.mm.yyyy", Accounts: payers(t, mine),
		Period: heights(mine[0].Height, mine[2].Height),
	}
	f, err := reconcile.ReadFile(t.Context(), strings.NewReader(text), o)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	r = match(t, book(t, "moonbeam-2100"), read(t, text, o), o)
	r.Files = []reconcile.NamedFile{{Name: "march.csv", File: f}}
	require.Equal(t, map[reconcile.Outcome]int{
		reconcile.Matched: 1, reconcile.AmountDiffers: 1, reconcile.OnlyInBooks: 1, reconcile.OnlyOnChain: 1,
	}, counts(r))
	// The totals of the books and the chain, computed independently.
	require.Equal(t, chain.Some(wei(t, total(mine))), r.Total.Chain)
	require.Equal(t, "1000000000000001", sub(t, r.Total.Books, wei(t, total(mine[:2]))))
	return text, r
}

func sub(t testing.TB, a, b chain.Wei) string {
	d, err := a.Sub(b)
	require.NoError(t, err)
	return d.String()
}

// The result as JSON: reproducible, and as expected.
func TestJSON(t *testing.T) {
	text, r := troubled(t)
	var shown bytes.Buffer
	out, err := json.Marshal(r)
	require.NoError(t, err)
	require.NoError(t, json.Indent(&shown, out, "", " "))
	_, other := troubled(t)
	again, err := json.Marshal(other)
	require.NoError(t, err)
	require.Equal(t, out, again)

	// The seal is tested elsewhere.
	status, err := book(t, "moonbeam-2100").Status(t.Context())
	require.NoError(t, err)
	seal, _ := status.Seal.Get()
	require.Contains(t, shown.String(), seal.String())
	shown = *bytes.NewBuffer(bytes.ReplaceAll(shown.Bytes(), []byte(seal.String()), []byte("SEAL")))

	const golden = "testdata/result.json"
	if *update {
		require.NoError(t, os.WriteFile(golden, append(shown.Bytes(), '\n'), 0o666))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), shown.String()+"\n")

	var read struct {
		Reconciled bool
		Basis      map[string]string
		Summary    []struct{ Outcome, Books, BooksToken string }
		Total      struct {
			Difference      string
			DifferenceToken string `json:"difference_token"`
		}
		Details []struct {
			Outcome         string
			Line            *int
			Difference      string
			DifferenceToken string `json:"difference_token"`
		}
	}
	require.NoError(t, json.Unmarshal(out, &read))
	require.False(t, read.Reconciled)
	sum := sha256.Sum256([]byte(text))
	require.Equal(t, hex.EncodeToString(sum[:]), read.Basis["file_sha256"])
	require.Equal(t, seal.String(), read.Basis["seal"])
	require.Len(t, read.Summary, len(reconcile.Outcomes()))
	require.Equal(t, "1", read.Details[0].Difference)
	require.Equal(t, "0.000000000000000001", read.Details[0].DifferenceToken)
	require.Equal(t, 3, *read.Details[0].Line)
	require.Nil(t, read.Details[2].Line)
	require.Equal(t, "-", read.Details[2].DifferenceToken[:1])

	var all bytes.Buffer
	require.NoError(t, r.WriteJSON(&all, true))
	require.NoError(t, json.Unmarshal(all.Bytes(), &read))
	require.Len(t, read.Details, 4)
	require.NoError(t, r.Close()) // and with it the items
	all.Reset()
	require.NoError(t, r.WriteJSON(&all, true))
	require.NoError(t, json.Unmarshal(all.Bytes(), &read))
	require.Empty(t, read.Details)
	require.ErrorContains(t, r.WriteJSON(broken{}, true), "out of paper")
}

// The tables contain the same as the JSON.
func TestSheets(t *testing.T) {
	_, r := troubled(t)
	sheets := r.Sheets(false)
	require.Len(t, sheets, 3)
	rows := map[string][][]any{}
	for _, s := range sheets {
		require.Equal(t, "GLMR", s.Symbol)
		for row, err := range s.Rows {
			require.NoError(t, err)
			require.Len(t, row, len(s.Columns))
			rows[s.Name] = append(rows[s.Name], row)
		}
		for range s.Rows { // one that is ended early
			break
		}
	}
	require.Len(t, rows["summary"], len(reconcile.Outcomes())+1)
	require.Equal(t, []any{"total", uint64(4), r.Total.Books, r.Total.Chain, r.Total.Difference}, rows["summary"][len(reconcile.Outcomes())])
	require.Len(t, rows["details"], 3)
	require.Equal(t, "amount_differs", rows["details"][0][0])
	require.Equal(t, uint64(3), rows["details"][0][1])
	require.Equal(t, items(t, r)[1].Difference, rows["details"][0][6])
	require.Contains(t, rows["basis"], []any{"file", "march.csv"})
	require.Contains(t, rows["basis"], []any{"separator", ";"})
	require.Equal(t, len(items(t, r)), countRows(r.Details(true)))

	// Many accounts are identified by a checksum: that of `seq -f 0x%040.0f 21 | sha256sum`.
	r.Options.Accounts = nil
	for n := range byte(21) {
		r.Options.Accounts = append(r.Options.Accounts, chain.Address20([20]byte{19: (n+1)/10<<4 | (n+1)%10}))
	}
	require.Contains(t, basis(r), []any{"accounts", "21, SHA-256 of their sorted lines: ba2683a1bb16ac03015fe7fb424488b049097020b7ab4833bb17e8470a1a38ee"})

	// For a workbook, and without options.
	r.Files[0].Form, r.Files[0].Sheet = "xlsx", "fees"
	require.Contains(t, basis(r), []any{"sheet", "fees"})
	r.Files[0].Form, r.Files[0].Separator = "csv", "\t"
	require.Contains(t, basis(r), []any{"separator", "tab"})
	r.Files = nil
	r.Period = times(t, "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")
	require.Equal(t, []any{"network", "moonbeam"}, basis(r)[0])
	require.Contains(t, basis(r), []any{"from", "2026-01-01T00:00:00Z"})
	require.Contains(t, basis(r), []any{"to", "before 2026-02-01T00:00:00Z"})
	r.Period = chain.Optional[ledger.Period]{}
	require.Contains(t, basis(r), []any{"from", ""})
	require.Contains(t, basis(r), []any{"to", ""})
}

func basis(r *reconcile.Result) (rows [][]any) {
	for row := range r.Basis().Rows {
		rows = append(rows, row)
	}
	return rows
}

func countRows(s *table.Sheet) (n int) {
	for range s.Rows {
		n++
	}
	return n
}

// Sums that exceed an amount of wei are an error.
func TestSumsOverflow(t *testing.T) {
	most := "340282366920938463463374607431768211455"
	rows := read(t, "Extrinsic ID,fee_wei\n1-90,"+most+"\n1-91,"+most+"\n", reconcile.Options{})
	_, err := reconcile.Match(t.Context(), book(t, "moonbeam-2100"), each(rows), reconcile.Options{})
	require.ErrorIs(t, err, chain.ErrOverflow)

	list := allSent(t, "moonbeam-2100")[:2]
	b := &changed{book(t, "moonbeam-2100"), func(x *ledger.Transaction) { x.Charged = chain.Some(wei(t, most)) }}
	_, err = reconcile.Match(t.Context(), b, each(read(t, weiGrid(list).csv(','), reconcile.Options{})), reconcile.Options{})
	require.ErrorIs(t, err, chain.ErrOverflow)
}

// A row that names its transaction in every way, correctly and wrongly.
func TestContradictions(t *testing.T) {
	list := allSent(t, "moonbeam-2100")
	evm, other := list[0], list[1]
	const head = "EVM hash,Extrinsic hash,hash,Extrinsic ID,fee_wei\n"
	for _, c := range []struct {
		row  []string
		note string // "" where it matches
	}{
		{[]string{evm.EthHash, evm.XtHash, evm.EthHash, evm.place()}, ""},
		{[]string{evm.EthHash, evm.XtHash, evm.XtHash, evm.place()}, ""},
		{[]string{"", evm.XtHash, "", ""}, ""},
		{[]string{evm.EthHash, other.XtHash, "", ""}, "it names " + evm.place() + ", but with another extrinsic hash"},
		{[]string{evm.EthHash, "", other.EthHash, other.place()}, "it names " + evm.place() + ", but with another hash and ID"},
		{[]string{other.XtHash, evm.XtHash, "", ""}, "it names " + evm.place() + ", but with another EVM hash"},
	} {
		text := head + strings.Join(c.row, ",") + "," + evm.Charged + "\n"
		r := match(t, book(t, "moonbeam-2100"), read(t, text, reconcile.Options{}), reconcile.Options{})
		if c.note == "" {
			require.True(t, r.Agrees(), text)
			continue
		}
		require.Equal(t, reconcile.Ambiguous, items(t, r)[0].Outcome)
		require.Equal(t, []string{c.note}, items(t, r)[0].Notes)
	}
}
