package reconcile

import (
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
)

// Worth is what amounts were worth in a currency, each at the price of its own day or hour. What
// is not known makes the sum unknown.
type Worth struct{ Books, Chain, Difference chain.Optional[money.Amount] }

// nothingIn is what no item is worth.
func nothingIn(c money.Currency) Worth {
	none := chain.Some(money.NothingIn(c))
	return Worth{none, none, none}
}

// worth is what the amounts of an item were worth; not known where it has none. Books is the time
// zone of the rows' dates.
func (i *Item) worth(v *money.Valuer, books *time.Location) Worth {
	at := i.paidAt(v.Zone, books)
	return Worth{money.ValueKnown(v, i.Books, at), money.ValueKnown(v, i.Chain, at), money.ValueKnown(v, i.Difference, at)}
}

// addWorth adds what an item was worth. An amount that it does not have is nothing.
func (s *Sum) addWorth(i *Item, w Worth, c money.Currency) {
	none := nothingIn(c)
	if !i.Books.Known() {
		w.Books = none.Books
	}
	if !i.Chain.Known() && !i.costUnknown() {
		w.Chain = none.Chain
	}
	s.Worth = Worth{money.Sum(s.Worth.Books, w.Books), money.Sum(s.Worth.Chain, w.Chain), money.Sum(s.Worth.Difference, w.Difference)}
}

// paidAt is when an item was paid: the transaction tells, and where there is none, the row's date.
// A date without a time of day is that day, whosever days the prices are of.
func (i *Item) paidAt(priced, books *time.Location) (none chain.Optional[chain.Time]) {
	if t, ok := i.Transaction.Get(); ok {
		return t.Time
	}
	if i.Row == nil {
		return none
	}
	date, ok := i.Row.Date.Get()
	if !ok {
		return none
	}
	local := date.Std().In(books)
	if midnight := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, books); !midnight.Equal(local) {
		return i.Row.Date
	}
	day := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, priced)
	at, err := chain.TimeAt(uint64(max(day.UnixMilli(), 0)))
	if err != nil {
		return none
	}
	return chain.Some(at)
}

// checkPrices wants a price for all that needs one, and notes what the amounts rest on.
func (r *Result) checkPrices() error {
	if r.valuer == nil {
		return nil
	}
	if err := r.valuer.Check(r.Options.Partial); err != nil {
		return err
	}
	r.Notes = append(r.Notes, r.valuer.Notes()...)
	return nil
}

// worthColumns are those in the currency; none without prices.
func (r *Result) worthColumns(total bool) (columns []table.Column) {
	if r.valuer == nil {
		return nil
	}
	c := r.valuer.Currency
	for _, name := range []string{"books", "chain", "difference"} {
		columns = append(columns, table.Column{Name: name + "_" + c.Suffix(), Kind: table.Fiat, Total: total, Currency: c})
	}
	return columns
}

// worthCells are the columns in the currency: nothing where an item has no such amount.
func (r *Result) worthCells(i *Item) []any {
	if r.valuer == nil {
		return nil
	}
	w := i.worth(r.valuer, r.Options.Zone)
	cells := []any{w.Books, w.Chain, w.Difference}
	if !i.Books.Known() {
		cells[0] = nil
	}
	if !i.Chain.Known() && !i.costUnknown() {
		cells[1] = nil
	}
	return cells
}

// worthJSON is what amounts were worth, as JSON has it. Without prices, JSON has none of it.
type worthJSON struct {
	Books      chain.Optional[money.Amount] `json:"books_worth"`
	Chain      chain.Optional[money.Amount] `json:"chain_worth"`
	Difference chain.Optional[money.Amount] `json:"difference_worth"`
}

func (r *Result) worthJSON(w Worth) *worthJSON {
	if r.valuer == nil {
		return nil
	}
	return &worthJSON{w.Books, w.Chain, w.Difference}
}

// priceFacts are what the amounts in a currency rest on; none without prices.
func (r *Result) priceFacts() []fact {
	l := r.Options.Prices
	if l == nil {
		return nil
	}
	return []fact{{"currency", string(l.Currency)}, {"prices_sha256", l.SHA256}, {"prices_source", l.Source()}, {"prices_by", l.Step()}, {"prices_timezone", l.Timezone()}}
}
