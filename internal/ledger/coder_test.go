package ledger

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
)

// coded encodes accounts, each by its index in the list.
func coded(c *coder, accounts []chain.Address) []byte {
	return c.encoded(nil, func() {
		for i := range accounts {
			c.account(&accounts[i], false)
		}
	})
}

// A list with only EVM addresses is 20 bytes for each, without sizes. In any other list the sizes come first, and bit 32
// of the number marks it.
func TestCodedAccounts(t *testing.T) {
	short, long := chain.Address20([20]byte{1, 19: 2}), chain.Address32([32]byte{1, 19: 2})
	numbers := []byte{0} // texts
	shortList := append(append(append(numbers, 1), short.Bytes()...), 0, 1)
	longList := append(append(append(append(append(numbers, 0x82, 0x80, 0x80, 0x80, 0x10), 32), long.Bytes()...), 20), short.Bytes()...)
	longList = append(longList, 0, 1, 2)
	for _, test := range []struct {
		accounts []chain.Address
		want     []byte
	}{{[]chain.Address{short}, shortList}, {[]chain.Address{long, short}, longList}} {
		var c coder
		text := coded(&c, test.accounts)
		// The usual texts precede the lists; these tests have none.
		require.Equal(t, test.want, text)
		var have []chain.Address
		read := func() {
			for range test.accounts {
				var a chain.Address
				c.account(&a, false)
				have = append(have, a)
			}
		}
		require.NoError(t, c.decode(text, read))
		require.Equal(t, test.accounts, have)
		for n := range text {
			require.ErrorIs(t, c.decode(text[:n], read), errCoded, "cut after %d bytes", n)
		}
	}
	for _, size := range []byte{0, 1, 21, 33, 255} {
		changed := append([]byte{}, longList...)
		changed[6] = size
		require.ErrorIs(t, new(coder).decode(changed, func() {}), errCoded)
	}
}

// Skipping values takes the same bytes as decoding them, for each column of each kind of rows, and finds the same end.
func TestSkippedColumns(t *testing.T) {
	skippedColumns(t, transactionFields)
	skippedColumns(t, slices.Concat(transactionFields, assetFields))
	skippedColumns(t, append(slices.Clip(movementFields), reasonField))
	skippedColumns(t, transferFields)
	skippedColumns(t, unclassifiedFields)
}

func skippedColumns[T any](t *testing.T, fields []field[T]) {
	var c coder
	random := rand.New(rand.NewPCG(1, 2))
	rows := make([]T, 5)
	for i := range rows {
		for _, f := range fields {
			fillCell(random, f.at(&rows[i]))
		}
	}
	text := c.encoded(nil, func() { columns(&c, &rows, fields) })
	for k, f := range fields {
		wanted := make([]bool, len(fields))
		wanted[k] = true
		var some []T
		require.NoError(t, c.decode(text, func() { someColumns(&c, &some, fields, wanted) }), f.name)
		require.Empty(t, c.values, f.name)
		for i := range rows {
			require.Equal(t, f.at(&rows[i]), f.at(&some[i]), f.name)
		}
		for n := len(text) - 5; n < len(text); n++ {
			require.ErrorIs(t, c.decode(text[:n], func() { someColumns(&c, &some, fields, wanted) }), errCoded, "%s, cut after %d bytes", f.name, n)
		}
	}
}

// fillCell sets a value: small ones and large ones, known and unknown.
func fillCell(random *rand.Rand, cell any) {
	n := random.Uint64() >> 1 >> random.IntN(63)
	switch x := cell.(type) {
	case *string:
		*x = []string{"", "evm", "a text"}[n%3]
	case *bool:
		*x = n%2 == 1
	case *int:
		*x = int(n % math.MaxInt32)
	case *uint64:
		*x = n
	case *[]byte:
		*x = [][]byte{nil, {}, {0x80, 1}}[n%3]
	case *movement.Where:
		*x = movement.Where(n % 3)
	case *chain.Hash:
		x[0], x[31] = byte(n), 0x80
	case *chain.Address:
		*x = chain.Address20([20]byte{19: byte(n)})
	case *chain.Wei:
		*x = chain.NewWei(n)
	case *chain.TokenAmount:
		*x = chain.TokenAmountOf([32]byte{31: byte(n)})
	case *chain.Optional[chain.HoldReason]:
		*x = some(n, chain.HoldReason("revive.StorageDepositReserve"))
	case *chain.Optional[bool]:
		*x = some(n, n%2 == 1)
	case *chain.Optional[int]:
		*x = some(n, int(n%math.MaxInt32))
	case *chain.Optional[uint32]:
		*x = some(n, uint32(n))
	case *chain.Optional[uint64]:
		*x = some(n, n)
	case *chain.Optional[chain.Hash]:
		*x = some(n, chain.Hash{byte(n), 31: 0x80})
	case *chain.Optional[chain.Address]:
		*x = some(n, chain.Address20([20]byte{19: byte(n)}))
	case *chain.Optional[chain.Wei]:
		*x = some(n, chain.NewWei(n))
	case *chain.Optional[chain.GasPrice]:
		*x = some(n, chain.NewGasPrice(n))
	case *chain.Optional[chain.SignedWei]:
		*x = some(n, chain.NewWei(n).Signed().Negated())
	case *chain.Optional[chain.Gas]:
		*x = some(n, chain.NewGas(n))
	case *chain.Optional[chain.Nonce]:
		*x = some(n, chain.NewNonce(n))
	case *chain.Optional[chain.RefTime]:
		*x = some(n, chain.NewRefTime(n))
	default:
		panic(fmt.Sprintf("no value for %T", cell))
	}
}

