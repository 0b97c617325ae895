package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/sys/markup"
	"github.com/feeledger/fees/internal/sys/plain"
)

// reviewPage is the page of a prepared package: what changed, what to decide, and what the decision is based on.
type reviewPage struct {
	frame
	figures
	tables
	Conclusion *conclusion
	Changed    *changed
	Form       *form // the acts; nil for none
	Checklist  *tabular
	Fees       *tabular
	Talk       *talk
	Side       []*tabular // its files
}

func (p *reviewPage) main() g.Node {
	var parts g.Node = lines{p.figures.node(), p.tables.beside()}
	if p.Checklist != nil {
		parts = markup.El("div", markup.Attr("class", "review"), lines{
			markup.El("div", markup.Attr("class", "checks"), p.Checklist.atSide()), markup.El("div", markup.Attr("class", "paid"), p.Fees.besideTwo()),
			markup.El("div", markup.Attr("class", "right"), lines{p.Talk.node(), markup.El("div", markup.Attr("class", "side"), each(p.Side, (*tabular).atSide))}),
			markup.El("div", markup.Attr("class", "rest"), parts),
		})
	}
	return p.body(p.Conclusion.node(), p.notices.node(), p.Changed.node(), p.Form.node(), parts, p.related(), p.notesList())
}

// changed is what changed since a package was last reviewed.
type changed struct {
	Title string
	List  []cell // Class bad marks what the reviewer must not overlook
}

func (c *changed) node() g.Node {
	if c == nil {
		return nil
	}
	return markup.El("section", markup.Attr("class", "changed"), markup.El("h2", markup.Text(c.Title)), markup.El("ul", each(c.List, func(one cell) g.Node {
		return markup.El("li", markup.Optional("class", one.Class), markup.Text(one.Text))
	})))
}

func (c *changed) add(class, format string, values ...any) {
	c.List = append(c.List, cell{Text: fmt.Sprintf(format, values...), Class: class})
}

// talk is the questions and answers of a round. The form of an open question answers it.
type talk struct {
	Questions []question
}

type question struct {
	Said   []ledger.Act // the question, then its answers
	About  string
	Open   bool
	Answer *form // nil if the user cannot answer
}

func (t *talk) node() g.Node {
	parts := lines{markup.El("h2", markup.Text("Questions and answers"))}
	if len(t.Questions) == 0 {
		parts = append(parts, markup.El("p", markup.Attr("class", "none"), markup.Text("No questions.")))
	}
	return markup.El("section", markup.Attr("class", "talk"), append(parts, each(t.Questions, question.node)))
}

func (q question) node() g.Node {
	parts := lines{}
	for i, a := range q.Said {
		about, when := a.User+", ", timeCell(a.Time)
		if i == 0 {
			about = a.User + q.About + ", "
		}
		parts = append(parts, markup.El("p", markup.Attr("class", "by-whom"), markup.Text(about), when.node()), markup.El("p", markup.Attr("class", "said"), markup.Text(a.Comment)))
	}
	if q.Open {
		parts = append(parts, markup.El("p", markup.Attr("class", "warn"), markup.Text("Not answered.")))
	}
	if q.Answer != nil {
		parts = append(parts, markup.El("details", g.If(q.Answer.Fields[0].Value != "" || q.Answer.Bad != "", markup.Attr("open")), markup.El("summary", markup.Text("Answer")), q.Answer.node()))
	}
	return markup.El("article", parts)
}

