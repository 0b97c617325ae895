package web

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
)

// overview shows what the ledger contains.
func (s *server) overview(w http.ResponseWriter, r *http.Request) error {
	return s.show(w, r, allSealed, func(string) (*view, error) {
		status, err := s.Desk.Status(r.Context())
		if err != nil {
			return nil, err
		}
		stored, _ := status.Stored.Get()
		sealed, known := status.Sealed.Get()
		symbol, err := s.Desk.Symbol(r.Context())
		if err != nil {
			return nil, err
		}
		v := &view{Title: "Overview", Path: "overview", Live: optionalText(status.Sealed), Command: "fees ledger status" + s.placeFlag(), Unsealed: !known || stored.Last > sealed}
		t := &status.Totals
		v.Main = []fact{amount("fees", chain.Some(t.Fee), symbol), amount("charged on chain", status.Charged, symbol)}
		v.Facts = []fact{
			plain("network", status.Network), plain("blocks", spanText(status.Stored)), plain("last sealed block", optionalText(status.Sealed)),
			plain("time of the last block", optionalText(status.LastTime)), plain("evidence", status.Evidence.String()),
			plain("transactions", fmt.Sprintf("%d evm, %d native", t.EVM, t.Native)),
			amount("burned", status.Burned, symbol), amount("treasury", status.Treasury, symbol), amount("authors", status.Author, symbol),
			{Name: "failed checks", cell: cell{Text: fmt.Sprint(status.Findings), To: "findings"}}, {Name: "fee drifts", cell: cell{Text: fmt.Sprint(t.Drifts), To: "findings"}},
			{Name: "undetermined fees", cell: cell{Text: fmt.Sprint(t.Undetermined), To: "findings"}}, {Name: "unrecognised events", cell: cell{Text: fmt.Sprint(status.Unread), To: "findings"}}, plain("checks not possible", fmt.Sprint(status.Unanswered)),
		}
		if t.Undetermined > 0 {
			v.Warnings = append(v.Warnings, incomplete(t.Undetermined))
		}
		for _, gap := range status.Gaps {
			v.Warnings = append(v.Warnings, fmt.Sprintf("Blocks %v are missing.", gap))
		}
		if status.NotFinal > 0 {
			v.Warnings = append(v.Warnings, console.Counted(status.NotFinal, "block")+" "+console.Verb(status.NotFinal, "is", "are")+" not final yet.")
		}
		if !status.Sealed.Known() {
			v.Lead = "No sealed blocks yet. Run fees sync to fill the ledger."
			v.Remedy = "fees sync --month 2026-01" + s.placeFlag()
			return v, nil
		}
		if err := s.closedTable(r.Context(), v); err != nil {
			return nil, err
		}
		months, err := s.Desk.Report(r.Context(), app.ReportQuestion{Question: app.Question{Period: app.Period{All: true}}, Choice: report.Choice{By: report.Month}})
		if err != nil {
			return nil, err
		}
		v.Chart = chartOf(months, nil, monthPage)
		brief := listing{brief: details}
		table, err := s.list(months.Sheet(), brief, func(l listing) string { return "fees?" + l.with(url.Values{"by": {string(report.Month)}}).Encode() })
		if err != nil {
			return nil, err
		}
		table.Title = "Fees by month"
		for _, row := range table.Rows {
			row[0].To = monthPage(row[0].Text)
		}
		v.Tables = append(v.Tables, table)
		v.Downloads = fileLinks(feesForms, "fees", "?by=month")
		return v, nil
	})
}

// monthPage returns the page of a month's fees, or "" if name is not a month.
func monthPage(name string) string {
	if !aMonth.MatchString(name) {
		return ""
	}
	return "fees?partial=1&period=" + name
}

// nowhere leaves a chart's bars without links.
func nowhere(string) string { return "" }
