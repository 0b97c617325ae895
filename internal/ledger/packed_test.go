package ledger

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

// packableBlock is a block's row with what the costs have of it.
func packableBlock() row {
	r := make(row, len(tables[blocks].columns))
	r[0], r[timeColumn], r[rulesColumn] = int64(7), int64(1_700_000_000_000), "rules"
	return r
}

// packable is a transaction's row with each value that the costs have.
func packable(amount string) row {
	r := make(row, len(tables[transactions].columns))
	r[0] = int64(7)
	for i, place := range packedColumns {
		switch c := tables[transactions].columns[place]; c.kind {
		case integer:
			r[place] = int64(i * 200)
		case word:
			r[place] = c.name + " \x00 é " + strings.Repeat("x", i*20)
		case data:
			r[place] = append(make([]byte, 19), byte(i))
		default:
			r[place] = amount
			if c.name == "gas" { // which is of 64 bits
				r[place] = "21000"
			}
		}
	}
	return r
}

func unpackedFrom(t *testing.T, packed []byte) []Cost {
	t.Helper()
	var u unpacker
	list, err := u.costs(nil, packed, 7)
	require.NoError(t, err)
	return list
}

// Amounts around the borders of the two forms, up to the widest, are what they were.
func TestPackedAmounts(t *testing.T) {
	for _, bits := range []uint{0, 1, 8, 16, 63, 64, 65, 100, 127, 128} {
		power := new(big.Int).Lsh(big.NewInt(1), bits)
		for _, away := range []int64{-1, 0, 1} {
			n := new(big.Int).Add(power, big.NewInt(away))
			if n.BitLen() > 128 {
				continue
			}
			r := packable(n.String())
			for _, c := range unpackedFrom(t, pack(packableBlock(), []row{r, r})) {
				fee, ok := c.Fee.Get()
				require.True(t, ok)
				require.Equal(t, n.String(), fee.String())
				author, _ := c.Author.Get()
				require.Equal(t, n.String(), author.String())
				price, _ := c.GasPrice.Get()
				require.Equal(t, n.String(), price.String())
			}
		}
	}
}

func TestPackedValues(t *testing.T) {
	c := unpackedFrom(t, pack(packableBlock(), []row{packable("1")}))[0]
	require.Equal(t, uint64(7), c.Height)
	require.Equal(t, "rules", c.Rules)
	at, _ := c.Time.Get()
	require.Equal(t, int64(1_700_000_000_000), at.Std().UnixMilli())
	require.Equal(t, "layer \x00 é "+strings.Repeat("x", 20), string(c.Layer))
	require.Equal(t, "call \x00 é "+strings.Repeat("x", 60), c.Call)
	require.Equal(t, chain.Some(chain.Address{19: 4}), c.Recipient)
	require.Equal(t, chain.Some(chain.Address{19: 5}), c.Payer)
	require.Equal(t, "outcome \x00 é "+strings.Repeat("x", 220), string(c.Outcome))

	empty := make(row, len(tables[transactions].columns))
	empty[packedColumns[0]] = int64(math.MaxInt32)
	require.Equal(t, []Cost{{Height: 7, Time: c.Time, Rules: "rules", Index: math.MaxInt32}}, unpackedFrom(t, pack(packableBlock(), []row{empty})))
	require.Empty(t, unpackedFrom(t, pack(packableBlock(), nil)))
}

// FuzzUnpack wants bytes that nobody packed to be an error, or such as could have been
// packed, and never more costs than bytes.
func FuzzUnpack(f *testing.F) {
	f.Add(pack(packableBlock(), []row{packable("1"), packable("340282366920938463463374607431768211455")}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add(make([]byte, len(packedColumns)))
	f.Fuzz(func(t *testing.T, packed []byte) {
		var u unpacker
		list, err := u.costs(nil, packed, 7)
		if err != nil {
			require.ErrorIs(t, err, ErrDamaged)
			require.ErrorContains(t, err, "block 7")
			return
		}
		require.LessOrEqual(t, len(list)*len(packedColumns), len(packed))
	})
}

// A cut anywhere but between two transactions is found.
func TestCutCosts(t *testing.T) {
	whole := pack(packableBlock(), []row{packable("12345678901234567890123")})
	for end := range whole {
		if end == len(pack(packableBlock(), nil)) {
			continue
		}
		var u unpacker
		_, err := u.costs(nil, whole[:end], 7)
		require.ErrorIs(t, err, ErrDamaged, "%d bytes", end)
	}
}

// Costs that somebody else packed, whose parts have lengths that fit, are not taken for
// something else.
func TestCostsOfAnother(t *testing.T) {
	from := func(change func(block, r row)) []byte {
		block, r := packableBlock(), packable("1")
		change(block, r)
		return pack(block, []row{r})
	}
	place := func(name string) int { return tables[transactions].of(name) }
	for name, packed := range map[string][]byte{
		"a time after the year 9999": from(func(block, _ row) { block[timeColumn] = int64(253_402_300_800_000) }),
		"an index of nine bytes":     from(func(_, r row) { r[extrinsicColumn] = "123456789" }),
		"a payer of 19 bytes":        from(func(_, r row) { r[payerColumn] = make([]byte, 19) }),
		"a fee of 2^128":             from(func(_, r row) { r[place("fee")] = "340282366920938463463374607431768211456" }),
		"a negative tip":             from(func(_, r row) { r[place("tip")] = "-12" }),
	} {
		var u unpacker
		list, err := u.costs(nil, packed, 7)
		require.ErrorIs(t, err, ErrDamaged, name)
		require.ErrorContains(t, err, "block 7", name)
		require.Empty(t, list, name)
	}
}
