package journal

import (
	"context"
	"fmt"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
)

// Book provides the data for a journal; *[ledger.Book] implements it.
type Book interface {
	Transactions(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Transaction, error]
	WithoutPayer(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Transaction, error]
	TransactionAt(ctx context.Context, at ledger.Place) (*ledger.Transaction, error)
	Movements(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Movement, error]
	Activity(ctx context.Context, account chain.Address, span chain.Heights, transfers bool) iter.Seq2[*ledger.Activity, error]
	Blocks(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Block, error]
}

// Question selects payments.
type Question struct {
	Token    console.Token // the network's, for remarks
	Accounts []chain.Address
	Period   ledger.Period
	Span     chain.Optional[chain.Heights] // the period's blocks from ledger.Book.Cover; none if not known
}

// Payment is a transaction with the amount that its payer paid.
type Payment struct {
	*ledger.Transaction
	Paid    chain.Optional[chain.Wei] // see [ledger.Transaction.Paid]
	Remarks []string                  // remarks on the amount
}

// Payments are the payments of accounts. They are not held in memory: [Payments.All] reads them from the ledger on
// each call.
type Payments struct {
	token    console.Token
	book     Book
	accounts []chain.Address // without duplicates
	asked    map[chain.Address]bool
	period   ledger.Period
	span     chain.Optional[chain.Heights]

	seen         tally           // of the first pass
	payers       []chain.Address // without duplicates, in order of their first payments
	undetermined uint64
	first        []Payment // the first undetermined payments
}

// maxNamed limits the undetermined payments that are listed.
const maxNamed = 100

// Find makes the first pass over the payments of a period to collect the undetermined ones. A transaction
// with unknown payer counts as a payment if its sender is one of the accounts or unknown.
func Find(ctx context.Context, book Book, q Question) (*Payments, error) {
	p := &Payments{token: q.Token, book: book, asked: map[chain.Address]bool{}, period: q.Period, span: q.Span}
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
			if p.undetermined++; len(p.first) < maxNamed {
				p.first = append(p.first, *x)
			}
		}
	}
	return p, nil
}

// All returns the payments in chain order. It ends with [ErrChanged] if they differ from those that Find
// read.
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

// Undetermined returns the number of payments with unknown amount or payer, and the first of them, up to a hundred.
// Their amounts are not zero.
func (p *Payments) Undetermined() (count uint64, first []Payment) { return p.undetermined, p.first }

// Idle returns the selected accounts without payments, in the order in which they were
// selected.
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

// has reports whether a transaction is one of the payments.
func (p *Payments) has(t *ledger.Transaction) bool {
	if !p.period.Has(t.Height, t.Time) {
		return false
	}
	if payer, known := t.Payer.Get(); known {
		return p.asked[payer]
	}
	sender, known := t.Sender.Get()
	return !known || p.asked[sender] || sender.Size() == chain.AddressSize && p.asked[sender.Hashed()]
}

// paymentOf returns a payment with remarks on the amount.
func paymentOf(t *ledger.Transaction, token console.Token) *Payment {
	p := &Payment{Transaction: t, Paid: t.Paid()}
	charged, isCharged := t.Charged.Get()
	fee, isFee := t.Fee.Get()
	switch {
	case isCharged && !isFee:
		p.say("the rules do not determine this fee (%s), the amount is the charge on chain", clean(t.Error))
	case isCharged && charged != fee:
		p.say("fee by the rules %s, charged on chain %s (%s)", token.Tokens(fee), token.Tokens(charged), clean(string(t.Class)))
	case isFee && !isCharged:
		p.say("the chain recorded no charge, the amount is the fee by the rules")
	}
	return p
}

func (p *Payment) say(format string, arguments ...any) {
	p.Remarks = append(p.Remarks, fmt.Sprintf(format, arguments...))
}

// Place returns the payment's transaction ID, such as "25-4".
func (p *Payment) Place() string { return ledger.Place{Height: p.Height, Row: p.Index}.String() }

// code returns the public hash of a transaction: the EVM hash, or else the extrinsic's.
func code(t *ledger.Transaction) string {
	if hash, ok := t.EVMHash.Get(); ok {
		return hash.String()
	}
	return t.Hash.String()
}
