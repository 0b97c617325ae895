package evidence

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
)

// CompareWith checks that another gateway returns the same block, and the same multiplier that priced it. Difference is
// the first difference between the two gateways' blocks, "" if there is none.
func (r *Report) CompareWith(b *chain.Block, difference string, multiplier chain.Optional[chain.StoredMultiplier]) {
	r.later(besideOther, b, subject{difference: difference, pricedBy: multiplier})
}

func (s *subject) sameElsewhere() {
	difference := s.difference
	if difference == "" && s.pricedBy != s.proved.Multiplier {
		difference = fmt.Sprintf("multiplier: %s, and %s", failure.Excerpt(s.proved.Multiplier.String()), failure.Excerpt(s.pricedBy.String()))
	}
	if difference == "" {
		s.held()
	} else {
		s.broken("%s", difference)
	}
}
