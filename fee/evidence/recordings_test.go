package evidence_test

import (
	"math/big"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/network"
)

// counts is the result of a check in a whole recording.
type counts struct{ held, broken, skipped int }

// The verified properties of each recording. The counts follow from what was sent: 55 EVM and 29 native
// transactions in 28 blocks, and 45 and 19 in 22. Block 0 has no parent and no multiplier; block 1 follows
// block 0, which has no time.
var proofs = map[uint32]struct {
	blocks, evm, native, creations int
	nativeVerdict                  evidence.Verdict
	checks                         map[string]counts
}{
	2100: {28, 55, 29, 6, evidence.Match, map[string]counts{
		"block.parent":     {27, 0, 0},
		"block.final":      {28, 0, 0},
		"block.inherents":  {27, 0, 0},
		"block.time":       {25, 1, 1},
		"block.totals":     {28, 0, 0},
		"block.outcome":    {27*4 + 55 + 29, 0, 0},
		"block.multiplier": {27, 0, 1},
		"block.weight":     {28, 0, 0},
		"block.base_fee":   {0, 0, 28}, // it is static
		"block.weighed":    {0, 0, 28}, // nor for system.blockWeight
		"block.digest":     {27, 0, 1},
		"block.nonce":      {57, 0, 18}, // 18 accounts sent, and 9 times one of them again in the same block
		"account.nonce":    {9, 0, 0},
		"block.treasury":   {0, 0, 28}, // the pallet did not report yet
		"extrinsic.hash":   {0, 0, 28}, // no node was asked
		"extrinsic.once":   {55 + 29, 0, 0},
		"extrinsic.order":  {23, 0, 0}, // the blocks with a transaction
		"evm.executed":     {55, 0, 0},
		"evm.weight":       {55, 0, 0},
		"evm.gas":          {55, 0, 0},
		"evm.hold":         {55, 0, 0},
		"evm.price":        {55, 0, 0},
		"evm.cash":         {55, 0, 0},
		"evm.split":        {55, 0, 0},
		"evm.outcome":      {55, 0, 0},
		"evm.hash":         {55, 0, 0},
		"evm.sender":       {55, 0, 0},
		"evm.recipient":    {55, 0, 0},
		"native.call":      {29, 0, 0},
		"native.cash":      {29, 0, 0},
		"native.payer":     {29, 0, 0},
		"native.tip":       {29, 0, 0},
		"native.waived":    {2, 0, 0},
		"native.formula":   {0, 0, 29},
		"native.signature": {0, 0, 29},
		"native.split":     {29, 0, 0},
	}},
	1701: {22, 45, 19, 6, evidence.CashOnly, map[string]counts{
		"block.parent":     {21, 0, 0},
		"block.final":      {22, 0, 0},
		"block.inherents":  {21, 0, 0},
		"block.time":       {19, 1, 1},
		"block.totals":     {22, 0, 0},
		"block.outcome":    {21*3 + 45 + 19, 0, 0},
		"block.multiplier": {21, 0, 1},
		"block.weight":     {0, 0, 22},
		"block.base_fee":   {0, 0, 22}, // it is static
		"block.weighed":    {0, 0, 22},
		"block.digest":     {21, 0, 1},
		"block.nonce":      {46, 0, 18},
		"block.treasury":   {0, 0, 22},
		"extrinsic.hash":   {0, 0, 22},
		"extrinsic.once":   {45 + 19, 0, 0},
		"extrinsic.order":  {17, 0, 0},
		"evm.executed":     {45, 0, 0},
		"evm.weight":       {45, 0, 0},
		"evm.gas":          {45, 0, 0},
		"evm.hold":         {0, 0, 45},
		"evm.price":        {45, 0, 0},
		"evm.cash":         {45, 0, 0},
		"evm.split":        {45, 0, 0},
		"evm.outcome":      {0, 0, 45},
		"evm.hash":         {45, 0, 0},
		"evm.sender":       {45, 0, 0},
		"evm.recipient":    {45, 0, 0},
		"native.call":      {19, 0, 0},
		"native.cash":      {0, 0, 19},
		"native.payer":     {19, 0, 0},
		"native.tip":       {0, 0, 19},
		"native.waived":    {0, 0, 19},
		"native.formula":   {0, 0, 19},
		"native.signature": {0, 0, 19},
		"native.split":     {19, 0, 0},
	}},
}

