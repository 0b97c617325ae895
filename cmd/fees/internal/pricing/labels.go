package pricing

import (
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/desk"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/invoice"
)

// partyLabels are what an address book says of those who have to do with a transaction.
type partyLabels struct {
	FromLabel  chain.Optional[string] `json:"from_label"`
	ToLabel    chain.Optional[string] `json:"to_label"`
	PayerLabel chain.Optional[string] `json:"payer_label"`
	PayerGroup chain.Optional[string] `json:"payer_group"`
}

// labelledTransaction is a transaction as JSON has it where there is an address book.
type labelledTransaction struct {
	evidence.Transaction
	partyLabels
	Transfers []labelledTransfer `json:"transfers"`
}

// labelledTransfer is a transfer with labels.
type labelledTransfer struct {
	evm.Transfer
	TokenLabel chain.Optional[string] `json:"token_label"`
	FromLabel  chain.Optional[string] `json:"from_label"`
	ToLabel    chain.Optional[string] `json:"to_label"`
}

func labelled(t *evidence.Transaction, book *desk.AddressBook) labelledTransaction {
	x := labelledTransaction{Transaction: *t, partyLabels: labelsOf(t, book), Transfers: []labelledTransfer{}}
	for _, one := range t.Transfers {
		x.Transfers = append(x.Transfers, labelledTransfer{
			one, book.LabelOf(chain.Some(one.Token)), book.LabelOf(chain.Some(one.From)), book.LabelOf(chain.Some(one.To)),
		})
	}
	return x
}

func labelsOf(t *evidence.Transaction, book *desk.AddressBook) partyLabels {
	return partyLabels{book.LabelOf(t.From), book.LabelOf(t.To), book.LabelOf(t.Payer), book.GroupOf(t.Payer)}
}

// labelledReport is a report as JSON has it, with labels where there is a book.
func labelledReport(r *evidence.Report, book *desk.AddressBook) any {
	if book == nil {
		return r
	}
	x := struct {
		*evidence.Report
		Transactions []labelledTransaction `json:"transactions"`
	}{r, []labelledTransaction{}}
	for i := range r.Transactions {
		x.Transactions = append(x.Transactions, labelled(&r.Transactions[i], book))
	}
	return x
}

// labelledInvoice is an invoice as JSON has it, with labels where there is a book.
func labelledInvoice(v *invoice.Invoice, book *desk.AddressBook) any {
	if book == nil {
		return v
	}
	return struct {
		*invoice.Invoice
		Transaction labelledTransaction `json:"transaction"`
	}{v, labelled(&v.Transaction, book)}
}

// columnsWith are the columns of the CSV, with labels where there is a book.
func columnsWith(book *desk.AddressBook) []column {
	if book == nil {
		return columns
	}
	with := slices.Clone(columns)
	for i := range with {
		if with[i].name == "transfers" {
			with[i].value = func(_ *evidence.Report, t *evidence.Transaction) string { return list(labelled(t, book).Transfers) }
		}
	}
	return append(with,
		column{"from_label", func(_ *evidence.Report, t *evidence.Transaction) string { return cli.Known(book.LabelOf(t.From)) }},
		column{"to_label", func(_ *evidence.Report, t *evidence.Transaction) string { return cli.Known(book.LabelOf(t.To)) }},
		column{"payer_label", func(_ *evidence.Report, t *evidence.Transaction) string { return cli.Known(book.LabelOf(t.Payer)) }},
		column{"payer_group", func(_ *evidence.Report, t *evidence.Transaction) string { return cli.Known(book.GroupOf(t.Payer)) }},
	)
}
