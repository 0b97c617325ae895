package reconcile

import (
	"fmt"
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
)

// Outcome is what a row, or a transaction without one, comes to.
type Outcome string

const (
	Matched         Outcome = "matched"
	WithinRounding  Outcome = "within_rounding"         // the row has what a spreadsheet's 15 digits leave of the amount
	WithinTolerance Outcome = "within_tolerance"        // the amounts differ by no more than the tolerance
	AmountDiffers   Outcome = "amount_differs"          // by more than the tolerance
	PayerDiffers    Outcome = "payer_differs"           // the amount agrees, and the row names another payer
	PaidByAnother   Outcome = "paid_by_another_account" // none of the accounts paid: the chain's side is 0
	OutsidePeriod   Outcome = "outside_period"          // the transaction is not of the period: the chain's side is 0
	Undetermined    Outcome = "undetermined"            // no rule gives the fee of the transaction and the chain recorded no charge, or its payer is not known
	Duplicate       Outcome = "duplicate"               // a row before names the same transaction
	Ambiguous       Outcome = "ambiguous"               // it can mean several transactions, or contradicts itself
	OnlyInBooks     Outcome = "only_in_books"           // no such transaction is in the ledger
	OnlyOnChain     Outcome = "only_on_chain"           // the accounts paid for it, and no row names it
	LeftOut         Outcome = "left_out"                // the row has no fee, or one in another asset: it is not compared
)

// Agrees reports whether nothing of a row with this outcome is to be corrected.
func (o Outcome) Agrees() bool {
	return o == Matched || o == WithinRounding || o == WithinTolerance || o == LeftOut
}

// isListed reports whether an item with this outcome is among the details.
func (o Outcome) isListed(all bool) bool { return all || o != Matched && o != LeftOut }

// Outcomes are all outcomes, in the order in which they are shown.
func Outcomes() []Outcome {
	return []Outcome{Matched, WithinRounding, WithinTolerance, AmountDiffers, PayerDiffers, PaidByAnother, OutsidePeriod, Undetermined, Duplicate, Ambiguous, OnlyInBooks, OnlyOnChain, LeftOut}
}

// Transaction is one of the ledger, as far as it is shown.
type Transaction struct {
	Place   ledger.Place
	Time    chain.Optional[chain.Time]
	Hash    chain.Hash
	EVMHash chain.Optional[chain.Hash]
	Payer   chain.Optional[chain.Address]
}

func transactionOf(t *ledger.Transaction) Transaction {
	return Transaction{t.Place(), t.Time, t.Hash, t.EVMHash, t.Payer}
}

// Item is what became of a row, or of a transaction without one.
type Item struct {
	Outcome     Outcome
	Row         *Row                        // nil where there is only the transaction
	Transaction chain.Optional[Transaction] // that the row names
	Books       chain.Optional[chain.Wei]   // the fee of the row
	Chain       chain.Optional[chain.Wei]   // what the accounts paid for the transaction in the period, see [ledger.Transaction.Paid]; of a duplicate, it is with the first row
	Difference  chain.Optional[chain.SignedWei]
	Notes       []string
}

func (i *Item) note(format string, arguments ...any) {
	i.Notes = append(i.Notes, fmt.Sprintf(format, arguments...))
}

// Sum is what the items of an outcome come to.
type Sum struct {
	Outcome Outcome
	Count   int
	Books   chain.Wei
	// Chain and Difference, the books less the chain, are not known where it is not known
	// what a transaction cost.
	Chain      chain.Optional[chain.Wei]
	Difference chain.Optional[chain.SignedWei]
	Worth      Worth // of the three; not known without prices
}

// Result is a company's record beside the ledger.
type Result struct {
	File    *File    // that was read; nil where the caller does not say
	Name    string   // of the file, "" where the caller does not say
	Notes   []string // what limits the result
	Network string
	Genesis chain.Optional[chain.Hash]
	Sealed  chain.Optional[uint64]        // the height of the last sealed block
	Seal    string                        // of the ledger, or of the period that a package is of; "" where nothing is sealed
	Period  chain.Optional[ledger.Period] // as it was asked for
	Span    chain.Optional[chain.Heights] // that was compared
	Options Options
	Sums    []Sum // one for each outcome
	Total   Sum
	items   items
	valuer  *money.Valuer // nil without prices
	partial bool          // the ledger lacks part of the period
}

// Items are the rows in their order, then the transactions without one in the order of
// the chain, each time anew. They are not held in memory, and are there until the result
// is closed.
func (r *Result) Items() iter.Seq2[*Item, error] { return r.items.all() }

