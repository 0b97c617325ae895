package finality

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/grandpa"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// Options configure a proof.
type Options struct {
	Root         chain.Optional[Root]         // trusted instead of the evidence's own root
	Trust        chain.Optional[chain.Anchor] // a relay block that is trusted instead of validators
	AcceptForced bool                         // as in [grandpa.Chain]
}

// Result is what evidence proves. If a check failed, it has the links before.
type Result struct {
	Final bool // validators' signatures prove it; false if a block is only trusted
	Links []Link
	Sets  []uint64 // IDs of the sets whose signatures were checked
	// Target is the highest block proved final, or the trusted one.
	Target chain.Optional[chain.Anchor]
	Head   chain.Optional[Head]
	Value  chain.Optional[Value]

	blocks map[chain.Hash]block // proved blocks of the parachain, or, without one, of the chain itself
}

// Highest returns the highest proved block at or below a height: of the parachain, or, without one, of the chain itself.
func (r *Result) Highest(height uint64) (highest chain.Optional[chain.Anchor]) {
	for _, b := range r.blocks {
		if h, known := highest.Get(); b.at.Height <= height && (!known || b.at.Height > h.Height) {
			highest = chain.Some(b.at)
		}
	}
	return highest
}

// Head is the head of a parachain.
type Head struct {
	Para uint32
	chain.Anchor
}

// Value is a proved value in a block's state.
type Value struct {
	At    chain.Anchor
	Key   []byte
	Has   bool // the key has a value
	Bytes []byte
}

// Kind is the kind of a [Link].
type Kind string

// The kinds of links.
const (
	KindSet       Kind = "set"       // a set is trusted
	KindTrusted   Kind = "trusted"   // a block is trusted
	KindFinal     Kind = "final"     // a set finalized a block
	KindHandOff   Kind = "hand-off"  // a final block announces the next set
	KindAncestors Kind = "ancestors" // headers below a final block
	KindHead      Kind = "head"      // a parachain's head in a state
	KindState     Kind = "state"     // a value in a state
)

// Link is one step of a proof.
type Link struct {
	Kind   Kind
	Block  chain.Optional[chain.Anchor]
	Set    chain.Optional[uint64]
	Reason string // a sentence for people
}

// block is a proved block. Its header may be missing.
type block struct {
	at     chain.Anchor
	header *header.Header
}

// prover collects what is proved.
type prover struct {
	Result
	relay, para map[chain.Hash]block
}

// Prove checks evidence. With an error, which names the part that fails, the result has what was proved before it.
func (e *Evidence) Prove(ctx context.Context, o Options) (Result, error) {
	p := prover{relay: map[chain.Hash]block{}, para: map[chain.Hash]block{}}
	var err error
	if anchor, trusted := o.Trust.Get(); trusted {
		err = p.trust(anchor, e.Steps)
	} else {
		err = p.follow(ctx, e, o)
	}
	if err == nil && e.Para != nil {
		err = named("para", p.proveHead(e.Para))
	}
	if err == nil && e.State != nil {
		err = named("state", p.proveState(e.State))
	}
	p.Final = err == nil && !o.Trust.Known()
	if p.blocks = p.relay; e.Para != nil {
		p.blocks = p.para
	}
	return p.Result, err
}

func (p *prover) add(kind Kind, at chain.Anchor, set chain.Optional[uint64], format string, args ...any) {
	p.Links = append(p.Links, Link{kind, chain.Some(at), set, fmt.Sprintf(format, args...)})
}

// trust proves the ancestors of a trusted block, from all headers of the steps.
func (p *prover) trust(anchor chain.Anchor, steps []Step) error {
	all := map[chain.Hash]*header.Header{}
	for _, s := range steps {
		for _, h := range append(s.Ancestors, s.Header) {
			if h != nil {
				all[h.Hash()] = h
			}
		}
	}
	if all[anchor.Hash] == nil {
		return fmt.Errorf("the evidence has no header of the trusted block %v", anchor)
	}
	p.add(KindTrusted, anchor, chain.Optional[uint64]{}, "block %v is trusted: no signature was checked", anchor)
	p.Target = chain.Some(anchor)
	_, err := p.descend(p.relay, anchor, all)
	return err
}

// follow proves the steps by signatures, from the root on.
func (p *prover) follow(ctx context.Context, e *Evidence, o Options) error {
	root, known := e.Root.Get()
	if other, has := o.Root.Get(); has {
		root, known = other, true
	}
	switch {
	case !known:
		return errors.New("root is missing: the evidence names no trusted set of validators")
	case len(e.Steps) == 0:
		return errors.New("steps and relay are missing: the evidence has no justification")
	}
	s := root.Set
	p.Links = append(p.Links, Link{Kind: KindSet, Set: chain.Some(s.ID), Reason: fmt.Sprintf("set %d is trusted: %d validators, list %v, %s", s.ID, s.Members(), s.Hash, root.Source)})
	c := grandpa.NewChain(s)
	c.AcceptForced = o.AcceptForced
	for i := range e.Steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.finalize(c, &e.Steps[i]); err != nil {
			return named(e.Steps[i].Name, err)
		}
	}
	return nil
}

