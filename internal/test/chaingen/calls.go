package chaingen

import (
	"encoding/binary"

	"github.com/feeledger/fees/chain"
)

// transferTopic is keccak256("Transfer(address,address,uint256)").
var transferTopic = [32]byte{
	0xdd, 0xf2, 0x52, 0xad, 0x1b, 0xe2, 0xc8, 0x9b, 0x69, 0xc2, 0xb0, 0x68, 0xfc, 0x37, 0x8d, 0xaa,
	0x95, 0x2b, 0xa7, 0xf1, 0x63, 0xc4, 0xa1, 0x16, 0x28, 0xf5, 0x5a, 0x4d, 0xf5, 0x23, 0xb3, 0xef,
}

// transferTokens makes e an ERC-20 transfer of the contract that it calls.
func (c *Chain) transferTokens(r *random, height uint64, e *evmTransaction) {
	to := c.another(r, height, e.sender)
	amount := amountWord(r)
	e.input = make([]byte, 0, 68)
	e.input = append(e.input, 0xa9, 0x05, 0x9c, 0xbb) // transfer(address,uint256)
	e.input = append(e.input, make([]byte, 12)...)
	e.input = append(e.input, to.address.Bytes()...)
	e.input = append(e.input, amount[:]...)
	e.logs = []log{transferLog(e.to, e.sender.address, to.address, amount)}
}

func transferLog(token *account, from, to chain.Address, amount [32]byte) log {
	return log{token.address, [][32]byte{transferTopic, padded(from), padded(to)}, amount[:]}
}

// callLogs returns the logs of a call: some transfers between sender, contract and others, and one of the
// contract's own events.
func (c *Chain) callLogs(r *random, height uint64, e *evmTransaction) []log {
	logs := make([]log, 0, 6)
	for range r.between(1, 4) {
		token := c.contract(r)
		from, to := e.sender.address, e.to.address
		if r.oneIn(2) {
			from, to = to, c.someone(r, height).address
		}
		logs = append(logs, transferLog(token, from, to, amountWord(r)))
	}
	own := c.random(forAccount, e.to.id)
	data := callData(r, 1+r.below(5))[4:]
	return append(logs, log{e.to.address, [][32]byte{own.word(), padded(e.sender.address)}, data})
}

func padded(a chain.Address) (w [32]byte) {
	copy(w[12:], a.Bytes())
	return w
}

// amountWord returns an amount of a token: up to 2^80, small ones more often.
func amountWord(r *random) (w [32]byte) {
	binary.BigEndian.PutUint64(w[22:], 1+r.next()>>(8*r.below(6)))
	binary.BigEndian.PutUint16(w[30:], uint16(r.next()))
	return w
}

// callData returns a selector and some words, half of them small numbers.
func callData(r *random, words uint64) []byte {
	data := make([]byte, 4+32*words)
	r.fill(data[:4])
	for i := range words {
		word := data[4+32*i:][:32]
		if r.oneIn(2) {
			binary.BigEndian.PutUint64(word[24:], r.below(1<<40))
		} else {
			r.fill(word[12:])
		}
	}
	return data
}

// code returns the code of a small contract, with a compiler's usual start.
func code(r *random) []byte {
	data := make([]byte, r.between(400, 2400))
	r.fill(data)
	copy(data, []byte{0x60, 0x80, 0x60, 0x40, 0x52, 0x34, 0x80, 0x15})
	return data
}
