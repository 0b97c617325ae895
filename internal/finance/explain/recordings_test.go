package explain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"go/token"
	"go/types"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/finance/explain"
	"github.com/feeledger/fees/internal/test/blocktest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// table is the network of the recordings with an added row.
func table(more, row string) string {
	return `{"networks": [{"name": "moonbeam", "symbol": "GLMR", "last_runtime": 4500, "first_withdraw_event": 1201, ` + more + `,
		"rows": [{"from_runtime": 900, "source": "a test", ` + row + `}]}]}`
}

// ways are rules for the recorded blocks that together use every formula.
var ways = map[string]string{
	"built in": "",
	"uncapped": table(`"first_fee_event": 1801`, `"base_fee_constant": "100000000007", "minimum_multiplier": "1000000000000000000",
		"weight_correction": "250000001", "price_uncapped": true`),
	"capped": table(`"first_fee_event": 1801`, `"base_fee_constant": "101000000000", "minimum_multiplier": "1000000000000000000"`),
}

// sent is a transaction with the loss of its sender's balance, determined when the blocks were
// recorded.
type sent struct {
	Kind    string `json:"kind"`
	From    string `json:"from"`
	Family  string `json:"family"`
	Height  uint64 `json:"height"`
	Index   int    `json:"index"`
	Charged string `json:"charged_wei"`
	Tip     string `json:"tip"`
}

func sentIn(t testing.TB, recording string) []sent {
	text, err := os.ReadFile("../../../testdata/recordings/" + recording + "/sent.json")
	require.NoError(t, err)
	var file struct{ Sent []sent }
	require.NoError(t, json.Unmarshal(text, &file))
	require.NotEmpty(t, file.Sent)
	return file.Sent
}

// reader reads a recording with the rules of a way.
func reader(t testing.TB, recording, way string) *source.Reader {
	src, err := answers.OpenDirectory("../../../testdata/recordings/" + recording)
	require.NoError(t, err)
	tables := network.BuiltIn()
	if text := ways[way]; text != "" {
		tables, err = tables.With("test.json", []byte(text))
		require.NoError(t, err)
	}
	return &source.Reader{Source: src, Tables: tables}
}

// explained returns the explanation of a transaction in a modified block.
func explained(t testing.TB, r *source.Reader, height uint64, index int, change func(*source.Item)) *explain.Explanation {
	item, err := r.Read(context.Background(), source.Height(height))
	require.NoError(t, err)
	if change != nil {
		change(&item)
	}
	report, err := prove.Block(context.Background(), r, item, evidence.Options{})
	require.NoError(t, err)
	return explain.Make(item, report, index, string(r.MultiplierAt))
}

