package gateway

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/block"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/render"
)

// named returns the block that a path component names by hash or height.
func (g *Gateway) named(ctx context.Context, id string) (place, error) {
	refuse := func(format string, args ...any) (place, error) {
		return place{}, render.Refused(http.StatusBadRequest, format, args...)
	}
	switch {
	case strings.HasPrefix(id, "0x"):
		bytes, err := hex.DecodeString(id[2:])
		if err != nil && len(id)%2 == 0 {
			return refuse("Cannot get block hash for %s. Hex string block IDs must be a valid hex string and must be 32-bytes (66-characters) in length.", id)
		}
		if err != nil || len(bytes) != 32 {
			return refuse("Cannot get block hash for %s. Hex string block IDs must be 32-bytes (66-characters) in length.", id)
		}
		return g.byHash(ctx, chain.Hash(bytes))
	case strings.Trim(id, "0123456789") != "" || id == "":
		return refuse("Cannot get block hash for %s. Block IDs must be either 32-byte hex strings or non-negative decimal integers.", id)
	}
	height, err := strconv.ParseUint(id, 10, 64)
	if err != nil || height > math.MaxUint32 {
		head, err := g.node.Header(ctx, chain.Optional[chain.Hash]{})
		if err != nil {
			return place{}, err
		}
		return place{}, &render.RefusedError{Status: http.StatusBadRequest, Meaning: chain.ErrNoBlock, Message: fmt.Sprintf(
			"Specified block number is larger than the current largest block. The largest known block number is %d.", head.Number)}
	}
	hash, final, err := g.hash(ctx, height)
	return place{height, hash, final}, err
}

// byHash returns the block with a hash.
func (g *Gateway) byHash(ctx context.Context, hash chain.Hash) (place, error) {
	header, err := g.headerOf(ctx, hash)
	if err != nil {
		return place{}, err
	}
	return g.placed(ctx, header.Number, hash)
}

// placed returns the position of an existing block. It is final if it is the final block at its height.
func (g *Gateway) placed(ctx context.Context, height uint64, hash chain.Hash) (place, error) {
	there, final, err := g.hash(ctx, height)
	if errors.Is(err, chain.ErrNoBlock) { // it is on a branch longer than the best one
		err = nil
	}
	return place{height, hash, final && there == hash}, err
}

// at returns the block whose state is requested: the newest final one by default.
func (g *Gateway) at(ctx context.Context, id string) (place, error) {
	if id == "" {
		return g.finalHead(ctx)
	}
	return g.named(ctx, id)
}

func (p place) of() render.At { return render.At{Hash: p.hash, Height: p.height} }

// newest returns the head: the newest final block or the newest block.
func (g *Gateway) newest(ctx context.Context, query url.Values) (place, error) {
	if query.Get("finalized") != "false" {
		return g.finalHead(ctx)
	}
	newest, err := g.node.Header(ctx, chain.Optional[chain.Hash]{})
	if err != nil {
		return place{}, err
	}
	return g.placed(ctx, newest.Number, newest.Header.Hash())
}

func (g *Gateway) head(ctx context.Context, query url.Values) (string, error) {
	at, err := g.newest(ctx, query)
	if err != nil {
		return "", err
	}
	return g.blockAt(ctx, at, query)
}

func (g *Gateway) block(ctx context.Context, id string, query url.Values) (string, error) {
	at, err := g.named(ctx, id)
	if err != nil {
		return "", err
	}
	return g.blockAt(ctx, at, query)
}

func (g *Gateway) headHeader(ctx context.Context, query url.Values) (string, error) {
	at, err := g.newest(ctx, query)
	if err != nil {
		return "", err
	}
	return g.headerAt(ctx, at)
}

func (g *Gateway) header(ctx context.Context, id string) (string, error) {
	at, err := g.named(ctx, id)
	if err != nil {
		return "", err
	}
	return g.headerAt(ctx, at)
}

func (g *Gateway) headerAt(ctx context.Context, at place) (string, error) {
	header, err := g.headerOf(ctx, at.hash)
	if errors.Is(err, chain.ErrNoBlock) && at.final {
		err = g.missing(ctx, at, err)
	}
	if err == nil {
		err = g.rightHeight(at, header.Number)
	}
	if err != nil {
		return "", err
	}
	asked := render.Header(header)
	text, err := asked.Answer()
	return string(text), err
}

// rightHeight checks that a block is at the height that the node stated. If it is not, it discards everything learned about
// heights.
func (g *Gateway) rightHeight(at place, have uint64) error {
	wrong := wrongHeight(at.hash, at.height, have)
	if wrong != nil {
		g.heights.forget()
	}
	return wrong
}

// checkFlags checks that boolean parameters are true or false, as Sidecar does for these three.
func checkFlags(query url.Values) error {
	var wrong []string
	for _, flag := range []string{"eventDocs", "extrinsicDocs", "finalized"} {
		value := strings.Join(query[flag], ",")
		if lower := strings.ToLower(value); value != "" && lower != "true" && lower != "false" {
			wrong = append(wrong, fmt.Sprintf("Query parameter: %s has an invalid boolean value of %s", flag, value))
		}
	}
	if wrong == nil {
		return nil
	}
	return render.Refused(http.StatusBadRequest, "%s", strings.Join(wrong, " - "))
}

