package relay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/finality"
	"github.com/feeledger/fees/internal/substrate/grandpa"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/trie"
)

// Options state what to prove final, and where from.
type Options struct {
	Block chain.Anchor // of Chain
	Chain *rpc.Client
	// Relay is a node of the chain's relay chain; nil if the chain finalizes itself.
	Relay *rpc.Client
	// RelayBlock is the relay block in whose state the parachain's head is read: the newest final one by default. If the
	// parachain has left, it is the last with a head.
	RelayBlock chain.Optional[uint64]
	// Root is the trusted set that the evidence starts from. By default, it is the set that signs, as the node states it:
	// an auditor must get that set from another source.
	Root chain.Optional[finality.Root]
	// MaxBytes limits the evidence; 0 is the limit of its readers.
	MaxBytes int
}

// file is the JSON form of evidence.
type file struct {
	Root struct {
		SetID       string `json:"setId"`
		Authorities string `json:"authorities"`
	} `json:"root"`
	Steps []step `json:"steps"`
	Para  *para  `json:"para,omitempty"`
}

type step struct {
	Header        string   `json:"header"`
	Justification string   `json:"justification"`
	Ancestors     []string `json:"ancestors,omitempty"`
}

type readProof struct {
	At    chain.Hash `json:"at"`
	Proof []string   `json:"proof"`
}

type para struct {
	ID        uint32    `json:"id"`
	Key       string    `json:"key"`
	ReadProof readProof `json:"readProof"`
	Ancestors []string  `json:"ancestors,omitempty"`
}

// Collect returns checked evidence that a block is final, as JSON.
func Collect(ctx context.Context, o Options) ([]byte, error) {
	c := collector{Options: o, relay: node{o.Chain}, want: o.Block}
	if o.Relay != nil {
		c.relay = node{o.Relay}
		if err := c.head(ctx); err != nil {
			return nil, err
		}
	}
	if err := c.finalize(ctx); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(c.file, "", " ")
	if err != nil {
		return nil, err
	}
	text = append(text, '\n')
	return text, c.check(ctx, text)
}

type collector struct {
	Options
	relay node
	want  chain.Anchor // the block of the relay chain that must be final
	file  file
	bytes int // of its steps
}

// check proves the evidence, as its reader will.
func (c *collector) check(ctx context.Context, text []byte) error {
	e, err := finality.Parse(string(text))
	if err != nil {
		return err
	}
	r, err := e.Prove(ctx, finality.Options{})
	if err != nil {
		return fmt.Errorf("the node's evidence: %w", err)
	}
	if highest, _ := r.Highest(c.Block.Height).Get(); highest != c.Block {
		return fmt.Errorf("block %v: %w: block %v is final", c.Block, chain.ErrWrongBlock, highest)
	}
	return nil
}

// head proves the parachain's head in a relay block, which must then be final, and its headers down to the block.
func (c *collector) head(ctx context.Context) error {
	id, err := c.paraID(ctx)
	if err != nil {
		return err
	}
	if c.want, err = c.relayBlock(ctx); err != nil {
		return err
	}
	key := finality.HeadKey(id)
	parts, err := c.relay.ReadProof(ctx, c.want.Hash, key)
	if err != nil {
		return fmt.Errorf("the head of parachain %d after relay block %d: %w; use a node that keeps old states (an archive node)", id, c.want.Height, err)
	}
	relay, err := c.relay.Header(ctx, chain.Some(c.want.Hash))
	if err != nil {
		return err
	}
	stored, has, err := trie.NewProof(parts).Value(relay.StateRoot, key)
	switch {
	case err != nil:
		return fmt.Errorf("the head of parachain %d after relay block %d: %w", id, c.want.Height, err)
	case !has:
		return fmt.Errorf("parachain %d has no head after relay block %d; pass the last relay block with its head with --relay-block", id, c.want.Height)
	}
	head, err := header.Read(scale.NewReader(stored).Blob())
	if err != nil {
		return fmt.Errorf("the head of parachain %d after relay block %d: %w", id, c.want.Height, err)
	}
	if head.Number < c.Block.Height {
		return fmt.Errorf("relay block %d includes the parachain up to block %d, not block %d; pass a later relay block with --relay-block", c.want.Height, head.Number, c.Block.Height)
	}
	p := &para{ID: id, Key: hexText(key), ReadProof: readProof{At: c.want.Hash}}
	for _, part := range parts {
		p.ReadProof.Proof = append(p.ReadProof.Proof, hexText(part))
	}
	if head.Number > c.Block.Height {
		below, err := node{c.Chain}.headers(ctx, chain.Anchor{Height: head.Number - 1, Hash: head.ParentHash}, c.Block.Height)
		if err != nil {
			return fmt.Errorf("%w; pass an earlier relay block with --relay-block", err)
		}
		p.Ancestors = encoded(below)
	}
	c.file.Para = p
	return nil
}

func (c *collector) paraID(ctx context.Context) (uint32, error) {
	value, err := node{c.Chain}.storage(ctx, paraIDKey, c.Block.Hash)
	if err != nil {
		return 0, err
	}
	r := scale.NewReader(value)
	id := r.U32()
	if r.End() != nil {
		return 0, errors.New("the chain is not a parachain: its node states no parachain ID. Leave out --relay if it finalizes itself.")
	}
	return id, nil
}

// relayBlock returns the relay block to read the head in.
func (c *collector) relayBlock(ctx context.Context) (a chain.Anchor, err error) {
	height, chosen := c.RelayBlock.Get()
	if chosen {
		hash, err := c.relay.BlockHash(ctx, height)
		return chain.Anchor{Height: height, Hash: hash}, err
	}
	return c.newest(ctx)
}