// preparedPage shows a package that is not closed yet, with the acts that the user may do.
func (s *server) preparedPage(w http.ResponseWriter, r *http.Request) error {
	own, err := parameters(r.URL.RawQuery, actParameters...)
	if err != nil {
		return err
	}
	name := r.PathValue("name")
	job := s.checks.of(s.jobKey(name))
	shelf, p, err := s.openPrepared(name)
	if err != nil && (job == nil || !s.closes()) {
		return err
	}
	v := &reviewPage{frame: frame{Title: "Close " + console.PeriodName(plain.Line(name)), Path: "packages", Links: []link{{"All packages to close", "close"}, {"Closed packages", "packages"}}}}
	running := job != nil && job.State == checkRuns
	if job != nil {
		if work := (fact{Name: "last run", cell: job.cell()}); err != nil || running || len(job.Lines) > 0 { // otherwise it is the last act
			if job.State == "closed" || job.State == "prepared" {
				work.Class = "ok"
			}
			v.Facts = append(v.Facts, work)
		}
		for _, line := range job.Lines {
			v.Warnings = append(v.Warnings, plain.Line(line))
		}
		if running {
			v.Refresh = checkAgain
		}
		if job.Made != "" {
			v.Links = append([]link{{"Package " + plain.Line(job.Made), "packages/" + url.PathEscape(job.Made)}}, v.Links...)
		}
	}
	if err != nil { // it is being made, failed, or was closed
		s.render(w, r, http.StatusOK, v)
		return nil
	}
	defer shelf.Close()
	defer p.Close()
	if err := s.addPrepared(v, r, shelf, p, running, own); err != nil {
		return err
	}
	s.render(w, r, http.StatusOK, v)
	return nil
}

// addPrepared adds a prepared package to its page.
func (s *server) addPrepared(v *reviewPage, r *http.Request, shelf *closing.Shelf, p *closing.Placed, running bool, typed url.Values) error {
	m := p.Manifest
	token, err := s.Ledger.Token(r.Context())
	if err != nil {
		return err
	}
	trail, err := s.Ledger.Book.Trail(r.Context())
	if err != nil {
		return err
	}
	round := app.RoundOf(trail, m.Period.Name(), m.Period.Timezone)
	state := round.State()
	recorded := round.Last().Manifest.String() == p.Sum
	if !recorded {
		state = "not recorded"
		v.Warnings = append(v.Warnings, "The ledger's audit trail does not contain this package. Prepare it again.")
	}
	here := "close/" + url.PathEscape(p.Name)
	before, err := s.before(r.Context(), shelf, p)
	if err != nil {
		return err
	}
	defer before.close()
	v.Title, v.Kept = "Close "+console.PeriodName(m.Period.Name()), packageScope(r, m.Period)
	v.Lead = fmt.Sprintf("%s, %s.", plain.Line(m.Network), plain.Line(m.Period.Timezone))
	v.Facts = append(v.Facts, textFact("state", string(state)), fact{Name: "fees in the ledger", cell: cell{Text: console.PeriodName(m.Period.Name()), To: feesOf(m.Period, m.Accounts)}},
		textFact("blocks", fmt.Sprintf("%d..%d", m.Blocks.First, m.Blocks.Last)), textFact("evidence", m.Evidence.String()), textFact("accounts", fmt.Sprint(len(m.Accounts))),
		layersFact("transactions", m.Totals.EVM, m.Totals.Native),
		hash("seal", m.Blocks.Seal), hash("manifest, SHA-256", p.Sum))
	v.Main = feesAndCharge(eachCharged, m.Totals.Fee, m.Totals.Charged, m.Findings.Undetermined+m.Findings.Drifts, token)
	v.Notes = m.Totals.AssetFees.Notes(token.Amount)
	accepted, err := acceptedRows(r.Context(), p)
	if err != nil {
		return err
	}
	if v.Changed, err = s.changes(r, p, before, round, accepted, token); err != nil {
		return err
	}
	if v.Checklist, err = s.reviewChecks(r.Context(), p, accepted, here); err != nil {
		return err
	}
	paid, err := s.paidBefore(r, m)
	if err != nil {
		return err
	}
	if v.Fees, err = feesTable(r.Context(), p, before.closed, paid, token); err != nil {
		return err
	}
	v.Talk = s.talk(r, round, here, running, typed)
	v.Warnings = append(v.Warnings, gapsOf(m)...)
	v.Tables = append(append(v.Tables, acceptedTable(m, accepted, token, here)...), actTable(round))
	v.Side, v.Primary, v.Sealed = []*tabular{fileTable(m, here)}, zipLink(here), packageFooter(p)
	v.Paper, v.PDF = true, coverLink(m, here)
	review := reviewOf(m, before, reconcile.Acceptances(accepted))
	v.Conclusion = concluded(m, round, review.Dropped, fmt.Sprintf("Not closed yet: %s by %s.", state, cmp.Or(round.Last().User, "no one")), nextSteps[state])
	if recorded && !running {
		v.Form = s.actForm(r, trail, review, p, here, typed, token)
	}
	if (state == ledger.Returned || state == ledger.Withdrawn || !recorded) && s.actor(r).Preparer {
		v.Links = append([]link{{"Prepare it again", "close" + againQuery(m)}}, v.Links...)
	}
	return nil
}

