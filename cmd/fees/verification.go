package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/nodeclient"
	"github.com/feeledger/fees/source"
)

// proveAll proves a range. Each is told the reports in the order of the heights.
// With an error, the summary is that of the blocks before it.
func (v *verification) proveAll(ctx context.Context, blocks source.Range, concurrency int, each func(*evidence.Report) error) (*evidence.Summary, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	summary := evidence.NewSummary()
	var before *evidence.Report
	var balances []chain.Balance // that the block before left
	if blocks.First > 0 {
		var err error
		if balances, err = v.balances(ctx, blocks.First-1); err != nil {
			return summary, err
		}
	}
	done := func(stored chain.Optional[chain.StoredMultiplier]) error {
		before.Stored(stored)
		summary.Add(before)
		return each(before)
	}
	for p := range inOrder(v.reader.Range(ctx, blocks, concurrency), concurrency, func(item source.Item) proved { return v.prove(ctx, item) }) {
		if p.err != nil {
			cancel() // what is under way is not waited for
			if before != nil {
				p.err = errors.Join(p.err, done(chain.Optional[chain.StoredMultiplier]{}))
			}
			return summary, p.err
		}
		if before != nil {
			p.report.Follows(before)
			if err := done(p.report.Multiplier); err != nil {
				return summary, err
			}
		}
		for i := range balances {
			p.report.AccountBalance(p.item.Block, v.accounts[i], balances[i], p.balances[i])
		}
		before, balances = p.report, p.balances
	}
	var last chain.Optional[chain.StoredMultiplier]
	if m, err := v.reader.Source.Multiplier(ctx, blocks.Last); err == nil {
		last = chain.Some(m.StoredMultiplier)
	}
	return summary, done(last)
}

// verification is how each block of a range is proved.
type verification struct {
	reader   *source.Reader
	against  source.Source      // nil for none
	node     *nodeclient.Client // nil for none
	accounts []chain.Address
	options  evidence.Options
}

// proved is an item with its report, or why there is none.
type proved struct {
	item     source.Item
	report   *evidence.Report
	balances []chain.Balance // of the accounts
	err      error
}

func (v *verification) prove(ctx context.Context, item source.Item) proved {
	options := v.options
	if v.node != nil {
		encoded, err := v.encoded(ctx, item.Block.Hash)
		if err != nil {
			return proved{err: err}
		}
		options.Encoded = chain.Some(encoded)
	}
	p := proved{item: item, report: prove(ctx, v.reader, item, options)}
	if p.balances, p.err = v.balances(ctx, item.Block.Number); p.err != nil || v.against == nil {
		return p
	}
	other, err := v.against.Block(ctx, item.Block.Number)
	if err != nil {
		return proved{err: fmt.Errorf("--against: %w", err)}
	}
	multiplier := item.Multiplier
	if m, ok := multiplier.Get(); ok {
		stored, err := v.against.Multiplier(ctx, m.At)
		if err != nil {
			return proved{err: fmt.Errorf("--against: %w", err)}
		}
		multiplier = chain.Some(stored.StoredMultiplier)
	}
	p.report.CompareWith(item.Block, other, multiplier)
	return p
}

// encoded are a block's extrinsics as the node has them.
func (v *verification) encoded(ctx context.Context, hash chain.Hash) ([][]byte, error) {
	b, err := v.node.Block(ctx, chain.Some(hash))
	if err != nil {
		return nil, err
	}
	list := make([][]byte, len(b.Extrinsics))
	for i, text := range b.Extrinsics {
		if list[i], err = hex.DecodeString(strings.TrimPrefix(text, "0x")); err != nil {
			return nil, &nodeclient.DecodeError{What: "block", Err: fmt.Errorf("%v, extrinsic %d: want hex digits", hash, i)}
		}
	}
	return list, nil
}

// balances are those that the block at a height left to the accounts.
func (v *verification) balances(ctx context.Context, at uint64) ([]chain.Balance, error) {
	var balances []chain.Balance
	for _, account := range v.accounts {
		b, err := v.reader.Source.Balance(ctx, account, chain.Some(at))
		if err != nil {
			return nil, err
		}
		balances = append(balances, chain.Balance{Free: b.Free, Reserved: b.Reserved})
	}
	return balances, nil
}

// inOrder works on several items at the same time, and delivers the results in the
// order of the items. An error among the items is the last result.
func inOrder(items iter.Seq2[source.Item, error], size int, work func(source.Item) proved) iter.Seq[proved] {
	return func(yield func(proved) bool) {
		var window []chan proved
		var running sync.WaitGroup
		defer running.Wait()
		for item, err := range items {
			slot := make(chan proved, 1)
			window = append(window, slot)
			running.Go(func() {
				if err != nil {
					slot <- proved{err: err}
				} else {
					slot <- work(item)
				}
			})
			if len(window) < size {
				continue
			}
			if !yield(<-window[0]) {
				return
			}
			window = window[1:]
		}
		for _, slot := range window {
			if !yield(<-slot) {
				return
			}
		}
	}
}
