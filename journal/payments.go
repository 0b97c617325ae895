package journal

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/ledger"
)

// Book is what a journal is made of; *[ledger.Book] is one.
type Book interface {
	Payments(ctx context.Context, account chain.Address, span ledger.Span, each func(*ledger.Transaction) error) error
	WithoutPayer(ctx context.Context, span ledger.Span, each func(*ledger.Transaction) error) error
	TransactionAt(ctx context.Context, height uint64, index int, each func(*ledger.Transaction) error) error
	Movements(ctx context.Context, account chain.Address, span ledger.Span, each func(*ledger.Movement) error) error
	Blocks(ctx context.Context, span ledger.Span, each func(*ledger.Block) error) error
}

// Question is what is asked of a book.
type Question struct {
	Accounts []chain.Address // each once
	Period   ledger.Period
	Span     chain.Optional[ledger.Span] // of the period's blocks, as ledger.Book.Cover has it; none where it is not known
}

// mostRecords is how many payments or movements a journal is made of at most: they are
// held at once, to be put into the order of their times.
const mostRecords = 500_000

var errTooMany = fmt.Errorf("more than %d records: name a shorter period or fewer accounts", mostRecords)

// Payment is a transaction with what its payer paid.
type Payment struct {
	*ledger.Transaction
	// Paid is what the chain charged, else the fee by the rules. It is not known where
	// neither is.
	Paid    chain.Optional[chain.Wei]
	Remarks []string // what is to be said of the amount
}

// Payments are what accounts paid, in the order of the chain.
type Payments []Payment

// Undetermined are the payments whose amount, or whose payer, nobody knows. They are not
// zero.
func (p Payments) Undetermined() (list Payments) {
	for _, x := range p {
		if !x.Paid.Known() || !x.Payer.Known() {
			list = append(list, x)
		}
	}
	return list
}

// Find reads what accounts paid in a period. Transactions of which it is not known who
// paid are among them where one of the accounts sent them, or somebody unknown did.
func Find(ctx context.Context, book Book, q Question) (list Payments, err error) {
	span, ok := q.Span.Get()
	if !ok {
		return nil, nil
	}
	add := func(t *ledger.Transaction) error {
		if !q.Period.Has(t.Height, t.Time) {
			return nil
		}
		if len(list) == mostRecords {
			return errTooMany
		}
		list = append(list, paymentOf(t))
		return nil
	}
	asked := map[chain.Address]bool{}
	for _, account := range q.Accounts {
		if asked[account] {
			continue
		}
		asked[account] = true
		if err := book.Payments(ctx, account, span, add); err != nil {
			return nil, err
		}
	}
	err = book.WithoutPayer(ctx, span, func(t *ledger.Transaction) error {
		if sender, known := t.Sender.Get(); known && !asked[sender] {
			return nil
		}
		return add(t)
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b Payment) int {
		return cmp.Or(cmp.Compare(a.Height, b.Height), cmp.Compare(a.Index, b.Index))
	})
	return list, nil
}

// paymentOf takes what the chain charged for what was paid.
func paymentOf(t *ledger.Transaction) Payment {
	p := Payment{Transaction: t, Paid: t.Charged}
	charged, isCharged := t.Charged.Get()
	fee, isFee := t.Fee.Get()
	switch {
	case isCharged && !isFee:
		p.say("the rules do not determine this fee (%s), the amount is what the chain charged", clean(t.Error))
	case isCharged && charged != fee:
		p.say("the rules give %s, the chain charged %s (%s)", tokens(fee.Signed()), tokens(charged.Signed()), clean(string(t.Class)))
	case isFee && !isCharged:
		p.Paid = t.Fee
		p.say("the amount is by the rules, the chain recorded no charge")
	}
	return p
}

func (p *Payment) say(format string, arguments ...any) {
	p.Remarks = append(p.Remarks, fmt.Sprintf(format, arguments...))
}

// Place is the payment's place on the chain, "25-4".
func (p *Payment) Place() string { return fmt.Sprintf("%d-%d", p.Height, p.Index) }

// code is what names a transaction to others: the EVM's hash, else the extrinsic's.
func code(t *ledger.Transaction) string {
	if hash, ok := t.EVMHash.Get(); ok {
		return hash.String()
	}
	return t.Hash.String()
}
