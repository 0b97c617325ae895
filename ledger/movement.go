package ledger

import (
	"cmp"
	"context"
	"iter"

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

// Place is where the movement is.
func (m *Movement) Place() Place { return Place{m.Height, m.Position} }

// Movements are those that a query asks for.
func (b *Book) Movements(ctx context.Context, q Query) iter.Seq2[*Movement, error] {
	return decoded(ofMoved.rows(ctx, b, q), movements, func(of *rowsOf, r row) (*Movement, error) {
		h := headOf(of.rows[blocks][0])
		c := cells{row: r, columns: tables[movements].columns}
		m := Movement{Height: c.number(), Time: h.time, Final: h.final, Position: int(c.number()), Movement: chain.Movement{
			Where: c.where(), EventIndex: int(c.number()), Event: c.text(), Kind: chain.Kind(c.text()), Account: c.address(),
			Counterparty: c.optionalAddress(), Amount: c.wei(), Free: c.optionalSignedWei(), Reserved: c.optionalSignedWei(),
		}}
		return &m, cmp.Or(h.err, c.err)
	})
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

// Place is where the transfer is.
func (x *Transfer) Place() Place { return Place{x.Height, x.Position} }

// Transfers are the ERC-20 transfers that a query asks for.
func (b *Book) Transfers(ctx context.Context, q Query) iter.Seq2[*Transfer, error] {
	return decoded(ofParty.rows(ctx, b, q), transfers, func(of *rowsOf, r row) (*Transfer, error) {
		h := headOf(of.rows[blocks][0])
		c := cells{row: r, columns: tables[transfers].columns}
		x := Transfer{
			Height: c.number(), Time: h.time, Position: int(c.number()), Extrinsic: int(c.number()),
			Token: c.address(), Sender: c.address(), Recipient: c.address(),
		}
		amount, known := amountCell(&c, chain.ParseTokenAmount).Get()
		x.Amount = want(&c, amount, known)
		return &x, cmp.Or(h.err, c.err)
	})
}
