package web

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/feeledger/fees/desk"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/sheet"
)

// transaction is a transaction of the ledger with all that it moved.
func (s *server) transaction(w http.ResponseWriter, r *http.Request) error {
	return s.show(w, r, func() (*view, error) {
		t, err := s.Desk.Transaction(r.Context(), r.PathValue("name"))
		if err != nil {
			return nil, err
		}
		place := fmt.Sprintf("%d-%d", t.Height, t.Index)
		v := &view{Title: "Transaction " + place, Path: "tx", Command: "fees explain " + place + s.ledgerFlag()}
		v.Lead, v.Unsealed = fmt.Sprintf("%s, %s", t.Layer, cmp.Or(t.Type, t.Call)), !t.Sealed
		v.Facts = []fact{
			{Name: "block", cell: cell{Text: fmt.Sprint(t.Height), To: fmt.Sprintf("block/%d", t.Height)}}, plain("time", optionalText(t.Time)),
			plain("hash", t.Hash.String()), plain("EVM hash", optionalText(t.EVMHash)), s.party("from", t.Sender), s.party("to", t.Recipient), s.party("payer", t.Payer),
			plain("outcome", cmp.Or(words(string(t.Outcome)), notKnown)), amount("fee", t.Fee, t.Symbol), amount("charged", t.Charged, t.Symbol), plain("verdict", words(string(t.Verdict))),
			amount("burned", t.Burned, t.Symbol), amount("treasury", t.Treasury, t.Symbol), amount("author", t.Author, t.Symbol),
			plain("gas", optionalText(t.Gas)), plain("rules", t.Rules),
		}
		if t.Error != "" {
			v.Warnings = append(v.Warnings, "The fee is undetermined: "+t.Error)
		}
		if drift, ok := t.Drift.Get(); ok && drift.Sign() != 0 {
			v.Warnings = append(v.Warnings, fmt.Sprintf("The chain did not charge what the rules give: %s %s. What the chain charged was paid.", console.Tokens(drift), t.Symbol))
		}
		for _, list := range []*sheet.Sheet{movementSheet(t), transferSheet(t)} {
			table, err := s.table(list, mostRows)
			if err != nil {
				return nil, err
			}
			if len(table.Rows) > 0 {
				v.Tables = append(v.Tables, table)
			}
		}
		return v, nil
	})
}

func movementSheet(t *desk.Paid) *sheet.Sheet {
	return listed("Movements of the native balances", t.Symbol, t.Movements, func(m *ledger.Movement) []any {
		return []any{m.Account, string(m.Kind), m.Event, m.Free, m.Reserved, m.Counterparty}
	}, sheet.Column{Name: "account", Kind: sheet.Address}, sheet.Column{Name: "kind", Kind: sheet.Text}, sheet.Column{Name: "event", Kind: sheet.Text},
		sheet.Column{Name: "free", Kind: sheet.SignedWei}, sheet.Column{Name: "reserved", Kind: sheet.SignedWei}, sheet.Column{Name: "with", Kind: sheet.Address})
}

func transferSheet(t *desk.Paid) *sheet.Sheet {
	return listed("ERC-20 transfers, in the tokens' smallest units", t.Symbol, t.Transfers, func(x *ledger.Transfer) []any {
		return []any{x.Token, x.Sender, x.Recipient, x.Amount}
	}, sheet.Column{Name: "token", Kind: sheet.Address}, sheet.Column{Name: "from", Kind: sheet.Address}, sheet.Column{Name: "to", Kind: sheet.Address}, sheet.Column{Name: "amount", Kind: sheet.TokenAmount})
}

func listed[T any](title, symbol string, list []T, row func(T) []any, columns ...sheet.Column) *sheet.Sheet {
	return &sheet.Sheet{Name: "list", Title: title, Symbol: symbol, Columns: columns, Rows: func(yield func([]any, error) bool) {
		for _, x := range list {
			if !yield(row(x), nil) {
				return
			}
		}
	}}
}
