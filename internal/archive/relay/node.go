package relay

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/grandpa"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// Storage keys: Grandpa.CurrentSetId, Grandpa.Authorities and, in earlier runtimes, :grandpa_authorities, whose value has a
// version byte first; ParachainInfo.ParachainId.
var (
	setIDKey            = unhex("5f9cc45b7a00c5899361e1c6099678dc8a2d09463effcc78a22d75b9cb87dffc")
	authoritiesKey      = unhex("5f9cc45b7a00c5899361e1c6099678dc5e0621c4869aa60c02be9adcc98a0d1d")
	earlyAuthoritiesKey = []byte(":grandpa_authorities")
	paraIDKey           = unhex("0d715f2646c8f85767b5d2764bb2782604a74d81251e398fd8a0a4d55023bb3f")
)

func unhex(text string) []byte {
	b, err := hex.DecodeString(text)
	if err != nil {
		panic(err) // a constant
	}
	return b
}

func hexText(b []byte) string { return "0x" + hex.EncodeToString(b) }

// node is a node of the chain that finalizes itself.
type node struct{ *rpc.Client }

// storage returns the value at a key after a block, nil for none.
func (n node) storage(ctx context.Context, key []byte, at chain.Hash) ([]byte, error) {
	v, err := n.Call(ctx, "state_getStorage", hexText(key), at)
	if err != nil || v.Kind() == jsonscan.Null {
		return nil, err
	}
	return readHex(v)
}

func readHex(v jsonscan.Value) ([]byte, error) {
	text, _ := v.Text()
	digits, prefixed := strings.CutPrefix(text, "0x")
	b, err := hex.DecodeString(digits)
	if err != nil || !prefixed {
		return nil, fmt.Errorf("the node answers %s, want bytes in 0x-hex", jsonscan.Excerpt(v.Raw()))
	}
	return b, nil
}

// setIDAfter returns the ID of the set that finalizes the blocks above a block. The block itself is finalized by the set
// after its parent.
func (n node) setIDAfter(ctx context.Context, height uint64) (uint64, error) {
	hash, err := n.BlockHash(ctx, height)
	if err != nil {
		return 0, err
	}
	value, err := n.storage(ctx, setIDKey, hash)
	if err != nil {
		return 0, fmt.Errorf("the set at block %d: %w; use a node that keeps old states (an archive node)", height, err)
	}
	if value == nil {
		return 0, errors.New("the chain has no set of validators that finalizes its blocks; name its relay chain's node with --relay")
	}
	r := scale.NewReader(value)
	id := r.U64()
	return id, r.End()
}

// setAfter returns the set that finalizes the blocks above a block, as the node states it.
func (n node) setAfter(ctx context.Context, height uint64) (*grandpa.Set, error) {
	id, err := n.setIDAfter(ctx, height)
	if err != nil {
		return nil, err
	}
	hash, err := n.BlockHash(ctx, height)
	if err != nil {
		return nil, err
	}
	list, err := n.storage(ctx, authoritiesKey, hash)
	if err == nil && list == nil {
		if list, err = n.storage(ctx, earlyAuthoritiesKey, hash); len(list) > 0 {
			list = list[1:]
		}
	}
	if err != nil {
		return nil, err
	}
	return grandpa.NewSet(id, list)
}

// engine is "FRNK" as a node writes it: numbers or hex.
var engines = []string{"[70,82,78,75]", `"0x46524e4b"`, `"FRNK"`}

// justification returns the stored justification of a block, nil for none.
func (n node) justification(ctx context.Context, hash chain.Hash) ([]byte, error) {
	v, err := n.Call(ctx, "chain_getBlock", hash)
	if err != nil {
		return nil, err
	}
	for pair := range v.Member("justifications").Elements() {
		engine := strings.ReplaceAll(pair.Index(0).Raw(), " ", "")
		for _, known := range engines {
			if strings.EqualFold(engine, known) {
				return readBytes(pair.Index(1))
			}
		}
	}
	return nil, nil
}

// readBytes reads bytes as hex, or as an array of numbers.
func readBytes(v jsonscan.Value) (b []byte, err error) {
	if v.Kind() != jsonscan.Array {
		return readHex(v)
	}
	for element := range v.Elements() {
		n, err := jsonread.Uint64(element)
		if err != nil || n > math.MaxUint8 {
			return nil, fmt.Errorf("a justification has %s, want a byte", jsonscan.Excerpt(element.Raw()))
		}
		b = append(b, byte(n))
	}
	return b, nil
}

// proveFinality returns a justification of a block or of one above it (grandpa_proveFinality), nil if the node has none.
func (n node) proveFinality(ctx context.Context, height uint64) ([]byte, error) {
	v, err := n.Call(ctx, "grandpa_proveFinality", height)
	if err != nil || v.Kind() == jsonscan.Null {
		return nil, err
	}
	encoded, err := readHex(v)
	if err != nil {
		return nil, err
	}
	p, err := grandpa.ReadFinalityProof(encoded)
	return p.Justification, err
}

// headers returns the headers from a block down to a height, the highest first.
func (n node) headers(ctx context.Context, from chain.Anchor, lowest uint64) (list []*header.Header, err error) {
	if from.Height >= lowest && from.Height-lowest >= maxAncestors {
		return nil, fmt.Errorf("blocks %d to %d: %d headers exceed the limit of %d", lowest, from.Height, from.Height-lowest+1, maxAncestors)
	}
	at, more := from, from.Height >= lowest
	for more && at.Height >= lowest {
		h, err := n.Header(ctx, chain.Some(at.Hash))
		if err != nil {
			return nil, err
		}
		parent, err := header.Prove(at, &h.Header)
		if err != nil {
			return nil, err
		}
		list = append(list, &h.Header)
		at, more = parent.Get()
	}
	return list, nil
}

// maxAncestors limits the headers between a final block and the one to prove: more than a day of relay blocks.
const maxAncestors = 20_000
