package chain_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/blocktest"
)

func TestEventIs(t *testing.T) {
	e := chain.Event{Pallet: "system", Name: "ExtrinsicSuccess"}
	for name, test := range map[string]struct {
		pallet, event string
		want          bool
	}{
		"the same":        {"system", "ExtrinsicSuccess", true},
		"other event":     {"system", "ExtrinsicFailed", false},
		"other pallet":    {"ethereum", "ExtrinsicSuccess", false},
		"swapped":         {"ExtrinsicSuccess", "system", false},
		"other case":      {"System", "ExtrinsicSuccess", false},
		"beginning":       {"system", "Extrinsic", false},
		"nothing":         {"", "", false},
		"no pallet given": {"", "ExtrinsicSuccess", false},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, e.Is(test.pallet, test.event))
		})
	}
}

func TestOutcome(t *testing.T) {
	other := blocktest.Event(t, "balances.Withdraw", `["0x01","5"]`)
	foreign := blocktest.Event(t, "foreign.ExtrinsicSuccess", `[{"weight":"1"}]`)
	success := blocktest.Event(t, "system.ExtrinsicSuccess", `[{"weight":{"refTime":"1000","proofSize":"20"},"class":"Normal"}]`)
	failed := blocktest.Event(t, "system.ExtrinsicFailed", `[{"module":{"index":3}},{"weight":"7"}]`)
	for name, test := range map[string]struct {
		events        []chain.Event
		success       bool
		weight        chain.Weight
		missing, fail string
	}{
		"success":                   {events: []chain.Event{success}, success: true, weight: chain.Weight{RefTime: chain.NewRefTime(1000), ProofSize: 20}},
		"failed":                    {events: []chain.Event{failed}, weight: chain.Weight{RefTime: chain.NewRefTime(7)}},
		"success among others":      {events: []chain.Event{other, foreign, success, other}, success: true, weight: chain.Weight{RefTime: chain.NewRefTime(1000), ProofSize: 20}},
		"failed after others":       {events: []chain.Event{foreign, other, failed}, weight: chain.Weight{RefTime: chain.NewRefTime(7)}},
		"no events":                 {missing: "event system.ExtrinsicSuccess: missing"},
		"other events only":         {events: []chain.Event{other, foreign}, missing: "event system.ExtrinsicSuccess: missing"},
		"success twice":             {events: []chain.Event{success, other, success}, fail: "2 events of system.ExtrinsicSuccess and ExtrinsicFailed, want one"},
		"failed twice":              {events: []chain.Event{failed, failed}, fail: "2 events of system.ExtrinsicSuccess and ExtrinsicFailed, want one"},
		"both":                      {events: []chain.Event{failed, success}, fail: "2 events of system.ExtrinsicSuccess and ExtrinsicFailed, want one"},
		"three":                     {events: []chain.Event{success, failed, success}, fail: "3 events of system.ExtrinsicSuccess and ExtrinsicFailed, want one"},
		"success and a namesake":    {events: []chain.Event{success, foreign}, success: true, weight: chain.Weight{RefTime: chain.NewRefTime(1000), ProofSize: 20}},
		"failed, then other events": {events: []chain.Event{failed, other, other}, weight: chain.Weight{RefTime: chain.NewRefTime(7)}},
	} {
		t.Run(name, func(t *testing.T) {
			x := chain.Extrinsic{Events: test.events}
			have, err := x.Outcome()
			blocktest.RequireMessage(t, err, test.missing, test.fail)
			if err != nil {
				require.Equal(t, chain.Outcome{}, have)
				return
			}
			require.Equal(t, test.success, have.Success)
			weight, err := have.Weight()
			require.NoError(t, err)
			require.Equal(t, test.weight, weight)
		})
	}
}

// Dispatch information in the wrong place counts as missing, not as zero.
func TestOutcomeWithoutWeight(t *testing.T) {
	for name, test := range map[string]struct {
		event, data   string
		missing, fail string
	}{
		"empty data":           {"ExtrinsicSuccess", `[]`, "weight: missing", ""},
		"info without weight":  {"ExtrinsicSuccess", `[{"class":"Normal"}]`, "weight: missing", ""},
		"weight is null":       {"ExtrinsicSuccess", `[{"weight":null}]`, "weight: missing", ""},
		"failed like success":  {"ExtrinsicFailed", `[{"weight":"1"}]`, "weight: missing", ""},
		"weight without time":  {"ExtrinsicFailed", `[{},{"weight":{"proofSize":"1"}}]`, "weight: refTime: missing", ""},
		"malformed weight":     {"ExtrinsicSuccess", `[{"weight":"1.5"}]`, "", `weight: "1.5" is not a non-negative integer`},
		"weight of other kind": {"ExtrinsicSuccess", `[{"weight":[1]}]`, "", "weight: want a number, have an array"},
	} {
		t.Run(name, func(t *testing.T) {
			x := chain.Extrinsic{Events: []chain.Event{blocktest.Event(t, "system."+test.event, test.data)}}
			outcome, err := x.Outcome()
			require.NoError(t, err)
			weight, err := outcome.Weight()
			blocktest.RequireMessage(t, err, test.missing, test.fail)
			require.Equal(t, chain.Weight{}, weight)
		})
	}
}

