package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/archive"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/proof"
)

const syncManual = `Fill the ledger with the blocks of a range, A..B with both included or A:+N:
read each block, price it, prove its fees by the chain's own records, and store
all of it, with every movement of every account's native balance. --from and
--to name the ends as heights or as days (UTC, both included). With days, one
block more at each end, which proves that none is missing. Without a range, it
goes from where the ledger ends to the newest final block.

What is in the ledger is not read again: a sync that was stopped goes on where
it was, and a second one changes nothing. Ctrl-C ends it cleanly. The blocks of
a ledger are of one chain, and it grows upward from the height that it began
with.

Only final blocks are stored. With --unfinalized, those that are not yet come
too: they are not sealed, the next sync reads them again, and where the chain
has replaced one, they are taken out. A final block that does not follow the
one before ends the sync with an explanation. What does not hold in the range is
stored and counted at the end, and makes the exit code 1.

A ledger is a file, or a schema of a PostgreSQL database (--ledger
postgres://..., the password in PGPASSWORD or PGPASSFILE), which any number of
people can read. One program writes it at a time; with --enqueue, the range
becomes jobs for any number of fees worker on as many machines.

--signatures recomputes the hash and the sender of every EVM transaction, which
takes most of the time where it is asked for; fees verify does it at any time.`

const syncExamples = `  fees sync 0..27 --gateway demo                    28 blocks into fees.db
  fees sync --from 2026-01-01 --to 2026-01-31       a month
  fees sync                                         on to the newest final block
  fees sync 4000000:+1000000 --dry-run              what that would take
  fees sync 100..199 --gateway ./march --ledger march.db
  fees sync --from 2026-01-01 --enqueue --ledger postgres://db.intern/fees`

// syncFlags are the flags of fees sync.
type syncFlags struct {
	sourceFlags
	ledgerFlags
	from, to   string
	signatures bool
	dryRun     bool
	enqueue    bool
	quiet      bool
}

func newSync(stdout, stderr io.Writer) *cobra.Command {
	var flags syncFlags
	c := &cobra.Command{
		Use:     "sync [A..B|A:+N]",
		Short:   "Fill the ledger with the blocks of a range",
		Long:    syncManual,
		Example: syncExamples,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return syncLedger(c.Context(), args, flags, stdout, stderr)
		},
	}
	flags.sourceFlags.add(c)
	flags.ledgerFlags.add(c)
	flags.addConcurrency(c)
	c.Flags().StringVar(&flags.from, "from", "", "the first block: a height, or a day such as 2026-01-01 (UTC)")
	c.Flags().StringVar(&flags.to, "to", "", "the last block: a height, or a day (UTC), the whole of it (default: the newest final block)")
	c.Flags().BoolVar(&flags.signatures, "signatures", false, "recompute the hash and the sender of every EVM transaction")
	c.Flags().BoolVar(&flags.dryRun, "dry-run", false, "only say how many blocks, requests, hours and bytes it would take")
	c.Flags().BoolVar(&flags.enqueue, "enqueue", false, "make jobs of the range for fees worker, instead of storing it")
	c.Flags().BoolVar(&flags.quiet, "quiet", false, "no progress on standard error")
	return c
}

func syncLedger(ctx context.Context, args []string, flags syncFlags, stdout, stderr io.Writer) error {
	if err := flags.checkConcurrency(); err != nil {
		return err
	}
	wanted, err := parseWanted(args, flags.from, flags.to)
	if err != nil {
		return err
	}
	reader, err := flags.reader()
	if err != nil {
		return err
	}
	if flags.dryRun {
		return dryRun(ctx, wanted, flags, reader, stdout)
	}
	covered, err := flags.coverage(ctx)
	if err != nil {
		return err
	}
	span, err := wanted.resolve(ctx, reader, covered)
	if err != nil {
		return err
	}
	id, err := identify(ctx, reader, span.First)
	if err != nil {
		return err
	}
	open := ledger.OpenWriter
	if flags.enqueue {
		open = ledger.OpenShared
	}
	book, place, err := flags.openBook(ctx, open)
	if err != nil {
		return err
	}
	defer book.Close()
	if err := book.Begin(ctx, id, span.First); err != nil {
		return ofLedger(place, err)
	}
	if flags.enqueue {
		return enqueue(ctx, book, place, span, stdout)
	}
	f := filler{book: book, place: place, prover: proof.Prover{
		Reader: reader, Concurrency: flags.concurrency, Options: evidence.Options{Signatures: flags.signatures},
	}}
	p := newProgress(stderr, "blocks", flags.quiet)
	defer p.end()
	err = f.fill(ctx, span, p)
	p.end()
	if err != nil {
		return err
	}
	return f.tell(ctx, stdout, span)
}

// errorsLack tells whether an archive lacks what it was asked for.
func errorsLack(err error) bool { return errors.Is(err, archive.ErrLacks) }

// tell says what is there now, and what of it does not hold.
func (f *filler) tell(ctx context.Context, stdout io.Writer, span ledger.Span) error {
	s, err := f.book.Status(ctx)
	if err != nil {
		return ofLedger(f.place, err)
	}
	seal := "nothing is sealed"
	last, ok := s.Seal.Get()
	if height, sealed := s.Sealed.Get(); ok && sealed {
		seal = fmt.Sprintf("sealed up to block %d, seal %v", height, last)
	}
	if _, err = fmt.Fprintf(stdout, "%s: blocks %v: %d stored, %d were there; %s\n", shownLedger(f.place), span, f.stored, span.Blocks()-f.stored, seal); err != nil {
		return err
	}
	if first, ok := s.FirstUnanswered.Get(); ok {
		if _, err := fmt.Fprintf(stdout, "%s: %d questions were not answered, which fees ledger verify --gateway asks again; the first: %v\n", shownLedger(f.place), s.Unanswered, first); err != nil {
			return err
		}
	}
	found, err := findStored(ctx, f.book, span)
	if err != nil {
		return ofLedger(f.place, err)
	}
	if found.total == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(stdout, "%s: %v\n", shownLedger(f.place), found); err != nil {
		return err
	}
	return errFinding
}