func (p *prover) finalize(c *grandpa.Chain, s *Step) error {
	if s.Justification == nil {
		return errors.New("justification is missing; without it, trust the block's hash")
	}
	target := s.Justification.Target
	set, tally, err := c.Finalize(s.Justification, s.Header)
	if err != nil {
		return err
	}
	if n := len(p.Sets); n == 0 || p.Sets[n-1] != set.ID {
		p.Sets = append(p.Sets, set.ID)
	}
	p.Target = chain.Some(target)
	p.relay[target.Hash] = block{target, s.Header}
	p.add(KindFinal, target, chain.Some(set.ID), "block %v is final: %d of %d validators of set %d signed, with weight %d of %d, at least %d",
		target, tally.Signers, set.Members(), set.ID, tally.Weight, set.Total(), set.Threshold())
	next, last, err := c.Announced()
	if err != nil {
		return err
	}
	if next != nil && s.Header != nil {
		p.add(KindHandOff, target, chain.Some(next.ID), "set %d, %d validators, list %v, follows after block %d", next.ID, next.Members(), next.Hash, last)
	}
	return p.proveAncestors(p.relay, target, s.Header, s.Ancestors)
}

// proveAncestors proves a proved block's ancestors: all of the list. The block's own header may be missing.
func (p *prover) proveAncestors(proved map[chain.Hash]block, of chain.Anchor, own *header.Header, list []*header.Header) error {
	headers := make(map[chain.Hash]*header.Header, len(list)+1)
	for _, h := range list {
		headers[h.Hash()] = h
	}
	if len(headers) < len(list) {
		return errors.New("ancestors: a header is repeated")
	}
	if own != nil {
		headers[of.Hash] = own
	}
	used, err := p.descend(proved, of, headers)
	if err == nil && used < len(headers) {
		err = fmt.Errorf("ancestors: %d headers do not lead up to block %v", len(headers)-used, of)
	}
	return err
}

// descend proves a proved block's ancestors by their hashes, as far as there are headers. It returns the number of
// headers used.
func (p *prover) descend(proved map[chain.Hash]block, from chain.Anchor, headers map[chain.Hash]*header.Header) (used int, err error) {
	at, more := from, true
	for more && headers[at.Hash] != nil {
		h := headers[at.Hash]
		proved[at.Hash] = block{at, h}
		parent, err := header.Prove(at, h)
		if err != nil {
			return used, err
		}
		used++
		at, more = parent.Get()
	}
	if _, known := proved[at.Hash]; more && !known { // the lowest header's parent
		proved[at.Hash] = block{at, nil}
	}
	lowest := from.Height + 1 - uint64(used)
	if lowest < from.Height {
		p.add(KindAncestors, from, chain.Optional[uint64]{}, "blocks %d to %d are ancestors of block %v, by parent hashes", lowest, from.Height-1, from)
	}
	return used, nil
}

// proveHead proves a parachain's head, and its ancestors.
func (p *prover) proveHead(para *Para) error {
	at, err := find(para.At, p.Target, p.relay)
	if err != nil {
		return err
	}
	stored, has, err := para.Proof.Value(at.header.StateRoot, para.Key)
	switch {
	case err != nil:
		return named("readProof", err)
	case !has:
		return fmt.Errorf("parachain %d has no head in the state of block %v; take the last block before it left", para.ID, at.at)
	}
	r := scale.NewReader(stored)
	encoded := r.Blob()
	if err := r.End(); err != nil {
		return named("head", err)
	}
	h, err := header.Read(encoded)
	if err != nil {
		return named("head", err)
	}
	head := chain.Anchor{Height: h.Number, Hash: h.Hash()}
	p.Head = chain.Some(Head{para.ID, head})
	p.add(KindHead, head, chain.Optional[uint64]{}, "block %v is the head of parachain %d, in the state of block %v", head, para.ID, at.at)
	return p.proveAncestors(p.para, head, &h, para.Ancestors)
}

// find returns a proved block with its header; without a hash, the highest one.
func find(hash chain.Optional[chain.Hash], highest chain.Optional[chain.Anchor], proved map[chain.Hash]block) (block, error) {
	top, _ := highest.Get()
	want, named := hash.Get()
	if !named {
		want = top.Hash
	}
	b, has := proved[want]
	switch {
	case !has:
		return b, fmt.Errorf("block %v is not proved: it is neither a final block of the evidence nor an ancestor", want)
	case b.header == nil:
		return b, fmt.Errorf("the header of block %v is missing", want)
	}
	return b, nil
}

// proveState proves a value in the state of a block of the parachain, or of the chain itself without a parachain.
func (p *prover) proveState(s *State) error {
	highest, proved := p.Target, p.relay
	if head, has := p.Head.Get(); has {
		highest, proved = chain.Some(head.Anchor), p.para
		if hash, named := s.At.Get(); named && p.para[hash].header == nil && p.relay[hash].header != nil {
			proved = p.relay
		}
	}
	at, err := find(s.At, highest, proved)
	if err != nil {
		return err
	}
	value, has, err := s.Proof.Value(at.header.StateRoot, s.Key)
	if err != nil {
		return named("readProof", err)
	}
	p.Value = chain.Some(Value{at.at, s.Key, has, value})
	size := fmt.Sprintf("%d bytes", len(value))
	if !has {
		size = "no value"
	}
	p.add(KindState, at.at, chain.Optional[uint64]{}, "the state of block %v has %s at the key 0x%x", at.at, size, s.Key)
	return nil
}
