package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/markup"
	"github.com/feeledger/fees/internal/sys/plain"
)

// overviewPage is the overview of a month, for some accounts or for all.
type overviewPage struct {
	frame
	figures
	tables
	Live    string // the last sealed block: the page announces newer ones
	Answer  *answerPart
	Changed *changedPart
	Side    []*tabular // beside the other content in a wide window
	Chart   *report.Chart
}

func (p *overviewPage) main() g.Node {
	return p.body(newsPlace(p.Live, p.Here), p.notices.node(), p.Answer.node(), p.figures.node(), twoColumns(p.Side, p.Changed.node(), p.tables.beside(), p.related(), p.Chart.Node()), p.notesList())
}

// newsPlace returns the place where a script announces blocks newer than the last sealed one; nil without any.
func newsPlace(last, here string) g.Node {
	if last == "" {
		return nil
	}
	return markup.El("p", markup.Attr("id", "news"), markup.Attr("class", "news"), markup.Attr("role", "status"), markup.Attr("data-sealed", last), markup.Attr("hidden"), markup.El("span"), markup.Text(" "), link{"Reload", here}.node())
}

// monthlyRequest parses a request for a page of a month. A page of another period is that of its fees: done then reports
// that the browser was sent there.
func (s *server) monthlyRequest(w http.ResponseWriter, r *http.Request) (sc scope, done bool, err error) {
	if sc, err = readScope(r.URL.RawQuery); err != nil {
		return sc, false, err
	}
	if sc.Period != "" && !aMonth.MatchString(sc.Period) {
		http.Redirect(w, r, s.base+"/fees"+sc.query(nil), http.StatusSeeOther)
		return sc, true, nil
	}
	if _, err = s.choose(sc.list()); err == nil {
		_, err = s.priced(&sc)
	}
	return sc, false, err
}

// overview shows a month: what the accounts paid, what changed, and what is missing until it is closed.
func (s *server) overview(w http.ResponseWriter, r *http.Request) error {
	sc, done, err := s.monthlyRequest(w, r)
	if err != nil || done {
		return err
	}
	return s.show(w, r, allSealed, func(r *http.Request, sealed string) (page, error) {
		v := &overviewPage{frame: frame{Title: "Overview", Path: "overview"}}
		v.Whose = true
		months, shown, err := s.monthsAbout(r, &sc, &v.frame)
		if err != nil {
			return nil, err
		}
		state, err := s.Ledger.State(r.Context())
		if err != nil {
			return nil, err
		}
		v.Live = lastOf(state.Span)
		if len(months) == 0 { // nothing is sealed, or the blocks state no time
			return s.withoutMonths(r, v)
		}
		records, err := s.monthRecords(r.Context(), &v.frame, sc.Zone)
		if err != nil {
			return nil, err
		}
		return v, s.addMonth(r, v, months, shown, records)
	})
}

func lastOf(span chain.Optional[chain.Heights]) string {
	have, some := span.Get()
	if !some {
		return ""
	}
	return fmt.Sprint(have.Last)
}

const emptyLedger = "The ledger contains no sealed blocks yet. Fill it with the command below: first with the month that you close."

// fillCommand returns the command that fills an empty ledger.
func (s *server) fillCommand() string {
	return "fees sync --month 2026-01" + s.gatewayFlag() + s.dataFlag()
}

// withoutMonths returns the overview of a ledger without months: what it contains, or how to fill it.
func (s *server) withoutMonths(r *http.Request, v *overviewPage) (page, error) {
	status, err := s.addStatus(r.Context(), &v.frame, &v.figures)
	switch {
	case err != nil:
		return nil, err
	case !status.Sealed.Known():
		v.Facts = nil // no figure is known
		v.Lead, v.Remedy = emptyLedger, s.fillCommand()
	default:
		v.Lead = "The blocks state no time, so there are no months. Choose fees by block."
		v.Links = []link{{"Fees by block", "fees?by=block"}}
	}
	return v, nil
}

