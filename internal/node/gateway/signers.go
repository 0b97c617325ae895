package gateway

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/tx/extrinsic"
)

// NativeSigners returns the signers of the native extrinsics of a block. A given genesis may have been signed instead of the
// node's block 0, which an archive may lack.
func (g *Gateway) NativeSigners(ctx context.Context, block chain.Hash, genesis chain.Optional[chain.Hash]) ([]chain.NativeSigner, error) {
	b, err := g.raw(ctx, block)
	if err != nil {
		return nil, err
	}
	list := []chain.NativeSigner{}
	var s *signed
	for i, encoded := range b.Extrinsics {
		if !extrinsic.IsSigned(encoded) {
			continue
		}
		if s == nil {
			if s, err = g.signedIn(ctx, b, block, genesis); err != nil {
				return nil, err
			}
		}
		signer, err := s.signer(ctx, encoded)
		if whyNot := new(unknownPayload); errors.As(err, &whyNot) {
			list = append(list, chain.NativeSigner{Extrinsic: i, WhyNot: whyNot.Error()})
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, chain.NativeSigner{Extrinsic: i, Signer: signer})
	}
	return list, nil
}

// unknownPayload reports that the signed payload is unknown.
type unknownPayload struct{ error }

func unknown(format string, args ...any) error { return &unknownPayload{fmt.Errorf(format, args...)} }

// signed contains what the signatures of a block cover besides the calls.
type signed struct {
	gateway      *Gateway
	at, made     place // the block, and the one after which its runtime was set
	runtime      *runtime
	first, given chain.Optional[chain.Hash] // the node's block 0, and the genesis given by the caller
}

func (g *Gateway) signedIn(ctx context.Context, b *rpc.Block, hash chain.Hash, genesis chain.Optional[chain.Hash]) (*signed, error) {
	at, err := g.placed(ctx, b.Header.Number, hash)
	if err != nil {
		return nil, err
	}
	s := &signed{gateway: g, given: genesis, at: at, made: place{max(at.height, 1) - 1, b.Header.ParentHash, at.final}}
	if s.runtime, err = g.runtimeAt(ctx, s.made); err != nil {
		return nil, err
	}
	first, _, err := g.hash(ctx, 0)
	if err == nil {
		s.first = chain.Some(first)
	} else if !errors.Is(err, chain.ErrNotKept) {
		return nil, err
	}
	return s, nil
}

// geneses yields the hashes that may have been signed as the genesis: block 0, the given one, and the parent of block 0, which
// simulated development chains sign; no real chain has it.
func (s *signed) geneses(ctx context.Context) iter.Seq2[chain.Hash, error] {
	return func(yield func(chain.Hash, error) bool) {
		first, has := s.first.Get()
		if has && !yield(first, nil) {
			return
		}
		if given, known := s.given.Get(); known && given != first && !yield(given, nil) {
			return
		}
		if !has {
			return
		}
		if parent, err := s.gateway.parentOfFirst(ctx, first); err != nil || parent != (chain.Hash{}) {
			yield(parent, err)
		}
	}
}

// parentOfFirst returns the parent hash in block 0, requested once.
func (g *Gateway) parentOfFirst(ctx context.Context, first chain.Hash) (parent chain.Hash, err error) {
	if err := g.before.turn.take(ctx); err != nil {
		return parent, err
	}
	defer g.before.turn.leave()
	if known, asked := g.before.parent.Get(); asked {
		return known, nil
	}
	h, err := g.headerOf(ctx, first)
	if err == nil {
		g.before.parent = chain.Some(h.ParentHash)
	}
	return h.ParentHash, err
}

