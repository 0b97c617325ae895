package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/chaingen"
)

// The figures of a generated chain without a built-in table. From block 300 it is busy for an hour, so that its
// multiplier falls and rises from madeUpFirst to madeUpLast; governance sets the treasury's share in between.
const (
	madeUpName         = "tidewater"
	madeUpWeightPerGas = 66_666
	madeUpConstant     = 31_415_926_535
	madeUpKey          = "0x0709"
	madeUpFirst        = 285
	madeUpLast         = 320
)

var madeUpTreasury = chain.Address20([20]byte([]byte("tidewater/treasury##")))

// madeUpTable is the chain's table as a user would write it.
var madeUpTable = `{"networks": [{
  "name": "tidewater", "symbol": "TIDE", "last_runtime": 2302,
  "treasury": "` + strings.ToLower(madeUpTreasury.String()) + `",
  "fees_treasury_proportion": {"key": "0x0709", "default": "150000000", "source": "a test"},
  "rows": [{"from_runtime": 1, "base_fee_constant": "31415926535", "minimum_multiplier": "1000000000000000000",
    "weight_per_gas": 66666, "source": "a test"}],
  "destinations": [{"from_runtime": 1, "evm_base": "treasury_parameter", "evm_priority": "author",
    "native_base": "treasury_100", "native_tip": "author", "source": "a test"}],
  "multiplier_updates": [{"from_runtime": 1, "minimum": "1000000000000000000", "maximum": "100000000000000000000000",
    "adjustment": "4000000000000000", "target": 250000, "max_ref_time": "2000000000000", "normal_class": 650000,
    "block_weight": "events", "source": "a test"}],
  "existential_deposits": [{"from_runtime": 1, "deposit": "0", "source": "a test"}]
}]}`

// madeUpProportion returns the treasury's share of base fees in a block, in parts per billion.
func madeUpProportion(height uint64) uint64 {
	switch at := height - 1; { // as its parent left it
	case at < 292:
		return 150_000_000
	case at < 305:
		return 333_333_333
	case at < 312:
		return 0
	}
	return 1_000_000_000
}

// keyedGateway records the requested keys of parameters.
type keyedGateway struct {
	http.Handler
	mu   sync.Mutex
	keys map[string]bool
}

func (g *keyedGateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/pallets/parameters/") {
		g.mu.Lock()
		g.keys[r.URL.Query().Get("keys[]")] = true
		g.mu.Unlock()
	}
	g.Handler.ServeHTTP(w, r)
}

// madeUp serves the chain.
func madeUp(t *testing.T) (*chaingen.Chain, *keyedGateway, string) {
	c := chaingen.New(chaingen.Options{Seed: 99, Signed: true, Head: madeUpLast, Network: &chaingen.Network{
		SpecName: madeUpName, Symbol: "TIDE", WeightPerGas: madeUpWeightPerGas, BaseFeeConstant: madeUpConstant,
		NormalRefTime: 1_300_000_000_000, // 65 % of 2 s
		Treasury:      madeUpTreasury,
		EVMBase:       chaingen.ByParameter, EVMPriority: chaingen.ToAuthor, NativeBase: 1_000_000_000, NativeTip: chaingen.ToAuthor,
		ParameterKey: madeUpKey, DefaultProportion: 150_000_000,
		Proportions: []chaingen.Proportion{{From: 292, Perbill: 333_333_333}, {From: 305, Perbill: 0}, {From: 312, Perbill: 1_000_000_000}},
	}})
	g := &keyedGateway{Handler: c.Handler(), keys: map[string]bool{}}
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	return c, g, server.URL
}

// recordedFee is the fee of one transaction from a block's events, in wei.
type recordedFee struct {
	Index                             int
	Layer, Payer                      string
	Charged, Burned, Treasury, Author *big.Int
}

// madeUpBlock is a block of the chain.
type madeUpBlock struct {
	Extrinsics []struct {
		Method    struct{ Pallet string }
		Signature *struct{ Signer string }
		Args      struct {
			Transaction map[string]struct{ GasPrice, MaxFeePerGas, MaxPriorityFeePerGas string }
		}
		Events []struct {
			Method struct{ Pallet, Method string }
			Data   []json.RawMessage
		}
	}
}

func (b *madeUpBlock) text(t *testing.T, x, event, data int) (s string) {
	require.NoError(t, json.Unmarshal(b.Extrinsics[x].Events[event].Data[data], &s))
	return s
}

