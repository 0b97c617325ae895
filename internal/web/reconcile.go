package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"path"
	"regexp"
	"runtime"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/sys/markup"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// errNotKept reports an unknown or expired upload token.
var errNotKept = &problem{http.StatusNotFound, "Not found", fmt.Sprintf("This file is no longer kept. Unused files are deleted after %d minutes, or earlier if many are uploaded. Upload it again.", int(keptFor.Minutes()))}

// errOthers reports a file of another user.
var errOthers = &problem{http.StatusForbidden, "Not yours", "Another user loaded this record, and only that user sees it. Ask for the package with it, or load the file yourself."}

// errNoAccounts reports that a result is incomplete without accounts.
var errNoAccounts = &problem{http.StatusUnprocessableEntity, "No accounts", "Without accounts, fees missing from the file cannot be found. Name the company's accounts, or compare only the rows."}

// uploadPage is the form to upload a record of fees.
type uploadPage struct {
	frame
	tables
	Form    *form
	Another bool // there are records already
}

func (p *uploadPage) main() g.Node {
	return p.body(p.tables.node(), g.If(p.Another, markup.El("h2", markup.Text("Load a record"))), p.Form.node(), p.notesList())
}

// reconcileForm shows the upload form for a company's record of fees.
func (s *server) reconcileForm(w http.ResponseWriter, r *http.Request) error {
	sc, err := readScope(r.URL.RawQuery)
	if err != nil {
		return err
	}
	asked := s.ofCompany(sc)
	v := &uploadPage{frame: frame{Title: "Reconcile", Path: "reconcile", Command: "fees reconcile FILE" + asked.flags() + s.ledgerFlag()}}
	v.Scope, v.noBar = &sc, true
	v.Lead = "Compare a company's own record of fees (csv or xlsx) with the ledger, to the last decimal."
	v.Form = &form{Action: "reconcile", Upload: true, Button: "Compare"}
	v.Form.Fields = append([]control{{Name: "file", Label: "File", Kind: "file", Required: true, Hint: fmt.Sprintf("csv or xlsx, up to %d MB", maxFile>>20)}}, asked.controls("The company's accounts")...)
	s.postForm(r, v.Form)
	kept := fmt.Sprintf("The file stays in this server's memory and is deleted after %d minutes without use.", int(keptFor.Minutes()))
	if s.saves(r) {
		kept = "The file is kept beside the packages, with its acceptances and questions, until its month is closed or you delete it. Only you see it."
	}
	records, err := s.recordTable(r)
	if err != nil {
		return err
	}
	if records != nil {
		v.Tables, v.Another = []*tabular{records}, true
	}
	v.Notes = []string{
		kept + " While a result is computed, workbooks and intermediate results are in private temporary files.",
		"Fees that the accounts paid in the period but no row covers are listed too. A row paid by another account counts as 0.",
	}
	s.render(w, r, http.StatusOK, v)
	return nil
}

// ofCompany returns the scope with the address book's own group if it names no accounts.
func (s *server) ofCompany(sc scope) scope {
	if own := s.labels().OwnGroup(); len(sc.list()) == 0 && own != "" {
		sc.Accounts = app.GroupPrefix + own
	}
	return sc
}

// comparison compares a company's record with the ledger.
type comparison struct {
	token    string // of the upload
	upload   *upload
	settings settings
	asked    app.Period
	options  reconcile.Options
	*record
	result  *reconcile.Result
	carries bool // the acceptances are those of an earlier file
}

// lacksAccounts reports whether accounts are missing and not only the rows are compared.
func (c *comparison) lacksAccounts() bool {
	return len(c.options.Accounts) == 0 && !c.settings.books.RowsOnly
}

func (c *comparison) close() {
	if c.result != nil {
		c.result.Close()
	}
	runtime.KeepAlive(c.record) // the result uses its file
}