// Close gives up the items.
func (r *Result) Close() error { return r.items.records.Close() }

func newResult(o *Options, s *ledger.Status, c *covered) *Result {
	r := &Result{
		Notes: c.notes(), Network: s.Network, Genesis: s.Genesis, Sealed: s.Sealed,
		Period: o.Period, Span: c.Span, Options: *o, partial: len(c.Lacks) > 0,
	}
	if seal, ok := s.Seal.Get(); ok {
		r.Seal = seal.String()
	}
	if o.Prices != nil {
		r.valuer = o.Prices.Valuer()
	}
	for _, o := range Outcomes() {
		r.Sums = append(r.Sums, r.noSum(o))
	}
	r.Total = r.noSum("total")
	return r
}

// Reconciled reports whether the record is complete, and each row and each transaction agrees.
func (r *Result) Reconciled() bool { return r.Agrees() && r.Complete() }

// Agrees reports whether each row and each transaction that was compared agrees.
func (r *Result) Agrees() bool { return r.Apart() == 0 }

// Complete reports whether fees that the record lacks were looked for in the whole period. Without
// accounts they cannot be.
func (r *Result) Complete() bool {
	return len(r.Options.Accounts) > 0 && !r.Options.RowsOnly && !r.partial
}

// Apart counts the rows and transactions that do not agree.
func (r *Result) Apart() (count int) {
	for i := range r.Sums {
		if s := &r.Sums[i]; !s.Outcome.Agrees() {
			count += s.Count
		}
	}
	return count
}

// Compared counts the rows and transactions that were compared.
func (r *Result) Compared() int { return r.Total.Count - r.count(LeftOut) }

// Headline states the outcome in one line.
func (r *Result) Headline() string {
	apart, count := r.Apart(), r.Compared()
	var text string
	switch {
	case apart > 0:
		text = fmt.Sprintf("%d of %d do not match", apart, count)
	case count == 0 && r.Complete():
		text = "nothing to compare: the file has no fee, and the accounts paid none"
	case count == 0:
		text = "nothing to compare: the file has no fee"
	case r.Complete():
		text = fmt.Sprintf("all %d match", count)
	default:
		text = console.Counted(count, "row") + " " + console.Verb(count, "matches", "match")
	}
	if !r.Complete() {
		text += "; completeness not checked"
	}
	if r.partial {
		text += "; the ledger lacks part of the period"
	}
	return text
}

// add adds an item, also to the sums.
func (r *Result) add(item *Item) error {
	of := slices.IndexFunc(r.Sums, func(s Sum) bool { return s.Outcome == item.Outcome })
	for _, s := range []*Sum{&r.Sums[of], &r.Total} {
		if err := s.add(item); err != nil {
			return fmt.Errorf("the sum of the fees: %w", err)
		}
	}
	if r.valuer != nil && item.Outcome != LeftOut {
		worth := item.worth(r.valuer, r.Options.Zone)
		for _, s := range []*Sum{&r.Sums[of], &r.Total} {
			s.addWorth(item, worth, r.valuer.Currency)
		}
	}
	_, err := r.items.add(item)
	return err
}

// noSum is that of no item.
func (r *Result) noSum(o Outcome) Sum {
	s := Sum{Outcome: o, Chain: chain.Some(chain.Wei{}), Difference: chain.Some(chain.SignedWei{})}
	if r.valuer != nil {
		s.Worth = nothingIn(r.valuer.Currency)
	}
	return s
}

// costUnknown tells whether nobody knows what the item's transaction cost.
func (i *Item) costUnknown() bool {
	return !i.Chain.Known() && (i.Outcome == Undetermined || i.Outcome == OnlyOnChain)
}

// add adds an item. One without a transaction of its own has nothing on the chain's side;
// one of which it is not known what its transaction cost makes the sum unknown.
func (s *Sum) add(i *Item) (err error) {
	s.Count++
	if s.Books, err = s.Books.Add(or(i.Books, chain.Wei{})); err != nil {
		return err
	}
	sum, known := s.Chain.Get()
	if !known || i.costUnknown() {
		s.Chain, s.Difference = chain.Optional[chain.Wei]{}, chain.Optional[chain.SignedWei]{}
		return nil
	}
	if sum, err = sum.Add(or(i.Chain, chain.Wei{})); err != nil {
		return err
	}
	s.Chain, s.Difference = chain.Some(sum), chain.Some(s.Books.Difference(sum))
	return nil
}
