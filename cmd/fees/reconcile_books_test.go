//go:build unix

package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/internal/test/tier"
)

// sentTransaction is a transaction sent for a recording, with the change of the sender's balance, independent of this
// program.
type sentTransaction struct {
	From    string `json:"from"`
	EVMHash string `json:"ethHash"`
	Hash    string `json:"xtHash"`
	Height  uint64 `json:"height"`
	Index   int    `json:"index"`
	Charged string `json:"charged_wei"`
}

func (s *sentTransaction) place() string { return fmt.Sprintf("%d-%d", s.Height, s.Index) }

// allSent returns the transactions of a recording.
func allSent(t *testing.T, name string) []sentTransaction {
	text, err := os.ReadFile(filepath.Join(recordings(t), name, "sent.json"))
	require.NoError(t, err)
	var all struct{ Sent []sentTransaction }
	require.NoError(t, json.Unmarshal(text, &all))
	require.NotEmpty(t, all.Sent)
	return all.Sent
}

// booked is a row of the company's books. One or several of the first three fields name its transaction.
type booked struct{ evmHash, hash, place, wei, account string }

// companyBooks returns a row per sent transaction, named in turn by EVM hash (if any), extrinsic hash and transaction
// ID.
func companyBooks(list []sentTransaction) (rows []booked) {
	for i, s := range list {
		row := booked{wei: s.Charged, account: s.From}
		switch {
		case i%3 == 0 && s.EVMHash != "":
			row.evmHash = s.EVMHash
		case i%3 == 2:
			row.place = s.place()
		default:
			row.hash = s.Hash
		}
		rows = append(rows, row)
	}
	return rows
}

// commaTokens formats a wei amount in the token with a decimal comma and all decimals.
func commaTokens(wei string) string {
	digits := strings.Repeat("0", max(0, 19-len(wei))) + wei
	return digits[:len(digits)-18] + "," + digits[len(digits)-18:]
}

// bookLines returns the rows of the books as text.
func bookLines(rows []booked, fee string, amount func(wei string) string) [][]string {
	list := [][]string{{"EVM hash", "Extrinsic hash", "Extrinsic ID", fee, "Payer"}}
	for _, r := range rows {
		list = append(list, []string{r.evmHash, r.hash, r.place, amount(r.wei), r.account})
	}
	return list
}

func writeBooksCSV(t *testing.T, lines [][]string, separator rune) (path string) {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	w.Comma = separator
	require.NoError(t, w.WriteAll(lines))
	path = filepath.Join(t.TempDir(), "books.csv")
	require.NoError(t, os.WriteFile(path, text.Bytes(), 0o600))
	return path
}

func writeBooksXLSX(t *testing.T, lines [][]string) (path string) {
	f := excelize.NewFile()
	for i, line := range lines {
		for k, text := range line {
			at, err := excelize.CoordinatesToCellName(k+1, i+1)
			require.NoError(t, err)
			require.NoError(t, f.SetCellStr("Sheet1", at, text))
		}
	}
	path = filepath.Join(t.TempDir(), "books.xlsx")
	require.NoError(t, f.SaveAs(path))
	return path
}

// companyFile is the books in a common format, with the flags to read it.
type companyFile struct {
	path  string
	flags []string
}

// companyFiles returns the same books in each format.
func companyFiles(t *testing.T, rows []booked) map[string]companyFile {
	inWei := bookLines(rows, "Fee (wei)", func(wei string) string { return wei })
	inToken := bookLines(rows, "Fee (GLMR)", commaTokens)
	comma := []string{"--decimal", ",", "--thousands", "."}
	return map[string]companyFile{
		"csv in wei":     {writeBooksCSV(t, inWei, ','), nil},
		"csv in tokens":  {writeBooksCSV(t, inToken, ';'), comma},
		"xlsx in wei":    {writeBooksXLSX(t, inWei), nil},
		"xlsx in tokens": {writeBooksXLSX(t, inToken), comma},
	}
}

// accountsOf writes a file with all senders.
func accountsOf(t *testing.T, list []sentTransaction) (path string) {
	var accounts []string
	for _, s := range list {
		accounts = append(accounts, s.From)
	}
	slices.Sort(accounts)
	path = filepath.Join(t.TempDir(), "accounts.txt")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(slices.Compact(accounts), "\n")+"\n"), 0o600))
	return path
}

// synced fills a new ledger from a recording, for the following commands.
func synced(t *testing.T, recording, span string) {
	t.Setenv("FEES_LEDGER", newLedgerFile(t))
	_, stderr, code := fees("sync", span, "--gateway", recording)
	require.Contains(t, []int{exitOK, exitFinding}, code, stderr)
}

// reconciliation is the JSON of a result.
type reconciliation struct {
	Reconciled bool
	Summary    []reconciledSum
	Total      reconciledSum
	Details    []difference
}

type reconciledSum struct {
	Outcome                  string
	Count                    int
	Books, Chain, Difference string
}

