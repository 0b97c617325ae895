package web

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/variance"
	"github.com/feeledger/fees/internal/sys/markup"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// varianceRequest is a request for the page or a file of a variance.
type varianceRequest struct {
	app.VarianceRequest
	scope   scope
	step    variance.Step // whose calls are listed; "" for the largest of each step
	listing listing
}

// varianceParameters are the parameters of a variance besides its scope.
var varianceParameters = []string{"against", priceParameter}

// varianceRequest parses a request for the page or a file of a variance.
func (s *server) varianceRequest(r *http.Request, own ...string) (q varianceRequest, err error) {
	if q.scope, err = readScope(r.URL.RawQuery, slices.Concat(varianceParameters, own)...); err != nil {
		return q, err
	}
	q.step = variance.Step(q.scope.own.Get("step"))
	if err := app.OneOf("step", q.step, append(variance.Steps(), "")...); err != nil {
		return q, err
	}
	if q.Against, err = q.scope.input().Against(q.scope.own.Get("against")); err != nil {
		return q, err
	}
	if q.listing, err = readListing(q.scope.own); err != nil {
		return q, err
	}
	q.Request, err = s.readRequest(&q.scope)
	return q, err
}

// variancePage explains why fees changed.
type variancePage struct {
	frame
	figures
	tables
	explained
}

func (p *variancePage) main() g.Node {
	return p.body(p.notices.node(), p.figures.node(), p.related(), p.explained.node(), p.tables.node(), p.notesList())
}

// explained is the part of a page that explains a variance: sentences, and the steps.
type explained struct {
	Words []string
	Steps *waterfall
}

func (e *explained) node() g.Node {
	return lines{markup.El("div", markup.Attr("class", "words"), each(e.Words, func(text string) g.Node { return markup.El("p", markup.Text(text)) })), e.Steps.node()}
}

// explain returns the part of a page that explains a variance. Its steps link to the page of the variance.
func (q *varianceRequest) explain(r *variance.Report) explained {
	said := r.Words()
	words := periodWords(r.Period.Name, r.Other.Name)
	for i, text := range said {
		said[i] = words.Replace(text)
	}
	return explained{said, waterfallOf(r, func(step variance.Step) string {
		own := without(q.scope.own, append(listingParameters, "step")...)
		own.Set("step", string(step))
		return "variance" + q.scope.query(own)
	})}
}

// variance shows why the fees of a period differ from those of another.
func (s *server) variance(w http.ResponseWriter, r *http.Request) error {
	q, err := s.varianceRequest(r, "step", "after")
	if err != nil {
		return err
	}
	return s.show(w, r, allSealed, func(r *http.Request, sealed string) (page, error) {
		made, err := s.varianceOf(r, &q, sealed)
		if err != nil {
			return nil, err
		}
		v := &variancePage{frame: frame{Title: made.Title(), Path: "variance"}, explained: q.explain(made)}
		notes := made.AllNotes()
		v.Scope, v.Whose, v.Warnings, v.Notes = &q.scope, true, made.Partial, notes[len(made.Partial):]
		v.Lead = "The steps add up to the difference exactly."
		if n := made.Now.Undetermined + made.Before.Undetermined; n > 0 {
			v.Warnings = append(slices.Clip(v.Warnings), incomplete(n))
		}
		v.inWords(made.Period.Name, made.Other.Name)
		v.Main = varianceFacts(made)
		v.Fields = append([]control{{Name: "against", Label: "Against", Kind: "text", Value: q.scope.own.Get("against"), Hint: "the period before, or such as 2025-02"}}, s.priceControl(&q.scope)...)
		v.Downloads = fileLinks(varianceForms, "variance", q.scope.query(without(q.scope.own, "step", "after")))
		v.Links = q.links()
		v.Command = "fees variance" + q.scope.flags() + q.againstFlag() + s.priceFlags(q.Prices) + s.ledgerFlag()
		return v, v.add(s.callTable(made, &q))
	})
}

// varianceOf returns the variance, which requests share at a state of the ledger.
func (s *server) varianceOf(r *http.Request, q *varianceRequest, sealed string) (*variance.Report, error) {
	address := "variance" + q.scope.query(without(q.scope.own, "step", "after"))
	return keptOf(s, r, allSealed, s.variances, sealed, address, true, func(ctx context.Context) (*variance.Report, error) {
		return s.Ledger.Variance(ctx, q.VarianceRequest)
	})
}

func sizeOfVariance(r *variance.Report) int { return r.Calls*rowBytes + 8<<10 }

// varianceFacts returns the fees of both periods and their difference.
func varianceFacts(r *variance.Report) []fact {
	difference := fact{Name: "difference", cell: cell{Text: notKnown, Class: "warn"}}
	if wei, known := r.Difference().Get(); known {
		difference = amount("difference", chain.Some(wei), r.Token)
		difference.Text = r.Signed(wei)
	}
	facts := []fact{amount("fees, "+console.PeriodName(r.Period.Name), chain.Some(r.Now.Fee), r.Token), amount("fees, "+console.PeriodName(r.Other.Name), chain.Some(r.Before.Fee), r.Token), difference}
	if percent, known := r.Percent().Get(); known {
		facts = append(facts, textFact("difference in %", signed(percent)))
	}
	if r.Prices != nil {
		for _, of := range []*variance.Side{&r.Period, &r.Other} {
			name := "fees in " + string(r.Prices.Currency) + ", " + console.PeriodName(of.Name)
			facts = append(facts, textFact(name, known(of.Worth)))
		}
	}
	return facts
}

