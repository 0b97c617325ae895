package ledger

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/movement"
)

// known is how well a block is known, which may change: why fees drift, which checks did not hold,
// and what a source did not answer for the moment, though it might have. It stands beside the
// record, as JSON, and is in no seal.
type known struct {
	Diagnoses  []diagnosis         `json:"diagnoses,omitempty"`
	Findings   []keptFinding       `json:"findings,omitempty"`
	Unanswered []evidence.Question `json:"unanswered,omitempty"`
}

// diagnosis says why a fee drifts.
type diagnosis struct {
	Extrinsic int            `json:"extrinsic"`
	Class     evidence.Class `json:"class"`
}

var diagnosisFields = []field[diagnosis]{
	{"extrinsic", fact, func(d *diagnosis) any { return &d.Extrinsic }},
	{"class", judgement, func(d *diagnosis) any { return (*string)(&d.Class) }},
}

// keptFinding is what is kept of a finding.
type keptFinding struct {
	Check     string              `json:"check_id"`
	Extrinsic chain.Optional[int] `json:"extrinsic"`
	Message   string              `json:"message"`
}

var findingFields = []field[keptFinding]{
	{"check_id", judgement, func(f *keptFinding) any { return &f.Check }},
	{"extrinsic", judgement, func(f *keptFinding) any { return &f.Extrinsic }},
	{"message", judgement, func(f *keptFinding) any { return &f.Message }},
}

var questionFields = []field[evidence.Question]{
	{"about", judgement, func(q *evidence.Question) any { return (*string)(&q.About) }},
	{"at", judgement, func(q *evidence.Question) any { return &q.At }},
	{"why", judgement, func(q *evidence.Question) any { return &q.Why }},
}

// encoded is null where there is nothing to say.
func (k *known) encoded() (nullable, error) {
	if len(k.Diagnoses)+len(k.Findings)+len(k.Unanswered) == 0 {
		return "", nil
	}
	for i := range k.Findings {
		k.Findings[i].Message = clean(k.Findings[i].Message)
	}
	for i := range k.Unanswered {
		k.Unanswered[i].Why = clean(k.Unanswered[i].Why)
	}
	text, err := json.Marshal(k)
	return nullable(text), err
}

// readKnown reads what encoded made.
func readKnown(text nullable) (k known, err error) {
	if text != "" {
		err = json.Unmarshal([]byte(text), &k)
	}
	for _, d := range k.Diagnoses {
		err = cmp.Or(err, checkExtrinsic(d.Extrinsic))
	}
	for _, f := range k.Findings {
		err = cmp.Or(err, checkExtrinsic(or(f.Extrinsic)))
	}
	return k, err
}

// checkExtrinsic wants an index that a block can have.
func checkExtrinsic(n int) error {
	if n < 0 || n > math.MaxInt32 {
		return fmt.Errorf("extrinsic %d: %w", n, errCell)
	}
	return nil
}

// flags say of which few things a block has some. Most blocks have none.
type flags uint64

// The flags.
const (
	notFinal flags = 1 << iota
	hasFindings
	hasUnclassified
	hasUnanswered
)

// fewFlags are those of which the stretches count the blocks, with their names.
var fewFlags = [...]struct {
	flag flags
	name string
}{{hasFindings, "findings"}, {hasUnclassified, "unclassified"}, {hasUnanswered, "unanswered"}}

// flagsOf are those of a block.
func flagsOf(c *Content, k *known) (f flags) {
	for _, x := range []struct {
		has  bool
		flag flags
	}{{!c.Final, notFinal}, {len(k.Findings) > 0, hasFindings}, {len(c.Unclassified) > 0, hasUnclassified}, {len(k.Unanswered) > 0, hasUnanswered}} {
		if x.has {
			f |= x.flag
		}
	}
	return f
}

// Finding is a check that did not hold, as the book has it.
type Finding struct {
	Position int // among the block's findings
	evidence.Finding
}

// Place is where the finding is.
func (f *Finding) Place() Place { return Place{f.Block, f.Position} }

