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

// cockpit says what the ledger holds.
func (s *server) cockpit(w http.ResponseWriter, r *http.Request) error {
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
		v := &view{Title: "What the ledger holds", Path: "cockpit", Live: optionalText(status.Sealed), Command: "fees ledger status" + s.placeFlag(), Unsealed: !known || stored.Last > sealed}
		t := &status.Totals
		v.Main = []fact{amount("fees", chain.Some(t.Fee), symbol), amount("the chain charged", status.Charged, symbol)}
		v.Facts = []fact{
			plain("network", status.Network), plain("blocks", spanText(status.Stored)), plain("sealed up to block", optionalText(status.Sealed)),
			plain("last block of", optionalText(status.LastTime)), plain("evidence", status.Evidence.String()),
			plain("transactions", fmt.Sprintf("%d evm, %d native", t.EVM, t.Native)),
			amount("burned", status.Burned, symbol), amount("treasury", status.Treasury, symbol), amount("authors", status.Author, symbol),
			{Name: "checks that do not hold", cell: cell{Text: fmt.Sprint(status.Findings), To: "findings"}}, {Name: "fees charged otherwise", cell: cell{Text: fmt.Sprint(t.Drifts), To: "findings"}},
			{Name: "undetermined fees", cell: cell{Text: fmt.Sprint(t.Undetermined), To: "findings"}}, {Name: "events not understood", cell: cell{Text: fmt.Sprint(status.Unread), To: "findings"}}, plain("questions not answered", fmt.Sprint(status.Unanswered)),
		}
		if t.Undetermined > 0 {
			v.Warnings = append(v.Warnings, incomplete(t.Undetermined))
		}
		for _, gap := range status.Gaps {
			v.Warnings = append(v.Warnings, fmt.Sprintf("The blocks %v are missing.", gap))
		}
		if status.NotFinal > 0 {
			v.Warnings = append(v.Warnings, console.Counted(status.NotFinal, "block")+" "+console.Verb(status.NotFinal, "is", "are")+" not final yet.")
		}
		if !status.Sealed.Known() {
			v.Lead = "Nothing is sealed yet. fees sync fills the ledger."
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
		return v, nil
	})
}

// monthPage is the page of a month's fees; "" of what is no month.
func monthPage(name string) string {
	if !aMonth.MatchString(name) {
		return ""
	}
	return "fees?partial=1&period=" + name
}

// nowhere is where the bars lead of a chart that is as narrow as it can be.
func nowhere(string) string { return "" }
