package gateway

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/render"
)

// storage returns the answer for a storage item of a pallet.
func (g *Gateway) storage(ctx context.Context, pallet, name string, query url.Values) (string, error) {
	at, r, err := g.stateAt(ctx, query.Get("at"))
	if err != nil {
		return "", err
	}
	item, err := r.Item(pallet, name, append(query["keys[]"], query["keys"]...))
	if err != nil {
		return "", err
	}
	place := item.Place()
	stored, known := g.recent.stored(at.hash, place)
	if !known {
		if g.batch != nil {
			g.recent.ask(place)
		}
		g.recent.made(ctx, at.hash)
		stored, known = g.recent.stored(at.hash, place)
	}
	if !known {
		list, err := g.node.Storage(ctx, at.hash, place)
		if err != nil {
			return "", g.stateError(ctx, at, err)
		}
		stored = list[0]
		g.recent.keepStored(at.hash, place, stored)
	}
	text, err := item.Answer(at.of(), stored)
	return string(text), malformed("storage", err)
}

// balance returns the answer for an account's balance. Where accounts have 20 bytes, Sidecar takes the first 20 letters of SS58
// and reports an empty account. This gateway refuses it.
func (g *Gateway) balance(ctx context.Context, account, at string) (string, error) {
	address, err := chain.ParseAccount(account)
	if err != nil {
		message := "Invalid address format"
		if !strings.HasPrefix(account, "0x") {
			message += ": want 0x and 40 hex digits"
		}
		return "", render.Refused(http.StatusBadRequest, "%s", message)
	}
	where, r, err := g.stateAt(ctx, at)
	if err != nil {
		return "", err
	}
	s, err := g.system(ctx)
	if err != nil {
		return "", err
	}
	b, err := r.Balance(address)
	if err != nil {
		return "", err
	}
	own, locks, err := g.balanceState(ctx, where.hash, &b)
	if err != nil {
		return "", g.stateError(ctx, where, err)
	}
	text, err := b.Answer(where.of(), s.token, own, locks)
	return string(text), malformed("balance", err)
}

// balanceState returns an account's state and its locks. No figure depends on locks: if the node refuses them, they are unknown.
func (g *Gateway) balanceState(ctx context.Context, block chain.Hash, b *render.Balance) (account []byte, locks chain.Optional[[]byte], err error) {
	own, held := b.Places()
	stored, err := g.node.Storage(ctx, block, own, held)
	if err == nil {
		return stored[0], chain.Some(stored[1]), nil
	}
	var refused *rpc.RPCError
	if errors.As(err, &refused) {
		if alone, noAccount := g.node.Storage(ctx, block, own); noAccount == nil {
			return alone[0], locks, nil
		}
	}
	return nil, locks, err
}

// stateAt returns the block whose state is requested, and the runtime that reads it: as in Sidecar, the runtime after its
// parent, even if the block itself upgraded.
func (g *Gateway) stateAt(ctx context.Context, id string) (place, *runtime, error) {
	at, err := g.at(ctx, id)
	if err != nil {
		return at, nil, err
	}
	parent, err := g.parent(ctx, at)
	if err != nil {
		return at, nil, err
	}
	r, err := g.runtimeAt(ctx, parent)
	return at, r, err
}

// parent returns the parent of a block; block 0 is its own parent.
func (g *Gateway) parent(ctx context.Context, at place) (place, error) {
	if at.height == 0 {
		return at, nil
	}
	if at.final {
		if hash, known := g.heights.known(at.height - 1); known {
			return place{at.height - 1, hash, true}, nil
		}
	}
	h, err := g.confirmed(ctx, at)
	return place{at.height - 1, h.ParentHash, at.final}, err
}

// confirmed returns the header of a block that the node named for a height, after checking the height.
func (g *Gateway) confirmed(ctx context.Context, at place) (header.Header, error) {
	h, err := g.headerOf(ctx, at.hash)
	if err == nil {
		err = wrongHeight(at.hash, at.height, h.Number)
	}
	return h, err
}
