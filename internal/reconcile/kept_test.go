package reconcile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// A temporary file that another program cut short or changed is an error, never an item with other figures.
func TestAlteredTemporaryFile(t *testing.T) {
	payer, err := chain.ParseAddress("0xf24ff3a9cf04c71dbc94d0b566f7a27b94566cac")
	require.NoError(t, err)
	at, err := chain.TimeAt(1769000000000)
	require.NoError(t, err)
	hash := chain.Some(chain.Hash{1})
	row := Row{
		File: "a.csv", Line: 2, Hash: hash, EVMHash: hash, ExtrinsicHash: hash, Place: chain.Some(ledger.Place{Height: 3, Row: 4}), Fee: chain.NewWei(5), Digits: 15,
		Account: chain.Some(payer), Payer: "Anna", Date: chain.Some(at), Other: OtherAsset{Name: "USDT", Chain: "hub"}, LeftOut: "why", Above: chain.Some(chain.NewWei(6)),
	}
	item := Item{
		Outcome: AmountDiffers, Row: &row, Books: chain.Some(row.Fee), Chain: chain.Some(chain.NewWei(7)), Difference: chain.Some(row.Fee.Difference(chain.NewWei(7))), Notes: []string{"one", "two"}, cut: 8,
		Transaction: chain.Some(Transaction{Place: ledger.Place{Height: 3, Row: 4}, Time: chain.Some(at), Hash: chain.Hash{2}, EVMHash: hash, Payer: chain.Some(payer), Layer: "evm", Call: "ethereum.transact"}),
	}
	var p packer
	p.item(&item)
	row.Above, row.LeftOut = chain.Optional[chain.Wei]{}, "" // now the row has a fee
	var fee packer
	fee.item(&item)
	for _, whole := range []packer{p, fee} {
		for length := range len(whole) + 1 {
			var kept items
			defer kept.records.Close()
			position, err := kept.records.Add(whole[:length])
			require.NoError(t, err)
			if length < len(whole) {
				_, err = kept.get(position)
				require.ErrorIs(t, err, errKept, length)
			}
			for i, err := range kept.all() {
				if length < len(whole) {
					require.EqualError(t, err, "the temporary file was altered", length)
				} else {
					require.NoError(t, err)
					require.Equal(t, item.Notes, i.Notes)
				}
			}
		}
	}
	kept := items{}
	defer kept.records.Close()
	position, err := kept.add(&item)
	require.NoError(t, err)
	read, err := kept.get(position)
	require.NoError(t, err)
	require.Equal(t, &item, read)

	var number packer
	number.text("7x")
	u := unpacker{left: number}
	u.wei()
	require.ErrorIs(t, u.err, errKept)
}
