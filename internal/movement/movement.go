// Package movement reads movements of native balances from a block's events: each event of the balances pallet makes
// movements according to one table (rules.go).
package movement

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
)

// Movement is a change of one account's native balance, as stated by an event. An event that moves an amount between
// two accounts makes two movements.
type Movement struct {
	Where        Where
	EventIndex   int    // index among the events of Where, from 0
	Event        string // "balances.Transfer"
	Kind         Kind
	Account      chain.Address
	Counterparty chain.Optional[chain.Address] // the other account, if the event names two
	Amount       chain.Wei                     // as in the event: the amount moved, or the new balance
	// Free and Reserved are the changes of the account's balances. A change that the event does not state is unknown,
	// not 0.
	Free     chain.Optional[chain.SignedWei]
	Reserved chain.Optional[chain.SignedWei]
	// Reason is that of the hold which the event placed, moved or ended. An event about free balances or reserves has
	// none, and in some runtimes it is not readable.
	Reason chain.Optional[chain.HoldReason]
}

// Known reports whether the event states both changes.
func (m *Movement) Known() bool { return m.Free.Known() && m.Reserved.Known() }

// Kind classifies a movement from the account's point of view.
type Kind string

// The kinds of movements. The comments state what an event leaves open.
const (
	KindDeposit     Kind = "deposit"      // free grew: a fee's refund or credit, a reward
	KindWithdrawal  Kind = "withdrawal"   // free shrank: a fee
	KindTransferOut Kind = "transfer-out" // to the counterparty
	// KindTransferIn is an amount from the counterparty. For a TransferOnHold it is unknown whether it arrived free or
	// reserved, unless the pallet that held it always moves it to the free balance.
	KindTransferIn  Kind = "transfer-in"
	KindReserve     Kind = "reserve"     // from free to reserved
	KindUnreserve   Kind = "unreserve"   // from reserved to free
	KindMint        Kind = "mint"        // free grew, and the issuance with it
	KindBurn        Kind = "burn"        // free, or what was held, shrank, and the issuance with it
	KindSuspension  Kind = "suspension"  // free shrank; it can be restored
	KindRestoration Kind = "restoration" // free grew by what was suspended
	KindDust        Kind = "dust"        // free was too little to keep the account, and was removed
	// KindSlash is an amount taken from free or reserved; which one is unknown. The runtime emits the same event for
	// both, and before holds existed also for a part of each. For a named reserve it emits the event twice.
	KindSlash Kind = "slash"
	// KindFreeSet and KindReservedSet state the new balance as the amount. The change requires the previous balance.
	KindFreeSet     Kind = "free-set"
	KindReservedSet Kind = "reserved-set"
	// KindDepositPassedOut is a deposit that the account had paid, and the counterparty got back: it changes no balance of the
	// account. Events do not state it; see package deposits.
	KindDepositPassedOut Kind = "deposit-passed-out"
	// KindDepositPassedIn is the same for the counterparty, which another movement credits with the amount.
	KindDepositPassedIn Kind = "deposit-passed-in"
	// KindDepositUnmatchedIn is a deposit that the account got back, and whose payer is not known: mostly, the ledger does not
	// contain the transaction that took it. KindDepositUnmatchedOut is the same for the account that held it. Other movements
	// change the balances of both.
	KindDepositUnmatchedIn  Kind = "deposit-unmatched-in"
	KindDepositUnmatchedOut Kind = "deposit-unmatched-out"
)

// Where is the phase of a block in which an event was emitted: a hook, or the extrinsic with that index. Its order is
// the order of the chain's events.
type Where int

// The hooks.
const (
	OnInitialize = Where(chain.OnInitialize)
	OnFinalize   = Where(chain.OnFinalize)
)

// Extrinsic returns the index of the extrinsic; ok is false for a hook.
func (w Where) Extrinsic() (index int, ok bool) {
	if w == OnInitialize || w == OnFinalize {
		return 0, false
	}
	return int(w), true
}

// In formats the position in a block: "25-7", or for a hook "25-onInitialize".
func (w Where) In(height uint64) string {
	if index, ok := w.Extrinsic(); ok {
		return fmt.Sprintf("%d-%d", height, index)
	}
	return fmt.Sprintf("%d-%v", height, w)
}

