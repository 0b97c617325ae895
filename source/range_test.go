package source_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/source"
)

func TestParseRange(t *testing.T) {
	for text, want := range map[string]chain.Heights{
		"0..0":                   {First: 0, Last: 0},
		"3..9":                   {First: 3, Last: 9},
		"0..4294967295":          {First: 0, Last: 4294967295},
		"4294967295..4294967295": {First: 4294967295, Last: 4294967295},
		"3:+1":                   {First: 3, Last: 3},
		"100:+100":               {First: 100, Last: 199},
		"0:+4294967296":          {First: 0, Last: 4294967295},
		"4294967295:+1":          {First: 4294967295, Last: 4294967295},
	} {
		r, err := source.ParseRange(text)
		require.NoError(t, err, text)
		require.Equal(t, want, r, text)
		again, err := source.ParseRange(r.String())
		require.NoError(t, err, text)
		require.Equal(t, want, again, text)
	}
}

func TestParseRangeErrors(t *testing.T) {
	const (
		form     = "want A..B, both included, or A:+N for N blocks from A, such as 100..199 or 100:+100"
		reversed = "the range ends before it starts; write the lower height first"
		none     = "want 1 block or more"
		tooHigh  = "heights go from 0 to 4294967295"
	)
	for text, want := range map[string]string{
		"": form, "..": form, ":+": form, "5": form, "5..": form, "..5": form, "5:+": form, ":+5": form,
		"head..5": form, "1...5": form, "1..2..3": form, "1..2:+3": form, "1:+2..3": form, "5:3": form, "5:-3": form,
		"-1..5": form, "+1..5": form, "1..+5": form, "1..-5": form, "1:++5": form, "1.5..3": form, "1e3..2e3": form,
		" 1..2": form, "1..2 ": form, "1 .. 2": form, "1_0..20": form, "0x1..0x2": form, "1..2.5": form, "a:+1": form,
		"9..3": reversed, "4294967296..5": reversed,
		"5:+0": none, "4294967295:+0": none,
		"0..4294967296": tooHigh, "4294967296..4294967297": tooHigh, "0:+4294967297": tooHigh, "1:+4294967296": tooHigh,
		"4294967296:+1": tooHigh, "0:+18446744073709551615": tooHigh, "1:+18446744073709551615": tooHigh,
		"0..99999999999999999999": tooHigh, "99999999999999999999..5": tooHigh, "0:+99999999999999999999": tooHigh,
	} {
		r, err := source.ParseRange(text)
		require.EqualError(t, err, `range "`+text+`": `+want)
		require.Zero(t, r)
	}
}