// Every formula with its values gives its result in Go's arithmetic; each value is an input or an earlier result;
// the charge, and under the chain's own rules the fee, equals the loss of the sender's balance in the
// recording.
func TestEveryFormula(t *testing.T) {
	names := map[string]map[string]bool{}
	for way := range ways {
		for _, recording := range []string{"moonbeam-1701", "moonbeam-2100"} {
			r := reader(t, recording, way)
			for _, s := range sentIn(t, recording) {
				v := explained(t, r, s.Height, s.Index, nil)
				what := fmt.Sprintf("%s %s %d-%d", way, recording, s.Height, s.Index)
				results := map[string]string{}
				follow(t, what, results, v.Inputs, v.Steps)
				paid := results["fee"]
				if v.Cash == nil {
					t.Fatal(what)
				}
				follow(t, what, results, v.Cash.Inputs, v.Cash.Steps)
				require.Equal(t, s.Charged, results["charged"], what)
				if payer, ok := v.Cash.Payer.Get(); ok {
					require.True(t, strings.EqualFold(s.From, payer.String()), what)
				}
				if way == "built in" {
					require.Equal(t, s.Charged, paid, what)
					require.True(t, v.Holds(), what)
					require.Empty(t, results["drift"], what)
				}
				if drift := results["drift"]; drift != "" {
					require.False(t, v.Holds(), what)
					side := "more"
					if strings.HasPrefix(drift, "-") {
						side = "less"
					}
					failed := 0 // at least evm.cash or native.cash
					for _, f := range v.Findings {
						if f.Extrinsic.Known() {
							failed++
						}
					}
					require.Positive(t, failed, what)
					require.Regexp(t, fmt.Sprintf("^drift, %d checks? failed: the chain charged %s wei %s than the fee$", failed, strings.TrimPrefix(drift, "-"), side), v.VerdictText(), what)
				}
				if tip, ok := new(big.Int).SetString(s.Tip, 10); ok && tip.Sign() > 0 && paid != "" && s.Charged != "" {
					whole, _ := new(big.Int).SetString(paid, 10)
					require.Equal(t, whole.Sub(whole, tip).String(), results["inclusion fee"], what)
				}
				for name := range results {
					if names[name] == nil {
						names[name] = map[string]bool{}
					}
					names[name][way] = true
				}
			}
		}
	}
	for name, in := range map[string][]string{ // which of the ways must have used it
		"static base fee": {"built in"}, "base constant": {"capped", "uncapped"}, "multiplier": {"capped", "uncapped"},
		"weight correction": {"uncapped"}, "whole weight": {"uncapped"}, "priority fee": {"built in", "capped", "uncapped"},
		"base part": {"built in", "capped", "uncapped"}, "drift": {"capped", "uncapped"},
		"burned": {"built in", "capped", "uncapped"}, "tip": {"built in", "capped", "uncapped"}, "maxFeePerGas": {"built in", "capped", "uncapped"},
	} {
		var have []string
		for way := range names[name] {
			have = append(have, way)
		}
		slices.Sort(have)
		require.Equal(t, in, have, name)
	}
}

// follow recomputes steps from their values.
func follow(t *testing.T, what string, known map[string]string, inputs []explain.Input, steps []explain.Step) {
	t.Helper()
	for _, in := range inputs {
		require.NotEmpty(t, in.From, what)
		value, there := in.Value.Get()
		require.True(t, there, what)
		known[in.Name] = value.String()
	}
	for _, s := range steps {
		for _, v := range s.Values {
			require.Equal(t, known[v.Name], v.Value.String(), "%s, %s: %s is from nowhere", what, s.Name, v.Name)
			require.Contains(t, s.Formula, v.Name, what)
		}
		require.Equal(t, worked(t, s.Calculation()), s.Result.String(), "%s: %s = %s", what, s.Name, s.Formula)
		known[s.Name] = s.Result.String()
	}
}

// worked evaluates an integer formula.
func worked(t *testing.T, formula string) string {
	t.Helper()
	text := strings.NewReplacer("×", "*", "−", "-", "floor(", "(", "10^18", "1000000000000000000").Replace(formula)
	made, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
	require.NoError(t, err, text)
	return made.Value.ExactString()
}

