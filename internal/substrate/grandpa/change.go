package grandpa

import (
	"fmt"

	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// engine identifies the digest items of this protocol.
const engine = "FRNK"

// The kinds of consensus messages (Polkadot protocol specification, 3.3.4).
const (
	scheduledChange = 1
	forcedChange    = 2
	disabled        = 3
	pause           = 4
	resume          = 5
)

// Change is a change of the set of validators, as a header announces it.
type Change struct {
	Authorities []byte // encoded list of the next set
	Delay       uint64 // number of further blocks that the current set finalizes
	Forced      bool
}

// ReadChange returns the change that a header announces, or nil. A forced change counts before a scheduled one, and the
// first of several of the same kind counts, as for a node.
func ReadChange(h *header.Header) (*Change, error) {
	var found *Change
	for _, log := range h.Logs {
		d, err := header.ReadDigest(log)
		if err != nil {
			return nil, err
		}
		if d.Kind != header.Consensus || string(d.Engine) != engine {
			continue
		}
		c, err := readChange(d.Data)
		if err != nil {
			return nil, fmt.Errorf("digest of block %d: %w", h.Number, err)
		}
		if c != nil && (found == nil || c.Forced && !found.Forced) {
			found = c
		}
	}
	return found, nil
}

// readChange reads a consensus message. It returns nil for one that does not change the set.
func readChange(message []byte) (*Change, error) {
	r := scale.NewReader(message)
	var c *Change
	switch kind := r.U8(); kind {
	case scheduledChange:
		c = &Change{Authorities: readAuthorities(r), Delay: uint64(r.U32())}
	case forcedChange:
		r.U32() // the last block that was final, by the runtime's estimate
		c = &Change{Authorities: readAuthorities(r), Delay: uint64(r.U32()), Forced: true}
	case disabled:
		r.U64()
	case pause, resume:
		r.U32()
	default:
		r.Fail("unknown kind of consensus message %d", kind)
	}
	return c, r.End()
}
