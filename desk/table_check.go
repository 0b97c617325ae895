package desk

import (
	"cmp"
	"context"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/proof"
	"github.com/feeledger/fees/source"
)

// TableCheck is what the blocks of a range say of the table that prices them.
type TableCheck struct {
	Network *network.Network
	Blocks  source.Range
	Rows    []RowCheck // all rows of the table, list by list
	// Others is how often a check did not hold that is about no row, and FirstOther the
	// first time; nil for never.
	Others     int
	FirstOther *evidence.Finding
}

// RowCheck is what they say of one row.
type RowCheck struct {
	network.ListedRow
	Blocks       int // of the row's runtimes
	Held, Broken int // how often a check did that is about the row
	// Why says why a check was not made that is about the row, "" where none was left out.
	Why   string
	First *evidence.Finding // the first time that one did not hold
}

// RowVerdict is what came of a row.
type RowVerdict string

// The verdicts.
const (
	RowProved       RowVerdict = "proved"       // the checks about it held that could be made
	RowContradicted RowVerdict = "contradicted" // a check about it does not hold
	RowUnchecked    RowVerdict = "not_checked"  // the range has blocks of its runtimes, which do not tell
	RowUnseen       RowVerdict = "no_block"     // the range has no block of its runtimes
)

// WhyNot says why nothing is known of a row that is not checked.
func (r *RowCheck) WhyNot() string { return cmp.Or(r.Why, "nothing in these blocks tells") }

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

// Holds tells whether nothing in the range contradicts the table.
func (c *TableCheck) Holds() bool {
	for i := range c.Rows {
		if c.Rows[i].Broken > 0 {
			return false
		}
	}
	return c.Others == 0
}

// noDecider is why fees that match do not prove the base fee.
const noDecider = "no transaction's price follows the base fee: each names its whole price, or pays its maxFeePerGas"

// newestBlocks is how many are looked at where nobody names a range.
const newestBlocks = 100

// TableRange is the range to check a table by where nobody names one: all that a source
// keeps, or the newest final blocks of one that grows.
func TableRange(ctx context.Context, reader *source.Reader) (r source.Range, err error) {
	kept, err := reader.Source.Kept()
	if err != nil {
		return r, err
	}
	if heights, ok := kept.Get(); ok {
		return source.Range{First: heights.First, Last: heights.Last}, nil
	}
	head, err := reader.Source.FinalHead(ctx)
	if err != nil {
		return r, err
	}
	return source.Range{First: head.Number - min(head.Number, newestBlocks-1), Last: head.Number}, nil
}

// CheckTable prices the blocks of a range, proves their fees, and says which rows of the
// table they prove or contradict.
func CheckTable(ctx context.Context, blocks source.Range, e Examination, progress Progress) (*TableCheck, error) {
	c := &TableCheck{Blocks: blocks}
	defer progress.end()
	prover := proof.Prover{Reader: e.Reader, Concurrency: e.Concurrency, Prove: e.prove}
	for p, err := range prover.Range(ctx, blocks, chain.Optional[evidence.Predecessor]{}) {
		if err != nil {
			return nil, err
		}
		if c.Network == nil {
			c.begin(e.Reader, p.Report.Network)
		}
		c.add(p)
		progress.show(p.Block.Number-blocks.First+1, blocks.Last-blocks.First+1)
	}
	return c, nil
}

func (c *TableCheck) begin(reader *source.Reader, name string) {
	c.Network, _ = reader.Tables.Named(name)
	for _, row := range c.Network.ListedRows() {
		c.Rows = append(c.Rows, RowCheck{ListedRow: row})
	}
}

func (c *TableCheck) add(p proof.Proved) {
	runtime, known := p.Report.Runtime.Get()
	for i := range c.Rows {
		if row := &c.Rows[i]; known && row.Has(runtime) {
			row.Blocks++
			row.add(p)
		}
	}
	for _, f := range p.Report.Findings {
		if evidence.ListOf(f.Check) == "" {
			if c.Others++; c.FirstOther == nil {
				c.FirstOther = &f
			}
		}
	}
}

// add adds what a block of the row's runtimes says of it.
func (r *RowCheck) add(p proof.Proved) {
	for i, check := range evidence.Checks() {
		if check.List() != r.List {
			continue
		}
		tally := &p.Report.Tallies[i]
		r.Broken += tally.Broken
		if tally.NotApplicable > 0 && r.Why == "" {
			r.Why = tally.Why
		}
		if r.List != network.RowList {
			r.Held += tally.Held
		}
	}
	if r.List == network.RowList {
		r.decide(p)
	}
	for _, f := range p.Report.Findings {
		if evidence.ListOf(f.Check) == r.List && r.First == nil {
			r.First = &f
		}
	}
}

// decide counts the transactions that were charged what the base fee makes of them: others
// match by any base fee.
func (r *RowCheck) decide(p proof.Proved) {
	for i := range p.Report.Transactions {
		t := &p.Report.Transactions[i]
		switch verdict, _ := t.Verdict.Get(); {
		case verdict == evidence.Match && t.Decides(&p.Block.Extrinsics[t.Index]):
			r.Held++
		case verdict == evidence.Match && r.Why == "":
			r.Why = noDecider
		}
	}
}