// Words formats the position in a block for people: "25-7", or for a hook "25, start of the block".
func (w Where) Words(height uint64) string {
	if words := HookWords(w.String()); words != "" {
		return fmt.Sprintf("%d, %s", height, words)
	}
	return w.In(height)
}

// HookWords returns the words for a hook, what the chain does by itself in a block; "" if it is none.
func HookWords(hook string) string {
	switch hook {
	case OnInitialize.String():
		return "start of the block"
	case OnFinalize.String():
		return "end of the block"
	}
	return ""
}

// String returns "onInitialize", "extrinsic 3" or "onFinalize".
func (w Where) String() string {
	switch w {
	case OnInitialize:
		return "onInitialize"
	case OnFinalize:
		return "onFinalize"
	}
	return fmt.Sprintf("extrinsic %d", int(w))
}

// Unclassified is an event of the balances pallet whose effect is unknown: the error is ErrUnknownEvent, or states
// what is wrong with its data.
type Unclassified struct {
	Where      Where
	EventIndex int    // index among the events of Where, from 0
	Event      string // "balances." and the name, as the gateway wrote it
	Data       string // as reported by the source
	Err        error
}

// ErrUnknownEvent reports an event without a rule.
var ErrUnknownEvent = errors.New("unknown event")

// Of returns the movements of a block's events, in chain order, and the balances events that it could not read. An event
// yields all of its movements or none. The chain's accounts have size bytes: an event that names another is not read.
//
// The balances pallet does not report every change. A balance can change without a movement
//   - before runtime 1201, whose runtimes withdraw and deposit (fees, rewards)
//     without an event;
//   - by a hold, before events about holds existed, and by a hold's slash. Such a hold moves an amount between the
//     free and the reserved balance (Kusama Asset Hub 2000002: revive.map_account);
//   - by a migration or by root, which write to storage directly.
//
// Checking opening + movements = closing reveals that; see [After].
//
// Source: pallet balances (Event, impl_currency.rs, impl_fungible.rs) of substrate
// and of polkadot-sdk, whose pull request 7250 added the events about holds.
func Of(b *chain.Block, size int) (movements []Movement, unclassified []Unclassified) {
	Each(b, size, func(m *Movement) { movements = append(movements, *m) },
		func(u Unclassified) { unclassified = append(unclassified, u) })
	return movements, unclassified
}

// Each calls the functions with what [Of] returns, in its order. A movement is valid only until the function returns.
func Each(b *chain.Block, size int, movement func(*Movement), unclassified func(Unclassified)) {
	r := reader{block: b, size: size, movement: movement, unclassified: unclassified}
	r.read(OnInitialize, b.OnInitialize)
	for i := range b.Extrinsics {
		r.read(Where(b.Extrinsics[i].Index), b.Extrinsics[i].Events)
	}
	r.read(OnFinalize, b.OnFinalize)
}

type reader struct {
	block        *chain.Block
	size         int // of an account, in bytes
	movement     func(*Movement)
	unclassified func(Unclassified)
	legs         []Movement // of the current event
}

func (r *reader) read(where Where, events []chain.Event) {
	for i := range events {
		e := &events[i]
		if e.Pallet != "balances" || movesNothing[e.Name] {
			continue
		}
		var err error
		if r.legs, err = addLegs(r.legs[:0], e, r.size); err != nil {
			data, noData := r.block.EventData(chain.EventList(where), i)
			if noData != nil {
				err = fmt.Errorf("%w; its data cannot be shown: %w", err, noData)
			}
			r.unclassified(Unclassified{where, i, "balances." + e.Name, data, err})
			continue
		}
		for j := range r.legs {
			m := &r.legs[j]
			m.Where, m.EventIndex, m.Event = where, i, eventNames[e.Name]
			r.movement(m)
		}
	}
}

// addLegs appends the movements of a balances event, between accounts of size bytes, to a list.
func addLegs(list []Movement, e *chain.Event, size int) ([]Movement, error) {
	rule, err := ruleOf(e)
	if err != nil {
		return list, err
	}
	reason := rule.reason(e)
	for _, leg := range rule.legs {
		m := Movement{Kind: leg.kind, Reason: reason}
		if m.Account, err = rule.address(e, leg.account, size); err != nil {
			return list, err
		}
		if leg.counterparty != "" {
			other, err := rule.address(e, leg.counterparty, size)
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
