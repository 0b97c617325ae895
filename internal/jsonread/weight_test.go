package jsonread_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/test/blocktest"
)

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
			have, err := jsonread.Weight(blocktest.JSON(t, test.text))
			blocktest.RequireMessage(t, err, test.missing, test.fail)
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
	have, err := jsonread.ClassWeights(blocktest.JSON(t, good))
	require.NoError(t, err)
	require.Equal(t, chain.ClassWeights{Normal: of(1, 2), Operational: of(3, 4), Mandatory: of(5, 6)}, have)
	for _, class := range []string{"normal", "operational", "mandatory"} {
		have, err := jsonread.ClassWeights(blocktest.JSON(t, strings.Replace(good, class, "other", 1)))
		blocktest.RequireMessage(t, err, class+": missing", "")
		require.Zero(t, have)
	}
	_, err = jsonread.ClassWeights(blocktest.JSON(t, strings.Replace(good, `"3"`, `"-3"`, 1)))
	blocktest.RequireMessage(t, err, "", `operational: refTime: "-3" is not a non-negative integer`)
	_, err = jsonread.ClassWeights(blocktest.JSON(t, `null`))
	blocktest.RequireMessage(t, err, "normal: missing", "")
}

func TestAbsentWeight(t *testing.T) {
	_, err := jsonread.Weight(jsonscan.Value{})
	require.ErrorIs(t, err, chain.ErrMissing)
}
