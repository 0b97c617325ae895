package chain_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
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

// weights are the three forms of a weight, and malformed ones.
var weights = map[string]struct {
	text          string
	time, proof   uint64
	missing, fail string // the message, if any
}{
	"camel case":                 {text: `{"refTime":"1000","proofSize":"20"}`, time: 1000, proof: 20},
	"snake case":                 {text: `{"ref_time":1000,"proof_size":20}`, time: 1000, proof: 20},
	"mixed cases":                {text: `{"refTime":1000,"proof_size":20}`, time: 1000, proof: 20},
	"hex":                        {text: `{"refTime":"0x3e8","proofSize":"0x14"}`, time: 1000, proof: 20},
	"proof size first":           {text: `{"proofSize":"20","refTime":"1000"}`, time: 1000, proof: 20},
	"unknown members":            {text: `{"more":true,"refTime":"1000","proofSize":"20","other":[1]}`, time: 1000, proof: 20},
	"without proof size":         {text: `{"refTime":"1000"}`, time: 1000},
	"zeros":                      {text: `{"refTime":"0","proofSize":"0"}`},
	"largest":                    {text: `{"refTime":18446744073709551615,"proofSize":"0xffffffffffffffff"}`, time: 1<<64 - 1, proof: 1<<64 - 1},
	"one number":                 {text: `1000`, time: 1000},
	"one number as a string":     {text: `"1000"`, time: 1000},
	"one number in hex":          {text: `"0x3e8"`, time: 1000},
	"one number, largest":        {text: `18446744073709551615`, time: 1<<64 - 1},
	"one number, too large":      {text: `18446744073709551616`, fail: "18446744073709551616 is more than 64 bits"},
	"null":                       {text: `null`, missing: "missing"},
	"empty object":               {text: `{}`, missing: "refTime: missing"},
	"proof size only":            {text: `{"proofSize":"20"}`, missing: "refTime: missing"},
	"in other case":              {text: `{"RefTime":"1000"}`, missing: "refTime: missing"},
	"ref time null":              {text: `{"refTime":null,"proofSize":"20"}`, missing: "refTime: missing"},
	"proof size null":            {text: `{"refTime":"1000","proofSize":null}`, missing: "proofSize: missing"},
	"ref time malformed":         {text: `{"refTime":"-1","proofSize":"20"}`, fail: `refTime: "-1" is not a non-negative integer`},
	"ref time too large":         {text: `{"ref_time":"18446744073709551616"}`, fail: "ref_time: 18446744073709551616 is more than 64 bits"},
	"proof size a fraction":      {text: `{"refTime":"1000","proof_size":1.5}`, fail: `proof_size: "1.5" is not a non-negative integer`},
	"ref time in both spellings": {text: `{"refTime":"1","ref_time":"1"}`, fail: "ref_time: given twice"},
	"proof in both spellings":    {text: `{"refTime":"1","proof_size":"2","proofSize":"2"}`, fail: "proofSize: given twice"},
	"nested":                     {text: `{"refTime":{"value":"1"}}`, fail: "refTime: want a number, have an object"},
	"array":                      {text: `["1000","20"]`, fail: "want a number, have an array"},
	"bool":                       {text: `true`, fail: "want a number, have a bool"},
	"empty string":               {text: `""`, fail: `"" is not a non-negative integer`},
}

func TestReadWeight(t *testing.T) {
	for name, test := range weights {
		t.Run(name, func(t *testing.T) {
			have, err := chain.Read[chain.Weight](value(t, test.text))
			requireMessage(t, err, test.missing, test.fail)
			require.Equal(t, chain.Weight{RefTime: chain.NewRefTime(test.time), ProofSize: test.proof}, have)
		})
	}
}

// A block's weight, as the gateway writes system.blockWeight: each class has a separate weight, and none may
// be missing.
func TestReadClassWeights(t *testing.T) {
	const good = `{"normal":{"refTime":"1","proofSize":"2"},"operational":{"refTime":"3","proofSize":"4"},"mandatory":{"refTime":"5","proofSize":"6"}}`
	of := func(time, proof uint64) chain.Weight {
		return chain.Weight{RefTime: chain.NewRefTime(time), ProofSize: proof}
	}
	have, err := chain.Read[chain.ClassWeights](value(t, good))
	require.NoError(t, err)
	require.Equal(t, chain.ClassWeights{Normal: of(1, 2), Operational: of(3, 4), Mandatory: of(5, 6)}, have)
	for _, class := range []string{"normal", "operational", "mandatory"} {
		have, err := chain.Read[chain.ClassWeights](value(t, strings.Replace(good, class, "other", 1)))
		requireMessage(t, err, class+": missing", "")
		require.Zero(t, have)
	}
	_, err = chain.Read[chain.ClassWeights](value(t, strings.Replace(good, `"3"`, `"-3"`, 1)))
	requireMessage(t, err, "", `operational: refTime: "-3" is not a non-negative integer`)
	_, err = chain.Read[chain.ClassWeights](value(t, `null`))
	requireMessage(t, err, "normal: missing", "")
}

