package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/ledger"
)

func parsed(t *testing.T, f periodFlags, args ...string) period {
	f.last = "to"
	p, err := f.parse(args)
	require.NoError(t, err)
	return p
}

// Days are the zone's, the whole of both ends; the times were looked up in a calendar.
func TestPeriodOfDays(t *testing.T) {
	for name, test := range map[string]struct {
		flags    periodFlags
		from, to string
	}{
		"month":                  {periodFlags{month: "2026-01", timezone: "UTC"}, "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"},
		"leap month":             {periodFlags{month: "2024-02", timezone: "UTC"}, "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"},
		"december":               {periodFlags{month: "2025-12", timezone: "UTC"}, "2025-12-01T00:00:00Z", "2026-01-01T00:00:00Z"},
		"summer time begins":     {periodFlags{month: "2026-03", timezone: "Europe/Berlin"}, "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"},
		"a day of 25 hours":      {periodFlags{from: "2026-10-25", to: "2026-10-25", timezone: "Europe/Berlin"}, "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
		"a zone of 5:45":         {periodFlags{from: "2026-01-01", to: "2026-01-02", timezone: "Asia/Kathmandu"}, "2025-12-31T18:15:00Z", "2026-01-02T18:15:00Z"},
		"a day of two midnights": {periodFlags{from: "2026-10-25", to: "2026-10-25", timezone: "Atlantic/Azores"}, "2026-10-25T00:00:00Z", "2026-10-26T01:00:00Z"},
		"a day without midnight": {periodFlags{from: "2018-11-04", to: "2018-11-04", timezone: "America/Sao_Paulo"}, "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			p := parsed(t, test.flags)
			require.Equal(t, test.from, p.asked.From.String())
			require.Equal(t, test.to, p.asked.To.String())
			require.False(t, p.asked.Heights.Known())
		})
	}
}

func TestPeriodOfHeights(t *testing.T) {
	want := ledger.Period{Heights: chain.Some(ledger.Span{First: 7, Last: 9})}
	require.Equal(t, want, parsed(t, periodFlags{}, "7..9").asked)
	require.Equal(t, want, parsed(t, periodFlags{}, "7:+3").asked)
	require.Equal(t, want, parsed(t, periodFlags{from: "7", to: "9"}).asked)
	require.True(t, parsed(t, periodFlags{}).all)
}
