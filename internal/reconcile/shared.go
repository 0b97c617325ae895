package reconcile

import (
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// Some products write several rows for one transaction, such as one for each transfer of a batch.
// The rows repeat its fee, share it, or leave it to one of them.

// sharedFee sums up the rows of one transaction.
type sharedFee struct {
	count    int
	first    chain.Wei
	sum      chain.Wei
	same     bool // all of them have the first row's fee
	overflow bool
}

// isSplit reports whether the rows add up to what the transaction was charged.
func (s *sharedFee) isSplit(t *ledger.Transaction) bool {
	paid, known := t.Paid().Get()
	return known && s.count > 1 && !s.overflow && s.sum == paid
}

// share reads the rows of files whose transactions may have several.
func (m *matcher) share(rows iter.Seq2[*Row, error]) error {
	if p := m.options.applied; p == nil || !p.Repeats {
		return nil
	}
	m.shared = map[chain.Hash]*sharedFee{}
	for row, err := range rows {
		if err != nil {
			return err
		}
		hash, has := row.AnyHash().Get()
		if !has || row.LeftOut != "" || m.others.besides(row) > 0 {
			continue
		}
		s := m.shared[hash]
		if s == nil {
			m.shared[hash] = &sharedFee{count: 1, first: row.Fee, sum: row.Fee, same: true}
			continue
		}
		sum, err := s.sum.Add(row.Fee)
		s.count, s.sum, s.overflow, s.same = s.count+1, sum, s.overflow || err != nil, s.same && row.Fee == s.first
	}
	return nil
}

// sharedBy returns the sum of the rows of a row's transaction; nil if the row is the only one.
func (m *matcher) sharedBy(row *Row) *sharedFee {
	hash, has := row.AnyHash().Get()
	if !has {
		return nil
	}
	if s := m.shared[hash]; s != nil && s.count > 1 {
		return s
	}
	return nil
}
