package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
)

// VerifyOptions state how a ledger is verified.
type VerifyOptions struct {
	Place    string // path or URL of the ledger
	Progress Progress
	// Against supplies the source to compare all blocks with; may be nil.
	Against *FillOptions
	// Trail is a head of the audit trail that was kept elsewhere; unknown for none.
	Trail chain.Optional[ledger.TrailHead]
	// Program is stored in the ledger beside changed judgements.
	Program string
}

// Verification is the result of verifying a ledger.
type Verification struct {
	Place       string              `json:"-"` // without credentials
	Blocks      uint64              `json:"blocks"`
	Damage      []ledger.Damage     `json:"damage"`  // the first maxShown
	Damages     int                 `json:"damages"` // including those not listed
	Differences []ledger.Difference `json:"differences"`
	Compared    uint64              `json:"compared"` // number of blocks compared
	Answered    int                 `json:"answered"` // requests unanswered when the ledger was filled
	Evidence    evidence.Evidence   `json:"evidence"` // the ledger's level of evidence afterwards
	// Gaps are the missing blocks below others that are final: nothing above the first of them is sealed. They are not
	// listed while jobs wait to fill them.
	Gaps    []string `json:"gaps"`
	NotKept *string  `json:"not_kept"` // why the results were not stored; null if they were
	// Trail is the head of the audit trail, to keep elsewhere; unknown if the trail was altered.
	Trail chain.Optional[ledger.TrailHead] `json:"trail"`

	facts    int // differences in recorded facts
	rejudged int // differences in judgement
	ledger   *Ledger
	options  *VerifyOptions
}

// maxShown limits how many damages and differences are listed.
const maxShown = 1000

// Verify checks that a ledger is unaltered, and compares it with a source if one is given. It returns an error only if
// it could not do so; findings are in the verification.
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
	v := &Verification{Place: d.Place, Damage: []ledger.Damage{}, Differences: []ledger.Difference{}, Gaps: []string{}, Evidence: evidence.Recorded(0), ledger: d, options: &o}
	err = d.Book.Verify(ctx, v.damage, func(done, total uint64) {
		v.Blocks = done
		o.Progress.show(done, total)
	})
	o.Progress.end()
	if err == nil {
		err = v.compareTrail(ctx)
	}
	if err != nil {
		return nil, d.wrapErr(err)
	}
	if o.Against != nil {
		err = v.compare(ctx, &o)
		o.Against.Progress.end()
	}
	if err != nil || v.Damages > 0 {
		return v, err
	}
	s, err := d.Status(ctx)
	if err != nil {
		return v, err
	}
	v.Evidence = s.Evidence
	if jobs, _ := s.Jobs.Get(); jobs.Left() == 0 {
		gaps, failed := d.Book.Gaps(ctx)
		for _, gap := range gaps {
			v.Gaps = append(v.Gaps, gap.String())
		}
		err = failed
	}
	return v, d.wrapErr(err)
}

// compareTrail reads the head of the audit trail, and compares the trail with the head that was kept elsewhere.
func (v *Verification) compareTrail(ctx context.Context) error {
	trail, err := v.ledger.Book.Trail(ctx)
	if errors.Is(err, ledger.ErrDamaged) { // which is already reported
		return nil
	}
	if err != nil {
		return err
	}
	v.Trail = chain.Some(ledger.HeadOf(trail))
	if kept, some := v.options.Trail.Get(); some {
		if err := kept.Compare(trail); err != nil {
			v.damage(ledger.Damage{Table: "trail", Message: err.Error()})
		}
	}
	return nil
}

// Err returns the findings as an error: a [LedgerError] of ledger.ErrDamaged if the ledger, or the source,
// differs from what the chain recorded.
func (v *Verification) Err() error {
	switch {
	case v.Damages > 0:
		return &LedgerError{v.Place, fmt.Errorf("%w in %s; restore a backup, or fill a new ledger", ledger.ErrDamaged, console.Counted(v.Damages, "place"))}
	case v.facts > 0:
		return &LedgerError{v.Place, fmt.Errorf("%w, or the gateway is wrong: %d values differ", ledger.ErrDamaged, v.facts)}
	}
	return nil
}

// Rejudged returns how many judgements differ from those when the ledger was filled.
func (v *Verification) Rejudged() int { return v.rejudged }

// Differing returns how many values differ, including those not listed.
func (v *Verification) Differing() int { return v.facts + v.rejudged }

func (v *Verification) damage(d ledger.Damage) {
	if v.Damages++; v.Damages <= maxShown {
		v.Damage = append(v.Damage, d)
	}
}

// compare judges all blocks of the ledger again.
func (v *Verification) compare(ctx context.Context, o *VerifyOptions) error {
	d := v.ledger
	s, err := d.Book.Status(ctx)
	if err != nil {
		return d.wrapErr(err)
	}
	f := d.filler(o.Against)
	var batch []*ledger.Entry
	var rejudged []ledger.Difference
	flush := func() error {
		differences, err := d.Book.Compare(ctx, batch)
		if err != nil {
			return d.wrapErr(err)
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
	for _, span := range storedRanges(s) {
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

// learn stores answers that were missing when the ledger was filled, and returns the blocks concerned.
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
	err = v.update(ctx, func(book *ledger.Book) error {
		n, err := book.Relearn(ctx, entries)
		v.Answered += n
		learned = answered
		return err
	})
	return learned, err
}

// prove records in the ledger which blocks a source proves: those whose digests agree. Their rows were
// already verified against the digests.
func (v *Verification) prove(ctx context.Context, batch []*ledger.Entry) error {
	var proved []*ledger.Entry
	now := evidence.Recorded(uint64(len(batch)))
	for _, e := range batch {
		if by, ok := e.ProvedBy().Get(); ok {
			proved, now = append(proved, e), now.Add(evidence.Trusted{Checkpoint: by, Blocks: 1})
		}
	}
	if len(proved) == 0 || v.Damages > 0 {
		return nil
	}
	have, err := v.ledger.Book.Evidence(ctx, chain.Heights{First: batch[0].Height(), Last: batch[len(batch)-1].Height()})
	if err != nil || have.Supports(now) {
		return v.ledger.wrapErr(err)
	}
	return v.update(ctx, func(book *ledger.Book) error { return book.Prove(ctx, proved) })
}

// keep stores the new judgements in the ledger, beside the old ones.
func (v *Verification) keep(ctx context.Context, rejudged []ledger.Difference) error {
	if len(rejudged) == 0 {
		return nil
	}
	return v.update(ctx, func(book *ledger.Book) error { return book.Rejudge(ctx, v.options.Program, rejudged) })
}

// update writes to the ledger. If the ledger is locked or read-only, it records the reason and the findings are
// still reported.
func (v *Verification) update(ctx context.Context, what func(*ledger.Book) error) error {
	d, err := OpenWriter(ctx, v.options.Place, v.ledger.Tables)
	if err == nil {
		err = errors.Join(d.wrapErr(what(d.Book)), d.Close())
	}
	if err == nil || ctx.Err() != nil || errors.Is(err, ledger.ErrDamaged) {
		return err
	}
	reason := err.Error()
	v.NotKept = &reason
	return nil
}

// storedRanges returns the ranges of a ledger between its gaps.
func storedRanges(s ledger.Status) (spans []chain.Heights) {
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
