package chaingen

import "github.com/feeledger/fees/chain"

// native is a signed native transaction with all that is written of it.
type native struct {
	*transaction
	signer    *account
	nonce     uint64
	runtime   uint32
	split     *split
	transfers []transfer
	length    uint64 // encoded, in bytes
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

const deposit = "10290000000000000000" // for the first proxy

// native makes up what is not drawn yet of the block's transaction at an index.
func (c *Chain) native(height uint64, index int, t *transaction, signer *account, nonce, multiplier uint64, s *split) *native {
	r := &t.random
	n := &native{transaction: t, signer: signer, nonce: nonce, runtime: c.executedBy(height), split: s}
	switch t.kind {
	case nativeTransfer, failedTransfer:
		n.transfers, n.length = make([]transfer, 1), 142
	case batch, failedBatch:
		n.transfers, n.length = make([]transfer, r.between(2, 4)), 200
	case interruptedBatch:
		n.transfers, n.length = make([]transfer, 3), 200
	default:
		n.length = r.between(110, 300)
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
	n.fee = nativeFee(t.refTime, n.length, multiplier)
	if r.oneIn(5) {
		n.tip = 1 + r.below(100_000_000_000_000_000)
	}
	return n
}

// The figures of runtimes 2302 to 2501 (network/tables/moonbeam.json).
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

// call is the pallet and the name of what was signed.
func (n *native) call() (pallet, name string) {
	switch n.kind {
	case nativeTransfer, failedTransfer:
		return "balances", n.transfers[0].call(n.runtime)
	case batch, interruptedBatch:
		return "utility", "batch"
	case failedBatch:
		return "utility", "batchAll"
	case remark:
		return "system", "remarkWithEvent"
	case addProxy:
		return "proxy", "addProxy"
	case removeProxy:
		return "proxy", "removeProxy"
	}
	return "councilCollective", "vote"
}

func (t *transfer) call(runtime uint32) string {
	switch {
	case t.keep:
		return "transferKeepAlive"
	case runtime >= allowsDeath:
		return "transferAllowDeath"
	}
	return "transfer"
}

// write writes the extrinsic.
func (n *native) write(w *writer) {
	r := &n.random
	w.method(n.call())
	w.key("signature")
	w.open('{')
	w.key("signature")
	var signature [65]byte
	r.fill(signature[:64])
	signature[64] = byte(r.below(2))
	w.hex(signature[:])
	w.key("signer")
	w.text(n.signer.text)
	w.close("}")
	w.key("nonce")
	w.number(n.nonce)
	details := n.details()
	w.key("args")
	n.writeArgs(w, &details)
	w.key("tip")
	w.number(n.tip)
	w.key("hash")
	extrinsic := r.word()
	w.hex(extrinsic[:])
	w.key("info")
	if n.waived() {
		w.raw(`{}`)
	} else {
		w.raw(`{"error":"Fee calculation not supported for this network"}`)
	}
	w.close(`,"era":{"immortalEra":"0x00"},"events":[`)
	n.writeEvents(w, &details)
	w.close(`]`)
	w.key("success")
	w.flag(!n.failed())
	w.key("paysFee")
	w.flag(!n.waived())
	w.close("}")
}

// details are bytes of which arguments and events tell alike.
type details struct {
	hash  [32]byte
	index uint64
}

func (n *native) details() details { return details{n.random.word(), n.random.below(900)} }

// delegate is the proxy's account.
func (d *details) delegate() chain.Address { return chain.Address(d.hash[:20]) }

func (n *native) writeArgs(w *writer, d *details) {
	w.open('{')
	switch n.kind {
	case nativeTransfer, failedTransfer:
		n.transfers[0].writeArgs(w)
	case batch, interruptedBatch, failedBatch:
		w.key("calls")
		w.open('[')
		for i := range n.transfers {
			t := &n.transfers[i]
			w.method("balances", t.call(n.runtime))
			w.key("args")
			w.open('{')
			t.writeArgs(w)
			w.close("}}")
		}
		w.close("]")
	case remark:
		w.key("remark")
		w.hex(d.hash[:])
	case addProxy, removeProxy:
		w.key("delegate")
		w.text(d.delegate().String())
		w.raw(`"proxy_type":"Any","delay":"0"`)
	case vote:
		w.key("proposal")
		w.hex(d.hash[:])
		w.key("index")
		w.number(d.index)
		w.raw(`"approve":true`)
	}
	w.close("}")
}

func (t *transfer) writeArgs(w *writer) {
	w.key("dest")
	w.text(t.to.text)
	w.key("value")
	w.coins(t.amount)
}

// writeEvents writes what the chain recorded: what was withdrawn, what happened, what
// was given back, the treasury's parts, and what was paid.
func (n *native) writeEvents(w *writer, d *details) {
	paid, withdrawn := n.fee+n.tip, n.fee+n.tip
	if n.waived() {
		paid = n.tip
	}
	if n.kind == interruptedBatch { // it weighs less than was thought
		withdrawn += n.fee / 4
	}
	w.balance("Withdraw", n.signer, wei(withdrawn))
	n.writeMovements(w, d)
	if withdrawn > paid {
		w.balance("Deposit", n.signer, wei(withdrawn-paid))
	}
	n.split.write(w, paid-n.tip, n.split.NativeBase)
	if n.split.tips {
		n.split.write(w, n.tip, n.split.NativeTip)
	}
	w.event("transactionPayment", "TransactionFeePaid")
	w.text(n.signer.text)
	w.number(paid)
	w.number(n.tip)
	w.endEvent()
	class, pays := "Normal", "Yes"
	if n.waived() {
		class, pays = "Operational", "No"
	}
	if n.failed() {
		w.event("system", "ExtrinsicFailed")
		w.raw(insufficient)
	} else {
		w.event("system", "ExtrinsicSuccess")
	}
	w.info(n.refTime, proofSize(n.runtime, 3593), class, pays)
	w.endEvent()
}

// insufficient is the error of who has less than is to be moved.
const insufficient = `{"module":{"index":"10","error":"0x02000000"}}`

// writeMovements writes what it did, if it did not fail.
func (n *native) writeMovements(w *writer, d *details) {
	switch n.kind {
	case nativeTransfer:
		n.writeTransfer(w, 0)
	case batch:
		for i := range n.transfers {
			n.writeTransfer(w, i)
			w.raw(itemCompleted)
		}
		w.raw(`{"method":{"pallet":"utility","method":"BatchCompleted"},"data":[]}`)
	case interruptedBatch:
		n.writeTransfer(w, 0)
		w.raw(itemCompleted)
		w.event("utility", "BatchInterrupted")
		w.number(1)
		w.raw(insufficient)
		w.endEvent()
	case remark:
		w.event("system", "Remarked")
		w.text(n.signer.text)
		w.hex(d.hash[:])
		w.endEvent()
	case addProxy:
		n.writeProxy(w, d, "Reserved", "ProxyAdded")
	case removeProxy:
		n.writeProxy(w, d, "Unreserved", "ProxyRemoved")
	case vote:
		w.event("councilCollective", "Voted")
		w.text(n.signer.text)
		w.hex(d.hash[:])
		w.raw(`true,"1","0"`)
		w.endEvent()
	}
}

const itemCompleted = `{"method":{"pallet":"utility","method":"ItemCompleted"},"data":[]}`

func (n *native) writeTransfer(w *writer, i int) {
	t := &n.transfers[i]
	w.move(n.signer, t.to, t.amount, t.isNew)
}

func (n *native) writeProxy(w *writer, d *details, balance, proxy string) {
	w.event("balances", balance)
	w.text(n.signer.text)
	w.text(deposit)
	w.endEvent()
	w.event("proxy", proxy)
	w.text(n.signer.text)
	w.text(d.delegate().String())
	w.raw(`"Any","0"`)
	w.endEvent()
}
