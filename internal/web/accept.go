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
)

// differences is a group of differences on a page, with the form that accepts them.
type differences struct {
	ID    string
	Head  string // title and counts
	Text  string // what to do
	Table *tabular
	Form  *form  // nil if the user cannot accept them
	Whole string // the button that accepts all of them
}

func (d *differences) node() g.Node {
	table, f := d.Table.whole(), d.Form
	if f != nil {
		table = markup.El("form", action(f.Action), markup.Attr("method", "post"), lines{
			tokenField(f.Token), keptFields(f.Hidden), table,
			markup.El("div", markup.Attr("class", "scope asked"), each(f.Fields, control.node), f.button(), markup.Text(" "), markup.El("button", markup.Attr("name", "whole"), markup.Attr("value", "1"), markup.Text(d.Whole))),
		})
	}
	return markup.El("section", markup.Attr("class", "differences"), markup.Attr("id", d.ID), lines{markup.El("h2", markup.Text(d.Head)), markup.El("p", markup.Attr("class", "lead"), markup.Text(d.Text)), table})
}

// acceptParameters are the fields of the form of a group that its page takes too.
var acceptParameters = []string{"comment"}

// differenceColumns are the columns of a group.
var differenceColumns = []string{"line", "id", "time", "books", "chain", "difference", "payer", "books_hash", "notes", "accepted_by", "accepted_comment"}

// missingColumns are those of a group of transactions that no row names.
var missingColumns = []string{"id", "time", "layer", "call", "payer", "chain", "evm_hash", "extrinsic_hash", "notes", "accepted_by", "accepted_comment"}

// minGroupRows is the number of rows of a group that are shown in any case.
const minGroupRows = 50

// pending are the differences of a group in the order of the record, and those that are not accepted yet.
type pending struct{ all, open []ledger.Digest }

// pendingOf returns the differences of each group that can be accepted; of larger ones, none.
func pendingOf(r *reconcile.Result) (map[reconcile.Kind]*pending, error) {
	list := map[reconcile.Kind]*pending{}
	for i := range r.Groups {
		if g := &r.Groups[i]; g.Count <= reconcile.MaxAccepted {
			list[g.Kind] = new(pending)
		}
	}
	for item, err := range r.Items() {
		if err != nil {
			return nil, err
		}
		g := r.GroupOf(item)
		if g == nil || list[g.Kind] == nil {
			continue
		}
		of, difference := list[g.Kind], item.Digest()
		of.all = append(of.all, difference)
		if r.AcceptanceOf(item) == nil {
			of.open = append(of.open, difference)
		}
	}
	return list, nil
}

// addDifferences adds the groups of differences to the page of a comparison.
func (s *server) addDifferences(v *comparisonPage, r *http.Request, c *comparison, here, typed string) error {
	may := s.ofPackage(r, c)
	var waiting map[reconcile.Kind]*pending
	if may || c.result.Accepted() > 0 {
		var err error
		if waiting, err = pendingOf(c.result); err != nil {
			return err
		}
	}
	if n := len(c.result.Unfit); n > 0 {
		v.Warnings = append(v.Warnings, console.Counted(n, "acceptance")+console.Verb(n, " fits", " fit")+" no difference of this comparison, or only in part. Accept again what you need.")
	}
	carried := s.carried(c)
	if n := len(carried); n > 0 {
		v.Lead += " " + console.Counted(n, "acceptance") + console.Verb(n, " is", " are") + " carried over from your earlier file: line, transaction and amounts are the same."
	}
	for i := range c.result.Groups {
		g := &c.result.Groups[i]
		d, err := s.groupOf(c, g, waiting[g.Kind], carried, may)
		if err != nil {
			return err
		}
		if of := waiting[g.Kind]; may && of != nil && len(of.open) > 0 {
			d.Form, d.Whole = s.acceptForm(r, c, g, of, here, typed), fmt.Sprintf("Accept the group (%d)", len(of.open))
		}
		v.Groups = append(v.Groups, d)
	}
	return nil
}

