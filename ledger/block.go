package ledger

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
)

// Block is one as the book has it.
type Block struct {
	Height        uint64
	Hash          chain.Hash
	ParentHash    chain.Hash
	Time          chain.Optional[chain.Time]
	Runtime       chain.Optional[uint32]
	Rules         string
	Certain       bool // by the rules, or by the evidence
	BaseFeePerGas chain.Optional[chain.GasPrice]
	EVM, Native   uint64 // transactions
	Inherents     uint64
	Undetermined  uint64
	Fee           chain.Wei
	EVMFee        chain.Wei
	NativeFee     chain.Wei
	Charged       chain.Optional[chain.Wei]
	Burned        chain.Optional[chain.Wei]
	Treasury      chain.Optional[chain.Wei]
	Author        chain.Optional[chain.Wei]
	Final, Sealed bool
}

// Blocks are those of a span, in the order of their heights.
func (b *Book) Blocks(ctx context.Context, span Span, each func(*Block) error) error {
	sealed, err := b.sealing(ctx)
	if err != nil {
		return err
	}
	return b.walk(ctx, nil, span, nil, func(r *rowsOf) error {
		c := cells{row: r.rows[blocks][0], columns: tables[blocks].columns}
		x := Block{Height: c.number(), Hash: c.hash(), ParentHash: c.hash(), Time: c.optionalTime()}
		if version, known := c.optionalNumber(math.MaxUint32).Get(); known {
			x.Runtime = chain.Some(uint32(version))
		}
		x.Rules, x.Certain, x.BaseFeePerGas = c.text(), c.flag(), c.optionalGasPrice()
		c.optionalNumber(math.MaxInt64) // where the multiplier is stored
		c.optionalWei()                 // the multiplier
		x.EVM, x.Native, x.Inherents, x.Undetermined = c.number(), c.number(), c.number(), c.number()
		x.Fee, x.EVMFee, x.NativeFee = c.wei(), c.wei(), c.wei()
		x.Charged, x.Burned, x.Treasury, x.Author = c.optionalWei(), c.optionalWei(), c.optionalWei(), c.optionalWei()
		x.Sealed = x.Height < uint64(sealed)
		final := cells{row: c.row, columns: c.columns, next: finalColumn}
		x.Final = final.flag()
		if err := cmp.Or(c.err, final.err); err != nil {
			return err
		}
		return each(&x)
	})
}

// rowsIn reads the rows of a table that few blocks have rows of, in the order of the chain.
// How many blocks those are, the leaves of all blocks say.
func (b *Book) rowsIn(ctx context.Context, span Span, table int, each func(c *cells) error) error {
	q := b.engine.shared()
	heights, err := heightsBy(ctx, q, "SELECT DISTINCT height FROM "+tables[table].name+" WHERE height >= ? AND height <= ?", span.bounds()...)
	if err != nil {
		return err
	}
	err = b.walkHeights(ctx, q, heights, []int{table}, func(r *rowsOf) error {
		for _, x := range r.rows[table] {
			if err := each(&cells{row: x, columns: tables[table].columns}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.countLeaves(ctx, q, span, table, uint64(len(heights)))
}

// countLeaves wants so many blocks of a span to have a leaf of a table, and no sealed block
// of it to be missing.
func (b *Book) countLeaves(ctx context.Context, q querier, span Span, table int, want uint64) error {
	sealed, err := b.sealed(ctx)
	if err != nil {
		return err
	}
	expected := uint64(0) // blocks, at least
	if s, ok := sealed.Get(); ok && span.First <= s.Last && span.Last >= s.First {
		expected = Span{max(span.First, s.First), min(span.Last, s.Last)}.Blocks()
	}
	var all, have uint64
	err = leafHeads(ctx, q, span, func(there uint16, count uint64) {
		all += count
		if there&(1<<leafOf(table)) != 0 {
			have += count
		}
	})
	if err == nil && (have != want || all < expected) {
		err = fmt.Errorf("%w: table %s: %d blocks of %v have rows, and %d had", ErrDamaged, tables[table].name, want, span, have)
	}
	return b.blamed(ctx, q, table, err)
}

// Findings are the checks that did not hold in a span, in the order of the chain.
func (b *Book) Findings(ctx context.Context, span Span, each func(evidence.Finding) error) error {
	return b.rowsIn(ctx, span, findings, func(c *cells) error {
		f := evidence.Finding{Block: c.number()}
		c.number() // its position
		f.Check = c.text()
		if index, known := c.optionalNumber(math.MaxInt32).Get(); known {
			f.Extrinsic = chain.Some(int(index))
		}
		if f.Message = c.text(); c.err != nil {
			return c.err
		}
		return each(f)
	})
}

// Unclassified is a balances event of which it is not known what it moved.
type Unclassified struct {
	Height     uint64
	Where      chain.Where
	EventIndex int
	Event      string
	Data       string // JSON, as the gateway wrote it
	Reason     string
}

// Unclassified are the balances events of a span that are not understood, in the
// order of the chain.
func (b *Book) Unclassified(ctx context.Context, span Span, each func(*Unclassified) error) error {
	return b.rowsIn(ctx, span, unclassified, func(c *cells) error {
		u := Unclassified{Height: c.number()}
		c.number() // its position
		u.Where, u.EventIndex, u.Event, u.Data, u.Reason = c.where(), int(c.number()), c.text(), c.text(), c.text()
		if c.err != nil {
			return c.err
		}
		return each(&u)
	})
}
