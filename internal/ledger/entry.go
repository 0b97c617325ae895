package ledger

import (
	"fmt"
	"slices"
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/movement"
)

// Entry is an immutable block ready to be stored.
type Entry struct {
	content  *Content
	row      blockRow
	provedBy chain.Optional[evidence.Checkpoint]
	// accountSize is the number of bytes of the chain's accounts.
	accountSize int
}

// NewEntry creates an entry from a block and its report, including the checks between neighbouring blocks
// (evidence.Report.Follows and Stored). It returns an error if the block has transactions but no time;
// only a block like block 0 may lack a time.
func NewEntry(b *chain.Block, r *evidence.Report) (*Entry, error) {
	switch {
	case b.Number >= maxHeight:
		return nil, fmt.Errorf("block %d exceeds the greatest height that a ledger can store", b.Number)
	case !r.Time.Known() && len(r.Transactions) > 0:
		return nil, fmt.Errorf("block %d has transactions but no time", b.Number)
	}
	for _, t := range r.Transactions { // WithoutPayer relies on this: it looks only where a fee is undetermined
		if t.Fee.Known() && !t.Payer.Known() {
			return nil, fmt.Errorf("block %d, extrinsic %d has a fee but no known payer", b.Number, t.Index)
		}
	}
	e := &Entry{content: contentOf(b, r), accountSize: r.AccountSize()}
	if r.Evidence.Level.Proves() {
		e.provedBy = chain.Some(r.Evidence.Trusted[0].Checkpoint)
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
	e.row = blockRow{height: c.Height, time: c.Time, flags: flagsOf(c, k), record: c.record(by)}
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

// maxCallName is the maximum length of a call's name, in bytes.
const maxCallName = 1_000

// check checks that the transactions can be indexed and added to totals, so that impossible values are
// never stored.
func (e *Entry) check() error {
	for i := range e.content.Transactions {
		switch c := &e.content.Transactions[i].Cost; {
		case len(c.Call) > maxCallName:
			return fmt.Errorf("extrinsic %d: the name of its call is too long (%d bytes)", c.Index, len(c.Call))
		case c.Index >= 1<<extrinsicBits:
			return fmt.Errorf("extrinsic %d: the index exceeds what a ledger can store", c.Index)
		}
	}
	return e.content.sumUp()
}

// Height returns the block's height.
func (e *Entry) Height() uint64 { return e.row.height }

// Hash returns the block's hash.
func (e *Entry) Hash() chain.Hash { return e.content.Hash }

// ParentHash returns the parent block's hash.
func (e *Entry) ParentHash() chain.Hash { return e.content.ParentHash }

// Digest returns the SHA-256 of the block's record, which covers what the chain recorded and what the
// rules make of it, but not the evidence.
func (e *Entry) Digest() Digest { return e.content.Digest }

// Encoded returns the size of the record in bytes.
func (e *Entry) Encoded() uint64 { return uint64(len(e.row.record)) }

// Final reports whether the block can no longer be replaced, as far as the source says.
func (e *Entry) Final() bool { return e.content.Final }

// ProvedBy returns the checkpoint that proves the block, if one does.
func (e *Entry) ProvedBy() chain.Optional[evidence.Checkpoint] { return e.provedBy }

// Size returns the approximate size of the entry in memory, in bytes.
func (e *Entry) Size() int {
	const transaction, movement = 1_200, 400
	return (len(e.row.record)+len(e.row.known))*2 + len(e.content.Transactions)*transaction + (len(e.content.Movements)+len(e.content.Transfers))*movement
}

// contentOf returns what the ledger stores of a block.
func contentOf(b *chain.Block, r *evidence.Report) *Content {
	c := &Content{Block: &Block{
		Height: r.Number, Hash: r.Hash, ParentHash: r.ParentHash, Time: r.Time, Runtime: r.Runtime, Rules: clean(r.Rules), Certain: r.Proved(),
		BaseFeePerGas: r.BaseFeePerGas, Inherents: uint64(r.Totals.Inherents), Final: or(r.Finalized),
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
				Index: x.Index,
				Kind:  Kind{Layer: x.Layer, Type: string(or(x.Type)), Call: clean(x.Call), Recipient: x.To, Outcome: or(x.Outcome)}, // the call is part of a key
				Payer: x.Payer, GasPrice: x.GasPrice, Gas: x.Gas, Fee: x.Fee, PriorityFee: x.PriorityFee, Tip: x.Tip,
				Charged: x.Charged, Verdict: verdict(x), Burned: x.Burned, Treasury: x.Treasury, Author: x.Author,
			},
			Hash: x.Hash, EVMHash: x.EVMHash, Sender: x.From, Nonce: x.Nonce, Weight: x.Weight, Method: string(or(x.Method)),
			Success: x.Success, Status: or(x.Status), Drift: x.Drift,
		}
		if x.AssetFee != nil {
			t.AssetFee = *x.AssetFee
			t.AssetFee.Asset = clean(t.AssetFee.Asset)
		}
		if x.Error != nil {
			t.Error = x.Error.Error()
		}
		for _, m := range x.Transfers {
			c.Transfers = append(c.Transfers, Transfer{Extrinsic: x.Index, Token: m.Token, Sender: m.From, Recipient: m.To, Amount: m.Amount})
		}
	}
	list := movements.Get().(*[]Movement)
	defer movements.Put(list)
	movement.Each(b, r.AccountSize(), func(m *movement.Movement) {
		*list = append(*list, Movement{Movement: *m})
	}, func(u movement.Unclassified) {
		c.Unclassified = append(c.Unclassified, Unclassified{Where: u.Where, EventIndex: u.EventIndex, Event: u.Event, Data: u.Data, Reason: u.Err.Error()})
	})
	c.Movements = append(c.Movements, *list...)
	clear(*list) // releases the block
	*list = (*list)[:0]
	return c
}

// movements holds lists for the movements of a block until their number is known.
var movements = sync.Pool{New: func() any { return new([]Movement) }}

// verdict returns the verdict that is sealed. A fee known only from the cash stays cash only, even if the
// source had the encoded extrinsics, from which the formula proves it: seals must not depend on the source.
func verdict(x *evidence.Transaction) evidence.Verdict {
	if method, _ := x.Method.Get(); method == fee.ByCash && or(x.Verdict) == evidence.Match {
		return evidence.CashOnly
	}
	return or(x.Verdict)
}

// or returns a value, or the zero value if it is unknown.
func or[V any](o chain.Optional[V]) V {
	v, _ := o.Get()
	return v
}
