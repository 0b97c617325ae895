package ledger

import (
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/movement"
)

// Entry is a block as the book has it. It does not change.
type Entry struct {
	content *Content
	row     blockRow
	trusted chain.Optional[chain.Anchor] // by which the block is proved
}

// NewEntry makes an entry of a block and of what was found about it, the pairs of
// blocks included (evidence.Report.Follows and Stored). It is an error where
// the block does not say when it was made, unless it has no transaction, as block 0.
func NewEntry(b *chain.Block, r *evidence.Report) (*Entry, error) {
	switch {
	case b.Number >= maxHeight:
		return nil, fmt.Errorf("block %d: the height is more than a ledger can hold", b.Number)
	case !r.Time.Known() && len(r.Transactions) > 0:
		return nil, fmt.Errorf("block %d: has transactions and no time", b.Number)
	}
	for _, t := range r.Transactions { // who looks for those that nobody is known to have paid for asks totals of those without a fee
		if t.Fee.Known() && !t.Payer.Known() {
			return nil, fmt.Errorf("block %d, extrinsic %d: has a fee, and it is not known who paid", b.Number, t.Index)
		}
	}
	e := &Entry{content: contentOf(b, r)}
	if r.Evidence.Level == evidence.LevelProved {
		e.trusted = chain.Some(r.Evidence.Trusted[0].Anchor)
	}
	c := e.content
	k := &c.known
	for i := range r.Transactions {
		if class, ok := r.Transactions[i].Class.Get(); ok {
			k.Diagnoses = append(k.Diagnoses, diagnosis{r.Transactions[i].Index, class})
		}
	}
	for _, f := range r.Findings {
		k.Findings = append(k.Findings, keptFinding{f.Check, f.Extrinsic, f.Message})
	}
	k.Unanswered = slices.Clone(r.Unanswered)
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("block %d: %w", b.Number, err)
	}
	by := coders.Get().(*coder)
	defer coders.Put(by)
	e.row = blockRow{height: c.Height, time: millis(c.Time), flags: flagsOf(c, k), record: c.record(by)}
	var err error
	if e.row.known, err = k.encoded(); err != nil {
		return nil, fmt.Errorf("block %d: %w", b.Number, err)
	}
	c.Digest = e.row.digest()
	sum := e.row.sumOf(c.Digest)
	e.row.sum = sum[:]
	c.place()
	return e, nil
}

// longestCall is how long the name of a call may be, in bytes.
const longestCall = 1_000

// check sees that the transactions can be looked up, and added to totals: what could never be stays
// out of the book.
func (e *Entry) check() error {
	for i := range e.content.Transactions {
		switch c := &e.content.Transactions[i].Cost; {
		case len(c.Call) > longestCall:
			return fmt.Errorf("extrinsic %d: the name of its call is %d bytes long", c.Index, len(c.Call))
		case c.Index >= 1<<extrinsicBits:
			return fmt.Errorf("extrinsic %d: a block has more than a ledger can hold", c.Index)
		}
	}
	return e.content.sumUp()
}

// Height is that of the block.
func (e *Entry) Height() uint64 { return e.row.height }

// Hash is that of the block.
func (e *Entry) Hash() chain.Hash { return e.content.Hash }

// ParentHash is that of the block before.
func (e *Entry) ParentHash() chain.Hash { return e.content.ParentHash }

// Digest is the SHA-256 of the block's record: of what the chain recorded and the rules make of it,
// and not of how well it is known.
func (e *Entry) Digest() Digest { return e.content.Digest }

// Encoded is how many bytes the record has.
func (e *Entry) Encoded() uint64 { return uint64(len(e.row.record)) }

// Final tells whether the block can no longer be replaced by another.
func (e *Entry) Final() bool { return e.content.Final }

// Trusted is the block that proves it; not known where none does.
func (e *Entry) Trusted() chain.Optional[chain.Anchor] { return e.trusted }

// Size is about how many bytes the entry takes in memory.
func (e *Entry) Size() int {
	const transaction, movement = 1_200, 400
	return (len(e.row.record)+len(e.row.known))*2 + len(e.content.Transactions)*transaction + (len(e.content.Movements)+len(e.content.Transfers))*movement
}

// contentOf is what the book has of a block.
func contentOf(b *chain.Block, r *evidence.Report) *Content {
	final, known := r.Finalized.Get()
	c := &Content{Block: &Block{
		Height: r.Number, Hash: r.Hash, ParentHash: r.ParentHash, Time: r.Time, Runtime: r.Runtime, Rules: clean(r.Rules), Certain: r.Proved(),
		BaseFeePerGas: r.BaseFeePerGas, Inherents: uint64(r.Totals.Inherents), Final: final || !known,
	}}
	if m, ok := r.Multiplier.Get(); ok {
		c.MultiplierAt, c.Multiplier = chain.Some(m.At), chain.Some(m.Value)
	}
	c.Transactions = make([]Transaction, len(r.Transactions))
	for i := range r.Transactions {
		x := &r.Transactions[i]
		t := &c.Transactions[i]
		*t = Transaction{
			Cost: Cost{
				Index: x.Index, Layer: x.Layer, Type: string(or(x.Type)), Call: clean(x.Call), // which is a part of a key
				Recipient: x.To, Payer: x.Payer, GasPrice: x.GasPrice, Gas: x.Gas, Fee: x.Fee, PriorityFee: x.PriorityFee, Tip: x.Tip,
				Outcome: or(x.Outcome), Charged: x.Charged, Verdict: verdict(x), Burned: x.Burned, Treasury: x.Treasury, Author: x.Author,
			},
			Hash: x.Hash, EVMHash: x.EVMHash, Sender: x.From, Nonce: x.Nonce, Weight: x.Weight, Method: string(or(x.Method)),
			Success: x.Success, Status: or(x.Status), Drift: x.Drift,
		}
		if x.Error != nil {
			t.Error = x.Error.Error()
		}
		for _, m := range x.Transfers {
			c.Transfers = append(c.Transfers, Transfer{Extrinsic: x.Index, Token: m.Token, Sender: m.From, Recipient: m.To, Amount: m.Amount})
		}
	}
	movement.Each(b, func(m *movement.Movement) {
		c.Movements = append(c.Movements, Movement{Movement: *m})
	}, func(u movement.Unclassified) {
		c.Unclassified = append(c.Unclassified, Unclassified{Where: u.Where, EventIndex: u.EventIndex, Event: u.Event, Data: u.Data.Raw(), Reason: u.Err.Error()})
	})
	return c
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
