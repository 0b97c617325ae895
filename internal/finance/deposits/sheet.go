package deposits

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/table"
)

// Style controls how deposits are displayed.
type Style struct {
	console.Token
	Title  string
	Labels *addressbook.Book
	Notes  []string
}

var openColumns = []table.Column{
	{Name: "holder", Kind: table.Address}, {Name: "holder_label", Kind: table.Text, Drop: 3}, {Name: "reason", Kind: table.Text},
	{Name: "payer", Kind: table.Address}, {Name: "payer_label", Kind: table.Text, Drop: 3}, {Name: "amount", Kind: table.Wei, Total: true},
	{Name: "taken", Kind: table.Text}, {Name: "block", Kind: table.Integer, Drop: 4}, {Name: "time", Kind: table.Time, Drop: 2},
}

// Open returns a row for each open deposit.
func (y *Style) Open(list []Deposit) *table.Sheet {
	return &table.Sheet{Name: "deposits", Title: y.Title, Notes: y.Notes, Token: y.Token, Columns: openColumns, Rows: func(yield func([]any, error) bool) {
		for i := range list {
			x := &list[i]
			if !yield([]any{x.Holder, y.Labels.LabelOf(chain.Some(x.Holder)), reasonOf(x.Reason), x.Payer, y.Labels.LabelOf(x.Payer), x.Amount, x.Taken.String(), x.Taken.Height, x.Taken.Time}, nil) {
				return
			}
		}
	}}
}

var changeColumns = []table.Column{
	{Name: "place", Kind: table.Text}, {Name: "block", Kind: table.Integer, Drop: 5}, {Name: "time", Kind: table.Time, Drop: 4},
	{Name: "holder", Kind: table.Address}, {Name: "holder_label", Kind: table.Text, Drop: 6}, {Name: "reason", Kind: table.Text, Drop: 1},
	{Name: "change", Kind: table.SignedWei, Total: true}, {Name: "payer", Kind: table.Address}, {Name: "payer_label", Kind: table.Text, Drop: 6},
	{Name: "given_back_to", Kind: table.Address}, {Name: "given_back_to_label", Kind: table.Text, Drop: 6}, {Name: "taken", Kind: table.Text, Drop: 3},
	{Name: "passed", Kind: table.Boolean, Drop: 2},
}

// Changes returns a row for each change.
func (y *Style) Changes(list []Change) *table.Sheet {
	return &table.Sheet{Name: "changes", Title: y.Title, Notes: y.Notes, Token: y.Token, Columns: changeColumns, Rows: func(yield func([]any, error) bool) {
		for i := range list {
			c := &list[i]
			var taken any
			if at, known := c.Taken.Get(); known {
				taken = at.String()
			}
			row := []any{c.At.String(), c.At.Height, c.At.Time, c.Holder, y.Labels.LabelOf(chain.Some(c.Holder)), reasonOf(c.Reason),
				c.Amount, c.Payer, y.Labels.LabelOf(c.Payer), c.To, y.Labels.LabelOf(c.To), taken, c.Passed()}
			if !yield(row, nil) {
				return
			}
		}
	}}
}

// reserve stands for the reason of a reserve, and of a hold whose event does not state it.
const reserve = "reserve"

func reasonOf(r chain.HoldReason) string {
	if r == "" {
		return reserve
	}
	return string(r)
}
