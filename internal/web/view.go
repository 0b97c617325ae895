package web

import (
	"cmp"
	_ "embed"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/finance/report"
)

//go:embed page/style.css
var styleText string

//go:embed page/cards.css
var cardsText string

//go:embed page/scrolls.css
var scrollsText string

//go:embed page/page.js
var scriptText string

//go:embed page/icon.svg
var iconText string

// page is the content of a page. Each has a separate struct.
type page interface {
	common() *frame
	main() g.Node // everything between its header and its footer
}

// frame is the part of a page that all of them have.
type frame struct {
	Title    string
	Lead     string // a one-sentence summary
	Failed   bool   // the page is an error
	Path     string // of the page
	Refresh  int    // reload interval in seconds; 0 for never
	Sought   string // the text that was looked up
	Sealed   string // the sealed state that the answer is based on
	Unsealed bool   // the answer depends on more than sealed blocks
	Command  string // the equivalent command
	Links    []link // to related pages
	Notes    []string
	notices
	selection
	offers
	surroundings
}

func (f *frame) common() *frame { return f }

// notices are what the reader should know first, and what to do about it.
type notices struct {
	Warnings []string // missing data and failed checks
	Ways     []link   // suggested remedies
	Remedy   string   // the command that repairs a failure
}

// selection is what a page is about, and how the view bar changes it.
type selection struct {
	Scope   *scope    // nil if the page has no period
	Monthly bool      // the page shows months only: other periods lead to the fees
	Kept    *scope    // what the links to other pages are about, if the page has no period; nil for nothing
	Whose   bool      // the page can be limited to accounts
	Fields  []control // of the view
	Filters []control
	Around  []link // to the previous and the next page
	noBar   bool   // a form of the page has the period
}

// offers are the actions and downloads beside the title.
type offers struct {
	Top       *form // the action on the content
	Primary   *link // the main download
	Paper     bool  // the page is meant for paper, too
	PDF       *link // its document; nil for none
	Downloads []link
}

// surroundings are the same for all pages of a user on a ledger.
type surroundings struct {
	Bar      *viewBar
	Known    []string // names that the look-up suggests
	Made     string   // the command that creates the ledger first
	Theme    string   // light or dark; "" to follow the browser
	Network  string
	Base     string // the path prefix of the ledger's links
	Here     string // the page's own URL, for links within it
	Ledgers  []navigation
	Packages bool   // the server has packages
	Outside  bool   // the page belongs to no ledger and reveals nothing about them
	User     string // the logged-in user; "" if none
	Token    string // for the log-out form; "" if none
}

// figures are figures above the tables of a page.
type figures struct {
	Main  []fact // the main ones
	Facts []fact
}

// tables are the tables of a page.
type tables struct{ Tables []*tabular }

// add adds a table unless building it failed.
func (t *tables) add(one *tabular, err error) error {
	t.Tables = append(t.Tables, one)
	return err
}

// listPage is a page with a list.
type listPage struct {
	frame
	figures
	tables
	By    []navigation // other groupings
	Form  *form
	Chart *report.Chart
}

func (p *listPage) main() g.Node {
	return p.body(groupings(p.By), p.Form.node(), p.notices.node(), p.figures.node(), p.related(), p.Chart.Node(), p.tables.node(), p.notesList())
}

// fact is a name with a value.
type fact struct {
	Name string
	cell
}

// fileLinks returns links to the forms of a file.
func fileLinks(forms []string, name, query string) (list []link) {
	for _, form := range forms {
		list = append(list, link{strings.ToUpper(form), name + "." + form + query})
	}
	return list
}

// cell is a value with an optional link.
type cell struct {
	Text   string
	Name   string // the value for programs
	Exact  string // in wei, if it is an amount
	Number bool   // it is another number
	Unit   string // shown after it
	Share  string // percentage of the largest value; "" if not drawn
	To     string
	Class  string
	// Sorted is a column's sort order: ascending or descending; "" if not sorted.
	Sorted string
	Time   string // the exact instant, if it is a time
	Tick   string // the value of a checkbox; its label is Text
	Ticked bool
	Short  string // of a heading with a unit, the name only
	Field  *entryField
	Form   *form // of a row whose cells are fields
}

// label returns the text of a heading beside a value.
func (c cell) label() string { return cmp.Or(c.Short, c.Text) }

