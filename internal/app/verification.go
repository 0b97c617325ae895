package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
)

// VerifyOptions say how a ledger is verified.
type VerifyOptions struct {
	Place    string // the ledger's
	Progress Progress
	// Against is what the blocks are read from and judged again by, nil for nothing.
	Against *FillOptions
	// Program is who judges: the ledger notes it beside a judgement that became another.
	Program string
}

// Verification is what came of the verification of a ledger.
type Verification struct {
	Place       string              `json:"-"` // as it may be shown
	Blocks      uint64              `json:"blocks"`
	Damage      []ledger.Damage     `json:"damage"`  // the first maxShown
	Damages     int                 `json:"damages"` // also those that are not listed
	Differences []ledger.Difference `json:"differences"`
	Compared    uint64              `json:"compared"` // blocks
	Answered    int                 `json:"answered"` // questions that were not, when the ledger was filled
	Evidence    evidence.Evidence   `json:"evidence"` // how well the ledger knows its blocks, after it
	NotKept     *string             `json:"not_kept"` // why the ledger was not told, null where it was

	facts    int // differences of what the chain recorded
	rejudged int // differences of judgement
	desk     *Desk
	options  *VerifyOptions
}

// maxShown is how many places are listed: whatever is altered, the first tell.
const maxShown = 1000

// Verify proves that nothing in a ledger was altered, and compares it with a source. An
// error is one that kept it from doing so; what was found is in the verification.
func Verify(ctx context.Context, o VerifyOptions) (*Verification, error) {
	var tables network.Tables
	if o.Against != nil {
		tables = o.Against.Reader.Tables
	}
	d, err := Open(ctx, o.Place, tables)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	v := &Verification{Place: d.Place, Damage: []ledger.Damage{}, Differences: []ledger.Difference{}, Evidence: evidence.Recorded(0), desk: d, options: &o}
	err = d.Book.Verify(ctx, v.damage, func(done, total uint64) {
		v.Blocks = done
		o.Progress.show(done, total)
	})
	o.Progress.end()
	if err != nil {
		return nil, d.of(err)
	}
	if o.Against != nil {
		err = v.compare(ctx, &o)
		o.Against.Progress.end()
	}
	if err != nil || v.Damages > 0 {
		return v, err
	}
	s, err := d.Book.Status(ctx)
	v.Evidence = s.Evidence
	return v, d.of(err)
}

// Err says what was found: a [LedgerError] of ledger.ErrDamaged where the ledger, or the
// source, is not what the chain recorded.
func (v *Verification) Err() error {
	switch {
	case v.Damages > 0:
		return &LedgerError{v.Place, fmt.Errorf("%w in %d places: restore a backup, or fill a new one", ledger.ErrDamaged, v.Damages)}
	case v.facts > 0:
		return &LedgerError{v.Place, fmt.Errorf("%w, or the gateway is wrong: %d values differ", ledger.ErrDamaged, v.facts)}
	}
	return nil
}

// Rejudged tells how often the rules judge otherwise now than when the ledger was filled.
func (v *Verification) Rejudged() int { return v.rejudged }

// Differing is how many values differ, also those that are not listed.
func (v *Verification) Differing() int { return v.facts + v.rejudged }

func (v *Verification) damage(d ledger.Damage) {
	if v.Damages++; v.Damages <= maxShown {
		v.Damage = append(v.Damage, d)
	}
}

// compare judges all blocks of the ledger again.
func (v *Verification) compare(ctx context.Context, o *VerifyOptions) error {
	d := v.desk
	s, err := d.Book.Status(ctx)
	if err != nil {
		return d.of(err)
	}
	f := d.filler(o.Against)
	var batch []*ledger.Entry
	var rejudged []ledger.Difference
	flush := func() error {
		differences, err := d.Book.Compare(ctx, batch)
		if err != nil {
			return d.of(err)
		}
		learned, err := v.learn(ctx, batch, differences)
		if err != nil {
			return err
		}
		for _, x := range differences {
			switch {
			case !x.Judgement:
				v.facts++
			case learned[x.Height] && x.Table == "unanswered":
				continue
			default:
				v.rejudged++
				if !learned[x.Height] {
					rejudged = append(rejudged, x)
				}
			}
			if len(v.Differences) < maxShown {
				v.Differences = append(v.Differences, x)
			}
		}
		if err := v.prove(ctx, batch); err != nil {
			return err
		}
		v.Compared += uint64(len(batch))
		batch = nil
		o.Against.Progress.show(v.Compared, s.Blocks)
		if len(rejudged) >= maxShown {
			err = v.keep(ctx, rejudged)
			rejudged = nil
		}
		return err
	}
	for _, span := range held(s) {
		for e, err := range f.judge(ctx, span) {
			if err != nil {
				return err
			}
			if batch = append(batch, e); len(batch) == maxBlocksAtOnce {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		if err := flush(); err != nil {
			return err
		}
	}
	return v.keep(ctx, rejudged)
}

// learn takes over what answers tell that were missing when the ledger was filled, and says
// of which blocks.
func (v *Verification) learn(ctx context.Context, batch []*ledger.Entry, differences []ledger.Difference) (learned map[uint64]bool, err error) {
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
	err = v.tell(ctx, func(book *ledger.Book) error {
		n, err := book.Relearn(ctx, entries)
		v.Answered += n
		learned = answered
		return err
	})
	return learned, err
}

// prove tells the ledger which of its blocks a source proves: those that have the digest
// that the source's have. That their rows are as their digests say was verified before.
func (v *Verification) prove(ctx context.Context, batch []*ledger.Entry) error {
	var proved []*ledger.Entry
	now := evidence.Recorded(uint64(len(batch)))
	for _, e := range batch {
		if a, ok := e.Trusted().Get(); ok {
			proved, now = append(proved, e), now.By(a, 1)
		}
	}
	if len(proved) == 0 || v.Damages > 0 {
		return nil
	}
	have, err := v.desk.Book.Evidence(ctx, chain.Heights{First: batch[0].Height(), Last: batch[len(batch)-1].Height()})
	if err != nil || have.Supports(now) {
		return v.desk.of(err)
	}
	return v.tell(ctx, func(book *ledger.Book) error { return book.Prove(ctx, proved) })
}

// keep notes the new judgement in the ledger, beside the old one.
func (v *Verification) keep(ctx context.Context, rejudged []ledger.Difference) error {
	if len(rejudged) == 0 {
		return nil
	}
	return v.tell(ctx, func(book *ledger.Book) error { return book.Rejudge(ctx, v.options.Program, rejudged) })
}

// tell writes something to the ledger. Where that is not possible for now, because another
// program writes it or nobody may, what was found is shown nonetheless.
func (v *Verification) tell(ctx context.Context, what func(*ledger.Book) error) error {
	d, err := OpenWriter(ctx, v.options.Place, v.desk.Tables)
	if err == nil {
		err = errors.Join(d.of(what(d.Book)), d.Close())
	}
	if err == nil || ctx.Err() != nil || errors.Is(err, ledger.ErrDamaged) {
		return err
	}
	reason := err.Error()
	v.NotKept = &reason
	return nil
}

// held are the spans that a ledger has, between its gaps.
func held(s ledger.Status) (spans []chain.Heights) {
	stored, ok := s.Stored.Get()
	if !ok {
		return nil
	}
	next := stored.First
	for _, g := range s.Gaps {
		spans = append(spans, chain.Heights{First: next, Last: g.First - 1})
		next = g.Last + 1
	}
	return append(spans, chain.Heights{First: next, Last: stored.Last})
}
