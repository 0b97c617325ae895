package ledger_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

// The contents of a ledger match the reports and the blocks.
func TestRead(t *testing.T) { engines(t, testRead) }

func testRead(t *testing.T, newPlace func() string) {
	both(t, func(t *testing.T, r *recording) {
		span := chain.Heights{Last: r.last}
		book := written(t, newPlace(), r.id, r.entries)
		sealAll(t, book)

		var transactions []*ledger.Transaction
		require.NoError(t, each(book.Transactions(ctx, in(span)), func(x *ledger.Transaction) error {
			transactions = append(transactions, x)
			return nil
		}))
		movements := map[chain.Address][]movement.Movement{}
		var blocks []*ledger.Block
		require.NoError(t, each(book.Blocks(ctx, in(span)), func(b *ledger.Block) error {
			blocks = append(blocks, b)
			return nil
		}))
		var findings []evidence.Finding
		require.NoError(t, each(book.Findings(ctx, in(span)), func(f *ledger.Finding) error {
			findings = append(findings, f.Finding)
			return nil
		}))
		require.Len(t, findings, 1) // the time of block 2
		require.EqualValues(t, 2, findings[0].Block)

		for _, p := range r.proved {
			b := blocks[p.Block.Number]
			require.Equal(t, p.Report.Hash, b.Hash)
			require.Equal(t, p.Report.Time, b.Time)
			require.Equal(t, p.Report.Totals.Fee, b.Fee)
			require.Equal(t, p.Report.Totals.Treasury, b.Treasury)
			require.True(t, b.Final && b.Sealed && b.Certain)
			for _, want := range p.Report.Transactions {
				requireTransaction(t, p.Report, want, transactions[0])
				requirePlaced(t, book, transactions[0])
				transactions = transactions[1:]
			}
			moves, _ := movement.Of(p.Block, chain.AddressSize)
			for _, m := range moves {
				movements[m.Account] = append(movements[m.Account], m)
			}
		}
		require.Empty(t, transactions)
		every := map[chain.Address][]movement.Movement{}
		var before ledger.Movement
		require.NoError(t, each(book.Movements(ctx, in(span)), func(m *ledger.Movement) error {
			require.True(t, m.Height > before.Height || m.Height == before.Height && (m.Position > before.Position || m.Position == 0))
			before, every[m.Account] = *m, append(every[m.Account], m.Movement)
			return nil
		}))
		require.Equal(t, movements, every)
		for account, want := range movements {
			var have []movement.Movement
			require.NoError(t, each(book.Movements(ctx, in(span, account)), func(m *ledger.Movement) error {
				have = append(have, m.Movement)
				return nil
			}))
			require.Equal(t, want, have)
		}
		found, err := book.Cover(ctx, ledger.Period{From: timeAt(t, "2026-01-01T00:00:00Z"), To: timeAt(t, "2026-01-02T00:00:00Z")})
		require.NoError(t, err)
		require.Equal(t, chain.Some(chain.Heights{First: 2, Last: r.last}), found.Span) // block 1 was made on 2026-11-20
	})
}

func requireTransaction(t *testing.T, r *evidence.Report, want evidence.Transaction, have *ledger.Transaction) {
	require.Equal(t, r.Number, have.Height)
	require.Equal(t, r.Time, have.Time)
	require.Equal(t, want.Index, have.Index)
	require.Equal(t, want.Layer, have.Layer)
	require.Equal(t, want.Hash, have.Hash)
	require.Equal(t, want.EVMHash, have.EVMHash)
	require.Equal(t, want.From, have.Sender)
	require.Equal(t, want.To, have.Recipient)
	require.Equal(t, want.Payer, have.Payer)
	require.Equal(t, want.GasPrice, have.GasPrice)
	require.Equal(t, want.Fee, have.Fee)
	require.Equal(t, want.PriorityFee, have.PriorityFee)
	require.Equal(t, want.Tip, have.Tip)
	require.Equal(t, want.Success, have.Success)
	require.Equal(t, want.Outcome, chain.Some(have.Outcome))
	require.Equal(t, want.Charged, have.Charged)
	require.Equal(t, want.Verdict, chain.Some(have.Verdict))
	require.Equal(t, want.Burned, have.Burned)
	require.Equal(t, want.Treasury, have.Treasury)
}

// requirePlaced requires the transaction to be found by its place, hashes and payer.
func requirePlaced(t *testing.T, book *ledger.Book, want *ledger.Transaction) {
	found := 0
	look := func(x *ledger.Transaction) error {
		if x.Height == want.Height && x.Index == want.Index {
			require.Equal(t, want, x)
			found++
		}
		return nil
	}
	require.NoError(t, at(book, want.Height, want.Index, look))
	require.NoError(t, each(book.TransactionsByHash(ctx, want.Hash), look))
	if hash, ok := want.EVMHash.Get(); ok {
		require.Equal(t, fee.EVM, want.Layer)
		require.NoError(t, each(book.TransactionsByHash(ctx, hash), look))
		found--
	}
	payer, _ := want.Payer.Get()
	require.NoError(t, each(book.Transactions(ctx, in(chain.Heights{First: want.Height, Last: want.Height}, payer)), look))
	require.Equal(t, 3, found)
}

func timeAt(t *testing.T, text string) chain.Time {
	at, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	converted, err := chain.TimeAt(uint64(at.UnixMilli()))
	require.NoError(t, err)
	return converted
}
