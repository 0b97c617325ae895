package evidence

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
)

// Sequence is what a chain's blocks so far tell of the next one.
type Sequence struct {
	before   chain.Optional[Predecessor]
	runtime  chain.Optional[uint32] // that executed the last block
	nonces   nonces
	treasury treasuryChange
}

// NewSequence begins with the block after before, where that one is known.
func NewSequence(before chain.Optional[Predecessor]) *Sequence { return &Sequence{before: before} }

// Add makes the checks of the next block that concern those before it. All of them
// are besideParent or besideEarlier.
func (s *Sequence) Add(block *chain.Block, r *Report) {
	before, known := s.before.Get()
	if known {
		r.Follows(s.before)
	}
	// An upgrade of the runtime can have changed any state.
	if known && r.ParentHash != before.Hash || r.Runtime != s.runtime {
		s.nonces, s.treasury = nonces{}, treasuryChange{}
	}
	r.later(besideEarlier, block, subject{earlier: s})
	s.before, s.runtime = chain.Some(r.predecessor()), r.Runtime
}

// Predecessor is what is known of the block at the height below.
type Predecessor struct {
	Number uint64
	Hash   chain.Hash
	Time   chain.Optional[chain.Time]
}

// predecessor is this block as the next one follows it.
func (r *Report) predecessor() Predecessor { return Predecessor{r.Number, r.Hash, r.Time} }

// Follows checks that the block comes after the one at the height below, where that one is
// known.
func (r *Report) Follows(before chain.Optional[Predecessor]) {
	r.later(besideParent, nil, subject{before: before})
}

const noPredecessor = "the block before it is not known"

func (s *subject) parent() {
	r := s.proved
	switch before, known := s.before.Get(); {
	case !known:
		s.skip(noPredecessor)
	case r.Number == before.Number+1 && r.ParentHash == before.Hash:
		s.held()
	default:
		s.broken("its parent is %v, and block %d is %v", r.ParentHash, before.Number, before.Hash)
	}
}

func (s *subject) time() {
	before, follows := s.before.Get()
	earlier, known := before.Time.Get()
	time, alsoKnown := s.proved.Time.Get()
	switch {
	case !follows:
		s.skip(noPredecessor)
	case !alsoKnown: // only block 0 has none
		s.broken("it has no time")
	case !known:
		s.skip("the block before it has no time")
	case !time.Std().After(earlier.Std()):
		s.broken("its time %v is not after that of block %d, %v", time, before.Number, earlier)
	default:
		s.held()
	}
}

// Stored checks the multiplier that the block stored when it ended, which prices
// the next one: it follows from the one that priced the block, and from its weight.
func (r *Report) Stored(multiplier chain.Optional[chain.StoredMultiplier]) {
	r.later(besideStored, nil, subject{stored: multiplier})
}

func (s *subject) multiplier() {
	parent, known := s.proved.Multiplier.Get()
	stored, alsoKnown := s.stored.Get()
	update, _ := s.rules.Update.Get()
	weight, weighed := s.proved.normal.Get()
	switch {
	case !known:
		s.skip("the multiplier that the parent stored is not known")
	case !alsoKnown:
		s.skip("the multiplier that the block stored is not known")
	case parent.At+1 != s.proved.Number || stored.At != s.proved.Number:
		s.skip(readAtBlock)
	case !weighed && !update.Constant.Known():
		s.skip(notWeighed)
	default:
		next, err := update.Next(parent.Value, weight)
		switch {
		case err != nil:
			s.broken("%v", err)
		case next != stored.Value && update.Constant.Known():
			s.broken("it stored %v, and each block of this runtime stores %v", stored.Value, next)
		case next != stored.Value:
			s.broken("it stored %v, and %v follows from %v and its weight of %v", stored.Value, next, parent.Value, weight.RefTime)
		default:
			s.held()
			s.proved.bound = update.Bounds(next)
		}
	}
}

// Uncompared lists, for people, the checks that would show that extrinsics are missing, or that
// the block is not the child of the one before it, and that an answer is lacking for. The checks
// that the runtime's rules exclude are not among them. Block 0 has none: nothing was executed in it.
func (r *Report) Uncompared() (list []string) {
	if r.Number == 0 {
		return nil
	}
	var reasons []string
	ids := map[string][]string{} // of each reason
	for i := range checks {
		c, t := &checks[i], &r.Tallies[i]
		switch c.on {
		case ofContents, besideParent, besideStored:
			if t.NotApplicable > 0 && c.whyNot(r.rules) == "" {
				if ids[t.Why] == nil {
					reasons = append(reasons, t.Why)
				}
				ids[t.Why] = append(ids[t.Why], c.ID)
			}
		}
	}
	for _, why := range reasons {
		list = append(list, fmt.Sprintf("not compared: %s: %s", strings.Join(ids[why], ", "), why))
	}
	return list
}
