package web

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/sys/markup"
	"github.com/feeledger/fees/internal/table"
)

// findingsPage is the page of findings.
type findingsPage struct {
	frame
	figures
	tables
	Found []*found
}

func (p *findingsPage) main() g.Node {
	return p.body(p.notices.node(), p.figures.node(), each(p.Found, (*found).node), p.tables.node())
}

// findings lists the findings of a period.
func (s *server) findings(w http.ResponseWriter, r *http.Request) error {
	sc, list, err := s.findingList(r, listingParameters...)
	if err != nil {
		return err
	}
	l, err := readListing(sc.own)
	if err != nil {
		return err
	}
	l.zone = list.Held.Zone
	return s.show(w, r, list.Held.Period, func(r *http.Request, _ string) (page, error) {
		found := &foundKinds{server: s, columns: list.Sheet.Columns, byName: map[string]*found{}}
		all, err := readRows(list.Sheet, l, found.add)
		if err != nil {
			return nil, err
		}
		v := &findingsPage{frame: frame{Title: "Findings, " + list.Held.Name, Path: "findings"}}
		v.Scope, v.Warnings = &sc, list.Notes
		v.inWords(list.Held.Name)
		if all.count == 0 {
			v.Lead = "No findings: every check of these blocks passed. The overview shows how many checks were not possible."
		} else {
			v.Lead = "Failed checks, undetermined fees, fee drifts and unrecognised events in these blocks, for all accounts."
			v.Main = []fact{{Name: "findings", cell: cell{Text: fmt.Sprint(all.count), Number: true, Class: "bad"}}}
			v.Found = found.list
			l.sparse = []string{"check", "call", "event"} // each kind has some of them
			if err := v.add(s.part(all, l, sc.in("findings"))); err != nil {
				return nil, err
			}
		}
		v.Facts = append(v.Facts, textFact("evidence", list.Held.Evidence.String()))
		ofAll := sc
		ofAll.Accounts = "" // the file is of all accounts
		v.Downloads = []link{{"CSV", "findings.csv" + ofAll.query(nil)}}
		return v, nil
	})
}

// maxWhere is the number of findings of a kind that its explanation links to.
const maxWhere = 5

// found is a kind of findings, with an explanation.
type found struct {
	app.FindingKind
	Name  string // the ID of a failed check, or the kind
	Count int
	Where []cell // the first ones
}

func (f *found) node() g.Node {
	where := g.Map(f.Where, func(c cell) g.Node { return g.Group{c.node(), markup.Text(" ")} })
	if more := f.Count - len(f.Where); more > 0 {
		where = append(where, markup.Text(fmt.Sprintf("and %d more", more)))
	}
	return markup.El("section", markup.Attr("class", "found"), lines{
		markup.El("h2", markup.Text(f.Title+" "), markup.El("small", markup.Text(f.Name)), markup.Text(" "), markup.El("strong", markup.Text(strconv.Itoa(f.Count)))),
		markup.El("dl",
			markup.El("dt", markup.Text("What it means")), markup.El("dd", markup.Text(f.Meaning)),
			markup.El("dt", markup.Text("What to do")), markup.El("dd", markup.Text(f.Remedy), g.If(f.Command != "", g.Group{markup.El("br"), markup.El("code", markup.Text(f.Command))})),
			markup.El("dt", markup.Text("Where")), markup.El("dd", where),
		),
	})
}

// foundKinds are the kinds of findings in a list, in the order of their first ones.
type foundKinds struct {
	*server
	columns []table.Column
	byName  map[string]*found
	list    []*found
}

// add adds a finding.
func (k *foundKinds) add(row []table.Cell) {
	at := func(name string) (*table.Column, table.Cell) {
		i := columnOf(k.columns, name)
		return &k.columns[i], row[i]
	}
	_, kind := at("kind")
	_, check := at("check")
	name := cmp.Or(check.Text(), kind.Text())
	f := k.byName[name]
	if f == nil {
		_, block := at("block")
		height, _ := block.Height() // each has one
		f = &found{FindingKind: app.KindOfFinding(kind.Text(), check.Text(), height), Name: name}
		switch {
		case strings.HasPrefix(f.Command, "fees ledger "):
			f.Command += k.dataFlag()
		case f.Command != "":
			f.Command += k.tablesFlag()
		}
		k.byName[name] = f
		k.list = append(k.list, f)
	}
	if f.Count++; f.Count > maxWhere {
		return
	}
	column, value := at("place")
	where := k.cell(column, value, nil)
	if where.To == "" { // the whole block
		column, value = at("block")
		where = k.cell(column, value, nil)
	}
	f.Where = append(f.Where, where)
}

func (s *server) findingList(r *http.Request, own ...string) (sc scope, list *app.FindingList, err error) {
	if sc, err = readScope(r.URL.RawQuery, own...); err != nil {
		return sc, nil, err
	}
	if len(sc.list()) > 0 && strings.Contains(r.URL.Path, "findings.") || sc.Accounts != "" && s.forPrograms(r) {
		return sc, nil, invalidRequest("Findings are not listed by account. Remove the parameter accounts.")
	}
	p, err := sc.period()
	if err != nil {
		return sc, nil, err
	}
	list, err = s.Ledger.ListFindings(r.Context(), p)
	return sc, list, err
}

func (s *server) findingsFile(w http.ResponseWriter, r *http.Request) error {
	_, list, err := s.findingList(r)
	if err != nil {
		return err
	}
	return s.file(w, r, list.Held.Period, func(to *answer) error { return table.WriteCSV(to, list.Sheet) })
}
