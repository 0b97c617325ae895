package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// namesTheDemo matches command lines that read the demo or its ledger.
var namesTheDemo = regexp.MustCompile(`(--gateway|--against|archive serve) demo\b`)

// neverEnds are commands that run until stopped; the scripts cover them.
var neverEnds = regexp.MustCompile(`^(archive )?serve `)

// TestExamplesOfTheDemo runs every command line in help, README and documents that uses the built-in demo. Each
// must end with 0, since newcomers start with them.
func TestExamplesOfTheDemo(t *testing.T) {
	var texts []string
	for c := range commands(newRoot(io.Discard, io.Discard)) {
		texts = append(texts, strings.ReplaceAll(c.Example, "\\\n      ", ""))
	}
	for _, pattern := range []string{"../../README.md", "../../docs/*.md"} {
		pages, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, page := range pages {
			text, err := os.ReadFile(page)
			require.NoError(t, err)
			texts = append(texts, string(text))
		}
	}
	t.Chdir(t.TempDir())
	require.Equal(t, exitOK, run(t.Context(), strings.Fields("sync 3..27 --gateway demo --ledger demo.db"), io.Discard, io.Discard))
	ran := 0
	for _, text := range texts {
		for line := range strings.SplitSeq(text, "\n") {
			_, command, ok := strings.Cut(line, "fees ")
			if !ok || !strings.HasPrefix(line, "  ") || !namesTheDemo.MatchString(command) {
				continue
			}
			command, _, _ = strings.Cut(command, "  ") // what is said of it
			if neverEnds.MatchString(command) {
				continue
			}
			var out, errors bytes.Buffer
			require.Equal(t, exitOK, run(t.Context(), strings.Fields(command), &out, &errors), "fees %s\n%s%s", command, &errors, &out)
			ran++
		}
	}
	require.Greater(t, ran, 20)
}

// Every demo account with balances is proved, block by block and as a whole. It closes with the real gateway's
// balance at the last block.
func TestAccountsOfTheDemo(t *testing.T) {
	t.Parallel()
	accounts, err := filepath.Glob(filepath.Join(recordings(t), "moonbeam-2100/balance-info/*"))
	require.NoError(t, err)
	require.Len(t, accounts, 18)
	book := newLedgerFile(t)
	outputOf(t, exitOK, "sync", "--month", "2026-01", "--gateway", "demo", "--ledger", book, "--quiet")
	for _, directory := range accounts {
		account := filepath.Base(directory)
		text, err := os.ReadFile(filepath.Join(directory, "27.json"))
		require.NoError(t, err)
		var recorded struct{ Free, Reserved string }
		require.NoError(t, json.Unmarshal(text, &recorded))
		var proved struct {
			Proved  bool
			Closing struct{ Free, Reserved string }
		}
		stdout := outputOf(t, exitOK, "statement", account, "--every-block", "--gateway", "demo", "--ledger", book, "--quiet", "--format", "json")
		require.NoError(t, json.Unmarshal([]byte(stdout), &proved))
		require.True(t, proved.Proved, account)
		require.Equal(t, recorded, proved.Closing, account)
		outputOf(t, exitOK, "verify", "3..27", "--accounts", account, "--gateway", "demo", "--quiet")
	}
}
