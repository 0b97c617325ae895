package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
)

// Transactions with failed checks are found with and without an account, sealed and not. Findings about the block are those
// of no transaction, and a check counts once.
func TestTransactionsWithFailedChecks(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		var entries []*ledger.Entry
		for h := range uint64(8) {
			var parent chain.Hash
			if h > 0 {
				parent = hashOf(h-1, 0)
			}
			m := makeBlock(h, hashOf(h, 0), parent, "5")
			add := func(check string, extrinsic chain.Optional[int]) {
				m.Findings = append(m.Findings, evidence.Finding{Check: check, Block: h, Extrinsic: extrinsic, Message: "m"})
			}
			switch h {
			case 1, 6:
				add("evm.cash", chain.Some(1))
				add("evm.cash", chain.Some(1))
				add("evm.split", chain.Some(1))
			case 3:
				add("block.time", chain.Optional[int]{})
			case 4:
				add("evm.price", chain.Some(1))
			}
			entries = append(entries, m.entry(t))
		}
		book := written(t, newPlace(), madeUpChain, entries[:6])
		require.NoError(t, book.Write(ctx, entries[6:]))
		failed := func(limit int, accounts ...chain.Address) (list []string) {
			for x, err := range book.Transactions(ctx, ledger.Query{Span: chain.Heights{Last: 7}, Failed: true, Limit: limit, Accounts: accounts}) {
				require.NoError(t, err)
				require.Equal(t, evidence.Standing{Verdict: x.Verdict, Failed: map[uint64][]string{1: {"evm.cash", "evm.split"}, 4: {"evm.price"}, 6: {"evm.cash", "evm.split"}}[x.Height]}, x.Standing())
				list = append(list, x.Place().String()+": "+x.Failed)
			}
			return list
		}
		all := []string{"1-1: evm.cash evm.split", "4-1: evm.price", "6-1: evm.cash evm.split"}
		require.Equal(t, all, failed(0))
		require.Equal(t, all[:2], failed(2))
		require.Equal(t, all[1:2], failed(0, chain.Address20([20]byte{19: 4})))                               // the payer of block 4
		require.Equal(t, []string{all[0], all[2]}, failed(0, chain.Address20([20]byte{19: 1})), "of 1 and 6") // 6 = 1 modulo 5
		for range book.Transactions(ctx, ledger.Query{Span: chain.Heights{Last: 7}, Failed: true}) {
			break
		}
	})
}

// A transaction with unknown payer may be the account's if the account sent it, or if its sender is unknown.
func TestMayBePaidBy(t *testing.T) {
	one, other := chain.Address20([20]byte{19: 1}), chain.Address20([20]byte{19: 2})
	sent := ledger.Transaction{Sender: chain.Some(one)}
	require.True(t, sent.MayBePaidBy(one))
	require.False(t, sent.MayBePaidBy(other))
	require.True(t, (&ledger.Transaction{}).MayBePaidBy(other))
}

// What the ledger knows of a drift and of open questions are judgements: a difference in them is one of the program.
func TestCompareJudgements(t *testing.T) {
	block := func(class evidence.Class, why string) *ledger.Entry {
		m := makeBlock(0, hashOf(0, 0), chain.Hash{}, "1")
		m.Report.Transactions[0].Class = chain.Some(class)
		m.Unanswered = []evidence.FailedRequest{{About: "multiplier", At: 7, Why: why}}
		return m.entry(t)
	}
	book := written(t, newFile(t), madeUpChain, []*ledger.Entry{block("unknown", "it was late")})
	found, err := book.Compare(ctx, []*ledger.Entry{block("zeroed_payer", "it was away")})
	require.NoError(t, err)
	var texts []string
	for _, d := range found {
		require.True(t, d.Judgement, d)
		texts = append(texts, d.String())
	}
	require.Equal(t, []string{
		"block 0, table diagnoses, extrinsic 1: class is unknown in the ledger, zeroed_payer now",
		"block 0, table unanswered, position 0: why is it was late in the ledger, it was away now",
	}, texts)
}

// The records of a span are the bytes of its digests, in order.
func TestRecords(t *testing.T) {
	entries := madeUp(0, 6)
	book := written(t, newFile(t), madeUpChain, entries)
	height := uint64(2)
	for r, err := range book.Records(ctx, chain.Heights{First: 2, Last: 4}) {
		require.NoError(t, err)
		require.Equal(t, height, r.Height)
		require.Equal(t, entries[height].Digest(), r.Digest)
		at, known := r.Time.Get()
		require.True(t, known)
		require.EqualValues(t, 1_700_000_000_000+height*6_000, at.Std().UnixMilli())
		require.NotEmpty(t, r.Bytes)
		height++
	}
	require.EqualValues(t, 5, height)
}
