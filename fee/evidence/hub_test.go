package evidence_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/test/pairs"
)

// hub is a recorded chain with pallet revive.
type hub struct {
	*recording
	texts    []string
	balances map[chain.Address][]chain.Balance // by height
	sent     map[[2]int]hubSent
}

// hubSent is a transaction as the tool that sent it recorded it: what was charged, from the events or from balances.
type hubSent struct {
	Height, Index int
	Family        string
	Payer         string
	Hash          string // of the Ethereum transaction
	Charged       string // without the tip
	ChargedWei    string `json:"charged_wei"` // with the tip
	Tip           string
	GasLimit      string
	BaseFee       string
	BaseFeeToo    string `json:"base_fee"`
}

func loadHub(t testing.TB, name string) *hub {
	t.Helper()
	directory := pairs.Path(t, name, "gateway")
	h := &hub{recording: read(t, directory, pairs.HubRules(t, name)), sent: map[[2]int]hubSent{}}
	h.encoded = map[chain.Hash][][]byte{}
	for height, list := range encodedBy(t, pairs.Path(t, name, "node")) {
		h.encoded[h.blocks[height].Hash] = list
	}
	text, err := os.ReadFile(filepath.Join(directory, "sent.json"))
	require.NoError(t, err)
	var file struct{ Sent []hubSent }
	require.NoError(t, json.Unmarshal(text, &file))
	for _, s := range file.Sent {
		h.sent[[2]int{s.Height, s.Index}] = s
	}
	h.balances = balancesIn(t, filepath.Join(directory, "balance-info"), len(h.blocks))
	for height := range h.blocks {
		text, err := os.ReadFile(filepath.Join(directory, "blocks", fmt.Sprintf("%d.json", height)))
		require.NoError(t, err)
		h.texts = append(h.texts, string(text))
	}
	return h
}

// judge verifies the block at a height from another text, with the multiplier that it stored and the blocks around it.
func (h *hub) judge(t testing.TB, height int, text string) (r *evidence.Report, refusal error) {
	t.Helper()
	b, err := sidecar.DecodeBlock(text)
	if err != nil {
		return nil, err
	}
	r = h.recording.prove(height, b)
	var sequence evidence.Sequence
	for before := max(height-3, 0); before < height; before++ {
		sequence.Add(h.blocks[before], h.recording.prove(before, h.blocks[before]))
	}
	sequence.Add(b, r)
	r.CheckStoredMultiplier(h.multipliers[height])
	for account, balances := range h.balances {
		if height > 0 && len(balances) > height {
			r.AccountBalance(b, account, balances[height-1], balances[height])
		}
	}
	if height+1 < len(h.blocks) {
		after := h.recording.prove(height+1, h.blocks[height+1])
		after.CheckPredecessor(chain.Some(r.Predecessor()))
		for _, f := range after.Findings {
			if f.Check == "block.parent" || f.Check == "block.time" {
				r.Findings = append(r.Findings, f)
			}
		}
	}
	return r, nil
}

// balancesIn reads the balances that a gateway reported, by height.
func balancesIn(t testing.TB, directory string, heights int) map[chain.Address][]chain.Balance {
	t.Helper()
	all := map[chain.Address][]chain.Balance{}
	accounts, err := os.ReadDir(directory)
	require.NoError(t, err)
	for _, entry := range accounts {
		account, err := chain.ParseAccount(entry.Name())
		require.NoError(t, err)
		for height := range heights {
			text, err := os.ReadFile(filepath.Join(directory, entry.Name(), fmt.Sprintf("%d.json", height)))
			if os.IsNotExist(err) {
				break
			}
			require.NoError(t, err)
			b, err := sidecar.DecodeBalance(string(text))
			require.NoError(t, err)
			all[account] = append(all[account], b.Value.Balance)
		}
	}
	return all
}

