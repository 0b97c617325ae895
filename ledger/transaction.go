package ledger

import (
	"context"
	"math"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/fee"
)

// Transaction is one as the book has it.
type Transaction struct {
	Height    uint64
	Time      chain.Optional[chain.Time] // of the block
	Final     bool                       // the block is
	Sealed    bool                       // the block is
	Rules     string                     // that priced it
	Index     int                        // in the block
	Layer     fee.Layer
	Type      string // of an EVM transaction, else ""
	Call      string
	Hash      chain.Hash
	EVMHash   chain.Optional[chain.Hash]
	Sender    chain.Optional[chain.Address]
	Recipient chain.Optional[chain.Address]
	Payer     chain.Optional[chain.Address]
	GasPrice  chain.Optional[chain.GasPrice]
	Gas       chain.Optional[chain.Wei] // units of gas
	Fee       chain.Optional[chain.Wei]
	Method    string
	// PriorityFee and Tip are parts of Fee.
	PriorityFee chain.Optional[chain.Wei]
	Tip         chain.Optional[chain.Wei]
	Success     chain.Optional[bool]
	Status      string
	Error       string // why the fee is not known
	Charged     chain.Optional[chain.Wei]
	Verdict     evidence.Verdict
	Drift       chain.Optional[chain.SignedWei]
	Class       evidence.Class
	Burned      chain.Optional[chain.Wei]
	Treasury    chain.Optional[chain.Wei]
	Author      chain.Optional[chain.Wei]
}

var transactionColumns = []column{
	{"t.height", integer, fact}, {"b.time_ms", integer, fact}, {"b.final", boolean, state}, {"b.seal IS NOT NULL", boolean, state}, {"b.rules", text, judgement},
	{"t.extrinsic", integer, fact}, {"t.layer", text, fact}, {"t.type", text, fact}, {"t.call", text, fact}, {"t.hash", data, fact},
	{"t.evm_hash", data, fact}, {"t.sender", data, fact}, {"t.recipient", data, fact}, {"t.payer", data, judgement}, {"t.gas_price", amount, judgement},
	{"t.gas", amount, judgement}, {"t.fee", amount, judgement}, {"t.method", text, judgement}, {"t.priority_fee", amount, judgement},
	{"t.tip", amount, judgement}, {"t.success", boolean, fact}, {"t.status", text, fact}, {"t.error", text, judgement},
	{"t.charged", amount, judgement}, {"t.verdict", text, judgement}, {"t.drift", amount, judgement}, {"t.class", text, judgement},
	{"t.burned", amount, judgement}, {"t.treasury", amount, judgement}, {"t.author", amount, judgement},
}

// Transactions are all of a span, in the order of the chain.
func (b *Book) Transactions(ctx context.Context, span Span, each func(*Transaction) error) error {
	return b.transactions(ctx, each, within("t"), span.bounds()...)
}

// Payments are the transactions of a span that an account paid for, in the order of
// the chain.
func (b *Book) Payments(ctx context.Context, account chain.Address, span Span, each func(*Transaction) error) error {
	return b.transactions(ctx, each, "t.payer = ? AND "+within("t"), append([]any{account[:]}, span.bounds()...)...)
}

// WithoutPayer are the transactions of a span of which it is not known who paid for
// them, in the order of the chain.
func (b *Book) WithoutPayer(ctx context.Context, span Span, each func(*Transaction) error) error {
	return b.transactions(ctx, each, "t.payer IS NULL AND "+within("t"), span.bounds()...)
}

// TransactionsByHash are those with a hash, as an EVM transaction or as an extrinsic,
// in the order of the chain. Of extrinsics there may be several: the hash is not
// unique on the chain.
func (b *Book) TransactionsByHash(ctx context.Context, hash chain.Hash, each func(*Transaction) error) error {
	return b.transactions(ctx, each, "t.hash = ? OR t.evm_hash = ?", hash[:], hash[:])
}

// TransactionAt is the one at a place in a block, if there is one.
func (b *Book) TransactionAt(ctx context.Context, height uint64, index int, each func(*Transaction) error) error {
	return b.transactions(ctx, each, "t.height = ? AND t.extrinsic = ?", int64(height), index)
}

func (b *Book) transactions(ctx context.Context, each func(*Transaction) error, where string, arguments ...any) error {
	query := "SELECT " + strings.Join(names(transactionColumns), ", ") +
		" FROM transactions t JOIN blocks b ON b.height = t.height WHERE " + where + " ORDER BY t.height, t.extrinsic"
	return list(ctx, b.engine, transactionColumns, func(r row) error {
		c := cells{row: r, columns: transactionColumns}
		t := Transaction{
			Height: c.number(), Time: c.optionalTime(), Final: c.flag(), Sealed: c.flag(), Rules: c.text(),
			Index: int(c.number()), Layer: fee.Layer(c.text()), Type: c.text(), Call: c.text(), Hash: c.hash(),
			EVMHash: c.optionalHash(), Sender: c.optionalAddress(), Recipient: c.optionalAddress(), Payer: c.optionalAddress(), GasPrice: c.optionalGasPrice(),
			Gas: c.optionalWei(), Fee: c.optionalWei(), Method: c.text(), PriorityFee: c.optionalWei(),
			Tip: c.optionalWei(), Success: c.optionalFlag(), Status: c.text(), Error: c.text(),
			Charged: c.optionalWei(), Verdict: evidence.Verdict(c.text()), Drift: c.optionalSignedWei(), Class: evidence.Class(c.text()),
			Burned: c.optionalWei(), Treasury: c.optionalWei(), Author: c.optionalWei(),
		}
		if c.err != nil {
			return c.err
		}
		return each(&t)
	}, query, arguments...)
}

// within wants the height of a table's row to be in a span. It is not BETWEEN, for which
// SQLite looks an account up by one end of the span alone, or by none, where it joins.
func within(table string) string { return table + ".height >= ? AND " + table + ".height <= ?" }

// bounds are the span's ends as arguments of a query.
func (s Span) bounds() []any { return []any{int64(s.First), int64(min(s.Last, math.MaxInt64))} }
