package ledger

import (
	"context"
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
)

// Movement is a change of an account's native balance as stored in the ledger.
type Movement struct {
	Height   uint64
	Time     chain.Optional[chain.Time] // of the block
	Final    bool                       // whether the block is
	Position int                        // among the block's movements, in the order of the chain
	movement.Movement
}

var movementFields = []field[Movement]{
	{"place", fact, func(m *Movement) any { return &m.Where }},
	{"event_index", fact, func(m *Movement) any { return &m.EventIndex }},
	{"event", fact, func(m *Movement) any { return &m.Event }},
	{"kind", judgement, func(m *Movement) any { return (*string)(&m.Kind) }},
	{"account", fact, func(m *Movement) any { return &m.Account }},
	{"counterparty", fact, func(m *Movement) any { return &m.Counterparty }},
	{"amount", fact, func(m *Movement) any { return &m.Amount }},
	{"free", judgement, func(m *Movement) any { return &m.Free }},
	{"reserved", judgement, func(m *Movement) any { return &m.Reserved }},
}

// reasonField follows the other fields in a record with reasons of holds.
var reasonField = field[Movement]{"reason", fact, func(m *Movement) any { return &m.Reason }}

// Place returns the movement's position in the chain.
func (m *Movement) Place() Place { return Place{m.Height, m.Position} }

// Movements returns the movements that match a query. Those of accounts are settled: an Ethereum transaction of pallet
// revive has its fee and each deposit apart; see [movement.SettledAmong].
func (b *Book) Movements(ctx context.Context, q Query) iter.Seq2[*Movement, error] {
	return rowsByAccount(ctx, b, q, hasMoved, allRows, func(c *Content) []*Movement { return pointers(c.Movements, nil) })
}

// MovementsAt returns the movements of accounts in the blocks at some heights, which are in order; see [Book.Movements].
func (b *Book) MovementsAt(ctx context.Context, heights []uint64, accounts []chain.Address) iter.Seq2[*Movement, error] {
	l := byAccounts(accounts, hasMoved)
	blocks := sequence(func(yield func(*Content) bool) error {
		return b.watchDetaching(ctx, func() error { return pass(walkSome(ctx, b, heights, l.decoder(allRows)), yield) })
	})
	return page(Query{Span: everyBlock}, blocks, func(c *Content) []*Movement {
		if _, asked := slices.BinarySearch(heights, c.Height); !asked {
			return nil
		}
		return pointers(c.Movements, nil)
	})
}

// Holds returns the blocks of a span in which an event states the reason of a hold, and some others, in order of height.
func (b *Book) Holds(ctx context.Context, span chain.Heights) iter.Seq2[*Content, error] {
	return sequence(func(yield func(*Content) bool) error {
		for c, err := range walk(ctx, b, nil, span, func(by *coder, r *blockRow) (*Content, error) {
			if r.record[0] != recordExtended {
				return nil, nil
			}
			return r.content(by, allRows)
		}) {
			if err != nil || c != nil && !yield(c) {
				return err
			}
		}
		return nil
	})
}

// Transfer is an ERC-20 transfer as stored in the ledger.
type Transfer struct {
	Height    uint64
	Time      chain.Optional[chain.Time] // of the block
	Position  int                        // among the block's transfers, in the order of the chain
	Extrinsic int
	Token     chain.Address // the contract
	Sender    chain.Address
	Recipient chain.Address
	Amount    chain.TokenAmount
}

var transferFields = []field[Transfer]{
	{"extrinsic", fact, func(x *Transfer) any { return &x.Extrinsic }},
	{"token", fact, func(x *Transfer) any { return &x.Token }},
	{"sender", fact, func(x *Transfer) any { return &x.Sender }},
	{"recipient", fact, func(x *Transfer) any { return &x.Recipient }},
	{"amount", fact, func(x *Transfer) any { return &x.Amount }},
}

// Place returns the transfer's position in the chain.
func (x *Transfer) Place() Place { return Place{x.Height, x.Position} }

// Transfers returns the ERC-20 transfers that match a query.
func (b *Book) Transfers(ctx context.Context, q Query) iter.Seq2[*Transfer, error] {
	return rowsByAccount(ctx, b, q, hasParty, allRows, func(c *Content) []*Transfer { return pointers(c.Transfers, nil) })
}
