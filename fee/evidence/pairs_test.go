package evidence_test

import (
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/network"
)

// Every fee of every recorded chain equals the charge, according to the accounts' balances (Moonbeam, VFlow) or the
// events (DataHaven), and no check fails that should pass.
func TestProofOfPairs(t *testing.T) {
	dataHaven := func(t *testing.T) network.Rules { return rulesOf(t, "datahaven-testnet", 100) }
	moonbeam := func(runtime uint32) func(*testing.T) network.Rules {
		return func(t *testing.T) network.Rules { return rulesOf(t, "moonbeam", runtime) }
	}
	vflow := func(t *testing.T) network.Rules { return vflowRules(t) }
	for name, c := range map[string]struct {
		directory   string
		rules       func(*testing.T) network.Rules
		evm, native int
		waived      int // native ones whose only evidence is that: no fee event, and nothing charged
	}{
		"moonbeam-1701":          {pairs.Path(t, "moonbeam-1701"), moonbeam(1701), 55, 29, 2},
		"moonbeam-2100":          {pairs.Path(t, "moonbeam-2100"), moonbeam(2100), 55, 29, 0},
		"moonbeam-2600":          {pairs.Path(t, "moonbeam-2600"), moonbeam(2600), 54, 29, 0},
		"datahaven-100":          {pairs.Path(t, "datahaven-100"), dataHaven, 127, 41, 0},
		"datahaven-100m":         {pairs.Path(t, "datahaven-100m"), dataHaven, 104, 33, 0},
		"vflow-2000":             {pairs.Path(t, "vflow-2000"), vflow, 184, 55, 0},
		"recorded moonbeam-1701": {repository.Path("testdata/recordings/moonbeam-1701"), moonbeam(1701), 45, 19, 19},
		"recorded moonbeam-2100": {repository.Path("testdata/recordings/moonbeam-2100"), moonbeam(2100), 55, 29, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := loadPair(t, c.directory, c.rules(t))
			summary := p.requireCharged(t)
			require.Equal(t, c.evm, summary.EVM)
			require.Equal(t, c.native, summary.Native)
			require.Equal(t, c.evm+c.native-c.waived, summary.Verdicts[evidence.Match])
			require.Equal(t, c.waived, summary.Verdicts[evidence.CashOnly])
		})
	}
}

// Blocks 1 to 4 of the chain of runtime 2600: a dynamic base fee, and in block 3 the treasury's first credit
// ever, which creates its account.
func TestProofOfAMovingBaseFee(t *testing.T) {
	p := loadPair(t, filepath.Join("testdata", "moonbeam-2600"), rulesOf(t, "moonbeam", 2600))
	require.Len(t, p.blocks, 5)
	summary := p.requireCharged(t)
	require.Equal(t, 5, summary.Blocks)
	require.Equal(t, summary.EVM+summary.Native, summary.Verdicts[evidence.Match])
	require.Equal(t, summary.EVM, summary.Checks[index(t, "evm.split")].Held)
	require.Positive(t, summary.EVM)
}

// pair is a recorded chain and the charges of its transactions.
type pair struct {
	*history
	encoded map[int][][]byte // by height; nil without a node
	charges map[[2]int]map[string]string
}

func loadPair(t *testing.T, directory string, rules network.Rules) *pair {
	p := &pair{}
	if _, err := os.Stat(filepath.Join(directory, "gateway")); err == nil {
		p.encoded = encodedBy(t, filepath.Join(directory, "node"))
		directory = filepath.Join(directory, "gateway")
	}
	p.history = loadFrom(t, directory, rules)
	if file, err := os.Open(filepath.Join(directory, "charged.csv")); err == nil {
		defer file.Close()
		p.charges = chargesOfEvents(t, file)
		return p
	}
	p.charges = map[[2]int]map[string]string{}
	for at, c := range p.history.charges(t) {
		if c.Index < 0 {
			continue // it was sent, and no block has it
		}
		p.charges[at] = map[string]string{"charged": c.Charged}
	}
	return p
}

// chargesOfEvents reads the charges that were computed from the events, without this program.
func chargesOfEvents(t *testing.T, file *os.File) map[[2]int]map[string]string {
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	charges := map[[2]int]map[string]string{}
	for _, row := range rows[1:] {
		values := map[string]string{}
		for i, name := range rows[0] {
			values[name] = row[i]
		}
		height, err := strconv.Atoi(values["height"])
		require.NoError(t, err)
		index, err := strconv.Atoi(values["index"])
		require.NoError(t, err)
		charges[[2]int{height, index}] = values
	}
	return charges
}

