package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/nodeclient"
	"github.com/feeledger/fees/proof"
	"github.com/feeledger/fees/source"
)

// proveAll proves a range. Each is told the reports in the order of the heights.
// With an error, the summary is that of the blocks before it.
func (v *verification) proveAll(ctx context.Context, blocks source.Range, concurrency int, each func(*evidence.Report) error) (*evidence.Summary, error) {
	summary := evidence.NewSummary()
	var before []chain.Balance // that the block before left
	if blocks.First > 0 {
		var err error
		if before, err = v.balances(ctx, blocks.First-1); err != nil {
			return summary, err
		}
	}
	prover := proof.Prover{Reader: v.reader, Concurrency: concurrency, Prove: v.prove}
	for p, err := range prover.Range(ctx, blocks, chain.Optional[evidence.Predecessor]{}) {
		if err != nil {
			return summary, err
		}
		after, _ := p.More.([]chain.Balance)
		for i := range before {
			p.Report.AccountBalance(p.Block, v.accounts[i], before[i], after[i])
		}
		before = after
		summary.Add(p.Report)
		if err := each(p.Report); err != nil {
			return summary, err
		}
	}
	return summary, nil
}

// verification is how each block of a range is proved.
type verification struct {
	reader   *source.Reader
	against  source.Source      // nil for none
	node     *nodeclient.Client // nil for none
	accounts []chain.Address
	options  evidence.Options
	nodeAt   string // the node's address
}

// prove proves a block, and reads what the accounts have after it.
func (v *verification) prove(ctx context.Context, item source.Item) (*evidence.Report, any, error) {
	options := v.options
	if v.node != nil {
		encoded, err := v.encoded(ctx, item.Block.Hash)
		if err != nil {
			return nil, nil, err
		}
		options.Encoded = chain.Some(encoded)
	}
	report, _ := proof.Block(ctx, v.reader, item, options)
	balances, err := v.balances(ctx, item.Block.Number)
	if err != nil || v.against == nil {
		return report, balances, err
	}
	other, err := v.against.Block(ctx, item.Block.Number)
	if err != nil {
		return nil, nil, fmt.Errorf("--against: %w", err)
	}
	multiplier := item.Multiplier
	if m, ok := multiplier.Get(); ok {
		stored, err := v.against.Multiplier(ctx, m.At)
		if err != nil {
			return nil, nil, fmt.Errorf("--against: %w", err)
		}
		multiplier = chain.Some(chain.Stored(stored))
	}
	report.CompareWith(item.Block, other, multiplier)
	return report, balances, nil
}

// encoded are a block's extrinsics as the node has them.
func (v *verification) encoded(ctx context.Context, hash chain.Hash) ([][]byte, error) {
	b, err := v.node.Block(ctx, chain.Some(hash))
	if errors.Is(err, chain.ErrNoBlock) {
		return nil, fmt.Errorf("the node at %s does not have the gateway's block %v: %w", shownPlace(v.nodeAt), hash, err)
	}
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
		balances = append(balances, b.Value.Balance)
	}
	return balances, nil
}