// TestProofOfHubs compares what each transaction of two recorded chains with pallet revive was charged with what the tool
// that made them recorded. The only findings are the multipliers that the tool set.
func TestProofOfHubs(t *testing.T) {
	for name, want := range map[string]struct {
		evm, native, assets, proofs int
		findings                    map[string][]uint64
	}{
		"passet-1019002": {53, 30, 3, 74, map[string][]uint64{
			"block.multiplier": {26, 27, 28, 29, 30}, "block.base_fee": {30},
		}},
		"stack-template-3": {88, 61, 0, 139, map[string][]uint64{
			"block.multiplier": {9, 10, 11, 12, 13, 35}, "block.base_fee": {13},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			h := loadHub(t, name)
			found := map[string][]uint64{}
			assets, proofs := 0, 0
			summary := evidence.NewSummary()
			for height := range h.blocks {
				r, err := h.judge(t, height, h.texts[height])
				require.NoError(t, err)
				for _, f := range r.Findings {
					found[f.Check] = append(found[f.Check], f.Block)
				}
				for i := range r.Transactions {
					x := &r.Transactions[i]
					s, sent := h.sent[[2]int{height, x.Index}]
					require.True(t, sent, "%d-%d", height, x.Index)
					h.compare(t, height, x, s)
					if x.AssetFee != nil {
						assets++
					}
					if x.ProofSize.Known() {
						proofs++
					}
				}
				summary.Add(r)
			}
			require.Equal(t, []int{want.evm, want.native, want.evm + want.native}, []int{summary.EVM, summary.Native, summary.Verdicts[evidence.Match]})
			require.Equal(t, want.assets, assets)
			require.Equal(t, want.proofs, proofs, "fees with more proof than their events show")
			require.Equal(t, want.findings, found)
			require.Equal(t, want.evm, summary.Checks[index(t, "evm.hold")].Held)
			require.Equal(t, want.evm, summary.Checks[index(t, "evm.payer")].Held)
			require.Equal(t, want.evm, summary.Checks[index(t, "evm.formula")].Held+summary.Checks[index(t, "evm.formula")].NotApplicable)
		})
	}
}

// compare compares a transaction with the record of the tool that sent it.
func (h *hub) compare(t *testing.T, height int, x *evidence.Transaction, s hubSent) {
	t.Helper()
	at := fmt.Sprintf("%d-%d", height, x.Index)
	require.Equal(t, s.Family, string(x.Layer), at)
	payer, err := chain.ParseAccount(s.Payer)
	require.NoError(t, err, at)
	require.Equal(t, chain.Some(payer), x.Payer, at)
	if x.Layer == fee.EVM {
		require.Equal(t, s.Hash, shown(x.EVMHash), at)
		require.Equal(t, s.BaseFee+s.BaseFeeToo, shown(x.GasPrice), at)
		require.Equal(t, "0", shown(x.PriorityFee), at)
	}
	paid, _ := x.Fee.Get()
	tip, _ := x.Tip.Get()
	rest, err := paid.Sub(tip)
	require.NoError(t, err, at)
	switch {
	case x.AssetFee != nil:
		require.Zero(t, s.Charged+s.ChargedWei, at)
		require.Equal(t, "0", paid.String(), at)
	case s.Charged != "":
		require.Equal(t, s.Charged, rest.String(), at)
	default:
		require.Equal(t, s.ChargedWei, paid.String(), at)
	}
	require.Equal(t, shown(x.Fee), shown(x.Charged), at)
}

// A fee paid in an asset is in no total of the token. Amount, tip and equivalent are those of the recorded events.
func TestFeesInAnAsset(t *testing.T) {
	h := loadHub(t, "passet-1019002")
	const asset = `{"parents":"0","interior":{"x2":[{"palletInstance":"50"},{"generalIndex":"1984"}]}}`
	for height, want := range map[int]string{37: "387766 0 38660075", 38: "388776 777 38760435", 39: "476690 0 47459241"} {
		r, err := h.judge(t, height, h.texts[height])
		require.NoError(t, err)
		require.Len(t, r.Transactions, 1)
		x := &r.Transactions[0]
		require.Equal(t, asset, x.AssetFee.Asset)
		require.Equal(t, want, fmt.Sprint(x.AssetFee.Amount, x.AssetFee.Tip, " ", shown(x.AssetFee.Equivalent)))
		require.Equal(t, "0", r.Totals.Fee.String())
		require.Equal(t, 1, r.AssetFees[0].Transactions)
		require.Equal(t, x.AssetFee.Amount, r.AssetFees[0].Amount)
		require.Equal(t, x.AssetFee.Equivalent, r.AssetFees[0].Equivalent)
	}
}

