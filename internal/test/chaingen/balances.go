package chaingen

import (
	"math/bits"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/render"
)

// followed is the number of accounts of a rooted chain whose balance follows from its events: the treasury,
// and the hot accounts in the most blocks.
const followed = 8

// balances are the balances of these accounts after a block, the treasury first.
type balances [followed]balance

type balance struct {
	nonce          uint64
	free, reserved amount
}

// amount is an amount in wei. It panics below 0 and above 128 bits: the generated chain reaches neither.
type amount struct{ high, low uint64 }

func (a amount) plus(b amount) amount {
	low, carry := bits.Add64(a.low, b.low, 0)
	high, over := bits.Add64(a.high, b.high, carry)
	if over > 0 {
		panic("chaingen: a balance has more than 128 bits")
	}
	return amount{high, low}
}

func (a amount) minus(b amount) amount {
	low, borrow := bits.Sub64(a.low, b.low, 0)
	high, below := bits.Sub64(a.high, b.high, borrow)
	if below > 0 {
		panic("chaingen: a balance is below 0")
	}
	return amount{high, low}
}

// firstBalances returns the balances of block 0. Accounts have enough for everything that they send or return
// later, and less than [tooMuch].
func firstBalances() *balances {
	of := func(free, reserved uint64) balance {
		var b balance
		b.free.high, b.free.low = coins{thousandths: free}.words()
		b.reserved.high, b.reserved.low = coins{thousandths: reserved}.words()
		return b
	}
	list := balances{of(2_000_000_000, 0)}
	for i := 1; i < followed; i++ {
		list[i] = of(900_000_000_000, 1_000_000_000)
	}
	return &list
}

// Accounts returns the accounts whose balance is known, the treasury first: none if the chain is not rooted.
func (c *Chain) Accounts() []chain.Address {
	if !c.options.Rooted {
		return nil
	}
	list := []chain.Address{c.treasury.address}
	for id := range uint64(followed - 1) {
		list = append(list, c.account(id).address)
	}
	return list
}

// changing are the balances while a block is being generated.
type changing struct {
	balances
	places map[chain.Address]int // in the list
}

// changing starts with the parent's balances; it returns nil if no account is followed.
func (c *Chain) changing(before *balances) *changing {
	if before == nil {
		return nil
	}
	return &changing{*before, c.followed}
}

// of returns an account's balance, or nil if it is not followed.
func (c *changing) of(a chain.Address) *balance {
	if c == nil {
		return nil
	}
	place, is := c.places[a]
	if !is {
		return nil
	}
	return &c.balances[place]
}

// sent counts a transaction.
func (c *changing) sent(by *account, nonce uint64) {
	if b := c.of(by.address); b != nil {
		b.nonce = nonce + 1
	}
}

// record applies an event of one account. Other events do not move money.
func (c *changing) record(event string, a *account, moved coins) {
	b := c.of(a.address)
	if b == nil {
		return
	}
	var n amount
	n.high, n.low = moved.words()
	switch event {
	case "Balances.Deposit", "Balances.Minted":
		b.free = b.free.plus(n)
	case "Balances.Withdraw":
		b.free = b.free.minus(n)
	case "Balances.Reserved":
		b.free, b.reserved = b.free.minus(n), b.reserved.plus(n)
	case "Balances.Unreserved":
		b.free, b.reserved = b.free.plus(n), b.reserved.minus(n)
	}
}

// transfer applies a transfer event.
func (c *changing) transfer(from, to *account, moved coins) {
	c.record("Balances.Withdraw", from, moved)
	c.record("Balances.Deposit", to, moved)
}

// encode returns the account's System.Account.
func (b *balance) encode() []byte {
	w := writer{make([]byte, 0, 80)}
	w.u32(b.nonce)
	w.u32(0) // consumers
	w.u32(1) // providers
	w.u32(0) // sufficients
	for _, a := range []amount{b.free, b.reserved, {}, {}} {
		w.u64(a.low)
		w.u64(a.high)
	}
	return w.b
}

// Balance returns the response to a request for balance-info at a height, and whether it is known: only for
// [Chain.Accounts].
func (c *Chain) Balance(height uint64, of chain.Address) (text []byte, known bool) {
	place, known := c.followed[of]
	if !known {
		return nil, false
	}
	b := c.body(height)
	question, err := c.executing(height).decoder.Balance(of)
	must(err)
	return made(question.Answer(render.At{Hash: b.hash, Height: height}, c.network.Symbol, b.balances[place].encode(), chain.Some[[]byte](nil))), true
}
