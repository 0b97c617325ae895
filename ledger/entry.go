package ledger

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
)

// Entry is a block as the book has it: its rows. It does not change.
type Entry struct {
	rows    [tableCount][]row
	sums    []Sums // of the transactions
	leaves  leaves
	digest  Digest
	encoded uint64
}

// errNoTime says that a block has transactions and does not say when it was made,
// so that they belong to no day.
var errNoTime = errors.New("has transactions and no time")

// NewEntry makes an entry of a block and of what was found about it, the pairs of
// blocks included (evidence.Report.Follows and Stored). It is an error where
// the block does not say when it was made, unless it has no transaction, as block 0.
func NewEntry(b *chain.Block, r *evidence.Report) (*Entry, error) {
	switch {
	case b.Number >= math.MaxInt64:
		return nil, fmt.Errorf("block %d: the height is more than a ledger can hold", b.Number)
	case !r.Time.Known() && len(r.Transactions) > 0:
		return nil, fmt.Errorf("block %d: %w", b.Number, errNoTime)
	}
	e := &Entry{}
	height := int64(b.Number)
	e.rows[transactions] = transactionRows(height, r)
	e.rows[movements], e.rows[unclassified] = movementRows(height, b)
	e.rows[transfers] = transferRows(height, r)
	e.rows[diagnoses] = diagnosisRows(height, r)
	e.rows[findings] = findingRows(height, r)
	e.rows[unanswered] = unansweredRows(height, r)
	e.rows[blocks] = []row{blockRow(height, r)}
	for t := range e.rows {
		clean(&tables[t], e.rows[t])
	}
	if err := e.addUp(); err != nil {
		return nil, fmt.Errorf("block %d: %w", b.Number, err)
	}
	e.sumUp()
	return e, nil
}

// sumUp packs the costs and makes the leaves, when all rows are there.
func (e *Entry) sumUp() {
	block := e.rows[blocks][0]
	costs := pack(block, e.rows[transactions])
	e.leaves, e.encoded = leavesOf(layoutNow, &e.rows, costs)
	e.digest = e.leaves.digest()
	block[costsColumn], block[leavesColumn] = costs, e.leaves.encoded()
}

// digestIn is the entry's digest as an earlier layout made it.
func (e *Entry) digestIn(layout byte) Digest {
	if layout == e.leaves.layout {
		return e.digest
	}
	l, _ := leavesOf(layout, &e.rows, e.rows[blocks][0][costsColumn].([]byte))
	return l.digest()
}

// clean makes texts such as both engines take them: each NUL, and each run of bytes
// that are no UTF-8, becomes U+FFFD.
func clean(t *table, rows []row) {
	for i, c := range t.columns {
		if c.kind != text {
			continue
		}
		for _, r := range rows {
			if s, ok := r[i].(string); ok && (strings.Contains(s, "\x00") || !utf8.ValidString(s)) {
				r[i] = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
			}
		}
	}
}

// longestCall is how long the name of a call may be, in bytes: it is part of the
// key of a total, which PostgreSQL bounds.
const longestCall = 1_000

// addUp finds the sums of the transactions. What could never be added to the totals
// stays out of the book.
func (e *Entry) addUp() (err error) {
	for _, r := range e.rows[transactions] {
		if call := r[callColumn].(string); len(call) > longestCall {
			return fmt.Errorf("extrinsic %d: the name of its call is %d bytes long", r[1], len(call))
		}
	}
	if e.sums, err = sumsOfAll(e.rows[transactions]); err != nil {
		return err
	}
	var whole Sums
	for i := range e.sums {
		if err := whole.add(&e.sums[i]); err != nil {
			return fmt.Errorf("extrinsic %v, added to those before it: %w", e.rows[transactions][i][1], err)
		}
	}
	return nil
}

// Height is that of the block.
func (e *Entry) Height() uint64 { return uint64(e.rows[blocks][0][0].(int64)) }

// Hash is that of the block.
func (e *Entry) Hash() chain.Hash { return chain.Hash(e.block("hash").([]byte)) }

// ParentHash is that of the block before.
func (e *Entry) ParentHash() chain.Hash { return chain.Hash(e.block("parent_hash").([]byte)) }

// Digest is the sum of the entry's rows, but for those that say how well it is known.
func (e *Entry) Digest() Digest { return e.digest }

// Encoded is how many bytes the entry has in the encoding that its leaves are of.
func (e *Entry) Encoded() uint64 { return e.encoded }

// Final tells whether the block can no longer be replaced by another.
func (e *Entry) Final() bool { return e.block("final").(bool) }

// Size is about how many bytes the entry takes in memory.
func (e *Entry) Size() int {
	size := len(e.sums) * sumsSize
	for t := range e.rows {
		size += len(e.rows[t]) * len(tables[t].columns) * valueSize
		for _, r := range e.rows[t] {
			for _, v := range r {
				if s, ok := v.(string); ok { // whose length has no bounds
					size += len(s)
				}
			}
		}
	}
	return size
}

// valueSize is about how many bytes a value takes: an interface, and what it
// points to.
const valueSize = 48

// sumsSize is about how many the sums of a transaction take.
const sumsSize = 440

// block is the value of a column of the block's row.
func (e *Entry) block(name string) value { return e.rows[blocks][0][tables[blocks].of(name)] }