// journalsText names what the journals of a package are for.
func journalsText(m *closing.Manifest) string {
	return plain.Line(strings.TrimPrefix(strings.Join(append([]string{m.Options.Journal}, m.Options.Posted...), ", "), ", "))
}

// againQuery returns the parameters of the form that prepares a package again.
func againQuery(m *closing.Manifest) string {
	return scopeOf(m.Period, m.Accounts).query(url.Values{"journal": {m.Options.Journal}})
}

// earlierPackages are the packages of a period before the prepared one.
type earlierPackages struct {
	prepared []*closing.Placed // the earlier versions of the prepared one, the last one first
	closed   *closing.Placed   // nil for none
	shelf    *closing.Shelf    // of closed
}

func (e *earlierPackages) close() {
	for _, p := range e.prepared {
		p.Close()
	}
	if e.closed != nil {
		e.closed.Close()
	}
	if e.shelf != nil {
		e.shelf.Close()
	}
}

// before opens the packages of a period before the prepared one.
func (s *server) before(ctx context.Context, shelf *closing.Shelf, p *closing.Placed) (e *earlierPackages, err error) {
	e = new(earlierPackages)
	defer func() {
		if err != nil {
			e.close()
		}
	}()
	for at := p; len(e.prepared) < maxVersions && ctx.Err() == nil; {
		before, err := shelf.Before(at)
		if err != nil {
			return e, packageTrouble(err)
		}
		if before == nil {
			break
		}
		e.prepared, at = append(e.prepared, before), before
	}
	if ctx.Err() != nil {
		return e, ctx.Err()
	}
	name, err := s.closedName(ctx, p.Manifest.Period.Name(), p.Manifest.Period.Timezone)
	if name == "" || err != nil {
		return e, err
	}
	if e.shelf, err = s.shelf(); err != nil {
		return e, err
	}
	if e.closed, err = e.shelf.Open(name, 0); err != nil {
		return e, packageTrouble(err)
	}
	return e, nil
}

// review returns what decides about a prepared package.
func (s *server) review(ctx context.Context, shelf *closing.Shelf, p *closing.Placed) (*app.Review, error) {
	before, err := s.before(ctx, shelf, p)
	if err != nil {
		return nil, err
	}
	defer before.close()
	rows, err := acceptedRows(ctx, p)
	if err != nil {
		return nil, err
	}
	return reviewOf(p.Manifest, before, reconcile.Acceptances(rows)), nil
}

func reviewOf(m *closing.Manifest, before *earlierPackages, accepted []reconcile.Acceptance) *app.Review {
	var manifests []*closing.Manifest
	for _, p := range before.prepared {
		manifests = append(manifests, p.Manifest)
	}
	if before.closed != nil {
		manifests = append(manifests, before.closed.Manifest)
	}
	return &app.Review{Dropped: app.DroppedRecord(m, manifests...), Accepted: accepted}
}