// signer returns the signer of an extrinsic, unknown if no key signed it. Without block 0 a signature is either its signer's
// or not judged.
func (s *signed) signer(ctx context.Context, encoded []byte) (signer chain.Optional[chain.Address], err error) {
	r, err := s.runtime.extrinsics()
	if err != nil {
		return signer, unknown("%w", err)
	}
	x, err := r.Read(encoded)
	if err != nil {
		return signer, unknown("%w", err)
	}
	v, known := r.Metadata().RuntimeVersion()
	switch {
	case !known:
		return signer, unknown("the metadata do not name the runtime's versions")
	case !s.first.Known() && !s.given.Known():
		return signer, unknown("the hash of block 0, which was signed, is not known")
	}
	x.SpecVersion, x.TransactionVersion = v.SpecVersion, v.TransactionVersion
	final := true
	if !x.Era.Immortal() {
		if x.Birth, final, err = s.birth(ctx, x.Era.Birth(s.at.height)); err != nil {
			return signer, err
		}
	}
	if x.BindsMetadata {
		if x.MetadataHash, err = s.runtime.digest(ctx, s.gateway, s.made); err != nil {
			return signer, err
		}
	}
	for genesis, err := range s.geneses(ctx) {
		if err != nil {
			return signer, err
		}
		if x.Genesis = genesis; x.Era.Immortal() {
			x.Birth = genesis
		}
		payload, err := r.Payload(x.Data, &x.Signing)
		if err != nil {
			return signer, unknown("%w", err)
		}
		found, err := x.SignedBy(payload)
		if err != nil {
			continue
		}
		if found == x.Signer {
			return chain.Some(found), nil
		}
		if !signer.Known() {
			signer = chain.Some(found)
		}
	}
	if !s.first.Known() { // the given genesis follows from the chain's name, which other chains may share
		return signer, unknown("the hash of block 0, which was signed, is not kept, and the network's genesis hash does not fit")
	}
	if !final {
		return signer, unknown("its era begins with a block that is not final, whose hash was signed")
	}
	return signer, nil
}

// birth returns the hash of the first block of an era.
func (s *signed) birth(ctx context.Context, height uint64) (hash chain.Hash, final bool, err error) {
	if height == s.made.height {
		return s.made.hash, true, nil
	}
	hash, final, err = s.gateway.hash(ctx, height)
	if errors.Is(err, chain.ErrNotKept) {
		err = unknown("its era begins with block %d, whose hash was signed and is not kept", height)
	}
	return hash, final, err
}

// digest returns the metadata hash that a signer signs, computed from the metadata of version 15, which are requested once.
func (r *runtime) digest(ctx context.Context, g *Gateway, at place) (hash chain.Hash, err error) {
	if err := r.digesting.take(ctx); err != nil {
		return hash, err
	}
	defer r.digesting.leave()
	if hash, known := r.digested.Get(); known {
		return hash, nil
	}
	const version = 15 // version 14 has no digest
	text, err := g.node.MetadataAt(ctx, at.hash, version)
	switch {
	case errors.Is(err, chain.ErrUnsupported), errors.Is(err, rpc.ErrNoMethod):
		return hash, unknown("the hash of the metadata was signed, and the runtime's metadata of version 15 are not known")
	case err != nil:
		return hash, g.stateError(ctx, at, err)
	}
	m, err := metadata.Parse(text)
	if err != nil {
		return hash, malformed("metadata", fmt.Errorf("runtime %s: %w", r.name, err))
	}
	if v, known := m.RuntimeVersion(); !known || runtimeName(v.SpecName, uint64(v.SpecVersion)) != r.name {
		return hash, &rpc.DecodeError{What: "metadata", Err: fmt.Errorf("block %d: metadata version 15 does not belong to runtime %s", at.height, r.name)}
	}
	about, err := g.system(ctx)
	if err != nil {
		return hash, err
	}
	decimals, known := about.decimals.Get()
	if !known {
		return hash, unknown("the hash of the metadata was signed, and the node does not give the token's decimals")
	}
	if hash, err = m.Digest(about.token, decimals); err != nil {
		return hash, unknown("%w", err)
	}
	r.digested = chain.Some(hash)
	return hash, nil
}
