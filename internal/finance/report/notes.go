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

// maxFindings limits the findings that are listed.
const maxFindings = 5

// notesOn returns notes on the blocks of a period: blocks without a day, blocks that the period excludes, and
// failed checks, which it also counts.
func (r *Report) notesOn(ctx context.Context, book *ledger.Book, span chain.Heights) (notes []string, err error) {
	if r.Period.Heights.Known() && span.First == 0 && (r.By == Hour || r.By == Day || r.By == Month) {
		notes = append(notes, "block 0 has no time and belongs to no "+string(r.By))
	}
	outside, err := book.Outside(ctx, r.Period, span)
	if err != nil {
		return nil, err
	}
	if len(outside) > 0 {
		notes = append(notes, fmt.Sprintf("excluded from the blocks %v, because their own time is outside the period: %s (possibly more)", span, strings.Trim(fmt.Sprint(outside), "[]")))
	}
	if r.Payers != nil {
		unpaid, fees := uint64(0), r.Only.Fee.In(r.Token)
		for t, err := range book.WithoutPayer(ctx, ledger.Query{Span: span}) {
			if err != nil {
				return nil, err
			}
			if r.Period.Has(t.Height, t.Time) && r.Only.Has(&t.Kind) && fees.Has(&t.Cost) && (!r.Only.Failed || t.Failed != "") && slices.ContainsFunc(r.payers(), t.MayBePaidBy) {
				unpaid++
			}
		}
		if unpaid > 0 {
			notes = append(notes, "payer not known for "+console.Counted(unpaid, "transaction")+": "+console.Verb(unpaid, "it", "they")+" may belong to these accounts and "+console.Verb(unpaid, "is", "are")+" excluded from all totals")
		}
	}
	for f, err := range book.Findings(ctx, ledger.Query{Span: span}) {
		if err != nil {
			return notes, err
		}
		if r.Findings++; r.Findings <= maxFindings {
			notes = append(notes, "finding: "+place(f)+": "+f.Check+": "+r.Own(f.Message))
		}
	}
	if n := int(r.Findings) - maxFindings; n > 0 {
		notes = append(notes, fmt.Sprintf("%s; list %s with: fees verify %v", console.Counted(n, "more finding"), console.Verb(n, "it", "them"), span))
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
	notKnownCharge   = "the amount charged is not known"
	notKnownParts    = "the split into burned, treasury and author is not known"
	notKnownPriority = "the priority fee is not known"
	notKnownTip      = "the tip is not known"
)

// notes returns the limitations of the sums.
func (a *adder) notes() (notes []string) {
	for _, n := range []struct {
		count                       uint64
		before, what, ofOne, ofMany string
	}{
		{a.all.sums.Undetermined, "", "fee", "is undetermined and excluded from the totals", "are undetermined and excluded from the totals"},
		{a.untold, "", "transaction", "with unknown outcome or fee is left out", "with unknown outcome or fee are left out"},
		{a.all.sums.OutcomeUnknown, "", "transaction", "with unknown outcome is counted as outcome_unknown",
			"with unknown outcome are counted as outcome_unknown"},
		{a.all.sums.Drifts, "", "fee", "differs from what the chain charged: fee is calculated by the rules, charged is what was paid",
			"differ from what the chain charged: fee is calculated by the rules, charged is what was paid"},
		{a.all.sums.Uncharged, "for ", "transaction", notKnownCharge, notKnownCharge},
		{a.all.sums.Unaccounted, "for ", "transaction", notKnownParts, notKnownParts},
		{a.all.sums.PriorityUnknown, "for ", "EVM transaction", notKnownPriority, notKnownPriority},
		{a.all.sums.TipUnknown, "for ", "native transaction", notKnownTip, notKnownTip},
	} {
		if n.count > 0 {
			notes = append(notes, n.before+console.Counted(n.count, n.what)+" "+console.Verb(n.count, n.ofOne, n.ofMany))
		}
	}
	if a.request.By != Account && len(a.idle) > 0 { // otherwise they are groups
		notes = append(notes, a.request.PaidNothing(slices.Collect(maps.Keys(a.idle))))
	}
	return notes
}

// notesWith returns the notes after those on missing data: on the blocks of the period, and on the sums of a part of it, or of
// all. What is wrong with sums outside the part is a note, too.
func (r *Report) notesWith(part *Report) []string {
	notes := slices.Concat(part.noted.sums, r.noted.blocks, part.noted.prices)
	if n := r.Totals.Undetermined + r.Drifts - part.Totals.Undetermined - part.Drifts; n > 0 {
		notes = append(notes, "outside the compared part, "+console.Counted(n, "fee")+" "+console.Verb(n, "is undetermined or differs", "are undetermined or differ")+" from what the chain charged")
	}
	return notes
}

// evidence describes the evidence for the blocks.
func (r *Report) evidence() string { return "evidence: " + r.Evidence.String() }

// Holds reports whether every fee is known and matches what the chain charged, and no check of the period's
// blocks failed.
func (r *Report) Holds() bool { return r.Totals.Undetermined == 0 && r.Drifts == 0 && r.Findings == 0 }

// Title returns the title of the report.
func (r *Report) Title() string {
	title := fmt.Sprintf("Fees of %s by %s, %s", r.Network, r.By, console.PeriodName(r.Name))
	if r.Payers != nil {
		title += ", for " + console.Counted(len(r.Payers), "account")
	}
	if !r.Only.IsAll() {
		title += ", only " + strings.Join(r.Only.Conditions(), ", ")
	}
	if r.Top > 0 {
		title += fmt.Sprintf(", top %d by fee", r.Top)
	}
	return title
}
