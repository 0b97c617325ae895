package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/source"
)

// other is a source of a test-only type that serves recordings.
type other struct{ source.Source }

func (o other) Unwrap() source.Source { return o.Source }

// A source registered by the test works in every command like recordings.
func TestAnotherKindOfSource(t *testing.T) {
	t.Parallel()
	drivers := source.Drivers
	t.Cleanup(func() { source.Drivers = drivers })
	source.Drivers = append([]source.Driver{{
		Matches: func(place string) bool { return place == "made-up" },
		Open: func(_ string, o source.Options) (source.Source, error) {
			recordings, err := source.Open(recorded(t), o)
			return other{recordings}, err
		},
	}}, drivers...)

	directory := t.TempDir()
	accounts := filepath.Join(directory, "mine.csv")
	require.NoError(t, os.WriteFile(accounts, []byte("0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac,Mine\n"), 0o644))
	ran := func(place string, args ...string) (stdout, stderr string, code int) {
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "$", filepath.Join(directory, filepath.Base(place))+"-")
		}
		stdout, stderr, code = fees(append(args, "--gateway", place)...)
		without := strings.NewReplacer(filepath.Join(directory, filepath.Base(place)), "", place, "")
		return without.Replace(stdout), without.Replace(stderr), code
	}
	for _, args := range [][]string{
		{"verify", "0..27"},
		{"watch", "--from", "20", "--format", "csv"},
		{"suggest"},
		{"sync", "0..20", "--ledger", "$book.db"},
		{"follow", "--ledger", "$book.db"},
		{"ledger", "verify", "--ledger", "$book.db"},
		{"close", "--month", "2026-01", "--partial", "--accounts", accounts, "--ledger", "$book.db", "-o", "$january"},
		{"close", "--check", "$january", "--ledger", "$book.db"},
	} {
		wantOut, wantErr, wantCode := ran(recorded(t), append([]string{}, args...)...)
		haveOut, haveErr, haveCode := ran("made-up", append([]string{}, args...)...)
		require.Equal(t, wantOut, haveOut, "%v", args)
		require.Equal(t, wantErr, haveErr, "%v", args)
		require.Equal(t, wantCode, haveCode, "%v", args)
		require.Contains(t, []int{exitOK, exitFinding}, haveCode, "%v: %s", args, haveErr)
	}
}
