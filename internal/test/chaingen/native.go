package chaingen

import (
	"encoding/binary"
	"slices"

	"github.com/feeledger/fees/chain"
)

// native is a signed native transaction with everything that is written of it.
type native struct {
	*transaction
	signer    *account
	nonce     uint64
	split     *split
	transfers []transfer
	details   details
	fee, tip  uint64 // in wei; the fee excludes the tip
}

type transfer struct {
	to     *account
	amount coins
	isNew  bool
	keep   bool // transferKeepAlive
}

// tooMuch exceeds every balance: a billion coins.
var tooMuch = coins{thousandths: 1_000_000_000_000}

var deposit = coins{thousandths: 10_290} // for the first proxy

// native generates the remaining values of the block's transaction at an index. Its fee depends on its length:
// it is computed after encoding.
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

// charge computes the fee from the extrinsic's length and the multiplier.
func (n *native) charge(length, multiplier uint64) { n.fee = nativeFee(n.refTime, length, multiplier) }

// The figures of runtimes 2302 to 2600 (network/tables/moonbeam.json).
const (
	weightFee    = 5_000_000   // wei per picosecond
	nativeWeight = 250_000_000 // of an empty extrinsic
	lengthLinear = 100_000_000_000
	lengthCubic  = 100
	allowsDeath  = 2400 // the first runtime here that calls it transferAllowDeath
	firstMints   = SecondRuntime
)

// nativeFee returns the fee of weight and length, without the tip.
func nativeFee(refTime, length, multiplier uint64) uint64 {
	return nativeWeight*weightFee + length*lengthLinear + length*length*length*lengthCubic +
		mul(multiplier, (refTime-nativeWeight)*weightFee)
}

// failed reports whether its dispatch ended in an error.
func (n *native) failed() bool { return n.kind == failedTransfer || n.kind == failedBatch }

// waived reports whether it pays only its tip.
func (n *native) waived() bool { return n.kind == vote }

// call returns the call that was signed.
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

// immortal is the era of an extrinsic without an expiry.
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

// details are bytes shared by arguments and events.
type details struct {
	hash  [32]byte
	index uint64
}

// delegate returns the proxy's account.
func (d *details) delegate() chain.Address { return chain.Address20([20]byte(d.hash[:20])) }

// anything is the proxy type Any.
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

// writeEvents writes the chain's events: the withdrawal, the effects, the refund, the treasury's parts, and
// the payment.
func (n *native) writeEvents(e *events) {
	paid, withdrawn := n.fee+n.tip, n.fee+n.tip
	if n.waived() {
		paid = n.tip
	}
	if n.kind == interruptedBatch { // it weighs less than declared
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

// writeMovements writes its effects, unless it failed.
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
