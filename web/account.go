package web

import (
	"fmt"
	"net/http"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/desk"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/ledger"
)

// account is an account's summary, with what it paid last.
func (s *server) account(w http.ResponseWriter, r *http.Request) error {
	account, err := desk.OneAccount(r.PathValue("address"), s.Labels)
	if err != nil {
		return err
	}
	return s.show(w, r, func() (*view, error) {
		a, err := s.Desk.Account(r.Context(), desk.AccountQuestion{Account: account})
		if err != nil {
			return nil, err
		}
		v := &view{Title: "Account " + account.String(), Path: "account", Command: "fees account " + account.String() + s.ledgerFlag()}
		if label, ok := s.label(account); ok {
			v.Lead = label + ". "
		}
		v.Lead += "Blocks " + spanText(a.Held.Span) + ". Evidence: " + a.Held.Evidence.String() + "."
		v.Facts = []fact{
			seen("first seen", a.First), seen("last seen", a.Last), plain("transactions paid", fmt.Sprintf("%d evm, %d native", a.Fees.EVM, a.Fees.Native)),
			amount("fees", chain.Some(a.Fees.Fee), a.Symbol), amount("charged", a.Charged, a.Symbol), plain("movements", fmt.Sprint(a.Movements)), amount("in", a.In, a.Symbol), amount("out", a.Out, a.Symbol),
			plain("ERC-20 transfers", fmt.Sprintf("%d in, %d out", a.TransfersIn, a.TransfersOut)),
			{Name: "its fees by day", cell: cell{Text: "show", To: "fees?accounts=" + account.String()}},
		}
		if n := a.Fees.Undetermined; n > 0 {
			v.Warnings = append(v.Warnings, fmt.Sprintf("INCOMPLETE: %s %s undetermined, and in no sum.", console.Counted(n, "fee"), console.Verb(n, "is", "are")))
		}
		if span, ok := a.Held.Span.Get(); ok {
			list := transactionSheet(a.Symbol, s.Desk.Book.Transactions(r.Context(), ledger.Query{Span: span, Accounts: []chain.Address{account}, Limit: mostRows}))
			list.Title = fmt.Sprintf("What it paid for, the first %d", mostRows)
			if a.Fees.EVM+a.Fees.Native <= mostRows {
				list.Title = "What it paid for"
			}
			table, err := s.table(list, mostRows)
			if err != nil {
				return nil, err
			}
			v.Tables = []*tabular{table}
		}
		return v, nil
	})
}
