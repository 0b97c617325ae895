package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/gateway"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// PriceBlock reads, prices and proves a block, beside its parent and the multiplier stored after it.
func PriceBlock(ctx context.Context, reader *source.Reader, ref source.Ref, signatures bool) (source.Item, *evidence.Report, error) {
	item, err := reader.Read(ctx, ref)
	if err != nil {
		return item, nil, err
	}
	report, _ := prove.Single(ctx, reader, item, evidence.Options{Signatures: signatures, AskRuntime: true})
	return item, report, nil
}

// Watch calls each with every block that becomes final, from a height on, and returns the last block of a chain that
// ended.
func Watch(ctx context.Context, reader *source.Reader, heads source.Heads, o source.FollowOptions, each func(*evidence.Report, network.Rules) error) (end chain.Optional[uint64], err error) {
	prover := prove.Prover{Reader: reader}
	var last chain.Optional[uint64]
	for x, err := range prover.Follow(ctx, heads, o, chain.Optional[evidence.Predecessor]{}) {
		if err != nil {
			if height, begun := last.Get(); begun {
				err = &httpclient.InterruptedError{Next: height + 1, Err: err}
			}
			return end, err
		}
		x.Report.Notes = append(x.Report.Notes, x.Report.Uncompared()...)
		if err := each(x.Report, x.Rules); err != nil {
			return end, err
		}
		if last = chain.Some(x.Report.Number); x.Rules.Ends(x.Report.Number) {
			end = last
		}
	}
	return end, nil
}

// Examination states how the fees of a range are proved.
type Examination struct {
	Reader      *source.Reader
	Concurrency int               // parallel requests
	Signatures  bool              // recompute every signer and the hash of every EVM transaction
	Against     source.Source     // a second source to compare every block with; may be nil
	Node        source.Extrinsics // supplies the encoded extrinsics; may be nil
	Accounts    []chain.Address   // checks their balances at every block
}

// NodeExtrinsics returns the extrinsics of a node's blocks. With signers, it is also a [source.NativeSigners].
func NodeExtrinsics(node *rpc.Client, signers bool) source.Extrinsics {
	if signers {
		return gateway.New(node)
	}
	return node
}

// NodeSource returns a node as a source of blocks. The caller closes the node.
func NodeSource(node *rpc.Client) source.Source { return source.Of(gateway.New(node)) }

// Examine proves the fees of a range against what the chain recorded. It passes the reports to each in
// block order. If it returns an error, the summary covers the blocks before the error.
func Examine(ctx context.Context, blocks chain.Heights, e Examination, each func(*evidence.Report) error) (*evidence.Summary, error) {
	summary := evidence.NewSummary()
	if err := e.mapAccounts(ctx, blocks.First); err != nil {
		return summary, err
	}
	var before []chain.Balance // after the previous block
	if blocks.First > 0 {
		var err error
		if before, err = e.balances(ctx, blocks.First-1, chain.Optional[chain.Hash]{}); err != nil {
			return summary, err
		}
	}
	prover := prove.Prover{Reader: e.Reader, Concurrency: e.Concurrency, Prove: e.prove}
	for p, err := range prover.Range(ctx, blocks, chain.Optional[evidence.Predecessor]{}) {
		if err != nil {
			return summary, err
		}
		for i := range before {
			p.Report.AccountBalance(p.Block, e.Accounts[i], before[i], p.Balances[i])
		}
		before = p.Balances
		findingsInOwnForm(p.Report)
		summary.Add(p.Report)
		if err := each(p.Report); err != nil {
			return summary, err
		}
	}
	return summary, nil
}

// mapAccounts replaces EVM addresses by the accounts that pay for them, where native accounts have 32 bytes.
func (e *Examination) mapAccounts(ctx context.Context, first uint64) error {
	maps := func(n network.Network) bool { return n.AccountMapping != network.SameAccount }
	if len(e.Accounts) == 0 || !slices.ContainsFunc(e.Reader.Tables.All(), maps) {
		return nil
	}
	item, err := e.Reader.Read(ctx, source.Height(first))
	if err != nil {
		return err
	}
	e.Accounts = mapped(item.Rules.AccountMapping, e.Accounts)
	for _, account := range e.Accounts {
		if err := item.Rules.AccountMapping.CheckSize(account, item.Rules.Network); err != nil {
			return notUnderstood("%v: %v", FieldAccounts, err)
		}
	}
	return nil
}

// prove proves a block and reads the accounts' balances after it.
func (e *Examination) prove(ctx context.Context, item source.Item) (*evidence.Report, []chain.Balance, error) {
	options := evidence.Options{Signatures: e.Signatures, AskRuntime: true}
	if e.Node != nil {
		encoded, err := e.Node.Extrinsics(ctx, item.Block.Hash)
		if errors.Is(err, chain.ErrNoBlock) {
			err = fmt.Errorf("the node does not have the gateway's block %v: %w", item.Block.Hash, err)
		}
		if err != nil {
			return nil, nil, err
		}
		options.Encoded = chain.Some(encoded)
		if node, offers := e.Node.(source.NativeSigners); offers && e.Signatures {
			if options.NativeSigners, err = e.Reader.NativeSignersFrom(ctx, node, item); err != nil {
				return nil, nil, err
			}
		}
	}
	report, _ := prove.Block(ctx, e.Reader, item, options)
	balances, err := e.balances(ctx, item.Block.Number, chain.Some(item.Block.Hash))
	if err != nil || e.Against == nil {
		return report, balances, err
	}
	other, err := e.Against.Block(ctx, item.Block.Number)
	if err != nil {
		return nil, nil, fmt.Errorf("the other gateway: %w", err)
	}
	multiplier := item.Multiplier
	if m, ok := multiplier.Get(); ok {
		stored, err := e.Against.Multiplier(ctx, m.At)
		if err != nil {
			return nil, nil, fmt.Errorf("the other gateway: %w", err)
		}
		elsewhere := chain.StoredMultiplierOf(stored)
		if of, ok := item.Rules.BaseFee.Stored.Get(); ok {
			var base chain.AtBlock[chain.GasPrice]
			from, err := source.As[source.BaseFees](e.Against)
			if err == nil {
				base, err = from.BaseFee(ctx, of.Name(), of.Height(m.At))
			}
			if err != nil {
				return nil, nil, fmt.Errorf("the other gateway: %w", err)
			}
			elsewhere.BaseFee = chain.Some(base.Value)
		}
		multiplier = chain.Some(elsewhere)
	}
	for _, b := range []*chain.Block{item.Block, other} {
		if b.Reported == nil {
			continue
		}
		if _, err := b.Reported.Text(); err != nil {
			return nil, nil, fmt.Errorf("block %d cannot be compared: %w", b.Number, err)
		}
	}
	report.CompareWith(item.Block, sidecar.Compare(item.Block, other), multiplier)
	return report, balances, nil
}

// balances returns the accounts' balances after a block, whose hash may be known.
func (e *Examination) balances(ctx context.Context, at uint64, hash chain.Optional[chain.Hash]) ([]chain.Balance, error) {
	var balances []chain.Balance
	for _, account := range e.Accounts {
		b, err := balance(ctx, e.Reader.Source, account, at)
		if err != nil {
			return nil, err
		}
		if have := b.AtHash; have.Known() && hash.Known() && have != hash {
			return nil, fmt.Errorf("balance of %v at block %d: %w: it is for another block at that height", account, at, chain.ErrWrongBlock)
		}
		balances = append(balances, b.Value.Balance)
	}
	return balances, nil
}
