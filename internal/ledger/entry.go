package ledger

import (
	"fmt"
	"math"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/movement"
)

// Entry is a block as the book has it: its rows. It does not change.
type Entry struct {
	block   blockRow
	costs   []Cost // of the transactions
	rows    [tableCount][]row
	leaves  leaves
	digest  Digest
	encoded uint64
	trusted chain.Optional[chain.Anchor] // by which the block is proved
}

// NewEntry makes an entry of a block and of what was found about it, the pairs of
// blocks included (evidence.Report.Follows and Stored). It is an error where
// the block does not say when it was made, unless it has no transaction, as block 0.
func NewEntry(b *chain.Block, r *evidence.Report) (*Entry, error) {
	switch {
	case b.Number >= math.MaxInt64:
		return nil, fmt.Errorf("block %d: the height is more than a ledger can hold", b.Number)
	case !r.Time.Known() && len(r.Transactions) > 0:
		return nil, fmt.Errorf("block %d: has transactions and no time", b.Number)
	}
	for _, t := range r.Transactions { // who looks for those that nobody is known to have paid for asks totals of those without a fee
		if t.Fee.Known() && !t.Payer.Known() {
			return nil, fmt.Errorf("block %d, extrinsic %d: has a fee, and it is not known who paid", b.Number, t.Index)
		}
	}
	e := &Entry{block: blockRow{Block: blockOf(r)}}
	if r.Evidence.Level == evidence.LevelProved {
		e.trusted = chain.Some(r.Evidence.Trusted[0].Anchor)
	}
	e.addTransactions(r)
	e.addMovements(b)
	for i, f := range r.Findings {
		f.Block = b.Number
		add(e, findings, findingFields, &Finding{i, f})
	}
	for i, q := range r.Unanswered {
		add(e, unanswered, questionFields, &openQuestion{b.Number, i, q})
	}
	add(e, blocks, blockFields, &e.block)
	if err := e.checkSums(); err != nil {
		return nil, fmt.Errorf("block %d: %w", b.Number, err)
	}
	e.sumUp()
	return e, nil
}

// add adds a row.
func add[T any](e *Entry, table int, fields []field[T], x *T) {
	e.rows[table] = append(e.rows[table], rowOf(fields, x))
}

// sumUp packs the costs and makes the leaves, when all rows are there.
func (e *Entry) sumUp() {
	row := e.rows[blocks][0]
	e.block.costs = pack(row, e.rows[transactions])
	e.leaves, e.encoded = leavesOf(&e.rows, e.block.costs)
	e.digest, e.block.leaves = e.leaves.digest(), e.leaves.encoded()
	row[costsColumn], row[leavesColumn] = []byte(e.block.costs), e.block.leaves
}

// longestCall is how long the name of a call may be, in bytes: it is part of the
// key of a total, which PostgreSQL bounds.
const longestCall = 1_000

// checkSums sees that the transactions can be added to the totals: what could never be stays
// out of the book.
func (e *Entry) checkSums() error {
	var whole Sums
	for i := range e.costs {
		c := &e.costs[i]
		if len(c.Call) > longestCall {
			return fmt.Errorf("extrinsic %d: the name of its call is %d bytes long", c.Index, len(c.Call))
		}
		s, err := SumsOf(c)
		if err == nil {
			err = whole.Add(&s)
		}
		if err != nil {
			return fmt.Errorf("extrinsic %d, added to those before it: %w", c.Index, err)
		}
	}
	return nil
}

// Height is that of the block.
func (e *Entry) Height() uint64 { return e.block.Height }

// Hash is that of the block.
func (e *Entry) Hash() chain.Hash { return e.block.Hash }

// ParentHash is that of the block before.
func (e *Entry) ParentHash() chain.Hash { return e.block.ParentHash }

// Digest is the sum of the entry's rows, but for those that say how well it is known.
func (e *Entry) Digest() Digest { return e.digest }

// Encoded is how many bytes the entry has in the encoding that its leaves are of.
func (e *Entry) Encoded() uint64 { return e.encoded }

// Final tells whether the block can no longer be replaced by another.
func (e *Entry) Final() bool { return e.block.Final }

// Trusted is the block that proves it; not known where none does.
func (e *Entry) Trusted() chain.Optional[chain.Anchor] { return e.trusted }