// reviewed returns the package that was reviewed last, and its title: the one that was returned or approved last or, in the
// first round, the closed one; nil for none.
func reviewed(p *closing.Placed, of *earlierPackages, round app.Round, user string) (*closing.Placed, string) {
	for _, a := range slices.Backward(round) {
		if a.Kind != ledger.Returned && a.Kind != ledger.Approved {
			continue
		}
		who := a.User
		if who == user {
			who = "you"
		}
		for _, before := range of.prepared {
			if before.Sum == a.Manifest.String() && before.Sum != p.Sum {
				return before, fmt.Sprintf("What changed since %s %s it", who, a.Kind)
			}
		}
	}
	if of.closed != nil {
		return of.closed, fmt.Sprintf("What changed since version %d was closed", of.closed.Manifest.Version)
	}
	return nil, ""
}

// changes returns what changed since a package was last reviewed; nil if it never was, and nothing is open.
func (s *server) changes(r *http.Request, p *closing.Placed, of *earlierPackages, round app.Round, accepted []reconcile.AcceptedRow, token console.Token) (*changed, error) {
	before, title := reviewed(p, of, round, s.owner(r))
	c := &changed{Title: cmp.Or(title, "Before you decide")}
	if round.State() != ledger.Returned {
		for _, q := range round.Unanswered() {
			c.add("bad", "Not answered: “%s” (%s)", q.Comment, q.User)
		}
	}
	if before == nil {
		if len(c.List) == 0 {
			return nil, nil
		}
		return c, nil
	}
	return c, c.since(r.Context(), before, p, accepted, token)
}

// since adds what changed from a package to a later one.
func (c *changed) since(ctx context.Context, before, p *closing.Placed, accepted []reconcile.AcceptedRow, token console.Token) error {
	b, m := before.Manifest, p.Manifest
	switch had, has := b.Options.Reconciliation, m.Options.Reconciliation; {
	case had != nil && has == nil:
		c.add("bad", "The record of fees was removed: %s.", recordText(b))
	case had == nil && has != nil:
		c.add("", "A record of fees was added: %s.", recordText(m))
	case had != nil && inputSum(b) != inputSum(m):
		c.add("", "Another record of fees: %s, before %s.", recordText(m), recordText(b))
	}
	if err := c.acceptances(ctx, before, accepted); err != nil {
		return err
	}
	c.figures(b, m, token)
	for _, a := range missingIn(b.Accounts, m.Accounts) {
		c.add("bad", "Account removed: %s", shortened(a))
	}
	for _, a := range missingIn(m.Accounts, b.Accounts) {
		c.add("", "Account added: %s", shortened(a))
	}
	if now, then := journalsText(m), journalsText(b); now != then {
		c.add("", "Journal for %s, before for %s.", now, then)
	}
	compared, err := closing.Compare(b, m)
	if err != nil {
		return err
	}
	if len(c.List) == 0 && compared.None() {
		c.add("", "Nothing.")
	} else if len(c.List) == 0 {
		c.add("", "No figure, record, acceptance or account. The list of changed files is in %s.", closing.ChangesFile)
	}
	return nil
}

// inputSum returns the SHA-256 of the records of fees of a package.
func inputSum(m *closing.Manifest) (sums string) {
	for _, record := range m.Options.Reconciliation.Records() {
		for _, f := range m.Files {
			if f.Name == record.Input {
				sums += f.SHA256
			}
		}
	}
	return sums
}

// missingIn returns the accounts that another list lacks, by label.
func missingIn(list, in []closing.Account) (names []string) {
	for _, a := range list {
		if !slices.ContainsFunc(in, func(b closing.Account) bool { return a.Address == b.Address }) {
			names = append(names, cmp.Or(a.Label, a.Address))
		}
	}
	return names
}