// The notes answer likely questions of a reader.
func TestNotes(t *testing.T) {
	built := reader(t, "moonbeam-2100", "built in")
	note := func(v *explain.Explanation, name string) string {
		at := slices.IndexFunc(v.Steps, func(s explain.Step) bool { return s.Name == name })
		require.GreaterOrEqual(t, at, 0, name)
		return v.Steps[at].Note
	}
	for _, s := range sentIn(t, "moonbeam-2100") {
		switch s.Kind {
		case "collective.vote PAYS-NO":
			require.Equal(t, "waived by the chain (paysFee No): only a tip is paid", note(explained(t, built, s.Height, s.Index, nil), "fee"))
			without := explained(t, built, s.Height, s.Index, func(b *source.Item) { drop(&b.Block.Extrinsics[s.Index], "balances", "Withdraw") })
			require.Equal(t, "no balances.Withdraw event", without.Cash.Steps[0].Note)
		case "transfer-legacy":
			v := explained(t, built, s.Height, s.Index, nil)
			require.Equal(t, "static in this runtime: independent of the multiplier", note(v, "base fee per gas"))
			require.Equal(t, "match: the chain charged exactly the fee", v.VerdictText())
			require.False(t, v.Creates)
			uncapped := explained(t, reader(t, "moonbeam-2100", "uncapped"), s.Height, s.Index, nil)
			require.Equal(t, "this runtime reports the weight without the base weight of the extrinsic", note(uncapped, "whole weight"))
		case "create-erc20":
			require.True(t, explained(t, built, s.Height, s.Index, nil).Creates)
			uncapped := explained(t, reader(t, "moonbeam-2100", "uncapped"), s.Height, s.Index, nil)
			require.Equal(t, "contrary to the rule, this runtime does not cap it at maxFeePerGas", note(uncapped, "gas price"))
		}
	}

	// Runtime 1701 had no fee event.
	old := reader(t, "moonbeam-1701", "built in")
	require.Equal(t, "the runtime has no fee event: the fee is the amount charged", note(explained(t, old, 7, 3, nil), "fee"))
	v := explained(t, old, 7, 3, func(b *source.Item) {
		x := &b.Block.Extrinsics[3]
		drop(x, "balances", "Withdraw")
		drop(x, "treasury", "Deposit")
		for i := range x.Events {
			if e := &x.Events[i]; e.Is("system", "ExtrinsicSuccess") {
				*e = blocktest.Event(t, "system.ExtrinsicSuccess", `[{"weight": "1000", "class": "Normal", "paysFee": "No"}]`)
			}
		}
	})
	require.Equal(t, "the chain withdrew nothing and reports paysFee No", note(v, "fee"))
	require.Equal(t, "cash only: there is no rule to compare the charge with", explained(t, old, 7, 3, nil).VerdictText())
}

// drop removes the events of a name.
func drop(x *chain.Extrinsic, pallet, name string) {
	x.Events = slices.DeleteFunc(slices.Clone(x.Events), func(e chain.Event) bool { return e.Is(pallet, name) })
}

// garble makes the events of a name unreadable.
func garble(x *chain.Extrinsic, pallet, name string) {
	for i := range x.Events {
		if x.Events[i].Is(pallet, name) {
			x.Events[i].Data = nil
		}
	}
}

// The block whose multiplier was used is given with the reason.
func TestWhyThisMultiplier(t *testing.T) {
	from := func(r *source.Reader) string {
		v := explained(t, r, 25, 4, nil)
		for _, in := range v.Inputs {
			if in.Name == "multiplier" {
				return in.From
			}
		}
		return ""
	}
	r := reader(t, "moonbeam-2100", "capped")
	require.Equal(t, "block 24: transactionPayment.nextFeeMultiplier, in force for the next block", from(r))
	r.MultiplierAt = network.AtBlock
	require.Equal(t, "block 25: transactionPayment.nextFeeMultiplier, selected by --multiplier-at "+string(network.AtBlock), from(r))
	r.MultiplierAt, r.Specification, r.Tables = "", true, network.BuiltIn()
	require.Equal(t, "block 25: transactionPayment.nextFeeMultiplier, at the block itself, by rule 6", from(r))
}

