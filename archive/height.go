package archive

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/wire"
)

// height is what is recorded of one.
type height struct {
	number       uint64
	hash, parent chain.Hash
	before       []answer // what the block before the first one left behind
	runtime      answer   // with a path unless the runtime cannot have changed
	answers      []answer // the block last: where it is kept, all else is
}

// height finds or asks for all that belongs to a height.
func (r *recorder) height(ctx context.Context, number uint64) (height, error) {
	h := height{number: number}
	block, err := r.obtain(ctx, blockPath(number), fmt.Sprintf("/blocks/%d", number), func(text string) error {
		b, err := gatewayclient.DecodeBlock(text)
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
		header, err := gatewayclient.DecodeHeader(text)
		if err == nil && header.ParentHash != h.parent {
			err = fmt.Errorf("%w: its parent is %v, want %v", gatewayclient.ErrWrongBlock, header.ParentHash, h.parent)
		}
		return cmp.Or(err, wrongHeight(number, header.Number))
	})
	if err != nil {
		return h, err
	}
	multiplier, err := r.multiplier(ctx, number, h.hash)
	if err != nil {
		return h, err
	}
	h.answers = []answer{header, multiplier}
	if r.base < r.options.First && number == r.options.First {
		before, err := r.multiplier(ctx, r.base, h.parent)
		if err != nil {
			return h, err
		}
		h.before = []answer{before}
	}
	for _, account := range r.options.Accounts {
		balance, err := r.balance(ctx, account, number, h.hash)
		if err != nil {
			return h, err
		}
		h.answers = append(h.answers, balance)
	}
	h.answers = append(h.answers, block)
	if r.noSpec || number == r.base {
		return h, nil
	}
	h.runtime, err = r.changedRuntime(ctx, h)
	return h, err
}

func (r *recorder) multiplier(ctx context.Context, at uint64, hash chain.Hash) (answer, error) {
	question := fmt.Sprintf("/pallets/transaction-payment/storage/nextFeeMultiplier?at=%d", at)
	return r.obtain(ctx, multiplierPath(at), question, func(text string) error {
		m, err := gatewayclient.DecodeMultiplier(text)
		return cmp.Or(err, wrongHeight(at, m.At), wrongHash(chain.Some(hash), m.AtHash))
	})
}

func (r *recorder) balance(ctx context.Context, account chain.Address, at uint64, hash chain.Hash) (answer, error) {
	question := fmt.Sprintf("/accounts/0x%x/balance-info?at=%d", account[:], at)
	return r.obtain(ctx, balancePath(account, at), question, func(text string) error {
		b, err := gatewayclient.DecodeBalance(text)
		return cmp.Or(err, wrongHeight(at, b.At), wrongHash(chain.Some(hash), b.AtHash))
	})
}

func (r *recorder) runtime(ctx context.Context, at uint64, hash chain.Optional[chain.Hash]) (answer, error) {
	return r.obtain(ctx, runtimePath(at), fmt.Sprintf("/runtime/spec?at=%d", at), checkRuntime(at, hash))
}

// changedRuntime is the runtime at a height, or nothing where all of the height
// is kept already and no runtime with it: then it was seen not to have changed.
func (r *recorder) changedRuntime(ctx context.Context, h height) (answer, error) {
	path := runtimePath(h.number)
	hash := chain.Some(h.hash)
	if a, ok := r.find(path, checkRuntime(h.number, hash)); ok {
		return a, nil
	}
	_, listed := r.listed[path]
	whole := !slices.ContainsFunc(h.answers, func(a answer) bool { return !a.there })
	if whole && !listed && !r.kept.has(path) {
		return answer{}, nil
	}
	return r.runtime(ctx, h.number, hash)
}

func checkRuntime(at uint64, hash chain.Optional[chain.Hash]) func(text string) error {
	return func(text string) error {
		spec, err := gatewayclient.DecodeRuntime(text)
		return cmp.Or(err, wrongHeight(at, spec.At), wrongHash(hash, spec.AtHash))
	}
}

// specContent is what a runtime spec says apart from where it was asked.
func specContent(text string) map[string]string {
	content := map[string]string{}
	spec, err := wire.Parse(text)
	if err != nil {
		return content // it was decoded before
	}
	for name, value := range spec.Members() {
		if name != "at" {
			content[name] = value.Raw()
		}
	}
	return content
}

func wrongHeight(want, have uint64) error {
	if want != have {
		return fmt.Errorf("%w: it is of block %d, want %d", gatewayclient.ErrWrongBlock, have, want)
	}
	return nil
}

// wrongHash compares two hashes where both are known.
func wrongHash(want, have chain.Optional[chain.Hash]) error {
	w, wantKnown := want.Get()
	h, haveKnown := have.Get()
	if wantKnown && haveKnown && w != h {
		return fmt.Errorf("%w: it is of block %v, want %v", gatewayclient.ErrWrongBlock, h, w)
	}
	return nil
}
