package app_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
)

func parsed(t *testing.T, in app.PeriodInput) app.Period {
	p, err := in.Parse()
	require.NoError(t, err)
	return p
}

// Days are the zone's, the whole of both ends; the times were looked up in a calendar.
func TestPeriodOfDays(t *testing.T) {
	for name, test := range map[string]struct {
		flags    app.PeriodInput
		from, to string
	}{
		"month":                  {app.PeriodInput{Month: "2026-01", Timezone: "UTC"}, "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"},
		"year":                   {app.PeriodInput{Year: "2024", Timezone: "Asia/Tokyo"}, "2023-12-31T15:00:00Z", "2024-12-31T15:00:00Z"},
		"year of a zone":         {app.PeriodInput{Year: "2026", Timezone: "Europe/Berlin"}, "2025-12-31T23:00:00Z", "2026-12-31T23:00:00Z"},
		"leap month":             {app.PeriodInput{Month: "2024-02", Timezone: "UTC"}, "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"},
		"december":               {app.PeriodInput{Month: "2025-12", Timezone: "UTC"}, "2025-12-01T00:00:00Z", "2026-01-01T00:00:00Z"},
		"summer time begins":     {app.PeriodInput{Month: "2026-03", Timezone: "Europe/Berlin"}, "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"},
		"a day of 25 hours":      {app.PeriodInput{From: "2026-10-25", To: "2026-10-25", Timezone: "Europe/Berlin"}, "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
		"a zone of 5:45":         {app.PeriodInput{From: "2026-01-01", To: "2026-01-02", Timezone: "Asia/Kathmandu"}, "2025-12-31T18:15:00Z", "2026-01-02T18:15:00Z"},
		"a day of two midnights": {app.PeriodInput{From: "2026-10-25", To: "2026-10-25", Timezone: "Atlantic/Azores"}, "2026-10-25T00:00:00Z", "2026-10-26T01:00:00Z"},
		"a day without midnight": {app.PeriodInput{From: "2018-11-04", To: "2018-11-04", Timezone: "America/Sao_Paulo"}, "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"},
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
	want := ledger.Period{Heights: chain.Some(chain.Heights{First: 7, Last: 9})}
	require.Equal(t, want, parsed(t, app.PeriodInput{Blocks: "7..9"}).Asked)
	require.Equal(t, want, parsed(t, app.PeriodInput{Blocks: "7:+3"}).Asked)
	require.Equal(t, want, parsed(t, app.PeriodInput{From: "7", To: "9"}).Asked)
	require.True(t, parsed(t, app.PeriodInput{}).All)
}

// Month and heights have the names that a person would give them.
func TestPeriodNames(t *testing.T) {
	p, err := app.Month(2024, time.February)
	require.NoError(t, err)
	want := parsed(t, app.PeriodInput{Month: "2024-02"})
	require.Equal(t, want, p)
	require.Equal(t, "2024-02", p.Name)
	require.Equal(t, "2024-02 in Europe/Berlin", parsed(t, app.PeriodInput{Month: "2024-02", Timezone: "Europe/Berlin"}).Name)
	require.Equal(t, "2024-02-01 to 2024-02-03", parsed(t, app.PeriodInput{From: "2024-02-01", To: "2024-02-03"}).Name)
	require.Equal(t, "blocks 7..9", app.Heights(7, 9).Name)
	_, err = app.Month(1969, time.December)
	require.EqualError(t, err, "the period 1969-12 begins before 1970-01-01T00:00:00Z; choose a later one")
}

// The last periods whose end can be written are taken: in Tokyo a day ends before it does in UTC.
func TestTheLastPeriods(t *testing.T) {
	require.Equal(t, "9999-12-31T00:00:00Z", parsed(t, app.PeriodInput{From: "9999-12-30", To: "9999-12-30"}).Asked.To.String())
	require.Equal(t, "9999-12-31T15:00:00Z", parsed(t, app.PeriodInput{Year: "9999", Timezone: "Asia/Tokyo"}).Asked.To.String())
	require.Equal(t, "1970-01-01T05:00:00Z", parsed(t, app.PeriodInput{Year: "1970", Timezone: "America/New_York"}).Asked.From.String())
}

// The error of an invalid period names the fields that are wrong.
func TestPeriodsThatAreNone(t *testing.T) {
	from, to := app.FieldFrom, app.FieldTo
	for name, c := range map[string]struct {
		in     app.PeriodInput
		fields []app.Field
		error  string
	}{
		"two ways":           {app.PeriodInput{Month: "2026-01", From: "2026-01-01"}, []app.Field{app.FieldMonth, app.FieldYear, from, to}, "in one way only"},
		"a month and a year": {app.PeriodInput{Month: "2026-01", Year: "2026"}, []app.Field{app.FieldMonth, app.FieldYear, from, to}, "in one way only"},
		"no year":            {app.PeriodInput{Year: "26"}, []app.Field{app.FieldYear}, `year "26": want a year such as 2026`},
		"a zone of nobody":   {app.PeriodInput{Timezone: "Mars/Olympus"}, []app.Field{app.FieldTimezone}, "want a time zone such as Europe/Berlin"},
		"the machine's own":  {app.PeriodInput{Timezone: "Local"}, []app.Field{app.FieldTimezone}, "want a time zone such as Europe/Berlin"},
		"a path":             {app.PeriodInput{Timezone: "../../etc/passwd"}, []app.Field{app.FieldTimezone}, "want a time zone"},
		"no range":           {app.PeriodInput{Blocks: "1.."}, nil, "1.."},
		"no month":           {app.PeriodInput{Month: "January"}, []app.Field{app.FieldMonth}, `month "January": want a month such as 2026-01`},
		"one end":            {app.PeriodInput{To: "2026-01-01"}, []app.Field{from, to}, "state both "},
		"a wrong beginning":  {app.PeriodInput{From: "x", To: "9"}, []app.Field{from}, `from "x": want a height, or a day`},
		"a wrong end":        {app.PeriodInput{From: "9", To: "4294967296"}, []app.Field{to}, "want a height, or a day"},
		"a day and a height": {app.PeriodInput{From: "9", To: "2026-01-01"}, []app.Field{from, to}, "want two days or two heights"},
		"days backwards":     {app.PeriodInput{From: "2026-01-02", To: "2026-01-01"}, nil, "the period ends before it begins"},
		"heights backwards":  {app.PeriodInput{From: "9", To: "8"}, []app.Field{from, to}, "from 9 to 8: the period ends before it begins"},
		"too long ago":       {app.PeriodInput{From: "1950-01-01", To: "2026-01-01"}, nil, "the period 1950-01-01 to 2026-01-01 begins before 1970-01-01T00:00:00Z; choose a later one"},
		"the first day":      {app.PeriodInput{From: "0001-01-01", To: "5"}, []app.Field{from}, "from 0001-01-01 begins before 1970-01-01T00:00:00Z; choose a later day"},
		"west of 1970":       {app.PeriodInput{Month: "1970-01", Timezone: "Asia/Tokyo"}, nil, "the period 1970-01 in Asia/Tokyo begins before 1970"},
		"the year 0":         {app.PeriodInput{Year: "0000"}, nil, "the period 0000 begins before 1970"},
		"for ever":           {app.PeriodInput{From: "2026-01-01", To: "9999-12-31"}, nil, "the period 2026-01-01 to 9999-12-31 ends after 9999-12-31T23:59:59Z; choose an earlier one"},
		"the last year":      {app.PeriodInput{Year: "9999"}, nil, "the period 9999 ends after 9999-12-31T23:59:59Z"},
		"the last month":     {app.PeriodInput{Month: "9999-12", Timezone: "America/New_York"}, nil, "the period 9999-12 in America/New_York ends after 9999"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.in.Parse()
			require.ErrorContains(t, err, c.error)
			require.Equal(t, c.fields, fieldsOf(t, err))
			require.Equal(t, failure.NotUnderstood, app.KindOf(err))
		})
	}
}

// A ledger may be filled with a range that no period states: it is only not said what the range lacks.
func TestWantedBeforePeriods(t *testing.T) {
	_, err := app.PeriodInput{From: "1950-01-01", To: "2026-01-01"}.ParseWanted()
	require.NoError(t, err)
}
