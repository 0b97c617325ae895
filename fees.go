// Package fees computes the exact transaction fees of Moonbeam-style chains, EVM and native, and compares each with what
// the chain charged.
//
//	src, err := fees.Open("demo") // or the URL of a gateway or a node, or a directory
//	block, err := src.Block(ctx, fees.Height(25))
//	fmt.Println(block.Totals.Fee, block.Holds())
//
// A fee that no rule determines is unknown, never zero: see [Undetermined]. An error may pass: see [IsTransient].
//
// Package fee prices a block, package fee/evidence compares the fees with the chain's record, package source reads blocks,
// and package source/prove combines them for many blocks.
package fees

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// Report contains a block's fees, in wei, and the chain's record of each.
type Report = evidence.Report

// Ref identifies a block: see [Height], [Hash] and [Head].
type Ref = source.Ref

// Head is the newest final block.
var Head Ref

// Height returns a reference to the block at a height.
func Height(height uint64) Ref { return source.Height(height) }

// Hash returns a reference to the block with a hash of 0x and 64 hex digits.
func Hash(text string) (ref Ref, err error) {
	hash, err := chain.ParseHash(text)
	return source.ByHash(hash), err
}

// Options configures a source. The zero value uses the built-in tables and defaults.
type Options struct {
	// Source contains timeouts, credentials and limits of requests, and a checkpoint to prove an archive by.
	Source source.Options
	// Tables are the networks and their rules; the built-in ones if empty.
	Tables network.Tables
	// Network is the name of the network whose rules apply; "" takes the one that the source reports.
	Network string
	// Concurrency is the number of blocks that Blocks reads and verifies at once; 4 if 0.
	Concurrency int
	// Unfinalized accepts blocks that are not final yet. They may still be replaced.
	Unfinalized bool
}

const defaultConcurrency = 4

// Source reads blocks from one place, prices them, and compares the fees with the chain's record. It is safe for concurrent
// use.
type Source struct {
	reader      source.Reader
	concurrency int
}

// Open opens a source: the URL of a gateway or of a node, a directory of stored responses, an archive, or "demo".
func Open(place string) (*Source, error) { return OpenWith(place, Options{}) }

// OpenWith opens a source with options.
func OpenWith(place string, o Options) (*Source, error) {
	if len(o.Tables.All()) == 0 {
		o.Tables = network.BuiltIn()
	}
	if o.Source.Known == nil {
		o.Source.Known = o.Tables.Anchors
	}
	if o.Concurrency == 0 {
		o.Concurrency = defaultConcurrency
	}
	src, err := source.Open(place, o.Source)
	if err != nil {
		return nil, err
	}
	return &Source{source.Reader{Source: src, Tables: o.Tables, Network: o.Network, Unfinalized: o.Unfinalized}, o.Concurrency}, nil
}

// Close ends the source's connection, if it has one.
func (s *Source) Close() error {
	if c, ok := s.reader.Source.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Block reads, prices and verifies one block, and compares it with its parent. Its signatures are checked. Fees that are
// undetermined and checks that failed are in the report, not an error.
func (s *Source) Block(ctx context.Context, ref Ref) (*Report, error) {
	item, err := s.reader.Read(ctx, ref)
	if err != nil {
		return nil, err
	}
	return prove.Single(ctx, &s.reader, item, evidence.Options{Signatures: true})
}

// Blocks does the same for the blocks of a range in order, several at once, each compared with the one before. An error is
// the last element, after all blocks before it.
func (s *Source) Blocks(ctx context.Context, first, last uint64) iter.Seq2[*Report, error] {
	prover := prove.Prover{Reader: &s.reader, Options: evidence.Options{Signatures: true}, Concurrency: s.concurrency}
	return func(yield func(*Report, error) bool) {
		for block, err := range prover.Range(ctx, chain.Heights{First: first, Last: last}, chain.Optional[evidence.Predecessor]{}) {
			if !yield(block.Report, err) || err != nil {
				return
			}
		}
	}
}

// Price computes the fees of a block by the rules of the runtime that executed it, and the multiplier that its parent
// stored. It reads nothing, and compares nothing.
func Price(block *chain.Block, rules *network.Rules, multiplier chain.Optional[chain.StoredMultiplier]) *fee.Report {
	return fee.Price(block, rules, multiplier)
}

// Undetermined returns the reasons why fees of a block are unknown, joined; nil if all are known. Each is a *[fee.Error]:
// use errors.As for the first.
func Undetermined(r *Report) error {
	var reasons []error
	for i := range r.Transactions {
		if reason := r.Transactions[i].Error; reason != nil {
			reasons = append(reasons, reason)
		}
	}
	return errors.Join(reasons...)
}

// IsTransient reports whether the same request could succeed later: the source was unreachable, busy or starting, did not
// have the block yet, or the context ended.
func IsTransient(err error) bool { return source.IsTransient(err) || source.IsBadResponse(err) }
