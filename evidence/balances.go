package evidence

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/wire"
)

// AccountBalance checks that an account's balance changed in the block by what
// its events say: before is the balance that the parent left, after the one that
// the block left.
func (r *Report) AccountBalance(b *chain.Block, account chain.Address, before, after chain.Balance) {
	c := book{block: r.Number}
	defer r.enter(&c)
	if r.noEvents {
		c.skip(accountBalance, "the runtime recorded no withdrawals and deposits")
		return
	}
	movements, unclassified := chain.Movements(b)
	expected, err := before.After(account, movements)
	switch {
	case errors.Is(err, chain.ErrUnknownChange):
		c.skip(accountBalance, "an event does not tell by how much the balance changed")
	case err != nil:
		c.broken(accountBalance, wholeBlock, "%v: %v", account, err)
	case expected != after:
		message := fmt.Sprintf("%v has %v wei free and %v reserved, and its movements make that %v and %v",
			account, after.Free, after.Reserved, expected.Free, expected.Reserved)
		for i, u := range unclassified {
			if i == mostUnclassified {
				message += fmt.Sprintf("; and %d more", len(unclassified)-i)
				break
			}
			message += fmt.Sprintf("; %v, event %d, %s is not classified: %v", u.Where, u.EventIndex, wire.Excerpt(u.Event), u.Err)
		}
		c.broken(accountBalance, wholeBlock, "%s", message)
	default:
		c.held(accountBalance)
	}
}

// mostUnclassified is how many events a finding lists that could have been in the
// way.
const mostUnclassified = 5
