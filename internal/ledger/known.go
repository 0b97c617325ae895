package ledger

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/movement"
)

// known is the part of a block that may change: why fees drift, failed checks, and questions that a source
// could not answer for the moment. It is stored beside the record, as JSON, and is in no seal.
type known struct {
	Diagnoses  []diagnosis              `json:"diagnoses,omitempty"`
	Findings   []keptFinding            `json:"findings,omitempty"`
	Unanswered []evidence.FailedRequest `json:"unanswered,omitempty"`
}

// diagnosis is the reason why a fee drifts.
type diagnosis struct {
	Extrinsic int            `json:"extrinsic"`
	Class     evidence.Class `json:"class"`
}

var diagnosisFields = []field[diagnosis]{
	{"extrinsic", fact, func(d *diagnosis) any { return &d.Extrinsic }},
	{"class", judgement, func(d *diagnosis) any { return (*string)(&d.Class) }},
}

// keptFinding is the stored part of a finding.
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

var requestFields = []field[evidence.FailedRequest]{
	{"about", judgement, func(q *evidence.FailedRequest) any { return (*string)(&q.About) }},
	{"at", judgement, func(q *evidence.FailedRequest) any { return &q.At }},
	{"why", judgement, func(q *evidence.FailedRequest) any { return &q.Why }},
}

// failed returns the IDs of the failed checks of a transaction, with spaces between.
func (k *known) failed(index int) string {
	var ids []string
	for _, f := range k.Findings {
		if i, ok := f.Extrinsic.Get(); ok && i == index && !slices.Contains(ids, f.Check) {
			ids = append(ids, f.Check)
		}
	}
	return strings.Join(ids, " ")
}

// encoded returns "" (null) if there is nothing to store.
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

// readKnown reads what encoded wrote.
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

// checkExtrinsic checks that a block can have this index.
func checkExtrinsic(n int) error {
	if n < 0 || n > math.MaxInt32 {
		return fmt.Errorf("extrinsic %d: %w", n, errCell)
	}
	return nil
}

// flags mark what a block has; most blocks have none.
type flags uint64

// The flags.
const (
	notFinal flags = 1 << iota
	hasFindings
	hasUnclassified
	hasUnanswered
	hasAssetFees
)

// fewFlags are the flags that stretches count, with their names.
var fewFlags = [...]struct {
	flag flags
	name string
}{{hasFindings, "findings"}, {hasUnclassified, "unclassified"}, {hasUnanswered, "unanswered"}, {hasAssetFees, "asset_fees"}}

// flagsOf returns the flags of a block.
func flagsOf(c *Content, k *known) flags {
	return notFinal.when(!c.Final) | hasFindings.when(len(k.Findings) > 0) | hasUnclassified.when(len(c.Unclassified) > 0) | hasUnanswered.when(len(k.Unanswered) > 0) |
		hasAssetFees.when(c.hasAssetFees())
}

// when returns the flag if a block has it.
func (f flags) when(has bool) flags { return f * flags(flag(has)) }

// Finding is a failed check as stored in the ledger.
type Finding struct {
	Position int // among the block's findings
	evidence.Finding
}

// Place returns the finding's position in the chain.
func (f *Finding) Place() Place { return Place{f.Block, f.Position} }

// Findings returns the failed checks that match a query.
func (b *Book) Findings(ctx context.Context, q Query) iter.Seq2[*Finding, error] {
	return flagged(ctx, b, q, hasFindings, func(c *Content) (list []*Finding) {
		for i, f := range c.known.Findings {
			list = append(list, &Finding{i, evidence.Finding{Check: f.Check, Block: c.Height, Extrinsic: f.Extrinsic, Message: f.Message}})
		}
		return list
	})
}

// Unclassified is a balances event whose effect is unknown.
type Unclassified struct {
	Height     uint64
	Position   int // among the block's unclassified events
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

// Place returns the event's position in the chain.
func (u *Unclassified) Place() Place { return Place{u.Height, u.Position} }

// Unclassified returns the unrecognised balances events that match a query.
func (b *Book) Unclassified(ctx context.Context, q Query) iter.Seq2[*Unclassified, error] {
	return flagged(ctx, b, q, hasUnclassified, func(c *Content) []*Unclassified {
		return pointers(c.Unclassified, nil)
	})
}

// flagged returns rows of the blocks that have a flag; few do.
func flagged[T placed](ctx context.Context, b *Book, q Query, flag flags, of func(*Content) []T) iter.Seq2[T, error] {
	return page(q, sequence(func(yield func(*Content) bool) error {
		return b.watchDetaching(ctx, func() error {
			var heights []uint64
			above := q.span()
			err := b.inSnapshot(ctx, func(snapshot querier, c *bookRow) (err error) {
				heights, err = b.flagged(ctx, snapshot, c, above, flag, q.heights())
				above.First = max(above.First, c.next())
				return err
			})
			if err != nil {
				return err
			}
			for c, err := range walkHeights(ctx, b, nil, heights, contentOfRow(everything)) {
				if err != nil || !yield(c) {
					return err
				}
			}
			return pass(walk(ctx, b, nil, above, func(by *coder, r *blockRow) (*Content, error) {
				if r.flags&flag == 0 {
					return &Content{}, nil
				}
				return r.content(by, everything)
			}), yield)
		})
	}), of)
}

// flagged returns the heights of a span's sealed blocks that have a flag: at least the first limit of them.
func (b *Book) flagged(ctx context.Context, q querier, c *bookRow, span chain.Heights, flag flags, limit int) (heights []uint64, err error) {
	span = chain.Heights{First: max(span.First, c.first), Last: min(span.Last, c.next()-1)}
	if c.sealed == 0 || span.First > span.Last {
		return nil, nil
	}
	list, err := b.piecesAt(ctx, q, c, Period{Heights: chain.Some(span)}, span, anyStretch)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(x, y piece) int { return cmp.Compare(x.first, y.first) })
	for i := range list {
		if len(heights) >= limit && slices.Max(heights[:limit]) < list[i].first {
			break
		}
		found, err := b.flaggedOf(ctx, q, list[i].stretch, flag)
		if err != nil {
			return nil, err
		}
		heights = append(heights, slices.DeleteFunc(found, func(h uint64) bool { return h < span.First || h > span.Last })...)
	}
	slices.Sort(heights)
	return heights, nil
}

