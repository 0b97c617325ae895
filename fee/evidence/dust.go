package evidence

import "github.com/feeledger/fees/chain"

// dust checks that each balance lost by an account below the existential deposit is less than the deposit. If
// the deposit is 0, nothing may be lost.
func (s *subject) dust() {
	least, _ := s.rules.ExistentialDeposit.Get()
	s.dustOf(least, s.block.OnInitialize)
	for i := range s.block.Extrinsics {
		s.dustOf(least, s.block.Extrinsics[i].Events)
	}
	s.dustOf(least, s.block.OnFinalize)
}

func (s *subject) dustOf(least chain.Wei, events []chain.Event) {
	for i := range events {
		e := &events[i]
		if !e.Is("balances", "DustLost") {
			continue
		}
		lost, err := e.Data.At(1).Wei()
		switch {
		case err != nil:
			s.broken("event balances.DustLost: data[1]: %v", err)
		case lost.Cmp(least) >= 0:
			s.broken("an account lost %v wei as dust, but the existential deposit is %v", lost, least)
		default:
			s.held()
		}
	}
}
