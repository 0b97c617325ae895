package rollforward

import (
	"context"
	"fmt"
	"io"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// Sheets returns the sheets of a workbook: one row per column, the sums, and every movement.
func (y *Style) Sheets(ctx context.Context, r *Rollforward) []*table.Sheet {
	return []*table.Sheet{y.Summary(r), y.Lines(r), y.Movements(ctx, r, All)}
}

// WriteTable writes the columns for a terminal, followed by the notes.
func (y *Style) WriteTable(w io.Writer, r *Rollforward, width int) error {
	page := console.NewPage(w, width)
	page.Line(y.Title, 0)
	for _, one := range y.Parts(r) {
		page.WriteString("\n")
		if err := table.WriteTable(page, one, width); err != nil {
			return err
		}
	}
	page.Notes(y.Notes)
	return page.Flush()
}

// Parts returns a sheet for people of each column, with a row per line and class.
func (y *Style) Parts(r *Rollforward) (sheets []*table.Sheet) {
	for i := range r.Columns {
		c := &r.Columns[i]
		one := r.marked(y.brief(r, c))
		one.Title = plain.Line(c.title(y.Token)) + ", " + c.Period.title()
		var drop []string
		if !c.reserves() {
			drop = append(drop, "reserved", "total")
		}
		if r.prices == nil {
			drop = append(drop, "value", "currency")
		}
		sheets = append(sheets, statement.Without(one, drop...))
	}
	return sheets
}

// title returns the period's name with its blocks.
func (p *Period) title() string {
	blocks := fmt.Sprintf("blocks %v", p.Span)
	if p.Name == blocks {
		return blocks
	}
	return p.Name + ", " + blocks
}

// title returns the name of the column, with the label and the group.
func (c *Column) title(token console.Token) string {
	text := c.Name(token)
	if c.Label != "" {
		text += " (" + c.Label + ")"
	}
	switch {
	case c.Scope == OfAccount && c.Group != "":
		text += ", group " + c.Group
	case c.Scope != OfAccount:
		text += fmt.Sprintf(" (%d)", c.Accounts)
	}
	return text
}

// reserves reports whether a balance is, was, or may have been reserved.
func (c *Column) reserves() bool {
	for _, b := range []chain.Optional[balances.Change]{c.Opening, c.Closing, c.Unexplained} {
		if have, ok := b.Get(); ok && have.Reserved.Sign() != 0 {
			return true
		}
	}
	for _, s := range c.Sums {
		if by, known := s.Reserved.Get(); !known || by.Sign() != 0 {
			return true
		}
	}
	return false
}

// WriteBrief writes movements for a terminal.
func (y *Style) WriteBrief(ctx context.Context, w io.Writer, r *Rollforward, selected Selection, width int) error {
	return table.WriteTable(w, y.Brief(ctx, r, selected), width)
}

// Brief returns movements with few columns, for people.
func (y *Style) Brief(ctx context.Context, r *Rollforward, selected Selection) *table.Sheet {
	drop := []string{"period", "label", "group", "line", "direction", "internal", "block", "time", "event", "event_index", "counterparty_label", "amount", "call"}
	if r.prices == nil {
		drop = append(drop, "value", "currency")
	}
	return statement.Without(y.Movements(ctx, r, selected), drop...)
}

type (
	jsonColumn struct {
		Period      string                          `json:"period"`
		FirstBlock  uint64                          `json:"first_block"`
		LastBlock   uint64                          `json:"last_block"`
		Whole       bool                            `json:"of_all_periods"`
		Scope       Scope                           `json:"scope"`
		Account     chain.Optional[string]          `json:"account"`
		Label       chain.Optional[string]          `json:"label"`
		Group       chain.Optional[string]          `json:"group"`
		Accounts    int                             `json:"accounts"`
		Proved      bool                            `json:"proved"`
		Opening     chain.Optional[balances.Change] `json:"opening"`
		Lines       []jsonLine                      `json:"lines"`
		Unexplained chain.Optional[balances.Change] `json:"unexplained"`
		Closing     chain.Optional[balances.Change] `json:"closing"`
		Total       chain.Optional[chain.SignedWei] `json:"closing_total"`
		// The values are null without prices, or if one is missing.
		OpeningValue chain.Optional[money.Amount] `json:"opening_value"`
		Valuation    chain.Optional[money.Amount] `json:"valuation_difference"`
		ClosingValue chain.Optional[money.Amount] `json:"closing_value"`
		AssetFees    fee.AssetTotals              `json:"asset_fees,omitempty"` // in no sum
	}
	jsonLine struct {
		Line Line `json:"line"`
		jsonSum
		Classes []jsonClass `json:"classes"`
	}
	jsonClass struct {
		Class     Class     `json:"class"`
		Direction Direction `json:"direction"`
		jsonSum
	}
	jsonSum struct {
		Count    uint64                          `json:"count"`
		Free     chain.Optional[chain.SignedWei] `json:"free"`
		Reserved chain.Optional[chain.SignedWei] `json:"reserved"`
		Total    chain.Optional[chain.SignedWei] `json:"total"`
		Value    chain.Optional[money.Amount]    `json:"value"`
	}
	jsonHead struct {
		Network  string            `json:"network"`
		Symbol   string            `json:"symbol"`
		Title    string            `json:"title"`
		Evidence evidence.Evidence `json:"evidence"`
		Prices   *money.Basis      `json:"prices"`
		Notes    []string          `json:"notes"`
	}
)

func (y *Style) head(r *Rollforward) jsonHead {
	h := jsonHead{Network: y.Network, Symbol: y.Symbol, Title: y.Title, Evidence: y.Evidence, Notes: append([]string{}, y.Notes...)}
	if r.prices != nil {
		basis := r.prices.Basis()
		h.Prices = &basis
	}
	return h
}

// WriteJSON writes all columns.
func (y *Style) WriteJSON(w io.Writer, r *Rollforward) error {
	list := []jsonColumn{}
	for i := range r.Columns {
		c, err := r.Columns[i].json(y.Token)
		if err != nil {
			return err
		}
		list = append(list, c)
	}
	return jsontext.Write(w, struct {
		jsonHead
		Columns []jsonColumn `json:"rollforwards"`
	}{y.head(r), list})
}

// WriteMovementsJSON writes movements.
func (y *Style) WriteMovementsJSON(ctx context.Context, w io.Writer, r *Rollforward, selected Selection) error {
	out := jsontext.NewStream(w, false)
	out.Members(struct {
		jsonHead
		List string `json:"list"`
	}{y.head(r), selected.name})
	out.List("movements", table.JSONRows(y.Movements(ctx, r, selected)))
	return out.Close()
}

func (c *Column) json(token console.Token) (j jsonColumn, err error) {
	j = jsonColumn{
		Period: c.Period.Name, FirstBlock: c.Period.Span.First, LastBlock: c.Period.Span.Last, Whole: c.Whole, Scope: c.Scope, Account: token.AccountOf(c.Account),
		Label: optionalText(c.Label), Group: optionalText(c.Group), Accounts: c.Accounts, Proved: c.Opening.Known() && c.Holds(),
		Opening: c.Opening, Unexplained: c.Unexplained, Closing: c.Closing, OpeningValue: c.OpeningValue, ClosingValue: c.ClosingValue, AssetFees: c.AssetFees,
	}
	if j.Valuation, err = c.Valuation(); err != nil {
		return j, err
	}
	if j.Total, err = totalOf(freeOf(c.Closing), reservedOf(c.Closing)); err != nil {
		return j, err
	}
	lines, err := c.Lines()
	if err != nil {
		return j, err
	}
	sum := func(count uint64, free, reserved chain.Optional[chain.SignedWei], value chain.Optional[money.Amount]) (jsonSum, error) {
		total, err := totalOf(free, reserved)
		return jsonSum{count, free, reserved, total, value}, err
	}
	for _, line := range lines {
		one := jsonLine{Line: line.Line, Classes: []jsonClass{}}
		if one.jsonSum, err = sum(line.Count, line.Free, line.Reserved, line.Value); err != nil {
			return j, err
		}
		for _, s := range line.Classes {
			class := jsonClass{Class: s.Class, Direction: s.Direction}
			if class.jsonSum, err = sum(s.Count, s.Free, s.Reserved, s.Value); err != nil {
				return j, err
			}
			one.Classes = append(one.Classes, class)
		}
		j.Lines = append(j.Lines, one)
	}
	return j, nil
}

func optionalText(text string) (none chain.Optional[string]) {
	if text != "" {
		return chain.Some(text)
	}
	return none
}
