package state

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/render"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
	"github.com/feeledger/fees/internal/tx/extrinsic"
)

// View is the state after a block.
type View struct {
	At      render.At
	Runtime *extrinsic.Runtime
	// Metadata are the runtime's, as the node supplied them.
	Metadata []byte

	token   extrinsic.Token // the format of amounts
	node    *rpc.Client
	parent  chain.Hash
	answers *render.Runtime
}

// Open opens the state of the block at a height, or of the newest final one. The token sets the format of amounts; the zero value
// accepts only integers.
func Open(ctx context.Context, node *rpc.Client, height chain.Optional[uint64], token extrinsic.Token) (*View, error) {
	v := &View{node: node, token: token}
	at, given := height.Get()
	if given {
		list, err := node.Hashes(ctx, []uint64{at})
		if err != nil {
			return nil, err
		}
		hash, known := list[0].Get()
		if !known {
			return nil, fmt.Errorf("block %d: %w", at, chain.ErrNoBlock)
		}
		v.At.Hash = hash
	} else {
		hash, err := node.FinalizedHead(ctx)
		if err != nil {
			return nil, err
		}
		v.At.Hash = hash
	}
	header, err := node.Header(ctx, chain.Some(v.At.Hash))
	if err != nil {
		return nil, err
	}
	if given && header.Number != at {
		return nil, &rpc.DecodeError{What: "header", Err: fmt.Errorf("the node returned %v for height %d, but that is block %d", v.At.Hash, at, header.Number)}
	}
	v.At.Height, v.parent = header.Number, header.ParentHash
	if v.At.Height == 0 {
		v.parent = v.At.Hash
	}
	if v.Metadata, err = node.Metadata(ctx, v.parent); err != nil {
		return nil, err
	}
	return v, v.compile()
}

func (v *View) compile() error {
	m, err := metadata.Parse(v.Metadata)
	if err != nil {
		return &rpc.DecodeError{What: "metadata", Err: err}
	}
	if v.Runtime, err = extrinsic.NewReader(m, v.token); err != nil {
		return fmt.Errorf("%w: %w", chain.ErrUnsupported, err)
	}
	if v.answers, err = render.NewRuntime(m); err != nil {
		return fmt.Errorf("%w: %w", chain.ErrUnsupported, err)
	}
	return nil
}

// TokenOf returns the chain's first token as the node states it (system_properties), with symbol "" if it does not. The node may
// be wrong: use the result only for comparison, never to read amounts.
func TokenOf(ctx context.Context, node *rpc.Client) (token extrinsic.Token, err error) {
	properties, err := node.Call(ctx, "system_properties")
	if errors.Is(err, rpc.ErrNoMethod) {
		return token, nil
	}
	if err != nil {
		return token, err
	}
	first := func(name string) jsonscan.Value {
		v := properties.Member(name)
		if v.Kind() == jsonscan.Array {
			return v.Index(0)
		}
		return v
	}
	symbol, named := first("tokenSymbol").Text()
	decimals, err := jsonread.Uint64(first("tokenDecimals"))
	if !named || err != nil || decimals > 36 {
		return extrinsic.Token{}, nil
	}
	return extrinsic.Token{Symbol: symbol, Decimals: int(decimals)}, nil
}

// Version returns the runtime version and the transaction version of the view.
func (v *View) Version(ctx context.Context) (spec, transaction uint32, err error) {
	version, err := v.node.Call(ctx, "state_getRuntimeVersion", v.At.Hash)
	if err != nil {
		return 0, 0, err
	}
	for _, part := range []struct {
		name string
		to   *uint32
	}{{"specVersion", &spec}, {"transactionVersion", &transaction}} {
		n, err := jsonread.Uint64(version.Member(part.name))
		if err == nil && n > 1<<32-1 {
			err = errors.New("more than 32 bits")
		}
		if err != nil {
			return 0, 0, &rpc.DecodeError{What: "runtime version", Err: fmt.Errorf("%s: %w", part.name, err)}
		}
		*part.to = uint32(n)
	}
	return spec, transaction, nil
}

// MetadataAt returns a version of the runtime's metadata, for [metadata.Parse], or [chain.ErrUnsupported] if the runtime does not have
// that version.
func (v *View) MetadataAt(ctx context.Context, version uint32) ([]byte, error) {
	return v.node.MetadataAt(ctx, v.parent, version)
}

// item finds a storage item by its name, such as system.account, and its keys as a user writes them.
func (v *View) item(name string, keys []string) (*render.Item, error) {
	pallet, entry, err := v.entry(name)
	if err != nil {
		return nil, err
	}
	coded := make([]string, len(keys))
	for i, key := range keys {
		coded[i] = key
		if id, known := v.keyType(entry, i, len(keys)); known && !strings.HasPrefix(key, "0x") && strings.Trim(key, "0123456789") != "" {
			bytes, err := v.Runtime.Text(nil, id, key)
			if err != nil {
				return nil, fmt.Errorf("%s, key %d (%s): %w", name, i+1, v.Runtime.Metadata().Describe(id), err)
			}
			coded[i] = "0x" + hex.EncodeToString(bytes)
		}
	}
	return v.answers.Item(pallet.Name, entry.Name, coded)
}

