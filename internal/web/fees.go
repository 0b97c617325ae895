package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
)

// feesQuestion is what a page of fees, or a file of them, is asked for.
type feesQuestion struct {
	scope   scope
	asked   app.ReportQuestion
	listing listing
}

// feesParameters are those of the report, beside its scope.
var feesParameters = slices.Concat([]string{"by", "compare", "price"}, report.OnlyNames())

var aDay = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)

// feesQuestion reads what a page of fees, or a file of them, is asked for.
func (s *server) feesQuestion(r *http.Request, own ...string) (q feesQuestion, err error) {
	if q.scope, err = readScope(r.URL.RawQuery, slices.Concat(feesParameters, own)...); err != nil {
		return q, err
	}
	asked := &q.asked
	given := q.scope.own
	asked.By = report.By(cmp.Or(given.Get("by"), string(report.Day)))
	if err := app.OneOf(app.FieldBy, asked.By, report.Groupings()...); err != nil {
		return q, err
	}
	if asked.Only, err = readOnly(given); err != nil {
		return q, err
	}
	if asked.Beside, err = q.scope.input().Beside(given.Get("compare")); err != nil {
		return q, err
	}
	if q.listing, err = readListing(given); err != nil {
		return q, err
	}
	asked.Question, err = s.readQuestion(&q.scope)
	return q, err
}

// readQuestion reads what the questions about a scope have in common.
func (s *server) readQuestion(sc *scope) (q app.Question, err error) {
	if q.Prices, err = s.priced(sc.own); err != nil {
		return q, err
	}
	chosen, err := s.choose(sc.list())
	if err != nil {
		return q, err
	}
	q.Accounts, q.Labels = chosen.Accounts, chosen.Labels
	q.Period, err = sc.period()
	return q, err
}

// currency is that of the server's prices, "" where it has none.
func (s *server) currency() string {
	if s.Prices == nil {
		return ""
	}
	return string(s.Prices.Currency)
}

// choose finds accounts by their addresses, labels and groups. The command line takes files, too: an
// address of this server names none.
func (s *server) choose(names []string) (*app.Chosen, error) {
	for _, name := range names {
		if !app.IsAddress(name) && !strings.HasPrefix(name, app.GroupPrefix) && (s.Labels == nil || !s.Labels.Names(name)) {
			return nil, notUnderstood("accounts: %q is no address, no %sNAME, and no label of the address book.", console.Printable(name), app.GroupPrefix)
		}
	}
	return s.Labels.Choose(names)
}

// details are the columns of a report that a page shows only where all are asked for.
var details = []string{"evm_failed", "native_failed", "outcome_unknown", "evm_fee", "native_fee", "priority_fee", "tip", "burned", "treasury", "author"}

// brief are the columns of a report that a page leaves out at first.
func (q *feesQuestion) brief() (names []string) {
	hidden := details
	if q.asked.Beside.Known() {
		hidden = slices.Concat(details, []string{"evm", "native", "undetermined", "charged", "gas", "gas_price_average"})
	}
	for _, name := range hidden {
		names = append(names, name, name+"_before", name+"_difference", name+"_percent")
	}
	return names
}

// fees are the fees of a period, by any grouping.
func (s *server) fees(w http.ResponseWriter, r *http.Request) error {
	q, err := s.feesQuestion(r, listingParameters...)
	if err != nil {
		return err
	}
	return s.show(w, r, q.about(), func(sealed string) (*view, error) {
		address := "fees" + q.scope.query(listing{}.with(q.scope.own))
		kept, err := keptOf(s, r, q.about(), s.lists, sealed, address, q.readsMuch(), func(ctx context.Context) (*keptList, error) { return s.feesList(ctx, &q) })
		if err != nil {
			return nil, err
		}
		v := kept.view
		table, err := s.part(kept.rows, q.listing.without(q.brief()), func(l listing) string { return "fees" + q.scope.query(l.with(q.scope.own)) })
		if err != nil {
			return nil, err
		}
		table.Title = "" // the page's own
		for _, row := range table.Rows {
			if to := q.narrower(row[0].Text); to != "" {
				row[0].To = to
			}
		}
		if v.Chart == nil {
			drawShares(table, kept.most)
		}
		v.Tables = []*tabular{table}
		return &v, nil
	})
}

// feesList is the page of fees without its table, and all rows of that.
func (s *server) feesList(ctx context.Context, q *feesQuestion) (*keptList, error) {
	made, err := s.Desk.Fees(ctx, q.asked)
	if err != nil {
		return nil, err
	}
	v := view{Title: made.Title(), Path: "fees", Scope: &q.scope, Warnings: made.Partial, Notes: made.Notes[len(made.Partial):]}
	v.Lead = "Evidence: " + made.Evidence.String() + "."
	undetermined := made.Totals.Undetermined
	if c := made.Compared; c != nil {
		partial := len(c.Now.Partial) + len(c.Before.Partial)
		v.Warnings, v.Notes = c.Notes[:partial], c.Notes[partial:]
		v.Lead = fmt.Sprintf("Evidence: %s; of %s: %s.", made.Evidence, c.Before.Name, c.Before.Evidence)
		undetermined += c.Before.Totals.Undetermined
	}
	v.Form = q.scope.asked("fees", "Accounts", s.feesControls(q), onlyControls(q.scope.own))
	v.Around = q.scope.around("fees", listing{}.with(q.scope.own))
	v.Main, v.Facts = feesFacts(made.Report)
	if undetermined > 0 {
		v.Warnings = append(slices.Clip(v.Warnings), incomplete(undetermined))
	}
	v.Chart = chartOf(made.Report, made.Compared, q.narrower)
	most := 0.0
	for _, g := range made.Groups {
		most = max(most, tokens(g.Fee))
	}
	for _, form := range feesForms {
		v.Downloads = append(v.Downloads, link{strings.ToUpper(form), "fees." + form + q.scope.query(listing{}.with(q.scope.own))})
	}
	v.Links = []link{{"The transactions", "transactions" + q.scope.query(without(q.scope.own, append(listingParameters, "by", "compare", "price")...))}}
	v.Command = "fees report" + q.flags(s) + s.ledgerFlag()
	all, err := keepRows(made.Sheet())
	return &keptList{v, all, most}, err
}