// comparison returns the user's file of a token, with the settings of a query.
func (s *server) comparison(r *http.Request, token, query string, more ...string) (*comparison, error) {
	u, err := s.upload(r, token)
	if err != nil {
		return nil, err
	}
	set, err := readSettings(query, more...)
	if err != nil {
		return nil, err
	}
	set.books.Path, set.books.Content = u.Name, u.Content
	return &comparison{token: token, upload: u, settings: set}, nil
}

// prepare resolves the period, the accounts and the options.
func (s *server) prepare(ctx context.Context, c *comparison) (err error) {
	request, err := s.readRequest(&c.settings.scope)
	if err != nil {
		return err
	}
	c.asked = request.Period
	if c.options, err = c.settings.books.Options(request); err != nil {
		return err
	}
	token, err := s.Ledger.Token(ctx)
	if err != nil {
		return err
	}
	c.options.Accepted = s.uploads.accepted(c.token)
	return c.settings.books.SetToken(&c.options, token)
}

// compare reads and compares the record.
func (s *server) compare(r *http.Request, c *comparison) error {
	if err := s.read(r, c); err != nil {
		return err
	}
	if c.unread != nil {
		return &unreadError{c.unread}
	}
	return s.runLongRead(r, func() (err error) {
		c.result, err = s.Ledger.Reconcile(r.Context(), []reconcile.NamedFile{{Name: c.upload.Name, File: c.file}}, c.asked, c.options)
		return err
	})
}

// unreadError reports that a company's record cannot be read with its settings.
type unreadError struct{ err error }

func (e *unreadError) Error() string { return e.err.Error() }

// problem converts the error for other answers than the page of the comparison.
func (e *unreadError) problem() *problem {
	return &problem{http.StatusUnprocessableEntity, "The file cannot be read", strings.Join(e.lines(), " ")}
}

// lines returns the error's text, with flags replaced by the labels of the page's settings.
func (e *unreadError) lines() (list []string) {
	var problems *reconcile.ProblemsError
	text := e.err.Error()
	if errors.As(e.err, &problems) {
		text = problems.Error()
	}
	for line := range strings.Lines(text) {
		list = append(list, plain.Line(withLabels(strings.TrimSpace(line))))
	}
	return list
}

// aFlag matches a setting in the command line's form.
var (
	aFlag    = regexp.MustCompile(`--([a-z]+(?:-[a-z]+)*)`)
	aMapping = regexp.MustCompile(`--map ([a-z_]+)=NAME`)
)

// withLabels replaces flags by the labels of the page's settings.
func withLabels(text string) string {
	text = aMapping.ReplaceAllString(text, "the column of $1")
	return aFlag.ReplaceAllStringFunc(text, func(flag string) string {
		if f := settingOf(strings.TrimPrefix(flag, "--")); f != nil {
			return "“" + f.Label + "”"
		}
		return flag
	})
}

// previewed is the number of rows in the preview of a file.
const previewed = 6

// comparisonPage is the page of an uploaded record.
type comparisonPage struct {
	frame
	figures
	tables
	Form *form // its settings
	Rows *worktable
	Last *form // deletes the file
}

func (p *comparisonPage) main() g.Node {
	return p.body(p.Form.node(), p.notices.node(), p.figures.node(), p.tables.node(), p.Rows.node(), p.notesList(), p.Last.last())
}

