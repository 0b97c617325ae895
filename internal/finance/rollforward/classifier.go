package rollforward

import (
	"context"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

// Book provides the ledger data for classifying a movement; *ledger.Book implements it.
type Book interface {
	TransactionAt(ctx context.Context, at ledger.Place) (*ledger.Transaction, error)
	Movements(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Movement, error]
}

// Classifier assigns a class to each movement.
type Classifier struct {
	Treasury chain.Optional[chain.Address] // the treasury's account, if known
	Pot      chain.Optional[chain.Address] // what receives fees in its place, if known: it pays the authors of blocks
	Own      *OwnRules                     // the user's own rules; nil for none
}

// place is an extrinsic or a hook of a block.
type place struct {
	height uint64
	where  movement.Where
}

// reading is a pass over the lines of one account. It caches the ledger's data of the last
// place.
type reading struct {
	*Classifier
	book        Book
	at          place
	known       bool // at is valid
	transaction *ledger.Transaction
	beside      string // "" until queried
}

// classify returns the class of a movement and its transaction, nil if none caused it.
func (r *reading) classify(ctx context.Context, l *statement.Line) (class Class, d Direction, t *ledger.Transaction, err error) {
	m := l.Movement
	if t, err = r.transactionOf(ctx, l); err != nil {
		return class, d, t, err
	}
	f := facts{
		event: m.Event, direction: directionOf(m, l.Free, l.Reserved), call: callOf(m.Where, t), part: partOf(l, t),
		account: r.roleOf(m.Account), counterparty: nothing, besides: nothing,
	}
	if other, ok := m.Counterparty.Get(); ok {
		f.counterparty = r.roleOf(other)
	}
	for _, rules := range [][]rule{feeRules, r.Own.list(), otherRules} {
		for i := range rules {
			one := &rules[i]
			if one.asksBeside() && f.besides == nothing && t == nil {
				if f.besides, err = r.besides(ctx, m); err != nil {
					return class, d, t, err
				}
			}
			if one.fits(&f) {
				return one.class, f.direction, t, nil
			}
		}
	}
	return Unclassified, f.direction, t, nil
}

// transactionOf returns the transaction of a line.
func (r *reading) transactionOf(ctx context.Context, l *statement.Line) (*ledger.Transaction, error) {
	if here := (place{l.Height, l.Where}); !r.known || here != r.at {
		r.at, r.known, r.transaction, r.beside = here, true, nil, ""
		index, is := l.Where.Extrinsic()
		switch {
		case l.Payment != nil:
			r.transaction = l.Payment
		case is:
			t, err := r.book.TransactionAt(ctx, ledger.Place{Height: l.Height, Row: index})
			if err != nil {
				return nil, err
			}
			r.transaction = t
		}
	}
	return r.transaction, nil
}

// besides returns the role of an account that lost balance in the same place.
func (r *reading) besides(ctx context.Context, m *movement.Movement) (string, error) {
	if r.beside != "" {
		return r.beside, nil
	}
	r.beside = nothing
	for other, err := range r.book.Movements(ctx, ledger.Query{Span: chain.Heights{First: r.at.height, Last: r.at.height}}) {
		if err != nil {
			return "", err
		}
		if other.Where != m.Where || directionOf(&other.Movement, other.Free, other.Reserved) == In {
			continue
		}
		if role := r.roleOf(other.Account); role != nothing {
			r.beside = role
		}
	}
	return r.beside, nil
}

// callOf returns the call of an extrinsic, or the hook.
func callOf(where movement.Where, t *ledger.Transaction) string {
	if _, is := where.Extrinsic(); !is {
		return where.String()
	}
	if t == nil {
		return callInherent
	}
	return t.Call
}

// partOf returns the part of a fee that a line represents, or whether it is of a deposit.
func partOf(l *statement.Line, t *ledger.Transaction) string {
	kind := l.Movement.Kind
	switch {
	case l.OfFee && kind == movement.KindWithdrawal:
		return partWithdrawn
	case l.OfFee:
		return partRefund
	case kind == movement.KindDepositPassedOut || kind == movement.KindDepositPassedIn:
		return partPassed
	case kind == movement.KindDepositUnmatchedOut || kind == movement.KindDepositUnmatchedIn:
		return partUnmatched
	case l.Movement.Reason.Known() && (kind == movement.KindTransferOut || kind == movement.KindTransferIn):
		return partHeld
	case t != nil && (kind == movement.KindDeposit || kind == movement.KindMint):
		if author, ok := t.Author.Get(); ok && !author.IsZero() && author == l.Movement.Amount {
			return partAuthor
		}
	}
	return nothing
}
