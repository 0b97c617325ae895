package evidence_test

import (
	"encoding/json"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/test/pairs"
)

// proved verifies a block with answers of its runtime.
func (h *hub) proved(height int, change func(o *evidence.Options)) *evidence.Report {
	b := h.blocks[height]
	o := evidence.Options{Encoded: chain.Some(h.encoded[b.Hash])}
	change(&o)
	return evidence.Prove(b, fee.Price(b, &h.rules, h.multipliers[height-1]), h.rules, o)
}

// A node's query_info confirms a fee that follows from the formula, or contradicts it; an upper bound does neither. 21-3 of
// the recorded chain is a transfer with a tip of 123456789, for 258,820,000 ps and 13,382 bytes; 23-2 is a call of a contract
// that was lighter than its limits.
func TestQueryInfo(t *testing.T) {
	h := loadHub(t, passet)
	info := func(refTime, proof, fee uint64) chain.QueryInfo {
		return chain.QueryInfo{Weight: chain.Weight{RefTime: chain.NewRefTime(refTime), ProofSize: proof}, PartialFee: chain.NewWei(fee)}
	}
	for what, c := range map[string]struct {
		height, index int
		info          chain.QueryInfo
		proof         evidence.WeightProof
		finding       string
	}{
		"as recorded":               {21, 3, info(258820000, 13382, 36412413), evidence.WeightByQueryInfo, ""},
		"an upper bound":            {23, 2, info(50416724000, 317523, 506819908), evidence.WeightByProofSize, ""},
		"another fee":               {21, 3, info(258820000, 13382, 36412412), "", "the node's query_info at the parent block states a fee of 159869201 wei with the tip, but 159869202 follows from the weight that it states"},
		"a byte less":               {21, 3, info(258820000, 13381, 36410888), "", "the fee is 159869202 wei, but at most 159867677 according to the node's query_info at the parent block"},
		"a byte less, the same fee": {21, 3, info(258820000, 13381, 36412413), "", "the node's query_info at the parent block states a fee of 159869202 wei with the tip, but 159867677 follows"},
		"no weight and no fee":      {21, 3, info(0, 0, 0), "", "states a fee of 123456789 wei with the tip, but"},
		"more than any weight":      {21, 3, info(1<<64-1, 1<<64-1, 0), "", "the node's query_info at the parent block: "},
		"about another transaction": {21, 2, info(258820000, 13382, 36112413), evidence.WeightByQueryInfo, ""},
	} {
		t.Run(what, func(t *testing.T) {
			r := h.proved(c.height, func(o *evidence.Options) { o.QueryInfos = map[int]chain.QueryInfo{c.index: c.info} })
			i := slices.IndexFunc(r.Transactions, func(x evidence.Transaction) bool { return x.Index == c.index })
			require.Equal(t, c.proof, r.Transactions[i].WeightProof)
			require.Equal(t, c.finding == "", messageOf(r, "native.formula") == "")
			require.Contains(t, messageOf(r, "native.formula"), c.finding)
			for _, x := range r.Transactions {
				if x.Index != c.index && x.Layer == fee.Native {
					require.Equal(t, evidence.WeightByProofSize, x.WeightProof, x.Index)
				}
			}
		})
	}
	require.Empty(t, evidence.WeightProof("").Words())
	require.NotEmpty(t, evidence.WeightByFormula.Words())
}

// A fee above what the node's runtime states is found although a whole number of bytes explains it: here the fee for 14,289
// bytes, 1,000,000 + 147 × 10^7 + floor(1.234435012089396644 × floor(1525.87890625 × 14,289)), and a tip of 3. Without an
// answer it is not.
func TestFeeAboveQueryInfo(t *testing.T) {
	h := loadHub(t, stack)
	text := h.change(t, 20, 5, func(x altered) { x.everywhere(1497914738 - 1497912855) })
	for asked, want := range map[bool]string{false: "", true: "the fee is 1497914738 wei, but at most 1497912855 according to the node's query_info"} {
		b := decoded(t, text)
		o := evidence.Options{Encoded: chain.Some(h.encoded[h.blocks[20].Hash])}
		if asked {
			o.QueryInfos = map[int]chain.QueryInfo{5: {Weight: chain.Weight{RefTime: chain.NewRefTime(524498000), ProofSize: 14288}, PartialFee: chain.NewWei(1497912852)}}
		}
		r := evidence.Prove(b, fee.Price(b, &h.rules, h.multipliers[19]), h.rules, o)
		require.Equal(t, want == "", messageOf(r, "native.formula") == "", messageOf(r, "native.formula"))
		require.Contains(t, messageOf(r, "native.formula"), want)
	}
}

