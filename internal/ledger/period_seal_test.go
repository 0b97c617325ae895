package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
)

// The seal of a period depends only on its blocks: not on the ledger's first and last height, nor on findings about
// neighbouring blocks.
func TestAPeriodHasOneSeal(t *testing.T) {
	var blocks []made
	parent := chain.Hash{}
	for h := range uint64(60) {
		blocks = append(blocks, makeBlock(h, hashOf(h, 0), parent, "1000").at(1_700_000_000_000+h*20_000_000)) // more than two weeks
		parent = hashOf(h, 0)
	}
	november := ledger.Period{From: timeAt(t, "2023-11-16T00:00:00Z"), To: timeAt(t, "2023-11-24T00:00:00Z")}
	engines(t, func(t *testing.T, newPlace func() string) {
		seals := map[ledger.Seal]bool{}
		books := map[ledger.Seal]bool{}
		for i, first := range []int{0, 1, 2, 3, 4} {
			var entries []*ledger.Entry
			for _, m := range blocks[first : 60-i] {
				report := *m.Report
				m.Report = &report
				if int(m.Number()) == first+3 { // a finding about neighbours, which another ledger does not have
					m.Report.Findings = []evidence.Finding{{Check: "block.nonce", Block: m.Number(), Message: "made up"}}
				}
				entries = append(entries, m.entry(t))
			}
			book := written(t, newPlace(), madeUpChain, entries)
			verified(t, book)
			c, err := book.Cover(ctx, november)
			require.NoError(t, err)
			require.Empty(t, c.Lacks)
			span, _ := c.Span.Get()
			seal, err := book.SealOf(ctx, november, span)
			require.NoError(t, err)
			seals[seal] = true
			whole, _ := statusOf(t, book).Seal.Get()
			books[whole] = true
		}
		require.Len(t, seals, 1)
		require.Len(t, books, 5)
	})
}

// Number returns the height.
func (m made) Number() uint64 { return m.Block.Number }

// Questions unanswered when a block was judged can be answered later: findings and open questions are updated, and no seal
// changes. A block with other rows is skipped.
func TestRelearn(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		question := evidence.FailedRequest{About: evidence.AboutProportion, At: 4, Why: "timed out"}
		made := func(fee string, asked []evidence.FailedRequest, findings []evidence.Finding) *ledger.Entry {
			m := makeBlock(5, hashOf(5, 0), hashOf(4, 0), fee)
			m.Report.Unanswered, m.Report.Findings = asked, findings
			return m.entry(t)
		}
		found := []evidence.Finding{{Check: "evm.split", Block: 5, Message: "made up"}}
		open := made("7", []evidence.FailedRequest{question}, nil)
		answered := made("7", nil, found)
		book := written(t, newPlace(), madeUpChain, []*ledger.Entry{open})
		before := statusOf(t, book)
		require.EqualValues(t, 1, before.Unanswered)
		require.Equal(t, chain.Some(question), before.FirstUnanswered)
		require.Equal(t, open.Digest(), answered.Digest())

		for _, other := range []*ledger.Entry{open, made("8", nil, found)} {
			n, err := book.Relearn(ctx, []*ledger.Entry{other})
			require.NoError(t, err)
			require.Zero(t, n)
		}
		require.Equal(t, before, statusOf(t, book))

		n, err := book.Relearn(ctx, []*ledger.Entry{answered})
		require.NoError(t, err)
		require.Equal(t, 1, n)
		verified(t, book)
		after := statusOf(t, book)
		require.Zero(t, after.Unanswered)
		require.EqualValues(t, 1, after.Findings)
		require.Equal(t, before.Seal, after.Seal)
		differences, err := book.Compare(ctx, []*ledger.Entry{answered})
		require.NoError(t, err)
		require.Empty(t, differences)
		require.NoError(t, book.Write(ctx, []*ledger.Entry{open}), "its digest is the same: it stays as it is")
		require.Equal(t, after, statusOf(t, book))
	})
}

// Another program's tables are reported with a remedy, and not touched.
func TestAnotherProgramsTables(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		if !ledger.Postgres(place) {
			t.Skip("a file is one program's")
		}
		db := openSQL(t, place)
		db.do(t, "CREATE TABLE transactions (theirs TEXT)")
		_, err := ledger.OpenWriter(ctx, place)
		require.ErrorContains(t, err, "schema public already contains another program's table transactions. Give the ledger its own schema: CREATE SCHEMA fees, then postgres://HOST/DATABASE?search_path=fees")
		require.Equal(t, []string{"transactions"}, db.names(t, "table"))
		db.do(t, "CREATE SCHEMA fees")
		verified(t, written(t, place+"&search_path=fees", madeUpChain, madeUp(0, 3)))
	})
}
