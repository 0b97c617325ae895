package ledger

import (
	"context"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
)

// Movement is a change of an account's native balance as the book has it.
type Movement struct {
	Height   uint64
	Time     chain.Optional[chain.Time] // of the block
	Final    bool                       // the block is
	Position int                        // among the block's movements, in the order of the chain
	movement.Movement
}

var movementFields = []field[Movement]{
	{name: "height", mark: fact, at: func(m *Movement) any { return &m.Height }},
	{name: "position", mark: fact, at: func(m *Movement) any { return &m.Position }},
	{name: "place", mark: fact, at: func(m *Movement) any { return &m.Where }},
	{name: "event_index", mark: fact, at: func(m *Movement) any { return &m.EventIndex }},
	{name: "event", mark: fact, at: func(m *Movement) any { return (*wordText)(&m.Event) }},
	{name: "kind", mark: judgement, at: func(m *Movement) any { return (*wordText)(&m.Kind) }},
	{name: "account", mark: fact, at: func(m *Movement) any { return &m.Account }},
	{name: "counterparty", mark: fact, at: func(m *Movement) any { return &m.Counterparty }},
	{name: "amount", mark: fact, at: func(m *Movement) any { return &m.Amount }},
	{name: "free", mark: judgement, at: func(m *Movement) any { return &m.Free }},
	{name: "reserved", mark: judgement, at: func(m *Movement) any { return &m.Reserved }},
}

// Place is where the movement is.
func (m *Movement) Place() Place { return Place{m.Height, m.Position} }

// Movements are those that a query asks for.
func (b *Book) Movements(ctx context.Context, q Query) iter.Seq2[*Movement, error] {
	return rowsAs(ofMoved.rows(ctx, b, q), movements, movementFields, func(m *Movement, b *Block) { m.Time, m.Final = b.Time, b.Final })
}

// Transfer is an ERC-20 transfer as the book has it.
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
	{name: "height", mark: fact, at: func(x *Transfer) any { return &x.Height }},
	{name: "position", mark: fact, at: func(x *Transfer) any { return &x.Position }},
	{name: "extrinsic", mark: fact, at: func(x *Transfer) any { return &x.Extrinsic }},
	{name: "token", mark: fact, at: func(x *Transfer) any { return &x.Token }},
	{name: "sender", mark: fact, at: func(x *Transfer) any { return &x.Sender }},
	{name: "recipient", mark: fact, at: func(x *Transfer) any { return &x.Recipient }},
	{name: "amount", mark: fact, at: func(x *Transfer) any { return &x.Amount }},
}

// Place is where the transfer is.
func (x *Transfer) Place() Place { return Place{x.Height, x.Position} }

// Transfers are the ERC-20 transfers that a query asks for.
func (b *Book) Transfers(ctx context.Context, q Query) iter.Seq2[*Transfer, error] {
	return rowsAs(ofParty.rows(ctx, b, q), transfers, transferFields, func(x *Transfer, b *Block) { x.Time = b.Time })
}
