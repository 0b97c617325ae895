package dataset

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/feeledger/fees/internal/test/tier"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

func wei(t *testing.T, text string) chain.Wei {
	w, err := chain.ParseWei(text)
	require.NoError(t, err)
	return w
}

// An amount with more than 38 digits is an error that names its block, and no file contains it.
func TestAmountThatDoesNotFit(t *testing.T) {
	const most = "99999999999999999999999999999999999999"
	const tooMuch = "340282366920938463463374607431768211455" // 2^128-1
	d, err := Open(filepath.Join(t.TempDir(), "lake"), Chain{Network: "moonbeam"})
	require.NoError(t, err)
	defer d.Close()
	for _, c := range []struct{ amount, want string }{
		{most, ""},
		{tooMuch, `block 7: sheet "transactions", column charged: ` + tooMuch + " wei: more than the 38 digits of a Parquet decimal"},
	} {
		x, err := d.begin(&ledger.SealedMonth{Month: ledger.MonthOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}, nil)
		require.NoError(t, err)
		tx := &ledger.Transaction{Cost: ledger.Cost{Height: 7, Charged: chain.Some(wei(t, c.amount))}}
		err = x.block(&ledger.Content{Block: &ledger.Block{Height: 7}, Transactions: []ledger.Transaction{*tx}})
		x.close()
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, c.want)
		var row *RowError
		require.ErrorAs(t, err, &row)
		require.EqualValues(t, 7, row.Height)
	}
}

// A sum with an unknown part is unknown; a sum that is 0 is 0.
func TestUnknownIsNull(t *testing.T) {
	fee := func(b ledger.Block) any {
		for row := range blockRows(&ledger.Content{Block: &b}) {
			for i, c := range blockColumns {
				if c.Name == "fee" {
					return row[i]
				}
			}
		}
		return nil
	}
	require.Equal(t, chain.Some(chain.Wei{}), fee(ledger.Block{}))
	require.Equal(t, chain.Optional[chain.Wei]{}, fee(ledger.Block{Undetermined: 1, Fee: chain.NewWei(5)}))
	for i, value := range transactionRow(nil, &ledger.Transaction{}) {
		switch transactionColumns[i].Name {
		case "type", "call", "evm_hash", "sender", "recipient", "payer", "method", "outcome", "status", "error", "verdict", "fee_asset", "asset_fee", "asset_fee_tip":
			require.True(t, value == nil || value == chain.Optional[chain.Hash]{}, transactionColumns[i].Name)
		}
	}
}

func TestNameThatIsNoPath(t *testing.T) {
	for _, name := range []string{"", "..", "a/b", "a=b", `a\b`, "\x00", "-x"} {
		_, err := Open(t.TempDir(), Chain{Network: name})
		require.ErrorIs(t, err, ErrName, name)
	}
}

// Each kind of row fits its columns, with known and unknown values.
func TestRowsFitTheirColumns(t *testing.T) {
	d, err := Open(t.TempDir(), Chain{Network: "moonbeam"})
	require.NoError(t, err)
	defer d.Close()
	x, err := d.begin(&ledger.SealedMonth{Month: ledger.MonthOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}, nil)
	require.NoError(t, err)
	defer x.close()
	require.NoError(t, x.block(&ledger.Content{
		Block:        &ledger.Block{Runtime: chain.Some(uint32(2600)), Multiplier: chain.Some(chain.NewMultiplier(7)), Undetermined: 1},
		Transactions: []ledger.Transaction{{}},
		Movements:    []ledger.Movement{{Movement: movement.Movement{Where: movement.OnInitialize}}, {Movement: movement.Movement{Where: 3}}},
		Transfers:    []ledger.Transfer{{}},
		Unclassified: []ledger.Unclassified{{Where: movement.OnFinalize}, {Where: 3}},
	}))
	require.NoError(t, x.finish())
	for i, rows := range []uint64{1, 1, 2, 1, 2} {
		require.Equal(t, rows, x.manifest.Files[i].Rows)
		require.Equal(t, tables[i].name, x.manifest.Files[i].Table())
	}
	require.EqualValues(t, 1, x.manifest.Undetermined)
	require.EqualValues(t, 2, x.manifest.Unclassified)
	require.Equal(t, "onFinalize", place(movement.OnFinalize))
	require.Equal(t, "extrinsic", place(3))
	require.Nil(t, extrinsic(movement.OnInitialize))
	require.Equal(t, 3, extrinsic(3))
}

// A failing disk is not mistaken for a row that does not fit, and no file is installed.
func TestDiskThatFails(t *testing.T) {
	d, err := Open(t.TempDir(), Chain{Network: "moonbeam"})
	require.NoError(t, err)
	defer d.Close()
	for _, rows := range tier.Some(1, []int{0, rowsInGroup + 1}) { // at the end, and when a row group is written
		x, err := d.begin(&ledger.SealedMonth{Month: ledger.MonthOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}, nil)
		require.NoError(t, err)
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip("/dev/full does not exist")
		}
		x.files[1].file = full
		x.files[1].buffer.Reset(full)
		hash := chain.Hash{}
		for i := range rows {
			binary.BigEndian.PutUint64(hash[:], rand.Uint64())
			tx := &ledger.Transaction{Cost: ledger.Cost{Index: i}, Hash: hash}
			if err = x.block(&ledger.Content{Block: &ledger.Block{}, Transactions: []ledger.Transaction{*tx}}); err != nil {
				break
			}
		}
		if err == nil {
			err = x.finish()
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
		var row *RowError
		require.False(t, errors.As(err, &row))
		x.close()
	}
}
