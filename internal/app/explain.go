package app

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/finance/explain"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// Explain explains the fee of one transaction from a source: its inputs, each step, and where the money
// went. It returns a [NotThereError] if the transaction does not exist or pays no fee.
func Explain(ctx context.Context, reader *source.Reader, which TransactionRef) (*explain.Explanation, error) {
	item, err := reader.Read(ctx, which.block)
	if err != nil {
		return nil, err
	}
	if err := which.find(item.Block); err != nil {
		return nil, err
	}
	report, _ := prove.Single(ctx, reader, item, evidence.Options{Signatures: true})
	return explain.Make(item, report, which.index, string(reader.MultiplierAt)), nil
}

func notFoundf(format string, args ...any) error {
	return &NotThereError{Message: fmt.Sprintf(format, args...)}
}

// TransactionRef identifies a transaction by its index in a block, or by a hash.
type TransactionRef struct {
	block source.Ref
	index int
	hash  chain.Optional[chain.Hash]
}

// ParseTransactionRef parses BLOCK-INDEX, or a hash together with its block.
func ParseTransactionRef(name, block string) (TransactionRef, error) {
	if hash, err := chain.ParseHash(name); err == nil {
		if block == "" {
			return TransactionRef{}, notUnderstood("a hash does not identify the block. State the block with %v, or a ledger that contains the transaction with %v.", FieldBlock, FieldLedger)
		}
		ref, err := source.ParseRef(block)
		if err != nil {
			return TransactionRef{}, notUnderstood("%v: %v", FieldBlock, err)
		}
		return TransactionRef{block: ref, hash: chain.Some(hash)}, nil
	}
	cut := strings.LastIndexByte(name, '-')
	if cut < 0 {
		return TransactionRef{}, notUnderstood("transaction %q: want a block and an index such as 25-7, or a hash of 0x and 64 hex digits", name)
	}
	if block != "" {
		return TransactionRef{}, notUnderstood("transaction %q already states its block; use %v only with a hash", name, FieldBlock)
	}
	ref, err := source.ParseRef(name[:cut])
	if err != nil {
		return TransactionRef{}, notUnderstood("transaction %q: %v", name, err)
	}
	index, err := strconv.ParseUint(name[cut+1:], 10, 31)
	if err != nil {
		return TransactionRef{}, notUnderstood("transaction %q: %q is not an extrinsic index", name, name[cut+1:])
	}
	return TransactionRef{block: ref, index: int(index)}, nil
}

// find sets the index; it returns an error if the transaction does not exist or pays no fee.
func (r *TransactionRef) find(b *chain.Block) error {
	if hash, ok := r.hash.Get(); ok {
		found := withHash(b, hash)
		switch len(found) {
		case 0:
			return notFoundf("block %d has no EVM transaction or extrinsic with the hash %v", b.Number, hash)
		case 1:
			r.index = found[0]
		default:
			return notFoundf("block %d has %d transactions with the hash %v. Name one by its index, such as %d-%d.",
				b.Number, len(found), hash, b.Number, found[0])
		}
	}
	if r.index >= len(b.Extrinsics) {
		return notFoundf("block %d has %d extrinsics, numbered from 0; %d does not exist", b.Number, len(b.Extrinsics), r.index)
	}
	if x := &b.Extrinsics[r.index]; fee.Classify(x) == fee.Inherent {
		return notFoundf("extrinsic %d of block %d (%s) is unsigned and pays no fee", r.index, b.Number, x.Pallet+"."+x.Call)
	}
	return nil
}

// withHash returns the indexes of transactions whose EVM hash or extrinsic hash matches.
func withHash(b *chain.Block, hash chain.Hash) (found []int) {
	for i := range b.Extrinsics {
		x := &b.Extrinsics[i]
		executed, err := evm.FindExecuted(x)
		if x.Hash == hash || fee.Classify(x) == fee.EVM && err == nil && executed.Hash == hash {
			found = append(found, i)
		}
	}
	return found
}
