package reconcile

import (
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
)

// Worth is the value of amounts in a currency, each at the price of its own day or hour. An unknown value makes the sum
// unknown.
type Worth struct{ Books, Chain, Difference chain.Optional[money.Amount] }

// nothingIn returns the value of no items.
func nothingIn(c money.Currency) Worth {
	none := chain.Some(money.NothingIn(c))
	return Worth{none, none, none}
}

// worth returns the value of an item's amounts; unknown if it has none. Books is the time zone of the rows' dates.
func (i *Item) worth(v *money.Valuer, books *time.Location) Worth {
	at := i.paidAt(v.Zone, books)
	return Worth{money.ValueKnown(v, i.Books, at), money.ValueKnown(v, i.Chain, at), money.ValueKnown(v, i.Difference, at)}
}

// addWorth adds the value of an item. A missing amount counts as zero.
func (s *Sum) addWorth(i *Item, w Worth, c money.Currency) {
	none := nothingIn(c)
	if !i.Books.Known() {
		w.Books = none.Books
	}
	if !i.Chain.Known() && !i.isUnknown() {
		w.Chain = none.Chain
	}
	s.Worth = Worth{money.Sum(s.Worth.Books, w.Books), money.Sum(s.Worth.Chain, w.Chain), money.Sum(s.Worth.Difference, w.Difference)}
}

// paidAt returns when an item was paid: the time of the transaction, otherwise the row's date. A date without a time of
// day means that day in the prices' time zone.
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
	if !isDay(local, books) {
		return i.Row.Date
	}
	day := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, priced)
	at, err := chain.TimeAt(uint64(max(day.UnixMilli(), 0)))
	if err != nil {
		return none
	}
	return chain.Some(at)
}

// checkPrices requires a price for every amount, and adds notes about the prices.
func (r *Result) checkPrices() error {
	if r.prices == nil {
		return nil
	}
	if err := r.prices.Check(r.Options.Partial); err != nil {
		return err
	}
	if r.Options.Values {
		r.Notes = append(r.Notes, r.Options.valuesNote())
	}
	r.Notes = append(r.Notes, r.PriceNotes()...)
	return nil
}

// PriceNotes describe how amounts were valued; none without prices.
func (r *Result) PriceNotes() []string {
	if r.prices == nil {
		return nil
	}
	return r.prices.Notes()
}

// worthColumns returns the columns in the currency; none without prices.
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

// worthCells returns the values in the currency; nil if an item lacks the amount.
func (r *Result) worthCells(i *Item) []any {
	if r.valuer == nil {
		return nil
	}
	w := i.worth(r.valuer, r.Options.Zone)
	cells := []any{w.Books, w.Chain, w.Difference}
	if !i.Books.Known() {
		cells[0] = nil
	}
	if !i.Chain.Known() && !i.isUnknown() {
		cells[1] = nil
	}
	return cells
}

// worthJSON is the JSON form of values. JSON omits them without prices.
type worthJSON struct {
	Books      chain.Optional[money.Amount] `json:"books_worth"`
	Chain      chain.Optional[money.Amount] `json:"chain_worth"`
	Difference chain.Optional[money.Amount] `json:"difference_worth"`
	Late       bool                         `json:"last_known,omitempty"` // valued at the last known price of an earlier day
}

func (r *Result) worthJSON(w Worth) *worthJSON {
	if r.valuer == nil {
		return nil
	}
	return &worthJSON{w.Books, w.Chain, w.Difference, table.IsLate(w.Books, w.Chain, w.Difference)}
}

// priceFacts returns the facts about the prices; none without prices.
func (r *Result) priceFacts() []fact {
	l := r.Options.Prices
	if l == nil {
		return nil
	}
	return []fact{{"currency", string(l.Currency)}, {"prices_sha256", l.SHA256}, {"prices_source", l.Source()}, {"prices_by", l.Step()}, {"prices_timezone", l.Timezone()}}
}
