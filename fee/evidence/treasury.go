package evidence

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
)

// When a block begins, the pallet treasury compares what its account has with what it
// had when it last looked, and tells of a change (UpdatedInactive). In between lie the
// fees of a block, with all else that the treasury got and spent.

// treasuryBlock is what a block tells of the treasury's account.
type treasuryBlock struct {
	looked chain.Optional[chain.SignedWei] // by how much the account changed since the pallet looked before
	// By how much the account changed in this block, before the pallet looked and
	// after. Where it tells nothing, all is after.
	before, after chain.Optional[chain.SignedWei]
}

// treasuryOf reads what a block tells of an account.
func treasuryOf(account chain.Address, b *chain.Block) (t treasuryBlock) {
	nothing := chain.Some(chain.SignedWei{})
	t.before, t.after = nothing, movement.FreeChange(account, b.OnInitialize)
	if t.after != nothing { // on which side of the look it stands is not told
		t.after = chain.Optional[chain.SignedWei]{}
	}
	for i := range b.OnInitialize {
		if e := &b.OnInitialize[i]; isInactive(e) {
			t.looked = inactive(e)
			t.before = movement.FreeChange(account, b.OnInitialize[:i])
			t.after = movement.FreeChange(account, b.OnInitialize[i+1:])
			if !t.looked.Known() { // the event cannot be read
				t.after = chain.Optional[chain.SignedWei]{}
			}
		}
	}
	for i := range b.Extrinsics {
		t.after = total(t.after, movement.FreeChange(account, b.Extrinsics[i].Events))
	}
	t.after = total(t.after, movement.FreeChange(account, b.OnFinalize))
	return t
}

// tells tells whether the pallet does in this block.
func tells(b *chain.Block) bool {
	for i := range b.OnInitialize {
		if isInactive(&b.OnInitialize[i]) {
			return true
		}
	}
	return false
}

func isInactive(e *chain.Event) bool { return e.Is("treasury", "UpdatedInactive") }

// inactive reads the event: what the account had, and what it has.
func inactive(e *chain.Event) (none chain.Optional[chain.SignedWei]) {
	had, err := chain.Read[chain.Wei](e.Data.Index(0))
	if err != nil {
		return none
	}
	has, err := chain.Read[chain.Wei](e.Data.Index(1))
	if err != nil {
		return none
	}
	return chain.Some(has.Difference(had))
}

// total is the sum of two changes, not known where one of them is not.
func total(a, b chain.Optional[chain.SignedWei]) (none chain.Optional[chain.SignedWei]) {
	x, known := a.Get()
	y, alsoKnown := b.Get()
	if !known || !alsoKnown {
		return none
	}
	sum, err := x.Add(y)
	if err != nil {
		return none
	}
	return chain.Some(sum)
}

// treasuryChange is by how much the account changed since the pallet last looked; not
// known before it was seen to look, which older runtimes do not do.
type treasuryChange struct {
	chain.Optional[chain.SignedWei]
}

const silentTreasury = "the treasury does not tell what it has"

// treasury goes on with what the blocks before tell, also where it checks nothing.
func (s *subject) treasury() {
	account, _ := s.rules.Treasury.Get()
	c := &s.earlier.treasury
	if !c.Known() && !tells(s.block) {
		s.skip(silentTreasury)
		return
	}
	t := treasuryOf(account, s.block)
	looked, told := t.looked.Get()
	due := total(c.Optional, t.before)
	want, known := due.Get()
	switch {
	case !told:
		c.Optional = total(due, t.after)
		s.skip(silentTreasury)
		return
	case !known:
		s.skip("what the treasury had before is not known")
	case looked != want:
		s.broken("the treasury's account changed by %v wei since it last told, and by %v after the events", looked, want)
	default:
		s.held()
	}
	c.Optional = t.after
}