// monthsAbout returns the months of the ledger and the one that a page is about, and adds both to the page.
func (s *server) monthsAbout(r *http.Request, sc *scope, v *frame) (months []month, shown month, err error) {
	if months, err = s.allMonths(r.Context()); err != nil || len(months) == 0 {
		return nil, shown, err
	}
	var at int
	if sc.Period == "" {
		shown = monthToClose(months, s.Packages != "")
		at = slices.IndexFunc(months, func(m month) bool { return m.Name == shown.Name })
	} else if at = slices.IndexFunc(months, func(m month) bool { return m.Name == sc.Period }); at < 0 {
		return nil, shown, invalidRequest("The ledger has no blocks of period=%s. Choose a month from %s to %s.", plain.Line(sc.Period), months[0].Name, months[len(months)-1].Name)
	}
	shown = months[at]
	about := *sc
	about.Period, about.Partial = shown.Name, shown.Partial
	v.Scope, v.Monthly = &about, true
	v.Title += ", " + about.name()
	for _, i := range []int{at - 1, at + 1} {
		if i >= 0 && i < len(months) {
			v.Around = append(v.Around, link{months[i].Name, v.Path + about.of(months[i]).query(nil)})
		}
	}
	return months, shown, nil
}

// of returns the scope for a month, on a page of months.
func (s *scope) of(m month) *scope {
	other := *s
	other.Period, other.Partial = m.Name, false
	return &other
}

// feesIn returns the scope for the fees of a month.
func (s *scope) feesIn(m month) *scope {
	other := s.of(m)
	other.Partial = m.Partial
	return other
}

// monthView is what some accounts paid in a month. It is shared by requests.
type monthView struct {
	*report.Report     // by day
	accounts       int // as chosen; 0 for all
	findings       int // of all accounts, up to one more than maxCounted
}

// maxTop limits the payers and contracts of a month.
const maxTop = 5

// readAhead reads the figures of the pages that are shown first, in the background until done is closed. A page will say
// what failed.
func (s *server) readAhead() (done chan struct{}) {
	done = make(chan struct{})
	s.aside(func(ctx context.Context) {
		defer close(done)
		r := (&http.Request{}).WithContext(ctx)
		months := s.months(ctx)
		if len(months) == 0 {
			return
		}
		sc, first := &scope{Accounts: s.Company}, monthToClose(months, s.Packages != "")
		for _, m := range latest(months) {
			_, _ = s.keptMonth(r, sc, m)
		}
		if !first.Partial {
			_, _ = s.keptVariance(r, sc.feesIn(first))
		}
		_, _ = s.keptMonth(r, &scope{}, first)
		_, _ = s.keptTop(r, &scope{}, first)
	})
	return done
}

// keptMonth returns the figures of a month. Those of a complete one stay the same while the ledger grows.
func (s *server) keptMonth(r *http.Request, sc *scope, m month) (*monthView, error) {
	about := sc.feesIn(m)
	about.Partial = true // also prices may be missing
	about.Price = s.currency()
	period, err := about.period()
	if err != nil {
		return nil, err
	}
	state, err := s.stateOf(r.Context(), period)
	if err != nil {
		return nil, err
	}
	return keptOf(s, r, period, s.monthViews, state.String(), "month"+about.query(nil), len(about.list()) > 0, func(ctx context.Context) (*monthView, error) {
		q, err := s.readRequest(about)
		if err != nil {
			return nil, err
		}
		v := &monthView{accounts: len(q.Accounts)}
		if v.Report, err = s.Ledger.Report(ctx, q, report.Choice{By: report.Day}); err != nil {
			return nil, err
		}
		v.findings, err = s.countFindings(ctx, period)
		return v, err
	})
}

// maxMonthsListed limits the months on the overview to those of a year.
const maxMonthsListed = 12

// latest returns the last months, the latest first.
func latest(months []month) []month {
	list := slices.Clone(months[max(0, len(months)-maxMonthsListed):])
	slices.Reverse(list)
	return list
}

