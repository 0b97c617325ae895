package web

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"strings"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/table"
)

//go:embed page/page.html
var pageText string

//go:embed page/style.css
var styleText string

//go:embed page/page.js
var scriptText string

//go:embed page/icon.svg
var iconText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"words": words}).Parse(pageText))

// view is a page. The template escapes all text in it.
type view struct {
	Title     string
	Lead      string   // a sentence on what it is
	Failed    bool     // it is no answer
	Path      string   // of the page
	Scope     *scope   // nil where the page is about no period
	Form      *form    // what it can be asked for, with the scope in it
	Last      *form    // what can be done with what is shown
	Warnings  []string // what is missing, or does not hold
	Ways      []link   // out of that
	Refresh   int      // seconds until the page is to be asked for again; 0 is never
	Packages  bool     // the server shows packages
	Main      []fact   // the figures that most come for
	Facts     []fact
	Steps     []stepGroup
	Parts     []part // where a fee went
	Tables    []*tabular
	Notes     []string
	Links     []link // to what belongs to it
	Downloads []link
	Command   string // the same question on the command line
	Made      string // the command before it, which makes the ledger
	Chart     *chart
	Around    []link // to what stands before and after it
	Theme     string // light or dark; "" as the browser has it
	Sealed    string // what the ledger has sealed, of which the answer is
	Unsealed  bool   // the answer is of what is not sealed yet
	Live      string // the last sealed block, on a page that says when there are newer ones
	Network   string
	Base      string // what the paths of the ledger begin with: links go on from there
	Here      string // the page's own address, for links within it
	Ledgers   []navigation
	Outside   bool   // it is of no ledger: for who is not known, it tells nothing of them
	User      string // whom it is shown to; "" where nobody needs to be known
	Token     string // of the user's log-out; "" where there is none
	LogIn     *logIn // of the page to log in at
	Onward    string // where the page leads at once
}

// add adds a table, which may not have been made.
func (v *view) add(t *tabular, err error) error {
	v.Tables = append(v.Tables, t)
	return err
}

// fact is a name with what stands beside it.
type fact struct {
	Name string
	cell
}

// link leads somewhere.
type link struct{ Text, To string }

// cell is a value with where it leads.
type cell struct {
	Text  string
	Exact string // in wei, where it is an amount
	Unit  string // that stands behind it
	Share string // how much it is of the greatest, in percent; "" where that is not drawn
	To    string
	Class string
	// Sorted is how a column's rows stand by it: ascending or descending; "" is not at all.
	Sorted string
}

// digitsInk is how many decimals of an amount are read first.
const digitsInk = 6

// Head is what of an amount is read first.
func (c cell) Head() string { head, _, _ := c.digits(); return head }

// Tail are the decimals behind it, up to the last that is not 0.
func (c cell) Tail() string { _, tail, _ := c.digits(); return tail }

// Zeros are those that are left.
func (c cell) Zeros() string { _, _, zeros := c.digits(); return zeros }

// digits cuts an amount as it is read. Together the parts are the text, but for 0.
func (c cell) digits() (head, tail, zeros string) {
	if c.Text != "" && strings.Trim(c.Text, "0.") == "" { // a zero that is known is short
		return "0", "", ""
	}
	whole, decimals, ok := strings.Cut(c.Text, ".")
	if !ok || len(decimals) < digitsInk {
		return c.Text, "", ""
	}
	end := max(len(strings.TrimRight(decimals, "0")), digitsInk)
	return whole + "." + decimals[:digitsInk], decimals[digitsInk:end], decimals[end:]
}

// tabular is a table.
type tabular struct {
	Title  string
	Heads  []cell
	Rows   [][]cell
	Totals []cell
	More   string // says that there are more rows
	Links  []link // to them, and to other forms of the table
}

// words is a name in snake case as words.
func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

// pageType is the type of pages.
const pageType = "text/html; charset=utf-8"

