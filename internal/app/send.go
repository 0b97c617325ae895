package app

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/ethtx"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/explain"
	"github.com/feeledger/fees/internal/node/gateway"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/node/state"
	"github.com/feeledger/fees/internal/tx/extrinsic"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// SendRequest sends a signed transaction and optionally waits for it.
type SendRequest struct {
	Node   *rpc.Client
	Signed *SignedTransaction
	Every  time.Duration // polling interval; a second by default
	// Told receives one line for each event.
	Told func(status string)
}

// Sent is a transaction that may be in a block from a height on.
type Sent struct {
	node  *rpc.Client
	from  uint64
	dies  chain.Optional[uint64] // the first block after its era
	every time.Duration
	told  func(status string)
	// is reports whether an extrinsic is the transaction. It reads the runtime that executed the block only
	// if needed.
	is func(encoded []byte, runtime func() (*extrinsic.Runtime, error)) (bool, error)
}

// ErrDied reports that a transaction has expired.
var ErrDied = failure.New(failure.DoesNotHold, "the transaction has expired")

// Send sends the transaction.
func Send(ctx context.Context, q SendRequest) (*Sent, error) {
	if q.Told == nil {
		q.Told = func(string) {}
	}
	if q.Every == 0 {
		q.Every = time.Second
	}
	if err := q.check(ctx); err != nil {
		return nil, err
	}
	head, err := q.Node.Header(ctx, chain.Optional[chain.Hash]{})
	if err != nil {
		return nil, err
	}
	if q.Signed.Layer == EVMLayer {
		err = q.Node.SendRawTransaction(ctx, q.Signed.Raw, q.Signed.Hash)
	} else {
		err = q.Node.SubmitExtrinsic(ctx, q.Signed.Raw, q.Signed.Hash)
	}
	if err != nil {
		return nil, err
	}
	q.Told(fmt.Sprintf("sent %v", q.Signed.Hash))
	return &Sent{q.Node, head.Number + 1, q.Signed.Dies, q.Every, q.Told, q.is}, nil
}

// is reports whether an extrinsic is the transaction that was sent.
func (q SendRequest) is(encoded []byte, runtime func() (*extrinsic.Runtime, error)) (bool, error) {
	if q.Signed.Layer == NativeLayer {
		return extrinsic.Hash(encoded) == q.Signed.Hash, nil
	}
	r, err := runtime()
	if err != nil {
		return false, err
	}
	return isEVM(r, encoded, q.Signed.Hash), nil
}

// check compares the bytes with the file's statements, and the transaction's chain with the node's.
func (q *SendRequest) check(ctx context.Context) error {
	s := q.Signed
	switch s.Layer {
	case EVMLayer:
		return q.checkEVM(ctx)
	case NativeLayer:
	default:
		return notUnderstood("layer %q: want native or evm", s.Layer)
	}
	if err := s.checkHash(extrinsic.Hash(s.Raw)); err != nil {
		return err
	}
	signed, known := s.Genesis.Get()
	if !known {
		return notUnderstood("The file lacks the chain's genesis hash. Sign the draft again.")
	}
	genesis, err := genesisOf(ctx, q.Node)
	if err == nil && genesis != signed {
		err = notUnderstood("The transaction is for genesis hash %v, but the node's is %v. Use a node of the right chain.", signed, genesis)
	}
	return err
}

func (q *SendRequest) checkEVM(ctx context.Context) error {
	t, err := ethtx.Parse(q.Signed.Raw)
	if err != nil {
		return notUnderstood("%v", err)
	}
	hash, err := t.Hash()
	if err != nil {
		return notUnderstood("%v", err)
	}
	if err := q.Signed.checkHash(hash); err != nil {
		return err
	}
	if t.ChainID == 0 {
		return errNoChainID
	}
	id, err := q.Node.EthChainID(ctx)
	if err == nil && id != t.ChainID {
		err = notUnderstood("The transaction is for EVM chain ID %d, but the node's is %d. Use a node of the right chain.", t.ChainID, id)
	}
	return err
}

