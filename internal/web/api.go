package web

import (
	"net/http"
	"slices"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/internal/table"
)

// answers lists the routes of the API: JSON as printed by the command line.
func answers() []route {
	period := []string{"period", "zone", "partial"}
	payers := append(slices.Clip(period), "accounts")
	return []route{
		{path: "/api/v1/report", ask: (*server).feesFile, about: "The fees of a period: fees report --format json", parameters: slices.Concat(payers, feesParameters)},
		{path: "/api/v1/variance", ask: (*server).varianceFile, about: "Why fees changed: fees variance --format json", parameters: slices.Concat(payers, varianceParameters)},
		{path: "/api/v1/transactions", ask: (*server).transactionsJSON, about: "Transactions in chain order", parameters: slices.Concat(payers, report.OnlyNames(), []string{"after", "limit"})},
		{path: "/api/v1/transactions/{name}", ask: withoutParameters((*server).transactionJSON), about: "A transaction: fees tx --format json"},
		{path: "/api/v1/transactions/{name}/explanation", ask: withoutParameters((*server).explanationJSON), about: "The calculation of a fee: fees explain --format json"},
		{path: "/api/v1/accounts/{address}", ask: withoutParameters((*server).accountJSON), about: "An account: fees account --format json"},
		{path: "/api/v1/accounts/{address}/statement", ask: (*server).statementFile, about: "An account statement: fees statement --format json", parameters: append(slices.Clip(period), "price", "balances")},
		{path: "/api/v1/accounts/{address}/rollforward", ask: (*server).rollforwardFile, about: "A balance rollforward: fees rollforward --format json", parameters: append(slices.Clip(period), "price", "balances")},
		{path: "/api/v1/deposits", ask: (*server).depositsFile, about: "Deposits: fees deposits --format json", parameters: append(slices.Clip(payers), "part")},
		{path: "/api/v1/blocks/{height}", ask: withoutParameters((*server).blockJSON), about: "A block: fees show --format json"},
		{path: "/api/v1/findings", ask: (*server).findingsJSON, about: "Findings, one per line", parameters: period, form: "jsonl"},
		{path: "/api/v1/packages", ask: withoutParameters((*server).packagesJSON), about: "The close packages"},
		{path: "/api/v1/packages/{package}", ask: withoutParameters(ofPackage((*server).packageJSON)), about: "A close package: manifest, versions, changes and check results"},
		{path: "/api/v1/openapi.json", ask: withoutParameters((*server).describe), about: "This description"},
	}
}

func (s *server) transactionJSON(w http.ResponseWriter, r *http.Request) error {
	return s.file(w, r, allSealed, func(to *answer) error {
		t, err := s.Ledger.Transaction(r.Context(), r.PathValue("name"))
		if err != nil {
			return err
		}
		to.unsealed(w, !t.Sealed)
		return t.Record(s.labels()).WriteJSON(to)
	})
}

func (s *server) explanationJSON(w http.ResponseWriter, r *http.Request) error {
	if s.Source == nil {
		return &problem{http.StatusNotFound, "Not found", "This server has no source of blocks. Start it with fees serve --gateway URL."}
	}
	return s.file(w, r, allSealed, func(to *answer) error {
		t, err := s.Ledger.Transaction(r.Context(), r.PathValue("name"))
		if err != nil {
			return err
		}
		to.unsealed(w, !t.Sealed || !s.isArchive())
		bill, err := s.explanation(r, t)
		if err != nil {
			return err
		}
		return jsontext.Write(to, app.LabelledExplanation(bill, s.labels()))
	})
}

func (s *server) accountJSON(w http.ResponseWriter, r *http.Request) error {
	account, err := app.OneAccount(r.PathValue("address"), s.labels())
	if err != nil {
		return err
	}
	return s.file(w, r, allSealed, func(to *answer) error {
		return s.runLongRead(r, func() error {
			a, err := s.Ledger.Account(r.Context(), app.AccountRequest{Account: account})
			if err != nil {
				return err
			}
			return a.Record(s.labels()).WriteJSON(to)
		})
	})
}

func (s *server) blockJSON(w http.ResponseWriter, r *http.Request) error {
	height, err := heightOf(r.PathValue("height"))
	if err != nil {
		return err
	}
	return s.file(w, r, allSealed, func(to *answer) error {
		b, err := s.Ledger.Block(r.Context(), height)
		if err != nil {
			return err
		}
		to.unsealed(w, !b.Sealed)
		return app.BlockRecord(b).WriteJSON(to)
	})
}

// findingsJSON sends the findings, one per line.
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

// unsealed forbids the browser to cache an answer that may change.
func (a *answer) unsealed(w http.ResponseWriter, is bool) {
	if is {
		w.Header().Del("ETag")
	}
}