// keyType returns the type of a key of a map, if the number of keys is right.
func (v *View) keyType(e *metadata.StorageEntry, at, of int) (metadata.TypeID, bool) {
	switch hashers := len(e.Hashers); {
	case hashers != of || of == 0:
		return 0, false
	case hashers == 1:
		return e.Key, true
	}
	elements := v.Runtime.Metadata().Types[e.Key].Elements
	if at >= len(elements) {
		return 0, false
	}
	return elements[at], true
}

func (v *View) entry(name string) (*metadata.Pallet, *metadata.StorageEntry, error) {
	pallet, item, two := strings.Cut(name, ".")
	if !two || item == "" {
		return nil, nil, fmt.Errorf("%q: want PALLET.ITEM, such as system.account", jsonscan.Excerpt(name))
	}
	p, err := extrinsic.FindPallet(v.Runtime.Metadata(), pallet)
	if err != nil {
		return nil, nil, err
	}
	var names []string
	for i := range p.Storage {
		e := &p.Storage[i]
		if strings.EqualFold(scalejson.CamelCase(e.Name), scalejson.CamelCase(item)) {
			return p, e, nil
		}
		names = append(names, scalejson.CamelCase(e.Name))
	}
	return nil, nil, fmt.Errorf("the pallet %s has no storage item %q. It has: %s", jsonscan.Excerpt(pallet), jsonscan.Excerpt(item), orNothing(names))
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// Query returns a storage item in Sidecar's form: {"at", "pallet", "palletIndex", "storageItem", "keys", "value"}.
func (v *View) Query(ctx context.Context, name string, keys []string) (jsonscan.Value, error) {
	item, err := v.item(name, keys)
	if err != nil {
		return jsonscan.Value{}, err
	}
	stored, err := v.node.Storage(ctx, v.At.Hash, item.Place())
	if err != nil {
		return jsonscan.Value{}, err
	}
	return answered(item, v.At, stored[0])
}

func answered(item *render.Item, at render.At, stored []byte) (jsonscan.Value, error) {
	text, err := item.Answer(at, stored)
	if err != nil {
		return jsonscan.Value{}, &rpc.DecodeError{What: "storage", Err: err}
	}
	return jsonscan.Parse(string(text))
}

// Constant returns a constant of a pallet, such as transactionPayment.operationalFeeMultiplier.
func (v *View) Constant(name string) (value jsonscan.Value, kind string, err error) {
	m := v.Runtime.Metadata()
	pallet, constant, two := strings.Cut(name, ".")
	if !two || constant == "" {
		return value, "", fmt.Errorf("%q: want PALLET.CONSTANT, such as transactionPayment.operationalFeeMultiplier", jsonscan.Excerpt(name))
	}
	p, err := extrinsic.FindPallet(m, pallet)
	if err != nil {
		return value, "", err
	}
	var names []string
	for i := range p.Constants {
		c := &p.Constants[i]
		if strings.EqualFold(scalejson.CamelCase(c.Name), scalejson.CamelCase(constant)) {
			value, err = v.constant(c)
			return value, m.Describe(c.Type), err
		}
		names = append(names, scalejson.CamelCase(c.Name))
	}
	return value, "", fmt.Errorf("the pallet %s has no constant %q. It has: %s", jsonscan.Excerpt(pallet), jsonscan.Excerpt(constant), orNothing(names))
}

func (v *View) constant(c *metadata.Constant) (jsonscan.Value, error) {
	w := &scalejson.Writer{Reader: scale.NewReader(c.Value)}
	v.Runtime.Value(w, c.Type)
	if err := w.End(); err != nil {
		return jsonscan.Value{}, &rpc.DecodeError{What: "constant " + c.Name, Err: err}
	}
	return jsonscan.Parse(string(w.Text))
}

// Priced returns the time of a block at or before the view's, and the multiplier that priced it. It returns an error for blocks before a
// runtime upgrade that changed the storage of either.
func (v *View) Priced(ctx context.Context, height uint64) (when chain.Time, multiplier chain.Multiplier, err error) {
	hashes, err := v.node.Hashes(ctx, []uint64{height - 1, height})
	if err != nil {
		return when, multiplier, err
	}
	var at [2]render.At
	for i, h := range hashes {
		hash, known := h.Get()
		if !known {
			return when, multiplier, fmt.Errorf("block %d: %w", height-1+uint64(i), chain.ErrNoBlock)
		}
		at[i] = render.At{Hash: hash, Height: height - 1 + uint64(i)}
	}
	value := func(name string, at render.At) (jsonscan.Value, error) {
		item, err := v.item(name, nil)
		if err != nil {
			return jsonscan.Value{}, err
		}
		stored, err := v.node.Storage(ctx, at.Hash, item.Place())
		if err != nil {
			return jsonscan.Value{}, err
		}
		answer, err := answered(item, at, stored[0])
		return answer.Member("value"), err
	}
	left, err := value("transactionPayment.nextFeeMultiplier", at[0])
	if err != nil {
		return when, multiplier, err
	}
	if multiplier, err = jsonread.Multiplier(left); err != nil {
		return when, multiplier, err
	}
	now, err := value("timestamp.now", at[1])
	if err != nil {
		return when, multiplier, err
	}
	ms, err := jsonread.Uint64(now)
	if err == nil {
		when, err = chain.TimeAt(ms)
	}
	return when, multiplier, err
}
