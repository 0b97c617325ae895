package chain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/blocktest"
)

func TestOutcomeClass(t *testing.T) {
	for info, want := range map[string]chain.DispatchClass{
		`{"weight": 1, "class": "Normal", "paysFee": "Yes"}`: chain.Normal,
		`{"class": "Operational"}`:                           chain.Operational,
		`{"class": "Mandatory"}`:                             chain.Mandatory,
	} {
		class, err := outcomeOf(t, info).Class()
		require.NoError(t, err, info)
		require.Equal(t, want, class, info)
	}
	for info, want := range map[string]string{
		`{}`:                  "class: missing",
		`null`:                "class: missing",
		`{"class": null}`:     "class: missing",
		`{"class": 1}`:        "class: want a string, have a number",
		`{"class": "normal"}`: "class: want Normal, Operational or Mandatory",
		`{"class": ""}`:       "class: want Normal, Operational or Mandatory",
	} {
		class, err := outcomeOf(t, info).Class()
		require.EqualError(t, err, want, info)
		require.Empty(t, class, info)
	}
}

func TestOutcomePaysFee(t *testing.T) {
	for info, want := range map[string]bool{`{"paysFee": "Yes"}`: true, `{"paysFee": "No"}`: false} {
		pays, err := outcomeOf(t, info).PaysFee()
		require.NoError(t, err, info)
		require.Equal(t, want, pays, info)
	}
	for info, want := range map[string]string{
		`{}`:                "paysFee: missing",
		`{"paysFee": true}`: "paysFee: want a string, have a bool",
		`{"paysFee": "no"}`: "paysFee: want Yes or No",
	} {
		_, err := outcomeOf(t, info).PaysFee()
		require.EqualError(t, err, want, info)
	}
}

// outcomeOf returns the outcome with dispatch information in text.
func outcomeOf(t testing.TB, info string) chain.Outcome {
	t.Helper()
	x := chain.Extrinsic{Events: []chain.Event{blocktest.Event(t, "system.ExtrinsicSuccess", "["+info+"]")}}
	outcome, err := x.Outcome()
	require.NoError(t, err)
	return outcome
}
