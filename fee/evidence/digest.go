package evidence

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
)

// digest compares the block's EVM transactions with those in the digest of its header: all that were executed,
// in order, including those from XCM.
func (s *subject) digest() {
	b := s.block
	if b.Number == 0 {
		s.skip("block 0 does not have a digest")
		return
	}
	named, err := b.Digest.Get()
	var why chain.UnreportedError
	switch {
	case errors.Is(err, chain.ErrMissing):
		s.skip("the gateway does not return the header's digest")
		return
	case errors.As(err, &why):
		s.skip(string(why))
		return
	case err != nil:
		s.broken("the header's digest: %v", err)
		return
	}
	c := digestCheck{named: named}
	c.events(wholeBlock, b.OnInitialize)
	for i := range b.Extrinsics {
		c.events(i, b.Extrinsics[i].Events)
	}
	c.events(wholeBlock, b.OnFinalize)
	switch {
	case c.wrong != "":
		s.brokenAt(c.where, "%s", c.wrong)
	case c.count < len(named):
		s.broken("the header lists %d EVM transactions, but the block has %d: %v is missing", len(named), c.count, named[c.count])
	default:
		s.held()
	}
}

// digestCheck walks through the executed transactions along with the digest's list.
type digestCheck struct {
	named []chain.Hash
	count int    // of the events ethereum.Executed so far
	wrong string // the first mismatch
	where int
}

func (c *digestCheck) events(where int, events []chain.Event) {
	for i := range events {
		if events[i].Is("ethereum", "Executed") {
			c.executed(where, events[i].Data.At(2))
		}
	}
}

func (c *digestCheck) executed(where int, hash chain.Value) {
	at := c.count
	c.count++
	have, err := hash.Hash()
	switch {
	case c.wrong != "":
		return
	case err != nil:
		c.wrong = fmt.Sprintf("event ethereum.Executed: data[2]: %v", err)
	case at >= len(c.named):
		c.wrong = fmt.Sprintf("the header lists %d EVM transactions, but not %v", len(c.named), have)
	case have != c.named[at]:
		c.wrong = fmt.Sprintf("the header lists %v as EVM transaction %d of the block, but the block has %v", c.named[at], at, have)
	}
	c.where = where
}
