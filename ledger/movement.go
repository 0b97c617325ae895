package ledger

import (
	"cmp"
	"context"

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

// Movements are those of an account in a span, in the order of the chain.
func (b *Book) Movements(ctx context.Context, account chain.Address, span Span, each func(*Movement) error) error {
	return ofMoved.each(ctx, b, []chain.Address{account}, span, func(of *rowsOf, r row) error { return movement(of.rows[blocks][0], r, each) })
}

// AllMovements are those of every account in a span, in the order of the chain.
func (b *Book) AllMovements(ctx context.Context, span Span, each func(*Movement) error) error {
	return b.walk(ctx, nil, span, []int{movements}, func(r *rowsOf) error {
		for _, m := range r.rows[movements] {
			if err := movement(r.rows[blocks][0], m, each); err != nil {
				return err
			}
		}
		return nil
	})
}

// movement reads a row, and that of its block.
func movement(block, r row, each func(*Movement) error) error {
	h := headOf(block)
	c := cells{row: r, columns: tables[movements].columns}
	m := Movement{Height: c.number(), Time: h.time, Final: h.final, Position: int(c.number()), Movement: chain.Movement{
		Where: c.where(), EventIndex: int(c.number()), Event: c.text(), Kind: chain.Kind(c.text()), Account: c.address(),
		Counterparty: c.optionalAddress(), Amount: c.wei(), Free: c.optionalSignedWei(), Reserved: c.optionalSignedWei(),
	}}
	if err := cmp.Or(h.err, c.err); err != nil {
		return err
	}
	return each(&m)
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

// Transfers are the ERC-20 transfers of a span from or to an account, in the order of
// the chain.
func (b *Book) Transfers(ctx context.Context, account chain.Address, span Span, each func(*Transfer) error) error {
	return ofParty.each(ctx, b, []chain.Address{account}, span, func(of *rowsOf, r row) error {
		h := headOf(of.rows[blocks][0])
		c := cells{row: r, columns: tables[transfers].columns}
		x := Transfer{
			Height: c.number(), Time: h.time, Position: int(c.number()), Extrinsic: int(c.number()),
			Token: c.address(), Sender: c.address(), Recipient: c.address(),
		}
		amount, known := amountCell(&c, chain.ParseTokenAmount).Get()
		x.Amount = want(&c, amount, known)
		if err := cmp.Or(h.err, c.err); err != nil {
			return err
		}
		return each(&x)
	})
}
