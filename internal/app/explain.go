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

// Explain explains one fee, of a transaction that a source has: all that it follows from,
// each step, and where the money went. It is a [NotThereError] where there is no such
// transaction, or where it pays no fee.
func Explain(ctx context.Context, reader *source.Reader, which TransactionRef) (*explain.Invoice, error) {
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

func notThere(format string, args ...any) error {
	return &NotThereError{Message: fmt.Sprintf(format, args...)}
}

// TransactionRef names a transaction: by its index in a block, or by a hash.
type TransactionRef struct {
	block source.Ref
	index int
	hash  chain.Optional[chain.Hash]
}

// ParseTransactionRef reads <block>-<index>, or a hash whose block is named apart.
func ParseTransactionRef(name, block string) (TransactionRef, error) {
	if hash, err := chain.ParseHash(name); err == nil {
		if block == "" {
			return TransactionRef{}, notUnderstood("a hash does not tell which block the transaction is in: name that with %v, or a ledger that has the transaction with %v", FieldBlock, FieldLedger)
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
		return TransactionRef{}, notUnderstood("transaction %q names its block: %v is for a hash", name, FieldBlock)
	}
	ref, err := source.ParseRef(name[:cut])
	if err != nil {
		return TransactionRef{}, notUnderstood("transaction %q: %v", name, err)
	}
	index, err := strconv.ParseUint(name[cut+1:], 10, 31)
	if err != nil {
		return TransactionRef{}, notUnderstood("transaction %q: %q is no index of an extrinsic in its block", name, name[cut+1:])
	}
	return TransactionRef{block: ref, index: int(index)}, nil
}

// find sets the index, and refuses what is not there or pays no fee.
func (r *TransactionRef) find(b *chain.Block) error {
	if hash, ok := r.hash.Get(); ok {
		found := withHash(b, hash)
		switch len(found) {
		case 0:
			return notThere("block %d has no transaction with the hash %v, neither the EVM's nor the extrinsic's", b.Number, hash)
		case 1:
			r.index = found[0]
		default:
			return notThere("block %d has %d transactions with the hash %v: name one by its index, such as %d-%d",
				b.Number, len(found), hash, b.Number, found[0])
		}
	}
	if r.index >= len(b.Extrinsics) {
		return notThere("block %d has %d extrinsics, from 0 on: there is no %d", b.Number, len(b.Extrinsics), r.index)
	}
	if x := &b.Extrinsics[r.index]; fee.Classify(x) == fee.Inherent {
		return notThere("extrinsic %d of block %d is unsigned, %s: it pays no fee", r.index, b.Number, x.Pallet+"."+x.Call)
	}
	return nil
}

// withHash lists the transactions with a hash, the EVM's or the extrinsic's.
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
