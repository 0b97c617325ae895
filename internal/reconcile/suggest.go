package reconcile

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
)

// Limits of suggestions: beyond them, none is made from other rows and transactions.
const (
	maxByFee  = 100_000 // rows and transactions compared by their fee
	maxByHash = 1_000   // hashes compared with each other
)

// Suggestions proposes what is behind differences, from the other rows and transactions of a result. People decide.
type Suggestions struct {
	transactions map[chain.Wei][]string // of the accounts that no row names, by fee
	rows         map[chain.Wei][]string // rows whose transaction is not known, by fee
	hashes       []namedHash            // of those transactions
}

type namedHash struct {
	id   string
	hash chain.Hash
}

// Suggestions examines the differences of the result.
func (r *Result) Suggestions() (*Suggestions, error) {
	s := &Suggestions{transactions: map[chain.Wei][]string{}, rows: map[chain.Wei][]string{}}
	count := 0
	for i, err := range r.Items() {
		if err != nil {
			return nil, err
		}
		t, named := i.Transaction.Get()
		fee, known := i.Chain.Get()
		books, stated := i.Books.Get()
		switch {
		case count == maxByFee:
			return new(Suggestions), nil
		case i.Outcome == OnlyOnChain && named:
			if known && !fee.IsZero() {
				s.transactions[fee] = append(s.transactions[fee], t.Place.String())
			}
			s.hashes = append(s.hashes, namedHash{t.Place.String(), t.Hash})
			if evm, ok := t.EVMHash.Get(); ok {
				s.hashes = append(s.hashes, namedHash{t.Place.String(), evm})
			}
		case i.mayBeMissing() && stated && !books.IsZero():
			s.rows[books] = append(s.rows[books], i.Row.at().String())
		default:
			continue
		}
		count++
	}
	return s, nil
}

// mayBeMissing reports whether the row may mean a transaction that no row names.
func (i *Item) mayBeMissing() bool {
	return i.Row != nil && (i.Outcome == OnlyInBooks || i.Outcome == WithoutTransaction || i.Outcome == Ambiguous || i.Outcome == Duplicate)
}

// Of returns what may be behind a difference; "" for nothing.
func (s *Suggestions) Of(i *Item) string {
	var list []string
	books, stated := i.Books.Get()
	fee, known := i.Chain.Get()
	if i.mayBeMissing() {
		if hash, ok := i.Row.AnyHash().Get(); ok && i.Outcome == OnlyInBooks {
			if id := s.alike(hash); id != "" {
				list = append(list, "the hash of "+id+" with a slip of the keyboard")
			}
		}
		if same := s.transactions[books]; stated && len(same) == 1 {
			list = append(list, "same fee as "+same[0])
		}
	}
	if i.Outcome == AmountDiffers && stated && known {
		if same := s.transactions[books]; len(same) == 1 {
			list = append(list, "same fee as "+same[0])
		}
		if slip := slipOf(books.String(), fee.String()); slip != "" {
			list = append(list, slip)
		}
	}
	if same := s.rows[fee]; i.Outcome == OnlyOnChain && known && len(same) == 1 {
		list = append(list, "same fee as "+same[0])
	}
	return strings.Join(list, "; ")
}

// alike returns the only transaction whose hash differs from this one in up to two digits; "" for none.
func (s *Suggestions) alike(hash chain.Hash) (id string) {
	if len(s.hashes) > maxByHash {
		return ""
	}
	text := hash.String()
	for _, other := range s.hashes {
		if apart := differing(text, other.hash.String()); len(apart) > 0 && len(apart) <= 2 {
			if id != "" && id != other.id {
				return ""
			}
			id = other.id
		}
	}
	return id
}

// differing returns the places at which two texts of the same length differ, three at most; none for other lengths.
func differing(a, b string) (places []int) {
	if len(a) != len(b) {
		return nil
	}
	for i := 0; i < len(a) && len(places) < 3; i++ {
		if a[i] != b[i] {
			places = append(places, i)
		}
	}
	return places
}

// minSlip is the number of significant digits from which two amounts that nearly agree are not so by chance.
const minSlip = 4

// slipOf returns how one amount, in wei, becomes the other by a slip of the keyboard; "" if it does not.
func slipOf(books, fee string) string {
	digits, others := strings.TrimRight(books, "0"), strings.TrimRight(fee, "0")
	if len(digits) < minSlip || len(others) < minSlip {
		return ""
	}
	if digits == others {
		return fmt.Sprintf("the decimal point is %d places off", max(len(books)-len(fee), len(fee)-len(books)))
	}
	switch apart := differing(books, fee); {
	case len(apart) == 1:
		return "one digit differs"
	case len(apart) == 2 && books[apart[0]] == fee[apart[1]] && books[apart[1]] == fee[apart[0]]:
		return "two digits swapped"
	}
	return ""
}
