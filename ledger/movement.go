package ledger

import (
	"context"
	"strings"

	"github.com/feeledger/fees/chain"
)

// Movement is a change of an account's native balance as the book has it.
type Movement struct {
	Height   uint64
	Time     chain.Optional[chain.Time] // of the block
	Final    bool                       // the block is
	Position int                        // among the block's movements, in the order of the chain
	chain.Movement
}

var movementColumns = []column{
	{"m.height", integer, fact}, {"b.time_ms", integer, fact}, {"b.final", boolean, state}, {"m.position", integer, fact},
	{"m.place", integer, fact}, {"m.event_index", integer, fact}, {"m.event", text, fact}, {"m.kind", text, judgement}, {"m.account", data, fact},
	{"m.counterparty", data, fact}, {"m.amount", amount, fact}, {"m.free", amount, judgement}, {"m.reserved", amount, judgement},
}

// Movements are those of an account in a span, in the order of the chain.
func (b *Book) Movements(ctx context.Context, account chain.Address, span Span, each func(*Movement) error) error {
	return b.movements(ctx, each, "m.account = ? AND "+within("m"), append([]any{account[:]}, span.bounds()...)...)
}

// AllMovements are those of every account in a span, in the order of the chain.
func (b *Book) AllMovements(ctx context.Context, span Span, each func(*Movement) error) error {
	return b.movements(ctx, each, within("m"), span.bounds()...)
}

func (b *Book) movements(ctx context.Context, each func(*Movement) error, where string, arguments ...any) error {
	query := "SELECT " + strings.Join(names(movementColumns), ", ") +
		" FROM movements m JOIN blocks b ON b.height = m.height WHERE " + where + " ORDER BY m.height, m.position"
	return list(ctx, b.engine, movementColumns, func(r row) error {
		c := cells{row: r, columns: movementColumns}
		m := Movement{Height: c.number(), Time: c.optionalTime(), Final: c.flag(), Position: int(c.number()), Movement: chain.Movement{
			Where: c.where(), EventIndex: int(c.number()), Event: c.text(), Kind: chain.Kind(c.text()), Account: c.address(),
			Counterparty: c.optionalAddress(), Amount: c.wei(), Free: c.optionalSignedWei(), Reserved: c.optionalSignedWei(),
		}}
		if c.err != nil {
			return c.err
		}
		return each(&m)
	}, query, arguments...)
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

var transferColumns = []column{
	{"x.height", integer, fact}, {"b.time_ms", integer, fact}, {"x.position", integer, fact}, {"x.extrinsic", integer, fact},
	{"x.token", data, fact}, {"x.sender", data, fact}, {"x.recipient", data, fact}, {"x.amount", amount, fact},
}

// Transfers are the ERC-20 transfers of a span from or to an account, in the order of
// the chain.
func (b *Book) Transfers(ctx context.Context, account chain.Address, span Span, each func(*Transfer) error) error {
	query := "SELECT " + strings.Join(names(transferColumns), ", ") +
		" FROM transfers x JOIN blocks b ON b.height = x.height WHERE (x.sender = ? OR x.recipient = ?) AND " + within("x") + " ORDER BY x.height, x.position"
	return list(ctx, b.engine, transferColumns, func(r row) error {
		c := cells{row: r, columns: transferColumns}
		x := Transfer{
			Height: c.number(), Time: c.optionalTime(), Position: int(c.number()), Extrinsic: int(c.number()),
			Token: c.address(), Sender: c.address(), Recipient: c.address(),
		}
		amount, known := amountCell(&c, chain.ParseTokenAmount).Get()
		if x.Amount = want(&c, amount, known); c.err != nil {
			return c.err
		}
		return each(&x)
	}, query, append([]any{account[:], account[:]}, span.bounds()...)...)
}
