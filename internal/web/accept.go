package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/sys/markup"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// worktable is the rows of a comparison, with the form that accepts differences, asks about them and withdraws acceptances.
type worktable struct {
	Title   string
	Filters []navigation
	Hints   []string // what to do about the kinds of differences
	Table   *tabular
	Form    *form // nil if the user may do nothing
}

func (t *worktable) node() g.Node {
	if t == nil {
		return nil
	}
	table, f := t.Table.whole(), t.Form
	if f != nil {
		table = markup.El("form", postTo(f.Action), lines{
			tokenField(f.Token), keptFields(f.Hidden), table, markup.El("div", markup.Attr("class", "scope asked"), f.refused(), each(f.Fields, control.node), f.button()),
		})
	}
	return markup.El("section", markup.Attr("class", "differences"), markup.Attr("id", "rows"), lines{
		markup.El("h2", markup.Text(t.Title)), markup.El("nav", markup.Attr("class", "by"), markup.Attr("aria-label", "Outcomes"), g.Map(t.Filters, navigation.node)), items("notes", t.Hints), table,
	})
}

// acceptParameters are the fields of the form of differences that its page takes too.
var acceptParameters = []string{"comment", outcomeField}

// outcomeField chooses the rows of the page: "" for the differences, a kind of them, or one of these words.
const (
	outcomeField = "outcome"
	openRows     = "open"    // differences that are not accepted
	matchedRows  = "matched" // rows that agree
	allRows      = "all"
)

// The acts of the form of differences.
const (
	acceptSelected = "accept"
	acceptShown    = "accept-all"
	askSelected    = "ask"
	withdraw       = "withdraw"
)

// rowColumns are the columns of the rows.
var rowColumns = []string{"line", "outcome", "id", "payer", "books_hash", "books", "chain", "difference", "notes"}

// rowsOf returns whether an item is among the rows of an outcome; nil for an unknown outcome.
func rowsOf(r *reconcile.Result, outcome string) func(*reconcile.Item) bool {
	switch outcome {
	case "":
		return func(i *reconcile.Item) bool { return !i.Outcome.Agrees() }
	case openRows:
		return func(i *reconcile.Item) bool { return !i.Outcome.Agrees() && r.AcceptanceOf(i) == nil }
	case matchedRows:
		return func(i *reconcile.Item) bool { return i.Outcome.Agrees() }
	case allRows:
		return func(*reconcile.Item) bool { return true }
	}
	for k := range r.Groups {
		if string(r.Groups[k].Kind) == outcome {
			return r.Groups[k].In
		}
	}
	return nil
}

// workedRow is a row of the table: its difference, if it is one, and what is known about it.
type workedRow struct {
	difference ledger.Digest
	apart      bool
	accepted   *reconcile.Acceptance
	text       string // why, and what to do
	hash       string // of a transaction without a row, or of a row without a transaction
	label      string // for people who do not see the table
}

// rowsOfPage returns the first rows of an outcome, and the differences of all of them that are open.
func rowsOfPage(r *reconcile.Result, outcome string, zone *time.Location) (rows []workedRow, open []ledger.Digest, err error) {
	suggestions, err := r.Suggestions()
	if err != nil {
		return nil, nil, err
	}
	has := rowsOf(r, outcome)
	for i, err := range r.Items() {
		if err != nil {
			return nil, nil, err
		}
		if !has(i) {
			continue
		}
		row := workedRow{apart: !i.Outcome.Agrees()}
		if row.apart {
			row.difference, row.accepted = i.Digest(), r.AcceptanceOf(i)
			if row.accepted == nil {
				open = append(open, row.difference)
			}
		}
		if len(rows) == maxRows {
			continue
		}
		texts := slices.Clone(i.Notes)
		if suggestion := suggestions.Of(i); suggestion != "" {
			texts = append(texts, suggestion)
		}
		t, named := i.Transaction.Get()
		switch {
		case named && i.Outcome == reconcile.OnlyOnChain:
			row.hash = t.NameHash().String()
			if at, known := t.Time.Get(); known {
				texts = append(texts, timeIn(zone, at.Std()))
			}
			texts = append(texts, t.Call)
		case !named && i.Row != nil:
			row.hash = console.Known(i.Row.AnyHash())
		}
		if row.text = strings.Join(texts, "; "); i.Row != nil {
			row.label = fmt.Sprintf("line %d", i.Row.Line)
		} else if named {
			row.label = "ID " + t.Place.String()
		}
		rows = append(rows, row)
	}
	return rows, open, nil
}