// groupOf returns a group as a table, with a checkbox for each difference that the user may accept.
func (s *server) groupOf(c *comparison, g *reconcile.Group, of *pending, carried map[ledger.Digest]bool, may bool) (*differences, error) {
	columns := differenceColumns
	if g.Kind == reconcile.Kind(reconcile.OnlyOnChain) {
		columns = missingColumns
	}
	t, err := s.list(narrowed(c.result.Chosen(g.Title(), g.In), columns), listing{limit: max(minGroupRows, maxRows/len(c.result.Groups)), zone: c.asked.Zone}, nil)
	if err != nil {
		return nil, err
	}
	if t.Title = ""; len(t.Rows) == 1 {
		t.Totals = nil
	}
	if t.dropEmpty(); t.Totals != nil {
		t.Totals[0].Text = "Total"
	}
	d := &differences{ID: "d-" + string(g.Kind), Head: fmt.Sprintf("%s (%d)", g.Title(), g.Count), Text: g.Remedy(), Table: t}
	if g.Accepted > 0 {
		d.Head = fmt.Sprintf("%s (%d, %d accepted)", g.Title(), g.Count, g.Accepted)
	}
	if of == nil || !may && g.Accepted == 0 {
		return d, nil
	}
	open := map[ledger.Digest]bool{}
	for _, one := range of.open {
		open[one] = true
	}
	t.Heads = slices.Insert(t.Heads, 0, cell{Text: "accept"})
	for i, row := range t.Rows {
		first := cell{Text: "accepted", Class: "ok"}
		if one := of.all[i]; open[one] {
			first = cell{Text: "Accept " + t.Heads[1].Text + " " + row[0].Text, Tick: one.String()}
		} else if carried[one] {
			first.Text = "carried over"
		}
		t.Rows[i] = slices.Insert(row, 0, first)
	}
	if t.Totals != nil {
		t.Totals = slices.Insert(t.Totals, 0, t.Totals[0])
		t.Totals[1].Text = ""
	}
	return d, nil
}

// acceptForm returns the form that accepts differences of a group.
func (s *server) acceptForm(r *http.Request, c *comparison, g *reconcile.Group, of *pending, here, typed string) *form {
	f := &form{Action: here, Post: true, Token: s.token(r), Button: "Accept selected", Hidden: []option{{"group", string(g.Kind)}, {"shown", reconcile.ActDigest(of.open).String()}}}
	values, _ := url.ParseQuery(strings.TrimPrefix(c.settings.query(), "?")) // it was parsed before
	for _, name := range slices.Sorted(maps.Keys(values)) {
		f.Hidden = append(f.Hidden, option{name, values.Get(name)})
	}
	comment := commentControl(typed)
	comment.Required = true
	f.Fields = []control{comment}
	return f
}

