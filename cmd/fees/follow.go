package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/proof"
	"github.com/feeledger/fees/source"
)

const followManual = `Append each block to the ledger as soon as it is final, until Ctrl-C: from
where the ledger ends, or for a new one from the newest final block or the
height that --from names. What came between is read first. Each block is priced
and proved as by fees sync, sealed at once, and must be the child of the one
before. What does not hold is said on standard error, and stored; it goes on.

Where blocks come from, how it is known that there is a new one, and what passes
and is waited for, is as in fees watch.`

const followExamples = `  fees follow                                  ask the gateway of this machine
  fees follow --node ws://127.0.0.1:9944       told by the node
  fees follow --from 11728459 --ledger new.db  a new ledger from there on`

// followFlags are the flags of fees follow.
type followFlags struct {
	sourceFlags
	ledgerFlags
	headFlags
	from       string
	signatures bool
}

func newFollow(stderr io.Writer) *cobra.Command {
	var flags followFlags
	c := &cobra.Command{
		Use:     "follow",
		Short:   "Append each block to the ledger as it becomes final",
		Long:    followManual,
		Example: followExamples,
		Args:    noneOf("follow takes no argument, and has %q: --from names a height; fees follow --help explains"),
		RunE: func(c *cobra.Command, _ []string) error {
			return follow(c.Context(), flags, stderr)
		},
	}
	flags.sourceFlags.addFinal(c)
	flags.ledgerFlags.add(c)
	flags.headFlags.add(c)
	c.Flags().StringVar(&flags.from, "from", "", "begin a new ledger at this height (default: the newest final block)")
	c.Flags().BoolVar(&flags.signatures, "signatures", true, "recompute the hash and the sender of every EVM transaction")
	return c
}

func follow(ctx context.Context, flags followFlags, stderr io.Writer) error {
	options, err := flags.options(stderr)
	if err != nil {
		return err
	}
	reader, heads, end, err := flags.headFlags.open(&flags.sourceFlags)
	if err != nil {
		return err
	}
	defer end()
	head, err := reader.Source.Head(ctx, false)
	if err != nil {
		return err
	}
	from, goesOn, err := flags.begin(ctx, head.Number)
	if err != nil {
		return err
	}
	id, err := identify(ctx, reader, min(from, head.Number))
	if err != nil {
		return err
	}
	book, place, err := flags.openBook(ctx, ledger.OpenWriter)
	if err != nil {
		return err
	}
	defer book.Close()
	if err := book.Begin(ctx, id, from); err != nil {
		return ofLedger(place, err)
	}
	holds := true
	told := func(r *evidence.Report) {
		tellFindings(stderr, r)
		holds = holds && r.Holds()
	}
	f := filler{book: book, place: place, atOnce: true, judged: told, prover: proof.Prover{Reader: reader, Options: evidence.Options{Signatures: flags.signatures}}}
	if err := f.finish(ctx, newProgress(nil, "", true), 0); err != nil {
		return err
	}
	before, err := f.before(ctx, from)
	if err != nil {
		return err
	}
	options.From = chain.Some(from)
	var newest atomic.Uint64
	entries := func(yield func(*ledger.Entry, error) bool) {
		for x, err := range f.prover.Follow(ctx, noting(heads, &newest), options, before) {
			if goesOn && from > head.Number && errorsLack(err) { // an archive does not grow
				return
			}
			if err == nil {
				err = ctx.Err() // or it may be judged by less
			}
			if !yield(f.entry(x, err)) || err != nil {
				return
			}
		}
	}
	p := newProgress(stderr, "blocks", flags.quiet)
	defer p.end()
	if err := f.store(ctx, entries, func(height uint64) { p.lag(height, max(newest.Load(), height)) }); err != nil {
		return err
	}
	if !holds {
		return errFinding
	}
	return nil
}

// begin is the height to go on from: where the ledger ends, or for a new one what
// the flag says, or the head.
func (f *followFlags) begin(ctx context.Context, head uint64) (from uint64, goesOn bool, err error) {
	covered, err := f.coverage(ctx)
	switch {
	case err != nil:
		return 0, false, err
	case covered.known && f.from != "":
		return 0, false, fmt.Errorf("--from is for a new ledger; this one goes on from block %d", covered.next)
	case covered.known:
		return covered.next, true, nil
	case f.from == "":
		return head, false, nil
	}
	height, err := parseHeight(f.from)
	if err != nil {
		return 0, false, fmt.Errorf("--from: %w", err)
	}
	return height, false, nil
}

// noting delivers heads and notes the newest.
func noting(heads source.Heads, newest *atomic.Uint64) source.Heads {
	return func(ctx context.Context) iter.Seq2[source.Head, error] {
		return func(yield func(source.Head, error) bool) {
			for h, err := range heads(ctx) {
				if err == nil {
					newest.Store(h.Number)
				}
				if !yield(h, err) {
					return
				}
			}
		}
	}
}