// addRows adds the rows to the page of a comparison.
func (s *server) addRows(v *comparisonPage, r *http.Request, c *comparison, here, outcome, typed string) error {
	has := rowsOf(c.result, outcome)
	if has == nil {
		outcome, has = "", rowsOf(c.result, "")
	}
	if n := len(c.result.Unfit); n > 0 {
		v.Warnings = append(v.Warnings, console.Counted(n, "acceptance")+console.Verb(n, " fits", " fit")+" no difference of this comparison, or only in part. Accept again what you need.")
	}
	carried := s.carried(c)
	if n := len(carried); n > 0 {
		v.Lead += " " + console.Counted(n, "acceptance") + console.Verb(n, " is", " are") + " carried over from your earlier file: line, transaction and amounts are the same."
	}
	rows, open, err := rowsOfPage(c.result, outcome, c.asked.Zone)
	if err != nil {
		return err
	}
	t, err := s.list(narrowed(c.result.Chosen("", has), rowColumns), listing{limit: maxRows, zone: c.asked.Zone}, nil)
	if err != nil {
		return err
	}
	talk, err := s.askedOf(r, c)
	if err != nil {
		return err
	}
	may := s.ofPackage(r, c)
	hash, notes := columnAt(t, "books_hash"), columnAt(t, "notes")
	t.Heads[hash] = cell{Text: "hash"}
	for k := range t.Rows {
		row, of := t.Rows[k], &rows[k]
		if row[1].Text = table.Words(row[1].Text); of.apart && of.accepted == nil {
			row[1].Class = "verdict bad"
		}
		row[notes].Text = of.text
		if row[hash] = (cell{}); of.hash != "" {
			row[hash] = cell{Text: console.Ends(of.hash, 4), To: "lookup?q=" + of.hash, Class: "hex"}
		}
		state := cell{Text: strings.Join(talk[of.difference], "; ")}
		if of.accepted != nil {
			state = cell{Text: fmt.Sprintf("by %s: %s", of.accepted.By, of.accepted.Comment), Class: "ok"}
			if carried[of.difference] {
				state.Text += " (carried over)"
			}
		}
		t.Rows[k] = append(row, state)
	}
	t.Heads = append(t.Heads, cell{Text: "accepted or asked"})
	if t.Totals != nil {
		t.Totals = append(t.Totals, cell{})
		t.Totals[0].Text = "Total"
	}
	t.dropEmpty()
	if len(t.Rows) == 0 {
		t.None = "No rows."
	}
	v.Rows = &worktable{Title: "Rows, in the order of your file", Filters: filtersOf(c, here, outcome), Table: t}
	for k := range c.result.Groups {
		if g := &c.result.Groups[k]; outcome == "" || outcome == string(g.Kind) {
			v.Rows.Hints = append(v.Rows.Hints, fmt.Sprintf("%s (%d): %s", g.Title(), g.Count, g.Remedy()))
		}
	}
	if may && slices.ContainsFunc(rows, func(row workedRow) bool { return row.apart }) {
		v.Rows.Form = s.rowsForm(r, c, here, outcome, typed, rows, open)
		t.Heads = slices.Insert(t.Heads, 0, cell{Text: "select"})
		selected := refusalOf(r).typedInto(s, v.Rows.Form)
		for k, row := range t.Rows {
			tick := cell{}
			if rows[k].apart {
				tick = cell{Text: "Select " + rows[k].label, Tick: rows[k].difference.String()}
				tick.Ticked = slices.Contains(selected["difference"], tick.Tick)
			}
			t.Rows[k] = slices.Insert(row, 0, tick)
		}
		if t.Totals != nil {
			t.Totals = slices.Insert(t.Totals, 0, t.Totals[0])
			t.Totals[1].Text = ""
		}
	}
	return nil
}

