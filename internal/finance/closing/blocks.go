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

// Blocks are those that a package is of, as the ledger has them.
type Blocks struct {
	First     uint64   `json:"first"`
	Last      uint64   `json:"last"`
	Count     uint64   `json:"count"`
	FirstHash string   `json:"first_hash"`
	LastHash  string   `json:"last_hash"`
	Final     bool     `json:"final_and_sealed"` // all of them
	Seal      string   `json:"seal"`             // over those of the period, whatever else the ledger has; "" where not all are sealed
	Rules     []string `json:"rules"`            // that priced them, in the order of their names
}

// Book is what is asked of the ledger; *ledger.Book is one.
type Book interface {
	Blocks(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Block, error]
	SealOf(ctx context.Context, p ledger.Period, span chain.Heights) (ledger.Seal, error)
}

// Examine reads what a ledger has of a period's span: all rows of its blocks, for the seal.
func Examine(ctx context.Context, book Book, p ledger.Period, span chain.Heights) (b Blocks, err error) {
	b = Blocks{First: span.First, Last: span.Last, Final: true}
	rules := map[string]bool{}
	for x, err := range book.Blocks(ctx, ledger.Query{Span: span}) {
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

// Differ tells, for people, where a ledger is not the one that the package was made of:
// another chain, other blocks at the ends, another seal.
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
