package evidence

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/network/rule"
)

// AccountBalance checks that an account's balance changed in the block as its events report: before is the
// balance after the parent, after is the balance after the block.
func (r *Report) AccountBalance(b *chain.Block, account chain.Address, before, after chain.Balance) {
	r.later(ofAccount, b, subject{account: account, balances: [2]chain.Balance{before, after}})
}

func (s *subject) balance() {
	movements, unclassified := movement.Of(s.block, s.account.Size())
	before, after := s.balances[0], s.balances[1]
	expected, err := movement.After(before, s.account, movements)
	switch {
	case errors.Is(err, movement.ErrUnknownChange):
		s.skip("an event does not report by how much the balance changed")
	case err != nil:
		s.broken("%v: %v", s.account, err)
	case expected != after:
		message := fmt.Sprintf("%v has %v wei free and %v reserved; its movements add up to %v and %v",
			s.account, after.Free, after.Reserved, expected.Free, expected.Reserved)
		freed := after.Free.Difference(expected.Free)
		if freed.Sign() != 0 && freed == expected.Reserved.Difference(after.Reserved) && s.rules.EVM != rule.Frontier {
			message += ". That is what a hold or its release changes: older runtimes have no event for it"
		}
		for i, u := range unclassified {
			if i == maxUnclassified {
				message += fmt.Sprintf("; and %d more", len(unclassified)-i)
				break
			}
			message += fmt.Sprintf("; %v, event %d, %s cannot be classified: %v", u.Where, u.EventIndex, failure.Excerpt(u.Event), u.Err)
		}
		s.broken("%s", message)
	default:
		s.held()
	}
}

// maxUnclassified is the number of possibly responsible events that a finding lists.
const maxUnclassified = 5