// recordedFees returns the fees of a block from its events only: withdrawn less refunded, with the credits of
// treasury and author.
func recordedFees(t *testing.T, c *chaingen.Chain, height uint64) (list []recordedFee) {
	var b madeUpBlock
	require.NoError(t, json.Unmarshal(c.Block(height), &b))
	for i := range b.Extrinsics {
		x := &b.Extrinsics[i]
		if x.Method.Pallet != "ethereum" && x.Signature == nil {
			continue // an inherent
		}
		f := recordedFee{Index: i, Layer: "native", Charged: new(big.Int), Treasury: new(big.Int), Author: new(big.Int)}
		if x.Method.Pallet == "ethereum" {
			f.Layer = "evm"
		}
		for j := range x.Events {
			if x.Events[j].Method.Pallet != "balances" {
				continue
			}
			who := b.text(t, i, j, 0)
			switch x.Events[j].Method.Method {
			case "Withdraw":
				require.Empty(t, f.Payer)
				f.Payer = who
				f.Charged.Add(f.Charged, big10(t, b.text(t, i, j, 1)))
			case "Deposit":
				amount := big10(t, b.text(t, i, j, 1))
				switch {
				case who == f.Payer:
					f.Charged.Sub(f.Charged, amount)
				case who == madeUpTreasury.String():
					f.Treasury.Add(f.Treasury, amount)
				default:
					f.Author.Add(f.Author, amount)
				}
			}
		}
		f.Burned = new(big.Int).Sub(f.Charged, f.Treasury)
		f.Burned.Sub(f.Burned, f.Author)
		if f.Layer == "evm" {
			requireByTheRules(t, c, height, &b, &f)
		}
		list = append(list, f)
	}
	return list
}

// requireByTheRules requires the charge of an EVM transaction, and its parts, to follow from its bid, its weight
// and the chain's figures.
func requireByTheRules(t *testing.T, c *chaingen.Chain, height uint64, b *madeUpBlock, f *recordedFee) {
	x := &b.Extrinsics[f.Index]
	base := new(big.Int).Mul(storedMultiplier(t, c, height-1), big.NewInt(madeUpConstant))
	base.Div(base, big.NewInt(1_000_000_000_000_000_000))
	var price *big.Int
	for typ, bid := range x.Args.Transaction {
		if typ != "eip1559" {
			price = big10(t, bid.GasPrice)
			continue
		}
		price = new(big.Int).Add(base, big10(t, bid.MaxPriorityFeePerGas))
		if most := big10(t, bid.MaxFeePerGas); most.Cmp(price) < 0 {
			price = most
		}
	}
	var info struct{ Weight struct{ RefTime string } }
	require.NoError(t, json.Unmarshal(x.Events[len(x.Events)-1].Data[0], &info))
	gas, rest := new(big.Int).QuoRem(big10(t, info.Weight.RefTime), big.NewInt(madeUpWeightPerGas), new(big.Int))
	require.Zero(t, rest.Sign())
	ofBase := new(big.Int).Mul(gas, base)
	require.Equal(t, new(big.Int).Mul(gas, price).String(), f.Charged.String())
	require.Equal(t, new(big.Int).Sub(f.Charged, ofBase).String(), f.Author.String())
	burned := new(big.Int).Mul(ofBase, new(big.Int).SetUint64(1_000_000_000-madeUpProportion(height)))
	require.Equal(t, burned.Div(burned, big.NewInt(1_000_000_000)).String(), f.Burned.String())
}

func big10(t *testing.T, digits string) *big.Int {
	n, ok := new(big.Int).SetString(digits, 10)
	require.True(t, ok, digits)
	return n
}