func blockRow(height int64, r *evidence.Report) row {
	var at, multiplier, timeMS value
	if m, ok := r.Multiplier.Get(); ok {
		at, multiplier = int64(m.At), m.Value.String()
	}
	if t, ok := r.Time.Get(); ok {
		timeMS = t.Std().UnixMilli()
	}
	var runtime value
	if version, ok := r.Runtime.Get(); ok {
		runtime = int64(version)
	}
	final, known := r.Finalized.Get()
	t := &r.Totals
	return row{
		height, r.Hash[:], r.ParentHash[:], timeMS, runtime, r.Rules, r.Proved(),
		amountValue(r.BaseFeePerGas), at, multiplier,
		int64(t.EVM), int64(t.Native), int64(t.Inherents), int64(t.Undetermined),
		t.Fee.String(), t.EVMFee.String(), t.NativeFee.String(),
		amountValue(t.Charged), amountValue(t.Burned), amountValue(t.Treasury), amountValue(t.Author),
		nil, final || !known, nil,
	}
}

func transactionRows(height int64, r *evidence.Report) []row {
	rows := make([]row, 0, len(r.Transactions))
	for i := range r.Transactions {
		t := &r.Transactions[i]
		var failure value
		if t.Error != nil {
			failure = t.Error.Error()
		}
		rows = append(rows, row{
			height, int64(t.Index), string(t.Layer), textValue(t.Type), t.Call, t.Hash[:], hashValue(t.EVMHash),
			addressValue(t.From), addressValue(t.To), addressValue(t.Payer), amountValue(t.Nonce), amountValue(t.GasPrice), amountValue(t.Gas), amountValue(t.Weight),
			amountValue(t.Fee), textValue(t.Method), amountValue(t.PriorityFee), amountValue(t.Tip), flagValue(t.Success), textValue(t.Outcome), textValue(t.Status), failure,
			amountValue(t.Charged), textValue(t.Verdict), amountValue(t.Drift), amountValue(t.Burned), amountValue(t.Treasury), amountValue(t.Author),
		})
	}
	return rows
}

// movementRows are numbered in the order of the chain.
func movementRows(height int64, b *chain.Block) (known, unknown []row) {
	var at value = height // once for all rows: a block may have some hundred thousand
	chain.EachMovement(b, func(m *chain.Movement) {
		account := m.Account // so that the row does not hold the movement
		amount := m.Amount.String()
		known = append(known, row{
			at, int64(len(known)), int64(m.Where), int64(m.EventIndex), m.Event, string(m.Kind),
			account[:], addressValue(m.Counterparty), amount, changeValue(m.Free, m.Amount, amount), changeValue(m.Reserved, m.Amount, amount),
		})
	}, func(u chain.Unclassified) {
		unknown = append(unknown, row{at, int64(len(unknown)), int64(u.Where), int64(u.EventIndex), u.Event, u.Data.Raw(), u.Err.Error()})
	})
	return known, unknown
}

// changeValue is by how much a balance changed, as a column has it. Most are the amount
// itself, whose text is given, or nothing.
func changeValue(change chain.Optional[chain.SignedWei], amount chain.Wei, text string) value {
	c, known := change.Get()
	switch {
	case !known:
		return nil
	case c == amount.Signed():
		return text
	}
	return c.String()
}

func transferRows(height int64, r *evidence.Report) (rows []row) {
	for i := range r.Transactions {
		t := &r.Transactions[i]
		for _, x := range t.Transfers {
			rows = append(rows, row{height, int64(len(rows)), int64(t.Index), x.Token[:], x.From[:], x.To[:], x.Amount.String()})
		}
	}
	return rows
}

func findingRows(height int64, r *evidence.Report) (rows []row) {
	for i, f := range r.Findings {
		var extrinsic value
		if index, ok := f.Extrinsic.Get(); ok {
			extrinsic = int64(index)
		}
		rows = append(rows, row{height, int64(i), f.Check, extrinsic, f.Message})
	}
	return rows
}

// diagnosisRows say why a fee drifts.
func diagnosisRows(height int64, r *evidence.Report) (rows []row) {
	for i := range r.Transactions {
		if class, ok := r.Transactions[i].Class.Get(); ok {
			rows = append(rows, row{height, int64(r.Transactions[i].Index), string(class)})
		}
	}
	return rows
}

func unansweredRows(height int64, r *evidence.Report) (rows []row) {
	for i, q := range r.Unanswered {
		rows = append(rows, row{height, int64(i), string(q.About), int64(q.At), q.Why})
	}
	return rows
}

// amountValue is a quantity as a column has it.
func amountValue[T fmt.Stringer](o chain.Optional[T]) value {
	if v, ok := o.Get(); ok {
		return v.String()
	}
	return nil
}

// textValue is a text as a column has it.
func textValue[T ~string](o chain.Optional[T]) value {
	if v, ok := o.Get(); ok {
		return string(v)
	}
	return nil
}

func flagValue(o chain.Optional[bool]) value {
	if v, ok := o.Get(); ok {
		return v
	}
	return nil
}

func hashValue(o chain.Optional[chain.Hash]) value {
	if v, ok := o.Get(); ok {
		return v[:]
	}
	return nil
}

func addressValue(o chain.Optional[chain.Address]) value {
	if v, ok := o.Get(); ok {
		return v[:]
	}
	return nil
}
