package ledger

import (
	"context"
	"math"
	"strings"

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

var blockColumns = []column{
	{"height", integer, fact}, {"hash", data, fact}, {"parent_hash", data, fact}, {"time_ms", integer, fact}, {"runtime", integer, fact},
	{"rules", text, judgement}, {"certain", boolean, judgement}, {"base_fee_per_gas", amount, judgement}, {"evm", integer, fact},
	{"native", integer, fact}, {"inherents", integer, fact}, {"undetermined", integer, judgement}, {"fee", amount, judgement},
	{"evm_fee", amount, judgement}, {"native_fee", amount, judgement}, {"charged", amount, judgement}, {"burned", amount, judgement},
	{"treasury", amount, judgement}, {"author", amount, judgement}, {"final", boolean, state}, {"seal IS NOT NULL", boolean, state},
}

// Blocks are those of a span, in the order of their heights.
func (b *Book) Blocks(ctx context.Context, span Span, each func(*Block) error) error {
	return list(ctx, b.engine, blockColumns, func(r row) error {
		c := cells{row: r, columns: blockColumns}
		x := Block{Height: c.number(), Hash: c.hash(), ParentHash: c.hash(), Time: c.optionalTime()}
		if version, known := c.optionalNumber(math.MaxUint32).Get(); known {
			x.Runtime = chain.Some(uint32(version))
		}
		x.Rules, x.Certain, x.BaseFeePerGas = c.text(), c.flag(), c.optionalGasPrice()
		x.EVM, x.Native, x.Inherents, x.Undetermined = c.number(), c.number(), c.number(), c.number()
		x.Fee, x.EVMFee, x.NativeFee = c.wei(), c.wei(), c.wei()
		x.Charged, x.Burned, x.Treasury, x.Author = c.optionalWei(), c.optionalWei(), c.optionalWei(), c.optionalWei()
		x.Final, x.Sealed = c.flag(), c.flag()
		if c.err != nil {
			return c.err
		}
		return each(&x)
	}, "SELECT "+strings.Join(names(blockColumns), ", ")+" FROM blocks WHERE height BETWEEN ? AND ? ORDER BY height", span.bounds()...)
}

// Findings are the checks that did not hold in a span, in the order of the chain.
func (b *Book) Findings(ctx context.Context, span Span, each func(evidence.Finding) error) error {
	columns := []column{{"height", integer, fact}, {"check_id", text, judgement}, {"extrinsic", integer, judgement}, {"message", text, judgement}}
	return list(ctx, b.engine, columns, func(r row) error {
		c := cells{row: r, columns: columns}
		f := evidence.Finding{Block: c.number(), Check: c.text()}
		if index, known := c.optionalNumber(math.MaxInt32).Get(); known {
			f.Extrinsic = chain.Some(int(index))
		}
		if f.Message = c.text(); c.err != nil {
			return c.err
		}
		return each(f)
	}, "SELECT height, check_id, extrinsic, message FROM findings WHERE height BETWEEN ? AND ? ORDER BY height, position", span.bounds()...)
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
	columns := tables[unclassified].columns
	return list(ctx, b.engine, columns, func(r row) error {
		c := cells{row: r, columns: columns}
		u := Unclassified{Height: c.number()}
		c.number() // its position
		u.Where, u.EventIndex, u.Event, u.Data, u.Reason = c.where(), int(c.number()), c.text(), c.text(), c.text()
		if c.err != nil {
			return c.err
		}
		return each(&u)
	}, "SELECT "+columnList(columns)+" FROM unclassified WHERE height BETWEEN ? AND ? ORDER BY height, position", span.bounds()...)
}

// BlocksBetween are the heights, from the lowest to the highest, of the blocks whose own
// time is in a period: not before from, and before to. They need not be all of the
// blocks of that span: a block whose time goes backwards is in the period of its time.
// Not known where there is none.
func (b *Book) BlocksBetween(ctx context.Context, from, to chain.Time) (none chain.Optional[Span], err error) {
	var first, last *int64
	_, err = one(ctx, b.engine, []any{&first, &last}, "SELECT min(height), max(height) FROM blocks WHERE time_ms >= ? AND time_ms < ?",
		from.Std().UnixMilli(), to.Std().UnixMilli())
	if err != nil || first == nil {
		return none, err
	}
	return chain.Some(Span{uint64(*first), uint64(*last)}), nil
}
