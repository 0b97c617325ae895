package evidence

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
)

// Sequence carries what a chain's blocks so far imply for the next one.
type Sequence struct {
	before   chain.Optional[Predecessor]
	runtime  chain.Optional[uint32] // the runtime that executed the last block
	nonces   nonces
	treasury treasuryChange
}

// NewSequence starts with the block after before, if that is known.
func NewSequence(before chain.Optional[Predecessor]) *Sequence { return &Sequence{before: before} }

// Add makes the checks of the next block that involve earlier blocks: those of besideParent and besideEarlier.
func (s *Sequence) Add(block *chain.Block, r *Report) {
	before, known := s.before.Get()
	if known {
		r.CheckPredecessor(s.before)
	}
	// A runtime upgrade can have changed any state.
	if known && r.ParentHash != before.Hash || r.Runtime != s.runtime {
		s.nonces, s.treasury = nonces{}, treasuryChange{}
	}
	r.later(besideEarlier, block, subject{earlier: s})
	s.before, s.runtime = chain.Some(r.predecessor()), r.Runtime
}

// Predecessor identifies the block at the height below.
type Predecessor struct {
	Number uint64
	Hash   chain.Hash
	Time   chain.Optional[chain.Time]
}

// predecessor returns this block as the next block's predecessor.
func (r *Report) predecessor() Predecessor { return Predecessor{r.Number, r.Hash, r.Time} }

// CheckPredecessor checks that the block follows the one at the height below, if that is known.
func (r *Report) CheckPredecessor(before chain.Optional[Predecessor]) {
	r.later(besideParent, nil, subject{before: before})
}

const noPredecessor = "the previous block is unknown"

func (s *subject) parent() {
	r := s.proved
	switch before, known := s.before.Get(); {
	case !known:
		s.skip(noPredecessor)
	case r.Number == before.Number+1 && r.ParentHash == before.Hash:
		s.held()
	default:
		s.broken("its parent is %v, but block %d is %v", r.ParentHash, before.Number, before.Hash)
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
		s.broken("the block has no time")
	case !known:
		s.skip("the previous block has no time")
	case time == earlier && s.rules.EqualTimes:
		s.held()
	case !time.Std().After(earlier.Std()):
		s.broken("its time %v is not after the time of block %d, %v", time, before.Number, earlier)
	default:
		s.held()
	}
}

// CheckStoredMultiplier checks the multiplier that the block stored at its end, which prices the next block: it must follow
// from the multiplier that priced this block and from this block's weight.
func (r *Report) CheckStoredMultiplier(multiplier chain.Optional[chain.StoredMultiplier]) {
	r.later(besideStored, nil, subject{stored: multiplier})
}

func (s *subject) multiplier() {
	parent, known := s.proved.Multiplier.Get()
	stored, alsoKnown := s.stored.Get()
	update, _ := s.rules.Update.Get()
	weight, weighed := s.proved.normal.Get()
	switch {
	case !known:
		s.skip("the multiplier that the parent stored is unknown")
	case !alsoKnown:
		s.skip("the multiplier that the block stored is unknown")
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
			s.broken("it stored %v, but every block of this runtime stores %v", stored.Value, next)
		case next != stored.Value:
			s.broken("it stored %v, but %v follows from %v and its weight of %v", stored.Value, next, parent.Value, weight.RefTime)
		default:
			s.held()
			s.proved.bound = update.Bounds(next)
		}
	}
}

// Uncompared lists, for people, the checks that would show missing extrinsics or a wrong parent, but that lack
// data. Checks excluded by the runtime's rules are not listed. Block 0 has none: nothing was executed in it.
func (r *Report) Uncompared() (list []string) {
	if r.Number == 0 {
		return nil
	}
	var reasons []string
	ids := map[string][]string{} // by reason
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
