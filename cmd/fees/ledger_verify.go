package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/proof"
)

const ledgerVerifyManual = `Prove a ledger: the rows of each block by their digests, the blocks by their
parents' hashes, that none is missing, the seals by the digests, the totals by
the rows, and the indexes by what they find. Whatever was altered is named, and
the exit code is 4.

With --gateway, each block is read again, from a gateway or an archive, priced
and proved by this program, and compared with the ledger. Where the chain's own
record is another, the exit code is 4. Where only the judgement is another,
because this program knows more than the one that filled the ledger, the exit
code is 1: the ledger keeps the old judgement and notes the new one beside it
(rejudgements). Questions that were not answered when the ledger was filled are
asked again, and what the answers tell is taken over. Where another program
writes the ledger meanwhile, all is shown, and nothing is kept.`

const ledgerVerifyExamples = `  fees ledger verify
  fees ledger verify --ledger march.db --gateway ./march
  fees ledger verify --format json`

// ledgerVerifyFlags are the flags of fees ledger verify.
type ledgerVerifyFlags struct {
	sourceFlags
	ledgerFlags
	output
	signatures bool
	quiet      bool
}

func newLedgerVerify(stdout, stderr io.Writer) *cobra.Command {
	flags := ledgerVerifyFlags{output: output{stdout: stdout}}
	c := &cobra.Command{
		Use:     "verify",
		Short:   "Prove that nothing in a ledger was altered",
		Long:    ledgerVerifyManual,
		Example: ledgerVerifyExamples,
		Args:    noneOf("verify takes no argument, and has %q: --ledger names the ledger"),
		RunE: func(c *cobra.Command, _ []string) error {
			return verifyLedger(c.Context(), flags, stderr)
		},
	}
	flags.sourceFlags.add(c)
	flags.ledgerFlags.add(c)
	flags.output.add(c, "table", "json")
	flags.addConcurrency(c)
	c.Flags().Lookup("gateway").Usage = "compare with what this gateway, directory or demo says too"
	c.Flags().BoolVar(&flags.signatures, "signatures", false, "recompute the hash and the sender of every EVM transaction; as it was when the ledger was filled")
	c.Flags().BoolVar(&flags.quiet, "quiet", false, "no progress on standard error")
	return c
}

// mostShown is how many places are listed: whatever is altered, the first tell.
const mostShown = 1000

// ledgerFindings is what came of the verification of a ledger.
type ledgerFindings struct {
	Blocks      uint64              `json:"blocks"`
	Damage      []ledger.Damage     `json:"damage"`
	Damages     int                 `json:"damages"` // also those that are not listed
	Differences []ledger.Difference `json:"differences"`
	Compared    uint64              `json:"compared"` // blocks
	Answered    int                 `json:"answered"` // questions that were not, when the ledger was filled
	NotKept     *string             `json:"not_kept"` // why the ledger was not told, null where it was
	facts       int                 // differences of what the chain recorded
	rejudged    int                 // differences of judgement
}

func verifyLedger(ctx context.Context, flags ledgerVerifyFlags, stderr io.Writer) error {
	if err := errors.Join(flags.output.check(), flags.checkConcurrency()); err != nil {
		return err
	}
	book, place, err := flags.openBook(ctx, ledger.Open)
	if err != nil {
		return err
	}
	defer book.Close()
	found := ledgerFindings{Damage: []ledger.Damage{}, Differences: []ledger.Difference{}}
	p := newProgress(stderr, "blocks", flags.quiet)
	defer p.end()
	err = book.Verify(ctx, found.damage, func(done, total uint64) {
		found.Blocks = done
		p.show(done, total)
	})
	if err != nil {
		return ofLedger(place, err)
	}
	p.end()
	if flags.gateway != "" {
		if err := found.compare(ctx, book, place, flags, newProgress(stderr, "blocks compared", flags.quiet)); err != nil {
			return err
		}
	}
	if err := flags.output.write(func(w io.Writer) error { return found.write(w, flags.format, shownLedger(place)) }); err != nil {
		return err
	}
	switch {
	case found.Damages > 0:
		return ofLedger(place, fmt.Errorf("%w in %d places: restore a backup, or fill a new one", ledger.ErrDamaged, found.Damages))
	case found.facts > 0:
		return ofLedger(place, fmt.Errorf("%w, or the gateway is wrong: %d values differ", ledger.ErrDamaged, found.facts))
	case found.rejudged > 0:
		return errFinding
	}
	return nil
}

func (l *ledgerFindings) damage(d ledger.Damage) {
	if l.Damages++; l.Damages <= mostShown {
		l.Damage = append(l.Damage, d)
	}
}