type difference struct {
	Outcome                  string
	Line                     int // 0 where no row is meant
	ID                       string
	Books, Chain, Difference string // "" where there is none
	Notes                    []string
}

func reconciliationOf(t *testing.T, text string) (r reconciliation) {
	require.NoError(t, json.Unmarshal([]byte(text), &r))
	return r
}

// counts returns the number of rows by outcome, without zeros.
func (r *reconciliation) counts() map[string]int {
	counts := map[string]int{}
	for _, s := range r.Summary {
		if s.Count > 0 {
			counts[s.Outcome] = s.Count
		}
	}
	return counts
}

// sumOf adds decimal numbers.
func sumOf(t *testing.T, numbers ...string) string {
	sum := new(big.Int)
	for _, text := range numbers {
		n, ok := new(big.Int).SetString(cmp.Or(text, "0"), 10)
		require.True(t, ok, text)
		sum.Add(sum, n)
	}
	return sum.String()
}

// requireSame requires a command to write the same bytes again, in each format.
func requireSame(t *testing.T, want int, arguments ...string) {
	for _, format := range []string{"json", "csv", "table", "xlsx"} {
		var written [2][]byte
		for i := range written {
			path := filepath.Join(t.TempDir(), "result")
			_, stderr, code := fees(append(arguments, "--format", format, "-o", path)...)
			require.Equal(t, want, code, stderr)
			var err error
			written[i], err = os.ReadFile(path)
			require.NoError(t, err)
			require.NotEmpty(t, written[i])
		}
		require.True(t, bytes.Equal(written[0], written[1]), format)
	}
}

// Books with the charges of each recording reconcile to the wei, in every format and with every way to name a
// transaction.
func TestReconcileBooks(t *testing.T) {
	for name, span := range map[string]string{"moonbeam-2100": "0..27", "moonbeam-1701": "0..21"} {
		list := allSent(t, name)
		synced(t, filepath.Join(recordings(t), name), span)
		var charged []string
		for _, s := range list {
			charged = append(charged, s.Charged)
		}
		total := sumOf(t, charged...)
		for form, file := range companyFiles(t, companyBooks(list)) {
			if !tier.Takes(form) {
				continue
			}
			t.Run(name+" "+form, func(t *testing.T) {
				arguments := append([]string{"reconcile", file.path, "--accounts", accountsOf(t, list)}, file.flags...)
				stdout, stderr, code := fees(append(arguments, "--format", "json")...)
				require.Equal(t, exitOK, code, stderr)
				require.Empty(t, stderr)
				r := reconciliationOf(t, stdout)
				require.True(t, r.Reconciled)
				require.Equal(t, map[string]int{"matched": len(list)}, r.counts())
				require.Equal(t, reconciledSum{"total", len(list), total, total, "0"}, r.Total)
				require.Empty(t, r.Details)
				again, _, _ := fees(append(arguments, "--format", "json")...)
				require.Equal(t, stdout, again)
			})
		}
	}
}

// oneHashTwice is the recording of Moonbeam's runtime 2100 with one signed extrinsic in two blocks, as happens when an
// account is emptied and reused: transfers 26-8 and 27-8 have the same hash.
func oneHashTwice(t *testing.T, list []sentTransaction) (dir string) {
	dir = filepath.Join(t.TempDir(), "moonbeam-2100")
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(recordings(t), "moonbeam-2100"))))
	first, second := list[78], list[83]
	require.Equal(t, []string{"26-8", "27-8"}, []string{first.place(), second.place()})
	path := filepath.Join(dir, "blocks", "27.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 1, bytes.Count(text, []byte(second.Hash)))
	require.NoError(t, os.WriteFile(path, bytes.ReplaceAll(text, []byte(second.Hash), []byte(first.Hash)), 0o600))
	return dir
}

