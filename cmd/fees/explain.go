package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/proof"
	"github.com/feeledger/fees/source"
)

const explainManual = `Show one fee like an invoice: every figure that it follows from with the block
and the field that it was read from, each step of the arithmetic with the number
of its rule in the specification, what the chain withdrew and gave back, where
the money went, and whether the two agree.

The transaction is named by its block and its index, such as 25-7; the block can
be a height, a hash or head. Or it is named by a hash, the EVM's or the
extrinsic's, with its block in --block.

Every step can be done again with a calculator: all of them are whole numbers,
and floor( ) rounds down.

The exit code is 1 where the fee is undetermined, where the chain charged
something else, or where anything else does not hold. An inherent pays no fee
and cannot be explained.`

const explainExamples = `  fees explain 25-7 --gateway demo
  fees explain head-4 --gateway http://127.0.0.1:8080
  fees explain 0xdd3bf7a42510a57f7c714754a9d0124292496b2b4d3f2164c146754e61e720d2 --block 25 --gateway demo
  fees explain 25-7 --gateway demo --format json
  fees explain 25-7 --gateway demo --rules spec   by the specification's table`

// explainFlags are the flags of fees explain.
type explainFlags struct {
	sourceFlags
	output
	block string
	quiet bool
}

func newExplain(stdout, stderr io.Writer) *cobra.Command {
	flags := explainFlags{output: output{stdout: stdout}}
	c := &cobra.Command{
		Use:     "explain <block>-<index>|<hash>",
		Short:   "Show how one fee came about, step by step",
		Long:    explainManual,
		Example: explainExamples,
		Args:    oneArg("one transaction: a block and an index such as 25-7, or a hash with --block"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			return explainFee(c.Context(), args[0], flags, stderr)
		},
	}
	flags.sourceFlags.add(c)
	flags.output.add(c, "text", "json")
	c.Flags().StringVar(&flags.block, "block", "", "the block of the transaction that a hash names: a height, a hash or head")
	c.Flags().BoolVar(&flags.quiet, "quiet", false, "no progress on standard error")
	return c
}

func explainFee(ctx context.Context, name string, flags explainFlags, stderr io.Writer) error {
	which, err := parseTransactionRef(name, flags.block)
	if err != nil {
		return err
	}
	reader, err := flags.reader()
	if err != nil {
		return err
	}
	if err := flags.output.check(); err != nil {
		return err
	}
	stop := waiting(stderr, flags.place(), flags.quiet)
	defer stop()
	item, err := reader.Read(ctx, which.block)
	if err != nil {
		return err
	}
	if err := which.find(item.Block); err != nil {
		return err
	}
	report, _ := proof.Block(ctx, reader, item, evidence.Options{Signatures: true})
	stop()
	bill := newInvoice(item, report, which.index, flags.multiplierAt)
	if err := flags.output.write(func(w io.Writer) error {
		if flags.format == "json" {
			return writeJSON(w, bill)
		}
		return writeInvoice(w, bill, flags.width())
	}); err != nil {
		return err
	}
	if !bill.holds() {
		return errFinding
	}
	return nil
}

// transactionRef names a transaction: by its index in a block, or by a hash.
type transactionRef struct {
	block source.Ref
	index int
	hash  chain.Optional[chain.Hash]
}

// parseTransactionRef reads <block>-<index>, or a hash whose block is named apart.
func parseTransactionRef(name, block string) (transactionRef, error) {
	if hash, err := chain.ParseHash(name); err == nil {
		if block == "" {
			return transactionRef{}, errors.New("a hash does not tell which block the transaction is in: name that with --block")
		}
		ref, err := source.ParseRef(block)
		if err != nil {
			return transactionRef{}, fmt.Errorf("--block: %w", err)
		}
		return transactionRef{block: ref, hash: chain.Some(hash)}, nil
	}
	cut := strings.LastIndexByte(name, '-')
	if cut < 0 {
		return transactionRef{}, fmt.Errorf("transaction %q: want a block and an index such as 25-7, or a hash of 0x and 64 hex digits", name)
	}
	if block != "" {
		return transactionRef{}, fmt.Errorf("transaction %q names its block: --block is for a hash", name)
	}
	ref, err := source.ParseRef(name[:cut])
	if err != nil {
		return transactionRef{}, fmt.Errorf("transaction %q: %w", name, err)
	}
	index, err := strconv.ParseUint(name[cut+1:], 10, 31)
	if err != nil {
		return transactionRef{}, fmt.Errorf("transaction %q: %q is no index of an extrinsic in its block", name, name[cut+1:])
	}
	return transactionRef{block: ref, index: int(index)}, nil
}

// find sets the index, and refuses what is not there or pays no fee.
func (r *transactionRef) find(b *chain.Block) error {
	if hash, ok := r.hash.Get(); ok {
		found := withHash(b, hash)
		switch len(found) {
		case 0:
			return fmt.Errorf("block %d has no transaction with the hash %v, neither the EVM's nor the extrinsic's", b.Number, hash)
		case 1:
			r.index = found[0]
		default:
			return fmt.Errorf("block %d has %d transactions with the hash %v: name one by its index, such as %d-%d",
				b.Number, len(found), hash, b.Number, found[0])
		}
	}
	if r.index >= len(b.Extrinsics) {
		return fmt.Errorf("block %d has %d extrinsics, from 0 on: there is no %d", b.Number, len(b.Extrinsics), r.index)
	}
	if x := &b.Extrinsics[r.index]; fee.Classify(x) == fee.Inherent {
		return fmt.Errorf("extrinsic %d of block %d is an inherent, %s: it pays no fee", r.index, b.Number, x.Pallet+"."+x.Call)
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
