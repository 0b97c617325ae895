package rule_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

const storedTable = `{"networks": [{"name": "stored", "symbol": "ST", "last_runtime": 9, "rows": [
	{"from_runtime": 1, "static_base_fee": "5", "source": "s"},
	{"from_runtime": 2, "base_fee_stored": {"pallet": "BaseFee", "item": "BaseFeePerGas"}, "source": "s"},
	{"from_runtime": 5, "base_fee_stored": {"pallet": "DynamicEvmFee", "item": "BaseFeePerGas", "at": "block"}, "source": "s"}],
	"base_fee_updates": [
	{"from_runtime": 2, "elasticity": 125000, "minimum": "500000000", "max_ref_time": "2000000000000", "source": "s"},
	{"from_runtime": 5, "unknown": true, "source": "s"}]}]}`

// A row that stores the base fee has the minimum of its update, and reads the parent or the block itself.
func TestStoredBaseFee(t *testing.T) {
	tables, err := network.BuiltIn().With("stored.json", []byte(storedTable))
	require.NoError(t, err)
	n, _ := tables.Named("stored")
	for runtime, c := range map[uint32]struct {
		name, event, minimum string
		atBlock, weighed     bool
	}{
		2: {"BaseFee.BaseFeePerGas", "baseFee NewBaseFeePerGas", "500000000", false, true},
		5: {"DynamicEvmFee.BaseFeePerGas", "dynamicEvmFee NewBaseFeePerGas", "0", true, false},
	} {
		rules, err := n.Rules(runtime)
		require.NoError(t, err)
		stored, ok := rules.BaseFee.Stored.Get()
		require.True(t, ok)
		require.Equal(t, c.name, stored.Name())
		require.Equal(t, c.atBlock, stored.AtBlock())
		pallet, event := stored.Event()
		require.Equal(t, c.event, pallet+" "+event)
		require.Equal(t, c.minimum, rules.MinGasPrice.String())
		require.Equal(t, c.weighed, rules.NeedsBlockWeight())
		require.Equal(t, c.name, tables.BaseFeeItem("stored", runtime))
		height := uint64(7)
		if c.atBlock {
			height = 8
		}
		require.Equal(t, height, stored.Height(7))
	}
	require.Empty(t, tables.BaseFeeItem("stored", 1))
	require.Empty(t, tables.BaseFeeItem("other", 2))
	require.Len(t, n.ListedRows(), 5)
}

func TestStoredBaseFeeErrors(t *testing.T) {
	for what, c := range map[string]struct{ row, update, want string }{
		"both":          {`"static_base_fee": "5", "base_fee_stored": {"pallet": "A", "item": "B"}`, "", "want either static_base_fee, or base_fee_stored"},
		"with constant": {`"minimum_multiplier": "5", "base_fee_stored": {"pallet": "A", "item": "B"}`, "", "want either static_base_fee, or base_fee_stored"},
		"no item":       {`"base_fee_stored": {"pallet": "A"}`, "", "names of pallet and item"},
		"a path":        {`"base_fee_stored": {"pallet": "A/b", "item": "B"}`, "", "names of pallet and item"},
		"elsewhere":     {`"base_fee_stored": {"pallet": "A", "item": "B", "at": "head"}`, "", `at "head": want parent or block`},
		"no elasticity": {`"static_base_fee": "5"`, `"max_ref_time": "5"`, "want elasticity"},
		"no weight":     {`"static_base_fee": "5"`, `"elasticity": 5`, "want elasticity"},
		"too elastic":   {`"static_base_fee": "5"`, `"elasticity": 1000001, "max_ref_time": "5"`, "want elasticity"},
		"unknown":       {`"static_base_fee": "5"`, `"unknown": true, "elasticity": 5`, "want no figures"},
	} {
		table := `{"networks": [{"name": "n", "symbol": "N", "last_runtime": 1, "rows": [{"from_runtime": 1, ` + c.row + `, "source": "s"}]`
		if c.update != "" {
			table += `, "base_fee_updates": [{"from_runtime": 1, ` + c.update + `, "source": "s"}]`
		}
		_, err := network.BuiltIn().With("n.json", []byte(table+`}]}`))
		require.ErrorContains(t, err, c.want, what)
	}
}

