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

// reading is a pass over the lines of one account. It caches what a movement of the last place had beside it.
type reading struct {
	*Classifier
	book   Book
	at     place
	beside string // "" until queried
}

// classify returns the class of a movement and its direction.
func (r *reading) classify(ctx context.Context, l *statement.Line) (class Class, d Direction, err error) {
	m, t := l.Movement, l.Cause
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
				if f.besides, err = r.besides(ctx, l); err != nil {
					return class, d, err
				}
			}
			if one.fits(&f) {
				return one.class, f.direction, nil
			}
		}
	}
	return Unclassified, f.direction, nil
}

// besides returns the role of an account that lost balance in the same place.
func (r *reading) besides(ctx context.Context, l *statement.Line) (string, error) {
	here := place{l.Height, l.Where}
	if r.beside != "" && here == r.at {
		return r.beside, nil
	}
	r.at, r.beside = here, nothing
	for other, err := range r.book.Movements(ctx, ledger.Query{Span: chain.Heights{First: here.height, Last: here.height}}) {
		if err != nil {
			return "", err
		}
		if other.Where != here.where || directionOf(&other.Movement, other.Free, other.Reserved) == In {
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
