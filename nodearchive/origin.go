package nodearchive

import (
	"context"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/nodeclient"
	"github.com/feeledger/fees/trie"
	"github.com/feeledger/fees/wire"
)

// Origin is where an archive is recorded from: a node ([FromNode]), or an archive.
type Origin interface {
	Call(ctx context.Context, method string, params ...any) (wire.Value, error)
	FinalizedHead(ctx context.Context) (chain.Hash, error)
	Hashes(ctx context.Context, heights []uint64) ([]chain.Optional[chain.Hash], error)
	Header(ctx context.Context, block chain.Optional[chain.Hash]) (nodeclient.Header, error)
	Metadata(ctx context.Context, block chain.Hash) ([]byte, error)
	ReadProof(ctx context.Context, block chain.Hash, keys ...[]byte) ([][]byte, error)
	// Given are blocks with the read proofs of some keys.
	Given(ctx context.Context, blocks []chain.Hash, keys [][]byte) ([]Given, error)
}

// Given is a block as somebody gives it: nothing of it is proved.
type Given struct {
	nodeclient.Block
	Proof [][]byte
}

// FromNode is a node to record from.
func FromNode(node *nodeclient.Client) Origin { return fromNode{node} }

type fromNode struct{ *nodeclient.Client }

// Given asks for blocks in one message.
func (n fromNode) Given(ctx context.Context, hashes []chain.Hash, keys [][]byte) ([]Given, error) {
	batch := n.Batch()
	type asked struct {
		block nodeclient.Pending[nodeclient.Block]
		proof nodeclient.Pending[[][]byte]
	}
	list := make([]asked, len(hashes))
	for i, hash := range hashes {
		list[i] = asked{batch.Block(hash), batch.ReadProof(hash, keys...)}
	}
	if err := batch.Ask(ctx); err != nil {
		return nil, err
	}
	given := make([]Given, len(hashes))
	for i := range list {
		var err error
		if given[i].Block, err = list[i].block.Get(); err == nil {
			given[i].Proof, err = list[i].proof.Get()
		}
		if err != nil {
			return nil, fmt.Errorf("block %v: %w", hashes[i], err)
		}
	}
	return given, nil
}

// Given are blocks of the archive with their proofs.
func (a *Archive) Given(ctx context.Context, hashes []chain.Hash, keys [][]byte) ([]Given, error) {
	given := make([]Given, len(hashes))
	for i, hash := range hashes {
		var err error
		if given[i].Block, err = a.Block(ctx, chain.Some(hash)); err == nil {
			given[i].Proof, err = a.ReadProof(ctx, hash, keys...)
		}
		if err != nil {
			return nil, err
		}
	}
	return given, nil
}

// ReadProof is what proves what the state of a block has at some keys that are kept. That of
// the runtime's code is kept at one block.
func (a *Archive) ReadProof(_ context.Context, block chain.Hash, places ...[]byte) (parts [][]byte, err error) {
	h, err := a.find(block)
	if err != nil {
		return nil, err
	}
	if len(places) == 1 && string(places[0]) == string(codeKey) {
		return a.codeAt(h.Number)
	}
	s, _, err := a.segmentOf(h.Number)
	if err != nil {
		return nil, err
	}
	keys := make([]key, len(places))
	for i, place := range places {
		keys[i] = key{fmt.Sprintf("the key 0x%x", place), place}
	}
	return way(&h, s.proof, keys, map[trie.Hash]bool{})
}

func (a *Archive) codeAt(height uint64) ([][]byte, error) {
	for i := range a.manifest.Runtimes {
		if r := &a.manifest.Runtimes[i]; r.Code != nil && r.Code.At == height {
			return a.code(r)
		}
	}
	return nil, fmt.Errorf("%s: the code that block %d left behind: %w", a.name, height, chain.ErrNotKept)
}
