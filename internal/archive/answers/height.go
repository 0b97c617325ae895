package answers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

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
}

// height finds or requests everything that belongs to a height.
func (r *recorder) height(ctx context.Context, number uint64) (height, error) {
	h := height{number: number}
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
		return h, err
	}
	header, err := r.obtain(ctx, headerPath(number), fmt.Sprintf("/blocks/%d/header", number), func(text string) error {
		header, err := sidecar.DecodeHeader(text)
		if err == nil && header.ParentHash != h.parent {
			err = fmt.Errorf("%w: its parent is %v, want %v", chain.ErrWrongBlock, header.ParentHash, h.parent)
		}
		return cmp.Or(err, wrongHeight(number, header.Number))
	})
	if err != nil {
		return h, err
	}
	if r.base < number && number == r.options.First {
		before, err := r.multiplier(ctx, r.base, h.parent)
		if err != nil {
			return h, err
		}
		parameter, err := r.parameter(ctx, r.base, h.parent)
		if err != nil {
			return h, err
		}
		baseFee, err := r.baseFee(ctx, r.base, h.parent)
		if err != nil {
			return h, err
		}
		h.answers = append(append(append(h.answers, before), parameter...), baseFee...)
	}
	multiplier, err := r.multiplier(ctx, number, h.hash)
	if err != nil {
		return h, err
	}
	parameter, err := r.parameter(ctx, number, h.hash)
	if err != nil {
		return h, err
	}
	baseFee, err := r.baseFee(ctx, number, h.hash)
	if err != nil {
		return h, err
	}
	weight, err := r.blockWeight(ctx, number, h.hash)
	if err != nil {
		return h, err
	}
	h.answers = slices.Concat(h.answers, []answer{header, multiplier}, parameter, baseFee, weight)
	for _, account := range r.options.Accounts {
		balance, err := r.balance(ctx, account, number, h.hash)
		if err != nil {
			return h, err
		}
		h.answers = append(h.answers, balance)
	}
	h.answers = append(h.answers, block)
	return h, nil
}

func (r *recorder) multiplier(ctx context.Context, at uint64, hash chain.Hash) (answer, error) {
	question := fmt.Sprintf("/pallets/transaction-payment/storage/nextFeeMultiplier?at=%d", at)
	return r.obtain(ctx, multiplierPath(at), question, func(text string) error {
		m, err := sidecar.DecodeMultiplier(text)
		return cmp.Or(err, wrongHeight(at, m.At), wrongHash(chain.Some(hash), m.AtHash))
	})
}

// parameter returns FeesTreasuryProportion at a height; nothing if it is not requested, or the gateway does not offer it,
// for example because the runtime did not have it yet.
func (r *recorder) parameter(ctx context.Context, at uint64, hash chain.Hash) ([]answer, error) {
	key := r.manifest.ParameterKey
	if key == "" {
		return nil, nil
	}
	return unlessRefused(r.obtain(ctx, parameterPath(at), sidecar.ProportionPath(key, at), func(text string) error {
		p, err := sidecar.DecodeProportion(text, key)
		return cmp.Or(err, wrongHeight(at, p.At), wrongHash(chain.Some(hash), p.AtHash))
	}))
}

// blockWeight returns the weight that the chain counted for the block at a height; nothing if it is not requested, or the
// gateway does not offer it.
func (r *recorder) blockWeight(ctx context.Context, at uint64, hash chain.Hash) ([]answer, error) {
	if !r.wantsWeight(at) {
		return nil, nil
	}
	return unlessRefused(r.obtain(ctx, weightPath(at), sidecar.BlockWeightPath(at), func(text string) error {
		w, err := sidecar.DecodeBlockWeight(text)
		return cmp.Or(err, wrongHeight(at, w.At), wrongHash(chain.Some(hash), w.AtHash))
	}))
}

// unlessRefused makes an answer optional: it returns none if the gateway will never have it, or has no such path
// (status 404, also with a JSON body, since it has answered for the block before). Any other error ends the
// recording, which can continue later: what is left out now is left out for good.
func unlessRefused(a answer, err error) ([]answer, error) {
	var status *httpclient.StatusError
	if errors.Is(err, chain.ErrUnsupported) || errors.Is(err, chain.ErrNotOffered) || errors.As(err, &status) && status.Code == http.StatusNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []answer{a}, nil
}

func (r *recorder) balance(ctx context.Context, account chain.Address, at uint64, hash chain.Hash) (answer, error) {
	question := fmt.Sprintf("/accounts/%s/balance-info?at=%d", account.Plain(), at)
	return r.obtain(ctx, balancePath(account, at), question, func(text string) error {
		b, err := sidecar.DecodeBalance(text)
		return cmp.Or(err, wrongHeight(at, b.At), wrongHash(chain.Some(hash), b.AtHash))
	})
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
