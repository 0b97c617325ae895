package evidence

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
)

// At the start of a block, the pallet treasury compares its account's balance with the balance at its previous
// look, and reports a change (UpdatedInactive). Between two looks are the fees of a block and everything else
// that the treasury received and spent.

// treasuryBlock contains the facts in a block about the treasury's account.
type treasuryBlock struct {
	looked chain.Optional[chain.SignedWei] // change of the account since the pallet's previous look
	// Changes of the account in this block, before and after the pallet looked. If it reports nothing, all changes
	// are in after.
	before, after chain.Optional[chain.SignedWei]
}

// treasuryOf returns what a block reveals about an account.
func treasuryOf(account chain.Address, b *chain.Block) (t treasuryBlock) {
	nothing := chain.Some(chain.SignedWei{})
	t.before, t.after = nothing, movement.FreeChange(account, b.OnInitialize)
	if t.after != nothing { // unknown whether it is before or after the look
		t.after = chain.Optional[chain.SignedWei]{}
	}
	for i := range b.OnInitialize {
		if e := &b.OnInitialize[i]; isInactive(e) {
			t.looked = inactive(e)
			t.before = movement.FreeChange(account, b.OnInitialize[:i])
			t.after = movement.FreeChange(account, b.OnInitialize[i+1:])
			if !t.looked.Known() { // the event cannot be decoded
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

// looks reports whether the pallet reports a change in this block.
func looks(b *chain.Block) bool {
	for i := range b.OnInitialize {
		if isInactive(&b.OnInitialize[i]) {
			return true
		}
	}
	return false
}

func isInactive(e *chain.Event) bool { return e.Is("treasury", "UpdatedInactive") }

// inactive decodes the event: the previous balance and the current one.
func inactive(e *chain.Event) (none chain.Optional[chain.SignedWei]) {
	had, err := e.Data.At(0).Wei()
	if err != nil {
		return none
	}
	has, err := e.Data.At(1).Wei()
	if err != nil {
		return none
	}
	return chain.Some(has.Difference(had))
}

// total adds two changes; unknown if either is unknown.
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

// treasuryChange is the change of the account since the pallet last looked; unknown before its first look, and
// in older runtimes, which do not look.
type treasuryChange struct {
	chain.Optional[chain.SignedWei]
}

const silentTreasury = "the treasury does not report its balance"

// treasury carries the changes on from earlier blocks, even if it checks nothing.
func (s *subject) treasury() {
	account, _ := s.rules.Treasury.Get()
	c := &s.earlier.treasury
	if !c.Known() && !looks(s.block) {
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
		s.skip("the treasury's earlier balance is unknown")
	case looked != want:
		s.broken("the treasury's account changed by %v wei since its last report, but by %v according to the events", looked, want)
	default:
		s.held()
	}
	c.Optional = t.after
}