// Unreadable data gives no figure: an explanation goes as far as the data.
func TestAsFarAsItGoes(t *testing.T) {
	steps := func(v *explain.Explanation) (names []string) {
		for _, s := range v.Steps {
			names = append(names, s.Name)
		}
		return names
	}
	built, old := reader(t, "moonbeam-2100", "built in"), reader(t, "moonbeam-1701", "built in")
	dynamic := reader(t, "moonbeam-2100", "capped")
	for name, c := range map[string]struct {
		reader  *source.Reader
		height  uint64
		index   int
		change  func(x *chain.Extrinsic)
		steps   []string
		verdict string
	}{
		"a payload of no known type": {built, 25, 4, func(x *chain.Extrinsic) {
			x.Payload = chain.DecodedOf(sidecar.DecodePayload(`{"transaction":{"eip9999":{}}}`))
		}, []string{"base fee per gas", "gas"}, "cash only"},
		"no weight":              {built, 25, 4, func(x *chain.Extrinsic) { drop(x, "system", "ExtrinsicSuccess") }, []string{"base fee per gas", "gas price"}, "cash only"},
		"no weight, dynamic":     {dynamic, 25, 4, func(x *chain.Extrinsic) { drop(x, "system", "ExtrinsicSuccess") }, []string{"base fee per gas", "gas price"}, "cash only"},
		"no fee event":           {built, 25, 6, func(x *chain.Extrinsic) { drop(x, "transactionPayment", "TransactionFeePaid") }, nil, "cash only"},
		"a fee event of nothing": {built, 25, 6, func(x *chain.Extrinsic) { garble(x, "transactionPayment", "TransactionFeePaid") }, nil, "cash only"},
		"no cash":                {old, 7, 3, func(x *chain.Extrinsic) { drop(x, "balances", "Withdraw") }, nil, "no evidence"},
		"cash of nothing":        {old, 7, 3, func(x *chain.Extrinsic) { garble(x, "balances", "Withdraw") }, nil, "no evidence"},
	} {
		t.Run(name, func(t *testing.T) {
			v := explained(t, c.reader, c.height, c.index, func(b *source.Item) { c.change(&b.Block.Extrinsics[c.index]) })
			require.Equal(t, c.steps, steps(v))
			require.NotNil(t, v.Transaction.Error)
			require.False(t, v.Holds())
			require.True(t, strings.HasPrefix(v.VerdictText(), c.verdict), v.VerdictText())
			require.Equal(t, c.verdict == "no evidence", v.Cash == nil)
		})
	}

	// Where nothing was withdrawn, the chain charged nothing; where that cannot be read,
	// it is unknown.
	v := explained(t, built, 25, 4, func(b *source.Item) { drop(&b.Block.Extrinsics[4], "balances", "Withdraw") })
	require.Equal(t, "drift, 1 check failed: the chain charged 2100000000000000 wei less than the fee", v.VerdictText()) // 21000 gas at 100 Gwei
	v = explained(t, built, 25, 4, func(b *source.Item) { garble(&b.Block.Extrinsics[4], "balances", "Withdraw") })
	require.Nil(t, v.Cash)
	require.Equal(t, "no evidence, 1 check failed: the chain recorded nothing to compare the fee with", v.VerdictText())
	require.Equal(t, []string{"base fee per gas", "gas price", "gas", "fee", "priority fee", "base part"}, steps(v))

	// Without the multiplier there is no base fee, and no price that follows it.
	v = explained(t, dynamic, 25, 5, func(b *source.Item) { b.Multiplier = chain.Optional[chain.StoredMultiplier]{} })
	require.Equal(t, []string{"gas"}, steps(v))
	for _, in := range v.Inputs {
		require.NotEqual(t, "multiplier", in.Name)
	}
}

// setTo responds that governance has set FeesTreasuryProportion to a share, or not.
type setTo struct {
	source.Source
	share chain.Optional[chain.Perbill]
}

func (s setTo) Unwrap() source.Source { return s.Source }

func (s setTo) FeesTreasuryProportion(_ context.Context, key string, at uint64) (chain.AtBlock[chain.Optional[chain.Perbill]], error) {
	if key != "0x0004" {
		return chain.AtBlock[chain.Optional[chain.Perbill]]{}, fmt.Errorf("key %q: %w", key, chain.ErrNotOffered)
	}
	return chain.AtBlock[chain.Optional[chain.Perbill]]{At: at, Value: s.share}, nil
}