func requireMessage(t *testing.T, err error, missing, fail string) {
	t.Helper()
	switch {
	case missing != "":
		require.EqualError(t, err, missing)
		require.ErrorIs(t, err, chain.ErrMissing)
	case fail != "":
		require.EqualError(t, err, fail)
		require.NotErrorIs(t, err, chain.ErrMissing)
	default:
		require.NoError(t, err)
	}
}

func TestAbsentWeight(t *testing.T) {
	_, err := chain.Read[chain.Weight](jsonscan.Value{})
	require.ErrorIs(t, err, chain.ErrMissing)
}

func TestOutcome(t *testing.T) {
	other := chain.Event{Pallet: "balances", Name: "Withdraw", Data: value(t, `["0x01","5"]`)}
	foreign := chain.Event{Pallet: "foreign", Name: "ExtrinsicSuccess", Data: value(t, `[{"weight":"1"}]`)}
	success := chain.Event{Pallet: "system", Name: "ExtrinsicSuccess", Data: value(t, `[{"weight":{"refTime":"1000","proofSize":"20"},"class":"Normal"}]`)}
	failed := chain.Event{Pallet: "system", Name: "ExtrinsicFailed", Data: value(t, `[{"module":{"index":3}},{"weight":"7"}]`)}
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
			requireMessage(t, err, test.missing, test.fail)
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
		event         string
		data          jsonscan.Value
		missing, fail string
	}{
		"no data":              {"ExtrinsicSuccess", jsonscan.Value{}, "weight: missing", ""},
		"empty data":           {"ExtrinsicSuccess", value(t, `[]`), "weight: missing", ""},
		"data is an object":    {"ExtrinsicSuccess", value(t, `{"weight":"1"}`), "weight: missing", ""},
		"info without weight":  {"ExtrinsicSuccess", value(t, `[{"class":"Normal"}]`), "weight: missing", ""},
		"weight is null":       {"ExtrinsicSuccess", value(t, `[{"weight":null}]`), "weight: missing", ""},
		"failed like success":  {"ExtrinsicFailed", value(t, `[{"weight":"1"}]`), "weight: missing", ""},
		"weight without time":  {"ExtrinsicFailed", value(t, `[{},{"weight":{"proofSize":"1"}}]`), "weight: refTime: missing", ""},
		"malformed weight":     {"ExtrinsicSuccess", value(t, `[{"weight":"1.5"}]`), "", `weight: "1.5" is not a non-negative integer`},
		"weight of other kind": {"ExtrinsicSuccess", value(t, `[{"weight":[1]}]`), "", "weight: want a number, have an array"},
	} {
		t.Run(name, func(t *testing.T) {
			x := chain.Extrinsic{Events: []chain.Event{{Pallet: "system", Name: test.event, Data: test.data}}}
			outcome, err := x.Outcome()
			require.NoError(t, err)
			weight, err := outcome.Weight()
			requireMessage(t, err, test.missing, test.fail)
			require.Equal(t, chain.Weight{}, weight)
		})
	}
}

// set returns a block in which the inherent timestamp.set is the second extrinsic.
func set(args jsonscan.Value) chain.Block {
	return chain.Block{Extrinsics: []chain.Extrinsic{
		{Index: 0, Pallet: "parachainSystem", Call: "set"},
		{Index: 1, Pallet: "timestamp", Call: "set", Args: args},
		{Index: 2, Pallet: "timestamp", Call: "other"},
	}}
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
			b := set(value(t, test.args))
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
		args          jsonscan.Value
		missing, fail string
	}{
		"no arguments":       {jsonscan.Value{}, path + "missing", ""},
		"no argument now":    {value(t, `{"then":"1"}`), path + "missing", ""},
		"null":               {value(t, `{"now":null}`), path + "missing", ""},
		"arguments in array": {value(t, `["1"]`), path + "missing", ""},
		"beyond year 9999":   {value(t, `{"now":"253402300800000"}`), "", path + "253402300800000 milliseconds is not a valid time"},
		"largest of 64 bits": {value(t, `{"now":18446744073709551615}`), "", path + "18446744073709551615 milliseconds is not a valid time"},
		"more than 64 bits":  {value(t, `{"now":18446744073709551616}`), "", path + "18446744073709551616 is more than 64 bits"},
		"negative":           {value(t, `{"now":-1}`), "", path + `"-1" is not a non-negative integer`},
		"date":               {value(t, `{"now":"2023-11-14"}`), "", path + `"2023-11-14" is not a non-negative integer`},
		"object":             {value(t, `{"now":{}}`), "", path + "want a number, have an object"},
	} {
		t.Run(name, func(t *testing.T) {
			b := set(test.args)
			have, err := b.Time()
			requireMessage(t, err, test.missing, test.fail)
			require.False(t, have.Known(), "a time beside an error")
		})
	}
}
