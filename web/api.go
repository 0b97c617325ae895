package web

import (
	_ "embed"
	"net/http"

	"github.com/feeledger/fees/desk"
	"github.com/feeledger/fees/sheet"
)

// answers are those for programs: JSON as the command line has it.
var answers = []route{
	{"/api/v1/report", (*server).feesFile},
	{"/api/v1/transactions/{name}", alone((*server).transactionJSON)},
	{"/api/v1/accounts/{address}", alone((*server).accountJSON)},
	{"/api/v1/blocks/{height}", alone((*server).blockJSON)},
	{"/api/v1/findings", (*server).findingsJSON},
}

//go:embed page/openapi.json
var openAPIText string

func (s *server) transactionJSON(w http.ResponseWriter, r *http.Request) error {
	return s.file(w, r, func(to *answer) error {
		t, err := s.Desk.Transaction(r.Context(), r.PathValue("name"))
		if err != nil {
			return err
		}
		to.unsealed(w, !t.Sealed)
		return t.Record(s.Labels).WriteJSON(to)
	})
}

func (s *server) accountJSON(w http.ResponseWriter, r *http.Request) error {
	account, err := desk.OneAccount(r.PathValue("address"), s.Labels)
	if err != nil {
		return err
	}
	return s.file(w, r, func(to *answer) error {
		a, err := s.Desk.Account(r.Context(), desk.AccountQuestion{Account: account})
		if err != nil {
			return err
		}
		return a.Record(s.Labels).WriteJSON(to)
	})
}

func (s *server) blockJSON(w http.ResponseWriter, r *http.Request) error {
	height, err := heightOf(r.PathValue("height"))
	if err != nil {
		return err
	}
	return s.file(w, r, func(to *answer) error {
		b, err := s.Desk.Block(r.Context(), height)
		if err != nil {
			return err
		}
		to.unsealed(w, !b.Sealed)
		return desk.BlockRecord(b).WriteJSON(to)
	})
}

// findingsJSON is a line for each finding.
func (s *server) findingsJSON(w http.ResponseWriter, r *http.Request) error {
	_, list, err := s.findingList(r)
	if err != nil {
		return err
	}
	return s.file(w, r, func(to *answer) error {
		to.form = "jsonl"
		return sheet.WriteJSONLines(to, list.Sheet)
	})
}

// unsealed has no browser keep an answer about what may change.
func (a *answer) unsealed(w http.ResponseWriter, is bool) {
	if is {
		w.Header().Del("ETag")
	}
}
