package web

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/table"
)

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
	return s.show(w, r, list.Held.Period, func(r *http.Request, _ string) (*view, error) {
		all, err := keepRows(list.Sheet)
		if err != nil {
			return nil, err
		}
		v := &view{Title: "Findings, " + list.Held.Name, Path: "findings", Scope: &sc, Warnings: list.Notes}
		if all.count == 0 {
			v.Lead = "No findings: every check of these blocks passed. The overview shows how many checks were not possible."
		} else {
			v.Lead = "Failed checks, undetermined fees, fee drifts and unrecognised events in these blocks, for all accounts."
			v.Main = []fact{{Name: "findings", cell: cell{Text: fmt.Sprint(all.count), Number: true, Class: "bad"}}}
			if v.Found, err = s.explained(all, l.zone); err != nil {
				return nil, err
			}
			if err := v.add(s.part(all, l, sc.in("findings"))); err != nil {
				return nil, err
			}
		}
		v.Facts = append(v.Facts, plain("evidence", list.Held.Evidence.String()))
		v.Downloads = []link{{"CSV", "findings.csv" + sc.query(nil)}}
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

// More returns how many findings are in the table only.
func (f *found) More() int { return f.Count - len(f.Where) }

// explained returns the kinds of findings in a list, in the order of their first ones.
func (s *server) explained(all *rows, zone *time.Location) (list []*found, err error) {
	kind, what, place, block := columnOf(all, "kind"), columnOf(all, "what"), columnOf(all, "place"), columnOf(all, "block")
	byName := map[string]*found{}
	var wrong error
	err = all.each(0, func(row []table.Cell) bool {
		name := row[kind].Text
		if name == "check" {
			name = row[what].Text
		}
		f := byName[name]
		if f == nil {
			var height uint64
			if height, wrong = strconv.ParseUint(row[block].Exact, 10, 64); wrong != nil {
				return false
			}
			f = &found{FindingKind: app.KindOfFinding(row[kind].Text, row[what].Text, height), Name: name}
			if strings.HasPrefix(f.Command, "fees ledger ") {
				f.Command += s.placeFlag()
			}
			byName[name] = f
			list = append(list, f)
		}
		if f.Count++; f.Count <= maxWhere {
			at := s.cell(&all.columns[place], row[place], zone)
			if at.To == "" { // the whole block
				at = s.cell(&all.columns[block], row[block], zone)
			}
			f.Where = append(f.Where, at)
		}
		return true
	})
	return list, errors.Join(err, wrong)
}

func (s *server) findingList(r *http.Request, own ...string) (sc scope, list *app.FindingList, err error) {
	if sc, err = readScope(r.URL.RawQuery, own...); err != nil {
		return sc, nil, err
	}
	if sc.Accounts != "" {
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
