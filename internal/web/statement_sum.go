package web

import (
	"cmp"
	"context"
	"fmt"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/sys/markup"
	"github.com/feeledger/fees/internal/table"
)

// sumTable returns the table that leads from the opening to the closing balance.
func (s *server) sumTable(ctx context.Context, made *app.Statements) (*tabular, error) {
	one := made.List[0]
	list, err := made.Items(ctx, one)
	if err != nil {
		return nil, err
	}
	var hidden []string
	if !one.Reserves() {
		hidden = []string{"reserved"}
	}
	t, err := s.list(listed("From opening to closing", made.Style.Token, list, func(i app.StatementItem) []any {
		change, known := i.Change.Get()
		if !known {
			return []any{i.Name, i.Of, nil, nil}
		}
		return []any{i.Name, i.Of, change.Free, change.Reserved}
	}, table.Column{Name: "item", Kind: table.Text}, table.Column{Name: "count", Kind: table.Text},
		table.Column{Name: "free", Kind: table.SignedWei}, table.Column{Name: "reserved", Kind: table.SignedWei}), listing{fixed: true, brief: hidden}, nil)
	if err != nil {
		return nil, err
	}
	if !one.Opening.Known() {
		t.Title = "Movements"
	}
	t.None = "No movements."
	return t, nil
}

// annex returns what paper has below a statement: the hashes and addresses of the rows on the page, each once and in full,
// and places to sign.
func annex(of *rows) g.Node {
	text := func(row []table.Cell, column string) string {
		if at := columnOf(of.columns, column); at >= 0 {
			return row[at].Text()
		}
		return ""
	}
	var inFull lines
	seen := map[string]bool{}
	for _, row := range of.page {
		place := cmp.Or(text(row, "place"), text(row, "block")+"-"+text(row, "index"))
		for i, column := range of.columns {
			full, short := row[i].Exact(), place
			if column.Kind == table.Address {
				short = cmp.Or(text(row, column.Name+"_label"), console.Ends(full, 4))
			} else if column.Kind != table.Hash {
				continue
			}
			if column.Name == "account" || full == "" || seen[full] {
				continue
			}
			seen[full] = true
			inFull = append(inFull, markup.El("p", markup.El("span", markup.Text(short)), markup.Text(" "), markup.El("code", markup.Text(full))))
		}
	}
	sign := func(role string) g.Node {
		return markup.El("p", markup.Attr("class", "sign"), markup.Text(role+", date"))
	}
	return markup.El("section", markup.Attr("class", "annex"), lines{
		g.If(len(inFull) > 0, lines{markup.El("h2", markup.Text("Hashes and addresses in full")), markup.El("div", inFull)}), markup.El("div", markup.Attr("class", "signs"), sign("Prepared by"), sign("Reviewed by")),
	})
}

// feesApart returns the fees by layer of which an amount is not known or not part of any movement: the table of movements
// does not contain them.
func feesApart(one *statement.Statement, token console.Token) (facts []fact) {
	for _, f := range one.Fees {
		if f.Unknown+f.Apart == 0 {
			continue
		}
		charged := amount(table.Words(string(f.Layer))+" fees charged", chain.Some(f.Charged), token)
		if f.Unknown > 0 {
			charged.Unit += fmt.Sprintf(", and %d %s", f.Unknown, notKnown)
		}
		facts = append(facts, charged)
	}
	return facts
}