// columnAt returns the position of a column of the rows; -1 if there is none.
func columnAt(t *tabular, name string) int {
	return slices.IndexFunc(t.Heads, func(h cell) bool { return h.Short == table.Words(name) })
}

// filtersOf returns the links to the rows of each outcome, with their counts.
func filtersOf(c *comparison, here, outcome string) (list []navigation) {
	add := func(text, value string, count int) {
		values := maps.Clone(c.settings.values)
		if value != "" {
			values.Set(outcomeField, value)
		}
		list = append(list, navigation{link: link{fmt.Sprintf("%s (%d)", text, count), here + c.settings.scope.query(values) + "#rows"}, Here: value == outcome})
	}
	r := c.result
	all := 0
	for _, s := range r.Sums {
		all += s.Count
	}
	add("Differences", "", r.Apart())
	if r.Accepted() > 0 {
		add("Open", openRows, r.Open())
	}
	for k := range r.Groups {
		add(r.Groups[k].Title(), string(r.Groups[k].Kind), r.Groups[k].Count)
	}
	add("Matched", matchedRows, all-r.Apart())
	add("All", allRows, all)
	return list
}

// askedOf returns the questions about differences of a record and their answers, by difference.
func (s *server) askedOf(r *http.Request, c *comparison) (map[ledger.Digest][]string, error) {
	asked := s.uploads.marks(c.token).Asked
	if len(asked) == 0 {
		return nil, nil
	}
	trail, err := s.Ledger.Book.Trail(r.Context())
	if err != nil {
		return nil, err
	}
	answers := map[uint64][]string{}
	for _, q := range app.Round(trail).Questions() {
		for _, a := range q.Answers {
			answers[q.Number] = append(answers[q.Number], fmt.Sprintf("%s answered: %s", a.User, a.Comment))
		}
	}
	list := map[ledger.Digest][]string{}
	for _, a := range asked {
		list[a.Difference] = append(append(list[a.Difference], fmt.Sprintf("%s asked: %s", a.By, a.Comment)), answers[a.Act]...)
	}
	return list, nil
}

// rowsForm returns the form about the rows of an outcome.
func (s *server) rowsForm(r *http.Request, c *comparison, here, outcome, typed string, rows []workedRow, open []ledger.Digest) *form {
	f := &form{Action: here, Hidden: []option{{outcomeField, outcome}, {"shown", reconcile.ActDigest(open).String()}}}
	values, _ := url.ParseQuery(strings.TrimPrefix(c.settings.query(), "?")) // it was parsed before
	for _, name := range slices.Sorted(maps.Keys(values)) {
		f.Hidden = append(f.Hidden, option{name, values.Get(name)})
	}
	if len(open) > 0 {
		f.Acts = append(f.Acts, option{acceptSelected, "Accept selected"}, option{askSelected, "Ask about selected"})
	}
	if n := len(open); n > 1 && n <= reconcile.MaxAccepted {
		f.Acts = append(f.Acts, option{acceptShown, fmt.Sprintf("Accept all %d open", n)})
	}
	comment := commentControl(typed)
	comment.Required = true
	if slices.ContainsFunc(rows, func(row workedRow) bool { return row.accepted != nil }) {
		f.Acts = append(f.Acts, option{withdraw, "Withdraw selected acceptances"})
		comment.Hint += "; a withdrawal withdraws all that was accepted in the same act"
	}
	f.Fields = []control{comment}
	return s.postForm(r, f)
}

