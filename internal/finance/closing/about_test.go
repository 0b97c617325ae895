package closing

import (
	"bytes"
	"encoding/csv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/table"
)

// The statement says what is missing or not known in words, and is safe for terminals and spreadsheets.
func TestAbout(t *testing.T) {
	at, err := chain.TimeAt(uint64(time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC).UnixMilli()))
	require.NoError(t, err)
	a := &About{
		Title: "=1+1", File: "a\x1b[31m.csv", SHA256: "ab", Tool: "fees 1.0", Command: "fees report 5..9", Source: "ledger fees.db", Network: "moonbeam", Evidence: "recorded",
		Period: "blocks 5..9", Timezone: "UTC", Asked: chain.Some(chain.Heights{First: 5, Last: 9}), Missing: []string{"blocks 7..9"},
		Blocks: Blocks{First: 5, Last: 6, Count: 2, FirstHash: "0x05", LastHash: "0x06", Rules: []string{"moonbeam/1", "moonbeam/2"}}, Last: chain.Some(at),
		Accounts: []Account{{Address: "0xB0"}, {Address: "0xA0"}}, Filters: []string{"by day"}, Inputs: []Input{{"prices", "prices.csv", "cd"}},
		Totals: console.Pairs{{Name: "rows", Text: "2"}}, Notes: []string{"known part"},
	}
	require.Equal(t, []string{"moonbeam, blocks 5..9, UTC, blocks 5 to 6", "seal none, because not all are sealed", "evidence: recorded"}, a.Footer())
	var text bytes.Buffer
	require.NoError(t, a.Write(&text))
	require.Equal(t, `file                     a[31m.csv
SHA-256                  ab
content                  =1+1
made by                  fees 1.0
make it again            fees report 5..9
source                   ledger fees.db
network                  moonbeam
hash of block 0          not known
evidence                 recorded
period                   blocks 5..9
time zone                UTC
blocks wanted            5, 5..9
blocks present           2
first block              5, 0x05, without a time
last block               6, 0x06, 2026-01-31T12:00:00Z
complete                 no, missing blocks 7..9
final and sealed         no, not all
seal of the blocks       none, because not all are sealed
fee rules                moonbeam/1, moonbeam/2
accounts                 2
SHA-256 of the accounts  602278a1441da33803a0cc37ecae1f36b91f6aa47483d50741dff30ddb672810 (lower case, sorted, one per line)
parameter                by day
input: prices            prices.csv, SHA-256 cd
rows                     2
note                     known part
`, text.String())

	text.Reset()
	require.NoError(t, table.WriteCSV(&text, a.Sheet()))
	rows, err := csv.NewReader(&text).ReadAll()
	require.NoError(t, err)
	require.Contains(t, rows, []string{"content", "'=1+1"})
	a.EveryAccount = true
	require.Contains(t, a.Pairs(), console.Pair{Name: "accounts", Text: "all payers"})
}

// The worksheet has the lines of the text.
func TestAboutSheet(t *testing.T) {
	a := &About{Tool: "fees 1"}
	require.Equal(t, ", , , no blocks", a.Footer()[0])
	var rows [][]any
	for row, err := range a.Sheet().Rows {
		require.NoError(t, err)
		rows = append(rows, row)
	}
	require.Len(t, rows, len(a.Pairs()))
	for i, p := range a.Pairs() {
		require.Equal(t, []any{p.Name, p.Text}, rows[i])
	}
	for range a.Sheet().Rows {
		break
	}
}