// known returns a value as text.
func known[T any](o chain.Optional[T]) string {
	if !o.Known() {
		return notKnown
	}
	return console.Known(o)
}

// links returns links to the same fees as a report.
func (q *varianceRequest) links() []link {
	list := []link{{"Transactions", "transactions" + q.scope.query(nil)}}
	if against := q.scope.own.Get("against"); against == "" || app.IsNamed(against) {
		if against == "" {
			against = app.PeriodBefore
		}
		list = append(list, link{"Fees compared by contract", "fees" + q.scope.query(url.Values{"by": {"contract"}, "compare": {against}})})
	}
	return list
}

func (q *varianceRequest) againstFlag() string {
	if against := q.scope.own.Get("against"); against != "" {
		return " --against " + console.Argument(against)
	}
	return ""
}

// other returns the scope of the other period.
func (q *varianceRequest) other() scope {
	in, other := q.Against, q.scope
	switch other.Period = in.Month + in.Year + in.Blocks; {
	case in.From != "":
		other.Period = in.From + ".." + in.To
	}
	return other
}

// rowsOf returns the transactions of a call: those of the period, or of the other one if it has none.
func (q *varianceRequest) rowsOf(c *variance.Change) string {
	about := q.scope
	if c.Now.Transactions+c.Now.Undetermined+c.Now.InAssets == 0 {
		about = q.other()
	}
	if c.Layer == "" {
		return "findings" + about.query(nil)
	}
	own := url.Values{"layer": {string(c.Layer)}, "call": {c.Name}}
	if contract, known := c.Contract.Get(); known && c.Layer == fee.EVM {
		own.Set("contract", contract.String())
	}
	return "transactions" + about.query(own)
}

// largestCalls limits the calls of each step, if all steps are listed.
const largestCalls = 3

// callTable lists the calls of a step, or the largest of each.
func (s *server) callTable(r *variance.Report, q *varianceRequest) (*tabular, error) {
	var of []variance.Share
	var steps []variance.Step
	for _, l := range r.Steps {
		shares := l.Shares
		switch {
		case q.step == "":
			shares = shares[:min(len(shares), largestCalls)]
		case q.step != l.Step:
			continue
		}
		for range shares {
			steps = append(steps, l.Step)
		}
		of = append(of, shares...)
	}
	l := q.listing
	l.before = console.PeriodName(r.Other.Name)
	if l.fixed = true; q.step != "" {
		l.brief = []string{"step"}
	}
	t, err := s.list(callSheet(r, steps, of), l, q.scope.in("variance"))
	if err != nil {
		return nil, err
	}
	t.Title, t.Columns = "Largest calls of each step", nil
	if q.step != "" {
		t.Title = "Calls of the step: " + q.step.Text()
		t.Links = slices.DeleteFunc(t.Links, func(l link) bool { return l.Text == "All columns" })
		t.Links = append(t.Links, link{"Largest calls of each step", "variance" + q.scope.query(without(q.scope.own, "step", "after"))})
	}
	t.None = "No call changed in this step."
	for i, row := range t.Rows {
		row[0].To = q.rowsOf(of[l.After+i].Change)
	}
	return t, nil
}

// callSheet is the table of calls.
func callSheet(r *variance.Report, steps []variance.Step, of []variance.Share) *table.Sheet {
	count := func(name string) table.Column { return table.Column{Name: name, Kind: table.Integer} }
	return &table.Sheet{
		Name: "calls", Token: r.Token,
		Columns: []table.Column{
			{Name: "call", Kind: table.Text}, {Name: "step", Kind: table.Text}, {Name: "amount", Kind: table.SignedWei}, count("transactions"), count("transactions_before"), count("failed"), count("failed_before"),
		},
		Rows: callRows(r, steps, of),
	}
}

func callRows(r *variance.Report, steps []variance.Step, of []variance.Share) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		for i, share := range of {
			c := share.Change
			if !yield([]any{shortCall(r, &c.Call), steps[i].Text(), share.Amount, c.Now.Transactions, c.Before.Transactions, c.Now.Failed, c.Before.Failed}, nil) {
				return
			}
		}
	}
}

// shortCall returns a call for a list: with the label of its contract, or the contract's address shortened.
func shortCall(r *variance.Report, c *variance.Call) string {
	contract, known := c.Contract.Get()
	if !known {
		return plain.Line(r.CallName(c))
	}
	name, labelled := r.Labels.Label(contract)
	if !labelled {
		name = console.Ends(r.Account(contract), 4)
	}
	return plain.Line(fmt.Sprintf("%s %s %s", c.Layer, c.Name, name))
}

// varianceForms are the download formats of a variance.
var varianceForms = []string{"csv", "xlsx", "json"}

// varianceFile sends a variance as a file, or as the JSON of the command line.
func (s *server) varianceFile(w http.ResponseWriter, r *http.Request) error {
	q, err := s.varianceRequest(r)
	if err != nil {
		return err
	}
	return s.file(w, r, allSealed, func(to *answer) error {
		return s.runLongRead(r, func() error {
			made, err := s.Ledger.Variance(r.Context(), q.VarianceRequest)
			if err != nil {
				return err
			}
			return made.Document().Write(to, to.form, 0)
		})
	})
}
