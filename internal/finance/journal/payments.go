package journal

import (
	"context"
	"fmt"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// Book is what a journal is made of; *[ledger.Book] is one.
type Book interface {
	Transactions(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Transaction, error]
	WithoutPayer(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Transaction, error]
	TransactionAt(ctx context.Context, at ledger.Place) (*ledger.Transaction, error)
	Movements(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Movement, error]
	Blocks(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Block, error]
}

// Question is what is asked of a book.
type Question struct {
	Accounts []chain.Address
	Period   ledger.Period
	Span     chain.Optional[chain.Heights] // of the period's blocks, as ledger.Book.Cover has it; none where it is not known
}

// Payment is a transaction with what its payer paid.
type Payment struct {
	*ledger.Transaction
	Paid    chain.Optional[chain.Wei] // see [ledger.Transaction.Paid]
	Remarks []string                  // what is to be said of the amount
}

// Payments are what accounts paid. They are not held: [Payments.All] reads them from the
// book, each time anew, so that a million of them take no more memory than some thousand.
type Payments struct {
	book     Book
	accounts []chain.Address // each once
	asked    map[chain.Address]bool
	period   ledger.Period
	span     chain.Optional[chain.Heights]

	seen         tally           // of the first reading
	payers       []chain.Address // each once, in the order of their first payments
	undetermined uint64
	first        []Payment // that are undetermined
}

// mostNamed is how many undetermined payments are told one by one.
const mostNamed = 100

// Find reads for the first time what accounts paid in a period, to tell what is
// undetermined. Transactions of which it is not known who paid are among the payments
// where one of the accounts sent them, or somebody unknown did.
func Find(ctx context.Context, book Book, q Question) (*Payments, error) {
	p := &Payments{book: book, asked: map[chain.Address]bool{}, period: q.Period, span: q.Span}
	for _, a := range q.Accounts {
		if !p.asked[a] {
			p.asked[a] = true
			p.accounts = append(p.accounts, a)
		}
	}
	paid := map[chain.Address]bool{}
	for part, err := range p.parts(ctx, false) {
		if err != nil {
			return nil, err
		}
		for _, x := range part.payments {
			count(&p.seen, *x.Transaction)
			payer, known := x.Payer.Get()
			if known && !paid[payer] {
				paid[payer] = true
				p.payers = append(p.payers, payer)
			}
			if known && x.Paid.Known() {
				continue
			}
			if p.undetermined++; len(p.first) < mostNamed {
				p.first = append(p.first, *x)
			}
		}
	}
	return p, nil
}

// All are the payments in the order of the chain. They end with [ErrChanged] where they
// are not those that Find read.
func (p *Payments) All(ctx context.Context) iter.Seq2[*Payment, error] {
	return func(yield func(*Payment, error) bool) {
		for part, err := range p.again(ctx, false) {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, x := range part.payments {
				if !yield(x, nil) {
					return
				}
			}
		}
	}
}

// Undetermined tells how many payments there are whose amount, or whose payer, nobody
// knows, and which the first of them are, a hundred at most. They are not zero.
func (p *Payments) Undetermined() (count uint64, first []Payment) { return p.undetermined, p.first }

// Idle are the accounts that were asked for and paid for nothing, in the order in which
// they were named.
func (p *Payments) Idle() (idle []chain.Address) {
	paid := map[chain.Address]bool{}
	for _, a := range p.payers {
		paid[a] = true
	}
	for _, a := range p.accounts {
		if !paid[a] {
			idle = append(idle, a)
		}
	}
	return idle
}

// has tells whether a transaction is one of the payments.
func (p *Payments) has(t *ledger.Transaction) bool {
	if !p.period.Has(t.Height, t.Time) {
		return false
	}
	if payer, known := t.Payer.Get(); known {
		return p.asked[payer]
	}
	sender, known := t.Sender.Get()
	return !known || p.asked[sender]
}

// paymentOf is a payment, with what is to be said of what was paid.
func paymentOf(t *ledger.Transaction) *Payment {
	p := &Payment{Transaction: t, Paid: t.Paid()}
	charged, isCharged := t.Charged.Get()
	fee, isFee := t.Fee.Get()
	switch {
	case isCharged && !isFee:
		p.say("the rules do not determine this fee (%s), the amount is what the chain charged", clean(t.Error))
	case isCharged && charged != fee:
		p.say("the rules give %s, the chain charged %s (%s)", tokens(fee.Signed()), tokens(charged.Signed()), clean(string(t.Class)))
	case isFee && !isCharged:
		p.say("the amount is by the rules, the chain recorded no charge")
	}
	return p
}

func (p *Payment) say(format string, arguments ...any) {
	p.Remarks = append(p.Remarks, fmt.Sprintf(format, arguments...))
}

// Place is the payment's place on the chain, "25-4".
func (p *Payment) Place() string { return ledger.Place{Height: p.Height, Row: p.Index}.String() }

// code is what names a transaction to others: the EVM's hash, else the extrinsic's.
func code(t *ledger.Transaction) string {
	if hash, ok := t.EVMHash.Get(); ok {
		return hash.String()
	}
	return t.Hash.String()
}