// tabular is a table.
type tabular struct {
	Title   string
	Tone    string // the class of the title; "" for none
	Layout  string // see fit; "" scrolls in its box
	Heads   []cell
	Rows    [][]cell
	Totals  []cell
	More    string // describes the rows shown
	Links   []link // to other rows and views of the table
	Columns *form  // chooses the columns; nil if they are fixed
	None    string // shown in place of a table without rows
}

// dropFirst removes the first column.
func (t *tabular) dropFirst() {
	t.Heads = t.Heads[1:]
	for i := range t.Rows {
		t.Rows[i] = t.Rows[i][1:]
	}
}

// dropEmpty removes the columns without a value.
func (t *tabular) dropEmpty() {
	for i := len(t.Heads) - 1; i >= 0; i-- {
		if slices.ContainsFunc(t.Rows, func(row []cell) bool { return row[i].Text != "" }) {
			continue
		}
		t.Heads = slices.Delete(t.Heads, i, i+1)
		for k := range t.Rows {
			t.Rows[k] = slices.Delete(t.Rows[k], i, i+1)
		}
		if t.Totals != nil {
			t.Totals = slices.Delete(t.Totals, i, i+1)
		}
	}
}

// sentence returns a text with a capital letter and a full stop.
func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// pageType is the media type of pages.
const pageType = "text/html; charset=utf-8"

// page renders a page.
func (s *server) page(r *http.Request, p page) ([]byte, error) {
	f, who := p.common(), visitorOf(r)
	unknown := who.user == "" && (s.Users != nil || s.Header != "")
	f.surroundings = surroundings{
		Made: s.Made, Network: s.Network, Base: s.base + "/", Here: ownPath(r.RequestURI), Theme: themeOf(r), Packages: s.Packages != "",
		User: who.user, Outside: unknown || s.Ledger == nil,
	}
	if who.session {
		f.Token = s.token(r)
	}
	if ref := refusalOf(r); ref != nil && !ref.shown {
		f.Warnings = append([]string{ref.problem.Detail}, f.Warnings...)
	}
	if f.Scope == nil && f.Kept == nil {
		f.Kept = keptScope(r)
	}
	if f.Outside {
		f.Network, f.Base = "", "/"
	} else {
		f.Known = s.known()
		if f.Scope != nil && !f.noBar {
			f.Bar = s.viewBar(r, f)
		}
	}
	if !unknown && len(s.Options.Ledgers) > 1 {
		f.Ledgers = append(f.Ledgers, navigation{link: link{"All", ledgersPath}, Here: "/"+f.Path == ledgersPath})
		for _, l := range s.Options.Ledgers {
			f.Ledgers = append(f.Ledgers, navigation{link: link{l.Name, "/" + l.Name + "/overview"}, Here: l.Name == s.Name})
		}
	}
	var page pageWriter
	err := document(p).Render(&page)
	return page.Bytes(), err
}

// render writes a page that does not depend on sealed blocks.
func (s *server) render(w http.ResponseWriter, r *http.Request, status int, p page) {
	page, err := s.page(r, p)
	if err != nil {
		s.Log.Error("page", "error", err.Error())
		http.Error(w, "The page cannot be shown. See the server log for the cause.", http.StatusInternalServerError)
		return
	}
	releaseAnswered(w, r)
	if ref := refusalOf(r); ref != nil {
		status = ref.problem.Status
	}
	w.Header().Set("Content-Type", pageType)
	w.WriteHeader(status)
	_, _ = w.Write(page) // the client may have disconnected
}

// shownTo identifies the session of a page that names its user: no other session may get the same page.
func (s *server) shownTo(r *http.Request) string {
	if v := visitorOf(r); v.user != "" {
		return s.token(r)
	}
	return ""
}

var (
	cssComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
	cssSpace   = regexp.MustCompile(`\s*([{};,])\s*`)
)

// compact removes comments and needless space from a style sheet.
func compact(css string) string {
	return cssSpace.ReplaceAllString(cssComment.ReplaceAllString(css, ""), "$1")
}

// fixed serves an embedded file.
func fixed(contentType, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Cache-Control", "max-age=3600")
		_, _ = io.WriteString(w, text) // the client may have disconnected
	}
}
