package chaingen

import (
	"encoding/binary"
	"slices"

	"github.com/feeledger/fees/chain"
)

// native is a signed native transaction with all that is written of it.
type native struct {
	*transaction
	signer    *account
	nonce     uint64
	split     *split
	transfers []transfer
	details   details
	fee, tip  uint64 // in wei; the fee without the tip
}

type transfer struct {
	to     *account
	amount coins
	isNew  bool
	keep   bool // transferKeepAlive
}

// tooMuch is more than anybody has: a billion coins.
var tooMuch = coins{thousandths: 1_000_000_000_000}

var deposit = coins{thousandths: 10_290} // for the first proxy

// native makes up what is not drawn yet of the block's transaction at an index. Its fee depends
// on its length: it is charged when it is encoded.
func (c *Chain) native(height uint64, index int, t *transaction, signer *account, nonce uint64, s *split) *native {
	r := &t.random
	n := &native{transaction: t, signer: signer, nonce: nonce, split: s}
	switch t.kind {
	case nativeTransfer, failedTransfer:
		n.transfers = make([]transfer, 1)
	case batch, failedBatch:
		n.transfers = make([]transfer, r.between(2, 4))
	case interruptedBatch:
		n.transfers = make([]transfer, 3)
	}
	for i := range n.transfers {
		n.transfers[i] = transfer{to: c.another(r, height, signer), amount: aFew(r), keep: r.oneIn(2)}
	}
	if len(n.transfers) > 0 {
		switch t.kind {
		case failedTransfer, failedBatch:
			n.transfers[len(n.transfers)-1].amount = tooMuch
		case interruptedBatch:
			n.transfers[1].amount = tooMuch
		default:
			if r.oneIn(4) {
				n.transfers[0].to, n.transfers[0].isNew = c.account(coldID(height, uint64(index))), true
			}
		}
	}
	if r.oneIn(5) {
		n.tip = 1 + r.below(100_000_000_000_000_000)
	}
	n.details = details{r.word(), r.below(900)}
	return n
}

// charge works the fee out, given how long the extrinsic is and the multiplier.
func (n *native) charge(length, multiplier uint64) { n.fee = nativeFee(n.refTime, length, multiplier) }

// The figures of runtimes 2302 to 2600 (network/tables/moonbeam.json).
const (
	weightFee    = 5_000_000   // wei for one picosecond
	nativeWeight = 250_000_000 // of an empty extrinsic
	lengthLinear = 100_000_000_000
	lengthCubic  = 100
	allowsDeath  = 2400 // the first, here, that calls it transferAllowDeath
	firstMints   = SecondRuntime
)

// nativeFee is what weight and length cost, without the tip.
func nativeFee(refTime, length, multiplier uint64) uint64 {
	return nativeWeight*weightFee + length*lengthLinear + length*length*length*lengthCubic +
		mul(multiplier, (refTime-nativeWeight)*weightFee)
}

// failed tells whether its dispatch ended in an error.
func (n *native) failed() bool { return n.kind == failedTransfer || n.kind == failedBatch }

// waived tells whether it pays nothing but its tip.
func (n *native) waived() bool { return n.kind == vote }

// call is what was signed.
func (n *native) call(runtime uint32) string {
	switch n.kind {
	case nativeTransfer, failedTransfer:
		return n.transfers[0].call(runtime)
	case batch, interruptedBatch:
		return "Utility.batch"
	case failedBatch:
		return "Utility.batch_all"
	case remark:
		return "System.remark_with_event"
	case addProxy:
		return "Proxy.add_proxy"
	case removeProxy:
		return "Proxy.remove_proxy"
	}
	return "CouncilCollective.vote"
}

func (t *transfer) call(runtime uint32) string {
	switch {
	case t.keep:
		return "Balances.transfer_keep_alive"
	case runtime >= allowsDeath:
		return "Balances.transfer_allow_death"
	}
	return "Balances.transfer"
}

// immortal is the era of an extrinsic that is valid for ever.
const immortal = 0

