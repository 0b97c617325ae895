package app

import (
	"bytes"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/explain"
	"github.com/feeledger/fees/internal/sys/jsontext"
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

// ReportToken returns the token of a block's network, without its symbol.
func ReportToken(r *evidence.Report) console.Token {
	return console.Token{Decimals: r.TokenDecimals(), SS58Prefix: r.SS58Prefix()}
}

// LabelledReport returns the JSON form of a block's report: accounts in the network's form, and labels if book is not
// nil.
func LabelledReport(r *evidence.Report, book *AddressBook) any {
	own := ownForm{r, ReportToken(r), r.Transactions}
	if book != nil {
		x := struct {
			*evidence.Report
			Transactions []LabelledTransaction `json:"transactions"`
		}{r, []LabelledTransaction{}}
		for i := range r.Transactions {
			x.Transactions = append(x.Transactions, Labelled(&r.Transactions[i], book))
		}
		own.value = x
	}
	return own
}

// LabelledExplanation returns the JSON form of an explanation: accounts in the network's form, and labels if book is not
// nil.
func LabelledExplanation(v *explain.Explanation, book *AddressBook) any {
	own := ownForm{v, v.Token, []evidence.Transaction{v.Transaction}}
	if book != nil {
		own.value = struct {
			*explain.Explanation
			Transaction LabelledTransaction `json:"transaction"`
		}{v, Labelled(&v.Transaction, book)}
	}
	return own
}

// ownForm is a value with transactions, whose accounts JSON has in the form of the token's network.
type ownForm struct {
	value        any
	token        console.Token
	transactions []evidence.Transaction
}

// MarshalJSON replaces the texts of accounts: the public types have the prefix of all chains.
func (o ownForm) MarshalJSON() ([]byte, error) {
	text, err := jsontext.Line(o.value)
	for i := range o.transactions {
		t := &o.transactions[i]
		spent, _ := t.GasSpent.Get()
		for _, account := range []chain.Optional[chain.Address]{t.From, t.To, t.Payer, chain.Some(spent.Account)} {
			if a, known := account.Get(); known && o.token.Account(a) != a.String() {
				text = bytes.ReplaceAll(text, []byte(`"`+a.String()+`"`), []byte(`"`+o.token.Account(a)+`"`))
			}
		}
	}
	return text, err
}