func (s *SignedTransaction) checkHash(hash chain.Hash) error {
	if s.Hash != hash {
		return notUnderstood("the hash of the transaction is %v, not %v as the file states", hash, s.Hash)
	}
	return nil
}

// Included is the position of a transaction in the chain.
type Included struct {
	Height uint64
	Block  chain.Hash
	Index  int
	Final  bool
}

// Wait waits until the transaction is in a block, or in a final block. It returns [ErrDied] if the era ends first.
func (s *Sent) Wait(ctx context.Context, final bool) (in Included, err error) {
	seen := false
	for next := s.from; ; {
		head, err := s.head(ctx, final)
		if err != nil {
			return in, err
		}
		for ; next <= head.Number; next++ {
			in, found, err := s.look(ctx, next)
			if err != nil {
				return in, err
			}
			if found {
				in.Final = final
				return in, nil
			}
		}
		if final && !seen { // report the block before it is final
			if best, err := s.head(ctx, false); err == nil {
				for height := next; height <= best.Number && !seen; height++ {
					if in, found, err := s.look(ctx, height); err == nil && found {
						s.told(fmt.Sprintf("in block %d (%v), not final yet", in.Height, in.Block))
						seen = true
					}
				}
			}
		}
		if dies, ends := s.dies.Get(); ends && final && head.Number+1 >= dies {
			return in, fmt.Errorf("%w: its era ended before block %d", ErrDied, dies)
		}
		select {
		case <-ctx.Done():
			return in, ctx.Err()
		case <-time.After(s.every):
		}
	}
}

func (s *Sent) head(ctx context.Context, final bool) (rpc.Header, error) {
	if !final {
		return s.node.Header(ctx, chain.Optional[chain.Hash]{})
	}
	hash, err := s.node.FinalizedHead(ctx)
	if err != nil {
		return rpc.Header{}, err
	}
	return s.node.Header(ctx, chain.Some(hash))
}

// look looks for the transaction in a block.
func (s *Sent) look(ctx context.Context, height uint64) (in Included, found bool, err error) {
	hashes, err := s.node.Hashes(ctx, []uint64{height})
	if err != nil {
		return in, false, err
	}
	hash, known := hashes[0].Get()
	if !known {
		return in, false, fmt.Errorf("block %d: %w", height, chain.ErrNoBlock)
	}
	list, err := s.node.Extrinsics(ctx, hash)
	if err != nil {
		return in, false, err
	}
	runtime := sync.OnceValues(func() (*extrinsic.Runtime, error) {
		view, err := state.Open(ctx, s.node, chain.Some(height), extrinsic.Token{})
		if err != nil {
			return nil, err
		}
		return view.Runtime, nil
	})
	for i, encoded := range list {
		is, err := s.is(encoded, runtime)
		if err != nil {
			return in, false, err
		}
		if is {
			return Included{Height: height, Block: hash, Index: i}, true, nil
		}
	}
	return in, false, nil
}

// isEVM reports whether an extrinsic contains the EVM transaction with a hash.
func isEVM(r *extrinsic.Runtime, encoded []byte, hash chain.Hash) bool {
	x, err := r.Read(encoded)
	if err != nil {
		return false
	}
	payload, err := sidecar.DecodePayload(x.Call.Member("args").Raw())
	if err != nil {
		return false
	}
	t, err := ethtx.OfPayload(payload)
	if err != nil {
		return false
	}
	own, err := t.Hash()
	return err == nil && own == hash
}

// Charged explains the fee that the node's chain charged for an included transaction, with its proof.
func (in Included) Charged(ctx context.Context, node *rpc.Client, tables network.Tables) (*explain.Explanation, error) {
	reader := &source.Reader{Source: source.Of(gateway.New(node)), Tables: tables, Unfinalized: true}
	ref, err := source.ParseRef(in.Block.String())
	if err != nil {
		return nil, err
	}
	return Explain(ctx, reader, TransactionRef{block: ref, index: in.Index})
}
