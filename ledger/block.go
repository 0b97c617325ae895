package ledger

import (
	"cmp"
	"context"
	"math"
	"slices"

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
// Which blocks those are, both the table and the blocks' leaves say.
func (b *Book) rowsIn(ctx context.Context, span Span, table int, each func(c *cells) error) error {
	q := b.engine.shared()
	heights, err := heightsBy(ctx, q, "SELECT DISTINCT height FROM "+tables[table].name+" WHERE height >= ? AND height <= ?", span.bounds()...)
	if err != nil {
		return err
	}
	sealed, err := b.sealed(ctx)
	if err != nil {
		return err
	}
	for part, err := range portions(ctx, q, span) {
		if err != nil {
			return err
		}
		err = b.leavesIn(ctx, q, part, sealed, func(height uint64, l *leaves) {
			if l.has(leafOf(table)) {
				heights = append(heights, height)
			}
		})
		if err != nil {
			return err
		}
	}
	slices.Sort(heights)
	return b.walkHeights(ctx, slices.Compact(heights), []int{table}, func(r *rowsOf) error {
		for _, x := range r.rows[table] {
			if err := each(&cells{row: x, columns: tables[table].columns}); err != nil {
				return err
			}
		}
		return nil
	})
}

// leavesIn reads the leaves of a portion's blocks.
func (b *Book) leavesIn(ctx context.Context, q querier, span Span, sealed chain.Optional[Span], each func(height uint64, l *leaves)) error {
	present := newPresence(span, sealed)
	columns := []column{{"height", integer, fact}, {"leaves", data, state}}
	err := list(ctx, q, columns, func(r row) error {
		c := cells{row: r, columns: columns}
		height := c.number()
		if c.err != nil {
			return c.err
		}
		if err := present.at(height); err != nil {
			return err
		}
		l, err := readLeaves(r[1])
		if err != nil {
			return damagedBlock(height, blocks, "its leaves: "+err.Error())
		}
		each(height, &l)
		return nil
	}, selectFrom("blocks", columns)+" WHERE height >= ? AND height <= ? ORDER BY height", span.bounds()...)
	if err != nil {
		return err
	}
	return present.ended()
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
