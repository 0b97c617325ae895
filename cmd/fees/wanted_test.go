package main

import (
	"net/http/httptest"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/chaingen"
)

// slow serves a generated chain with a block every six hours: blocks 1 to 4 are of 2026-01-01, 5 to 8 of the next day,
// and so on. Block 0 has no time.
func slow(t testing.TB, head uint64) (made *chaingen.Chain, gateway string) {
	made = chaingen.New(chaingen.Options{Seed: 17, Head: head, Begin: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Every: 6 * time.Hour})
	server := httptest.NewServer(made.Handler())
	t.Cleanup(server.Close)
	return made, server.URL
}

// A ledger filled by days covers them in every time zone (14 hours before, 12 after), with one more block at each
// end. A ledger filled by the heights of the days does not, since more blocks could exist.
func TestSyncOfDaysCoversThem(t *testing.T) {
	t.Parallel()
	_, gateway := slow(t, 20)
	for name, c := range map[string]struct {
		fill    []string
		blocks  string // that are stored
		covered bool
	}{
		"days":                 {[]string{"--from", "2026-01-02", "--to", "2026-01-03"}, "2..15", true},
		"the chain's first":    {[]string{"--from", "2026-01-01", "--to", "2026-01-03"}, "1..15", true},
		"to a height":          {[]string{"--from", "2026-01-02", "--to", "13"}, "2..13", true},
		"heights of the days":  {[]string{"5..12"}, "5..12", false},
		"nothing before":       {[]string{"5..13"}, "5..13", false},
		"nothing after":        {[]string{"4..12"}, "4..12", false},
		"an unfinished day":    {[]string{"--from", "2026-01-02", "--to", "2026-01-02"}, "2..11", false},
		"up to the newest one": {[]string{"--from", "2026-01-02"}, "2..20", true},
	} {
		t.Run(name, func(t *testing.T) {
			place := newLedgerFile(t)
			stdout, stderr, code := fees(append([]string{"sync", "--signatures=false", "--gateway", gateway, "--ledger", place, "--quiet"}, c.fill...)...)
			require.Contains(t, []int{exitOK, exitFinding}, code, stderr)
			require.Regexp(t, `: blocks `+regexp.QuoteMeta(c.blocks)+`(,[^:]*)?: `, stdout)
			stdout, stderr, code = fees("report", "--from", "2026-01-02", "--to", "2026-01-03", "--ledger", place, "--format", "csv", "--quiet")
			if !c.covered {
				require.Equal(t, exitLedger, code)
				require.Contains(t, stderr, "2026-01-02 to 2026-01-03 is incomplete")
				return
			}
			require.Contains(t, []int{exitOK, exitFinding}, code, stderr)
			require.Contains(t, stdout, "\n2026-01-02,")
			require.Contains(t, stdout, "\n2026-01-03,")
			require.NotContains(t, stdout, "2026-01-01")
			require.NotContains(t, stdout, "2026-01-04")
		})
	}
}

// An unfinished day is not covered; once it has ended, the same command adds the missing blocks.
func TestSyncOfADayThatGoesOn(t *testing.T) {
	t.Parallel()
	made, gateway := slow(t, 7)
	place := newLedgerFile(t)
	day := []string{"--from", "2026-01-02", "--to", "2026-01-02", "--ledger", place, "--quiet"}
	for _, step := range []struct {
		head    uint64
		told    string
		covered bool
	}{
		{7, ": blocks 2..7, for 2026-01-02 to 2026-01-02 with a margin for every time zone: 6 stored, 0 already there; ", false},
		{8, ": 1 stored, 6 already there; ", false}, // the day's last, but nothing says so
		{9, ": 1 stored, 7 already there; ", true},
		{11, ": blocks 2..11, for 2026-01-02 to 2026-01-02 with a margin for every time zone: 2 stored, 8 already there; ", true},
		{12, ": 0 stored, 10 already there; ", true}, // it is after the day in every zone
	} {
		made.SetHead(step.head)
		stdout, stderr, code := fees(append([]string{"sync", "--signatures=false", "--gateway", gateway}, day...)...)
		require.Contains(t, []int{exitOK, exitFinding}, code, stderr)
		require.Contains(t, stdout, step.told)
		_, stderr, code = fees(append([]string{"report"}, day...)...)
		require.Equal(t, step.covered, code != exitLedger, stderr)
	}
}