// acceptances adds the acceptances that came or went.
func (c *changed) acceptances(ctx context.Context, before *closing.Placed, has []reconcile.AcceptedRow) error {
	had, err := acceptedRows(ctx, before)
	if err != nil {
		return err
	}
	without := func(list, other []reconcile.AcceptedRow) (count int, lines string) {
		known := map[ledger.Digest]bool{}
		for _, a := range other {
			known[a.Difference] = true
		}
		var names []string
		for _, a := range list {
			if !known[a.Difference] {
				count++
				if names = append(names, cmp.Or(a.ID, a.Record)); a.Record != "" {
					names[len(names)-1] = "line " + a.Record
				}
			}
		}
		if len(names) > 5 {
			names = append(names[:5], "…")
		}
		return count, shortened(strings.Join(names, ", "))
	}
	if n, lines := without(had, has); n > 0 {
		c.add("bad", "%s %s gone: %s.", console.Counted(n, "acceptance"), console.Verb(n, "is", "are"), lines)
	}
	if n, lines := without(has, had); n > 0 {
		c.add("", "%s newly accepted: %s.", console.Counted(n, "difference"), lines)
	}
	return nil
}

// figures adds the figures that changed.
func (c *changed) figures(before, now *closing.Manifest, token console.Token) {
	if now.Totals.Fee != before.Totals.Fee {
		change := token.Tokens(now.Totals.Fee.Difference(before.Totals.Fee))
		if !strings.HasPrefix(change, "-") {
			change = "+" + change
		}
		c.add("", "Fees: %s %s, before %s (%s).", token.Tokens(now.Totals.Fee), plain.Line(token.Symbol), token.Tokens(before.Totals.Fee), strings.Replace(change, "-", "−", 1))
	}
	if a, b := now.Totals.EVM+now.Totals.Native, before.Totals.EVM+before.Totals.Native; a != b {
		c.add("", "Transactions: %d, before %d.", a, b)
	}
	if now.Findings != before.Findings {
		class := ""
		if !now.Findings.None() {
			class = "bad"
		}
		c.add(class, "Findings: %s; before: %s.", findingsOf(now.Findings).Text, findingsOf(before.Findings).Text)
	}
}

// reviewChecks returns what was checked, with the results.
func (s *server) reviewChecks(ctx context.Context, p *closing.Placed, accepted []reconcile.AcceptedRow, here string) (*tabular, error) {
	m := p.Manifest
	t := &tabular{Title: "Checks", Heads: heads("check", "result")}
	add := func(name, to string, ok bool, text string) {
		class := "ok"
		if !ok {
			class = "verdict bad"
		}
		t.Rows = append(t.Rows, []cell{{Text: name, To: to}, {Text: text, Class: class}})
	}
	complete := m.Period.Complete && m.Blocks.Final
	text := "complete, final and sealed"
	switch {
	case !m.Period.Complete:
		text = "incomplete"
	case !complete:
		text = "not all final and sealed"
	}
	add("Blocks", feesOf(m.Period, m.Accounts), complete, text)
	n := uint64(len(m.Accounts))
	switch wrong := m.Findings.Statements; {
	case !m.Options.Balances:
		add("Statements", "", false, "not checked: no balances")
		t.Rows[len(t.Rows)-1][1].Class = "bad" // nothing differs
	default:
		add("Statements", here+"/statements.xlsx", wrong == 0, fmt.Sprintf("%d of %d agree", n-min(n, wrong), n))
	}
	switch {
	case m.Options.Reconciliation == nil:
		add("Record of fees", "", false, "none")
		t.Rows[len(t.Rows)-1][1].Class = "bad"
	default:
		counts, err := matchedIn(ctx, p)
		if err != nil {
			return nil, err
		}
		text := fmt.Sprintf("%d of %d matched", counts.Agreeing, counts.Compared)
		if n := len(accepted); n > 0 {
			text += fmt.Sprintf(", %d accepted by %s", n, acceptors(accepted))
		}
		if n := m.Findings.Differences; n > 0 {
			text += fmt.Sprintf(", %d open", n)
		}
		if n := m.Findings.InAssets; n > 0 {
			text += ", " + console.Counted(n, "fee") + " in assets not compared"
		}
		if m.Findings.NothingCompared && m.Findings.Differences == 0 && m.Findings.InAssets == 0 {
			text = "nothing to compare"
		}
		add("Record of fees", here+"/reconciliation.xlsx", m.Findings.Differences == 0, text)
		if m.Findings.Differences == 0 && (m.Findings.InAssets > 0 || m.Findings.NothingCompared) { // neither agrees nor differs
			t.Rows[len(t.Rows)-1][1].Class = ""
		}
		t.Rows = append(t.Rows, []cell{{Text: "File"}, {Text: shortened(m.Options.Reconciliation.Names())}})
	}
	others := m.Findings
	others.Differences, others.Accepted, others.Statements, others.InAssets = 0, 0, 0, 0
	found := findingsOf(others)
	t.Rows = append(t.Rows, []cell{{Text: "Findings", To: "findings" + scopeOf(m.Period, nil).query(nil)}, found})
	return t, nil
}