// The update equals an independent calculation with math/big, up to a full block and beyond, and at the ends of a word.
func TestBaseFeeUpdateIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(36, 2))
	word := new(big.Int).Lsh(big.NewInt(1), 256)
	overflows, floors := 0, 0
	for range 10_000 {
		base := new(big.Int).Rsh(new(big.Int).Sub(word, big.NewInt(1+int64(random.IntN(2)))), uint(random.IntN(257)))
		limit := 1 + random.Uint64()>>random.IntN(64)
		weight := random.Uint64() >> random.IntN(64)
		switch random.IntN(4) {
		case 0:
			weight = limit / 2
		case 1:
			weight = limit
		}
		elasticity, minimum := 1+random.Int64N(1_000_000), big.NewInt(random.Int64N(1_000_000_000_000))

		usage := new(big.Int).Mul(new(big.Int).SetUint64(min(weight, limit)), big.NewInt(1_000_000))
		usage.Quo(usage, new(big.Int).SetUint64(limit))
		distance := new(big.Int).Sub(usage, big.NewInt(500_000))
		rate := new(big.Int).Mul(big.NewInt(2*elasticity), new(big.Int).Abs(distance))
		rate.Quo(rate, big.NewInt(1_000_000))
		change := new(big.Int).Mul(base, rate)
		change.Quo(change, big.NewInt(1_000_000))
		if distance.Sign() < 0 {
			change.Neg(change)
		}
		want := new(big.Int).Add(base, change)
		if want.Cmp(minimum) < 0 {
			want = minimum
			floors++
		}

		u := rule.BaseFeeUpdate{Elasticity: uint32(elasticity), Minimum: price(t, minimum), MaxRefTime: chain.NewRefTime(limit)}
		have, err := u.Next(price(t, base), chain.NewRefTime(weight))
		if want.Cmp(word) >= 0 {
			overflows++
			require.ErrorIs(t, err, chain.ErrOverflow)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want.String(), have.String(), "%v after %d of %d", base, weight, limit)
	}
	require.Positive(t, overflows)
	require.Positive(t, floors)
}

func price(t testing.TB, n *big.Int) chain.GasPrice {
	t.Helper()
	p, err := chain.ParseGasPrice(n.String())
	require.NoError(t, err)
	return p
}

// Every block of two real runtimes stored the base fee that follows from its parent's and its weight. In one block of
// each, root set another one first.
func TestRecordedBaseFees(t *testing.T) {
	for name, c := range map[string]struct {
		blocks  uint64
		minimum uint64
		limit   uint64
		moved   int
	}{
		"creditcoin3-87": {27, 500_000_000, 2_000_000_000_000, 17},
		"bittensor-218":  {26, 10_000_000_000, 4_000_000_000_000, 20},
	} {
		t.Run(name, func(t *testing.T) {
			directory := repository.Shared(t, "pairs", name, "gateway")
			u := rule.BaseFeeUpdate{Elasticity: 125_000, Minimum: chain.NewGasPrice(c.minimum), MaxRefTime: chain.NewRefTime(c.limit)}
			moved, set := 0, 0
			for height := uint64(1); height <= c.blocks; height++ {
				read := func(kind string, at uint64) string {
					text, err := os.ReadFile(filepath.Join(directory, kind, fmt.Sprintf("%d.json", at)))
					require.NoError(t, err)
					return string(text)
				}
				before, err := sidecar.DecodeBaseFee(read("base-fee", height-1), "BaseFee.BaseFeePerGas")
				require.NoError(t, err)
				after, err := sidecar.DecodeBaseFee(read("base-fee", height), "BaseFee.BaseFeePerGas")
				require.NoError(t, err)
				weights, err := sidecar.DecodeBlockWeight(read("block-weight", height))
				require.NoError(t, err)
				total := weights.Value.Normal.RefTime.Uint64() + weights.Value.Operational.RefTime.Uint64() + weights.Value.Mandatory.RefTime.Uint64()
				base := before.Value
				if by, ok := setByRoot(t, read("blocks", height)); ok {
					base, set = by, set+1
				}
				next, err := u.Next(base, chain.NewRefTime(total))
				require.NoError(t, err)
				require.Equal(t, after.Value.String(), next.String(), "block %d", height)
				if before.Value != after.Value {
					moved++
				}
			}
			t.Logf("%d of %d updates are exact, %d moved the base fee", c.blocks, c.blocks, moved)
			require.Equal(t, c.moved, moved)
			require.Equal(t, 1, set)
		})
	}
}

// setByRoot returns the base fee of the event NewBaseFeePerGas in a block, if there is one.
func setByRoot(t *testing.T, text string) (base chain.GasPrice, ok bool) {
	t.Helper()
	var block struct {
		Extrinsics []struct {
			Events []struct {
				Method struct{ Pallet, Method string }
				Data   json.RawMessage
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &block))
	for _, x := range block.Extrinsics {
		for _, e := range x.Events {
			if e.Method.Pallet == "baseFee" && e.Method.Method == "NewBaseFeePerGas" {
				var data []string
				require.NoError(t, json.Unmarshal(e.Data, &data))
				n, good := new(big.Int).SetString(data[0], 0)
				require.True(t, good)
				base, ok = price(t, n), true
			}
		}
	}
	return base, ok
}
