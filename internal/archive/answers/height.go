package answers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/httpclient"
)

// height is what is recorded of one.
type height struct {
	number       uint64
	hash, parent chain.Hash
	// answers are in the order in which they are kept: of the first height the
	// multiplier that it had first, of each the block last, so that where that is
	// kept all else is.
	answers []answer
}

// height finds or asks for all that belongs to a height.
func (r *recorder) height(ctx context.Context, number uint64) (height, error) {
	h := height{number: number}
	block, err := r.obtain(ctx, blockPath(number), fmt.Sprintf("/blocks/%d", number), func(text string) error {
		b, err := sidecar.DecodeBlock(text)
		if err != nil {
			return err
		}
		h.hash, h.parent = b.Hash, b.ParentHash
		if final, known := b.Finalized.Get(); known && !final {
			return ErrNotFinal
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
		h.answers = append(append(h.answers, before), parameter...)
	}
	multiplier, err := r.multiplier(ctx, number, h.hash)
	if err != nil {
		return h, err
	}
	parameter, err := r.parameter(ctx, number, h.hash)
	if err != nil {
		return h, err
	}
	weight, err := r.blockWeight(ctx, number, h.hash)
	if err != nil {
		return h, err
	}
	h.answers = append(append(append(h.answers, header, multiplier), parameter...), weight...)
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

// parameter is FeesTreasuryProportion at a height; nothing where it is not asked for, or
// the gateway does not have it, as where the runtime did not yet.
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

// blockWeight is what the chain counted for the block at a height; nothing where it is not
// asked for, or the gateway does not have it.
func (r *recorder) blockWeight(ctx context.Context, at uint64, hash chain.Hash) ([]answer, error) {
	if !r.wantsWeight(at) {
		return nil, nil
	}
	return unlessRefused(r.obtain(ctx, weightPath(at), sidecar.BlockWeightPath(at), func(text string) error {
		w, err := sidecar.DecodeBlockWeight(text)
		return cmp.Or(err, wrongHeight(at, w.At), wrongHash(chain.Some(hash), w.AtHash))
	}))
}

// unlessRefused is an answer that an archive can do without: none where the gateway says
// that it will never have it, or that it has no such path (status 404, with a body in JSON
// too: it has answered for the block before). Any other trouble ends the recording, which
// can go on later: what is left out now is left out for good.
func unlessRefused(a answer, err error) ([]answer, error) {
	var status *httpclient.StatusError
	if errors.Is(err, chain.ErrCannotTell) || errors.Is(err, chain.ErrNotOffered) || errors.As(err, &status) && status.Code == http.StatusNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []answer{a}, nil
}

func (r *recorder) balance(ctx context.Context, account chain.Address, at uint64, hash chain.Hash) (answer, error) {
	question := fmt.Sprintf("/accounts/0x%x/balance-info?at=%d", account[:], at)
	return r.obtain(ctx, balancePath(account, at), question, func(text string) error {
		b, err := sidecar.DecodeBalance(text)
		return cmp.Or(err, wrongHeight(at, b.At), wrongHash(chain.Some(hash), b.AtHash))
	})
}

func wrongHeight(want, have uint64) error {
	if want != have {
		return fmt.Errorf("%w: it is of block %d, want %d", chain.ErrWrongBlock, have, want)
	}
	return nil
}

// wrongHash compares two hashes where both are known.
func wrongHash(want, have chain.Optional[chain.Hash]) error {
	w, wantKnown := want.Get()
	h, haveKnown := have.Get()
	if wantKnown && haveKnown && w != h {
		return fmt.Errorf("%w: it is of block %v, want %v", chain.ErrWrongBlock, h, w)
	}
	return nil
}
