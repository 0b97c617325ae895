package app

import (
	"cmp"
	"context"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// TableCheck is what the blocks of a range say of the table that prices them.
type TableCheck struct {
	Network *network.Network
	Blocks  chain.Heights
	Rows    []RowCheck // all rows of the table, list by list
	// Others is how often a check did not hold that is about no row, and FirstOther the
	// first time; nil for never.
	Others     int
	FirstOther *evidence.Finding
	// Undetermined is how many fees the table does not price.
	Undetermined int
	// Unanswered is how many questions were not answered for now, and FirstUnanswered the
	// first; nil for none.
	Unanswered      int
	FirstUnanswered *evidence.Question
}

// RowCheck is what they say of one row.
type RowCheck struct {
	network.ListedRow
	Blocks int // of the row's runtimes
	// Held is how often a check held that only a right row lets hold, and Broken how often
	// one did not that is about the row.
	Held, Broken int
	// Why says why a check that is about the row proves nothing somewhere: it was not made,
	// or it holds with other rows, too. It is "" where each proves something.
	Why   string
	First *evidence.Finding // the first time that one did not hold
}

// RowVerdict is what came of a row.
type RowVerdict string

// The verdicts.
const (
	RowProved       RowVerdict = "proved"       // the checks about it hold that tell, where they could be made
	RowContradicted RowVerdict = "contradicted" // a check about it does not hold
	RowUnchecked    RowVerdict = "not_checked"  // the range has blocks of its runtimes, which do not tell
	RowUnseen       RowVerdict = "no_block"     // the range has no block of its runtimes
)

// WhyNot says why nothing is known of a row that is not checked, and else why a check proves
// nothing somewhere.
func (r *RowCheck) WhyNot() string {
	if r.Verdict() == RowUnchecked {
		return cmp.Or(r.Why, "nothing in these blocks tells")
	}
	return r.Why
}

// Verdict says what came of the row.
func (r *RowCheck) Verdict() RowVerdict {
	switch {
	case r.Broken > 0:
		return RowContradicted
	case r.Held > 0:
		return RowProved
	case r.Blocks > 0:
		return RowUnchecked
	}
	return RowUnseen
}

// Holds tells whether the table prices all of the range, and nothing contradicts it.
func (c *TableCheck) Holds() bool {
	for i := range c.Rows {
		if c.Rows[i].Broken > 0 {
			return false
		}
	}
	return c.Others == 0 && c.Undetermined == 0
}

// ErrNoTable says that the tables of the user have none for the blocks.
var ErrNoTable = failure.New(failure.NotUnderstood, "no table in it for the network that the blocks are of")

// newestBlocks is how many are looked at where nobody names a range.
const newestBlocks = 100

// TableRange is the range to check a table by where nobody names one: all that a source
// keeps, or the newest final blocks of one that grows.
func TableRange(ctx context.Context, reader *source.Reader) (r chain.Heights, err error) {
	kept, err := reader.Source.Kept()
	if err != nil {
		return r, err
	}
	if heights, ok := kept.Get(); ok {
		return heights, nil
	}
	head, err := reader.Source.FinalHead(ctx)
	if err != nil {
		return r, err
	}
	return chain.Heights{First: head.Number - min(head.Number, newestBlocks-1), Last: head.Number}, nil
}

// CheckTable prices the blocks of a range, proves their fees, and says which rows of the
// table they prove or contradict. It is [ErrNoTable] where that is a built-in one.
func CheckTable(ctx context.Context, blocks chain.Heights, e Examination, progress Progress) (*TableCheck, error) {
	c := &TableCheck{Blocks: blocks}
	defer progress.end()
	prover := prove.Prover{Reader: e.Reader, Concurrency: e.Concurrency, Prove: e.prove}
	for p, err := range prover.Range(ctx, blocks, chain.Optional[evidence.Predecessor]{}) {
		if err != nil {
			return nil, err
		}
		if c.Network == nil {
			if err := c.begin(e.Reader, p.Report.Network); err != nil {
				return nil, err
			}
		}
		c.add(p)
		progress.show(p.Block.Number-blocks.First+1, blocks.Last-blocks.First+1)
	}
	return c, nil
}

func (c *TableCheck) begin(reader *source.Reader, name string) error {
	n, known := reader.Tables.Named(name)
	if !known || n.File == "" {
		return fmt.Errorf("%w: %s", ErrNoTable, name)
	}
	c.Network = n
	for _, row := range n.ListedRows() {
		c.Rows = append(c.Rows, RowCheck{ListedRow: row})
	}
	return nil
}

func (c *TableCheck) add(p prove.Proved) {
	runtime, known := p.Report.Runtime.Get()
	lists := map[string]bool{"": false} // that have a row for the runtime
	for i := range c.Rows {
		if row := &c.Rows[i]; known && row.Has(runtime) {
			lists[row.List] = true
			row.Blocks++
			row.add(p)
		}
	}
	for _, f := range p.Report.Findings {
		if !lists[evidence.ListOf(f.Check)] {
			if c.Others++; c.FirstOther == nil {
				c.FirstOther = &f
			}
		}
	}
	c.Undetermined += p.Report.Totals.Undetermined
	if u := p.Report.Unanswered; len(u) > 0 {
		if c.Unanswered += len(u); c.FirstUnanswered == nil {
			c.FirstUnanswered = &u[0]
		}
	}
}

// add adds what a block of the row's runtimes says of it.
func (r *RowCheck) add(p prove.Proved) {
	for i, check := range evidence.Checks() {
		if evidence.ListOf(check.ID) != r.List {
			continue
		}
		held, whyNot := p.Report.Proves(&check, p.Block)
		r.Held += held
		r.Broken += p.Report.Tallies[i].Broken
		r.Why = cmp.Or(r.Why, whyNot)
	}
	for _, f := range p.Report.Findings {
		if evidence.ListOf(f.Check) == r.List && r.First == nil {
			r.First = &f
		}
	}
}