// workOnRows accepts differences with a comment, asks about them, or withdraws acceptances. It records that in the ledger's
// audit trail.
func (s *server) workOnRows(w http.ResponseWriter, r *http.Request) error {
	if !s.closes() {
		return errNoClosing
	}
	fields, err := s.fields(w, r, maxForm)
	if err != nil {
		return err
	}
	if !s.actor(r).Preparer {
		return &app.ForbiddenError{Message: "Only preparers may accept differences."}
	}
	values := url.Values{}
	for _, name := range slices.Concat(scopeParameters, []string{priceParameter}, settingNames()) {
		if fields.Has(name) {
			values[name] = fields[name]
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.Time)
	defer cancel()
	r = r.WithContext(ctx)
	token := r.PathValue("token")
	c, err := s.comparison(r, token, values.Encode())
	if err != nil {
		return err
	}
	defer c.close()
	if err := s.prepare(ctx, c); err != nil {
		return err
	}
	if !s.ofPackage(r, c) {
		return invalidRequest("period: differences are accepted for the package of a month or a year. Name its accounts, and do not compare only the rows.")
	}
	in := c.settings.scope.input()
	act := ledger.Act{User: s.owner(r), Kind: ledger.Accepted, Period: in.Month + in.Year, Zone: c.asked.Zone.String(), Comment: commentIn(fields)}
	what := fields.Get("act")
	if err := app.OneOf("act", what, acceptSelected, acceptShown, askSelected, withdraw); err != nil {
		return err
	}
	if act.Comment == "" {
		return invalidRequest("comment: say why you accept, ask or withdraw.")
	}
	if err := act.Check(); err != nil {
		return err
	}
	if err := s.compare(r, c); err != nil {
		return err
	}
	var chosen []ledger.Digest
	if err := s.runLongRead(r, func() (err error) {
		chosen, err = chosenDifferences(c.result, fields)
		return err
	}); err != nil {
		return err
	}
	s.uploads.accepting.Lock()
	defer s.uploads.accepting.Unlock()
	if err := s.hold(r, token); err != nil {
		return err
	}
	defer s.uploads.release()
	switch what {
	case askSelected:
		err = s.ask(r, c, act, chosen)
	case withdraw:
		err = s.withdraw(r, c, act, chosen)
	default:
		err = s.accept(r, c, act, chosen)
	}
	if err == nil {
		err = s.saveMarks(token, s.subject(c))
	}
	if errors.Is(err, ledger.ErrLocked) {
		return s.actProblem(ctx, err)
	}
	if err != nil {
		return err
	}
	s.Log.Info("differences", "user", act.User, "act", what, "count", len(chosen))
	back := maps.Clone(c.settings.values)
	if outcome := fields.Get(outcomeField); outcome != "" {
		back.Set(outcomeField, outcome)
	}
	http.Redirect(w, r, s.base+"/reconcile/"+token+c.settings.scope.query(back)+"#rows", http.StatusSeeOther)
	return nil
}

// errStaleGroup reports a form of differences that are not the current ones.
var errStaleGroup = &app.StaleError{Message: "The differences have changed since the page was shown. Look at them again."}

// chosenDifferences returns the differences that a form is about: those selected, or all open ones of an outcome.
func chosenDifferences(r *reconcile.Result, fields url.Values) ([]ledger.Digest, error) {
	has := rowsOf(r, fields.Get(outcomeField))
	if has == nil {
		return nil, errStaleGroup
	}
	what, selected := fields.Get("act"), map[string]bool{}
	for _, one := range fields["difference"] {
		selected[one] = true
	}
	var open, chosen []ledger.Digest
	for i, err := range r.Items() {
		if err != nil {
			return nil, err
		}
		if i.Outcome.Agrees() || !has(i) {
			continue
		}
		one := i.Digest()
		isOpen := r.AcceptanceOf(i) == nil
		if isOpen {
			open = append(open, one)
		}
		if isOpen != (what == withdraw) && selected[one.String()] {
			chosen = append(chosen, one)
		}
	}
	switch {
	case what != withdraw && fields.Get("shown") != reconcile.ActDigest(open).String():
		return nil, errStaleGroup
	case what == acceptShown && len(open) > 0:
		return open, nil
	case len(fields["difference"]) == 0:
		return nil, invalidRequest("difference: select at least one.")
	case len(chosen) == 0 && what == withdraw:
		return nil, invalidRequest("difference: none of the selected ones is accepted.")
	case len(chosen) != len(fields["difference"]):
		return nil, invalidRequest("difference: select only %s.", map[bool]string{true: "accepted ones", false: "open ones, as the page shows them now"}[what == withdraw])
	}
	return chosen, nil
}

// ask records a question about differences, and keeps it with the record.
func (s *server) ask(r *http.Request, c *comparison, act ledger.Act, chosen []ledger.Digest) error {
	act.Kind, act.Manifest = ledger.Asked, reconcile.ActDigest(chosen)
	act, err := s.appendAct(r.Context(), act, nil)
	if err != nil {
		return err
	}
	var list []reconcile.Acceptance
	for _, d := range chosen {
		list = append(list, reconcile.Acceptance{Difference: d, By: act.User, Time: act.Time.String(), Comment: act.Comment, Act: act.Number})
	}
	return s.uploads.ask(s.owner(r), c.token, list)
}

// withdraw records that acceptances are withdrawn: each act as a whole.
func (s *server) withdraw(r *http.Request, c *comparison, act ledger.Act, chosen []ledger.Digest) error {
	list, by := s.uploads.accepted(c.token), s.actor(r)
	acts := map[uint64]bool{}
	for _, a := range list {
		if slices.Contains(chosen, a.Difference) {
			acts[a.Act] = true
		}
	}
	if len(acts) == 0 {
		return errStaleGroup
	}
	withdrawals := func(trail []ledger.Act) (list []ledger.Act, err error) {
		for _, number := range slices.Sorted(maps.Keys(acts)) {
			one, err := app.WithdrawAcceptance(trail, by, number, act.Comment)
			if err != nil {
				return nil, err
			}
			list = append(list, one)
		}
		return list, nil
	}
	trail, err := s.Ledger.Book.Trail(r.Context())
	if err != nil {
		return err
	}
	lines, err := withdrawals(trail)
	if err != nil {
		return err
	}
	if err := s.appendActs(r.Context(), lines, func(trail []ledger.Act) error {
		_, err := withdrawals(trail)
		return err
	}); err != nil {
		return err
	}
	list = slices.DeleteFunc(slices.Clone(list), func(a reconcile.Acceptance) bool { return acts[a.Act] })
	return s.uploads.accept(s.owner(r), c.token, s.subject(c), list)
}

// accept records accepted differences in the ledger's audit trail, and keeps them with the record.
func (s *server) accept(r *http.Request, c *comparison, act ledger.Act, chosen []ledger.Digest) error {
	again, unfit := map[ledger.Digest]bool{}, map[uint64]bool{}
	for _, d := range chosen {
		again[d] = true
	}
	for _, a := range c.result.Unfit {
		unfit[a.Act] = true
	}
	replaced := map[uint64]bool{} // acts that fit no longer and accepted what is accepted again
	list := s.uploads.accepted(c.token)
	for _, a := range list {
		if again[a.Difference] && !unfit[a.Act] {
			return errStaleGroup
		}
		replaced[a.Act] = replaced[a.Act] || again[a.Difference]
	}
	list = slices.DeleteFunc(slices.Clone(list), func(a reconcile.Acceptance) bool { return replaced[a.Act] })
	if len(list)+len(chosen) > reconcile.MaxAccepted {
		return invalidRequest("difference: at most %d can be accepted.", reconcile.MaxAccepted)
	}
	act.Manifest = reconcile.ActDigest(chosen)
	act, err := s.appendAct(r.Context(), act, nil)
	if err != nil {
		return err
	}
	for _, d := range chosen {
		list = append(list, reconcile.Acceptance{Difference: d, By: act.User, Time: act.Time.String(), Comment: act.Comment, Act: act.Number})
	}
	return s.uploads.accept(s.owner(r), c.token, s.subject(c), list)
}

// subject identifies what a comparison is about: the ledger, the period and the accounts.
func (s *server) subject(c *comparison) string {
	return fmt.Sprintf("%s\n%s\n%s\n%v\n%v", s.base, s.Network, c.asked.Name, c.asked.Zone, slices.SortedFunc(slices.Values(c.options.Accounts), chain.Address.Compare))
}

// carry offers the acceptances of the user's earlier file of the same subject to a file without any.
func (s *server) carry(r *http.Request, c *comparison) {
	if len(c.options.Accepted) == 0 && s.ofPackage(r, c) {
		c.options.Accepted = s.earlierMarks(c.upload.owner, s.subject(c), c.token)
		c.carries = len(c.options.Accepted) > 0
	}
}

// keepCarried keeps those of them that accept exactly the same differences, all of an act.
func (s *server) keepCarried(r *http.Request, c *comparison) error {
	if !c.carries {
		return nil
	}
	unfit := map[reconcile.Acceptance]bool{}
	for _, a := range c.result.Unfit {
		unfit[a] = true
	}
	list := slices.DeleteFunc(slices.Clone(c.options.Accepted), func(a reconcile.Acceptance) bool { return unfit[a] })
	if c.options.Accepted, c.result.Unfit = list, nil; len(list) == 0 {
		return nil
	}
	s.uploads.accepting.Lock()
	defer s.uploads.accepting.Unlock()
	if err := s.hold(r, c.token); err != nil {
		return err
	}
	defer s.uploads.release()
	if len(s.uploads.accepted(c.token)) > 0 { // another request accepted something meanwhile
		return nil
	}
	return errors.Join(s.uploads.carry(c.upload.owner, c.token, s.subject(c), list), s.saveMarks(c.token, s.subject(c)))
}

// carried returns the differences whose acceptance is of an earlier file.
func (s *server) carried(c *comparison) map[ledger.Digest]bool {
	list, last := map[ledger.Digest]bool{}, s.uploads.lastCarried(c.token)
	for _, a := range c.options.Accepted {
		if a.Act <= last {
			list[a.Difference] = true
		}
	}
	return list
}

// acceptedRows returns the accepted differences of a package.
func acceptedRows(ctx context.Context, p *closing.Placed) ([]reconcile.AcceptedRow, error) {
	if kept := p.Manifest.Options.Reconciliation; kept == nil || !kept.Accepted {
		return nil, nil
	}
	var text bytes.Buffer
	if err := p.Copy(ctx, app.AcceptedFile, &text); err != nil {
		return nil, packageTrouble(err)
	}
	rows, err := app.ReadAccepted(text.Bytes())
	if err != nil {
		return nil, packageTrouble(err)
	}
	return rows, nil
}

// acceptedTable lists the accepted differences of a package; none if it has none.
func acceptedTable(m *closing.Manifest, rows []reconcile.AcceptedRow, token console.Token, here string) []*tabular {
	if len(rows) == 0 {
		return nil
	}
	t := &tabular{Title: fmt.Sprintf("Accepted differences (%d of %d)", len(rows), m.Findings.Differences+m.Findings.Accepted), Heads: heads("kind", "line", "ID", "difference, "+plain.Line(token.Symbol), "by", "time", "comment")}
	for _, row := range rows[:min(len(rows), maxRows)] {
		id := cell{Text: shortened(row.ID)}
		if isTransactionID.MatchString(row.ID) {
			id.To = "tx/" + row.ID
		}
		var amount cell
		if wei, known := row.Amount.Get(); known {
			amount = cell{Text: token.Tokens(wei), Exact: wei.String(), Class: "figure"}
		}
		t.Rows = append(t.Rows, []cell{{Text: table.Words(shortened(row.Kind))}, {Text: shortened(row.Record)}, id, amount, {Text: row.By}, timeText(row.Time), {Text: row.Comment}})
	}
	if more := len(rows) - len(t.Rows); more > 0 {
		t.More = fmt.Sprintf("%d more are in the file.", more)
		t.Links = []link{{app.AcceptedFile, here + "/" + app.AcceptedFile}}
	}
	return []*tabular{t}
}

// timeText returns a day or an instant.
func timeText(text string) cell {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return cell{Text: text}
	}
	return cell{Text: timeIn(time.UTC, at), Time: text}
}