// What a node can be asked about: signed native transactions where proof size is reclaimed, and receipts of pallet revive.
func TestWhatARuntimeIsAskedAbout(t *testing.T) {
	h := loadHub(t, stack)
	native, evm, wanted := 0, 0, 0
	for height, b := range h.blocks[1:] {
		r := fee.Price(b, &h.rules, h.multipliers[height])
		asked := evidence.AsksQueryInfo(b, r, &h.rules)
		native += len(asked)
		if evidence.AsksReceipts(r, &h.rules) {
			evm++
		}
		for _, i := range asked {
			require.NotNil(t, b.Extrinsics[i].Signed)
		}
		wanted += r.Totals.Native
	}
	require.Equal(t, wanted, native)
	require.Positive(t, evm)
	moonbeam := rulesOf(t, "moonbeam", 2100)
	r := fee.Price(h.blocks[4], &h.rules, h.multipliers[3])
	require.Empty(t, evidence.AsksQueryInfo(h.blocks[4], r, &moonbeam))
	require.False(t, evidence.AsksReceipts(r, &moonbeam))
}

// receiptsAt returns the receipts of a block as recorded.
func receiptsAt(t *testing.T, name string, height int) (list []chain.Receipt) {
	text, err := os.ReadFile(pairs.Path(t, name, "gateway", "sent.json"))
	require.NoError(t, err)
	var file struct {
		Sent []struct {
			Height  int
			Family  string
			Receipt struct{ GasUsed, EffectiveGasPrice string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &file))
	for _, s := range file.Sent {
		if s.Height == height && s.Family == "evm" {
			list = append(list, chain.Receipt{GasUsed: chain.NewGas(number(s.Receipt.GasUsed).Uint64()), Price: chain.NewGasPrice(number(s.Receipt.EffectiveGasPrice).Uint64())})
		}
	}
	require.NotEmpty(t, list)
	return list
}

// The receipts that the recorded node answers agree with the fees and deposits of their block. Altered ones do not.
func TestReceiptsOfANode(t *testing.T) {
	h := loadHub(t, stack)
	recorded := receiptsAt(t, stack, 8)
	for what, c := range map[string]struct {
		change  func(list []chain.Receipt) []chain.Receipt
		finding string
	}{
		"as recorded": {func(list []chain.Receipt) []chain.Receipt { return list }, ""},
		"a gas more": {func(list []chain.Receipt) []chain.Receipt {
			list[0].GasUsed = chain.NewGas(list[0].GasUsed.Uint64() + 1)
			return list
		}, "but the fee and deposits are"},
		"a gas less": {func(list []chain.Receipt) []chain.Receipt {
			list[0].GasUsed = chain.NewGas(list[0].GasUsed.Uint64() - 1)
			return list
		}, "but the fee and deposits are"},
		"a wei more": {func(list []chain.Receipt) []chain.Receipt {
			list[0].Price = chain.NewGasPrice(49993650001)
			return list
		}, "the receipt states a price of 49993650001 wei per gas, but the base fee is 49993650000"},
		"more than any balance": {func(list []chain.Receipt) []chain.Receipt {
			most, err := chain.ParseGasPrice(new(big.Int).Lsh(big.NewInt(1), 255).String())
			require.NoError(t, err)
			list[0].Price = most
			return list
		}, "the receipt: "},
		"one too few":  {func(list []chain.Receipt) []chain.Receipt { return list[1:] }, "receipts for"},
		"one too many": {func(list []chain.Receipt) []chain.Receipt { return append(list, list[0]) }, "receipts for"},
		"two exchanged": {func(list []chain.Receipt) []chain.Receipt {
			list[0], list[2] = list[2], list[0]
			return list
		}, "but the fee and deposits are"},
		"none": {func([]chain.Receipt) []chain.Receipt { return []chain.Receipt{} }, "the node has 0 receipts for"},
	} {
		t.Run(what, func(t *testing.T) {
			r := h.proved(8, func(o *evidence.Options) { o.Receipts = chain.Some(c.change(slices.Clone(recorded))) })
			have := messageOf(r, "evm.receipt")
			require.Equal(t, c.finding == "", have == "", have)
			require.Contains(t, have, c.finding)
			if c.finding == "" {
				require.Equal(t, len(recorded), tally(t, r, "evm.receipt").Held)
			}
		})
	}
	r := h.proved(8, func(*evidence.Options) {})
	require.True(t, strings.HasPrefix(tally(t, r, "evm.receipt").Why, "only a node"))
}