// set returns a block in which the inherent timestamp.set is the second extrinsic.
func set(t testing.TB, args string) *chain.Block {
	t.Helper()
	return blocktest.Block(t, blocktest.ExtrinsicText("parachainSystem.set", "{}"), blocktest.ExtrinsicText("timestamp.set", args), blocktest.ExtrinsicText("timestamp.other", "{}"))
}

func TestBlockTime(t *testing.T) {
	for name, test := range map[string]struct{ args, want string }{
		"whole second":         {`{"now":"1700000000000"}`, "2023-11-14T22:13:20Z"},
		"with milliseconds":    {`{"now":"1700000000123"}`, "2023-11-14T22:13:20.123Z"},
		"one millisecond":      {`{"now":"1700000000001"}`, "2023-11-14T22:13:20.001Z"},
		"hundred milliseconds": {`{"now":"1700000000100"}`, "2023-11-14T22:13:20.100Z"},
		"as a number":          {`{"now":1700000000999}`, "2023-11-14T22:13:20.999Z"},
		"as hex":               {`{"now":"0x18bcfe56800"}`, "2023-11-14T22:13:20Z"},
		"epoch":                {`{"now":"0"}`, "1970-01-01T00:00:00Z"},
		"leap day":             {`{"now":"1709164800000"}`, "2024-02-29T00:00:00Z"},
		"last of all":          {`{"now":"253402300799999"}`, "9999-12-31T23:59:59.999Z"},
	} {
		t.Run(name, func(t *testing.T) {
			b := set(t, test.args)
			known, err := b.Time()
			require.NoError(t, err)
			have, ok := known.Get()
			require.True(t, ok, "the block has no time")
			require.Equal(t, test.want, have.String())

			want, err := time.Parse(time.RFC3339, test.want)
			require.NoError(t, err)
			require.True(t, want.Equal(have.Std()), "Std is %v", have.Std())
			require.Equal(t, time.UTC, have.Std().Location())

			inJSON, err := json.Marshal(known)
			require.NoError(t, err)
			require.Equal(t, `"`+test.want+`"`, string(inJSON))
		})
	}
}

func TestBlockWithoutTime(t *testing.T) {
	for name, extrinsics := range map[string][]chain.Extrinsic{
		"no extrinsics":    nil,
		"other extrinsics": {{Pallet: "timestamp", Call: "other"}, {Pallet: "other", Call: "set"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := chain.Block{Extrinsics: extrinsics}
			have, err := b.Time()
			require.NoError(t, err)
			require.False(t, have.Known())
		})
	}
}

func TestMalformedBlockTime(t *testing.T) {
	const path = "extrinsic 1, timestamp.set: args.now: "
	for name, test := range map[string]struct {
		args          string
		missing, fail string
	}{
		"no arguments":       {`null`, path + "missing", ""},
		"no argument now":    {`{"then":"1"}`, path + "missing", ""},
		"null":               {`{"now":null}`, path + "missing", ""},
		"arguments in array": {`["1"]`, path + "missing", ""},
		"beyond year 9999":   {`{"now":"253402300800000"}`, "", path + "253402300800000 milliseconds is not a valid time"},
		"largest of 64 bits": {`{"now":18446744073709551615}`, "", path + "18446744073709551615 milliseconds is not a valid time"},
		"more than 64 bits":  {`{"now":18446744073709551616}`, "", path + "18446744073709551616 is more than 64 bits"},
		"negative":           {`{"now":-1}`, "", path + `"-1" is not a non-negative integer`},
		"date":               {`{"now":"2023-11-14"}`, "", path + `"2023-11-14" is not a non-negative integer`},
		"object":             {`{"now":{}}`, "", path + "want a number, have an object"},
	} {
		t.Run(name, func(t *testing.T) {
			b := set(t, test.args)
			have, err := b.Time()
			blocktest.RequireMessage(t, err, test.missing, test.fail)
			require.False(t, have.Known(), "a time beside an error")
		})
	}
}
