//go:build unix

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/tier"
)

// offered matches the command lines in messages: one that reads the file, or several with their meanings.
var offered = regexp.MustCompile(`(?m)(?:^fees: if .*: |\. Read it with: )fees (reconcile .*)$`)

// Each suggested command reads the file when pasted.
func TestReconcileAdviceWorks(t *testing.T) {
	t.Parallel()
	s := allSent(t, "moonbeam-2100")[0]
	hash, wei, token := s.Hash, s.Charged, strings.Replace(commaTokens(s.Charged), ",", ".", 1)
	row := func(cells ...string) string { return strings.Join(append([]string{hash}, cells...), ";") + "\n" }
	utf16le := func(text string) string {
		var out bytes.Buffer
		_ = binary.Write(&out, binary.LittleEndian, utf16.Encode([]rune(text))) // to memory
		return out.String()
	}
	for name, c := range map[string]struct {
		text    string
		flags   []string
		offers  int // command lines; 0 where the file is read at once
		matched int // of them
	}{
		"an empty cell more":        {"hash;fee_wei\n" + row(wei, ""), nil, 0, 1},
		"a row that ends early":     {"hash;fee_wei;memo\n" + row(wei), nil, 0, 1},
		"UTC":                       {"hash;fee_wei;date\n" + row(wei, "2026-01-01 00:04:48 UTC"), nil, 0, 1},
		"a worth":                   {"hash;fee\n" + row(token+" GLMR ($0.01)"), nil, 0, 1},
		"UTF-16 without a mark":     {utf16le("hash;fee_wei\n" + row(wei)), nil, 0, 1},
		"a header that comes again": {"hash;fee_wei\n" + row(wei) + "hash;fee_wei\n", nil, 0, 1},
		"pipes":                     {"hash|fee_wei\n" + strings.ReplaceAll(row(wei), ";", "|"), nil, 0, 1},
		"12 hours":                  {"hash;fee_wei;date\n" + row(wei, "1/31/2026 12:04:48 AM"), nil, 0, 1},
		"either day":                {"hash;fee_wei;date\n" + row(wei, "03/04/2026"), nil, 2, 2},
		"a date of nothing":         {"hash;fee_wei;date\n" + row(wei, "Q1"), nil, 1, 1},
		"a date of nothing, mapped": {"hash;fee_wei;day\n" + row(wei, "Q1"), []string{"--map", "date=day"}, 1, 1},
		"seconds":                   {"hash;fee_wei;date\n" + row(wei, "1767225888"), nil, 0, 1},
		"a serial":                  {"hash;fee_wei;date\n" + row(wei, "46023.0033"), nil, 0, 1},
		"either comma":              {"hash;Fee (GLMR)\n" + row("1,234"), nil, 2, 0},
		"a decimal comma":           {"hash;Fee (GLMR)\n" + row(commaTokens(wei)), nil, 0, 1},
		"two columns":               {"hash;Fee;Fee\n" + row("1", wei), []string{"--unit", "wei"}, 2, 1},
		"two columns, mapped":       {"hash;Fee;Fee\n" + row("1", wei), []string{"--unit", "wei", "--map", "fee=Fee"}, 2, 1},
		"two names":                 {"hash;Fee (wei);Tx, Fee (wei)\n" + row("1", wei), nil, 2, 1},
		"both signs":                {"hash;fee_wei;date\n" + row("-"+wei, "Q1") + row("5", "Q2"), nil, 2, 1},
		"no fee":                    {"hash;fee_wei\n" + row(wei) + row(""), nil, 1, 1},
		"a footer":                  {"hash;fee_wei\n" + row(wei) + "Exported by our ERP\n", nil, 1, 1},
		"a preamble, a comma":       {"Our fees\n\nBeleg;Betrag (GLMR)\n" + row(commaTokens(wei)), nil, 1, 1},
		"a hidden digit":            {"hash;fee_wei\n" + row("2.10E+15"), nil, -1, 0},
		"a bound":                   {"hash;fee_wei\n" + row("<5"), nil, -1, 0},
	} {
		if !tier.Takes(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "it's here.csv")
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
			height := fmt.Sprintf("%d..%d", s.Height, s.Height)
			lines := [][]string{append([]string{"reconcile", path, height, "--gateway", "demo", "--accounts", s.From, "--quiet", "--format", "json", "--all"}, c.flags...)}
			if c.offers != 0 {
				_, stderr, code := fees(lines[0]...)
				require.Equal(t, exitUsage, code, stderr)
				lines = nil
				for _, found := range offered.FindAllStringSubmatch(stderr, -1) {
					pasted, err := exec.Command("sh", "-c", `printf '%s\n' `+found[1]).Output()
					require.NoError(t, err)
					lines = append(lines, strings.Split(strings.TrimSuffix(string(pasted), "\n"), "\n"))
				}
				require.Len(t, lines, max(c.offers, 0), stderr)
			}
			matched := 0
			for _, line := range lines {
				stdout, stderr, code := fees(line...)
				require.NotEqual(t, exitUsage, code, stderr)
				r := reconciliationOf(t, stdout)
				matched += r.counts()["matched"]
			}
			require.Equal(t, c.matched, matched)
		})
	}
}

// The remedy for a compressed record is the same command line, which reads the decompressed one from standard input.
func TestACompressedRecord(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("my books.csv", []byte("\x1f\x8b\x08\x00 and more"), 0o600))
	_, stderr, code := fees("reconcile", "my books.csv", "1..27", "--gateway", "demo", "--rows-only", "--unit", "token")
	require.Equal(t, exitUsage, code, stderr)
	require.Contains(t, stderr, "fees: decompressed: gunzip -c 'my books.csv' | fees reconcile - 1..27 --gateway demo --rows-only --unit token\n")
	require.Contains(t, stderr, "compressed with gzip. Decompress it first")
}
