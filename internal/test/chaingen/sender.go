package chaingen

import "math/bits"

// Senders take turns, so that whose turn a transaction is, and how many they have sent
// before, follow from how many transactions the chain has had. As in [Chain.someone], 55
// of a hundred are by hot accounts, 37 by regular ones, and 8 by others, which send once.
const (
	turn        = 100
	hotTurns    = 55
	coldTurns   = 8
	regularFrom = hotTurns
	coldFrom    = turn - coldTurns
)

// mixed is the order of the turns: the kinds of accounts are spread over a hundred.
const mixed = 37 // has no divisor in common with turn

// place is a turn's place among those of its kind.
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

// sender is who sent a transaction, of which there were so many before on the chain, and
// its nonce.
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

// scattered is the step from one regular account to the next. It has no divisor in common
// with their number.
const scattered = 7919