// acceptors returns who accepted differences.
func acceptors(rows []reconcile.AcceptedRow) string {
	var names []string
	for _, row := range rows {
		if !slices.Contains(names, row.By) {
			names = append(names, row.By)
		}
	}
	if len(names) > 3 {
		names = append(names[:3], "others")
	}
	return shortened(strings.Join(names, ", "))
}

// beginning keeps the first bytes of what is written to it.
type beginning struct{ bytes.Buffer }

// maxBeginning limits what is kept of a reconciliation: its summary comes before its details.
const maxBeginning = 1 << 20

func (b *beginning) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), max(0, maxBeginning-b.Len()))])
	return len(p), nil
}

// matchedIn counts what agrees in the reconciliation of a package.
func matchedIn(ctx context.Context, p *closing.Placed) (counts reconcile.Counts, err error) {
	var text beginning
	if err := p.Copy(ctx, app.ReconciliationFile, &text); err != nil {
		return counts, packageTrouble(err)
	}
	if counts, err = reconcile.CountsIn(&text); err != nil {
		err = packageTrouble(fmt.Errorf("%w: %s: %w", closing.ErrDamaged, app.ReconciliationFile, err))
	}
	return counts, err
}

// feesByAccount returns the fees of a package by account, and their sum. Those with undetermined ones are unknown; an account
// without a row paid nothing, unless a fee is undetermined that may be its own.
func feesByAccount(ctx context.Context, p *closing.Placed) (fees map[string]chain.Optional[chain.Wei], total chain.Optional[chain.Wei], err error) {
	m := p.Manifest
	var text bytes.Buffer
	if err := p.Copy(ctx, app.AccountsFile, &text); err != nil {
		return nil, total, packageTrouble(err)
	}
	rows, err := csv.NewReader(&text).ReadAll()
	fees, total = map[string]chain.Optional[chain.Wei]{}, chain.Some(m.Totals.Fee)
	if m.Findings.Undetermined == 0 {
		for _, a := range m.Accounts {
			fees[a.Address] = chain.Some(chain.Wei{})
		}
	}
	if err == nil && len(rows) > 0 {
		account, paid, open := slices.Index(rows[0], "account"), slices.Index(rows[0], "fee"), slices.Index(rows[0], "undetermined")
		for _, row := range rows[1:] {
			if account < 0 || paid < 0 || open < 0 {
				break
			}
			var known chain.Wei
			if known, err = chain.ParseWei(row[paid]); err != nil {
				break
			}
			if fees[row[account]] = chain.Some(known); row[open] != "0" {
				fees[row[account]], total = chain.Optional[chain.Wei]{}, chain.Optional[chain.Wei]{}
			}
		}
	}
	if err != nil {
		return nil, total, packageTrouble(fmt.Errorf("%w: %s: %w", closing.ErrDamaged, app.AccountsFile, err))
	}
	return fees, total, nil
}

// paidBefore is what the accounts of a package paid in the period before.
type paidBefore struct {
	period  string
	fees    map[string]chain.Optional[chain.Wei]
	total   chain.Optional[chain.Wei]
	missing string // why they are not known
}

