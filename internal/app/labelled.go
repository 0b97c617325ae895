package app

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/finance/explain"
)

// partyLabels contains the address book's labels for the parties of a transaction.
type partyLabels struct {
	FromLabel  chain.Optional[string] `json:"from_label"`
	ToLabel    chain.Optional[string] `json:"to_label"`
	PayerLabel chain.Optional[string] `json:"payer_label"`
	PayerGroup chain.Optional[string] `json:"payer_group"`
}

// LabelledTransaction is the JSON form of a transaction with labels.
type LabelledTransaction struct {
	evidence.Transaction
	partyLabels
	Transfers []LabelledTransfer `json:"transfers"`
}

// LabelledTransfer is a transfer with labels.
type LabelledTransfer struct {
	evm.Transfer
	TokenLabel chain.Optional[string] `json:"token_label"`
	FromLabel  chain.Optional[string] `json:"from_label"`
	ToLabel    chain.Optional[string] `json:"to_label"`
}

// Labelled adds labels to a transaction.
func Labelled(t *evidence.Transaction, book *AddressBook) LabelledTransaction {
	x := LabelledTransaction{Transaction: *t, partyLabels: labelsOf(t, book), Transfers: []LabelledTransfer{}}
	for _, one := range t.Transfers {
		x.Transfers = append(x.Transfers, LabelledTransfer{
			one, book.LabelOf(chain.Some(one.Token)), book.LabelOf(chain.Some(one.From)), book.LabelOf(chain.Some(one.To)),
		})
	}
	return x
}

func labelsOf(t *evidence.Transaction, book *AddressBook) partyLabels {
	return partyLabels{book.LabelOf(t.From), book.LabelOf(t.To), book.LabelOf(t.Payer), book.GroupOf(t.Payer)}
}

// LabelledReport returns the JSON form of a block's report, with labels if book is not nil.
func LabelledReport(r *evidence.Report, book *AddressBook) any {
	if book == nil {
		return r
	}
	x := struct {
		*evidence.Report
		Transactions []LabelledTransaction `json:"transactions"`
	}{r, []LabelledTransaction{}}
	for i := range r.Transactions {
		x.Transactions = append(x.Transactions, Labelled(&r.Transactions[i], book))
	}
	return x
}

// LabelledExplanation returns the JSON form of an explanation, with labels if book is not nil.
func LabelledExplanation(v *explain.Explanation, book *AddressBook) any {
	if book == nil {
		return v
	}
	return struct {
		*explain.Explanation
		Transaction LabelledTransaction `json:"transaction"`
	}{v, Labelled(&v.Transaction, book)}
}
