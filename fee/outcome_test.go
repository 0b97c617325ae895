package fee_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/fee"
)

// The outcome of each recorded transaction, read from the gateway's own text: the last event that ends an
// extrinsic, and data[3] of ethereum.Executed.
func recordedOutcome(extrinsic object) (outcome string) {
	x := x(extrinsic)
	if extrinsic["success"] == false {
		return "failed"
	}
	if extrinsic["method"].(object)["pallet"] != "ethereum" {
		return "succeeded"
	}
	text, _ := json.Marshal(x.data("Executed")[3])
	switch exit := string(text); exit {
	case `{"succeed":"Stopped"}`, `{"succeed":"Returned"}`:
		return "succeeded"
	case `{"revert":"Reverted"}`:
		return "reverted"
	case `{"error":{"outOfGas":null}}`:
		return "out_of_gas"
	case `{"error":{"invalidCode":"254"}}`, `{"error":{"createContractLimit":null}}`, `{"error":{"outOfFund":null}}`:
		return "failed"
	default:
		panic(exit)
	}
}

// An EVM transaction that was reverted is a successful extrinsic, but failed for its sender.
func TestRecordedOutcomes(t *testing.T) {
	for name, want := range map[string]struct {
		runtime  uint32
		last     int
		outcomes map[string]int // counted in the files
		counts   fee.OutcomeCounts
	}{
		"moonbeam-2100": {2100, 27, map[string]int{
			"evm succeeded": 42, "evm reverted": 8, "evm out_of_gas": 3, "evm failed": 2, "native succeeded": 23, "native failed": 6,
		}, fee.OutcomeCounts{EVMFailed: 13, NativeFailed: 6}},
		"moonbeam-1701": {1701, 21, map[string]int{
			"evm succeeded": 32, "evm reverted": 8, "evm out_of_gas": 3, "evm failed": 2, "native succeeded": 14, "native failed": 5,
		}, fee.OutcomeCounts{EVMFailed: 13, NativeFailed: 5}},
	} {
		t.Run(name, func(t *testing.T) {
			r := record(t, name, want.runtime, want.last)
			outcomes, counts := map[string]int{}, fee.OutcomeCounts{}
			for height := 0; height <= r.last; height++ {
				report := r.report(t, height)
				extrinsics := tree(t, r.block(t, height)).(object)["extrinsics"].([]any)
				for _, transaction := range report.Transactions {
					have := shown(t, transaction)
					require.Equal(t, recordedOutcome(extrinsics[transaction.Index].(object)), have["outcome"], "block %d, extrinsic %d", height, transaction.Index)
					outcomes[fmt.Sprintf("%s %s", have["layer"], have["outcome"])]++
				}
				counts.AddOutcomes(report.Totals.OutcomeCounts)
			}
			require.Equal(t, want.outcomes, outcomes)
			require.Equal(t, want.counts, counts)
		})
	}
}

// An unknown outcome is neither a success nor a failure.
func TestOutcomes(t *testing.T) {
	const evm, native = 1, 3 // extrinsics of the good block
	for name, c := range map[string]struct {
		extrinsic int
		change    func(x)
		outcome   any
		counts    fee.OutcomeCounts
	}{
		"native":                      {native, func(x) {}, "succeeded", fee.OutcomeCounts{}},
		"native that failed":          {native, func(x x) { x.drop("ExtrinsicSuccess"); x.add(failed(1)) }, "failed", fee.OutcomeCounts{NativeFailed: 1}},
		"native without an end":       {native, func(x x) { x.drop("ExtrinsicSuccess") }, nil, fee.OutcomeCounts{OutcomeUnknown: 1}},
		"stopped":                     {evm, exit(object{"succeed": "Stopped"}), "succeeded", fee.OutcomeCounts{}},
		"suicided, as a variant":      {evm, exit(object{"succeed": object{"suicided": nil}}), "succeeded", fee.OutcomeCounts{}},
		"reverted":                    {evm, exit(object{"revert": "Reverted"}), "reverted", fee.OutcomeCounts{EVMFailed: 1}},
		"out of gas":                  {evm, exit(object{"error": object{"outOfGas": nil}}), "out_of_gas", fee.OutcomeCounts{EVMFailed: 1}},
		"out of gas, as a word":       {evm, exit(object{"error": "OutOfGas"}), "out_of_gas", fee.OutcomeCounts{EVMFailed: 1}},
		"invalid code":                {evm, exit(object{"error": object{"invalidCode": "254"}}), "failed", fee.OutcomeCounts{EVMFailed: 1}},
		"an error outOfGas is within": {evm, exit(object{"error": object{"other": "outOfGas"}}), "failed", fee.OutcomeCounts{EVMFailed: 1}},
		"fatal":                       {evm, exit(object{"fatal": "NotSupported"}), "failed", fee.OutcomeCounts{EVMFailed: 1}},
		"an exit that is not known":   {evm, exit(object{"paused": "Stopped"}), nil, fee.OutcomeCounts{OutcomeUnknown: 1}},
		"no exit":                     {evm, exit(nil), nil, fee.OutcomeCounts{OutcomeUnknown: 1}},
		"not executed":                {evm, func(x x) { x.drop("Executed") }, nil, fee.OutcomeCounts{OutcomeUnknown: 1}},
		"refused":                     {evm, func(x x) { x.drop("Executed"); x.drop("ExtrinsicSuccess"); x.add(failed(1)) }, "failed", fee.OutcomeCounts{EVMFailed: 1}},
		"executed, and then undone":   {evm, func(x x) { x.drop("ExtrinsicSuccess"); x.add(failed(1)) }, "failed", fee.OutcomeCounts{EVMFailed: 1}},
		"executed without an end":     {evm, func(x x) { x.drop("ExtrinsicSuccess") }, nil, fee.OutcomeCounts{OutcomeUnknown: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			report := priced(t, changed(t, good(t), c.extrinsic, c.change), runtimeRules(t, "moonbeam", 3702), number(unit))
			for _, transaction := range report.Transactions {
				if transaction.Index == c.extrinsic {
					require.Equal(t, c.outcome, shown(t, transaction)["outcome"])
				}
			}
			require.Equal(t, c.counts, report.Totals.OutcomeCounts)
		})
	}
}

// exit is how the EVM stopped.
func exit(reason any) func(x) { return func(x x) { x.data("Executed")[3] = reason } }
