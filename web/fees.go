package web

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/desk"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/report"
	"github.com/feeledger/fees/sheet"
)

// feesQuestion reads what a page of fees, or a file of them, is asked for.
func (s *server) feesQuestion(r *http.Request) (sc scope, q desk.ReportQuestion, err error) {
	if sc, err = readScope(r.URL.RawQuery, "by"); err != nil {
		return sc, q, err
	}
	q.By = report.By(cmp.Or(sc.own.Get("by"), string(report.Day)))
	if !slices.Contains(report.Groupings(), q.By) {
		return sc, q, notUnderstood("by=%s: there are %s.", console.Printable(string(q.By)), strings.Join(groupings(), ", "))
	}
	chosen, err := s.choose(sc.list())
	if err != nil {
		return sc, q, err
	}
	q.Labels, q.Payers = chosen.Labels, chosen.Accounts
	q.Period, err = sc.period()
	return sc, q, err
}

// choose finds accounts by their addresses, labels and groups. The command line takes files, too: an
// address of this server names none.
func (s *server) choose(names []string) (*desk.Chosen, error) {
	for _, name := range names {
		if !desk.IsAddress(name) && !strings.HasPrefix(name, desk.GroupPrefix) && (s.Labels == nil || !s.Labels.Names(name)) {
			return nil, notUnderstood("accounts: %q is no address, no %sNAME, and no label of the address book.", console.Printable(name), desk.GroupPrefix)
		}
	}
	return s.Labels.Choose(names)
}

func groupings() (names []string) {
	for _, by := range report.Groupings() {
		names = append(names, string(by))
	}
	return names
}

// fees are the fees of a period, by any grouping.
func (s *server) fees(w http.ResponseWriter, r *http.Request) error {
	sc, q, err := s.feesQuestion(r)
	if err != nil {
		return err
	}
	return s.show(w, r, func() (*view, error) {
		made, err := s.Desk.Report(r.Context(), q)
		if err != nil {
			return nil, err
		}
		v := &view{Title: made.Title(), Path: "fees", Scope: &sc, Warnings: made.Partial, Notes: made.Notes[len(made.Partial):]}
		v.Choices = []choice{{"by", string(q.By), groupings()}}
		v.Lead = "Evidence: " + made.Evidence.String() + "."
		t := &made.Totals
		v.Facts = []fact{
			amount("fees", chain.Some(t.Fee), made.Symbol), amount("charged", t.Charged, made.Symbol), plain("transactions", fmt.Sprintf("%d evm, %d native", t.EVM, t.Native)),
			amount("burned", t.Burned, made.Symbol), amount("treasury", t.Treasury, made.Symbol), amount("authors", t.Author, made.Symbol),
		}
		if t.Undetermined > 0 {
			v.Warnings = append(v.Warnings, fmt.Sprintf("INCOMPLETE: %s undetermined, and in no sum of fees.", console.Counted(t.Undetermined, "fee")+" "+console.Verb(t.Undetermined, "is", "are")))
		}
		if v.Charts, err = made.Charts(); err != nil {
			return nil, err
		}
		table, err := s.table(made.Sheet(), mostRows)
		if err != nil {
			return nil, err
		}
		s.narrower(table, &sc, q.By)
		v.Tables = []*tabular{table}
		own := url.Values{}
		if q.By != report.Day {
			own.Set("by", string(q.By))
		}
		for _, form := range []string{"csv", "xlsx", "json"} {
			v.Downloads = append(v.Downloads, link{strings.ToUpper(form), "fees." + form + sc.query(own)})
		}
		v.Command = "fees report" + sc.flags() + byFlag(q.By) + s.ledgerFlag()
		return v, nil
	})
}

// narrower leads from days and months to what they have.
func (s *server) narrower(t *tabular, sc *scope, by report.By) {
	next := map[report.By]string{report.Month: "day", report.Day: "account"}[by]
	if next == "" {
		return
	}
	for _, row := range t.Rows {
		narrow := *sc
		switch {
		case by == report.Month && aMonth.MatchString(row[0].Text):
			narrow.Period = row[0].Text
		case by == report.Day:
			narrow.Period = row[0].Text + ".." + row[0].Text
		default:
			continue
		}
		narrow.Partial = true
		row[0].To = "fees" + narrow.query(url.Values{"by": {next}})
	}
}

func byFlag(by report.By) string {
	if by == report.Day {
		return ""
	}
	return " --by " + string(by)
}

// feesFile is the same as a file, or as the JSON of the command line.
func (s *server) feesFile(w http.ResponseWriter, r *http.Request) error {
	_, q, err := s.feesQuestion(r)
	if err != nil {
		return err
	}
	return s.file(w, r, func(to *answer) error {
		made, err := s.Desk.Report(r.Context(), q)
		if err != nil {
			return err
		}
		switch to.form {
		case "csv":
			return sheet.WriteCSV(to, made.Sheet())
		case "xlsx":
			return sheet.WriteXLSX(to, made.Sheet())
		}
		return report.WriteJSON(to, made)
	})
}