// addMonth adds the figures of a month and of those around it to the overview.
func (s *server) addMonth(r *http.Request, v *overviewPage, months []month, shown month, records map[string]*monthRecord) error {
	sc := v.Scope
	now, err := s.keptMonth(r, sc, shown)
	if err != nil {
		return err
	}
	var before *monthView
	if i := slices.IndexFunc(months, func(m month) bool { return m.Name == shown.Name }); i > 0 {
		if before, err = s.keptMonth(r, sc, months[i-1]); err != nil {
			return err
		}
		v.Answer = s.answerPart(sc, shown, now, months[i-1], before)
	} else {
		v.Answer = s.answerPart(sc, shown, now, month{}, nil)
	}
	if before != nil && !shown.Partial && len(now.Partial)+len(before.Partial) == 0 {
		if v.Changed, err = s.changedPart(r, sc.feesIn(shown)); err != nil {
			return err
		}
	}
	v.Warnings, v.Notes = append(v.Warnings, now.Partial...), now.AssetFees.Notes(now.Amount)
	v.inWords(now.Name)
	if n := now.Totals.Undetermined; n > 0 {
		v.Warnings = append(v.Warnings, incomplete(n))
	}
	about := sc.feesIn(shown)
	link := func(text, path string, own url.Values) {
		v.Links = append(v.Links, link{text, path + about.query(own)})
	}
	link("By account", "fees", url.Values{"by": {string(report.Account)}})
	link("By call", "fees", url.Values{"by": {string(report.Call)}})
	link("By contract", "fees", url.Values{"by": {string(report.Contract)}})
	link("Largest fees", "transactions", url.Values{"sort": {"-fee"}})
	v.Chart = now.Chart(nil, about.day)
	v.Side = []*tabular{s.checklist(shown, now.findings, records[shown.Name], sc)}
	v.Command = "fees report" + about.flags() + s.priceFlags(now.Prices) + s.ledgerFlag()
	t, err := s.monthTable(r, sc, months, records)
	if err != nil {
		return err
	}
	v.Tables = append(v.Tables, t)
	return nil
}

// day returns the page of a day's fees by account, or "" if name is not a day.
func (s *scope) day(name string) string {
	if !aDay.MatchString(name) {
		return ""
	}
	other := *s
	other.Period, other.Partial = name+".."+name, true
	return "fees" + other.query(url.Values{"by": {string(report.Account)}})
}

// monthTable lists the last months: what the ledger contains of each, its fees, findings, books and package.
func (s *server) monthTable(r *http.Request, sc *scope, months []month, records map[string]*monthRecord) (*tabular, error) {
	token, err := s.Ledger.Token(r.Context())
	if err != nil {
		return nil, err
	}
	t := &tabular{Title: "Months", Heads: heads("month", "in the ledger", "fee, "+plain.Line(token.Symbol), "transactions", "findings", "books", "package")}
	t.Heads[2].Class, t.Heads[3].Class = "figure", "figure"
	list := latest(months)
	for _, m := range list {
		k, err := s.keptMonth(r, sc, m)
		if err != nil {
			return nil, err
		}
		about := sc.feesIn(m)
		covered := cell{Text: "complete", Class: "ok", To: "chain" + sc.of(m).query(nil)}
		if m.Partial || len(k.Partial) > 0 {
			covered.Text, covered.Class = "partial", "warn"
		}
		fee := wei(k.Token, chain.Some(k.Totals.Fee))
		fee.To = "fees" + about.query(nil)
		if k.Totals.Undetermined > 0 {
			fee = cell{Text: notKnown, Class: "warn figure", To: fee.To}
		}
		paid := cell{Text: fmt.Sprint(k.Totals.EVM + k.Totals.Native), Number: true, Class: "figure", To: "transactions" + about.query(nil)}
		t.Rows = append(t.Rows, []cell{{Text: about.name(), To: "overview" + sc.of(m).query(nil)}, covered, fee, paid, findingsCell(k.findings, about), records[m.Name].books(about), s.packageCell(m, records[m.Name], about)})
	}
	if more := len(months) - len(list); more > 0 {
		t.Links = []link{{fmt.Sprintf("%d earlier", more), "fees" + (&scope{Zone: sc.Zone, Accounts: sc.Accounts, Price: sc.Price}).query(url.Values{"by": {string(report.Month)}, "period": {""}})}}
	}
	return t, nil
}

// monthRecord is what the packages and the audit trail say about a month.
type monthRecord struct {
	made  *closed   // the newest package, prepared or closed; nil for none
	round app.Round // the last round of closing; of users only
}