// A chain without a built-in table is priced, verified, stored and closed with only a table in a file.
func TestChainOfOnesOwn(t *testing.T) {
	c, gateway, url := madeUp(t)
	table := filepath.Join(t.TempDir(), "tidewater.json")
	require.NoError(t, os.WriteFile(table, []byte(madeUpTable), 0o600))
	t.Setenv("FEES_LEDGER", newLedgerFile(t))
	t.Setenv("FEES_GATEWAY", url)
	blocks := fmt.Sprintf("%d..%d", madeUpFirst, madeUpLast)
	ran := func(code int, args ...string) (stdout string) {
		t.Helper()
		stdout, stderr, have := fees(append(args, "--network-file", table)...)
		require.Equal(t, code, have, "%v: %s%s", args, stdout, stderr)
		return stdout
	}

	// Every command agrees with the events.
	var all []recordedFee
	counts, moved := map[string]int{}, map[int]int{}
	for height := uint64(madeUpFirst); height <= madeUpLast; height++ {
		list := recordedFees(t, c, height)
		all = append(all, list...)
		for _, f := range list {
			counts[f.Layer]++
		}
		moved[storedMultiplier(t, c, height).Cmp(storedMultiplier(t, c, height-1))]++
	}
	require.Greater(t, counts["evm"], 100)
	require.Greater(t, counts["native"], 10)
	require.Greater(t, moved[-1], 5, "the multiplier falls")
	require.Greater(t, moved[1], 5, "and rises")
	for _, height := range []uint64{madeUpFirst, 300, 310, madeUpLast} { // one of each proportion
		requireBlockAsRecorded(t, ran(exitOK, "block", fmt.Sprint(height), "--format", "json"), recordedFees(t, c, height))
	}

	checks := provedChecks(t, ran(exitOK, "verify", blocks, "--format", "json"))
	for _, id := range []string{
		"block.weighed", "block.treasury", "extrinsic.hash", // what neither this gateway nor its events tell
		"block.dust", "native.formula", "native.signature", "gateway.same", "account.balance", // of nothing here, or not asked for
	} {
		require.Zero(t, checks[id], id)
		delete(checks, id)
	}
	for id, held := range checks {
		require.Positive(t, held, id)
	}

	require.Contains(t, ran(exitOK, "networks", "check", table, blocks), "\n4 rows: 3 proved, 0 contradicted, 1 not checked, 0 without a block\n")

	require.Contains(t, ran(exitOK, "sync", blocks, "--quiet"), fmt.Sprintf("%d stored, 0 already there; sealed up to block %d", madeUpLast-madeUpFirst+1, madeUpLast))
	require.Contains(t, ran(exitOK, "ledger", "verify", "--quiet"), "nothing was altered")
	var report struct {
		Network, Symbol string
		Totals          totals
	}
	require.NoError(t, json.Unmarshal([]byte(ran(exitOK, "report", "--format", "json")), &report))
	require.Equal(t, []string{madeUpName, "TIDE"}, []string{report.Network, report.Symbol})
	require.Equal(t, recordedSums(t, all, nil), report.Totals.sums())
	require.Equal(t, []int{counts["evm"], counts["native"]}, []int{report.Totals.EVM, report.Totals.Native})

	payers := map[string]bool{}
	for _, f := range all[len(all)-8:] {
		payers[f.Payer] = true
	}
	accounts := filepath.Join(t.TempDir(), "mine.csv")
	require.NoError(t, os.WriteFile(accounts, []byte(strings.Join(slices.Sorted(maps.Keys(payers)), "\n")), 0o600))
	dir := filepath.Join(t.TempDir(), "january")
	ran(exitOK, "close", "--month", "2025-01", "--partial", "--no-balances", "--accounts", accounts, "-o", dir)
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	require.NoError(t, err)
	var manifest struct{ Totals totals }
	require.NoError(t, json.Unmarshal(text, &manifest))
	require.Equal(t, recordedSums(t, all, payers), manifest.Totals.sums())
	kept, err := os.ReadFile(filepath.Join(dir, "networks.json"))
	require.NoError(t, err)
	require.Contains(t, string(kept), madeUpKey)
	require.NoError(t, os.Remove(table)) // the package has it
	stdout, stderr, code := fees("close", "--check", dir)
	require.Equal(t, exitOK, code, stdout+stderr)
	require.Contains(t, stdout, "verified: every file is unchanged and the same as from today's ledger\n")
	require.Equal(t, map[string]bool{madeUpKey: true}, gateway.asked())
}