// reconciliation shows how a file is read, and the results by row.
func (s *server) reconciliation(w http.ResponseWriter, r *http.Request) error {
	c, err := s.comparison(r, r.PathValue("token"), r.URL.RawQuery, acceptParameters...)
	if err != nil {
		return err
	}
	defer c.close()
	typed := c.settings.values.Get("comment")
	outcome := c.settings.values.Get(outcomeField)
	c.settings.values.Del("comment")
	c.settings.values.Del(outcomeField)
	if outcome == "" && c.settings.all {
		outcome = allRows
	}
	state, err := s.Ledger.State(r.Context())
	if err != nil {
		return err
	}
	v := &comparisonPage{frame: frame{Title: "Reconciliation of " + c.upload.Name, Path: "reconcile", Sealed: state.String()}}
	v.Scope, v.noBar = &c.settings.scope, true
	v.Command = "fees reconcile " + console.Argument(ownFile(c.upload.Name)) + c.settings.flags() + s.ledgerFlag()
	var preview *reconcile.Preview
	if err = s.prepare(r.Context(), c); err == nil {
		s.carry(r, c)
		if err = s.compare(r, c); c.record != nil {
			preview = c.preview
		}
	}
	here := "reconcile/" + r.PathValue("token")
	v.Form = s.settingsForm(&c.settings, here, preview)
	v.Form.Title, v.Form.Shown = "File settings", err != nil || c.lacksAccounts()
	v.Facts = []fact{textFact("file", fmt.Sprintf("%s, %d bytes", c.upload.Name, len(c.upload.Content))), hash("SHA-256", c.upload.sum)}
	v.Last = s.postForm(r, &form{Action: here + "/forget", Button: "Delete this file"})
	status := http.StatusOK
	var unread *unreadError
	switch {
	case errors.As(err, &unread):
		v.Lead, v.Failed, status = "The file cannot be read with these settings.", true, http.StatusUnprocessableEntity
		v.Warnings, v.Ways = unread.lines(), c.settings.ways(here, unread.err)
	case err != nil:
		p := problemOf(r.Context(), err, s.Time)
		if p.Status >= http.StatusInternalServerError {
			return err
		}
		v.Lead, v.Failed, status, v.Warnings = p.Title+".", true, p.Status, []string{p.Detail}
	default:
		if err := s.outcomes(v, c, here); err != nil {
			return err
		}
		v.Paper = true
		if err := s.keepCarried(r, c); err != nil {
			return err
		}
		if err := s.addRows(v, r, c, here, outcome, typed); err != nil {
			return err
		}
		if err := s.changeSaved(c.token, func(one *savedRecord) {
			in := c.settings.scope.input()
			if of := in.Month + in.Year; of != "" || one.Period == "" { // a look at some days is not the record's month
				one.Query, one.Period, one.Zone, one.State = c.settings.query(), of, c.asked.Zone.String(), c.result.Headline()
			}
		}); err != nil {
			return err
		}
		v.Ways = append(v.Ways, s.packageWay(r, c)...)
	}
	if err != nil {
		v.Ways = append(v.Ways, link{"Upload another record", "reconcile" + c.settings.scope.query(nil)})
	}
	s.render(w, r, status, v)
	return nil
}

// outcomes adds the results to the page.
func (s *server) outcomes(v *comparisonPage, c *comparison, here string) error {
	result := c.result
	headline := result.Headline()
	v.Lead, v.Failed = strings.ToUpper(headline[:1])+headline[1:]+".", !result.Agrees()
	if c.lacksAccounts() {
		v.Failed, v.Warnings = true, []string{errNoAccounts.Detail}
		groups := s.labels().GroupNames()
		for _, group := range groups[:min(len(groups), app.MaxGroups)] {
			set := c.settings
			set.scope.Accounts = app.GroupPrefix + group
			v.Ways = append(v.Ways, link{"Compare with the accounts of " + shortened(group) + ".", here + set.query()})
		}
		v.Ways = append(v.Ways, c.settings.way(here, "Compare with ", reconcile.Way{Settings: []reconcile.Setting{{Name: "rows-only"}}}))
	}
	total := &result.Total
	token := result.Options.Token()
	v.Main = []fact{amount("difference, books - chain", total.Difference, token), amount("books", chain.Some(total.Books), token), amount("chain", total.Chain, token)}
	v.Facts = append(v.Facts, textFact("read", readAs(c.file)), textFact("period", cmp.Or(c.asked.Name, "all sealed blocks")), textFact("blocks", spanText(result.Span)), textFact("accounts", fmt.Sprint(len(c.options.Accounts))))
	v.Notes = result.Notes
	found, err := s.list(result.Found(), listing{limit: maxRows, zone: c.asked.Zone}, nil)
	if err != nil {
		return err
	}
	for _, row := range found.Rows {
		row[0].Text = table.Words(row[0].Text)
	}
	if len(found.Rows) > 0 {
		v.Tables = append(v.Tables, found)
	}
	if c.lacksAccounts() {
		return nil
	}
	query := c.settings.query()
	v.PDF = &fileLinks([]string{paperForm}, here+"/result", query)[0]
	for _, form := range resultForms {
		v.Downloads = append(v.Downloads, link{"unmatched rows, " + strings.ToUpper(form), here + "/result." + form + query})
		if c.settings.all {
			v.Downloads[len(v.Downloads)-1].Text = "all rows, " + strings.ToUpper(form)
		}
	}
	v.Downloads = append(v.Downloads, append(otherPapers(*v.PDF), link{"the file with results, " + strings.ToUpper(c.file.Form), here + "/fixed" + query})...)
	return nil
}

