package web

import (
	"net/http"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/table"
)

// findings are what does not hold.
func (s *server) findings(w http.ResponseWriter, r *http.Request) error {
	sc, list, err := s.findingList(r)
	if err != nil {
		return err
	}
	return s.show(w, r, list.Held.Period, func(string) (*view, error) {
		table, err := s.table(list.Sheet, mostRows)
		if err != nil {
			return nil, err
		}
		v := &view{Title: "Findings, " + list.Held.Name, Path: "findings", Scope: &sc, Form: sc.asked("findings", "", nil, nil), Warnings: list.Notes, Tables: []*tabular{table}}
		v.Lead = "What does not hold in these blocks, whosever it is: checks, fees that no rule gives or that the chain did not charge like that, events that are not understood."
		if len(table.Rows) == 0 {
			v.Lead, v.Tables = "No finding: each check that was made of these blocks holds, and each fee. The cockpit says how many questions were not answered.", nil
		}
		v.Facts = []fact{plain("evidence", list.Held.Evidence.String())}
		v.Downloads = []link{{"CSV", "findings.csv" + sc.query(nil)}}
		return v, nil
	})
}

func (s *server) findingList(r *http.Request) (sc scope, list *app.FindingList, err error) {
	if sc, err = readScope(r.URL.RawQuery); err != nil {
		return sc, nil, err
	}
	if sc.Accounts != "" {
		return sc, nil, notUnderstood("Findings are those of all: leave the accounts out.")
	}
	p, err := sc.period()
	if err != nil {
		return sc, nil, err
	}
	list, err = s.Desk.ListFindings(r.Context(), p)
	return sc, list, err
}

func (s *server) findingsFile(w http.ResponseWriter, r *http.Request) error {
	_, list, err := s.findingList(r)
	if err != nil {
		return err
	}
	return s.file(w, r, list.Held.Period, func(to *answer) error { return table.WriteCSV(to, list.Sheet) })
}