// paidBefore returns what the accounts of a package paid in the period before, as the ledger has it.
func (s *server) paidBefore(r *http.Request, m *closing.Manifest) (*paidBefore, error) {
	in, err := app.PeriodInput{Month: m.Period.Month, Year: m.Period.Year, Timezone: m.Period.Timezone}.Before()
	if err != nil {
		return nil, err
	}
	period, err := in.Parse()
	if err != nil {
		return nil, err
	}
	var addresses []chain.Address
	for _, a := range m.Accounts {
		address, err := chain.ParseAccount(a.Address)
		if err != nil {
			return nil, packageTrouble(fmt.Errorf("%w: %w", closing.ErrDamaged, err))
		}
		addresses = append(addresses, address)
	}
	state, err := s.stateOf(r.Context(), period)
	if err != nil {
		return nil, err
	}
	made, err := keptOf(s, r, period, s.figures, state.String(), fmt.Sprintf("before %v %s %v", in, period.Zone, addresses), true, func(ctx context.Context) (*app.AccountFigures, error) {
		return s.Ledger.FeesOf(ctx, addresses, period)
	})
	paid := &paidBefore{period: in.Month + in.Year, fees: map[string]chain.Optional[chain.Wei]{}, missing: notKnown}
	var lacks *app.NotHeldError
	if errors.As(err, &lacks) {
		paid.missing = "not in the ledger"
		return paid, nil
	}
	if err != nil {
		return nil, err
	}
	for i, a := range m.Accounts {
		paid.fees[a.Address] = made.Fees[addresses[i]].Fee
	}
	paid.total = made.Total
	return paid, nil
}

// feesTable returns the fees by account: of a package, of the period before and of an earlier version, each nil for none.
func feesTable(ctx context.Context, p, version *closing.Placed, before *paidBefore, token console.Token) (*tabular, error) {
	m := p.Manifest
	now, sum, err := feesByAccount(ctx, p)
	if err != nil {
		return nil, err
	}
	t := &tabular{Title: "Fees by account", Heads: []cell{{Text: "account"}}, Totals: []cell{{Text: "Total"}}}
	shown := m.Accounts[:min(len(m.Accounts), maxRows)]
	for _, a := range shown {
		t.Rows = append(t.Rows, []cell{{Text: cmp.Or(shortened(a.Label), console.Ends(a.Address, 4)), To: "account/" + a.Address}})
	}
	add := func(head string, fees map[string]chain.Optional[chain.Wei], total chain.Optional[chain.Wei], none func(address string) string, to func(address string) string) {
		amountTo := func(fee chain.Optional[chain.Wei], address string) cell {
			amount := amountCell(fee, token, cell{Text: none(address), Class: "figure"})
			if fee.Known() {
				amount.To = to(address)
			}
			return amount
		}
		t.Heads = append(t.Heads, cell{Text: head + ", " + token.Symbol, Class: "figure"})
		for i, a := range shown {
			t.Rows[i] = append(t.Rows[i], amountTo(fees[a.Address], a.Address))
		}
		t.Totals = append(t.Totals, amountTo(total, ""))
	}
	rowsOf := func(period string) func(address string) string {
		return func(address string) string {
			switch {
			case address != "":
				sc := scopeOf(m.Period, nil)
				sc.Period, sc.Accounts = period, address
				return "transactions" + sc.query(nil)
			case period == m.Period.Name():
				return feesOf(m.Period, m.Accounts)
			}
			return ""
		}
	}
	add(console.PeriodName(m.Period.Name()), now, sum, func(string) string { return notKnown }, rowsOf(m.Period.Name()))
	if before != nil {
		add(console.PeriodName(before.period), before.fees, before.total, func(string) string { return before.missing }, rowsOf(before.period))
	}
	if version != nil {
		fees, total, err := feesByAccount(ctx, version)
		if err != nil {
			return nil, err
		}
		at := fmt.Sprintf("packages/%s/v%d", url.PathEscape(version.Name), version.Manifest.Version)
		add(fmt.Sprintf("version %d", version.Manifest.Version), fees, total, func(address string) string {
			if _, has := fees[address]; has || address == "" {
				return notKnown
			}
			return "not in it"
		}, func(string) string { return at })
	}
	if more := len(m.Accounts) - len(t.Rows); more > 0 {
		t.More = fmt.Sprintf("%d more accounts are in %s. Totals cover all.", more, app.AccountsFile)
	}
	return t, nil
}

