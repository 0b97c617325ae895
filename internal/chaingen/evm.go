package chaingen

import (
	"math/bits"

	"github.com/feeledger/fees/chain"
)

const chainID = 1284

// The types of transactions, as the gateway names them.
const (
	legacy  = "legacy"
	eip2930 = "eip2930"
	eip1559 = "eip1559"
)

// evmTransaction is an EVM transaction with all that is written of it.
type evmTransaction struct {
	*transaction
	sender *account
	to     *account // the contract, where it creates one
	isNew  bool     // the recipient

	runtime uint32 // that executes it
	split   *split

	typ                                    string
	nonce, gasLimit                        uint64
	gasPrice, maxFeePerGas, maxPriorityFee uint64
	price, baseFee                         uint64 // in wei per gas: what it pays, and the least
	value                                  coins
	input                                  []byte
	access                                 []accessEntry
	protected                              bool // a legacy one that names its chain

	odd  bool // the signature's parity
	r, s [32]byte
	hash chain.Hash

	logs []log
}

type accessEntry struct {
	address chain.Address
	keys    [][32]byte
}

// log is what a contract logged.
type log struct {
	address chain.Address
	topics  [][32]byte
	data    []byte
}

// creates tells whether the transaction creates a contract.
func (t *evmTransaction) creates() bool { return t.kind == creation || t.kind == revertedCreation }

// evm makes up what is not drawn yet of the block's transaction at an index.
func (c *Chain) evm(height uint64, index int, t *transaction, sender *account, nonce, baseFee uint64, s *split) *evmTransaction {
	r := &t.random
	e := &evmTransaction{transaction: t, sender: sender, nonce: nonce, runtime: c.executedBy(height), split: s, baseFee: baseFee}
	e.bid(r)
	e.gasLimit = gasLimit(r, t)
	switch t.kind {
	case coinTransfer:
		e.value = aFew(r)
		if e.isNew = r.oneIn(8); e.isNew {
			e.to = c.account(coldID(height, uint64(index)))
		} else {
			e.to = c.another(r, height, sender)
		}
	case tokenTransfer:
		e.to = c.contract(r)
		c.transferTokens(r, height, e)
	case creation, revertedCreation:
		e.to = c.created(height, index, e)
		e.input = code(r)
		if t.kind == creation && r.oneIn(2) {
			e.logs = []log{transferLog(e.to, chain.Address{}, sender.address, amountWord(r))}
		}
	default:
		e.to = c.contract(r)
		if r.oneIn(5) {
			e.value = aFew(r)
		}
		e.input = callData(r, 1+r.below(8))
		if t.kind == contractCall {
			e.logs = c.callLogs(r, height, e)
		}
	}
	if e.typ == eip2930 || e.typ == eip1559 && r.oneIn(20) {
		e.access = []accessEntry{{address: e.to.address, keys: [][32]byte{r.word(), r.word()}}, {address: e.sender.address}}
	}
	if c.options.Signed {
		c.sign(e)
	} else {
		e.r, e.s, e.odd = r.word(), r.word(), r.oneIn(2)
		e.r[0] &= 0x7f // below the curve's order
		e.s[0] &= 0x7f
		e.hash = r.word()
	}
	return e
}

// another is an account that is not the one given.
func (c *Chain) another(r *random, height uint64, than *account) *account {
	for {
		if a := c.someone(r, height); a != than && a.id != than.id {
			return a
		}
	}
}

const gwei = 1_000_000_000

// bid chooses type and price.
func (e *evmTransaction) bid(r *random) {
	switch n := r.below(100); {
	case n < 30:
		e.typ, e.protected = legacy, !r.oneIn(10)
	case n < 35:
		e.typ = eip2930
	default:
		e.typ = eip1559
		e.maxPriorityFee = [...]uint64{0, 0, gwei, 3 * gwei, r.below(50 * gwei)}[r.below(5)]
		if e.maxFeePerGas = 2*e.baseFee + e.maxPriorityFee; r.oneIn(4) { // capped, where it is less than both
			e.maxFeePerGas = max(e.baseFee+r.below(2*gwei), e.maxPriorityFee)
		}
		e.price = min(e.maxFeePerGas, e.baseFee+e.maxPriorityFee)
		return
	}
	e.gasPrice = e.baseFee + [...]uint64{0, e.baseFee / 10, e.baseFee / 4, r.below(20 * gwei)}[r.below(4)]
	e.price = e.gasPrice
}

// gasLimit is what a wallet asks for: some more than is used.
func gasLimit(r *random, t *transaction) uint64 {
	switch {
	case t.kind == outOfGas, t.kind == coinTransfer && !r.oneIn(4):
		return t.gas
	case r.oneIn(3):
		return (t.gas/50_000 + 1) * 50_000
	}
	return t.gas + t.gas*r.between(5, 60)/100
}

// created is the account of the contract that the transaction creates. Where it is
// not signed, it is nobody's in particular.
func (c *Chain) created(height uint64, index int, e *evmTransaction) *account {
	if c.options.Signed {
		return createdBy(e.sender, e.nonce)
	}
	return c.account(firstCreated + height<<4 + uint64(index))
}

// proofSize is 0 where a weight has one dimension. Where it has two, gas pays for at
// most four bytes of it.
func proofSize(runtime uint32, n uint64) uint64 {
	if runtime < SecondRuntime {
		return 0
	}
	return n
}

