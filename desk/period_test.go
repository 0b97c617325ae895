package desk_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/desk"
	"github.com/feeledger/fees/ledger"
)

func parsed(t *testing.T, in desk.PeriodInput) desk.Period {
	p, err := in.Parse()
	require.NoError(t, err)
	return p
}

// Days are the zone's, the whole of both ends; the times were looked up in a calendar.
func TestPeriodOfDays(t *testing.T) {
	for name, test := range map[string]struct {
		flags    desk.PeriodInput
		from, to string
	}{
		"month":                  {desk.PeriodInput{Month: "2026-01", Timezone: "UTC"}, "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"},
		"leap month":             {desk.PeriodInput{Month: "2024-02", Timezone: "UTC"}, "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"},
		"december":               {desk.PeriodInput{Month: "2025-12", Timezone: "UTC"}, "2025-12-01T00:00:00Z", "2026-01-01T00:00:00Z"},
		"summer time begins":     {desk.PeriodInput{Month: "2026-03", Timezone: "Europe/Berlin"}, "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"},
		"a day of 25 hours":      {desk.PeriodInput{From: "2026-10-25", To: "2026-10-25", Timezone: "Europe/Berlin"}, "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
		"a zone of 5:45":         {desk.PeriodInput{From: "2026-01-01", To: "2026-01-02", Timezone: "Asia/Kathmandu"}, "2025-12-31T18:15:00Z", "2026-01-02T18:15:00Z"},
		"a day of two midnights": {desk.PeriodInput{From: "2026-10-25", To: "2026-10-25", Timezone: "Atlantic/Azores"}, "2026-10-25T00:00:00Z", "2026-10-26T01:00:00Z"},
		"a day without midnight": {desk.PeriodInput{From: "2018-11-04", To: "2018-11-04", Timezone: "America/Sao_Paulo"}, "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			p := parsed(t, test.flags)
			require.Equal(t, test.from, p.Asked.From.String())
			require.Equal(t, test.to, p.Asked.To.String())
			require.False(t, p.Asked.Heights.Known())
		})
	}
}

func TestPeriodOfHeights(t *testing.T) {
	want := ledger.Period{Heights: chain.Some(ledger.Span{First: 7, Last: 9})}
	require.Equal(t, want, parsed(t, desk.PeriodInput{Blocks: "7..9"}).Asked)
	require.Equal(t, want, parsed(t, desk.PeriodInput{Blocks: "7:+3"}).Asked)
	require.Equal(t, want, parsed(t, desk.PeriodInput{From: "7", To: "9"}).Asked)
	require.True(t, parsed(t, desk.PeriodInput{}).All)
}