// blindOnHubs lists the changes to a block of a chain with pallet revive that no check can detect, and why.
var blindOnHubs = []struct{ what, why string }{
	{`block\.(logs|authorId).*`, "in the header, whose hash needs its encoded bytes; no fee depends on them"},
	{`block\.finalized flag`, "it says that the block is not final yet, which is not wrong: block.final is not made then"},
	{`\w+\.(info|era).*`, "no fee depends on it"},
	{`\w+\.(success|paysFee) flag`, "the gateway's own words for what the events say, which are what is read"},
	{`block\.(stateRoot|extrinsicsRoot|hash) digit`, "in or of the header, which needs its encoded bytes; the last block of a chain has no successor that names it"},
	{`\w+\.hash digit`, "of the encoded extrinsic, where no node was recorded"},
	{`inherent\.(args|method|hash|nonce|tip).*`, "inherents pay nothing; of the time, only that it rises can be seen"},
	{`inherent (removed|doubled|swapped)`, "the chain has no list of a block's inherents"},
	{`inherent\.events\.system\.ExtrinsicSuccess\.data\[0\]\..*`, "a mandatory extrinsic's weight is not what moves the multiplier"},
	{`evm\.(signature|nonce|tip) a value`, "such extrinsics have none, and it is not read"},
	{`native\.(args|method|nonce).*`, "signed, and not part of any fee; the signature needs the encoded extrinsic"},
	{`native\.signature.*`, "needs the encoded extrinsic; without a signer, native.payer is not made"},
	{`\w+\.events\..* swapped`, "the same events in another order: the same money moved"},
	{`\w+\.events\.balances\.BurnedDebt doubled`, "the fee's is the one directly before the fee event; others tell of dust"},
	{`native\.events\.balances\.BurnedDebt.*`, "what tells of dust, which no account has any more"},
	{`\w+\.events\.system\.Extrinsic(Success|Failed)\..*proofSize.*`, "the chain reclaims it: the fee shows what was charged for"},
	{`\w+\.events\.system\.ExtrinsicFailed\.data\[0\].*`, "why it failed"},
	{`native\.events\.system\.ExtrinsicSuccess\.data\[0\]\.(weight null|paysFee flag)`, "a fee paid in an asset, where no node was recorded"},
	{`evm\.events\.balances\.(Held|Released)\.(data\[0\]|method).*`, "why a contract holds money: its own balance was not recorded, and evm.deposit is not made for an unknown movement"},
	{`evm\.events\.balances\.Held removed`, "likewise"},
	{`native\.events\.balances\.(Withdraw|Deposit) doubled`, "the call can withdraw and deposit too, here from the pool"},
	{`native\.events\.(system\.KilledAccount|utility\.BatchInterrupted).*`, "not part of any fee"},
	{`native\.events\.assets\.(Withdrawn|Deposited).*`, "the pool's, and the number of an asset that the fee event names by its location"},
	{`native\.events\.assetConversion\.SwapCreditExecuted.*`, "of the second swap, which gives back; and the rest of the path of the first"},
}

// TestAlteredHubs changes everything in some blocks, one thing at a time.
func TestAlteredHubs(t *testing.T) {
	heights := map[string][]int{"stack-template-3": {8, 20}, "passet-1019002": {17, 39}}
	if testing.Short() {
		t.Skip("each change of some blocks")
	}
	patterns := make([]*regexp.Regexp, len(blindOnHubs))
	used := make([]int, len(blindOnHubs))
	for i, b := range blindOnHubs {
		patterns[i] = regexp.MustCompile(`^(` + b.what + `)$`)
	}
	made, caught := 0, 0
	var unseen []string
	for name, list := range heights {
		h := loadHub(t, name)
		for _, height := range list {
			usual, err := h.judge(t, height, h.texts[height])
			require.NoError(t, err)
			b := tree(t, h.texts[height]).(object)
			for _, c := range changes(b) {
				undo := c.make()
				r, refusal := h.judge(t, height, encoded(t, b))
				undo()
				made++
				if refusal != nil || r.Totals.Undetermined > 0 || len(r.Findings) > len(usual.Findings) {
					caught++
					continue
				}
				key := fmt.Sprintf("%s %s", c.place, c.kind)
				excuse := slices.IndexFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(key) })
				if excuse < 0 {
					unseen = append(unseen, fmt.Sprintf("%s: %s block %d: %s", key, name, height, c.what))
				} else {
					used[excuse]++
				}
			}
		}
	}
	if len(unseen) > 0 {
		t.Fatalf("%d changes were not seen:\n%s", len(unseen), strings.Join(unseen, "\n"))
	}
	for i, b := range blindOnHubs {
		require.NotZero(t, used[i], "%s: every such change is seen", b.what)
	}
	t.Logf("%d changes, %d caught", made, caught)
	require.Greater(t, caught, 900)
}
