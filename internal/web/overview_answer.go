package web

import (
	"fmt"
	"net/url"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/sys/markup"
)

// answerPart answers what some accounts paid in a month, and how that compares with the month before.
type answerPart struct {
	About string // the month
	Fee   cell   // exact
	Whose string // after the figure, such as that it is a part
	Parts []g.Node
}

func (a *answerPart) node() g.Node {
	if a == nil {
		return nil
	}
	line := g.Group{}
	for i, part := range a.Parts {
		line = append(line, g.If(i > 0, markup.Text(" · ")), part)
	}
	return markup.El("section", markup.Attr("class", "answer"), markup.Attr("aria-label", a.About), lines{
		markup.El("p", markup.Attr("class", "sum"), markup.Text(a.About+": "), a.Fee.node(), g.If(a.Whose != "", markup.Text(" "+a.Whose))),
		markup.El("p", line),
	})
}

// answerPart answers for a month. Only complete months are compared.
func (s *server) answerPart(sc *scope, shown month, now *monthView, last month, before *monthView) *answerPart {
	about, t := sc.feesIn(shown), &now.Totals
	a := &answerPart{About: about.name(), Fee: amount("", chain.Some(t.Fee), now.Token).cell}
	if t.Undetermined > 0 {
		a.Whose = "known part, without " + console.Counted(t.Undetermined, "fee")
	} else if shown.Partial || len(now.Partial) > 0 {
		a.Whose = now.Part
	}
	add := func(parts ...g.Node) { a.Parts = append(a.Parts, g.Group(parts)) }
	if charged, known := t.Charged.Get(); !known {
		add(markup.Text("charged on chain: " + notKnown))
	} else if charged != t.Fee {
		c := amount("", t.Charged, now.Token).cell
		add(markup.Text("charged on chain: "), c.node())
	}
	if now.Prices != nil {
		if worth, known := t.FeeWorth.Get(); known {
			add(link{worth.String() + " " + s.currency(), "fees" + about.valuedIn(s.currency()).query(nil)}.node())
		} else {
			add(markup.Text(s.currency() + " " + notKnown))
		}
	}
	paid := t.EVM + t.Native
	whose := g.Group{link{console.Counted(paid, "transaction"), "transactions" + about.query(nil)}.node()}
	if now.accounts > 0 {
		whose = append(whose, markup.Text(" of "), link{console.Counted(now.accounts, "account"), "fees" + about.query(url.Values{"by": {string(report.Account)}})}.node())
	} else {
		whose = append(whose, markup.Text(" of all accounts"))
	}
	add(whose)
	switch {
	case before == nil || shown.Partial || len(now.Partial) > 0:
	case last.Partial || len(before.Partial) > 0 || before.Totals.Undetermined+t.Undetermined > 0:
		add(markup.Text("not compared: " + sc.of(last).name() + " is not known as a whole"))
	default:
		apart := t.Fee.Difference(before.Totals.Fee)
		percent := ""
		if p, known := report.Percent(t.Fee, before.Totals.Fee).Get(); known {
			percent = ", " + signed(p) + " %"
		}
		add(markup.El("a", href("fees"+about.query(url.Values{"compare": {app.PeriodBefore}})), cutNode(now.Token, apart), markup.Text(" "+now.Symbol+percent)), markup.Text(" against "), link{sc.of(last).name(), "overview" + sc.of(last).query(nil)}.node())
	}
	return a
}

// valuedIn returns the scope with a currency.
func (s *scope) valuedIn(currency string) *scope {
	other := *s
	other.Price = currency
	return &other
}

// cutNode returns a difference of amounts with its sign, cut, its digits grouped.
func cutNode(token console.Token, apart chain.SignedWei) g.Node {
	text, more := strings.CutSuffix(signed(cut(token, apart)), "…")
	sign := text[:len(text)-len(strings.TrimLeft(text, "+−"))]
	number := cell{Text: strings.TrimPrefix(text, sign), Number: true}
	return markup.El("data", markup.Attr("value", apart.String()), markup.Text(sign), number.figure(), g.If(more, markup.Text("…")))
}

// cutDigits is the number of decimals of an amount beside an exact one.
const cutDigits = 6

// cut returns an amount with its first decimals; "…" stands for the others. Digits are dropped, never rounded.
func cut(token console.Token, amount fmt.Stringer) string {
	text := token.Tokens(amount)
	whole, decimals, _ := strings.Cut(text, ".")
	if len(decimals) <= cutDigits {
		return text
	}
	first, rest := decimals[:cutDigits], decimals[cutDigits:]
	if strings.Trim(rest, "0") == "" {
		return whole + "." + first
	}
	if strings.Trim(whole+first, "-0") == "" { // nothing but zeros would be left
		return text
	}
	return whole + "." + first + "…"
}

// signed returns a difference with its sign, for people.
func signed(text string) string {
	if rest, below := strings.CutPrefix(text, "-"); below {
		return "−" + rest
	}
	if strings.Trim(text, "0.") == "" {
		return text
	}
	return "+" + text
}
