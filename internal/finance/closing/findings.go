package closing

import (
	"context"
	"fmt"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/table"
)

// FindingsBook provides findings; *ledger.Book implements it.
type FindingsBook interface {
	Findings(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Finding, error]
	Unmatched(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Transaction, error]
	Unclassified(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Unclassified, error]
}

// List returns the findings in a span for all accounts: first failed checks, then undetermined and drifting
// fees, then unrecognised events, each in chain order. The rows are counted as they are read.
func List(ctx context.Context, book FindingsBook, span chain.Heights, count *Findings) *table.Sheet {
	sheet := &table.Sheet{
		Name: "findings",
		Columns: []table.Column{
			{Name: "kind", Kind: table.Text}, {Name: "block", Kind: table.Integer}, {Name: "place", Kind: table.Text},
			{Name: "check", Kind: table.Text}, {Name: "call", Kind: table.Text}, {Name: "event", Kind: table.Text},
			{Name: "payer", Kind: table.Address}, {Name: "fee", Kind: table.Wei}, {Name: "charged", Kind: table.Wei}, {Name: "message", Kind: table.Text},
		},
	}
	sheet.Rows = table.Rows(func(add func(...any) error) error { return rows(ctx, book, span, count, sheet.Token, add) })
	return sheet
}

func rows(ctx context.Context, book FindingsBook, span chain.Heights, count *Findings, token console.Token, add func(...any) error) error {
	q := ledger.Query{Span: span}
	for f, err := range book.Findings(ctx, q) {
		if err != nil {
			return err
		}
		count.Checks++
		place := fmt.Sprint(f.Block)
		if i, ok := f.Extrinsic.Get(); ok {
			place = ledger.Place{Height: f.Block, Row: i}.String()
		}
		if err := add("check", f.Block, place, f.Check, nil, nil, nil, nil, nil, token.Own(f.Message)); err != nil {
			return err
		}
	}
	for t, err := range book.Unmatched(ctx, q) {
		if err != nil {
			return err
		}
		place := t.Place().String()
		if !t.Fee.Known() {
			count.Undetermined++
			err = add("undetermined", t.Height, place, nil, t.Call, nil, t.Payer, t.Fee, t.Charged, token.Own(t.Error))
		} else {
			count.Drifts++
			err = add("drift", t.Height, place, nil, t.Call, nil, t.Payer, t.Fee, t.Charged, driftOf(t, token))
		}
		if err != nil {
			return err
		}
	}
	for u, err := range book.Unclassified(ctx, q) {
		if err != nil {
			return err
		}
		count.Unclassified++
		if err := add("unclassified", u.Height, u.Where.In(u.Height), nil, nil, u.Event, nil, nil, nil, token.Own(u.Reason)); err != nil {
			return err
		}
	}
	return nil
}

// driftOf returns the drift of a fee and its cause.
func driftOf(t *ledger.Transaction, token console.Token) string {
	if drift, ok := t.Drift.Get(); ok {
		return fmt.Sprintf("%v %s, %s", drift, token.Unit(), t.Class)
	}
	return string(t.Class)
}
