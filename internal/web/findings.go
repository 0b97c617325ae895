package web

import (
	"fmt"
	"net/http"

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
	return s.show(w, r, list.Held.Period, func(string) (*view, error) {
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
			for kind, count := range list.Count.Counts {
				v.Facts = append(v.Facts, fact{Name: kind, cell: cell{Text: fmt.Sprint(count), Number: true}})
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