// Without the file the chain is refused with a remedy. A wrong figure in the file is found.
func TestChainOfOnesOwnIsNotGuessed(t *testing.T) {
	if testing.Short() {
		t.Skip("each rule of a table that is left out")
	}
	_, _, url := madeUp(t)
	t.Setenv("FEES_GATEWAY", url)
	t.Setenv("FEES_LEDGER", newLedgerFile(t))
	blocks := fmt.Sprintf("%d..%d", madeUpFirst, madeUpLast)
	for _, args := range [][]string{{"block", "310"}, {"verify", blocks}, {"sync", blocks, "--quiet"}} {
		stdout, stderr, code := fees(args...)
		require.Equal(t, exitUsage, code, stdout)
		require.Contains(t, stderr, `the gateway serves "tidewater"`)
		require.Contains(t, stderr, "pass your own table with --network-file")
	}
	right := filepath.Join(t.TempDir(), "right.json")
	require.NoError(t, os.WriteFile(right, []byte(madeUpTable), 0o600))
	stdout, stderr, code := fees("verify", blocks, "--network-file", right)
	require.Equal(t, exitOK, code, stdout+stderr)

	for name, c := range map[string]struct{ from, to, check, list string }{
		"weight per gas":  {`"weight_per_gas": 66666`, `"weight_per_gas": 25000`, "evm.weight", "rows"},
		"base fee":        {`"31415926535"`, `"31415926536"`, "evm.cash", "rows"},
		"treasury":        {strings.ToLower(madeUpTreasury.String()), "0x6d6f646c70792f74727372790000000000000000", "evm.split", "destinations"},
		"key":             {madeUpKey, "0x0000", "evm.split", "destinations"},
		"default":         {`"150000000"`, `"200000000"`, "evm.split", "destinations"},
		"native's share":  {`"treasury_100"`, `"treasury_99"`, "native.split", "destinations"},
		"adjustment":      {`"4000000000000000"`, `"4000000000000001"`, "block.multiplier", "multiplier_updates"},
		"class Normal":    {`"normal_class": 650000`, `"normal_class": 750000`, "block.multiplier", "multiplier_updates"},
		"weight in block": {`"max_ref_time": "2000000000000"`, `"max_ref_time": "500000000000"`, "block.weight", "multiplier_updates"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, 1, strings.Count(madeUpTable, c.from))
			wrong := filepath.Join(t.TempDir(), "wrong.json")
			require.NoError(t, os.WriteFile(wrong, []byte(strings.Replace(madeUpTable, c.from, c.to, 1)), 0o600))
			stdout, stderr, code := fees("verify", blocks, "--network-file", wrong)
			require.Equal(t, exitFinding, code, stdout+stderr)
			require.Regexp(t, `: `+regexp.QuoteMeta(c.check)+`: `, strings.ReplaceAll(stdout, "\n  ", " "))
			stdout, stderr, code = fees("networks", "check", wrong, blocks)
			require.Equal(t, exitFinding, code, stdout+stderr)
			require.Regexp(t, `(?m)^`+c.list+` +1  contradicted `, stdout)
		})
	}

	// Figures missing from the file are unknown.
	unsaid := filepath.Join(t.TempDir(), "unsaid.json")
	require.NoError(t, os.WriteFile(unsaid, []byte(strings.Replace(madeUpTable, `"treasury": "`+strings.ToLower(madeUpTreasury.String())+`",`, "", 1)), 0o600))
	stdout, stderr, code = fees("verify", blocks, "--network-file", unsaid)
	require.Equal(t, exitFinding, code, stdout+stderr)
	require.Contains(t, stdout, "of 271 transactions the amounts burned or paid to treasury and author are not known")
}

// recordedSums returns the sums for some payers, for all if payers is nil.
func recordedSums(t *testing.T, list []recordedFee, payers map[string]bool) map[string]string {
	charged, burned, treasury, author := new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	for _, f := range list {
		if payers == nil || payers[f.Payer] {
			charged.Add(charged, f.Charged)
			burned.Add(burned, f.Burned)
			treasury.Add(treasury, f.Treasury)
			author.Add(author, f.Author)
		}
	}
	for _, sum := range []*big.Int{charged, burned, treasury, author} {
		require.Positive(t, sum.Sign())
	}
	return map[string]string{"fee": charged.String(), "charged": charged.String(), "burned": burned.String(), "treasury": treasury.String(), "author": author.String()}
}

func (g *keyedGateway) asked() map[string]bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.keys)
}

func storedMultiplier(t *testing.T, c *chaingen.Chain, height uint64) *big.Int {
	var stored struct{ Value string }
	require.NoError(t, json.Unmarshal(c.Multiplier(height), &stored))
	return big10(t, stored.Value)
}

// requireBlockAsRecorded requires a block's fees to match its events.
func requireBlockAsRecorded(t *testing.T, stdout string, recorded []recordedFee) {
	t.Helper()
	var block struct {
		Network      string
		Transactions []struct {
			Index                                  int
			Layer, Payer, Verdict                  string
			Fee, Charged, Burned, Treasury, Author *string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &block))
	require.Equal(t, madeUpName, block.Network)
	require.NotEmpty(t, recorded)
	require.Len(t, block.Transactions, len(recorded))
	for i, f := range recorded {
		have := block.Transactions[i]
		require.Equal(t, []any{f.Index, f.Layer, f.Payer, "match"}, []any{have.Index, have.Layer, have.Payer, have.Verdict})
		for _, part := range []struct {
			want *big.Int
			have *string
		}{{f.Charged, have.Fee}, {f.Charged, have.Charged}, {f.Burned, have.Burned}, {f.Treasury, have.Treasury}, {f.Author, have.Author}} {
			require.NotNil(t, part.have)
			require.Equal(t, part.want.String(), *part.have)
		}
	}
}

// provedChecks counts the passes of each check; none may fail.
func provedChecks(t *testing.T, stdout string) map[string]int {
	var line struct {
		Summary struct {
			Holds  bool
			Checks []struct {
				ID           string
				Held, Broken int
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &line))
	require.True(t, line.Summary.Holds)
	held := map[string]int{}
	for _, c := range line.Summary.Checks {
		require.Zero(t, c.Broken, c.ID)
		held[c.ID] = c.Held
	}
	require.NotEmpty(t, held)
	return held
}
