package app

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/finance/explain"
	"github.com/feeledger/fees/network/rule"
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
	if err := which.find(item.Block, fee.Price(item.Block, &item.Rules, item.Multiplier)); err != nil {
		return nil, err
	}
	o := evidence.Options{Signatures: true, AskRuntime: true}
	if stated, given := which.receipt.Get(); given {
		if item.Rules.EVM != rule.Revive || fee.Classify(&item.Block.Extrinsics[which.index], item.Rules.EVM) != fee.EVM {
			return nil, notUnderstood("%v: transaction %d-%d is not an Ethereum transaction of pallet revive; leave the receipt away", FieldReceipt, item.Block.Number, which.index)
		}
		o.Receipt = chain.Some(evidence.GivenReceipt{Index: which.index, Receipt: stated})
	}
	report, _ := prove.Single(ctx, reader, item, o)
	return explain.Make(item, report, which.index, string(reader.MultiplierAt)), nil
}

// SetReceipt states the transaction's Ethereum receipt, which is otherwise asked of a node: the gas used and the effective
// gas price, such as 24895@49999050000, each in decimal, or in hex with 0x, as nodes write them.
func (r *TransactionRef) SetReceipt(text string) error {
	gas, price, both := strings.Cut(text, "@")
	used, noGas := number(gas)
	perGas, noPrice := number(price)
	if !both || noGas != nil || noPrice != nil {
		return notUnderstood("%v %q: want the gas used, @ and the effective gas price in wei, such as 24895@49999050000", FieldReceipt, text)
	}
	r.receipt = chain.Some(chain.Receipt{GasUsed: chain.NewGas(used), Price: chain.NewGasPrice(perGas)})
	return nil
}

func number(text string) (uint64, error) {
	if digits, isHex := strings.CutPrefix(text, "0x"); isHex {
		return strconv.ParseUint(digits, 16, 64)
	}
	return strconv.ParseUint(text, 10, 64)
}

func notFoundf(format string, args ...any) error {
	return &NotThereError{Message: fmt.Sprintf(format, args...)}
}

// TransactionRef identifies a transaction by its index in a block, or by a hash.
type TransactionRef struct {
	block   source.Ref
	index   int
	hash    chain.Optional[chain.Hash]
	receipt chain.Optional[chain.Receipt]
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
func (r *TransactionRef) find(b *chain.Block, priced *fee.Report) error {
	if hash, ok := r.hash.Get(); ok {
		found := withHash(b, priced, hash)
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
	if !slices.ContainsFunc(priced.Transactions, func(t fee.Transaction) bool { return t.Index == r.index }) {
		x := &b.Extrinsics[r.index]
		return notFoundf("extrinsic %d of block %d (%s) is unsigned and pays no fee", r.index, b.Number, x.Pallet+"."+x.Call)
	}
	return nil
}

// withHash returns the indexes of transactions whose EVM hash or extrinsic hash matches.
func withHash(b *chain.Block, priced *fee.Report, hash chain.Hash) (found []int) {
	transactions := priced.Transactions
	for i := range b.Extrinsics {
		match := b.Extrinsics[i].Hash == hash
		if len(transactions) > 0 && transactions[0].Index == i {
			match = match || transactions[0].EVMHash == chain.Some(hash)
			transactions = transactions[1:]
		}
		if match {
			found = append(found, i)
		}
	}
	return found
}
