package closing

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// Blocks describes the ledger's blocks that a package covers.
type Blocks struct {
	First     uint64   `json:"first"`
	Last      uint64   `json:"last"`
	Count     uint64   `json:"count"`
	FirstHash string   `json:"first_hash"`
	LastHash  string   `json:"last_hash"`
	Final     bool     `json:"final_and_sealed"` // for all of them
	Seal      string   `json:"seal"`             // over the period's blocks only; "" if not all are sealed
	Rules     []string `json:"rules"`            // that priced them, sorted by name
}

// Book provides the rows of a ledger; *ledger.Book implements it.
type Book interface {
	Heads(ctx context.Context, span chain.Heights) iter.Seq2[*ledger.Block, error]
	SealOf(ctx context.Context, p ledger.Period, span chain.Heights) (ledger.Seal, error)
}

// Examine reads the blocks in a period's span for the seal, and checks each against its digest.
func Examine(ctx context.Context, book Book, p ledger.Period, span chain.Heights) (b Blocks, err error) {
	b = Blocks{First: span.First, Last: span.Last, Final: true}
	rules := map[string]bool{}
	for x, err := range book.Heads(ctx, span) {
		if err != nil {
			return b, err
		}
		b.Count++
		b.Final = b.Final && x.Final && x.Sealed
		rules[x.Rules] = true
		if x.Height == span.First {
			b.FirstHash = x.Hash.String()
		}
		if x.Height == span.Last {
			b.LastHash = x.Hash.String()
		}
	}
	b.Final = b.Final && b.Count == span.Blocks()
	b.Rules = slices.Sorted(maps.Keys(rules))
	switch seal, err := book.SealOf(ctx, p, span); {
	case err == nil:
		b.Seal = seal.String()
	case !errors.Is(err, ledger.ErrNone):
		return b, err
	}
	return b, nil
}

// Differ lists, for display, where a ledger differs from the one that the package was created from: the chain,
// the first and last block, the seal.
func (m *Manifest) Differ(id ledger.Identity, now Blocks) (list []string) {
	genesis := ""
	if hash, ok := id.Genesis.Get(); ok {
		genesis = hash.String()
	}
	then := m.Blocks
	for _, c := range []struct{ what, then, now string }{
		{"the network", m.Network, id.Network},
		{"the hash of block 0", m.Genesis, genesis},
		{"the number of blocks", fmt.Sprint(then.Count), fmt.Sprint(now.Count)},
		{fmt.Sprintf("the hash of block %d", then.First), then.FirstHash, now.FirstHash},
		{fmt.Sprintf("the hash of block %d", then.Last), then.LastHash, now.LastHash},
		{"the seal of the period", then.Seal, now.Seal},
	} {
		if c.then != c.now {
			list = append(list, fmt.Sprintf("%s: %s in the package, %s in the ledger", c.what, shown(c.then), shown(c.now)))
		}
	}
	return list
}

func shown(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}