// Block returns the block at a path of blocks, such as /blocks/25, decoded from the node's data. Its errors are those of
// [Gateway.Get].
func (g *Gateway) Block(ctx context.Context, path string) (*chain.Block, error) {
	b, err := g.decode(ctx, path)
	return b, meaning(err)
}

func (g *Gateway) decode(ctx context.Context, path string) (*chain.Block, error) {
	u, err := url.ParseRequestURI(path)
	if err != nil {
		return nil, noSuchPath(path)
	}
	id, isBlock := strings.CutPrefix(u.Path, "/blocks/")
	if !isBlock {
		return nil, noSuchPath(path)
	}
	query := u.Query()
	var at place
	if id == "head" {
		at, err = g.newest(ctx, query)
	} else {
		at, err = g.named(ctx, id)
	}
	if err != nil {
		return nil, err
	}
	r, served, err := g.serve(ctx, at, query)
	if err != nil {
		return nil, err
	}
	decoder, err := r.decoder()
	if err != nil {
		return nil, fmt.Errorf("runtime %s: %w: %w", r.name, chain.ErrUnsupported, err)
	}
	b, err := decoder.Decode(&block.Encoded{
		Hash: served.Hash, Header: header.Header(served.Header), Extrinsics: served.Extrinsics, Events: served.Events, Finalized: served.Finalized,
	})
	if err != nil {
		return nil, malformed("block", err)
	}
	b.Reported = jsonread.Rendered(func() (string, error) {
		text, err := r.AppendBlock(nil, served)
		return string(text), err
	})
	return b, nil
}

// blockAt returns the answer for a block.
func (g *Gateway) blockAt(ctx context.Context, at place, query url.Values) (string, error) {
	if query.Get("decodedXcmMsgs") == "true" {
		return "", render.Refused(http.StatusBadRequest, "decodedXcmMsgs is not supported")
	}
	r, b, err := g.serve(ctx, at, query)
	if err != nil {
		return "", err
	}
	room := bufPool.Get().(*[]byte)
	defer bufPool.Put(room)
	text, err := r.AppendBlock((*room)[:0], b)
	if cap(text) > 0 && cap(text) <= maxPooledBytes {
		*room = text
	}
	return string(text), malformed("block", err)
}

// serve returns a block as the node serves it, and the runtime that executed it.
func (g *Gateway) serve(ctx context.Context, at place, query url.Values) (*runtime, *render.Block, error) {
	defer g.recent.make(at.hash)()
	raw, err := g.raw(ctx, at.hash)
	if errors.Is(err, chain.ErrNoBlock) && at.final {
		err = g.missing(ctx, at, err)
	}
	if err == nil {
		err = g.rightHeight(at, raw.Header.Number)
	}
	if err != nil {
		return nil, nil, err
	}
	made := at // with the runtime after its parent
	if at.height > 0 {
		made = place{at.height - 1, raw.Header.ParentHash, at.final}
	}
	r, err := g.runtimeAt(ctx, made)
	if err != nil {
		return nil, nil, err
	}
	b := &render.Block{
		Hash:          at.hash,
		Header:        render.Header(raw.Header.Header),
		Extrinsics:    raw.Extrinsics,
		NoFees:        query.Get("noFees") == "true",
		EventDocs:     query.Get("eventDocs") == "true",
		ExtrinsicDocs: query.Get("extrinsicDocs") == "true",
	}
	if query.Get("finalizedKey") != "false" {
		b.Finalized = chain.Some(at.final)
	}
	return r, b, g.state(ctx, r, b)
}

// bufPool holds buffers for rendered blocks.
var bufPool = sync.Pool{New: func() any { return new([]byte) }}

// maxPooledBytes is the largest buffer kept in the pool.
const maxPooledBytes = 1 << 20

// raw returns a block as the node supplies it.
func (g *Gateway) raw(ctx context.Context, hash chain.Hash) (*rpc.Block, error) {
	if b := g.recent.block(hash); b != nil {
		return b, nil
	}
	b, err := g.node.Block(ctx, chain.Some(hash))
	if err != nil {
		return nil, err
	}
	g.recent.keepBlock(&b, hash)
	return &b, nil
}

// Extrinsics returns the encoded extrinsics of a block.
func (g *Gateway) Extrinsics(ctx context.Context, block chain.Hash) ([][]byte, error) {
	b, err := g.raw(ctx, block)
	if err != nil {
		return nil, err
	}
	return b.Extrinsics, nil
}

// state requests the state of a block, unless it is cached, including the keys that were requested for other blocks
// recently.
func (g *Gateway) state(ctx context.Context, r *runtime, b *render.Block) error {
	keys, err := r.ownKeys()
	if err != nil {
		return err
	}
	stored, known := g.recent.all(b.Hash, keys)
	if !known {
		own := len(keys)
		keys = slices.Concat(keys, g.recent.wanted())
		if stored, err = g.node.Storage(ctx, b.Hash, keys...); err != nil {
			return g.stateError(ctx, place{height: b.Header.Number, hash: b.Hash}, err)
		}
		for i := own; i < len(keys); i++ {
			g.recent.keepStored(b.Hash, keys[i], stored[i])
		}
	}
	if b.Events = stored[0]; b.Events == nil && len(b.Extrinsics) > 0 && b.Header.Number > 0 {
		return &rpc.DecodeError{What: "storage", Err: fmt.Errorf("the node has no events of block %d, although it contains %d extrinsics", b.Header.Number, len(b.Extrinsics))}
	}
	if r.Session() {
		b.Validators = stored[1]
	}
	return nil
}
