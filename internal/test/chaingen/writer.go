package chaingen

import (
	"encoding/binary"
	"math/bits"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// writer builds SCALE.
type writer struct{ b []byte }

func (w *writer) raw(bytes ...byte) { w.b = append(w.b, bytes...) }

func (w *writer) u32(n uint64) { w.b = binary.LittleEndian.AppendUint32(w.b, uint32(n)) }

func (w *writer) u64(n uint64) { w.b = binary.LittleEndian.AppendUint64(w.b, n) }

func (w *writer) flag(b bool) {
	if b {
		w.raw(1)
	} else {
		w.raw(0)
	}
}

func (w *writer) compact(n uint64) { w.b = scale.AppendCompact(w.b, n) }

// appendBig appends a compact integer of more than 64 bits.
func appendBig(to []byte, high, low uint64) []byte {
	size := (bits.Len64(high) + 7) / 8
	to = append(to, byte((8+size-4)<<2|3))
	to = binary.LittleEndian.AppendUint64(to, low)
	return append(to, binary.LittleEndian.AppendUint64(nil, high)[:size]...)
}

// blob writes bytes with a length prefix.
func (w *writer) blob(bytes []byte) {
	w.compact(uint64(len(bytes)))
	w.raw(bytes...)
}

func (w *writer) hash(h [32]byte) { w.raw(h[:]...) }

func (w *writer) account(a *account) { w.address(a.address) }

func (w *writer) address(a chain.Address) { w.raw(a.Bytes()...) }

// coins is an amount in thousandths of a coin, or less than 2^64 wei.
type coins struct{ thousandths, wei uint64 }

func wei(n uint64) coins { return coins{wei: n} }

// aFew returns 0.001 to some hundred coins, small amounts more often.
func aFew(r *random) coins {
	return coins{thousandths: 1 + r.below(1<<(4+r.below(16)))}
}

// words returns the amount in wei, of 128 bits.
func (c coins) words() (high, low uint64) {
	high, low = bits.Mul64(c.thousandths, 1_000_000_000_000_000)
	low, carry := bits.Add64(low, c.wei, 0)
	return high + carry, low
}

// coins writes an amount as an integer of 128 bits.
func (w *writer) coins(amount coins) {
	high, low := amount.words()
	w.u64(low)
	w.u64(high)
}

// compactCoins writes an amount as a compact integer.
func (w *writer) compactCoins(amount coins) {
	high, low := amount.words()
	if high == 0 {
		w.compact(low)
		return
	}
	w.b = appendBig(w.b, high, low)
}

// u256 writes an amount as an integer of 256 bits.
func (w *writer) u256(amount coins) {
	w.coins(amount)
	w.u64(0)
	w.u64(0)
}

// events are a block's events, as in System.Events.
type events struct {
	writer
	runtime *runtime
	count   uint64
	phase   []byte
	weights weights
	*changing
}

// countSize is the space reserved for the number of events, before them.
const countSize = 4

func newEvents(r *runtime, c *changing) *events {
	return &events{writer: writer{make([]byte, countSize, usualEvents)}, runtime: r, phase: make([]byte, 0, 8), changing: c}
}

// list inserts the number of the events before them.
func (e *events) list() []byte {
	var room [countSize]byte
	count := scale.AppendCompact(room[:0], e.count)
	list := e.b[countSize-len(count):]
	copy(list, count)
	return list
}

// during sets the phase of the following events: that of an extrinsic, or one below.
func (e *events) during(phase byte, extrinsic ...uint64) {
	e.phase = append(e.phase[:0], phase)
	for _, i := range extrinsic {
		e.phase = binary.LittleEndian.AppendUint32(e.phase, uint32(i))
	}
}

// The phases of a block.
const (
	applying byte = iota
	finalizing
	initializing
)

// event starts an event; its values follow, and then end.
func (e *events) event(name string) {
	e.count++
	i := index(e.runtime.events, name)
	e.raw(e.phase...)
	e.raw(i[:]...)
}

// end ends an event, which has no topics.
func (e *events) end() { e.raw(0) }

// empty writes an event without values.
func (e *events) empty(name string) {
	e.event(name)
	e.end()
}

// balance writes an event with an account and an amount.
func (e *events) balance(name string, a *account, amount coins) {
	e.event(name)
	e.account(a)
	e.coins(amount)
	e.end()
	e.record(name, a, amount)
}

// on writes an event with only an account.
func (e *events) on(name string, a *account) {
	e.event(name)
	e.account(a)
	e.end()
}

// move writes the events of a transfer, with those of a new account if it is one.
func (e *events) move(from, to *account, amount coins, isNew bool) {
	if isNew {
		e.on("System.NewAccount", to)
		e.balance("Balances.Endowed", to, amount)
	}
	e.event("Balances.Transfer")
	e.account(from)
	e.account(to)
	e.coins(amount)
	e.end()
	e.transfer(from, to, amount)
}

// class is the dispatch class of an extrinsic.
type class byte

const (
	normal class = iota
	operational
	mandatory
	classCount
)

// weights are the weights that the chain counts for a block, by class: System.BlockWeight.
type weights [classCount]struct{ refTime, proofSize uint64 }

// info writes dispatch information, and counts the weight.
func (e *events) info(refTime, proofSize uint64, of class, pays bool) {
	e.weights[of].refTime += refTime
	e.weights[of].proofSize += proofSize
	e.compact(refTime)
	e.compact(proofSize)
	e.raw(byte(of))
	e.flag(!pays) // Pays::Yes is 0
}

// succeeded writes a successful outcome, and failed a failed one.
func (e *events) succeeded(refTime, proofSize uint64, of class, pays bool) {
	e.event("System.ExtrinsicSuccess")
	e.info(refTime, proofSize, of, pays)
	e.end()
}

func (e *events) failed(refTime, proofSize uint64, of class, pays bool) {
	e.event("System.ExtrinsicFailed")
	e.raw(insufficient...)
	e.info(refTime, proofSize, of, pays)
	e.end()
}

// insufficient is the error of an account with less than the amount to move: Module{10, 2}.
var insufficient = []byte{3, 10, 2, 0, 0, 0}