// Size is about how many bytes the entry takes in memory.
func (e *Entry) Size() int {
	size := len(e.costs)*costSize + int(e.encoded) // the lengths of texts are in what is encoded
	for t := range e.rows {
		size += len(e.rows[t]) * len(tables[t].columns) * valueSize
	}
	return size
}

// valueSize is about how many bytes a value takes: an interface, and what it
// points to.
const valueSize = 48

// costSize is about how many the cost of a transaction takes.
const costSize = 600

func blockOf(r *evidence.Report) Block {
	final, known := r.Finalized.Get()
	t := &r.Totals
	b := Block{
		Height: r.Number, Hash: r.Hash, ParentHash: r.ParentHash, Time: r.Time, Runtime: r.Runtime, Rules: r.Rules, Certain: r.Proved(),
		BaseFeePerGas: r.BaseFeePerGas, EVM: uint64(t.EVM), Native: uint64(t.Native), Inherents: uint64(t.Inherents), Undetermined: uint64(t.Undetermined),
		Fee: t.Fee, EVMFee: t.EVMFee, NativeFee: t.NativeFee, Charged: t.Charged, Burned: t.Burned, Treasury: t.Treasury, Author: t.Author,
		Final: final || !known,
	}
	if m, ok := r.Multiplier.Get(); ok {
		b.MultiplierAt, b.Multiplier = chain.Some(m.At), chain.Some(m.Value)
	}
	return b
}

// addTransactions adds the rows of the transactions, and of what hangs on them.
func (e *Entry) addTransactions(r *evidence.Report) {
	e.costs = make([]Cost, 0, len(r.Transactions))
	for i := range r.Transactions {
		x := &r.Transactions[i]
		t := Transaction{
			Cost: Cost{
				Height: r.Number, Time: r.Time, Rules: r.Rules, Index: x.Index, Layer: x.Layer, Type: string(or(x.Type)), Call: x.Call,
				Recipient: x.To, Payer: x.Payer, GasPrice: x.GasPrice, Gas: x.Gas, Fee: x.Fee, PriorityFee: x.PriorityFee, Tip: x.Tip,
				Outcome: or(x.Outcome), Charged: x.Charged, Verdict: verdict(x), Burned: x.Burned, Treasury: x.Treasury, Author: x.Author,
			},
			Hash: x.Hash, EVMHash: x.EVMHash, Sender: x.From, Nonce: x.Nonce, Weight: x.Weight, Method: string(or(x.Method)),
			Success: x.Success, Status: or(x.Status), Drift: x.Drift,
		}
		if x.Error != nil {
			t.Error = x.Error.Error()
		}
		e.costs = append(e.costs, t.Cost)
		add(e, transactions, transactionFields, &t)
		for _, m := range x.Transfers {
			add(e, transfers, transferFields, &Transfer{
				Height: r.Number, Position: len(e.rows[transfers]), Extrinsic: x.Index, Token: m.Token, Sender: m.From, Recipient: m.To, Amount: m.Amount,
			})
		}
		if class, ok := x.Class.Get(); ok {
			add(e, diagnoses, diagnosisFields, &diagnosis{r.Number, x.Index, class})
		}
	}
}

// verdict is what a seal has of a fee: one that is known from the cash stays that, also where
// the source had the extrinsics as they are encoded, by which the formula proves it.
func verdict(x *evidence.Transaction) evidence.Verdict {
	if method, _ := x.Method.Get(); method == fee.ByCash && or(x.Verdict) == evidence.Match {
		return evidence.CashOnly
	}
	return or(x.Verdict)
}

// or is a value, and where it is not known the zero one.
func or[V any](o chain.Optional[V]) V {
	v, _ := o.Get()
	return v
}

// addMovements adds the rows of the movements, in the order of the chain.
func (e *Entry) addMovements(b *chain.Block) {
	var row Movement
	movement.Each(b, func(m *movement.Movement) {
		row = Movement{Height: b.Number, Position: len(e.rows[movements]), Movement: *m}
		add(e, movements, movementFields, &row)
	}, func(u movement.Unclassified) {
		add(e, unclassified, unclassifiedFields, &Unclassified{
			b.Number, len(e.rows[unclassified]), u.Where, u.EventIndex, u.Event, u.Data.Raw(), u.Err.Error(),
		})
	})
}