// isOpen reports whether the newest package is not closed yet.
func (k *monthRecord) isOpen() bool { return k != nil && k.round.Open() }

// monthRecords reads the packages and the audit trail, by month. They change without the sealed blocks.
func (s *server) monthRecords(ctx context.Context, v *frame, zone string) (map[string]*monthRecord, error) {
	packages, err := s.overviewPackages(ctx, v)
	if err != nil {
		return nil, err
	}
	if zone == "" {
		zone = "UTC"
	}
	records := map[string]*monthRecord{}
	of := func(name string) *monthRecord {
		if records[name] == nil {
			records[name] = new(monthRecord)
		}
		return records[name]
	}
	for i := range packages {
		if c := &packages[i]; c.summary != nil && c.Period.Timezone == zone && aMonth.MatchString(c.Period.Name()) && of(c.Period.Name()).made == nil {
			of(c.Period.Name()).made = c
		}
	}
	if !s.closes() {
		return records, nil
	}
	trail, err := s.Ledger.Book.Trail(ctx)
	if errors.Is(err, ledger.ErrDamaged) {
		v.Warnings = append(v.Warnings, problemOf(ctx, err, s.Time).Detail)
		return records, nil
	} else if err != nil {
		return nil, err
	}
	for _, act := range trail {
		if act.Zone == zone && aMonth.MatchString(act.Period) && of(act.Period).round == nil {
			of(act.Period).round = app.RoundOf(trail, act.Period, zone)
		}
	}
	for name, k := range records {
		if k.isOpen() {
			if made := s.preparedSummary(name, zone); made != nil {
				k.made = made
			}
		}
	}
	return records, nil
}

// preparedSummary returns a package that waits for review or for closing; nil if it cannot be read.
func (s *server) preparedSummary(month, zone string) *closed {
	shelf, p, err := s.openPrepared(s.packageName(month, zone))
	if err != nil {
		return nil
	}
	defer shelf.Close()
	defer p.Close()
	return &closed{Name: p.Name, summary: summaryOf(p)}
}

// findingsCell links to the findings of a month.
func findingsCell(count int, about *scope) cell {
	c := cell{Text: "none", Class: "ok", To: "findings" + about.query(nil)}
	if count > 0 {
		c.Text, c.Class = findingsText(count), "bad"
	}
	return c
}

// books says whether the company's books were compared with the ledger.
func (k *monthRecord) books(about *scope) cell {
	c := cell{Text: "not compared", To: "reconcile" + about.query(nil)}
	if k == nil || k.made == nil || !k.made.reconciled {
		return c
	}
	switch f := &k.made.Findings; {
	case f.Differences > 0:
		c.Text, c.Class = console.Counted(f.Differences, "open difference"), "bad"
	case f.InAssets > 0:
		c.Text = console.Counted(f.InAssets, "fee") + " in assets not compared"
	case f.NothingCompared:
		c.Text = "nothing to compare"
	case f.Accepted > 0:
		c.Text, c.Class = console.Counted(f.Accepted, "difference")+" accepted", "ok"
	default:
		c.Text, c.Class = "no differences", "ok"
	}
	if k.isOpen() {
		c.To = "close/" + url.PathEscape(k.made.Name)
	} else {
		c.To = "packages/" + url.PathEscape(k.made.Name)
	}
	return c
}

// packageCell links to a month's newest package, or to what makes one.
func (s *server) packageCell(m month, k *monthRecord, about *scope) cell {
	switch {
	case k.isOpen():
		last := k.round.Last()
		return cell{Text: string(last.Kind) + " by " + plain.Line(last.User), To: "close/" + url.PathEscape(s.packageName(m.Name, last.Zone))}
	case k != nil && k.made != nil:
		c := cell{Text: fmt.Sprintf("closed, version %d", k.made.Version), Class: "ok", To: "packages/" + url.PathEscape(k.made.Name)}
		if !k.made.Findings.None() {
			c.Text, c.Class = c.Text+", with findings", "bad"
		}
		return c
	case m.Partial || !s.closes():
		return cell{Text: "none"}
	}
	return cell{Text: "Close", To: "close" + about.query(nil)}
}
