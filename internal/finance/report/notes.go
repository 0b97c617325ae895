package report

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
)

// mostFindings is how many findings are told one by one.
const mostFindings = 5

// notesOn are the notes on a period's blocks: those that are of no day, those that the
// period leaves out, and the checks that did not hold, which are counted.
func (r *Report) notesOn(ctx context.Context, book *ledger.Book, span chain.Heights) (notes []string, err error) {
	if r.Period.Heights.Known() && span.First == 0 && (r.By == Hour || r.By == Day || r.By == Month) {
		notes = append(notes, "block 0 has no time and belongs to no "+string(r.By))
	}
	outside, err := book.Outside(ctx, r.Period, span)
	if err != nil {
		return nil, err
	}
	if len(outside) > 0 {
		notes = append(notes, fmt.Sprintf("of the blocks %v these, or more, are not of the period by their own time, and are left out: %s", span, strings.Trim(fmt.Sprint(outside), "[]")))
	}
	if r.Payers != nil {
		unpaid := uint64(0)
		for t, err := range book.WithoutPayer(ctx, ledger.Query{Span: span}) {
			if err != nil {
				return nil, err
			}
			if r.Period.Has(t.Height, t.Time) && r.Only.Has(&t.Cost) && slices.ContainsFunc(r.payers(), t.MayBePaidBy) {
				unpaid++
			}
		}
		if unpaid > 0 {
			notes = append(notes, "of "+console.Counted(unpaid, "transaction")+" it is not known who paid: "+console.Verb(unpaid, "it", "they")+" may belong to these accounts, and "+console.Verb(unpaid, "is", "are")+" in no sum")
		}
	}
	for f, err := range book.Findings(ctx, ledger.Query{Span: span}) {
		if err != nil {
			return notes, err
		}
		if r.Findings++; r.Findings <= mostFindings {
			notes = append(notes, "finding: "+place(f)+": "+f.Check+": "+f.Message)
		}
	}
	if n := int64(r.Findings) - mostFindings; n > 0 {
		notes = append(notes, fmt.Sprintf("and %d more findings: fees verify lists them", n))
	}
	return notes, nil
}

func place(f *ledger.Finding) string {
	if i, ok := f.Extrinsic.Get(); ok {
		return fmt.Sprintf("block %d, extrinsic %d", f.Block, i)
	}
	return fmt.Sprintf("block %d", f.Block)
}

const (
	notKnownCharge   = "it is not known what the chain charged"
	notKnownParts    = "it is not known how much was burned or went to treasury and author"
	notKnownPriority = "it is not known how much of the fee is priority fee"
)

// notes say what the sums lack.
func (a *adder) notes() (notes []string) {
	for _, n := range []struct {
		count                       uint64
		before, what, ofOne, ofMany string
	}{
		{a.all.Undetermined, "", "fee", "is undetermined and not in the sums", "are undetermined and not in the sums"},
		{a.untold, "of ", "transaction", "it is not known what came of it, so that it is left out", "it is not known what came of them, so that they are left out"},
		{a.all.OutcomeUnknown, "of ", "transaction", "it is not known whether it failed: it is counted as outcome_unknown",
			"it is not known whether they failed: they are counted as outcome_unknown"},
		{a.all.Drifts, "", "fee", "is not what the chain charged: fee is what the rules say, charged is what was paid",
			"are not what the chain charged: fee is what the rules say, charged is what was paid"},
		{a.all.Uncharged, "of ", "transaction", notKnownCharge, notKnownCharge},
		{a.all.Unaccounted, "of ", "transaction", notKnownParts, notKnownParts},
		{a.all.PriorityUnknown, "of ", "EVM transaction", notKnownPriority, notKnownPriority},
	} {
		if n.count > 0 {
			notes = append(notes, n.before+console.Counted(n.count, n.what)+" "+console.Verb(n.count, n.ofOne, n.ofMany))
		}
	}
	if a.question.By != Account && len(a.idle) > 0 { // else they are groups
		notes = append(notes, console.PaidNothing(slices.Collect(maps.Keys(a.idle))))
	}
	return notes
}

// evidence says, for people, how well the blocks are known.
func (r *Report) evidence() string { return "evidence: " + r.Evidence.String() }

// Holds tells whether all is well: every fee is known and what the chain charged, and
// no check of the period's blocks is broken.
func (r *Report) Holds() bool { return r.Totals.Undetermined == 0 && r.Drifts == 0 && r.Findings == 0 }

// Title says what the report is of.
func (r *Report) Title() string {
	title := fmt.Sprintf("Fees of %s by %s, %s", r.Network, r.By, r.Name)
	if r.Payers != nil {
		title += fmt.Sprintf(", of %d accounts", len(r.Payers))
	}
	if !r.Only.IsAll() {
		title += ", only " + strings.Join(r.Only.Conditions(), ", ")
	}
	if r.Top > 0 {
		title += fmt.Sprintf(", the %d with the greatest fees", r.Top)
	}
	return title
}