// compare judges all blocks of the ledger again.
func (l *ledgerFindings) compare(ctx context.Context, book *ledger.Book, place string, flags ledgerVerifyFlags, p *progress) error {
	defer p.end()
	reader, err := flags.reader()
	if err != nil {
		return err
	}
	s, err := book.Status(ctx)
	if err != nil {
		return ofLedger(place, err)
	}
	f := filler{book: book, place: place, prover: proof.Prover{
		Reader: reader, Concurrency: flags.concurrency, Options: evidence.Options{Signatures: flags.signatures},
	}}
	var batch []*ledger.Entry
	var rejudged []ledger.Difference
	flush := func() error {
		differences, err := book.Compare(ctx, batch)
		if err != nil {
			return ofLedger(place, err)
		}
		learned, err := l.learn(ctx, flags, batch, differences)
		if err != nil {
			return err
		}
		for _, d := range differences {
			switch {
			case !d.Judgement:
				l.facts++
			case learned[d.Height] && d.Table == "unanswered":
				continue
			default:
				l.rejudged++
				if !learned[d.Height] {
					rejudged = append(rejudged, d)
				}
			}
			if len(l.Differences) < mostShown {
				l.Differences = append(l.Differences, d)
			}
		}
		l.Compared += uint64(len(batch))
		batch = nil
		p.show(l.Compared, s.Blocks)
		if len(rejudged) >= mostShown {
			err = l.keep(ctx, flags, rejudged)
			rejudged = nil
		}
		return err
	}
	for _, span := range held(s) {
		for e, err := range f.judge(ctx, span) {
			if err != nil {
				return err
			}
			if batch = append(batch, e); len(batch) == mostBlocksAtOnce {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		if err := flush(); err != nil {
			return err
		}
	}
	return l.keep(ctx, flags, rejudged)
}

// learn takes over what answers tell that were missing when the ledger was filled, and says
// of which blocks.
func (l *ledgerFindings) learn(ctx context.Context, flags ledgerVerifyFlags, batch []*ledger.Entry, differences []ledger.Difference) (learned map[uint64]bool, err error) {
	answered := map[uint64]bool{}
	for _, d := range differences {
		if d.Table == "unanswered" && d.Column == "" && d.Now == "missing" {
			answered[d.Height] = true
		}
	}
	var entries []*ledger.Entry
	for _, e := range batch {
		if answered[e.Height()] {
			entries = append(entries, e)
		}
	}
	if len(entries) == 0 {
		return nil, nil
	}
	err = l.tell(ctx, flags, func(book *ledger.Book) error {
		n, err := book.Relearn(ctx, entries)
		l.Answered += n
		learned = answered
		return err
	})
	return learned, err
}

// keep notes the new judgement in the ledger, beside the old one.
func (l *ledgerFindings) keep(ctx context.Context, flags ledgerVerifyFlags, rejudged []ledger.Difference) error {
	if len(rejudged) == 0 {
		return nil
	}
	return l.tell(ctx, flags, func(book *ledger.Book) error { return book.Rejudge(ctx, version(), rejudged) })
}

// tell writes something to the ledger. Where that is not possible for now, because another
// program writes it or nobody may, what was found is shown nonetheless.
func (l *ledgerFindings) tell(ctx context.Context, flags ledgerVerifyFlags, what func(*ledger.Book) error) error {
	book, place, err := flags.openBook(ctx, ledger.OpenWriter)
	if err == nil {
		err = errors.Join(ofLedger(place, what(book)), book.Close())
	}
	if err == nil || ctx.Err() != nil || errors.Is(err, ledger.ErrDamaged) {
		return err
	}
	reason := err.Error()
	l.NotKept = &reason
	return nil
}

// held are the spans that a ledger has, between its gaps.
func held(s ledger.Status) (spans []ledger.Span) {
	stored, ok := s.Stored.Get()
	if !ok {
		return nil
	}
	next := stored.First
	for _, g := range s.Gaps {
		spans = append(spans, ledger.Span{First: next, Last: g.First - 1})
		next = g.Last + 1
	}
	return append(spans, ledger.Span{First: next, Last: stored.Last})
}

func (l *ledgerFindings) write(w io.Writer, format, place string) error {
	if format == "json" {
		return writeJSON(w, l)
	}
	for _, d := range l.Damage {
		fmt.Fprintln(w, console.Printable(d.String()))
	}
	if n := l.Damages - len(l.Damage); n > 0 {
		fmt.Fprintf(w, "and %d more\n", n)
	}
	for _, d := range l.Differences {
		fmt.Fprintln(w, console.Printable(d.String()))
	}
	if n := l.facts + l.rejudged - len(l.Differences); n > 0 {
		fmt.Fprintf(w, "and %d more\n", n)
	}
	if l.Answered > 0 {
		fmt.Fprintf(w, "%d questions were answered that were not when the ledger was filled\n", l.Answered)
	}
	if l.NotKept != nil {
		fmt.Fprintf(w, "not kept in the ledger: %s\n", console.Printable(*l.NotKept))
	}
	if l.Damages == 0 {
		fmt.Fprintf(w, "%s: %d blocks, nothing was altered\n", place, l.Blocks)
	}
	if l.Compared > 0 && len(l.Differences) == 0 {
		fmt.Fprintf(w, "%d blocks are the same when they are read and judged again\n", l.Compared)
	}
	return nil
}