// Every applicable check passes, with one exception: the recording tool gave blocks 1 and 2 the same time.
func TestProofOfRecordings(t *testing.T) {
	for runtime, want := range proofs {
		h := load(t, runtime)
		require.Len(t, h.blocks, want.blocks)
		charges := h.charges(t)
		summary := evidence.NewSummary()
		charged, split := new(big.Int), new(big.Int)
		for height, r := range h.all(t, thorough) {
			summary.Add(r)
			require.True(t, r.Totals.Complete)
			for i := range r.Transactions {
				transaction := &r.Transactions[i]
				c, sent := charges[[2]int{height, transaction.Index}]
				require.True(t, sent, "block %d, extrinsic %d", height, transaction.Index)
				require.Equal(t, c.Charged, shown(transaction.Charged), "block %d, %s", height, c.Kind)
				require.Equal(t, c.Charged, shown(transaction.Fee), "block %d, %s", height, c.Kind)
				verdict := evidence.Match
				if c.Family == "native" {
					verdict = want.nativeVerdict
				}
				require.Equal(t, string(verdict), word(transaction.Verdict), "block %d, %s", height, c.Kind)
				require.False(t, transaction.Drift.Known())
				require.False(t, transaction.Class.Known())
				charged.Add(charged, number(c.Charged))
				base, above := parts(transaction)
				split.Add(split, requireSplit(t, transaction, base, above))
			}
			if height == 2 {
				require.Equal(t, []string{"block.time"}, broken(r))
				require.False(t, r.Holds())
			} else {
				require.Empty(t, r.Findings, "block %d", height)
			}
		}
		require.Equal(t, want.evm, summary.EVM)
		require.Equal(t, want.native, summary.Native)
		require.Zero(t, summary.Undetermined)
		require.Zero(t, summary.Uncertain, "runtime %d", runtime)
		require.Equal(t, charged.String(), shown(summary.Charged))
		require.Equal(t, charged.String(), shown(summary.Fee))
		require.Equal(t, split.String(), shown(summary.Treasury))
		require.Equal(t, new(big.Int).Sub(charged, split).String(), shown(summary.Burned))
		require.Equal(t, "0", shown(summary.Author))
		verdicts := map[evidence.Verdict]int{evidence.Match: want.evm}
		verdicts[want.nativeVerdict] += want.native
		require.Equal(t, verdicts, summary.Verdicts)
		require.Empty(t, summary.Classes)
		require.False(t, summary.Holds(), "two blocks have the same time")
		for i, c := range evidence.Checks() {
			tally := summary.Checks[i]
			require.Equal(t, want.checks[c.ID], counts{tally.Held, tally.Broken, tally.NotApplicable}, "runtime %d: %s", runtime, c.ID)
			require.Equal(t, tally.Broken > 0, tally.First != nil, c.ID)
			require.Equal(t, tally.NotApplicable > 0, tally.Why != "", c.ID)
		}
	}
}

// parts returns a fee's base part and what the sender added. Runtimes 1701 and 2100
// have a base fee of 100 Gwei.
func parts(t *evidence.Transaction) (base, above *big.Int) {
	whole, _ := t.Fee.Get()
	if t.Layer == fee.Native {
		tip, _ := t.Tip.Get()
		return new(big.Int).Sub(whole.Big(), tip.Big()), tip.Big()
	}
	gas, _ := t.Gas.Get()
	base = new(big.Int).Mul(number(gas.String()), number("100000000000"))
	return base, new(big.Int).Sub(whole.Big(), base)
}

// requireSplit checks the split of a fee: the treasury receives 20 % of each part, rounded up, except of a
// native tip, which is burned. It returns the treasury's part.
func requireSplit(t *testing.T, transaction *evidence.Transaction, base, above *big.Int) *big.Int {
	t.Helper()
	treasury := fifth(base)
	if transaction.Layer == fee.EVM {
		treasury.Add(treasury, fifth(above))
	}
	require.Equal(t, treasury.String(), shown(transaction.Treasury))
	require.Equal(t, "0", shown(transaction.Author))
	whole := new(big.Int).Add(base, above)
	require.Equal(t, whole.Sub(whole, treasury).String(), shown(transaction.Burned))
	return treasury
}

// fifth returns x - floor(0.8 x).
func fifth(x *big.Int) *big.Int {
	burned := new(big.Int).Mul(x, big.NewInt(8))
	return burned.Sub(x, burned.Quo(burned, big.NewInt(10)))
}

// Without signatures, those three checks are not made, with a reason.
func TestProofWithoutSignatures(t *testing.T) {
	h := load(t, 2100)
	summary := evidence.NewSummary()
	for _, r := range h.all(t, evidence.Options{}) {
		summary.Add(r)
	}
	for _, id := range []string{"evm.hash", "evm.sender", "evm.recipient"} {
		require.Equal(t, evidence.Tally{NotApplicable: 55, Why: "signature checks were not requested"}, summary.Checks[index(t, id)].Tally)
	}
}

// The three fixed points of the real network's block.
const (
	realHeight     = 11_728_459
	realFee        = "12641937500000000"
	realMultiplier = 1_000_000_000_000_000_000
)