// Findings are the checks of a query's blocks that did not hold.
func (b *Book) Findings(ctx context.Context, q Query) iter.Seq2[*Finding, error] {
	return flagged(ctx, b, q, hasFindings, func(c *Content) (list []*Finding) {
		for i, f := range c.known.Findings {
			list = append(list, &Finding{i, evidence.Finding{Check: f.Check, Block: c.Height, Extrinsic: f.Extrinsic, Message: f.Message}})
		}
		return list
	})
}

// Unclassified is a balances event of which it is not known what it moved.
type Unclassified struct {
	Height     uint64
	Position   int // among the block's events of the kind
	Where      movement.Where
	EventIndex int
	Event      string
	Data       string // JSON, as the gateway wrote it
	Reason     string
}

var unclassifiedFields = []field[Unclassified]{
	{"place", fact, func(u *Unclassified) any { return &u.Where }},
	{"event_index", fact, func(u *Unclassified) any { return &u.EventIndex }},
	{"event", fact, func(u *Unclassified) any { return &u.Event }},
	{"data", fact, func(u *Unclassified) any { return &u.Data }},
	{"reason", judgement, func(u *Unclassified) any { return &u.Reason }},
}

// Place is where the event is.
func (u *Unclassified) Place() Place { return Place{u.Height, u.Position} }

// Unclassified are the balances events of a query's blocks that are not understood.
func (b *Book) Unclassified(ctx context.Context, q Query) iter.Seq2[*Unclassified, error] {
	return flagged(ctx, b, q, hasUnclassified, func(c *Content) []*Unclassified {
		return pointers(c.Unclassified, func(*Unclassified) bool { return true })
	})
}

// flagged are rows of the blocks that have a flag: few have. The stretches say how many.
func flagged[T placed](ctx context.Context, b *Book, q Query, flag flags, of func(*Content) []T) iter.Seq2[T, error] {
	if len(q.Accounts) > 0 {
		return fails[T](errAccounts)
	}
	return sequence(func(yield func(T) bool) error {
		span, p := q.span(), pager{Query: &q}
		heights, err := heightsWith(ctx, b.engine.shared(), span, flag, q.heights())
		if err != nil {
			return err
		}
		if len(heights) == q.heights() {
			span.Last = heights[len(heights)-1]
		}
		for c, err := range b.contentsAt(ctx, nil, heights) {
			if err != nil {
				return err
			}
			for _, x := range of(c) {
				if p.take(x.Place()) && !yield(x) {
					return nil
				}
			}
		}
		return b.countFlagged(ctx, span, flag, uint64(len(heights)))
	})
}

// heightsWith are those of the first blocks of a span that have a flag, up to so many.
func heightsWith(ctx context.Context, q querier, span chain.Heights, flag flags, limit int) (heights []uint64, err error) {
	return heightsBy(ctx, q, fmt.Sprintf("SELECT height FROM blocks WHERE flags <> 0 AND flags & %d <> 0 AND height >= ? AND height <= ? ORDER BY height LIMIT ?", flag), append(bounds(span), limit)...)
}

// heightsBy are those that a query has.
func heightsBy(ctx context.Context, q querier, query string, arguments ...any) (heights []uint64, err error) {
	err = scan(ctx, q, heightFields, func(height *uint64) error {
		heights = append(heights, *height)
		return nil
	}, query, arguments...)
	return heights, err
}

// countFlagged wants so many blocks of a span to have a flag, and no sealed block to be missing.
func (b *Book) countFlagged(ctx context.Context, span chain.Heights, flag flags, want uint64) error {
	q, end, err := b.engine.snapshot(ctx)
	if err != nil {
		return err
	}
	defer end()
	c, err := readBookRow(ctx, q)
	if err != nil {
		return err
	}
	have, err := b.countWith(ctx, q, &c, span)
	if err != nil {
		return err
	}
	for i, few := range fewFlags {
		if few.flag == flag && have[i] != want {
			return b.blamed(ctx, q, damaged("table blocks: %d blocks of %v have %s, and %d had", want, span, few.name, have[i]))
		}
	}
	return nil
}