// page makes a page.
func (s *server) page(r *http.Request, v *view) ([]byte, error) {
	v.Made = s.Made
	v.Network, v.Base, v.Here, v.Theme, v.Packages = s.Network, s.base+"/", r.RequestURI, themeOf(r), s.Packages != ""
	who := visitorOf(r)
	unknown := who.user == "" && (s.Users != nil || s.Header != "")
	v.User, v.Outside = who.user, unknown || s.Desk == nil
	if who.session {
		v.Token = s.token(r)
	}
	if v.Outside {
		v.Network, v.Base = "", "/"
	}
	if !unknown && len(s.Options.Ledgers) > 1 {
		for _, l := range s.Options.Ledgers {
			v.Ledgers = append(v.Ledgers, navigation{link{l.Name, "/" + l.Name + "/cockpit"}, l.Name == s.Name})
		}
	}
	var page bytes.Buffer
	err := pageTemplate.Execute(&page, v)
	return page.Bytes(), err
}

// render writes a page that is no answer about what is sealed.
func (s *server) render(w http.ResponseWriter, r *http.Request, status int, v *view) {
	page, err := s.page(r, v)
	if err != nil {
		s.Log.Error("page", "error", err.Error())
		http.Error(w, "The page cannot be written: the log of the server says why.", http.StatusInternalServerError)
		return
	}
	answered(w, r)
	w.Header().Set("Content-Type", pageType)
	w.WriteHeader(status)
	_, _ = w.Write(page) // whoever has gone does not read it
}

// shownTo is of whom a page is, where it names somebody: no other session has the same page.
func (s *server) shownTo(r *http.Request) string {
	if v := visitorOf(r); v.user != "" {
		return s.token(r)
	}
	return ""
}

// fixed sends a file that the program has.
func fixed(contentType, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Cache-Control", "max-age=3600")
		_, _ = io.WriteString(w, text) // whoever has gone does not read it
	}
}

// mostRows is how many rows of a table a page has.
const mostRows = 500

// table makes a table of a sheet, with links where a column leads somewhere. Its totals are of all
// rows, also of those that the page has not.
func (s *server) table(from *table.Sheet, most int) (*tabular, error) {
	t := &tabular{Title: from.Title}
	for i, name := range from.Headings() {
		t.Heads = append(t.Heads, cell{Text: name, Class: classOf(from.Columns[i].Kind)})
	}
	count := 0
	totals, err := from.Each(func(row []table.Cell) error {
		if count++; count > most {
			return nil
		}
		cells := make([]cell, len(row))
		for i, c := range row {
			cells[i] = s.cell(&from.Columns[i], c)
		}
		t.Rows = append(t.Rows, cells)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, c := range totals {
		t.Totals = append(t.Totals, s.cell(&from.Columns[i], c))
	}
	if count > most {
		t.More = fmt.Sprintf("%d rows more are not shown.", count-most)
		if totals != nil {
			t.More += " The totals are of all."
		}
	}
	return t, nil
}

func classOf(k table.Kind) string {
	switch {
	case k.IsRight():
		return "figure"
	case k == table.Hash || k == table.Address:
		return "hex"
	}
	return ""
}

// cell is a value as a page shows it: hashes and addresses are shortened, and lead to their page.
func (s *server) cell(c *table.Column, v table.Cell) cell {
	shown := cell{Text: v.Text, Class: classOf(c.Kind)}
	if v.Exact == "" {
		return shown
	}
	switch {
	case c.Kind == table.Wei || c.Kind == table.SignedWei:
		shown.Exact = v.Exact
	case c.Kind == table.Address:
		shown.To, shown.Text = "account/"+v.Exact, s.called(v.Exact)
	case c.Kind == table.Hash && c.Name != "parent_hash":
		shown.To, shown.Text = "lookup?q="+v.Exact, console.Ends(v.Exact, 4)
	case c.Name == "place" || c.Name == "id":
		if isPlace.MatchString(v.Exact) {
			shown.To = "tx/" + v.Exact
		}
	case c.Kind == table.Integer && (c.Name == "block" || c.Name == "number"):
		shown.To = "block/" + v.Exact
	}
	return shown
}
