//go:build unix

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/internal/test/tier"
)

// ugly is a realistic company file, with its differences from the charges.
type ugly struct {
	name  string
	make  func(list []sentTransaction) []byte
	flags []string       // that a person must know, and no message can: what the fees count
	steps int            // command lines that are taken from messages
	want  map[string]int // outcomes; nil where all rows are matched
	notes []string       // that the result begins with
}

// spreadsheetNumber returns the first 15 digits of a token amount, as Excel stores it.
func spreadsheetNumber(wei string) (wholeWei, text string) {
	if len(wei) > 15 {
		wei = wei[:15] + strings.Repeat("0", len(wei)-15)
	}
	return wei, strings.Replace(commaTokens(wei), ",", ".", 1)
}

// gwei formats an amount in Gwei.
func gwei(wei string) string {
	digits := strings.Repeat("0", max(0, 10-len(wei))) + wei
	return digits[:len(digits)-9] + "." + digits[len(digits)-9:]
}

func uglyFiles(t *testing.T, list []sentTransaction) []ugly {
	var charged []string
	for _, s := range list {
		charged = append(charged, s.Charged)
	}
	rows := func(line func(s *sentTransaction) string) (text string) {
		for i := range list {
			text += line(&list[i])
		}
		return text
	}
	sum := func(first int) string { return sumOf(t, charged[:first]...) }
	return []ugly{
		{name: "with a mark of UTF-8.csv", make: func([]sentTransaction) []byte {
			return []byte("\xef\xbb\xbfTx Hash,fee_wei\n" + rows(func(s *sentTransaction) string { return s.Hash + "," + s.Charged + "\n" }))
		}},
		{name: "Windows-1252.csv", flags: []string{"--unit", "wei", "--encoding", "windows-1252", "--map", "id=Buchung"}, make: func([]sentTransaction) []byte {
			return []byte("Buchung;Geb\xfchr\r\n" + rows(func(s *sentTransaction) string { return s.place() + ";" + s.Charged + "\r\n" }))
		}},
		{name: "UTF-16.csv", make: func([]sentTransaction) []byte {
			text := "Tx Hash\tfee_wei\tMemo\r\n" + rows(func(s *sentTransaction) string { return s.Hash + "\t" + s.Charged + "\tGebühr 😀\r\n" })
			var out bytes.Buffer
			_ = binary.Write(&out, binary.LittleEndian, utf16.Encode([]rune("\ufeff"+text))) // to memory
			return out.Bytes()
		}},
		{name: "decimal comma.csv", make: func([]sentTransaction) []byte {
			return []byte("Extrinsic ID;Fee (GLMR);Date\n" + rows(func(s *sentTransaction) string {
				return s.place() + ";" + commaTokens(s.Charged) + ";01.01.2026\n"
			}))
		}},
		{name: "titles and totals.csv", steps: 1, make: func([]sentTransaction) []byte {
			text := "Fees of January, all accounts\nPrinted on 2026-02-01\n\nTx Hash;Fee (wei);Memo\n"
			for i, s := range list {
				if i == 4 {
					text += "Subtotal;" + sum(4) + ";\n"
				}
				text += s.Hash + ";" + s.Charged + ";\"two\nlines\"\n"
			}
			return []byte(text + "Sum;" + sum(len(list)) + ";\nTotal;" + sum(len(list)) + ";\nExported by our ERP;;\n")
		}, notes: []string{
			`Lines 1 and 2 are above the header in line 4 and ignored: "Fees of January, all accounts", "Printed on 2026-02-01".`,
			fmt.Sprintf("Lines 9, %d and %d are total rows, not fees; the totals match the fees above.", len(list)+6, len(list)+7),
		}},
		{name: "numbers of a spreadsheet.xlsx", want: func() map[string]int {
			want := map[string]int{}
			for _, c := range charged {
				if kept, _ := spreadsheetNumber(c); kept == c {
					want["matched"]++
				} else {
					want["within_rounding"]++
				}
			}
			return want
		}(), make: func([]sentTransaction) []byte {
			f := excelize.NewFile()
			_ = f.SetSheetRow("Sheet1", "A1", &[]string{"Extrinsic hash", "Fee (GLMR)"})
			for i, s := range list {
				_, text := spreadsheetNumber(s.Charged)
				_ = f.SetCellStr("Sheet1", fmt.Sprintf("A%d", i+2), s.Hash)
				_ = f.SetCellDefault("Sheet1", fmt.Sprintf("B%d", i+2), text)
			}
			var out bytes.Buffer
			_ = f.Write(&out) // to memory
			return out.Bytes()
		}},
		{name: "Gwei.csv", make: func([]sentTransaction) []byte {
			text := "Tx Hash,Fee\n"
			for i, s := range list {
				amount := gwei(s.Charged) + " Gwei"
				if i%2 == 0 {
					amount = strings.Replace(commaTokens(s.Charged), ",", ".", 1) + " GLMR"
				}
				text += s.Hash + "," + amount + "\n"
			}
			return []byte(text)
		}},
		{name: "negative.csv", steps: 1, make: func([]sentTransaction) []byte {
			text := "Tx Hash,Fee (Gwei)\n"
			for i, s := range list {
				text += s.Hash + "," + []string{"-" + gwei(s.Charged), gwei(s.Charged) + "-", "(" + gwei(s.Charged) + ")"}[i%3] + "\n"
			}
			return []byte(text)
		}},
	}
}