// about is the period whose blocks alone the answer follows from.
func (q *feesQuestion) about() app.Period {
	if q.asked.Beside.Known() {
		return allSealed
	}
	return q.asked.Period
}

// readsMuch tells whether an answer reads more than some totals of time.
func (q *feesQuestion) readsMuch() bool {
	return !slices.Contains([]report.By{report.Hour, report.Day, report.Month}, q.asked.By) || !q.asked.Only.IsAll() || len(q.asked.Accounts) > 0
}

// feesFacts are the totals.
func feesFacts(made *report.Report) (main, facts []fact) {
	t := &made.Totals
	main = []fact{amount("fees", chain.Some(t.Fee), made.Symbol), amount("the chain charged", t.Charged, made.Symbol)}
	if made.Prices != nil {
		code := string(made.Prices.Currency)
		main = append(main, plain("fees in "+code, cmp.Or(optionalText(t.FeeWorth), notKnown)), plain("charged in "+code, cmp.Or(optionalText(t.ChargedWorth), notKnown)))
	}
	return main, []fact{
		plain("transactions", fmt.Sprintf("%d evm, %d native", t.EVM, t.Native)), plain("failed, and paid", fmt.Sprintf("%d evm, %d native", t.EVMFailed, t.NativeFailed)),
		amount("evm fees", chain.Some(t.EVMFee), made.Symbol), amount("native fees", chain.Some(t.NativeFee), made.Symbol),
		amount("burned", t.Burned, made.Symbol), amount("treasury", t.Treasury, made.Symbol), amount("authors", t.Author, made.Symbol),
	}
}

// drawShares draws, below each fee of a page's rows, how much it is of the greatest.
func drawShares(t *tabular, most float64) {
	at := slices.IndexFunc(t.Heads, func(h cell) bool { return strings.HasPrefix(h.Text, "fee ") })
	if at < 0 {
		return
	}
	for _, row := range t.Rows {
		if fee, err := chain.ParseWei(row[at].Exact); err == nil && most > 0 {
			row[at].Share = percent(100 * tokens(fee) / most)
		}
	}
}

// incomplete says that fees are in no sum.
func incomplete(n uint64) string {
	return fmt.Sprintf("INCOMPLETE: %s %s undetermined, and in no sum of fees.", console.Counted(n, "fee"), console.Verb(n, "is", "are"))
}

// feesControls are what a page of fees can be asked for, beside its scope.
func (s *server) feesControls(q *feesQuestion) []control {
	list := []control{
		ofOptions("by", "By", string(q.asked.By), "", app.Texts(report.Groupings())...),
		{Name: "compare", Label: "Compare with", Kind: "text", Value: q.scope.own.Get("compare"), Hint: "before, 2025-02, 2025"},
	}
	return append(list, s.priceControl(q.scope.own)...)
}

// priceControl asks for amounts in the currency of the prices, where there are some.
func (s *server) priceControl(own url.Values) []control {
	if s.Prices == nil {
		return nil
	}
	return []control{ofOptions("price", "In a currency", own.Get("price"), "no", s.currency())}
}

// flags are the question on the command line.
func (q *feesQuestion) flags(s *server) string {
	line := q.scope.flags()
	if q.asked.By != report.Day {
		line += " --by " + string(q.asked.By)
	}
	if conditions := q.asked.Only.Conditions(); conditions != nil {
		line += " --only " + console.Argument(strings.Join(conditions, ","))
	}
	switch with := q.scope.own.Get("compare"); with {
	case "":
	case app.PeriodBefore:
		line += " --compare"
	default:
		line += " --compare=" + with
	}
	return line + s.priceFlags(q.asked.Prices)
}

// narrower is the page of what a group of time has; "" where there is none.
func (q *feesQuestion) narrower(name string) string {
	by := q.asked.By
	next := map[report.By]string{report.Month: "day", report.Day: "account"}[by]
	narrow := q.scope
	switch {
	case next == "" || q.asked.Beside.Known():
		return ""
	case by == report.Month && aMonth.MatchString(name) && (narrow.Period == "" || aYear.MatchString(narrow.Period)):
		narrow.Period = name
	case by == report.Day && aDay.MatchString(name) && !narrow.ofHeights(): // else a part of the day is meant
		narrow.Period = name + ".." + name
	default:
		return ""
	}
	narrow.Partial = true
	own := listing{}.with(q.scope.own)
	own.Set("by", next)
	return "fees" + narrow.query(own)
}

// feesFile is the same as a file, or as the JSON of the command line.
func (s *server) feesFile(w http.ResponseWriter, r *http.Request) error {
	q, err := s.feesQuestion(r)
	if err != nil {
		return err
	}
	write := func(to *answer) error {
		made, err := s.Desk.Fees(r.Context(), q.asked)
		if err != nil {
			return err
		}
		return made.Write(to, to.form, 0)
	}
	return s.file(w, r, q.about(), func(to *answer) error {
		if !q.readsMuch() {
			return write(to)
		}
		return s.atLength(r, func() error { return write(to) })
	})
}