// flaggedOf returns the heights of a stretch's blocks with a flag. Their number must match the stretch, so
// that none is missing.
func (b *Book) flaggedOf(ctx context.Context, q querier, s *stretch, flag flags) (heights []uint64, err error) {
	want := uint64(0)
	for i, few := range fewFlags {
		if few.flag == flag {
			want = s.flagged[i]
		}
	}
	if want == 0 {
		return nil, nil
	}
	where, arguments := s.condition()
	if heights, err = heightsBy(ctx, q, fmt.Sprintf("SELECT height FROM blocks WHERE flags <> 0 AND flags & %d <> 0 AND %s ORDER BY height", flag, where), arguments...); err != nil {
		return nil, err
	}
	have := uint64(0)
	for r, err := range walkHeights(ctx, b, q, heights, whole) {
		if err != nil {
			return nil, err
		}
		if r.flags&flag != 0 && s.unit.numberOf(r.time) == s.number {
			have++
		}
	}
	if have != want || have != uint64(len(heights)) {
		return nil, b.firstDamage(ctx, q, damaged("table blocks: %d blocks of %s are flagged, not %d", have, s.name(), want))
	}
	return heights, nil
}

// heightsBy returns the heights that a query selects.
func heightsBy(ctx context.Context, q querier, query string, arguments ...any) (heights []uint64, err error) {
	err = scan(ctx, q, heightFields, func(height *uint64) error {
		heights = append(heights, *height)
		return nil
	}, query, arguments...)
	return heights, err
}

// Relearn updates the findings, diagnoses and unanswered questions of stored blocks, where the entries have
// fewer unanswered questions. Digests and seals do not change. It returns how many questions were answered.
// A block with another digest is skipped; Compare reports it.
func (b *Book) Relearn(ctx context.Context, entries []*Entry) (answered int, err error) {
	type relearned struct {
		*Entry
		was flags
	}
	var list []relearned
	questions := 0
	for _, e := range entries {
		rows, _, err := readChecked(ctx, b.engine, "height = ?", int64(e.Height()))
		if err != nil {
			return 0, err
		}
		if len(rows) == 0 || rows[0].flags&hasUnanswered == 0 || rows[0].digest() != e.Digest() {
			continue
		}
		had, err := readKnown(rows[0].known)
		if err != nil {
			return 0, damagedBlock(e.Height(), "column known: %v", err)
		}
		if n := len(had.Unanswered) - len(e.content.known.Unanswered); n > 0 {
			questions += n
			list = append(list, relearned{e, rows[0].flags})
		}
	}
	if len(list) == 0 {
		return 0, nil
	}
	err = b.change(ctx, func(tx transaction) error {
		if err := tx.lock(ctx, lockSeal); err != nil { // sealing counts the flags
			return err
		}
		c, err := readBookRow(ctx, tx)
		if err != nil {
			return err
		}
		for _, e := range list {
			now := e.row
			now.flags = now.flags&^notFinal | e.was&notFinal // finality does not change
			sum := now.sumOf(e.Digest())
			if err := tx.exec(ctx, "UPDATE blocks SET flags = ?, known = ?, sum = ? WHERE height = ?", int64(now.flags), encode(&now.known), sum[:], int64(e.Height())); err != nil {
				return err
			}
			if e.Height() >= c.first && e.Height() < c.next() {
				if err := noteAgain(ctx, tx, e.content.Block, e.was, now.flags); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return questions, nil
}

// noteAgain updates the flag counts of a sealed block's day and month.
func noteAgain(ctx context.Context, tx transaction, b *Block, was, now flags) error {
	for u := range unitCount {
		s, err := stretchAt(ctx, tx, u, u.numberOf(b.Time))
		if err != nil {
			return err
		}
		if s == nil {
			continue
		}
		for i, few := range fewFlags {
			s.flagged[i] += flag(now&few.flag != 0) - flag(was&few.flag != 0)
		}
		if err := s.keep(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}