// proposed matches the command line in a message.
var proposed = regexp.MustCompile(`\. Read it with: fees (.*)\n$`)

// words splits a command line like a shell.
func words(line string) (list []string) {
	var word strings.Builder
	quoted, started := false, false
	for _, r := range line {
		switch {
		case r == '\'':
			quoted, started = !quoted, true
		case r == ' ' && !quoted:
			list = append(list, word.String())
			word.Reset()
			started = false
		default:
			word.WriteRune(r)
			started = true
		}
	}
	if started {
		list = append(list, word.String())
	}
	return list
}

// Eight realistic company files reconcile to the wei by following the messages, and the annotated file reconciles
// again.
func TestReconcileUglyFiles(t *testing.T) {
	t.Parallel()
	var list []sentTransaction
	for _, s := range allSent(t, "moonbeam-2100") {
		if s.Charged != "0" {
			list = append(list, s)
		}
	}
	for _, u := range uglyFiles(t, list) {
		if !tier.Takes(u.name) {
			continue
		}
		t.Run(u.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, u.name)
			require.NoError(t, os.WriteFile(path, u.make(list), 0o600))
			before, err := os.ReadFile(path)
			require.NoError(t, err)
			fixed := filepath.Join(dir, "fixed"+filepath.Ext(path))
			arguments := append([]string{"reconcile", path, "0..27", "--gateway", "demo", "--accounts", accountsOf(t, list), "--all", "--quiet", "--format", "json", "--fix", fixed}, u.flags...)
			stdout, stderr, code := fees(arguments...)
			for range u.steps {
				require.Equal(t, exitUsage, code, stderr)
				line := proposed.FindStringSubmatch(stderr)
				require.NotNil(t, line, stderr)
				arguments = words(line[1])
				stdout, stderr, code = fees(arguments...)
			}
			require.Equal(t, exitOK, code, stderr)
			r := reconciliationOf(t, stdout)
			if u.want == nil {
				u.want = map[string]int{"matched": len(list)}
			}
			require.True(t, r.Reconciled)
			require.Equal(t, u.want, r.counts())
			require.Len(t, r.Details, len(list))
			for i, d := range r.Details {
				require.Equal(t, list[i].place(), d.ID)
				require.Equal(t, list[i].Charged, d.Chain)
				books, apart := list[i].Charged, "0"
				if d.Outcome == "within_rounding" {
					books, _ = spreadsheetNumber(list[i].Charged)
					apart = sumOf(t, books, "-"+list[i].Charged)
					require.Equal(t, []string{"spreadsheets keep 15 digits, so " + list[i].Charged + " wei became " + books}, d.Notes)
				}
				require.Equal(t, []string{books, apart}, []string{d.Books, d.Difference})
			}
			for _, note := range u.notes {
				require.Contains(t, strings.ReplaceAll(stdout, `\"`, `"`), note)
			}

			after, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, before, after)
			for i, word := range arguments { // their columns are where they were
				if word == path {
					arguments[i] = fixed
				}
				if word == fixed {
					arguments[i] = filepath.Join(dir, "again"+filepath.Ext(path))
				}
			}
			stdout, stderr, code = fees(arguments...)
			require.Equal(t, exitOK, code, stderr)
			again := reconciliationOf(t, stdout)
			require.Equal(t, r.counts(), again.counts())
			require.Equal(t, r.Total, again.Total)
		})
	}
}

// Without the flag, the message lists the negative rows.
func TestReconcileNegativeIsNamed(t *testing.T) {
	t.Parallel()
	list := allSent(t, "moonbeam-2100")[:5]
	text := "Tx Hash,fee_wei\n"
	for _, s := range list {
		text += s.Hash + ",-" + s.Charged + "\n"
	}
	path := filepath.Join(t.TempDir(), "it's.csv")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	_, stderr, code := fees("reconcile", path, "0..27", "--gateway", "demo", "--quiet", "--map", `fee=fee_wei`, "--separator=comma")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, `column 2 "fee_wei": the value is negative; use --negative if the file writes fees as negative amounts: 5 rows, starting with lines 2, 3 and 4`)
	require.Contains(t, stderr, "5 rows cannot be read. Read it with: fees reconcile '"+strings.ReplaceAll(path, "'", `'\''`)+"' 0..27 --gateway demo --map fee=fee_wei --quiet --separator comma --negative\n")
}
