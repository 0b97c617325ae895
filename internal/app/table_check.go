package app

import (
	"cmp"
	"context"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/node/draft"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// TableCheck is the result of checking a network table against the blocks of a range.
type TableCheck struct {
	Network *network.Network
	Blocks  chain.Heights
	Rows    []RowCheck // all rows of the table, list by list
	// Others counts failed checks that concern no row, and FirstOther is the first of them; nil for none.
	Others     int
	FirstOther *evidence.Finding
	// Undetermined counts fees that the table cannot price.
	Undetermined int
	// Unanswered counts requests that were not answered, and FirstUnanswered is the first of them; nil for none.
	Unanswered      int
	FirstUnanswered *evidence.FailedRequest
}

// RowCheck is the result for one row.
type RowCheck struct {
	rule.ListedRow
	Blocks int // number of blocks of the row's runtimes
	// Held counts passed checks that only a correct row can pass. Broken counts failed checks that concern the row.
	Held, Broken int
	// Why states why a check of the row proves nothing for some block: it was not made, or other rows would pass
	// it, too. It is "" if every check proves something.
	Why   string
	First *evidence.Finding // the first failed check
}

// RowVerdict is the verdict on a row.
type RowVerdict string

// The verdicts.
const (
	RowProved       RowVerdict = "proved"       // the checks that could disprove it passed
	RowContradicted RowVerdict = "contradicted" // a check of the row failed
	RowUnchecked    RowVerdict = "not_checked"  // the range contains blocks of its runtimes, but they prove nothing
	RowUnseen       RowVerdict = "no_block"     // the range contains no block of its runtimes
)

// WhyNot returns why a row is unchecked, or else why a check proves nothing for some block.
func (r *RowCheck) WhyNot() string {
	if r.Verdict() == RowUnchecked {
		return cmp.Or(r.Why, "these blocks prove nothing about it")
	}
	return r.Why
}

// Verdict returns the verdict on the row.
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

// Holds reports whether the table prices the whole range and nothing contradicts it.
func (c *TableCheck) Holds() bool {
	for i := range c.Rows {
		if c.Rows[i].Broken > 0 {
			return false
		}
	}
	return c.Others == 0 && c.Undetermined == 0
}

// ErrNoTable reports that the user's tables do not contain the network of the blocks.
var ErrNoTable = failure.New(failure.NotUnderstood, "the file has no table for the network of these blocks")

// newestBlocks is the number of blocks that are checked by default.
const newestBlocks = 100

// TableRange returns the default range for checking a table: all blocks that an archive contains, or the newest
// final blocks of a live source.
func TableRange(ctx context.Context, reader *source.Reader) (r chain.Heights, err error) {
	kept, err := source.Kept(reader.Source)
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

// DraftTable drafts the network table of a node's chain.
func DraftTable(ctx context.Context, node *rpc.Client) (*draft.Draft, error) {
	return draft.OfNode(ctx, node)
}

// CheckTable prices the blocks of a range, proves their fees, and reports which rows of the table they prove or
// contradict. It returns [ErrNoTable] if the network's table is built in.
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
	findingsInOwnForm(p.Report)
	runtime, known := p.Report.Runtime.Get()
	lists := map[string]bool{"": false} // lists with a row for the runtime
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

// add adds the results of a block of the row's runtimes.
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