// Twelve differences in a company's books are found, each with its outcome, and nothing else.
func TestReconcilePlantedDifferences(t *testing.T) {
	list := allSent(t, "moonbeam-2100")
	foreign := allSent(t, "moonbeam-1701")[13]
	synced(t, oneHashTwice(t, list), "0..27")

	books := companyBooks(list)
	books[78] = booked{"", list[78].Hash, "26-8", list[78].Charged, list[78].From} // identified by transaction ID
	books[83] = booked{"", list[78].Hash, "27-8", list[83].Charged, list[83].From} // which of the two is meant
	// Line numbers of the file; the first transaction is on line 2.
	for _, p := range []struct {
		what  string
		line  int // of what is changed; 0 where rows are added at the end
		plant func(row *booked)
	}{
		{"one wei too much, the hash in capitals", 5, func(r *booked) { r.wei, r.evmHash = "2100000000000001", "0x"+strings.ToUpper(r.evmHash[2:]) }},
		{"two digits in each other's place", 16, func(r *booked) { r.wei = "7097136149045025" }},
		{"one wei too little", 18, func(r *booked) { r.wei = "2051365279308709" }},
		{"one digit of a hash is another", 29, func(r *booked) { r.evmHash = otherDigit(r.evmHash) }},
		{"the place of the transaction on the next line", 38, func(r *booked) { r.place = "13-5" }},
		{"a row is missing, that of 27-6", 83, nil},
		{"a row of another chain", 0, func(r *booked) { *r = booked{"", foreign.Hash, "", foreign.Charged, foreign.From} }},
		{"the row of line 23 once more", 0, func(r *booked) { *r = books[23-2] }},
		{"that of line 32 by its place, with another amount", 0, func(r *booked) { *r = booked{"", "", "10-9", "605000000000000000", list[30].From} }},
		{"a hash that two extrinsics have", 0, func(r *booked) { *r = booked{"", list[78].Hash, "", list[78].Charged, list[78].From} }},
	} {
		switch {
		case p.line == 0:
			books = append(books, booked{})
			p.plant(&books[len(books)-1])
		case p.plant == nil:
			books = slices.Delete(books, p.line-2, p.line-1)
		default:
			before := books[p.line-2]
			p.plant(&books[p.line-2])
			require.NotEqual(t, before, books[p.line-2], p.what)
		}
	}

	// The chain's amounts are the charges in the recording's own list. A hash with a wrong digit gives two
	// differences: the row, and the transaction without a row. So does a row that contradicts itself.
	want := []difference{
		// class, line, transaction, books, chain, books less chain, notes
		{"amount_differs", 5, "3-7", "2100000000000001", "2100000000000000", "1", []string{}},
		{"amount_differs", 16, "7-5", "7097136149045025", "7097163149045025", "-27000000000", []string{}},
		{"amount_differs", 18, "7-7", "2051365279308709", "2051365279308710", "-1", []string{}},
		{"only_in_books", 29, "", "5435700000000000", "", "5435700000000000", []string{}},
		{"ambiguous", 38, "", "2765160000000000", "", "2765160000000000", []string{"it names 13-4, but with another ID"}},
		{"only_in_books", 85, "", "1242531387061441", "", "1242531387061441", []string{}},
		{"duplicate", 86, "9-5", "3080168485885577", "", "3080168485885577", []string{"line 23 names the same transaction"}},
		{"duplicate", 87, "10-9", "605000000000000000", "", "605000000000000000", []string{"line 32 names the same transaction"}},
		{"ambiguous", 88, "", "2050679469292863", "", "2050679469292863", []string{"it names several transactions: 26-8, 27-8"}},
		{"only_on_chain", 0, "10-6", "", "5435700000000000", "-5435700000000000", []string{}},
		{"only_on_chain", 0, "13-4", "", "2765160000000000", "-2765160000000000", []string{"line 38 may refer to it"}},
		{"only_on_chain", 0, "27-6", "", "2098866465292429", "-2098866465292429", []string{}},
	}
	charged, entered, found := map[string]string{}, []string{}, []string{}
	var sum []string
	for _, s := range list {
		charged[s.place()] = s.Charged
		sum = append(sum, s.Charged)
	}
	for _, d := range want {
		if d.Chain != "" {
			require.Equal(t, charged[d.ID], d.Chain, "what the recording's list has of %s", d.ID)
		}
		found = append(found, d.Difference)
	}
	for _, row := range books {
		entered = append(entered, row.wei)
	}
	onChain, inBooks, apart := sumOf(t, sum...), sumOf(t, entered...), sumOf(t, found...)
	require.Equal(t, inBooks, sumOf(t, onChain, apart), "the differences are all that the books have otherwise")

	for form, file := range companyFiles(t, books) {
		if !tier.Takes(form) {
			continue
		}
		t.Run(form, func(t *testing.T) {
			arguments := append([]string{"reconcile", file.path, "--accounts", accountsOf(t, list)}, file.flags...)
			stdout, stderr, code := fees(append(arguments, "--format", "json")...)
			require.Equal(t, exitFinding, code, stderr)
			require.Equal(t, "fees: 78 matched, 3 amount_differs, 2 duplicate, 2 ambiguous, 2 only_in_books, 3 only_on_chain\n", stderr)
			r := reconciliationOf(t, stdout)
			require.False(t, r.Reconciled)
			require.Equal(t, want, r.Details)
			require.Equal(t, map[string]int{
				"matched": 78, "amount_differs": 3, "duplicate": 2, "ambiguous": 2, "only_in_books": 2, "only_on_chain": 3,
			}, r.counts())
			require.Equal(t, reconciledSum{"total", 90, inBooks, onChain, apart}, r.Total)
			requireSame(t, exitFinding, arguments...)
		})
	}
}

// otherDigit returns a hash with another last digit.
func otherDigit(hash string) string {
	last := byte('0')
	if hash[len(hash)-1] == last {
		last = '1'
	}
	return hash[:len(hash)-1] + string(last)
}
