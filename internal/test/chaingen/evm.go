package chaingen

import (
	"math/bits"

	"github.com/feeledger/fees/chain"
)

const chainID = 1284

// The types of transactions, with the gateway's names.
const (
	legacy  = "legacy"
	eip2930 = "eip2930"
	eip1559 = "eip1559"
)

// evmTransaction is an EVM transaction with everything that is written of it.
type evmTransaction struct {
	*transaction
	sender *account
	to     *account // the contract, for a creation
	isNew  bool     // the recipient

	split *split

	typ                                    string
	nonce, gasLimit                        uint64
	gasPrice, maxFeePerGas, maxPriorityFee uint64
	price, baseFee                         uint64 // in wei per gas: the price paid, and the minimum
	value                                  coins
	input                                  []byte
	access                                 []accessEntry
	protected                              bool // a legacy one with a chain ID

	odd  bool // the signature's parity
	r, s [32]byte
	hash chain.Hash

	logs []log
}

type accessEntry struct {
	address chain.Address
	keys    [][32]byte
}

// log is a contract log.
type log struct {
	address chain.Address
	topics  [][32]byte
	data    []byte
}

// creates reports whether the transaction creates a contract.
func (t *evmTransaction) creates() bool { return t.kind == creation || t.kind == revertedCreation }

// evm generates the remaining values of the block's transaction at an index.
func (c *Chain) evm(height uint64, index int, t *transaction, sender *account, nonce, baseFee uint64, s *split) *evmTransaction {
	r := &t.random
	e := &evmTransaction{transaction: t, sender: sender, nonce: nonce, split: s, baseFee: baseFee}
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
		e.hash = c.ethereumHash(height, index)
	}
	return e
}

// another returns an account other than the one given.
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
		if e.maxFeePerGas = 2*e.baseFee + e.maxPriorityFee; r.oneIn(4) { // capped, if less than both
			e.maxFeePerGas = max(e.baseFee+r.below(2*gwei), e.maxPriorityFee)
		}
		e.price = min(e.maxFeePerGas, e.baseFee+e.maxPriorityFee)
		return
	}
	e.gasPrice = e.baseFee + [...]uint64{0, e.baseFee / 10, e.baseFee / 4, r.below(20 * gwei)}[r.below(4)]
	e.price = e.gasPrice
}

// gasLimit returns a wallet's gas limit: somewhat more than is used.
func gasLimit(r *random, t *transaction) uint64 {
	switch {
	case t.kind == outOfGas, t.kind == coinTransfer && !r.oneIn(4):
		return t.gas
	case r.oneIn(3):
		return (t.gas/50_000 + 1) * 50_000
	}
	return t.gas + t.gas*r.between(5, 60)/100
}

// created returns the account of the contract that the transaction creates. If unsigned, the address is
// arbitrary.
func (c *Chain) created(height uint64, index int, e *evmTransaction) *account {
	if c.options.Signed {
		return createdBy(e.sender, e.nonce)
	}
	return c.account(firstCreated + height<<4 + uint64(index))
}

// proofSize returns 0 if weights have one dimension. With two, gas pays for at most four bytes of it, so ref
// time is always the fuller dimension.
func proofSize(r *runtime, n uint64) uint64 {
	if r.version < SecondRuntime {
		return 0
	}
	return n
}

// typeNumbers are the numbers of the types of transactions.
var typeNumbers = map[string]byte{legacy: 0, eip2930: 1, eip1559: 2}

// writeCall writes the extrinsic.
func (e *evmTransaction) writeCall(x *extrinsics) {
	x.begin()
	x.raw(unsigned)
	x.call("Ethereum.transact")
	x.raw(typeNumbers[e.typ])
	if e.typ != legacy {
		x.u64(chainID)
	}
	x.u256(wei(e.nonce))
	if e.typ == eip1559 {
		x.u256(wei(e.maxPriorityFee))
		x.u256(wei(e.maxFeePerGas))
	} else {
		x.u256(wei(e.gasPrice))
	}
	x.u256(wei(e.gasLimit))
	if e.creates() {
		x.raw(1)
	} else {
		x.raw(0)
		x.account(e.to)
	}
	x.u256(e.value)
	x.blob(e.input)
	if e.typ == legacy {
		x.u64(e.v())
	} else {
		x.compact(uint64(len(e.access)))
		for i := range e.access {
			e.access[i].write(&x.writer)
		}
		x.flag(e.odd)
	}
	x.hash(e.r)
	x.hash(e.s)
	x.end()
}

// v returns v of a legacy transaction (EIP-155).
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

func (a *accessEntry) write(w *writer) {
	w.address(a.address)
	w.compact(uint64(len(a.keys)))
	for _, key := range a.keys {
		w.hash(key)
	}
}

// writeEvents writes the chain's events: the hold, the effects, the refund, the treasury's parts, the logs and
// the outcome.
func (t *evmTransaction) writeEvents(e *events) {
	e.balance("Balances.Withdraw", t.sender, wei(times(t.gasLimit, t.price)))
	t.writeMovements(e)
	if unused := t.gasLimit - t.gas; unused > 0 {
		e.balance("Balances.Deposit", t.sender, wei(times(unused, t.price)))
	}
	t.split.write(e, times(t.gas, t.baseFee), t.split.EVMBase)
	t.split.write(e, times(t.gas, t.price-t.baseFee), t.split.EVMPriority)
	for i := range t.logs {
		t.logs[i].write(e)
	}
	e.event("Ethereum.Executed")
	e.account(t.sender)
	e.account(t.to)
	e.hash(t.hash)
	e.raw(exits[t.kind]...)
	if e.runtime.extraData {
		e.blob(nil)
	}
	e.end()
	e.succeeded(t.refTime, proofSize(e.runtime, t.gas/8), normal, false)
}

// writeMovements writes the coins that it moved, unless it failed.
func (t *evmTransaction) writeMovements(e *events) {
	switch t.kind {
	case coinTransfer:
		e.move(t.sender, t.to, t.value, t.isNew)
	case creation:
		e.on("System.NewAccount", t.to)
	case contractCall:
		if t.value == (coins{}) {
			return
		}
		e.move(t.sender, t.to, t.value, false)
		if t.value.thousandths%4 == 0 { // the contract returns a quarter
			e.move(t.to, t.sender, coins{thousandths: t.value.thousandths / 4}, false)
		}
	}
}

// The EVM's exit reasons: Succeed(Stopped), Succeed(Returned), Revert(Reverted), Error(OutOfGas).
var stopped, returned, wasReverted, ranOut = []byte{0, 0}, []byte{0, 1}, []byte{2, 0}, []byte{1, 9}

var exits = [kindCount][]byte{
	coinTransfer: stopped, tokenTransfer: returned, contractCall: returned, creation: returned,
	reverted: wasReverted, revertedCreation: wasReverted, outOfGas: ranOut,
}

func (l *log) write(e *events) {
	e.event("EVM.Log")
	e.address(l.address)
	e.compact(uint64(len(l.topics)))
	for _, topic := range l.topics {
		e.hash(topic)
	}
	e.blob(l.data)
	e.end()
}

// times returns gas × price. It panics above 64 bits: 18 coins, ten times the fee of the chain's most
// expensive transaction.
func times(gas, price uint64) uint64 {
	high, low := bits.Mul64(gas, price)
	if high > 0 {
		panic("chaingen: gas × price has more than 64 bits")
	}
	return low
}