// encodedBy returns the extrinsics as a recorded node has them, by height.
func encodedBy(t testing.TB, directory string) map[int][][]byte {
	text, err := os.ReadFile(filepath.Join(directory, "chain_getBlock.json"))
	require.NoError(t, err)
	var answers map[string]struct {
		Result struct {
			Block struct {
				Header     struct{ Number string }
				Extrinsics []string
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &answers))
	encoded := map[int][][]byte{}
	for _, a := range answers {
		height, err := strconv.ParseUint(strings.TrimPrefix(a.Result.Block.Header.Number, "0x"), 16, 32)
		require.NoError(t, err)
		list := [][]byte{}
		for _, x := range a.Result.Block.Extrinsics {
			bytes, err := hex.DecodeString(strings.TrimPrefix(x, "0x"))
			require.NoError(t, err)
			list = append(list, bytes)
		}
		encoded[int(height)] = list
	}
	return encoded
}

// requireCharged verifies every block, and requires each transaction's fee to equal the charge, with no
// finding except the true ones.
func (p *pair) requireCharged(t *testing.T) *evidence.Summary {
	t.Helper()
	summary := evidence.NewSummary()
	left := len(p.charges)
	var last *evidence.Report
	for height, text := range p.blocks {
		r := p.proofAt(t, height, text)
		if last != nil {
			r.CheckPredecessor(chain.Some(last.Predecessor()))
		}
		after, err := stored(p.multipliers[height])
		require.NoError(t, err)
		r.CheckStoredMultiplier(after)
		summary.Add(r)
		last = r
		for i := range r.Transactions {
			transaction := &r.Transactions[i]
			want, sent := p.charges[[2]int{height, transaction.Index}]
			require.True(t, sent, "block %d, extrinsic %d", height, transaction.Index)
			left--
			require.Equal(t, want["charged"], shown(transaction.Fee), "block %d, extrinsic %d", height, transaction.Index)
			require.Equal(t, want["charged"], shown(transaction.Charged), "block %d, extrinsic %d", height, transaction.Index)
			if treasury, told := want["treasury"]; told {
				require.Equal(t, []string{treasury, want["author_credit"], want["burned"]},
					[]string{shown(transaction.Treasury), shown(transaction.Author), shown(transaction.Burned)}, "block %d, extrinsic %d", height, transaction.Index)
			}
		}
		require.Equal(t, p.trueFindings(height, after), broken(r), "block %d: %v", height, r.Findings)
	}
	require.Zero(t, left, "every transaction that was sent is there")
	require.Equal(t, shown(summary.Fee), shown(summary.Charged))
	return summary
}

func (p *pair) proofAt(t *testing.T, height int, text string) *evidence.Report {
	t.Helper()
	o := thorough
	if list, ok := p.encoded[height]; ok {
		o.Encoded = chain.Some(list)
	}
	b := decoded(t, text)
	for i := range b.Extrinsics {
		if billionths := p.charges[[2]int{height, i}]["proportion"]; billionths != "" {
			n, err := strconv.ParseUint(billionths, 10, 64)
			require.NoError(t, err)
			o.FeesTreasuryProportion = proportion(t, n).FeesTreasuryProportion
		}
	}
	var parent chain.Optional[chain.StoredMultiplier]
	if height > 0 {
		var err error
		parent, err = stored(p.multipliers[height-1])
		require.NoError(t, err)
	}
	return evidence.Prove(b, fee.Price(b, &p.rules, parent), p.rules, o)
}

// If the table does not define the destinations of fees, they are not guessed: sums are unknown, and the block
// does not hold. Here every fee of the chain credits an account that may be the treasury.
func TestSumsWithAnUnknownPart(t *testing.T) {
	for what, change := range map[string]func(object){
		"no destinations": func(n object) { delete(n, "destinations") },
		"no treasury":     func(n object) { delete(n, "treasury"); delete(n["sources"].(object), "treasury") },
	} {
		n, ok := dataHavenTables(t, change).Named("datahaven-testnet")
		require.True(t, ok)
		rules, err := n.Rules(100)
		require.NoError(t, err)
		p := loadPair(t, pairs.Path(t, "datahaven-100"), rules)
		summary := evidence.NewSummary()
		unaccounted := 0
		for height, text := range p.blocks[:10] {
			r := p.proofAt(t, height, text)
			require.Empty(t, r.Findings, what)
			summary.Add(r)
			unknown := 0
			for _, x := range r.Transactions {
				if !x.Burned.Known() {
					unknown++
				}
			}
			unaccounted += unknown
			require.Equal(t, unknown, r.Totals.Unaccounted, what)
			require.Equal(t, unknown == 0, r.Holds(), what)
			require.Equal(t, unknown == 0, r.Totals.Burned.Known() && r.Totals.Treasury.Known() && r.Totals.Author.Known(), what)
			require.Equal(t, chain.Some(r.Totals.Fee), r.Totals.Charged, "what was charged is known: %s", what)
		}
		require.Positive(t, unaccounted, what)
		require.Equal(t, unaccounted, summary.Unaccounted)
		require.Equal(t, []string{shown(summary.Fee), "-", "-", "-"},
			[]string{shown(summary.Charged), shown(summary.Burned), shown(summary.Treasury), shown(summary.Author)}, what)
		require.False(t, summary.Holds(), what)
	}
}

// trueFindings returns the expected findings on a block: the tool that made the chains gave block 1 the time
// of the recording, which is later than block 2's (but not VFlow's); and it set the multiplier by hand, in a runtime where every
// block stores 1.
func (p *pair) trueFindings(height int, stored chain.Optional[chain.StoredMultiplier]) []string {
	found := []string{}
	if height == 2 && p.rules.Network != "vflow-testnet" {
		found = append(found, "block.time")
	}
	update, _ := p.rules.Update.Get()
	always, constant := update.Constant.Get()
	if m, _ := stored.Get(); height > 0 && constant && m.Value != always {
		found = append(found, "block.multiplier")
	}
	return found
}

// vflowRules returns those of VFlow's test network.
func vflowRules(t testing.TB) network.Rules { return rulesOf(t, "vflow-testnet", 2000) }

// VFlow refuses deployments that a pallet forbids: the chain charged nothing for them, and the account can use the nonce
// again. The sender, which no event names, is the one that sent it.
func TestRefusedDeployments(t *testing.T) {
	h := loadFrom(t, filepath.Join(pairs.Path(t, "vflow-2000"), "gateway"), vflowRules(t))
	text, err := os.ReadFile(filepath.Join(h.directory, "sent.json"))
	require.NoError(t, err)
	var file struct {
		Sent []struct {
			Family, From         string
			Height, Index, Nonce int
			Charged              string `json:"charged_wei"`
		}
	}
	require.NoError(t, json.Unmarshal(text, &file))
	reports, refused := h.all(t, thorough), 0
	for _, sent := range file.Sent {
		if sent.Family != "evm" || sent.Charged != "0" {
			continue
		}
		refused++
		for _, x := range reports[sent.Height].Transactions {
			if x.Index == sent.Index {
				require.Equal(t, []string{sent.From, sent.From, "0", "0", "-"},
					[]string{shown(x.From), shown(x.Payer), shown(x.Fee), shown(x.Charged), shown(x.Gas)})
				require.Equal(t, chain.Some(fee.Failed), x.Outcome)
				require.Equal(t, chain.Some(evidence.Match), x.Verdict)
			}
		}
		deployment := decoded(t, h.blocks[sent.Height]).Extrinsics[sent.Index]
		for nonce, want := range map[int]evidence.Tally{sent.Nonce: {Held: 2}, sent.Nonce + 1: {Held: 1, Broken: 1}} {
			again := []chain.Extrinsic{deployment, deployment, by(t, sent.From, nonce)}
			s := summed(inBlocks(again), h.rules)
			require.Equal(t, want, counted(s.Checks[index(t, "account.nonce")].Tally), nonce)
		}
	}
	require.Equal(t, 8, refused)
}

// A runtime without the event balances.Withdraw does not show that nothing was charged; neither does a transaction that ran.
func TestNotRefused(t *testing.T) {
	h := loadFrom(t, filepath.Join(pairs.Path(t, "vflow-2000"), "gateway"), vflowRules(t))
	for what, change := range map[string]func(x *chain.Extrinsic, r *network.Rules){
		"no event Withdraw": func(_ *chain.Extrinsic, r *network.Rules) { r.NoWithdrawEvent = true },
		"withdrawn": func(x *chain.Extrinsic, _ *network.Rules) {
			x.Events = append([]chain.Event{event(t, "balances.Withdraw", payer, "5")}, x.Events...)
		},
		"no outcome": func(x *chain.Extrinsic, _ *network.Rules) { x.Events = nil },
	} {
		b, rules := decoded(t, h.blocks[10]), h.rules
		change(&b.Extrinsics[4], &rules)
		for _, x := range fee.Price(b, &rules, one).Transactions {
			if x.Index == 4 {
				require.Equal(t, "-", shown(x.Fee), what)
				require.Error(t, x.Error, what)
			}
		}
	}
}

// dataHavenRules returns those of the DataHaven test network's runtime 100.
func dataHavenRules(t testing.TB) network.Rules { return rulesOf(t, "datahaven-testnet", 100) }

// dataHavenTables returns those of its networks, changed.
func dataHavenTables(t testing.TB, change func(network object)) network.Tables {
	t.Helper()
	text, err := os.ReadFile(repository.Path("network/tables/datahaven.json"))
	require.NoError(t, err)
	table := tree(t, string(text)).(object)
	for _, n := range table["networks"].([]any) {
		change(n.(object))
	}
	tables, err := network.BuiltIn().With("datahaven.json", []byte(encoded(t, table)))
	require.NoError(t, err)
	return tables
}
