package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// aboutOf reads the statement beside a file.
func aboutOf(t *testing.T, file string) map[string]string {
	text, err := os.ReadFile(file + ".about.txt")
	require.NoError(t, err)
	all := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		require.True(t, ok, line)
		all[name] = strings.TrimSpace(value)
	}
	return all
}

func sumOfFile(t *testing.T, name string) string {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// wordsIn splits a command line as a shell does.
func wordsIn(t *testing.T, line string) []string {
	said, err := exec.Command("sh", "-c", "printf '%s\\0' "+line).Output()
	require.NoError(t, err)
	words := strings.Split(strings.TrimSuffix(string(said), "\x00"), "\x00")
	require.Equal(t, "fees", words[0])
	return words[1:]
}

// The command line of a statement makes the same bytes again, also when the ledger has grown, and the statement
// has the hash of the file and of each input.
func TestMakeItAgain(t *testing.T) {
	bookedMonth(t)
	require.NoError(t, os.WriteFile("our tags.csv", []byte("3-4,Project X\n"), 0o600))
	for i, command := range [][]string{
		{"report", "--by", "account", "--format", "csv"},
		{"report", "--month", "2026-01", "--by", "account-code", "--chart", "chart.csv", "--tags", "our tags.csv", "--format", "json"},
		append([]string{"export", "--as", "hledger", "--accounts", "group:company"}, priced...),
		booking("netsuite", priced...),
		{"export", "--as", "csv", "--accounts", "accounts.csv", "1..20"},
		{"sample", "--size", "3", "--seed", "it's $(me)", "--accounts", "group:company,group:payroll", "--month", "2026-01", "--format", "csv"},
	} {
		file := fmt.Sprint("result", i)
		_, stderr, code := fees(append(command, "-o", file, "--about")...)
		require.Contains(t, []int{exitOK, exitFinding}, code, stderr)
		require.Regexp(t, file+`\.about\.txt states how it was made, at 20[0-9-]+T[0-9:]+Z`, stderr)
		about := aboutOf(t, file)
		require.Equal(t, sumOfFile(t, file), about["SHA-256"])
		require.NotContains(t, about["make it again"], file)
		inputs := 0
		for name, value := range about {
			if strings.HasPrefix(name, "input: ") {
				path, sum, ok := strings.Cut(value, ", SHA-256 ")
				require.True(t, ok)
				require.Equal(t, sumOfFile(t, path), sum)
				inputs++
			}
		}
		require.NotZero(t, inputs)

		again := file + "-again"
		_, stderr, code = fees(append(wordsIn(t, about["make it again"]), "-o", again)...)
		require.Contains(t, []int{exitOK, exitFinding}, code, stderr)
		require.Equal(t, about["SHA-256"], sumOfFile(t, again), command)
	}

	// A workbook has the statement inside, and the same bytes each time.
	var sums []string
	for _, name := range []string{"a.xlsx", "b.xlsx"} {
		_, stderr, code := fees("export", "--as", "xlsx", "--accounts", "group:company", "--month", "2026-01", "--about", "-o", name)
		require.Equal(t, exitOK, code, stderr)
		sums = append(sums, sumOfFile(t, name))
		require.NoFileExists(t, name+".about.txt")
		book, err := zip.OpenReader(name)
		require.NoError(t, err)
		sheets, err := book.Open("xl/workbook.xml")
		require.NoError(t, err)
		text, err := io.ReadAll(sheets)
		require.NoError(t, err)
		require.True(t, bytes.Contains(text, []byte(`name="About"`)))
		require.NoError(t, book.Close())
	}
	require.Equal(t, sums[0], sums[1])

	for _, wrong := range [][]string{
		{"report", "--about"}, {"report", "--about", "--compare", "--month", "2026-01", "-o", "x"}, {"export", "--as", "records", "--about", "-o", "x"},
		{"export", "--partitioned", "lake", "--about"}, {"sample", "--size", "1", "--seed", "a", "--accounts", "group:company", "--about"},
		{"sample", "--size", "1", "--seed", "a"}, {"sample", "--size", "0", "--seed", "a", "--accounts", "group:company"}, {"report", "--by", "tag"},
	} {
		_, stderr, code := fees(wrong...)
		require.NotContains(t, []int{exitOK, exitFinding}, code, wrong)
		require.NotEmpty(t, stderr)
		require.NoFileExists(t, "x.about.txt")
	}
}

// A package with a chart and tags has reports by both, which add up to its own total; it can be checked, and the
// next one lists what changed.
func TestCloseByAChart(t *testing.T) {
	bookedMonth(t)
	require.NoError(t, os.WriteFile("tags.csv", []byte("3-4,Project X\n"), 0o600))
	closeMonth := func(month, dir string, more ...string) string {
		stdout, stderr, code := fees(append([]string{"close", "--month", month, "--partial", "--accounts", "group:company", "--no-balances", "--chart", "chart.csv", "--tags", "tags.csv", "-o", dir}, more...)...)
		require.Contains(t, []int{exitOK, exitFinding}, code, stderr)
		return stdout
	}
	closeMonth("2026-01", "january")
	total := manifestOf(t, "january").Totals.Fee.String()
	for _, name := range []string{"account-codes.json", "tags.json"} {
		text, err := os.ReadFile(filepath.Join("january", name))
		require.NoError(t, err)
		require.Contains(t, string(text), `"fee": "`+total+`"`)
	}
	about, err := os.ReadFile(filepath.Join("january", "about.txt"))
	require.NoError(t, err)
	require.Contains(t, string(about), total+" wei")
	require.Contains(t, string(about), sumOfFile(t, filepath.Join("january", "inputs", "chart.csv")))
	stdout, stderr, code := fees("close", "--check", "january")
	require.Contains(t, []int{exitOK, exitFinding}, code, stdout+stderr)
	require.Contains(t, stdout, "verified")

	require.Contains(t, closeMonth("2026-02", "february"), "Inputs and options are those of 2026-01 (january)")
	chart, err := os.ReadFile("chart.csv")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("chart.csv", append(chart, "Treasury,,,,6899,,\n"...), 0o600))
	changed := closeMonth("2026-02", "february", "--since", "january")
	require.Contains(t, changed, "Changes of inputs and options since 2026-01 (january)")
	require.Contains(t, changed, "    + Treasury,,,,6899,,\n")
	checked, _, _ := fees("close", "--check", "february")
	require.Contains(t, checked, "    + Treasury,,,,6899,,\n")
	_, stderr, code = fees("close", "--month", "2026-02", "--partial", "--accounts", "group:company", "--no-balances", "-o", "march", "--since", "none")
	require.Equal(t, exitUsage, code, stderr)
	require.NoDirExists(t, "march")
}