// acceptDifferences accepts differences of a group with a comment. It records that in the ledger's audit trail.
func (s *server) acceptDifferences(w http.ResponseWriter, r *http.Request) error {
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
	for _, name := range slices.Concat(scopeParameters, settingNames()) {
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
	act := ledger.Act{User: s.owner(r), Kind: ledger.Accepted, Period: in.Month + in.Year, Zone: c.asked.Zone.String(), Comment: strings.TrimSpace(fields.Get("comment"))}
	if act.Comment == "" {
		return invalidRequest("comment: say why you accept.")
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
	if err := s.accept(r, c, act, chosen); err != nil {
		return err
	}
	s.Log.Info("differences accepted", "user", act.User, "count", len(chosen))
	http.Redirect(w, r, s.base+"/reconcile/"+token+c.settings.query()+"#d-"+url.PathEscape(fields.Get("group")), http.StatusSeeOther)
	return nil
}

// errStaleGroup reports a form of differences that are not the current ones.
var errStaleGroup = &app.StaleError{Message: "The differences have changed since the page was shown. Go back to the page, and look at them again."}

// chosenDifferences returns the differences that a form accepts.
func chosenDifferences(r *reconcile.Result, fields url.Values) ([]ledger.Digest, error) {
	waiting, err := pendingOf(r)
	if err != nil {
		return nil, err
	}
	of := waiting[reconcile.Kind(fields.Get("group"))]
	if of == nil || fields.Get("shown") != reconcile.ActDigest(of.open).String() {
		return nil, errStaleGroup
	}
	if fields.Get("whole") == "1" {
		return of.open, nil
	}
	var chosen []ledger.Digest
	for _, one := range of.open {
		if slices.Contains(fields["difference"], one.String()) {
			chosen = append(chosen, one)
		}
	}
	switch {
	case len(fields["difference"]) == 0:
		return nil, invalidRequest("difference: select at least one, or accept all of the group.")
	case len(chosen) != len(fields["difference"]):
		return nil, errStaleGroup
	}
	return chosen, nil
}

// accept records accepted differences in the ledger's audit trail, and keeps them with the record.
func (s *server) accept(r *http.Request, c *comparison, act ledger.Act, chosen []ledger.Digest) error {
	s.uploads.accepting.Lock()
	defer s.uploads.accepting.Unlock()
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
	if errors.Is(err, ledger.ErrLocked) {
		return s.actProblem(r.Context(), err)
	}
	if err != nil {
		return err
	}
	for _, d := range chosen {
		list = append(list, reconcile.Acceptance{Difference: d, By: act.User, Time: act.Time.String(), Comment: act.Comment, Act: act.Number})
	}
	return s.uploads.accept(s.owner(r), c.token, c.subject(), list)
}

// subject identifies what a comparison is about: the period and the accounts.
func (c *comparison) subject() string {
	return fmt.Sprintf("%s\n%v\n%v", c.asked.Name, c.asked.Zone, slices.SortedFunc(slices.Values(c.options.Accounts), chain.Address.Compare))
}

// carry offers the acceptances of the user's earlier file of the same subject to a file without any.
func (s *server) carry(r *http.Request, c *comparison) {
	if len(c.options.Accepted) == 0 && s.ofPackage(r, c) {
		c.options.Accepted = s.uploads.earlier(c.upload.owner, c.subject())
		c.carries = len(c.options.Accepted) > 0
	}
}

// keepCarried keeps those of them that accept exactly the same differences, all of an act.
func (s *server) keepCarried(c *comparison) error {
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
	return s.uploads.carry(c.upload.owner, c.token, c.subject(), list)
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
func (s *server) acceptedTable(ctx context.Context, p *closing.Placed, here string) ([]*tabular, error) {
	rows, err := acceptedRows(ctx, p)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	token, err := s.Ledger.Token(ctx)
	if err != nil {
		return nil, err
	}
	t := &tabular{Title: fmt.Sprintf("Accepted differences (%d of %d)", len(rows), p.Manifest.Findings.Differences+p.Manifest.Findings.Accepted), Heads: heads("kind", "line", "ID", "difference, "+plain.Line(token.Symbol), "by", "time", "comment")}
	for _, row := range rows[:min(len(rows), maxRows)] {
		id := cell{Text: shortened(row.ID)}
		if isTransactionID.MatchString(row.ID) {
			id.To = "tx/" + row.ID
		}
		var amount cell
		if wei, known := row.Amount.Get(); known {
			amount = cell{Text: token.Tokens(wei), Exact: wei.String(), Class: "figure"}
		}
		t.Rows = append(t.Rows, []cell{{Text: words(shortened(row.Kind))}, {Text: shortened(row.Record)}, id, amount, {Text: row.By}, timeText(row.Time), {Text: row.Comment}})
	}
	if more := len(rows) - len(t.Rows); more > 0 {
		t.More = fmt.Sprintf("%d more are in the file.", more)
		t.Links = []link{{app.AcceptedFile, here + "/" + app.AcceptedFile}}
	}
	return []*tabular{t}, nil
}

// timeText returns a day or an instant.
func timeText(text string) cell {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return cell{Text: text}
	}
	return cell{Text: timeIn(time.UTC, at), Time: text}
}
