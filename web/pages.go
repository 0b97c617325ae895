package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/desk"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/report"
	"github.com/feeledger/fees/sheet"
)

// isPlace is how a transaction's place is written.
var isPlace = regexp.MustCompile(`^[0-9]+-[0-9]+$`)

// route is a path with who answers there.
type route struct {
	path string
	ask  asker
}

type asker = func(*server, http.ResponseWriter, *http.Request) error

// alone is an answer that no parameter changes: each is refused.
func alone(ask asker) asker {
	return func(s *server, w http.ResponseWriter, r *http.Request) error {
		if _, err := parameters(r.URL.RawQuery); err != nil {
			return err
		}
		return ask(s, w, r)
	}
}

// pages are those that people see.
var pages = []route{
	{"/cockpit", alone((*server).cockpit)},
	{"/fees", (*server).fees},
	{"/fees.csv", (*server).feesFile},
	{"/fees.xlsx", (*server).feesFile},
	{"/fees.json", (*server).feesFile},
	{"/tx/{name}", alone((*server).transaction)},
	{"/block/{height}", alone((*server).block)},
	{"/account/{address}", alone((*server).account)},
	{"/findings", (*server).findings},
	{"/findings.csv", (*server).findingsFile},
	{"/lookup", (*server).lookup},
}

// Nav are the links to the other pages, about the same period.
func (v *view) Nav() (list []navigation) {
	about := v.Scope
	if about == nil {
		about = new(scope)
	}
	for _, p := range []struct{ text, path string }{{"Cockpit", "cockpit"}, {"Fees", "fees"}, {"Findings", "findings"}} {
		to := p.path
		if p.path != "cockpit" {
			to += about.query(nil)
		}
		list = append(list, navigation{link{p.text, to}, p.path == v.Path})
	}
	return list
}

type navigation struct {
	link
	Here bool // it is the page itself
}

// show writes a page whose answer depends on what is sealed alone, unless the browser has it.
func (s *server) show(w http.ResponseWriter, r *http.Request, make func() (*view, error)) error {
	same, sealed, err := s.same(w, r)
	if same || err != nil {
		return err
	}
	v, err := make()
	if err != nil {
		return err
	}
	v.Sealed = sealed
	if v.Unsealed {
		w.Header().Del("ETag")
	}
	s.render(w, r, http.StatusOK, v)
	return nil
}

