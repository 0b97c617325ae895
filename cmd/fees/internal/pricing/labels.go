package pricing

import (
	"slices"

	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
)

// columnsWith returns the columns of the CSV, with labels if there is an address book.
func columnsWith(book *app.AddressBook) []column {
	if book == nil {
		return columns
	}
	with := slices.Clone(columns)
	for i := range with {
		if with[i].name == "transfers" {
			with[i].value = func(_ *evidence.Report, t *evidence.Transaction) string {
				return list(app.Labelled(t, book).Transfers)
			}
		}
	}
	return append(with,
		column{"from_label", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(book.LabelOf(t.From)) }},
		column{"to_label", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(book.LabelOf(t.To)) }},
		column{"payer_label", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(book.LabelOf(t.Payer)) }},
		column{"payer_group", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(book.GroupOf(t.Payer)) }},
	)
}
