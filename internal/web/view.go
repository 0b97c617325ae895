package web

import (
	"bytes"
	"cmp"
	_ "embed"
	"html/template"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
)

//go:embed page/page.html
var pageText string

//go:embed page/style.css
var styleText string

//go:embed page/cards.css
var cardsText string

//go:embed page/page.js
var scriptText string

//go:embed page/icon.svg
var iconText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"words": words}).Parse(pageText + report.ChartTemplate))

// view is the content of a page. The template escapes all its text.
type view struct {
	Title     string
	Lead      string // a one-sentence summary
	Failed    bool   // the page is an error
	Away      bool   // the ledger may not answer
	Path      string // of the page
	Scope     *scope // nil if the page has no period, or a month only
	Month     string // of the overview; "" for none
	Bar       *viewBar
	Whose     bool      // the page can be limited to accounts
	Fields    []control // of the view
	Filters   []control
	By        []navigation // other groupings
	Form      *form
	Last      *form      // the action on the content
	Top       *form      // the same, beside the title
	Primary   *link      // the main download, beside the title
	Side      []*tabular // beside the other content in a wide window
	Warnings  []string   // missing data and failed checks
	Ways      []link     // suggested remedies
	Refresh   int        // reload interval in seconds; 0 for never
	Packages  bool       // the server has packages
	First     *tabular   // above the figures; nil for none
	Sum       *tabular   // how the figures add up, beside or above the chart; nil for none
	Beside    bool       // Sum has room beside the chart in a wide window
	Main      []fact     // the main figures
	Facts     []fact
	Steps     []stepGroup
	Parts     []part // the distribution of a fee
	Found     []*found
	Tables    []*tabular
	Groups    []*differences
	Paper     bool  // the page is meant for paper, too
	PDF       *link // its document; nil for none
	Notes     []string
	Links     []link // to related pages
	Downloads []link
	Command   string   // the equivalent command
	Remedy    string   // the command that repairs a failure
	Sought    string   // the text that was looked up
	Known     []string // names that the look-up suggests
	Made      string   // the command that creates the ledger first
	Chart     *report.Chart
	Around    []link // to the previous and the next page
	Theme     string // light or dark; "" to follow the browser
	Sealed    string // the sealed state that the answer is based on
	Unsealed  bool   // the answer depends on more than sealed blocks
	Live      string // the last sealed block, on a page that announces newer ones
	Network   string
	Base      string // the path prefix of the ledger's links
	Here      string // the page's own URL, for links within it
	Ledgers   []navigation
	Outside   bool   // the page belongs to no ledger and reveals nothing about them
	User      string // the logged-in user; "" if none
	Token     string // for the log-out form; "" if none
	LogIn     *logIn // the log-in form
	Onward    string // the page to redirect to
}

// add adds a table unless building it failed.
func (v *view) add(t *tabular, err error) error {
	v.Tables = append(v.Tables, t)
	return err
}

// Printed is the page's title, period and time zone for the foot of each sheet of paper, which lacks the view bar.
func (v *view) Printed() string {
	sc, text := v.Scope, v.Title
	if sc == nil {
		return text
	}
	if sc.Period == "" || !strings.Contains(text, sc.Period) {
		text += ", " + sc.name()
	}
	return text + ", " + cmp.Or(console.Printable(sc.Zone), "UTC")
}

// fact is a name with a value.
type fact struct {
	Name string
	cell
}

// link is a link.
type link struct{ Text, To string }

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
	Short  string // of a heading with a unit, the name only
}

// Label returns the text of a heading beside a value.
func (c cell) Label() string { return cmp.Or(c.Short, c.Text) }

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

// abbreviation matches the abbreviations in a name.
var abbreviation = regexp.MustCompile(`\b(evm|id)\b`)

// words converts a name in snake case to words.
func words(name string) string {
	return abbreviation.ReplaceAllStringFunc(strings.ReplaceAll(name, "_", " "), strings.ToUpper)
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
func (s *server) page(r *http.Request, v *view) ([]byte, error) {
	v.Made = s.Made
	v.Network, v.Base, v.Here, v.Theme, v.Packages = s.Network, s.base+"/", r.RequestURI, themeOf(r), s.Packages != ""
	who := visitorOf(r)
	unknown := who.user == "" && (s.Users != nil || s.Header != "")
	v.User, v.Outside = who.user, unknown || s.Ledger == nil
	if who.session {
		v.Token = s.token(r)
	}
	if v.Outside {
		v.Network, v.Base = "", "/"
	}
	if !unknown && len(s.Options.Ledgers) > 1 {
		for _, l := range s.Options.Ledgers {
			v.Ledgers = append(v.Ledgers, navigation{link: link{l.Name, "/" + l.Name + "/overview"}, Here: l.Name == s.Name})
		}
	}
	whole, beside := windows, windows
	if len(v.Side) > 0 {
		beside = windows[1:]
	}
	for _, t := range v.Side {
		t.fitSide()
	}
	v.First.fit(whole)
	sum, _, _ := v.Sum.fit(whole)
	v.Beside = v.Chart != nil && sum <= sumRoom
	for _, t := range v.Tables {
		t.fit(beside)
	}
	for _, d := range v.Groups {
		d.Table.fit(beside)
	}
	if !v.Outside && s.Ledger != nil {
		if v.Known = s.known(); (v.Scope != nil || v.Month != "") && (v.Form == nil || !v.Form.has("period")) {
			v.Bar = s.viewBar(r, v)
		}
	}
	var page bytes.Buffer
	err := pageTemplate.Execute(&page, v)
	return page.Bytes(), err
}

// render writes a page that does not depend on sealed blocks.
func (s *server) render(w http.ResponseWriter, r *http.Request, status int, v *view) {
	page, err := s.page(r, v)
	if err != nil {
		s.Log.Error("page", "error", err.Error())
		http.Error(w, "The page cannot be shown. See the server log for the cause.", http.StatusInternalServerError)
		return
	}
	releaseAnswered(w, r)
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
