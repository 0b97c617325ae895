package sidecar_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/blocktest"
)

// A value in another form than its type does not refuse the block: it contains the error.
func TestMalformedValues(t *testing.T) {
	for data, want := range map[string][]string{
		`["0x6d6F646C70792F74727372790000000000000000","5"]`: {"0x6d6f646C70792f74727372790000000000000000", "5"},
		`[5,"x"]`:         {"want an address, have a number", `"x" is not a non-negative integer`},
		`[null,{}]`:       {"missing", "want a number, have an object"},
		`["0x12",[]]`:     {`"0x12" is not an address`, "want a number, have an array"},
		`[{"id":"0x"},7]`: {"want an address, have an object", "7"},
		`[true,null]`:     {"want an address, have a bool", "missing"},
	} {
		e := blocktest.Event(t, "balances.Deposit", data)
		for i, text := range want {
			require.Contains(t, e.Data.At(i).String(), text, data)
		}
	}
}

func TestDestinationOfAMove(t *testing.T) {
	const accounts = `["0x6d6F646C70792F74727372790000000000000000","0x6d6F646C70792F74727372790000000000000001","5",`
	for status, want := range map[string]string{
		`"Free"`: "0", `"free"`: "0", `"Reserved"`: "1", `{"reserved":null}`: "1", `{"Free":null}`: "0",
		`"Frozen"`: `want Free or Reserved, have "Frozen"`, `7`: "want Free or Reserved, have a number", `null`: "missing",
	} {
		e := blocktest.Event(t, "balances.ReserveRepatriated", accounts+status+`]`)
		require.Equal(t, want, e.Data.At(3).String(), status)
	}
}

// Why an amount is held never refuses an event: it is not known in another form.
func TestHoldReasons(t *testing.T) {
	for reason, want := range map[string]string{
		`{"revive":"StorageDepositReserve"}`: "revive.StorageDepositReserve", `{"preimage":"Preimage"}`: "preimage.Preimage",
		`{"polkadotXcm":{"authorizeAlias":null}}`: "polkadotXcm.authorizeAlias", `{"a":{"b":7}}`: "a.b(7)", `"Other"`: "Other",
		`"0x7265766976650000"`: "0x7265766976650000",
		`null`:                 "", `7`: "", `{}`: "", `""`: "", `[]`: "", `{"revive":null}`: "", `{"a":"b","c":"d"}`: "", `{"revive":7}`: "",
	} {
		e := blocktest.Event(t, "balances.Held", `[`+reason+`,"0x6d6F646C70792F74727372790000000000000000","5"]`)
		have, err := e.Data.At(0).HoldReason()
		require.Equal(t, want, string(have), reason)
		require.Equal(t, want == "", err != nil, reason)
		require.Equal(t, "5", e.Data.At(2).String())
	}
}

func TestExits(t *testing.T) {
	const start = `["0x6d6F646C70792F74727372790000000000000000","0x6d6F646C70792F74727372790000000000000001","0x1111111111111111111111111111111111111111111111111111111111111111",`
	for exit, want := range map[string]string{
		`{"succeed":"Stopped"}`: "succeed Stopped", `{"error":{"outOfGas":null}}`: "error outOfGas",
		`{"error":{"invalidCode":254}}`: "error invalidCode(254)", `{"error":{"other":"why"}}`: "error other(why)",
		`{"else":"Stopped"}`: " ", `{"error":{}}`: " ", `7`: " ", `null`: " ",
	} {
		e := blocktest.Event(t, "ethereum.Executed", start+exit+`]`)
		require.Equal(t, want, e.Data.At(3).String(), exit)
		require.Equal(t, "0x1111111111111111111111111111111111111111111111111111111111111111", e.Data.At(2).String())
	}
	e := blocktest.Event(t, "ethereum.Executed", `["0x6d6F646C70792F74727372790000000000000000","0x6d6F646C70792F74727372790000000000000001",5,{}]`)
	require.Equal(t, "want a hash, have a number", e.Data.At(2).String())
}

// More values than are decoded are counted.
func TestFurtherValues(t *testing.T) {
	e := blocktest.Event(t, "balances.Unknown", `[1,2,3,4,5,6,7,8,9,10,11]`)
	require.Equal(t, 11, e.Data.Len())
	e = blocktest.Event(t, "balances.Unknown", `[1,2]`)
	require.Equal(t, 2, e.Data.Len())
}

// Dispatch information in another form than the usual one.
func TestDispatchInformation(t *testing.T) {
	for data, want := range map[string]string{
		`[{"weight":{"refTime":"5","proofSize":"2"},"class":"Operational","paysFee":"Yes"}]`: "",
		`[{"weight":"5","class":"Normal","paysFee":"No"}]`:                                   "",
		`[{"weight":"5","class":"normal","paysFee":"No"}]`:                                   "class: want Normal, Operational or Mandatory",
		`[{"weight":"5","class":7,"paysFee":"No"}]`:                                          "class: want a string, have a number",
		`[{"weight":"5","class":"Normal","paysFee":"Maybe"}]`:                                "paysFee: want Yes or No",
		`[{"weight":"5","class":"Normal"}]`:                                                  "paysFee: missing",
		`[{"weight":"x","class":"Normal","paysFee":"No"}]`:                                   `weight: "x" is not a non-negative integer`,
	} {
		x := blocktest.Extrinsic(t, "system.remark", `{}`, `"events":[`+blocktest.EventText("system.ExtrinsicSuccess", data)+`]`)
		o, err := x.Outcome()
		require.NoError(t, err)
		_, noWeight := o.Weight()
		_, noClass := o.Class()
		_, noPays := o.PaysFee()
		var have string
		for _, err := range []error{noWeight, noClass, noPays} {
			if err != nil {
				have += err.Error()
			}
		}
		require.Contains(t, have, want, data)
		require.Equal(t, want == "", have == "", data)
	}
}
