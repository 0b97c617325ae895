package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/archive/demo/monthend"
)

// minMessages is the minimum number of distinct messages in the golden file.
const minMessages = 120

// TestMessages runs the commands in testdata/messages.txt and compares their exit codes and standard
// error. To add a message, add a line "$ fees ..." and run the test with -update.
func TestMessages(t *testing.T) {
	golden, err := filepath.Abs("testdata/messages.txt")
	require.NoError(t, err)
	text, err := os.ReadFile(golden)
	require.NoError(t, err)
	prepareMessages(t)
	var got strings.Builder
	messages := map[string]bool{}
	printing := &follower{t, map[string]bool{}}
	for line := range strings.Lines(string(text)) {
		command, ok := strings.CutPrefix(line, "$ fees")
		if !ok {
			if strings.HasPrefix(line, "#") {
				got.WriteString(line)
			}
			continue
		}
		args := splitQuoted(command)
		stdout, stderr, code := fees(args...)
		printing.follow(outcome{args, stderr + stdout, code})
		messages[stderr] = true
		fmt.Fprintf(&got, "%sexit %d\n%s\n", line, code, stderr)
	}
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String(), "run the test with -update if the change is intended")
	require.GreaterOrEqual(t, len(messages), minMessages)
}

// prepareMessages changes to a directory of fees demo with a ledger, damaged files and a short archive.
func prepareMessages(t *testing.T) {
	directory := t.TempDir()
	require.NoError(t, monthend.Write(directory))
	t.Chdir(directory)
	for _, command := range []string{"sync 0..30 --gateway gateway --quiet", "sync 10..12 --gateway gateway --ledger small.db --quiet", "sync 3..27 --gateway demo --ledger other.db --quiet"} {
		_, stderr, code := fees(strings.Fields(command)...)
		require.Contains(t, []int{exitOK, exitFinding}, code, stderr)
	}
	require.NoError(t, os.CopyFS("damaged", os.DirFS("gateway")))
	require.NoError(t, os.Mkdir("empty", 0o777))
	for name, content := range map[string]string{
		"note.txt":              "hello\n",
		"damaged/manifest.json": `{"first": 0`,
		"duplicate.csv":         "address,label\n0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac,One\n0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac,Two\n",
		"no-address.csv":        "name,label\nx,y\n",
		"no-source.csv":         "date,EUR\n2026-01-31,0.2\n",
		"late.csv":              "# source: sample\ndate,EUR\n2027-01-01,0.2\n",
		"no-fee.csv":            "hash,amount\n0x01,5\n",
		"no-unit.csv":           "tx hash,fee\n0x0000000000000000000000000000000000000000000000000000000000000001,0.5\n",
		"comma.csv":             "tx hash;fee (token)\n0x0000000000000000000000000000000000000000000000000000000000000001;0,5\n",
		"networks.json":         `{"networks": []}`,
		"networks-bad.json":     `{"networks": [{"name": "x"}]}`,
		"bad-users.txt":         "anna:plain\n",
		"draft.json":            `{}`,
		"proof.json":            `["0x00"]`,
		"classes.csv":           "pallet,method,direction,class\nbalances,Transfer,in,nonsense\n",
		"certificate.pem":       "not a certificate\n",
	} {
		require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	}
}

// splitQuoted splits a command line at spaces, except within single quotes.
func splitQuoted(line string) (words []string) {
	for i, part := range strings.Split(strings.TrimSpace(line), "'") {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}
