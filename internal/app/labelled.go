package app

import (
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
	own := ownForm{r, ReportToken(r)}
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
	own := ownForm{v, v.Token}
	if book != nil {
		own.value = struct {
			*explain.Explanation
			Transaction LabelledTransaction `json:"transaction"`
		}{v, Labelled(&v.Transaction, book)}
	}
	return own
}

// findingsInOwnForm gives the accounts in a report's findings the form of its network.
func findingsInOwnForm(r *evidence.Report) {
	token := ReportToken(r)
	for i := range r.Findings {
		r.Findings[i].Message = token.Own(r.Findings[i].Message)
	}
}

// inOwnForm returns an error whose text has accounts in the form of a network.
func inOwnForm(err error, token console.Token) error {
	if err == nil || !token.SS58Prefix.Known() {
		return err
	}
	return &ownFormError{err, token}
}

type ownFormError struct {
	error
	token console.Token
}

func (e *ownFormError) Error() string { return e.token.Own(e.error.Error()) }

func (e *ownFormError) Unwrap() error { return e.error }

// ownForm is a value whose accounts JSON has in the form of the token's network.
type ownForm struct {
	value any
	token console.Token
}

// MarshalJSON replaces the texts of accounts: the public types have the prefix of all chains.
func (o ownForm) MarshalJSON() ([]byte, error) {
	text, err := jsontext.Line(o.value)
	if !o.token.SS58Prefix.Known() {
		return text, err
	}
	return []byte(o.token.Own(string(text))), err
}