// cockpit says what the ledger holds.
func (s *server) cockpit(w http.ResponseWriter, r *http.Request) error {
	return s.show(w, r, func() (*view, error) {
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
		v := &view{Title: "What the ledger holds", Path: "cockpit", Command: "fees ledger status" + s.ledgerFlag(), Unsealed: !known || stored.Last > sealed}
		t := &status.Totals
		v.Facts = []fact{
			plain("network", status.Network), plain("blocks", spanText(status.Stored)), plain("sealed up to block", optionalText(status.Sealed)),
			plain("last block of", optionalText(status.LastTime)), plain("evidence", status.Evidence.String()),
			plain("transactions", fmt.Sprintf("%d evm, %d native", t.EVM, t.Native)), amount("fees", chain.Some(t.Fee), symbol),
			amount("charged", status.Charged, symbol), amount("burned", status.Burned, symbol), amount("treasury", status.Treasury, symbol), amount("authors", status.Author, symbol),
			plain("undetermined fees", fmt.Sprint(t.Undetermined)), {Name: "findings", cell: cell{Text: fmt.Sprint(status.Findings), To: "findings"}},
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
		months, err := s.Desk.Report(r.Context(), desk.ReportQuestion{Period: desk.Period{All: true}, By: report.Month})
		if err != nil {
			return nil, err
		}
		if v.Charts, err = months.Charts(); err != nil {
			return nil, err
		}
		table, err := s.table(months.Sheet(), mostRows)
		if err != nil {
			return nil, err
		}
		table.Title = "Fees by month"
		for _, row := range table.Rows {
			if aMonth.MatchString(row[0].Text) {
				row[0].To = "fees?partial=1&period=" + row[0].Text
			}
		}
		v.Tables = append(v.Tables, table)
		return v, nil
	})
}

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

// transaction is a transaction of the ledger with all that it moved.
func (s *server) transaction(w http.ResponseWriter, r *http.Request) error {
	return s.show(w, r, func() (*view, error) {
		t, err := s.Desk.Transaction(r.Context(), r.PathValue("name"))
		if err != nil {
			return nil, err
		}
		place := fmt.Sprintf("%d-%d", t.Height, t.Index)
		v := &view{Title: "Transaction " + place, Path: "tx", Command: "fees explain " + place + s.ledgerFlag()}
		v.Lead, v.Unsealed = fmt.Sprintf("%s, %s", t.Layer, cmp.Or(t.Type, t.Call)), !t.Sealed
		v.Facts = []fact{
			{Name: "block", cell: cell{Text: fmt.Sprint(t.Height), To: fmt.Sprintf("block/%d", t.Height)}}, plain("time", optionalText(t.Time)),
			plain("hash", t.Hash.String()), plain("EVM hash", optionalText(t.EVMHash)), s.party("from", t.Sender), s.party("to", t.Recipient), s.party("payer", t.Payer),
			plain("outcome", cmp.Or(words(string(t.Outcome)), notKnown)), amount("fee", t.Fee, t.Symbol), amount("charged", t.Charged, t.Symbol), plain("verdict", words(string(t.Verdict))),
			amount("burned", t.Burned, t.Symbol), amount("treasury", t.Treasury, t.Symbol), amount("author", t.Author, t.Symbol),
			plain("gas", optionalText(t.Gas)), plain("rules", t.Rules),
		}
		if t.Error != "" {
			v.Warnings = append(v.Warnings, "The fee is undetermined: "+t.Error)
		}
		if drift, ok := t.Drift.Get(); ok && drift.Sign() != 0 {
			v.Warnings = append(v.Warnings, fmt.Sprintf("The chain did not charge what the rules give: %s %s. What the chain charged was paid.", console.Tokens(drift), t.Symbol))
		}
		for _, list := range []*sheet.Sheet{movementSheet(t), transferSheet(t)} {
			table, err := s.table(list, mostRows)
			if err != nil {
				return nil, err
			}
			if len(table.Rows) > 0 {
				v.Tables = append(v.Tables, table)
			}
		}
		return v, nil
	})
}

func movementSheet(t *desk.Paid) *sheet.Sheet {
	return listed("Movements of the native balances", t.Symbol, t.Movements, func(m *ledger.Movement) []any {
		return []any{m.Account, string(m.Kind), m.Event, m.Free, m.Reserved, m.Counterparty}
	}, sheet.Column{Name: "account", Kind: sheet.Address}, sheet.Column{Name: "kind", Kind: sheet.Text}, sheet.Column{Name: "event", Kind: sheet.Text},
		sheet.Column{Name: "free", Kind: sheet.SignedWei}, sheet.Column{Name: "reserved", Kind: sheet.SignedWei}, sheet.Column{Name: "with", Kind: sheet.Address})
}

func transferSheet(t *desk.Paid) *sheet.Sheet {
	return listed("ERC-20 transfers, in the tokens' smallest units", t.Symbol, t.Transfers, func(x *ledger.Transfer) []any {
		return []any{x.Token, x.Sender, x.Recipient, x.Amount}
	}, sheet.Column{Name: "token", Kind: sheet.Address}, sheet.Column{Name: "from", Kind: sheet.Address}, sheet.Column{Name: "to", Kind: sheet.Address}, sheet.Column{Name: "amount", Kind: sheet.TokenAmount})
}

func listed[T any](title, symbol string, list []T, row func(T) []any, columns ...sheet.Column) *sheet.Sheet {
	return &sheet.Sheet{Name: "list", Title: title, Symbol: symbol, Columns: columns, Rows: func(yield func([]any, error) bool) {
		for _, x := range list {
			if !yield(row(x), nil) {
				return
			}
		}
	}}
}

// block is a block with its transactions.
func (s *server) block(w http.ResponseWriter, r *http.Request) error {
	height, err := heightOf(r.PathValue("height"))
	if err != nil {
		return err
	}
	return s.show(w, r, func() (*view, error) {
		b, err := s.Desk.Block(r.Context(), height)
		if err != nil {
			return nil, err
		}
		symbol, err := s.Desk.Symbol(r.Context())
		if err != nil {
			return nil, err
		}
		v := &view{Title: fmt.Sprintf("Block %d", height), Path: "block", Command: fmt.Sprintf("fees show %d", height) + s.ledgerFlag(), Unsealed: !b.Sealed}
		v.Facts = []fact{
			plain("time", optionalText(b.Time)), plain("hash", b.Hash.String()), plain("rules", b.Rules), plain("transactions", fmt.Sprintf("%d evm, %d native, %d inherents", b.EVM, b.Native, b.Inherents)),
			amount("fees", chain.Some(b.Fee), symbol), amount("charged", b.Charged, symbol), amount("burned", b.Burned, symbol), amount("treasury", b.Treasury, symbol), amount("author", b.Author, symbol),
		}
		if height > 0 {
			v.Facts = append(v.Facts, fact{Name: "before it", cell: cell{Text: fmt.Sprint(height - 1), To: fmt.Sprintf("block/%d", height-1)}})
		}
		v.Facts = append(v.Facts, fact{Name: "after it", cell: cell{Text: fmt.Sprint(height + 1), To: fmt.Sprintf("block/%d", height+1)}})
		list := transactionSheet(symbol, s.Desk.Book.Transactions(r.Context(), ledger.Query{Span: ledger.Span{First: height, Last: height}}))
		table, err := s.table(list, mostRows)
		if err != nil {
			return nil, err
		}
		v.Tables = []*tabular{table}
		return v, nil
	})
}

// account is an account's summary, with what it paid last.
func (s *server) account(w http.ResponseWriter, r *http.Request) error {
	account, err := desk.OneAccount(r.PathValue("address"), s.Labels)
	if err != nil {
		return err
	}
	return s.show(w, r, func() (*view, error) {
		a, err := s.Desk.Account(r.Context(), desk.AccountQuestion{Account: account})
		if err != nil {
			return nil, err
		}
		v := &view{Title: "Account " + account.String(), Path: "account", Command: "fees account " + account.String() + s.ledgerFlag()}
		if label, ok := s.label(account); ok {
			v.Lead = label + ". "
		}
		v.Lead += "Blocks " + spanText(a.Held.Span) + ". Evidence: " + a.Held.Evidence.String() + "."
		v.Facts = []fact{
			seen("first seen", a.First), seen("last seen", a.Last), plain("transactions paid", fmt.Sprintf("%d evm, %d native", a.Fees.EVM, a.Fees.Native)),
			amount("fees", chain.Some(a.Fees.Fee), a.Symbol), amount("charged", a.Charged, a.Symbol), plain("movements", fmt.Sprint(a.Movements)), amount("in", a.In, a.Symbol), amount("out", a.Out, a.Symbol),
			plain("ERC-20 transfers", fmt.Sprintf("%d in, %d out", a.TransfersIn, a.TransfersOut)),
			{Name: "its fees by day", cell: cell{Text: "show", To: "fees?accounts=" + account.String()}},
		}
		if n := a.Fees.Undetermined; n > 0 {
			v.Warnings = append(v.Warnings, fmt.Sprintf("INCOMPLETE: %s %s undetermined, and in no sum.", console.Counted(n, "fee"), console.Verb(n, "is", "are")))
		}
		if span, ok := a.Held.Span.Get(); ok {
			list := transactionSheet(a.Symbol, s.Desk.Book.Transactions(r.Context(), ledger.Query{Span: span, Accounts: []chain.Address{account}, Limit: mostRows}))
			list.Title = fmt.Sprintf("What it paid for, the first %d", mostRows)
			if a.Fees.EVM+a.Fees.Native <= mostRows {
				list.Title = "What it paid for"
			}
			table, err := s.table(list, mostRows)
			if err != nil {
				return nil, err
			}
			v.Tables = []*tabular{table}
		}
		return v, nil
	})
}

// findings are what does not hold.
func (s *server) findings(w http.ResponseWriter, r *http.Request) error {
	sc, list, err := s.findingList(r)
	if err != nil {
		return err
	}
	return s.show(w, r, func() (*view, error) {
		table, err := s.table(list.Sheet, mostRows)
		if err != nil {
			return nil, err
		}
		v := &view{Title: "Findings, " + list.Held.Name, Path: "findings", Scope: &sc, Warnings: list.Notes, Tables: []*tabular{table}}
		v.Lead = "What does not hold in these blocks, whosever it is: checks, fees that no rule gives or that the chain did not charge like that, events that are not understood."
		if len(table.Rows) == 0 {
			v.Lead, v.Tables = "All holds: every check of these blocks, and every fee.", nil
		}
		v.Downloads = []link{{"CSV", "findings.csv" + sc.query(nil)}}
		return v, nil
	})
}

func (s *server) findingList(r *http.Request) (sc scope, list *desk.FindingList, err error) {
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
	return s.file(w, r, func(to *answer) error { return sheet.WriteCSV(to, list.Sheet) })
}

// lookup leads to what a text names.
func (s *server) lookup(w http.ResponseWriter, r *http.Request) error {
	values, err := parameters(r.URL.RawQuery, "q")
	if err != nil {
		return err
	}
	text := strings.TrimSpace(values.Get("q"))
	to := ""
	switch {
	case text == "":
		return notUnderstood("What are you looking for? A hash, a height, a place such as 25-7, an address, a label, a month.")
	case aMonth.MatchString(text):
		to = "fees?partial=1&period=" + text
	case isPlace.MatchString(text):
		to = "tx/" + text
	default:
		if _, err := heightOf(text); err == nil {
			to = "block/" + text
		} else if hash, err := chain.ParseHash(text); err == nil {
			if to, err = s.placeOf(r, hash); err != nil {
				return err
			}
		} else if account, err := desk.OneAccount(text, s.Labels); err == nil {
			to = "account/" + account.String()
		} else if desk.IsAddress(text) {
			return err
		}
	}
	if to == "" {
		return &problem{http.StatusNotFound, "Not there", fmt.Sprintf("%q is no height, no hash, no place such as 25-7, no address, no month, and no label of the address book.", console.Printable(text))}
	}
	http.Redirect(w, r, s.base+"/"+to, http.StatusSeeOther)
	return nil
}

// placeOf is the page of what has a hash.
func (s *server) placeOf(r *http.Request, hash chain.Hash) (string, error) {
	at, err := s.Desk.PlaceOf(r.Context(), hash.String())
	var none *desk.NotThereError
	if errors.As(err, &none) {
		return "", &problem{http.StatusNotFound, "Not there", "Nothing in this ledger has that hash."}
	}
	return fmt.Sprintf("tx/%d-%d", at.Height, at.Row), err
}
