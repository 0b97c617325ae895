package chaingen

import "math/bits"

// Senders rotate, so that the sender of a transaction and its nonce follow from the number of transactions on
// the chain. As in [Chain.someone], 55 of a hundred are by hot accounts, 37 by regular ones, and 8 by others,
// which send once.
const (
	turn        = 100
	hotTurns    = 55
	coldTurns   = 8
	regularFrom = hotTurns
	coldFrom    = turn - coldTurns
)

// mixed is the order of the turns: it spreads the kinds of accounts over a hundred.
const mixed = 37 // coprime to turn

// place is the index of a turn among those of its kind.
var place = func() (places [turn]uint64) {
	var hot, regular, cold uint64
	for i := range uint64(turn) {
		next := &hot
		switch at := i * mixed % turn; {
		case at >= coldFrom:
			next = &cold
		case at >= regularFrom:
			next = &regular
		}
		places[i] = *next
		*next++
	}
	return places
}()

// sender returns the sender of the transaction after that many on the chain, and its nonce.
func (c *Chain) sender(before uint64) (sender *account, nonce uint64) {
	round, i := before/turn, before%turn
	switch at := i * mixed % turn; {
	case at >= coldFrom:
		n := round*coldTurns + place[i]
		return c.account(coldID(1+n, n%4)), 0
	case at >= regularFrom:
		n := round*(coldFrom-regularFrom) + place[i]
		return c.account(firstRegular + n%regularAccounts*scattered%regularAccounts), n / regularAccounts
	}
	n := round*hotTurns + place[i]
	second := n % 2 // hot accounts send two in a row
	n /= 2
	width := uint64(bits.Len(hotAccounts))
	size := uint64(1) << (n % width)
	n /= width
	return c.account(size - 1 + n%size), n/size*2 + second
}

// scattered is the step from one regular account to the next. It is coprime to their number.
const scattered = 7919
