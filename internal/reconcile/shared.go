package reconcile

import (
	"errors"
	"fmt"
	"hash/maphash"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// A record may have several rows for one transaction, such as one for each transfer of a batch. In a book, they share its
// fee; a second whole fee is deducted twice. In a view, lines that list different things repeat it.

// booked is the sum of a record's fee column in the network's token: the outcomes must add up to it.
type booked struct {
	rows int
	fees sum
}

// errUntied reports outcomes that do not add up to the record.
var errUntied = errors.New("internal error: the outcomes do not add up to the record")

// tie returns an error unless each row of the record has one outcome, and the books of the outcomes add up to its fees.
func (r *Result) tie(record *booked) error {
	var outcomes sum
	rows := 0
	for i := range r.Sums {
		s := &r.Sums[i]
		outcomes.add(s.Books)
		if s.Outcome != OnlyOnChain {
			rows += s.Count
		}
	}
	if rows != record.rows || outcomes.overflow || record.fees.overflow || outcomes.wei != record.fees.wei || r.Total.Books != record.fees.wei {
		return fmt.Errorf("%w: %d rows and %v wei in the outcomes, %d rows and %v wei in the record", errUntied, rows, outcomes.wei, record.rows, record.fees.wei)
	}
	return nil
}

// rowKey names the transaction of a row: by a hash, otherwise by its ID.
type rowKey struct {
	hash  chain.Hash
	place ledger.Place
}

func (r *Row) key() (k rowKey, known bool) {
	if k.hash, known = r.AnyHash().Get(); !known {
		k.place, known = r.Place.Get()
	}
	return k, known
}

// sharedFee sums up the rows of one transaction.
type sharedFee struct {
	count     int
	first     chain.Wei
	largest   chain.Wei
	sum       sum
	isSettled bool             // a share includes what was cut from all of them
	listed    map[listing]bool // what the lines of a view list
}

// survey sums up the record, and the rows of each transaction that has several.
func (m *matcher) survey(rows iter.Seq2[*Row, error]) error {
	// By a checksum, which takes less memory than the key; whether several rows have it. No file can choose keys that
	// share one.
	seed := maphash.MakeSeed()
	seen, again := map[uint64]bool{}, false
	for row, err := range rows {
		if err != nil {
			return err
		}
		m.record.rows++
		if !row.hasFee() || m.others.besides(row).line > 0 {
			continue
		}
		if row.Other.Name == "" {
			m.record.fees.add(row.Fee)
		}
		if key, known := row.key(); known {
			sum := maphash.Comparable(seed, key)
			_, several := seen[sum]
			seen[sum] = several
			again = again || several
		}
	}
	if !again {
		return nil
	}
	m.shared = map[rowKey]*sharedFee{}
	for row, err := range rows {
		if err != nil {
			return err
		}
		key, known := row.key()
		if !known || !row.hasFee() || m.others.besides(row).line > 0 || !seen[maphash.Comparable(seed, key)] {
			continue
		}
		s := m.shared[key]
		if s == nil {
			s = &sharedFee{first: row.Fee}
			m.shared[key] = s
		}
		s.count++
		s.sum.add(row.Fee)
		if row.Fee.Cmp(s.largest) > 0 {
			s.largest = row.Fee
		}
	}
	return nil
}

// sharedBy returns the sum of the rows of a row's transaction; nil if the row is the only one.
func (m *matcher) sharedBy(row *Row) *sharedFee {
	key, _ := row.key()
	if s := m.shared[key]; s != nil && s.count > 1 {
		return s
	}
	return nil
}

// isSplit reports whether the rows of a transaction are shares of what it was charged. Shares of a product that cuts
// fees add up to it within a unit of the last decimal for each; one that is the whole fee is not a share.
func (m *matcher) isSplit(s *sharedFee, paid chain.Wei) bool {
	if s == nil || s.sum.overflow {
		return false
	}
	if s.sum.wei == paid {
		return true
	}
	cut := m.options.CutDecimals
	if cut == 0 || s.largest.Difference(paid).Size().Cmp(m.options.unitAfter(cut)) < 0 { // it is the whole fee
		return false
	}
	apart := s.sum.wei.Difference(paid).Size()
	limit, err := m.options.unitAfter(cut).Times(uint64(s.count))
	return err == nil && apart.Cmp(limit) < 0 && apart.Cmp(s.largest) <= 0
}

// share returns the part of a charge that a row shares: its own amount, and what was cut from all shares with the first
// row that is as large.
func (s *sharedFee) share(row *Row, paid chain.Wei) chain.Wei {
	apart := s.sum.wei.Difference(paid)
	if s.isSettled || row.Fee.Cmp(apart.Size()) < 0 {
		return row.Fee
	}
	s.isSettled = true
	part, err := row.Fee.Sub(apart.Size())
	if apart.Sign() < 0 {
		part, err = row.Fee.Add(apart.Size())
	}
	if err != nil { // isSplit has checked it
		return row.Fee
	}
	return part
}

// listing identifies what a row lists beside its transaction and its fee.
type listing [8]byte

// list notes what a line lists.
func (s *sharedFee) list(l listing) {
	if s.listed == nil {
		s.listed = map[listing]bool{}
	}
	s.listed[l] = true
}

// repeats reports whether a row of a view lists something else of a transaction whose fee another line has.
func (m *matcher) repeats(row *Row, s *sharedFee) bool {
	return m.options.isView() && s != nil && (row.Fee == s.first || row.Fee.IsZero()) && !s.listed[row.Listing]
}