// newest returns the newest final block, as the node states it.
func (c *collector) newest(ctx context.Context) (a chain.Anchor, err error) {
	if a.Hash, err = c.relay.FinalizedHead(ctx); err != nil {
		return a, err
	}
	h, err := c.relay.Header(ctx, chain.Some(a.Hash))
	a.Height = h.Number
	return a, err
}

// finalize collects the hand-offs from the root to the set that finalizes the wanted block, and a justification.
func (c *collector) finalize(ctx context.Context) error {
	set, err := c.root(ctx)
	if err != nil {
		return err
	}
	c.file.Root.SetID, c.file.Root.Authorities = strconv.FormatUint(set.ID, 10), hexText(set.List)
	newest, err := c.newest(ctx)
	if err != nil {
		return err
	}
	if newest.Height < c.want.Height {
		return fmt.Errorf("block %d is not final yet; the newest final block is %d", c.want.Height, newest.Height)
	}
	for sets := grandpa.NewChain(set); ; {
		final, err := c.next(ctx, sets, set, newest.Height)
		if err != nil {
			return err
		}
		if final.Number >= c.want.Height {
			return c.link(ctx, final)
		}
		next, _, err := sets.Announced()
		if err != nil {
			return err
		}
		if next == nil {
			return fmt.Errorf("block %d ends set %d, but announces no set", final.Number, set.ID)
		}
		set = next
	}
}

func (c *collector) root(ctx context.Context) (*grandpa.Set, error) {
	if root, given := c.Root.Get(); given {
		if c.want.Height < root.Set.First {
			return nil, fmt.Errorf("block %d is below block %d, the first of the trusted set %d; trust an earlier set", c.want.Height, root.Set.First, root.Set.ID)
		}
		return root.Set, nil
	}
	if c.want.Height == 0 {
		return nil, errors.New("no validator signs block 0; take a later block")
	}
	return c.relay.setAfter(ctx, c.want.Height-1)
}

// next adds the step that a set proves: its last block, or, if the set still signs, a justified block at or above the
// wanted one.
func (c *collector) next(ctx context.Context, sets *grandpa.Chain, set *grandpa.Set, newest uint64) (*header.Header, error) {
	last, ended, err := c.lastBlock(ctx, set, newest)
	if err != nil {
		return nil, err
	}
	var encoded []byte
	if ended {
		hash, err := c.relay.BlockHash(ctx, last)
		if err != nil {
			return nil, err
		}
		if encoded, err = c.relay.justification(ctx, hash); err != nil {
			return nil, err
		}
	}
	if encoded == nil {
		if !ended {
			last = c.want.Height
		}
		if encoded, err = c.relay.proveFinality(ctx, last); err != nil {
			return nil, fmt.Errorf("block %d has no justification: %w", last, err)
		}
	}
	if encoded == nil {
		return nil, fmt.Errorf("the node has no justification of block %d; use a node that keeps them (an archive node)", last)
	}
	j, err := grandpa.ReadJustification(encoded)
	if err != nil {
		return nil, err
	}
	h, err := c.relay.Header(ctx, chain.Some(j.Target.Hash))
	if err != nil {
		return nil, err
	}
	if _, _, err := sets.Finalize(j, &h.Header); err != nil {
		return nil, err
	}
	one := step{Header: hexText(h.Header.Encode()), Justification: hexText(encoded)}
	if c.bytes += len(one.Header) + len(one.Justification); c.bytes > cmp.Or(c.MaxBytes, finality.MaxBytes) { // a node can hand over for ever
		return nil, fmt.Errorf("the evidence up to set %d is too large; trust a later set", set.ID)
	}
	c.file.Steps = append(c.file.Steps, one)
	return &h.Header, nil
}

// lastBlock finds the last block of a set, by bisection of the IDs in the state: the first block whose state names a later
// set. A set without one still signs.
func (c *collector) lastBlock(ctx context.Context, set *grandpa.Set, newest uint64) (last uint64, ended bool, err error) {
	first := set.First
	if !c.Root.Known() {
		first = max(c.want.Height, 1)
	}
	if first > newest {
		return 0, false, nil
	}
	later := func(height uint64) bool {
		if err != nil {
			return true
		}
		var id uint64
		id, err = c.relay.setIDAfter(ctx, height)
		return id > set.ID
	}
	n := sort.Search(int(newest-first+1), func(i int) bool { return later(first + uint64(i)) })
	last = first + uint64(n)
	return last, last <= newest, err
}

// link adds the headers from the final block down to the wanted one.
func (c *collector) link(ctx context.Context, final *header.Header) error {
	list, err := c.relay.headers(ctx, chain.Anchor{Height: final.Number, Hash: final.Hash()}, c.want.Height)
	if err != nil {
		return err
	}
	if lowest := list[len(list)-1]; lowest.Hash() != c.want.Hash {
		return fmt.Errorf("block %v: %w: block %v is final", c.want, chain.ErrWrongBlock, chain.Anchor{Height: lowest.Number, Hash: lowest.Hash()})
	}
	c.file.Steps[len(c.file.Steps)-1].Ancestors = encoded(list[1:])
	return nil
}

// encoded returns headers as hex, the lowest first.
func encoded(list []*header.Header) (texts []string) {
	for _, h := range slices.Backward(list) {
		texts = append(texts, hexText(h.Encode()))
	}
	return texts
}