// some returns a value that is known for two of three numbers.
func some[T any](n uint64, x T) (o chain.Optional[T]) {
	if n%3 > 0 {
		o = chain.Some(x)
	}
	return o
}

// Rows that a test selects are read as all rows are; of the others, only the fields of the test.
func TestSomeRows(t *testing.T) {
	someRowsOf(t, transactionFields, "layer", "hash")
	someRowsOf(t, slices.Concat(transactionFields, assetFields), "evm_hash", "payer")
	someRowsOf(t, append(slices.Clip(movementFields), reasonField), "account")
	someRowsOf(t, transferFields, "sender", "recipient")
}

func someRowsOf[T any](t *testing.T, fields []field[T], names ...string) {
	const count = 4
	random := rand.New(rand.NewPCG(3, 4))
	all := make([]T, count)
	for i := range all {
		for _, f := range fields {
			fillCell(random, f.at(&all[i]))
		}
	}
	var c coder
	text := c.encoded(nil, func() { columns(&c, &all, fields) })
	for mask := range 1 << count {
		var rows []T
		asked := 0
		test := testOf(fields, func(x *T) bool {
			i := asked
			asked++
			for _, f := range fields {
				if slices.Contains(names, f.name) {
					require.Equal(t, f.at(&all[i]), f.at(x), f.name)
				}
			}
			return mask>>i&1 == 1
		}, names...)
		require.NoError(t, c.decode(text, func() { someRows(&c, &rows, fields, test) }))
		require.Empty(t, c.values, "rows %b", mask)
		require.Len(t, rows, count)
		for i := range rows {
			if mask>>i&1 == 1 {
				require.Equal(t, all[i], rows[i], "rows %b", mask)
				continue
			}
			for _, f := range fields {
				if !slices.Contains(names, f.name) {
					require.Equal(t, f.at(new(T)), f.at(&rows[i]), "%s of row %d of %b", f.name, i, mask)
				}
			}
		}
	}
	for n := len(text) - 5; n < len(text); n++ {
		var rows []T
		require.ErrorIs(t, c.decode(text[:n], func() { someRows(&c, &rows, fields, testOf(fields, func(*T) bool { return true }, names...)) }), errCoded)
	}
}

// A record is damaged by an amount that no encoder writes, also if no row refers to it.
func TestAmountsThatNoRowRefersTo(t *testing.T) {
	var c coder
	text := c.encoded(nil, func() {
		(&Content{Block: &Block{}}).code(&c, &selection{})
		c.amounts.place([32]byte{31: 1})
	})
	before, after := text[:len(text)-len(c.values)-len("\x01\x01")], bytes.Clone(c.values)
	for _, test := range []struct {
		amount []byte
		whole  bool
	}{
		{[]byte{1, 1}, true},
		{append([]byte{32}, bytes.Repeat([]byte{0xff}, 32)...), true},
		{append([]byte{33}, bytes.Repeat([]byte{0xff}, 33)...), false},
		{append([]byte{roundBit | 12}, bytes.Repeat([]byte{0xff}, 12)...), true}, // below 2^128, a billion times
		{append([]byte{roundBit | 16}, bytes.Repeat([]byte{0xff}, 16)...), false},
		{append([]byte{roundBit | 17}, bytes.Repeat([]byte{0xff}, 17)...), false},
	} {
		r := &blockRow{record: slices.Concat([]byte{recordVersion}, make([]byte, headSize-1), before, test.amount, after)}
		err := r.decoded(&Content{}, &coder{}, everything, &selection{})
		if test.whole {
			require.NotErrorIs(t, err, errCoded, "% x", test.amount)
		} else {
			require.ErrorIs(t, err, errCoded, "% x", test.amount)
		}
	}
}
