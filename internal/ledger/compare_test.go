package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
)

func TestCompare(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		moved, changed := chain.Address20([20]byte{19: 0xaa}), chain.Address20([20]byte{19: 0xcd})
		stored := makeBlock(1, hashOf(1, 0), hashOf(0, 0), "100")
		stored.event("balances", "Deposit", `["0x00000000000000000000000000000000000000aa","5"]`)
		stored.Findings = []evidence.Finding{{Check: "old", Message: "gone"}}
		book := written(t, place, madeUpChain, []*ledger.Entry{makeBlock(0, hashOf(0, 0), chain.Hash{}, "1").entry(t), stored.entry(t)})
		before := statusOf(t, book)

		found, err := book.Compare(ctx, nil)
		require.NoError(t, err)
		require.Empty(t, found)
		found, err = book.Compare(ctx, []*ledger.Entry{stored.entry(t)})
		require.NoError(t, err)
		require.Empty(t, found)

		now := makeBlock(1, hashOf(1, 0), hashOf(0, 0), "101")
		now.event("balances", "Deposit", `["0x00000000000000000000000000000000000000ab","5"]`)
		now.Report.Transactions[0].Payer = chain.Some(changed)
		now.Report.Transactions[0].Success = chain.Optional[bool]{}
		now.Report.Finalized = chain.Some(false) // not a difference
		second := *now.Report.Transactions[0].Transaction
		second.Index = 2
		now.Report.Transactions = append(now.Report.Transactions, evidence.Transaction{Transaction: &second})
		now.Findings = []evidence.Finding{{Check: "new", Message: "here"}, {Check: "another", Message: "too", Extrinsic: chain.Some(2)}}
		found, err = book.Compare(ctx, []*ledger.Entry{now.entry(t), makeBlock(2, hashOf(2, 0), hashOf(1, 0), "1").entry(t)})
		require.NoError(t, err)
		var texts []string
		judgement := map[string]bool{}
		for _, d := range found {
			texts = append(texts, d.String())
			judgement[d.String()] = d.Judgement
		}
		want := map[string]bool{
			"block 1, table blocks: evm is 1 in the ledger, 2 now":                                                                                            false,
			"block 1, table blocks: fee is 100 in the ledger, 202 now":                                                                                        true,
			"block 1, table blocks: evm_fee is 100 in the ledger, 202 now":                                                                                    true,
			"block 1, table transactions, extrinsic 1: payer is 0x0000000000000000000000000000000000000001 in the ledger, " + changed.String() + " now":       true,
			"block 1, table transactions, extrinsic 1: fee is 100 in the ledger, 101 now":                                                                     true,
			"block 1, table transactions, extrinsic 1: success is true in the ledger, null now":                                                               false,
			"block 1, table transactions, extrinsic 2: missing in the ledger, present now":                                                                    false,
			"block 1, table movements, position 0: account is " + moved.String() + " in the ledger, " + chain.Address20([20]byte{19: 0xab}).String() + " now": false,
			"block 1, table findings, position 0: check_id is old in the ledger, new now":                                                                     true,
			"block 1, table findings, position 0: message is gone in the ledger, here now":                                                                    true,
			"block 1, table findings, position 1: missing in the ledger, present now":                                                                         true,
			"block 2, table blocks: missing in the ledger, present now":                                                                                       false,
		}
		require.Equal(t, want, judgement, "%q", texts)
		require.Len(t, found, len(want))

		// Differences in judgement are stored in addition to the rows, which stay.
		require.NoError(t, book.Rejudge(ctx, "2.0", found))
		require.NoError(t, book.Rejudge(ctx, "2.0", found))
		require.NoError(t, book.Rejudge(ctx, "2.0", nil))
		kept := openSQL(t, place).texts(t, "SELECT height, table_name, row_number, column_name, before, after, program FROM rejudgements ORDER BY table_name, row_number, column_name")
		require.Equal(t, [][]string{
			{"1", "blocks", "-1", "evm_fee", "100", "202", "2.0"},
			{"1", "blocks", "-1", "fee", "100", "202", "2.0"},
			{"1", "findings", "0", "check_id", "old", "new", "2.0"},
			{"1", "findings", "0", "message", "gone", "here", "2.0"},
			{"1", "findings", "1", "", "missing", "present", "2.0"},
			{"1", "transactions", "1", "fee", "100", "101", "2.0"},
			{"1", "transactions", "1", "payer", "0x0000000000000000000000000000000000000001", changed.String(), "2.0"},
		}, kept)
		require.Equal(t, before, statusOf(t, book))
		verified(t, book)

		// Data that the ledger has and the source lacks.
		less := makeBlock(1, hashOf(1, 0), hashOf(0, 0), "100")
		found, err = book.Compare(ctx, []*ledger.Entry{less.entry(t)})
		require.NoError(t, err)
		require.Equal(t, []ledger.Difference{
			{Height: 1, Table: "movements", Stored: "present", Now: "missing"},
			{Height: 1, Table: "findings", Stored: "present", Now: "missing", Judgement: true},
		}, found)
	})
}

func TestDifferencesOfAnUnknownTable(t *testing.T) {
	require.Equal(t, "block 3, table movements, position 1: missing in the ledger, present now", ledger.Difference{Height: 3, Table: "movements", Row: 1, Stored: "missing", Now: "present"}.String())
}

// What a later program made of a block that is not final goes with the block, when another takes its place and when it is
// rolled back.
func TestRejudgementsOfBlocksThatAreReplaced(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, madeUp(0, 3))
		rejudged := func() []string {
			var heights []string
			for _, r := range openSQL(t, place).texts(t, "SELECT height FROM rejudgements ORDER BY height") {
				heights = append(heights, r...)
			}
			return heights
		}
		judge := func(height uint64) {
			require.NoError(t, book.Rejudge(ctx, "2.0", []ledger.Difference{{Height: height, Table: "blocks", Row: -1, Column: "fee", Stored: "1", Now: "2", Judgement: true}}))
			verified(t, book)
		}
		require.NoError(t, book.Write(ctx, branch(t, 3, 2, hashOf(2, 0), 1, false)))
		for height := range uint64(5) {
			judge(height)
		}
		require.NoError(t, book.Write(ctx, branch(t, 4, 1, hashOf(3, 1), 2, false)))
		verified(t, book)
		require.Equal(t, []string{"0", "1", "2", "3"}, rejudged())
		judge(4)
		removed, err := book.Rollback(ctx)
		require.NoError(t, err)
		require.EqualValues(t, 2, removed)
		verified(t, book)
		require.Equal(t, []string{"0", "1", "2"}, rejudged())
	})
}