// readAs describes how a file was read.
func readAs(f *reconcile.File) string {
	said := []string{f.Form + ", " + console.Counted(f.Count, "row")}
	for _, c := range f.Columns {
		said = append(said, table.Words(string(c.Field))+": "+shortened(c.Name))
	}
	if f.Unit != "" {
		said = append(said, "in "+string(f.Unit))
	}
	return strings.Join(said, "; ")
}

// narrowed returns a sheet with the named columns only.
func narrowed(from *table.Sheet, names []string) *table.Sheet {
	to := *from
	to.Columns = nil
	var places []int
	for _, name := range names {
		for i, column := range from.Columns {
			if column.Name == name {
				to.Columns, places = append(to.Columns, column), append(places, i)
			}
		}
	}
	to.Rows = func(yield func([]any, error) bool) {
		for row, err := range from.Rows {
			var cells []any
			for _, i := range places {
				if err == nil {
					cells = append(cells, row[i])
				}
			}
			if !yield(cells, err) || err != nil {
				return
			}
		}
	}
	return &to
}

// reconciliationFile sends the result as fees reconcile writes it.
func (s *server) reconciliationFile(w http.ResponseWriter, r *http.Request) error {
	return s.compared(w, r, func(to *answer, c *comparison) error {
		if to.form != paperForm {
			return c.result.Document(c.settings.all).Write(to, to.form, 0)
		}
		a, err := s.Ledger.AboutReconciliation(r.Context(), c.result, c.asked, app.AboutRequest{Program: s.Program})
		if err != nil {
			return err
		}
		paper, err := s.paper(c.settings.values)
		if err != nil {
			return err
		}
		return app.WriteReconciliationPDF(to, c.result, c.settings.all, paper, a)
	}, "paper")
}

// checkedFile sends the company's own file with the result of each row, as fees reconcile --fix writes it.
func (s *server) checkedFile(w http.ResponseWriter, r *http.Request) error {
	return s.compared(w, r, func(to *answer, c *comparison) error {
		to.form = c.file.Form
		to.name = strings.TrimSuffix(c.upload.Name, path.Ext(c.upload.Name)) + "-checked." + c.file.Form
		if c.file.Form == "csv" { // in its original encoding
			to.contentType = "text/csv"
		}
		return c.settings.books.WriteFixed(r.Context(), to, c.result)
	})
}

// compared sends a file derived from a comparison.
func (s *server) compared(w http.ResponseWriter, r *http.Request, write func(*answer, *comparison) error, more ...string) error {
	c, err := s.comparison(r, r.PathValue("token"), r.URL.RawQuery, more...)
	if err != nil {
		return err
	}
	defer c.close()
	if err := s.prepare(r.Context(), c); err != nil {
		return err
	}
	if c.lacksAccounts() {
		return errNoAccounts
	}
	if err := s.compare(r, c); err != nil {
		return err
	}
	return s.send(w, r, func(to *answer) error {
		return s.runLongRead(r, func() error { return write(to, c) })
	})
}

// attachment returns the header of a file to be saved under a name.
func attachment(name string) string {
	return mime.FormatMediaType("attachment", map[string]string{"filename": name})
}

// ownFile returns a file's name as an argument that is not mistaken for a flag.
func ownFile(name string) string {
	if strings.HasPrefix(name, "-") {
		return "./" + name
	}
	return name
}
