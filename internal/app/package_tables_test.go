package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
)

// An earlier table has the same figures, and no more of them: keys and rows may have come since, and words may have changed.
func TestIsEarlierTable(t *testing.T) {
	const later = `{"networks":[{"name":"moonbeam","symbol":"GLMR","last_runtime":9,"genesis":"0x01","rows":[{"from_runtime":1,"static_base_fee":"5","source":"x"},{"from_runtime":2}]}]}`
	for earlier, want := range map[string]bool{
		later: true,
		`{"networks":[{"name":"moonbeam","symbol":"GLMR","last_runtime":3,"rows":[{"from_runtime":1,"static_base_fee":"5","source":"other words","note":"n"}]}]}`: true,
		`{"networks":[{"name":"moonbeam","symbol":"GLMR","rows":[{"from_runtime":1,"static_base_fee":"6"}]}]}`:                                                    false,
		`{"networks":[{"name":"moonbeam","symbol":"MOVR","rows":[]}]}`:                                                                                            false,
		`{"networks":[{"name":"moonbeam","rows":[{"from_runtime":2}]}]}`:                                                                                          false,
		`{"networks":[{"name":"moonbeam","other":1}]}`:                                                                                                            false,
		`{"networks":[]}`: false,
		later + later:     false,
		`{"networks":[{}`: false,
		strings.Replace(later, `"from_runtime":2}`, `"from_runtime":2},{"from_runtime":3}`, 1): false,
	} {
		require.True(t, json.Valid([]byte(earlier)) || !want)
		require.Equal(t, want, isEarlierTable([]byte(earlier), []byte(later)), earlier)
	}
}

// A ledger's block and transaction are compared with what a table makes of them: 100 Gwei of static base fee in Moonbeam
// 2100, and 525,000,000 of weight, which is 21,000 gas.
func TestPricesByATable(t *testing.T) {
	n, known := network.BuiltIn().Named("moonbeam")
	require.True(t, known)
	base := chain.NewGasPrice(100_000_000_000)
	block := func() *ledger.Block {
		return &ledger.Block{Height: 25, Runtime: chain.Some[uint32](2100), Rules: "moonbeam/2100", BaseFeePerGas: chain.Some(base)}
	}
	rules, err := rulesOf(n, block())
	require.NoError(t, err)
	require.NoError(t, priceBlock(block(), &rules))
	for want, change := range map[string]func(*ledger.Block){
		"moonbeam/2100 in the table and moonbeam/1 in the ledger":                        func(b *ledger.Block) { b.Rules = "moonbeam/1" },
		"the multiplier comes from block 24 in the table and from block 3 in the ledger": func(b *ledger.Block) { b.MultiplierAt = chain.Some[uint64](3) },
		"100000000000 in the table and none in the ledger":                               func(b *ledger.Block) { b.BaseFeePerGas = chain.Optional[chain.GasPrice]{} },
		"100000000000 in the table and 7 in the ledger":                                  func(b *ledger.Block) { b.BaseFeePerGas = chain.Some(chain.NewGasPrice(7)) },
	} {
		b := block()
		change(b)
		require.ErrorContains(t, priceBlock(b, &rules), want)
	}
	b := block()
	b.Rules = "spec/moonbeam"
	_, err = rulesOf(n, b)
	require.NoError(t, err)

	weight := chain.NewRefTime(525_000_000)
	transaction := func() *ledger.Transaction {
		x := &ledger.Transaction{}
		x.Index, x.Layer = 4, fee.EVM
		x.Weight, x.GasPrice = chain.Some(weight), chain.Some(base)
		x.Gas, x.Fee = chain.Some(chain.NewGas(21_000)), chain.Some(chain.NewWei(2_100_000_000_000_000))
		return x
	}
	require.NoError(t, priceTransaction(transaction(), &rules))
	x := transaction()
	x.Fee = chain.Some(chain.NewWei(1))
	require.ErrorContains(t, priceTransaction(x, &rules), "extrinsic 4: the table gives 21000 gas and a fee of 2100000000000000 wei, but the ledger has 21000 gas and a fee of 1 wei")
	x = transaction()
	x.Gas = chain.Some(chain.NewGas(20_999))
	require.Error(t, priceTransaction(x, &rules))
	x = transaction()
	x.GasPrice = chain.Some(chain.NewGasPrice(math.MaxUint64))
	require.ErrorContains(t, priceTransaction(x, &rules), "extrinsic 4: the table gives 21000 gas")
	heavier := rules
	heavier.WeightCorrection = chain.NewRefTime(1)
	x.Weight = chain.Some(chain.NewRefTime(math.MaxUint64))
	require.ErrorContains(t, priceTransaction(x, &heavier), "extrinsic 4: ")
	x = transaction()
	x.Weight = chain.Optional[chain.RefTime]{}
	require.NoError(t, priceTransaction(x, &rules))
}

