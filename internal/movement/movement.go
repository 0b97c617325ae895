// Package movement reads what a block's events say of native balances: each event of the
// pallet balances makes movements, by one table (rules.go).
package movement

import (
	"errors"
	"fmt"
	"math"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Movement is a change of one account's native balance, as an event tells it. An
// event that moves an amount from one account to another makes two.
type Movement struct {
	Where        Where
	EventIndex   int    // among the events there, from 0
	Event        string // "balances.Transfer"
	Kind         Kind
	Account      chain.Address
	Counterparty chain.Optional[chain.Address] // the other account, where the event has two
	Amount       chain.Wei                     // as the event has it: what was moved, or set
	// Free and Reserved are by how much the account's balances changed. A change
	// that the event does not tell is not known; it is not 0.
	Free     chain.Optional[chain.SignedWei]
	Reserved chain.Optional[chain.SignedWei]
}

// Known tells whether the event says by how much both balances changed.
func (m *Movement) Known() bool { return m.Free.Known() && m.Reserved.Known() }

// Kind is what a movement was to its account.
type Kind string

// The kinds of movements. Where the event does not tell all of the change, the
// comment says what is missing.
const (
	KindDeposit     Kind = "deposit"      // free grew: a fee's refund or credit, a reward
	KindWithdrawal  Kind = "withdrawal"   // free shrank: a fee
	KindTransferOut Kind = "transfer-out" // to the counterparty
	// KindTransferIn is an amount from the counterparty. Of a TransferOnHold it is
	// not known whether it arrived free or reserved.
	KindTransferIn  Kind = "transfer-in"
	KindReserve     Kind = "reserve"     // from free to reserved
	KindUnreserve   Kind = "unreserve"   // from reserved to free
	KindMint        Kind = "mint"        // free grew, and the issuance with it
	KindBurn        Kind = "burn"        // free, or what was held, shrank, and the issuance with it
	KindSuspension  Kind = "suspension"  // free shrank; it can be restored
	KindRestoration Kind = "restoration" // free grew by what was suspended
	KindDust        Kind = "dust"        // free was too little to keep the account, and was removed
	// KindSlash is an amount taken away, from free or from reserved: not known. The
	// runtime writes the same event for both, and before it had holds for a part of
	// each. A named reserve's slash it writes twice.
	KindSlash Kind = "slash"
	// KindFreeSet and KindReservedSet say what a balance was set to: the amount. The
	// change takes the balance from before.
	KindFreeSet     Kind = "free-set"
	KindReservedSet Kind = "reserved-set"
)

// Where is the part of a block in which an event was emitted: a hook, or the
// extrinsic with that index. It is ordered as the chain's events are.
type Where int

// The hooks.
const (
	OnInitialize Where = -1
	OnFinalize   Where = math.MaxInt32
)

// Extrinsic is the index of the extrinsic, where it is not a hook.
func (w Where) Extrinsic() (index int, ok bool) {
	if w == OnInitialize || w == OnFinalize {
		return 0, false
	}
	return int(w), true
}

// In is the place in a block as people write it: "25-7", or with the hook "25-onInitialize".
func (w Where) In(height uint64) string {
	if index, ok := w.Extrinsic(); ok {
		return fmt.Sprintf("%d-%d", height, index)
	}
	return fmt.Sprintf("%d-%v", height, w)
}

// String is "onInitialize", "extrinsic 3" or "onFinalize".
func (w Where) String() string {
	switch w {
	case OnInitialize:
		return "onInitialize"
	case OnFinalize:
		return "onFinalize"
	}
	return fmt.Sprintf("extrinsic %d", int(w))
}

// Unclassified is an event of the pallet balances of which it is not known what
// it moved: with ErrUnknownEvent, or with what is wrong with its data.
type Unclassified struct {
	Where      Where
	EventIndex int    // among the events there, from 0
	Event      string // "balances." and the name, as the gateway wrote it
	Data       jsonscan.Value
	Err        error
}

// ErrUnknownEvent says that no rule knows an event.
var ErrUnknownEvent = errors.New("unknown event")

// Of lists what the block's events say of native balances, in the order
// of the chain, and beside them the balances events that it could not read. An
// event gives all of its movements or none.
//
// The balances pallet does not tell of every change. A block can have changed a
// balance without a movement
//   - before runtime 1201, whose runtimes withdraw and deposit (fees, rewards)
//     without an event;
//   - by a hold, before there were events about holds, and by a hold's slash;
//   - by a migration or by root, writing the storage.
//
// Opening + movements = closing shows that; see [After].
//
// Source: pallet balances (Event, impl_currency.rs, impl_fungible.rs) of substrate
// and of polkadot-sdk, whose pull request 7250 added the events about holds.
func Of(b *chain.Block) (movements []Movement, unclassified []Unclassified) {
	Each(b, func(m *Movement) { movements = append(movements, *m) },
		func(u Unclassified) { unclassified = append(unclassified, u) })
	return movements, unclassified
}

// Each delivers what [Of] lists, in its order. A movement is good until the
// function that it is given to returns.
func Each(b *chain.Block, movement func(*Movement), unclassified func(Unclassified)) {
	r := reader{movement: movement, unclassified: unclassified}
	r.read(OnInitialize, b.OnInitialize)
	for i := range b.Extrinsics {
		r.read(Where(b.Extrinsics[i].Index), b.Extrinsics[i].Events)
	}
	r.read(OnFinalize, b.OnFinalize)
}

type reader struct {
	movement     func(*Movement)
	unclassified func(Unclassified)
	legs         []Movement // of the event that is read
}

func (r *reader) read(where Where, events []chain.Event) {
	for i := range events {
		e := &events[i]
		if e.Pallet != "balances" || movesNothing[e.Name] {
			continue
		}
		var err error
		if r.legs, err = addLegs(r.legs[:0], e); err != nil {
			r.unclassified(Unclassified{where, i, "balances." + e.Name, e.Data, err})
			continue
		}
		for j := range r.legs {
			m := &r.legs[j]
			m.Where, m.EventIndex, m.Event = where, i, eventNames[e.Name]
			r.movement(m)
		}
	}
}

// addLegs adds the movements that an event of the pallet balances tells of to a list.
func addLegs(list []Movement, e *chain.Event) ([]Movement, error) {
	rule, err := ruleOf(e)
	if err != nil {
		return list, err
	}
	for _, leg := range rule.legs {
		m := Movement{Kind: leg.kind}
		if m.Account, err = rule.address(e, leg.account); err != nil {
			return list, err
		}
		if leg.counterparty != "" {
			other, err := rule.address(e, leg.counterparty)
			if err != nil {
				return list, err
			}
			m.Counterparty = chain.Some(other)
		}
		if m.Amount, err = rule.wei(e, leg.amount); err != nil {
			return list, err
		}
		m.Free, m.Reserved = leg.free.by(m.Amount), leg.reserved.by(m.Amount)
		list = append(list, m)
	}
	return list, nil
}
