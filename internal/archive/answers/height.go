package answers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/httpclient"
)

// height contains the answers recorded for one height.
type height struct {
	number       uint64
	hash, parent chain.Hash
	// answers are in the order in which they are stored: for the first height its initial multiplier first, for every
	// height the block last, so that a stored block implies that everything else is stored.
	answers []answer
	err     error // why it could not be recorded
}

// height finds or requests everything that belongs to a height.
func (r *recorder) height(ctx context.Context, number uint64) height {
	h := height{number: number}
	h.err = r.complete(ctx, &h)
	return h
}

// complete adds the answers for a height.
func (r *recorder) complete(ctx context.Context, h *height) error {
	number := h.number
	block, err := r.obtain(ctx, blockPath(number), fmt.Sprintf("/blocks/%d", number), func(text string) error {
		b, err := sidecar.DecodeBlock(text)
		if err != nil {
			return err
		}
		h.hash, h.parent = b.Hash, b.ParentHash
		switch final, known := b.Finalized.Get(); {
		case !known:
			return archive.ErrFinalityUnknown
		case !final:
			return archive.ErrNotFinal
		}
		return wrongHeight(number, b.Number)
	})
	if err != nil {
		return err
	}
	header, err := r.obtain(ctx, headerPath(number), fmt.Sprintf("/blocks/%d/header", number), func(text string) error {
		header, err := sidecar.DecodeHeader(text)
		if err == nil && header.ParentHash != h.parent {
			err = fmt.Errorf("%w: its parent is %v, want %v", chain.ErrWrongBlock, header.ParentHash, h.parent)
		}
		return cmp.Or(err, wrongHeight(number, header.Number))
	})
	if err != nil {
		return err
	}
	if r.base < number && number == r.options.First {
		if err := r.states(ctx, h, r.base, h.parent); err != nil {
			return err
		}
	}
	h.answers = append(h.answers, header)
	err = r.states(ctx, h, number, h.hash)
	h.answers = append(h.answers, block)
	return err
}

// state is a kind of answer about the state that each block left.
type state struct {
	path     func(at uint64) string
	request  func(at uint64) string
	check    func(text string, at uint64, hash chain.Hash) error
	wanted   func(at uint64) bool
	optional bool // the gateway may refuse it
}

// findKinds returns the kinds of answers to record about states, in the order in which they are stored.
func (r *recorder) findKinds() []state {
	always := func(uint64) bool { return true }
	list := []state{{
		path: multiplierPath,
		request: func(at uint64) string {
			return fmt.Sprintf("/pallets/transaction-payment/storage/nextFeeMultiplier?at=%d", at)
		},
		check:  placed(sidecar.DecodeMultiplier),
		wanted: always,
	}}
	if key := r.manifest.ParameterKey; key != "" {
		list = append(list, state{parameterPath, func(at uint64) string { return sidecar.ProportionPath(key, at) },
			placed(func(text string) (chain.AtBlock[chain.Optional[chain.Perbill]], error) {
				return sidecar.DecodeProportion(text, key)
			}), always, true})
	}
	if item := r.manifest.BaseFeeItem; item != "" {
		list = append(list, state{baseFeePath, func(at uint64) string { return sidecar.BaseFeePath(item, at) },
			placed(func(text string) (chain.AtBlock[chain.GasPrice], error) { return sidecar.DecodeBaseFee(text, item) }), always, true})
	}
	list = append(list, state{weightPath, sidecar.BlockWeightPath, placed(sidecar.DecodeBlockWeight), r.wantsWeight, true})
	inRange := func(at uint64) bool { return at >= r.options.First }
	for _, account := range r.options.Accounts {
		list = append(list, state{
			path:    func(at uint64) string { return balancePath(account.Plain(), at) },
			request: func(at uint64) string { return fmt.Sprintf("/accounts/%s/balance-info?at=%d", account.Plain(), at) },
			check:   placed(sidecar.DecodeBalance),
			wanted:  inRange,
		})
	}
	return list
}

// placed returns a check that a decoder accepts an answer, and that it is about a block.
func placed[T any](decode func(text string) (chain.AtBlock[T], error)) func(text string, at uint64, hash chain.Hash) error {
	return func(text string, at uint64, hash chain.Hash) error {
		v, err := decode(text)
		return cmp.Or(err, wrongHeight(at, v.At), wrongHash(chain.Some(hash), v.AtHash))
	}
}

// states adds the answers about the state that a block left. An optional answer is left out if the gateway will never have
// it, or has no such path (status 404, also with a JSON body, since it has answered for the block before), for example
// because the runtime did not have it yet. Any other error ends the recording, which can continue later: what is left out
// now is left out for good.
func (r *recorder) states(ctx context.Context, h *height, at uint64, hash chain.Hash) error {
	for _, s := range r.kinds {
		if !s.wanted(at) {
			continue
		}
		a, err := r.obtain(ctx, s.path(at), s.request(at), func(text string) error { return s.check(text, at, hash) })
		var status *httpclient.StatusError
		if s.optional && (errors.Is(err, chain.ErrUnsupported) || errors.Is(err, chain.ErrNotOffered) || errors.As(err, &status) && status.Code == http.StatusNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		h.answers = append(h.answers, a)
	}
	return nil
}

func wrongHeight(want, have uint64) error {
	if want != have {
		return fmt.Errorf("%w: got block %d, want %d", chain.ErrWrongBlock, have, want)
	}
	return nil
}

// wrongHash compares two hashes if both are known.
func wrongHash(want, have chain.Optional[chain.Hash]) error {
	w, wantKnown := want.Get()
	h, haveKnown := have.Get()
	if wantKnown && haveKnown && w != h {
		return fmt.Errorf("%w: got block %v, want %v", chain.ErrWrongBlock, h, w)
	}
	return nil
}