// The table in a package is read and compared with the built-in one: its own, another version's, or altered.
func TestTableOfAPackage(t *testing.T) {
	moonbeam, _ := network.BuiltIn().Named("moonbeam")
	for _, c := range []struct {
		own     bool
		name    string
		change  func(*network.Network)
		says    string
		earlier bool
	}{
		{false, "moonbeam", func(*network.Network) {}, "", false},
		{false, "moonbeam", func(n *network.Network) { n.LastRuntime-- }, "", true},
		{false, "moonbeam", func(n *network.Network) { n.Symbol = "MOVR" }, "differs from this program's table of moonbeam", false},
		{true, "moonbeam", func(n *network.Network) { n.Symbol = "MOVR" }, "its own network table: networks.json differs", false},
		{true, "elsewhere", func(n *network.Network) { n.Name, n.SpecName = "elsewhere", "elsewhere" }, "which has no built-in table", false},
	} {
		n := *moonbeam
		c.change(&n)
		dir := t.TempDir()
		var text bytes.Buffer
		require.NoError(t, writeTable(&text, &n))
		require.NoError(t, os.WriteFile(filepath.Join(dir, networksFile), text.Bytes(), 0o600))
		p := &PackageCheck{Package: &closing.Package{Dir: dir, Manifest: &closing.Manifest{Network: c.name}}}
		p.Manifest.Options.OwnNetworks = c.own
		_, err := p.readTables()
		require.NoError(t, err)
		require.Contains(t, p.OwnTables, c.says)
		require.Equal(t, c.says == "", p.OwnTables == "")
		require.Equal(t, c.earlier, p.earlierTable)
	}
	_, err := (&PackageCheck{Package: &closing.Package{Dir: t.TempDir(), Manifest: &closing.Manifest{Network: "moonbeam"}}}).readTables()
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// What a ledger says stands behind its place, once; without one, that is all.
func TestWhatALedgerSays(t *testing.T) {
	require.EqualError(t, &LedgerError{Place: "fees.db", Err: fmt.Errorf("%w: %w", ledger.ErrNone, fs.ErrNotExist)}, "no ledger at fees.db")
	cause := errors.New("it is locked")
	err := &LedgerError{Place: "fees.db", Err: cause}
	require.EqualError(t, err, "ledger fees.db: it is locked")
	require.ErrorIs(t, err, cause)
	require.EqualError(t, &NotHeldError{Period: "2026-01"}, "no blocks of 2026-01")
	require.EqualError(t, &NotHeldError{Period: "2026-01", Has: "blocks 3..9"}, "no blocks of 2026-01; the ledger contains blocks 3..9")
}

// What fails before the books are read is said, and stays the cause.
func TestUnread(t *testing.T) {
	cause := errors.New("two columns may be the fee")
	err := &UnreadError{Err: cause}
	require.EqualError(t, err, "two columns may be the fee")
	require.ErrorIs(t, err, cause)
}