// writeCall writes the extrinsic.
func (n *native) writeCall(x *extrinsics, sign func(signer *account, payload []byte) []byte) {
	r := &n.random
	x.begin()
	x.raw(signed)
	x.account(n.signer)
	var signature [65]byte
	r.fill(signature[:64])
	signature[64] = byte(r.below(2))
	at := len(x.b)
	x.raw(signature[:]...)
	extensions := len(x.b)
	x.raw(immortal)
	x.compact(n.nonce)
	x.compact(n.tip)
	call := len(x.b)
	x.call(n.call(x.runtime.version))
	n.writeArgs(x)
	if sign != nil {
		payload := slices.Concat(x.b[call:], x.b[extensions:call])
		copy(x.b[at:], sign(n.signer, binary.LittleEndian.AppendUint32(payload, x.runtime.version)))
	}
	x.end()
}

// details are bytes of which arguments and events tell alike.
type details struct {
	hash  [32]byte
	index uint64
}

// delegate is the proxy's account.
func (d *details) delegate() chain.Address { return chain.Address(d.hash[:20]) }

// anything is the kind of a proxy that may do all.
const anything = 0

func (n *native) writeArgs(x *extrinsics) {
	d := &n.details
	switch n.kind {
	case nativeTransfer, failedTransfer:
		n.transfers[0].writeArgs(x)
	case batch, interruptedBatch, failedBatch:
		x.compact(uint64(len(n.transfers)))
		for i := range n.transfers {
			t := &n.transfers[i]
			x.call(t.call(x.runtime.version))
			t.writeArgs(x)
		}
	case remark:
		x.blob(d.hash[:])
	case addProxy, removeProxy:
		x.address(d.delegate())
		x.raw(anything)
		x.u32(0)
	case vote:
		x.hash(d.hash)
		x.compact(d.index)
		x.flag(true)
	}
}

func (t *transfer) writeArgs(x *extrinsics) {
	x.account(t.to)
	x.compactCoins(t.amount)
}

// writeEvents writes what the chain recorded: what was withdrawn, what happened, what
// was given back, the treasury's parts, and what was paid.
func (n *native) writeEvents(e *events) {
	paid, withdrawn := n.fee+n.tip, n.fee+n.tip
	if n.waived() {
		paid = n.tip
	}
	if n.kind == interruptedBatch { // it weighs less than was thought
		withdrawn += n.fee / 4
	}
	e.balance("Balances.Withdraw", n.signer, wei(withdrawn))
	n.writeMovements(e)
	if withdrawn > paid {
		e.balance("Balances.Deposit", n.signer, wei(withdrawn-paid))
	}
	n.split.write(e, paid-n.tip, n.split.NativeBase)
	if n.split.tips {
		n.split.write(e, n.tip, n.split.NativeTip)
	}
	e.event("TransactionPayment.TransactionFeePaid")
	e.account(n.signer)
	e.coins(wei(paid))
	e.coins(wei(n.tip))
	e.end()
	of, write := normal, (*events).succeeded
	if n.waived() {
		of = operational
	}
	if n.failed() {
		write = (*events).failed
	}
	write(e, n.refTime, proofSize(e.runtime, 1593), of, !n.waived())
}

// writeMovements writes what it did, if it did not fail.
func (n *native) writeMovements(e *events) {
	d := &n.details
	switch n.kind {
	case nativeTransfer:
		n.writeTransfer(e, 0)
	case batch:
		for i := range n.transfers {
			n.writeTransfer(e, i)
			e.empty("Utility.ItemCompleted")
		}
		e.empty("Utility.BatchCompleted")
	case interruptedBatch:
		n.writeTransfer(e, 0)
		e.empty("Utility.ItemCompleted")
		e.event("Utility.BatchInterrupted")
		e.u32(1)
		e.raw(insufficient...)
		e.end()
	case remark:
		e.event("System.Remarked")
		e.account(n.signer)
		e.hash(d.hash)
		e.end()
	case addProxy:
		n.writeProxy(e, "Balances.Reserved", "Proxy.ProxyAdded")
	case removeProxy:
		n.writeProxy(e, "Balances.Unreserved", "Proxy.ProxyRemoved")
	case vote:
		e.event("CouncilCollective.Voted")
		e.account(n.signer)
		e.hash(d.hash)
		e.flag(true)
		e.u32(1)
		e.u32(0)
		e.end()
	}
}

func (n *native) writeTransfer(e *events, i int) {
	t := &n.transfers[i]
	e.move(n.signer, t.to, t.amount, t.isNew)
}

func (n *native) writeProxy(e *events, balance, proxy string) {
	e.balance(balance, n.signer, deposit)
	e.event(proxy)
	e.account(n.signer)
	e.address(n.details.delegate())
	e.raw(anything)
	e.u32(0)
	e.end()
}
