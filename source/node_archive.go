package source

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/archive/proofs"
	"github.com/feeledger/fees/internal/node/gateway"
)

// nodeArchive is an archive of a node: it builds the responses from stored, proved data.
type nodeArchive struct {
	*gatewayclient.Client
	archive *proofs.Archive
	gateway *gateway.Gateway
	name    string
	final   evidence.Finality
}

func openNodeArchive(place string, o Options) (Source, error) {
	trusted := o.Trusted
	archive, err := proofs.Open(place, trusted)
	if err == nil && !trusted.Known() && o.Known != nil {
		err = archive.TrustOneOf(o.Known)
	}
	if err != nil {
		return nil, err
	}
	gateway, err := archive.Gateway()
	if err != nil {
		return nil, err
	}
	return &nodeArchive{gatewayclient.Of(gateway), archive, gateway, place, o.Final}, nil
}

// Kept returns the heights in the archive.
func (s *nodeArchive) Kept() (chain.Heights, error) { return s.archive.Kept(), nil }

// Proved returns the checkpoint.
func (s *nodeArchive) Proved() chain.Optional[chain.Anchor] { return s.archive.Proved() }

// Head returns the archive's last block. An archive contains a fixed range, so the newest and the newest final
// block are the same.
func (s *nodeArchive) Head(ctx context.Context, _ bool) (*chain.Block, error) {
	return s.Client.Head(ctx, false)
}

// Block returns the block at a height.
func (s *nodeArchive) Block(ctx context.Context, height uint64) (*chain.Block, error) {
	if kept := s.archive.Kept(); height < kept.First || height > kept.Last {
		return nil, fmt.Errorf("%s: block %d: %w: the archive contains blocks %d to %d", s.name, height, chain.ErrNotKept, kept.First, kept.Last)
	}
	return s.Client.Block(ctx, height)
}

// BlockByHash returns the block with that hash.
func (s *nodeArchive) BlockByHash(ctx context.Context, hash chain.Hash) (*chain.Block, error) {
	b, err := s.Client.BlockByHash(ctx, hash)
	if errors.Is(err, chain.ErrNoBlock) {
		return nil, fmt.Errorf("%s: block %v: %w", s.name, hash, chain.ErrNotKept)
	}
	return b, err
}

// Extrinsics returns the encoded extrinsics of a block.
func (s *nodeArchive) Extrinsics(ctx context.Context, block chain.Hash) ([][]byte, error) {
	return s.archive.Extrinsics(ctx, block)
}

// NativeSigners returns the signers of a block's native extrinsics.
func (s *nodeArchive) NativeSigners(ctx context.Context, block chain.Hash, genesis chain.Optional[chain.Hash]) ([]chain.NativeSigner, error) {
	return s.gateway.NativeSigners(ctx, block, genesis)
}
