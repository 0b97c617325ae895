package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/table"
)

// feesRequest is a request for a page or a file of fees.
type feesRequest struct {
	app.Request
	report.Choice
	beside  chain.Optional[app.PeriodInput]
	scope   scope
	listing listing
}

// feesParameters are the parameters of the report besides its scope.
var feesParameters = slices.Concat([]string{"by", "compare", "price"}, report.OnlyNames())

var aDay = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)

// feesRequest parses a request for a page or a file of fees.
func (s *server) feesRequest(r *http.Request, own ...string) (q feesRequest, err error) {
	if q.scope, err = readScope(r.URL.RawQuery, slices.Concat(feesParameters, own)...); err != nil {
		return q, err
	}
	given := q.scope.own
	q.By = report.By(cmp.Or(given.Get("by"), string(report.Day)))
	if err := app.OneOf(app.FieldBy, q.By, report.Groupings()...); err != nil {
		return q, err
	}
	if q.Only, err = readOnly(given); err != nil {
		return q, err
	}
	if q.beside, err = q.scope.input().Beside(given.Get("compare")); err != nil {
		return q, err
	}
	if q.listing, err = readListing(given); err != nil {
		return q, err
	}
	q.Request, err = s.readRequest(&q.scope)
	return q, err
}

// readRequest resolves the period, accounts and prices of a scope.
func (s *server) readRequest(sc *scope) (q app.Request, err error) {
	if q.Prices, err = s.priced(sc); err != nil {
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

// currency returns the currency of the server's prices, or "".
func (s *server) currency() string {
	if s.Prices == nil {
		return ""
	}
	return string(s.Prices.Currency)
}

// choose resolves accounts by address, label and group.
func (s *server) choose(names []string) (*app.Chosen, error) { return s.labels().ChooseNamed(names) }

// details are the columns of a report that a page shows only on request.
var details = []string{"evm_failed", "native_failed", "outcome_unknown", "evm_fee", "native_fee", "priority_fee", "tip", "burned", "treasury", "author"}

// brief returns the columns of a report that a page hides by default.
func (q *feesRequest) brief() (names []string) {
	hidden := details
	if q.beside.Known() {
		hidden = slices.Concat(details, []string{"evm", "native", "undetermined", "charged", "gas", "gas_price_average"})
	}
	if q.beside.Known() && q.Prices != nil {
		of := "_" + q.Prices.Currency.Suffix()
		names = append(names, "charged"+of, "charged_before"+of, "charged_difference"+of, "charged"+of+"_percent")
	}
	for _, name := range hidden {
		names = append(names, name, name+"_before", name+"_difference", name+"_percent")
	}
	return names
}

// fees shows the fees of a period, by any grouping.
func (s *server) fees(w http.ResponseWriter, r *http.Request) error {
	q, err := s.feesRequest(r, listingParameters...)
	if err != nil {
		return err
	}
	return s.show(w, r, q.about(), func(r *http.Request, sealed string) (page, error) {
		address := "fees" + q.scope.query(listing{}.with(q.scope.own))
		lists, window := s.lists, report.Window{}
		if q.isRanked() {
			lists, window = s.windows, windowOf(q.listing)
			address = fmt.Sprintf("%s\n%d", address, window.After)
		}
		kept, err := keptOf(s, r, q.about(), lists, sealed, address, q.readsMuch(), func(ctx context.Context) (*keptList, error) { return s.feesList(ctx, &q, window) })
		if err != nil {
			return nil, err
		}
		v := kept.page
		l := q.listing.without(q.brief())
		if with, ok := q.beside.Get(); ok {
			l.before = periodName(with)
		}
		if v.Chart == nil {
			l.largest = kept.largest
		}
		table, err := s.keptPage(kept, l, q.scope.in("fees"))
		if err != nil {
			return nil, err
		}
		table.Title = "" // the page has the title
		if kept.none {
			table.None = "No fees match. Remove a filter, or choose another period or account."
		}
		token, err := s.Ledger.Token(r.Context())
		if err != nil {
			return nil, err
		}
		for _, row := range table.Rows {
			if to := s.rowsBehind(&q, token, table.Heads, row); to != "" && !isLacking(row) {
				row[0].To = to
			}
		}
		v.Fields = s.feesControls(r.Context(), &q)
		v.Tables = []*tabular{table}
		return &v, nil
	})
}

// feesList builds the page of fees without its table, and some rows of the table.
func (s *server) feesList(ctx context.Context, q *feesRequest, listed report.Window) (*keptList, error) {
	choice := q.Choice
	choice.Listed = listed
	made, err := s.Ledger.Fees(ctx, q.Request, choice, q.beside)
	if err != nil {
		return nil, err
	}
	r := made.Report
	v := listPage{frame: frame{Title: made.Title(), Path: "fees", Notes: r.Notes[len(r.Partial):]}}
	v.Scope, v.Warnings = &q.scope, r.Partial
	v.Lead = "Evidence: " + r.Evidence.String() + "."
	undetermined := r.Totals.Undetermined
	if c := made.Compared; c != nil {
		v.Warnings, v.Notes = c.Warnings()
		if c.Before.Evidence.String() != r.Evidence.String() {
			v.Lead = fmt.Sprintf("Evidence: %s; for %s: %s.", r.Evidence, c.Before.Name, c.Before.Evidence)
		}
		undetermined += c.Before.Totals.Undetermined
	}
	periods := []string{r.Name}
	if c := made.Compared; c != nil {
		periods = append(periods, c.Before.Name)
	}
	v.inWords(periods...)
	v.Whose, v.By, v.Filters = true, byLinks(q), onlyControls(q.scope.own)
	v.Main, v.Facts = feesFacts(r)
	if undetermined > 0 {
		v.Warnings = append(slices.Clip(v.Warnings), incomplete(undetermined))
	}
	v.Chart = r.Chart(made.Compared, q.narrower)
	largest := r.Unlisted.Highest
	for _, g := range r.Groups {
		if largest.Cmp(g.Fee) < 0 {
			largest = g.Fee
		}
	}
	v.Downloads = fileLinks(feesForms, "fees", q.scope.query(listing{}.with(q.scope.own)))
	v.Links = []link{{"Transactions", "transactions" + q.scope.query(without(q.scope.own, append(listingParameters, "by", "compare", "price")...))}}
	if _, err := q.scope.input().Before(); err == nil && q.Only.IsAll() {
		v.Links = append(v.Links, link{"Why fees changed", "variance" + q.scope.query(nil)})
	}
	v.Command = "fees report" + q.flags(s) + s.ledgerFlag()
	k := &keptList{page: v, sheet: made.Shown, count: len(r.Groups), window: listed, unlisted: r.Unlisted, largest: largest}
	k.none = len(r.Groups)+r.Unlisted.Groups == 0 || made.Compared == nil && r.Totals.EVM+r.Totals.Native == 0 // all rows would be 0
	return k, nil
}

// about returns the period that the answer depends on.
func (q *feesRequest) about() app.Period {
	if q.beside.Known() {
		return allSealed
	}
	return q.Period
}

// isRanked reports whether the page lists groups in the order of their fees, so that those on other pages need not be made.
func (q *feesRequest) isRanked() bool {
	return !q.By.OfTime() && !q.beside.Known() && (q.listing.Sort == "" || q.listing.Sort == "-fee")
}

// readsMuch reports whether an answer reads more than totals by time.
func (q *feesRequest) readsMuch() bool {
	return !slices.Contains([]report.By{report.Hour, report.Day, report.Month}, q.By) || !q.Only.IsAll() || len(q.Accounts) > 0
}

// feesFacts returns the totals.
func feesFacts(made *report.Report) (main, facts []fact) {
	t := &made.Totals
	main = feesAndCharge(eachCharged, t.Fee, t.Charged, t.Undetermined+made.Drifts, made.Token)
	if made.Prices != nil {
		code := string(made.Prices.Currency)
		main = append(main, textFact("fees in "+code, cmp.Or(console.Known(t.FeeWorth), notKnown)), textFact("charged in "+code, cmp.Or(console.Known(t.ChargedWorth), notKnown)))
	}
	return inPart(main, made.Part), []fact{
		layersFact("transactions", t.EVM, t.Native), layersFact("failed transactions", t.EVMFailed, t.NativeFailed),
		amount("EVM fees", chain.Some(t.EVMFee), made.Token), amount("native fees", chain.Some(t.NativeFee), made.Token),
		amount("burned", t.Burned, made.Token), amount(made.Token.TreasuryLabel(), t.Treasury, made.Token), amount("authors", t.Author, made.Token),
	}
}

// inPart names the part of an incomplete period that totals are of.
func inPart(totals []fact, part string) []fact {
	if part != "" {
		for i := range totals {
			totals[i].Name += ", " + part
		}
	}
	return totals
}

// layersFact counts transactions by layer.
func layersFact(name string, evm, native uint64) fact {
	return textFact(name, console.Grouped(evm)+" EVM, "+console.Grouped(native)+" native")
}

// isLacking reports whether the ledger lacks the time of a row.
func isLacking(row []cell) bool {
	for i, c := range row {
		if i > 0 && c.Text != "" { // its first value
			return c.Text == report.NotInLedger
		}
	}
	return false
}

// shareOf returns a fee's share of the largest in percent, for drawing.
func shareOf(fee, largest chain.Wei) string {
	whole := lengthOf(console.Token{}, largest).InexactFloat64()
	return strconv.FormatFloat(100*lengthOf(console.Token{}, fee).InexactFloat64()/whole, 'f', 3, 64)
}

// incomplete warns about undetermined fees.
func incomplete(n uint64) string {
	return fmt.Sprintf("Incomplete: %s %s undetermined and excluded from all totals.", console.Counted(n, "fee"), console.Verb(n, "is", "are"))
}

// feesControls returns the form fields of a page of fees besides its scope.
func (s *server) feesControls(ctx context.Context, q *feesRequest) []control {
	return append([]control{s.compareControl(ctx, &q.scope)}, s.priceControl(&q.scope)...)
}

// compareControl offers the periods to compare with: the one before, the same one a year before, and the others of the ledger.
func (s *server) compareControl(ctx context.Context, sc *scope) control {
	c := control{Name: "compare", Label: "Compare with", Kind: "select", Value: sc.own.Get("compare"), Options: []option{{"", "nothing"}}}
	in := sc.input()
	if before, err := in.Before(); err == nil {
		c.Options = append(c.Options, option{app.PeriodBefore, "the period before: " + periodName(before)})
	}
	offered := map[string]bool{sc.Period: true}
	offer := func(name, text string) {
		if !offered[name] {
			offered[name], c.Options = true, append(c.Options, option{name, text})
		}
	}
	months := s.months(ctx)
	if at, err := time.Parse("2006-01", in.Month); err == nil {
		last := at.AddDate(-1, 0, 0).Format("2006-01")
		if slices.ContainsFunc(months, func(m month) bool { return m.Name == last }) {
			offer(last, "the same month last year: "+periodName(app.PeriodInput{Month: last}))
		}
	}
	for _, m := range slices.Backward(months) {
		offer(m.Name, periodName(app.PeriodInput{Month: m.Name}))
	}
	for _, m := range slices.Backward(months) {
		offer(m.Name[:4], m.Name[:4])
	}
	if c.Value != "" {
		return c.chosen()
	}
	return c
}

// periodName returns a period for display.
func periodName(in app.PeriodInput) string {
	sc := scope{Period: in.Month + in.Year + in.Blocks}
	if in.From != "" {
		sc.Period = in.From + ".." + in.To
	}
	return sc.name()
}

// priceControl asks for amounts in the currency of the prices, if the server has prices.
func (s *server) priceControl(sc *scope) []control {
	if s.Prices == nil {
		return nil
	}
	return []control{ofOptions(priceParameter, "Currency", sc.Price, "no", s.currency())}
}

// flags returns the equivalent command-line flags.
func (q *feesRequest) flags(s *server) string {
	line := q.scope.flags()
	if q.By != report.Day {
		line += " --by " + string(q.By)
	}
	if conditions := q.Only.Conditions(); conditions != nil {
		line += " --only " + console.Argument(strings.Join(conditions, ","))
	}
	switch with := q.scope.own.Get("compare"); with {
	case "":
	case app.PeriodBefore:
		line += " --compare"
	default:
		line += " --compare=" + with
	}
	return line + s.priceFlags(q.Prices)
}

// isHeight matches the name of a group of a block.
var isHeight = regexp.MustCompile(`^[0-9]+$`)

// rowsBehind returns the page of what a row adds up: a shorter time by account, or transactions. It returns "" if a column
// that names them is hidden, or if the row's own link leads there.
func (s *server) rowsBehind(q *feesRequest, token console.Token, heads, row []cell) string {
	value := func(column string) string {
		if i := slices.IndexFunc(heads, func(h cell) bool { return h.Short == table.Words(column) }); i >= 0 {
			return row[i].Text
		}
		return ""
	}
	about, own := q.scope, without(q.scope.own, append(listingParameters, "by", "compare")...)
	set := func(names ...string) string {
		for i := 0; i < len(names); i += 2 {
			if names[i+1] == "" {
				return ""
			}
			own.Set(names[i], names[i+1])
		}
		return "transactions" + about.query(own)
	}
	layer := value("layer")
	switch q.By {
	case report.Label:
		if about.Accounts = s.accountsLabelled(token, row[0].Text); about.Accounts != "" {
			return set()
		}
	case report.InGroup:
		if group := row[0].Text; group != report.NoGroup && !strings.Contains(group, ",") {
			about.Accounts = app.GroupPrefix + group
			return "fees" + about.query(withBy(q.scope.own, report.Account))
		}
	case report.Layer:
		return set("layer", layer)
	case report.Status:
		return set("layer", layer, "status", value("outcome"))
	case report.Type:
		if layer == string(fee.EVM) {
			return set("layer", layer, "type", value("type"))
		}
		return set("layer", layer)
	case report.Call:
		return set("layer", layer, "call", value("call"))
	case report.Account, report.Contract:
		return ""
	}
	return q.narrower(row[0].Name)
}

// withBy returns a page's own parameters with another grouping.
func withBy(own url.Values, by report.By) url.Values {
	own = without(own, append(listingParameters, "compare")...)
	own.Set("by", string(by))
	return own
}

// accountsLabelled lists the accounts with a label for a URL; "" if there are none, or too many.
func (s *server) accountsLabelled(token console.Token, label string) string {
	accounts := s.book().Labelled(label)
	if len(accounts) > maxLinked {
		return ""
	}
	list := make([]string, len(accounts))
	for i, a := range accounts {
		list[i] = token.Account(a)
	}
	return strings.Join(list, ",")
}

// narrower returns the page that breaks down a group of time, or "".
func (q *feesRequest) narrower(name string) string {
	by := q.By
	next := map[report.By]string{report.Month: "day", report.Day: "account"}[by]
	narrow := q.scope
	switch {
	case by == report.Block && isHeight.MatchString(name):
		return "block/" + name
	case next == "":
		return ""
	case by == report.Month && aMonth.MatchString(name) && (narrow.Period == "" || narrow.input().Year != ""):
		narrow.Period = name
	case by == report.Day && aDay.MatchString(name) && !narrow.ofHeights(): // otherwise the period covers part of the day
		narrow.Period = name + ".." + name
	default:
		return ""
	}
	narrow.Partial = true
	own := without(listing{}.with(q.scope.own), "compare")
	own.Set("by", next)
	return "fees" + narrow.query(own)
}

// feesFile sends the fees as a file, or as the JSON of the command line.
func (s *server) feesFile(w http.ResponseWriter, r *http.Request) error {
	q, err := s.feesRequest(r)
	if err != nil {
		return err
	}
	write := func(to *answer) error {
		made, err := s.Ledger.Fees(r.Context(), q.Request, q.Choice, q.beside)
		if err != nil {
			return err
		}
		return made.Document().Write(to, to.form, 0)
	}
	return s.file(w, r, q.about(), func(to *answer) error {
		if !q.readsMuch() {
			return write(to)
		}
		return s.runLongRead(r, func() error { return write(to) })
	})
}
