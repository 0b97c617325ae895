package web

import (
	"net/http"
	"slices"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/internal/table"
)

// answers are those for programs: JSON as the command line has it.
func answers() []route {
	period := []string{"period", "zone", "partial"}
	payers := append(slices.Clip(period), "accounts")
	return []route{
		{path: "/api/v1/report", ask: (*server).feesFile, about: "The fees of a period: fees report --format json", parameters: slices.Concat(payers, feesParameters)},
		{path: "/api/v1/transactions", ask: (*server).transactionsJSON, about: "Transactions one by one, in the order of the chain", parameters: slices.Concat(payers, report.OnlyNames(), []string{"after", "limit"})},
		{path: "/api/v1/transactions/{name}", ask: alone((*server).transactionJSON), about: "A transaction: fees tx --format json"},
		{path: "/api/v1/transactions/{name}/explanation", ask: alone((*server).explanationJSON), about: "How a fee came about: fees explain --format json"},
		{path: "/api/v1/accounts/{address}", ask: alone((*server).accountJSON), about: "An account: fees account --format json"},
		{path: "/api/v1/accounts/{address}/statement", ask: (*server).statementFile, about: "What became of a balance: fees statement --format json", parameters: append(slices.Clip(period), "price", "balances")},
		{path: "/api/v1/accounts/{address}/rollforward", ask: (*server).rollforwardFile, about: "What led from one balance to another: fees rollforward --format json", parameters: append(slices.Clip(period), "price", "balances")},
		{path: "/api/v1/blocks/{height}", ask: alone((*server).blockJSON), about: "A block: fees show --format json"},
		{path: "/api/v1/findings", ask: (*server).findingsJSON, about: "What does not hold, a line for each", parameters: period, form: "jsonl"},
		{path: "/api/v1/packages", ask: alone((*server).packagesJSON), about: "The packages of closed months"},
		{path: "/api/v1/packages/{package}", ask: alone(ofPackage((*server).packageJSON)), about: "A package: its manifest, its versions, what changed, how it was checked"},
		{path: "/api/v1/openapi.json", ask: alone((*server).describe), about: "This description"},
	}
}

func (s *server) transactionJSON(w http.ResponseWriter, r *http.Request) error {
	return s.file(w, r, allSealed, func(to *answer) error {
		t, err := s.Desk.Transaction(r.Context(), r.PathValue("name"))
		if err != nil {
			return err
		}
		to.unsealed(w, !t.Sealed)
		return t.Record(s.Labels).WriteJSON(to)
	})
}

func (s *server) explanationJSON(w http.ResponseWriter, r *http.Request) error {
	if s.Source == nil {
		return &problem{http.StatusNotFound, "Not there", "This server reads no blocks: fees serve --gateway names who has them."}
	}
	return s.file(w, r, allSealed, func(to *answer) error {
		t, err := s.Desk.Transaction(r.Context(), r.PathValue("name"))
		if err != nil {
			return err
		}
		to.unsealed(w, !t.Sealed || !s.isArchive())
		bill, err := s.explanation(r, t)
		if err != nil {
			return err
		}
		return jsontext.Write(to, app.LabelledInvoice(bill, s.Labels))
	})
}

func (s *server) accountJSON(w http.ResponseWriter, r *http.Request) error {
	account, err := app.OneAccount(r.PathValue("address"), s.Labels)
	if err != nil {
		return err
	}
	return s.file(w, r, allSealed, func(to *answer) error {
		a, err := s.Desk.Account(r.Context(), app.AccountQuestion{Account: account})
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
	return s.file(w, r, allSealed, func(to *answer) error {
		b, err := s.Desk.Block(r.Context(), height)
		if err != nil {
			return err
		}
		to.unsealed(w, !b.Sealed)
		return app.BlockRecord(b).WriteJSON(to)
	})
}

// findingsJSON is a line for each finding.
func (s *server) findingsJSON(w http.ResponseWriter, r *http.Request) error {
	_, list, err := s.findingList(r)
	if err != nil {
		return err
	}
	return s.file(w, r, list.Held.Period, func(to *answer) error {
		to.form = "jsonl" // see answers
		return table.WriteJSONLines(to, list.Sheet)
	})
}

// unsealed has no browser keep an answer about what may change.
func (a *answer) unsealed(w http.ResponseWriter, is bool) {
	if is {
		w.Header().Del("ETag")
	}
}