// talk returns the questions of a round, which the user may answer.
func (s *server) talk(r *http.Request, round app.Round, here string, running bool, typed url.Values) *talk {
	t := new(talk)
	for _, q := range round.Questions() {
		one := question{Said: append([]ledger.Act{q.Act}, q.Answers...), Open: len(q.Answers) == 0, About: " asked about the record"}
		if q.Kind == ledger.Returned {
			one.About = " returned it"
		}
		if !running && round.Allows(s.actor(r), ledger.Answered, q.Digest) == nil {
			text := ""
			if typed.Get("manifest") == q.Digest.String() {
				text = typed.Get("comment")
			}
			answer := commentControl(text)
			answer.Label, answer.Required = "Answer", true
			one.Answer = s.postForm(r, &form{Action: here, Hidden: []option{{"manifest", q.Digest.String()}}, Fields: []control{answer}, Acts: []option{{string(ledger.Answered), "Send"}}})
		}
		t.Questions = append(t.Questions, one)
	}
	return t
}

// actParameters are the fields of the form of an act, which its page accepts too.
var actParameters = []string{"act", "comment", "manifest"}

// actForm returns the form of the acts that the user may do now, with what was typed into it before; nil if there are
// none.
func (s *server) actForm(r *http.Request, trail []ledger.Act, review *app.Review, p *closing.Placed, here string, typed url.Values, token console.Token) *form {
	m, by := p.Manifest, s.actor(r)
	round := app.RoundOf(trail, m.Period.Name(), m.Period.Timezone)
	f := &form{Action: here, Hidden: []option{{"manifest", p.Sum}}}
	for _, o := range []option{{string(ledger.Approved), "Approve " + approvedAmount(m, token)}, {string(ledger.Closed), "Close " + console.PeriodName(m.Period.Name())}, {string(ledger.Returned), "Return with a question"}, {string(ledger.Withdrawn), "Withdraw"}} {
		act := ledger.Act{User: by.Name, Kind: ledger.ActKind(o.Value), Period: m.Period.Name(), Zone: m.Period.Timezone, Manifest: round.Last().Manifest, Comment: "any"}
		if review.Allows(trail, by, &act) == nil {
			f.Acts = append(f.Acts, o)
		}
	}
	if len(f.Acts) == 0 {
		return nil
	}
	comment := commentControl("")
	if typed.Get("act") != string(ledger.Answered) {
		comment = commentControl(typed.Get("comment"))
	}
	if why := review.NeedsComment(round); why != "" && f.Acts[0].Value == string(ledger.Approved) {
		comment.Hint = "needed to approve: " + why + "; " + comment.Hint
	}
	f.Fields = []control{comment}
	return s.postForm(r, f)
}

// approvedAmount returns the fees that are approved, cut to three decimals; all of them if these would be 0.
func approvedAmount(m *closing.Manifest, token console.Token) string {
	text := token.Tokens(m.Totals.Fee)
	if whole, decimals, ok := strings.Cut(text, "."); ok && len(decimals) > 3 {
		if short := whole + "." + decimals[:3]; strings.Trim(short, "0.") != "" || m.Totals.Fee.IsZero() {
			text = short
		}
	}
	if m.Findings.Undetermined > 0 {
		text = "the known " + text
	}
	return text + " " + plain.Line(token.Symbol)
}