// Where the split of a fee follows from FeesTreasuryProportion, the explanation says which share
// that was and which block left it, beside the treasury's part; not where the fee is divided
// by a fixed share. The runtime of the recording gives the treasury 20 %: the table makes that a
// parameter for EVM transactions, such as 25-4, and not for native ones, such as 25-6.
func TestProportion(t *testing.T) {
	const row = `"static_base_fee": "100000000000"`
	parameter := func(base string) string {
		return table(`"first_fee_event": 1801, "treasury": "0x6d6f646c70792f74727372790000000000000000",
			"fees_treasury_proportion": {"key": "0x0004", "default": "250000000", "source": "a test"},
			"destinations": [{"from_runtime": 900, "evm_base": "`+base+`", "evm_priority": "`+base+`", "evm_whole": true,
			"native_base": "treasury_20", "native_tip": "treasury_20", "source": "a test"}]`, row)
	}
	share := func(n uint64) chain.Optional[chain.Perbill] {
		p, err := chain.NewPerbill(n)
		require.NoError(t, err)
		return chain.Some(p)
	}
	const left = "state after block 24, in force for the next block"
	for name, c := range map[string]struct {
		base  string
		share chain.Optional[chain.Perbill]
		asked bool
		index int
		want  string // "" for none
		from  string
	}{
		"set":         {"treasury_parameter", share(200_000_000), true, 4, "200000000", left},
		"to 0":        {"treasury_parameter", share(0), true, 4, "0", left},
		"never set":   {"treasury_parameter", chain.Optional[chain.Perbill]{}, true, 4, "250000000", left + "; equals the default if governance has set none"},
		"not told":    {"treasury_parameter", chain.Optional[chain.Perbill]{}, false, 4, "not known", left},
		"a fixed one": {"treasury_20", share(200_000_000), true, 4, "", ""},
		"native":      {"treasury_parameter", share(200_000_000), true, 6, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := reader(t, "moonbeam-2100", "built in")
			var err error
			r.Tables, err = network.BuiltIn().With("test.json", []byte(parameter(c.base)))
			require.NoError(t, err)
			if c.asked {
				r.Source = setTo{r.Source, c.share}
			}
			v := explained(t, r, 25, c.index, nil)
			at := slices.IndexFunc(v.Cash.Inputs, func(in explain.Input) bool { return in.Name == "FeesTreasuryProportion" })
			if c.want == "" {
				require.Equal(t, -1, at)
				return
			}
			require.NotEqual(t, -1, at)
			in := v.Cash.Inputs[at]
			require.Equal(t, "treasury", v.Cash.Inputs[at+1].Name, "it stands beside the treasury's part")
			value, known := in.Value.Get()
			if !known {
				value = "not known"
			}
			require.Equal(t, []string{c.want, explain.InPerbill, c.from}, []string{value.String(), in.Unit, in.From})
			require.Equal(t, c.want == "200000000" || c.want == "not known", v.Holds(), "of the four, only 20 %% is what the treasury got: %v", v.Findings)
			text, err := json.Marshal(in)
			require.NoError(t, err)
			digits := `"` + c.want + `"`
			if !known {
				digits = "null"
			}
			require.JSONEq(t, `{"name":"FeesTreasuryProportion","value":`+digits+`,"unit":"parts per billion","from":"`+c.from+`"}`, string(text))
		})
	}
}

// A drift states its cause, if known.
func TestClassOfADrift(t *testing.T) {
	v := explained(t, reader(t, "moonbeam-2100", "capped"), 25, 5, nil) // it bids by the base fee
	class, ok := v.Transaction.Class.Get()
	require.True(t, ok)
	require.NotNil(t, v.Diagnosis)
	require.Equal(t, "class: "+string(class)+": "+v.Diagnosis.Message, v.ClassText(class))

	v = explained(t, reader(t, "moonbeam-2100", "built in"), 25, 6, nil)
	require.Nil(t, v.Diagnosis)
	require.Equal(t, "class: zeroed_payer: the payer had no balance left, so nothing was refunded", v.ClassText(evidence.ZeroedPayer))
	require.Equal(t, "class: unknown", v.ClassText(evidence.Unknown))
	require.Equal(t, fee.Native, v.Transaction.Layer)
}