// write writes the extrinsic.
func (e *evmTransaction) write(w *writer) {
	w.method("ethereum", "transact")
	w.close(`,"signature":null,"nonce":null,"args":{"transaction":{`)
	w.key(e.typ)
	w.open('{')
	e.writePayload(w)
	w.close(`}}},"tip":null`)
	w.key("hash")
	extrinsic := e.random.word()
	w.hex(extrinsic[:])
	w.close(`,"info":{},"era":{"immortalEra":"0x00"},"events":[`)
	e.writeEvents(w)
	w.close(`],"success":true,"paysFee":false}`)
}

func (e *evmTransaction) writePayload(w *writer) {
	if e.typ != legacy {
		w.key("chainId")
		w.number(chainID)
	}
	w.key("nonce")
	w.number(e.nonce)
	if e.typ == eip1559 {
		w.key("maxPriorityFeePerGas")
		w.number(e.maxPriorityFee)
		w.key("maxFeePerGas")
		w.number(e.maxFeePerGas)
	} else {
		w.key("gasPrice")
		w.number(e.gasPrice)
	}
	w.key("gasLimit")
	w.number(e.gasLimit)
	w.key("action")
	if e.creates() {
		w.raw(`{"create":null}`)
	} else {
		w.open('{')
		w.key("call")
		w.hex(e.to.address[:])
		w.close("}")
	}
	w.key("value")
	w.coins(e.value)
	w.key("input")
	w.hex(e.input)
	if e.typ == legacy {
		w.key("signature")
		w.open('{')
		w.key("v")
		w.number(e.v())
		e.writePoint(w)
		w.close("}")
		return
	}
	w.key("accessList")
	w.open('[')
	for i := range e.access {
		e.access[i].write(w)
	}
	w.close("]")
	w.key("oddYParity")
	w.flag(e.odd)
	e.writePoint(w)
}

// v of a legacy transaction (EIP-155).
func (e *evmTransaction) v() uint64 {
	v := uint64(27)
	if e.protected {
		v = 2*chainID + 35
	}
	if e.odd {
		v++
	}
	return v
}

func (e *evmTransaction) writePoint(w *writer) {
	w.key("r")
	w.hex(e.r[:])
	w.key("s")
	w.hex(e.s[:])
}

func (a *accessEntry) write(w *writer) {
	w.open('{')
	w.key("address")
	w.hex(a.address[:])
	w.key("storageKeys")
	w.open('[')
	for i := range a.keys {
		w.hex(a.keys[i][:])
	}
	w.close("]}")
}

// writeEvents writes what the chain recorded: the hold, what happened, the refund,
// the treasury's parts, the logs and how it ended.
func (e *evmTransaction) writeEvents(w *writer) {
	w.balance("Withdraw", e.sender, wei(times(e.gasLimit, e.price)))
	e.writeMovements(w)
	if unused := e.gasLimit - e.gas; unused > 0 {
		w.balance("Deposit", e.sender, wei(times(unused, e.price)))
	}
	e.split.write(w, times(e.gas, e.baseFee), e.split.EVMBase)
	e.split.write(w, times(e.gas, e.price-e.baseFee), e.split.EVMPriority)
	for i := range e.logs {
		e.logs[i].write(w)
	}
	w.event("ethereum", "Executed")
	w.hex(e.sender.address[:])
	w.hex(e.to.address[:])
	w.hex(e.hash[:])
	w.raw(exits[e.kind])
	w.endEvent()
	w.event("system", "ExtrinsicSuccess")
	w.info(e.refTime, proofSize(e.runtime, e.gas/8), "Normal", "No")
	w.endEvent()
}

// writeMovements writes the coins that it moved, if it did not fail.
func (e *evmTransaction) writeMovements(w *writer) {
	switch e.kind {
	case coinTransfer:
		w.move(e.sender, e.to, e.value, e.isNew)
	case creation:
		w.on("system", "NewAccount", e.to)
	case contractCall:
		if e.value == (coins{}) {
			return
		}
		w.move(e.sender, e.to, e.value, false)
		if e.value.thousandths%4 == 0 { // the contract gives back a quarter
			w.move(e.to, e.sender, coins{thousandths: e.value.thousandths / 4}, false)
		}
	}
}

var exits = [kindCount]string{
	coinTransfer:  `{"succeed":"Stopped"}`,
	tokenTransfer: `{"succeed":"Returned"}`, contractCall: `{"succeed":"Returned"}`, creation: `{"succeed":"Returned"}`,
	reverted: `{"revert":"Reverted"}`, revertedCreation: `{"revert":"Reverted"}`,
	outOfGas: `{"error":{"outOfGas":null}}`,
}

func (l *log) write(w *writer) {
	w.event("evm", "Log")
	w.open('{')
	w.key("address")
	w.hex(l.address[:])
	w.key("topics")
	w.open('[')
	for i := range l.topics {
		w.hex(l.topics[i][:])
	}
	w.close("]")
	w.key("data")
	w.hex(l.data)
	w.close("}")
	w.endEvent()
}

// times is gas × price. It panics above 64 bits: 18 coins, ten times what the
// dearest transaction of the chain can cost.
func times(gas, price uint64) uint64 {
	high, low := bits.Mul64(gas, price)
	if high > 0 {
		panic("chaingen: gas × price has more than 64 bits")
	}
	return low
}