func realBlock(t testing.TB) *chain.Block {
	t.Helper()
	text, err := os.ReadFile(repository.Shared(t, "realnet", "moonbeam-11728459.json"))
	require.NoError(t, err)
	return decoded(t, string(text))
}

// A block of the real network, if it is beside the checkout. The parameter was 0: everything was burned.
func TestProofOfTheRealNetwork(t *testing.T) {
	b := realBlock(t)
	rules := rulesOf(t, "moonbeam", 3702)
	multiplier := at(realHeight-1, realMultiplier)
	nothing, err := chain.NewPerbill(0)
	require.NoError(t, err)
	for _, o := range []evidence.Options{thorough, {Signatures: true, FeesTreasuryProportion: chain.Some(nothing)}} {
		r := evidence.Prove(b, fee.Price(b, &rules, multiplier), rules, o)
		require.Empty(t, r.Findings)
		require.True(t, r.Holds())
		require.Equal(t, 9, r.Totals.Match)
		require.Equal(t, 9, r.Totals.EVM)
		require.Zero(t, r.Totals.Drift+r.Totals.CashOnly+r.Totals.NoEvidence)
		require.Equal(t, realFee, shown(r.Totals.Charged))
		require.Equal(t, realFee, shown(r.Totals.Burned))
		require.Equal(t, "0", shown(r.Totals.Treasury))
		require.Equal(t, "0", shown(r.Totals.Author))
		for _, id := range []string{"evm.hash", "evm.sender", "evm.recipient", "evm.hold", "evm.cash", "evm.gas", "evm.weight", "evm.price", "evm.outcome", "evm.executed"} {
			require.Equal(t, evidence.Tally{Held: 9}, tally(t, r, id), id)
		}
		split := evidence.Tally{Held: 9}
		if !o.FeesTreasuryProportion.Known() {
			split = evidence.Tally{NotApplicable: 9, Why: "FeesTreasuryProportion: missing"}
		}
		require.Equal(t, split, tally(t, r, "evm.split"))
		require.Zero(t, tally(t, r, "block.weight").Broken)
		require.Equal(t, 1, tally(t, r, "block.base_fee").Held)
	}
}

// quadrupled is a network file with the base fee from before runtime 3400.
const quadrupled = `{"networks": [{"name": "moonbeam", "symbol": "GLMR", "last_runtime": 4500, "first_withdraw_event": 1201, "first_fee_event": 1801,
	"rows": [{"from_runtime": 900, "base_fee_constant": "125000000000", "minimum_multiplier": "1000000000000000000", "source": "the constant until runtime 3300"}]}]}`

// With a constant of four times the chain's, one fee drifts: that of the one transaction whose price follows
// the base fee. The others state their price, or are capped at it. The diagnosis is the chain's own constant.
func TestWrongConstantOnTheRealNetwork(t *testing.T) {
	b := realBlock(t)
	tables, err := network.BuiltIn().With("quadrupled.json", []byte(quadrupled))
	require.NoError(t, err)
	n, _ := tables.Named("moonbeam")
	rules, err := n.Rules(3702)
	require.NoError(t, err)
	r := evidence.Prove(b, fee.Price(b, &rules, at(realHeight-1, realMultiplier)), rules, thorough)
	require.False(t, r.Holds())
	require.True(t, r.DriftsOnEVM())
	require.Equal(t, 1, r.Totals.Drift)
	require.Equal(t, 8, r.Totals.Match)
	// Neighbours that do not match change nothing.
	r.Diagnose(b, rules, evidence.Neighbours{
		Multipliers: []chain.StoredMultiplier{{At: realHeight, Value: chain.NewMultiplier(realMultiplier + 1)}},
		Rules:       []network.Rules{rulesOf(t, "moonbeam", 2201)},
	})
	drifts := 0
	for i := range r.Transactions {
		transaction := &r.Transactions[i]
		if !transaction.Drift.Known() {
			continue
		}
		drifts++
		require.Equal(t, string(evidence.BaseConstant), word(transaction.Class))
		// 69,584 gas at 31.25 Gwei, where min(62.5, 125 + 0) Gwei was expected.
		require.Equal(t, "2174500000000000", shown(transaction.Charged))
		require.Equal(t, "4349000000000000", shown(transaction.Fee))
		require.Equal(t, "-2174500000000000", shown(transaction.Drift))
	}
	require.Equal(t, 1, drifts)
	require.Equal(t, &evidence.Diagnosis{
		Class: evidence.BaseConstant,
		Message: "the base constant 31250000000 matches; the rules have 125000000000. " +
			"Set base_fee_constant in a network file (--network-file).",
		Deciding:      1,
		BaseFeePerGas: chain.Some(chain.NewGasPrice(31_250_000_000)),
	}, r.Diagnosis)
}
