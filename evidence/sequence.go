package evidence

import (
	"cmp"
	"slices"

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
// are [Check.Neighbours].
func (s *Sequence) Add(block *chain.Block, r *Report) {
	before, known := s.before.Get()
	if known {
		r.Follows(before)
	}
	// An upgrade of the runtime can have changed any state.
	if known && r.ParentHash != before.Hash || r.Runtime != s.runtime {
		s.nonces, s.treasury = nonces{}, treasuryChange{}
	}
	b := book{block: r.Number}
	s.nonces.goesOn(r, &b)
	s.treasury.goesOn(block, r, &b)
	r.enter(&b)
	s.before, s.runtime = chain.Some(r.Predecessor()), r.Runtime
}

// Predecessor is what is known of the block at the height below.
type Predecessor struct {
	Number uint64
	Hash   chain.Hash
	Time   chain.Optional[chain.Time]
}

// Predecessor is this block as the next one follows it.
func (r *Report) Predecessor() Predecessor { return Predecessor{r.Number, r.Hash, r.Time} }

// Follows checks that the block comes after the one at the height below.
func (r *Report) Follows(before Predecessor) {
	b := book{block: r.Number}
	if r.Number == before.Number+1 && r.ParentHash == before.Hash {
		b.held(blockParent)
	} else {
		b.broken(blockParent, wholeBlock, "its parent is %v, and block %d is %v", r.ParentHash, before.Number, before.Hash)
	}
	earlier, known := before.Time.Get()
	time, alsoKnown := r.Time.Get()
	switch {
	case !alsoKnown: // only block 0 has none
		b.broken(blockTime, wholeBlock, "it has no time")
	case !known:
		b.skip(blockTime, "the block before it has no time")
	case !time.Std().After(earlier.Std()):
		b.broken(blockTime, wholeBlock, "its time %v is not after that of block %d, %v", time, before.Number, earlier)
	default:
		b.held(blockTime)
	}
	r.enter(&b)
}

// Stored checks the multiplier that the block stored when it ended, which prices
// the next one: it follows from the one that priced the block, and from its weight.
func (r *Report) Stored(multiplier chain.Optional[chain.StoredMultiplier]) {
	b := book{block: r.Number}
	parent, known := r.Multiplier.Get()
	stored, alsoKnown := multiplier.Get()
	update, hasRule := r.update.Get()
	weight, weighed := r.normal.Get()
	switch {
	case !known || !alsoKnown:
		b.skip(blockMultiplier, "a multiplier is not known")
	case parent.At+1 != r.Number || stored.At != r.Number:
		b.skip(blockMultiplier, "the multiplier is read at the block, as the specification does")
	case !hasRule:
		b.skip(blockMultiplier, "the table does not say how the multiplier moves")
	case !weighed && !update.Constant.Known():
		b.skip(blockMultiplier, "the weight of the block has to be read from system.blockWeight")
	default:
		next, err := update.Next(parent.Value, weight)
		switch {
		case err != nil:
			b.broken(blockMultiplier, wholeBlock, "%v", err)
		case next != stored.Value:
			b.broken(blockMultiplier, wholeBlock, "it stored %v, and %v follows from %v and its weight of %v",
				stored.Value, next, parent.Value, weight.RefTime)
		default:
			b.held(blockMultiplier)
		}
	}
	r.enter(&b)
}

// enter adds what was checked after the report was made.
func (r *Report) enter(b *book) {
	for _, f := range b.findings {
		r.Findings = append(r.Findings, f.Finding)
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return cmp.Compare(numbered(a.Check), numbered(b.Check)) })
	r.Tallies.Add(&b.tallies)
}
