package web

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// maxListed limits the transactions in one API response.
const maxListed = 1000

// transactionsRequest parses a request for a list of transactions. It pages by transaction ID, because newly
// sealed transactions are appended.
func (s *server) transactionsRequest(r *http.Request, own ...string) (sc scope, q app.TransactionsRequest, err error) {
	if sc, err = readScope(r.URL.RawQuery, slices.Concat(report.OnlyNames(), []string{"after", "limit"}, own)...); err != nil {
		return sc, q, err
	}
	if q.Only, err = readOnly(sc.own); err != nil {
		return sc, q, err
	}
	if sc.own.Get("sort") == "" { // otherwise it is a number of rows
		if q.After, err = readPlace(sc.own); err != nil {
			return sc, q, err
		}
	}
	if text := sc.own.Get("limit"); text != "" {
		if q.Limit, err = strconv.Atoi(text); err != nil || q.Limit < 1 || q.Limit > maxListed || strconv.Itoa(q.Limit) != text {
			return sc, q, invalidRequest("limit=%s is out of range. Use 1 to %d.", plain.Line(text), maxListed)
		}
	}
	request, err := s.readRequest(&sc)
	q.Payers, q.Period = request.Accounts, request.Period
	return sc, q, err
}

// readOnly parses the filters.
func readOnly(own url.Values) (report.Only, error) {
	var conditions []string
	for _, name := range report.OnlyNames() {
		if value := own.Get(name); value != "" {
			conditions = append(conditions, name+"="+value)
		}
	}
	only, err := report.ParseOnly(conditions)
	if err != nil {
		err = invalidRequest("%s.", plain.Line(err.Error()))
	}
	return only, err
}

// readPlace parses the transaction ID after which a list continues.
func readPlace(own url.Values) (none chain.Optional[ledger.Place], err error) {
	text := own.Get("after")
	if text == "" {
		return none, nil
	}
	if !isTransactionID.MatchString(text) {
		return none, invalidRequest("after=%s is not a transaction ID. Use one such as 25-7.", plain.Line(text))
	}
	at, err := app.ParsePlace(text)
	return chain.Some(at), err
}

// maxSortedRow is the last row that pages of a sorted list show: the rows before a page are kept while it is made.
const maxSortedRow = 10_000

// transactions lists the transactions of a period: in chain order by ID, or sorted by a column.
func (s *server) transactions(w http.ResponseWriter, r *http.Request) error {
	sc, q, err := s.transactionsRequest(r, "sort", "columns")
	if err != nil {
		return err
	}
	list := sc.own
	if list.Get("sort") == "" {
		list = without(list, "after")
	}
	l, err := readListing(list)
	if err != nil {
		return err
	}
	if l.zone = q.Period.Zone; l.Sort != "" {
		if l.last = maxSortedRow; l.After >= l.last {
			return invalidRequest("after=%d: a sorted list shows its first %s rows. Reverse the order, filter, or download the list.", l.After, console.Grouped(maxSortedRow))
		}
	}
	return s.show(w, r, q.Period, func(r *http.Request, sealed string) (page, error) {
		if l.Sort == "" {
			made, sheet, all, err := s.listAndExtent(r, &sc, q, sealed)
			if err != nil {
				return nil, err
			}
			v := transactionsView(&sc, made, all.assets)
			return v, v.add(s.transactionTable(r.Context(), sheet, made, l, q, all, func(next url.Values) string { return "transactions" + sc.query(next) }, sc.own))
		}
		var v *listPage
		err := s.runLongRead(r, func() error {
			q.Limit = maxSortedRow // at once
			made, err := s.paidTransactions(r, q)
			if err != nil {
				return err
			}
			sorted, err := s.list(transactionSheet(made.Token, s.following(r.Context(), made, q), pageColumns()), l.without(briefTransactions), sc.in("transactions"))
			if err != nil {
				return err
			}
			assets, err := s.Ledger.AssetFees(r.Context(), made, q)
			if err != nil {
				return err
			}
			v = transactionsView(&sc, made, assets)
			v.Lead = "Sorted. " + strings.TrimPrefix(v.Lead, "In chain order. ")
			return v.add(sorted, nil)
		})
		return v, err
	})
}

// transactionsView builds the page of a list of transactions without its table.
func transactionsView(sc *scope, made *app.TransactionList, assets fee.AssetTotals) *listPage {
	v := &listPage{frame: frame{Title: "Transactions, " + made.Held.Name, Path: "transactions", Lead: "In chain order. Evidence: " + made.Held.Evidence.String() + "."}}
	v.Scope, v.Warnings, v.Notes = sc, made.Notes(), assets.Notes(made.Amount)
	v.Whose, v.Filters = true, onlyControls(sc.own)
	only := without(sc.own, append(listingParameters, "limit")...)
	v.Links = []link{{"Totals", "fees" + sc.query(only)}}
	v.Downloads = transactionDownloads(sc, only)
	v.inWords(made.Held.Name)
	return v
}

// transactionForms are the download formats of transactions.
var transactionForms = []string{"csv", "xlsx", "parquet", "jsonl"}

// transactionDownloads returns links to all transactions of a period, as files.
func transactionDownloads(sc *scope, own url.Values) []link {
	return fileLinks(transactionForms, "transactions", sc.query(own))
}

// transactionsFile sends all transactions of a period.
func (s *server) transactionsFile(w http.ResponseWriter, r *http.Request) error {
	_, q, err := s.transactionsRequest(r)
	if err != nil {
		return err
	}
	return s.file(w, r, q.Period, func(to *answer) error {
		return s.runLongRead(r, func() error {
			q.Limit = maxListed
			first, err := s.paidTransactions(r, q)
			if err != nil {
				return err
			}
			assets, err := s.Ledger.AssetFees(r.Context(), first, q)
			if err != nil {
				return err
			}
			var more []transactionColumn
			if len(assets) > 0 {
				more = append(more, assetColumn(first.Token))
			}
			sheet := transactionSheet(first.Token, s.following(r.Context(), first, q), fileColumns(more...))
			sheet.Notes = append(first.Notes(), assets.Notes(first.Amount)...)
			return (&table.Document{List: sheet}).Write(to, to.form, 0)
		})
	})
}

// following yields the transactions of a list and all that follow it, and counts those left out.
func (s *server) following(ctx context.Context, list *app.TransactionList, q app.TransactionsRequest) iter.Seq2[*ledger.Transaction, error] {
	return func(yield func(*ledger.Transaction, error) bool) {
		for made := list; ; {
			for _, t := range made.List {
				if !yield(t, nil) {
					return
				}
			}
			if q.After = made.Next; !q.After.Known() {
				return
			}
			var err error
			if made, err = s.Ledger.Transactions(ctx, q); err != nil {
				yield(nil, err)
				return
			}
			list.Untold += made.Untold
		}
	}
}

// transactionList yields transactions without errors.
func transactionList(list []*ledger.Transaction) iter.Seq2[*ledger.Transaction, error] {
	return func(yield func(*ledger.Transaction, error) bool) {
		for _, t := range list {
			if !yield(t, nil) {
				return
			}
		}
	}
}

// paidTransactions lists transactions and, if accounts are selected, counts those that may be missing.
func (s *server) paidTransactions(r *http.Request, q app.TransactionsRequest) (*app.TransactionList, error) {
	made, err := s.Ledger.Transactions(r.Context(), q)
	if err == nil && len(q.Payers) > 0 {
		err = s.Ledger.CountWithoutPayer(r.Context(), made, q.Payers)
	}
	return made, err
}

// briefTransactions are the columns of transactions that a page hides by default: the type implies the layer.
var briefTransactions = []string{"layer"}

// transactionTable builds one page of a list of transactions in chain order, with links to those before and after.
func (s *server) transactionTable(ctx context.Context, sheet *table.Sheet, made *app.TransactionList, l listing, q app.TransactionsRequest, all extent, to func(url.Values) string, own url.Values) (*tabular, error) {
	sheet.Title, l.limit = "", max(len(made.List), 1)
	l = l.without(briefTransactions)
	table, err := s.list(sheet, l, func(l listing) string {
		return to(l.with(without(own, listingParameters...)))
	})
	if err != nil {
		return nil, err
	}
	table.None = "No transactions match. Remove a filter, or choose another period or account."
	next, more := made.Next.Get()
	after, later := q.After.Get()
	if !more && !later {
		return table, nil
	}
	table.Totals, table.More = nil, all.text(q.After, len(made.List), made.Token)
	add := func(text string, at ledger.Place) {
		values := without(own, "after")
		values.Set("after", at.String())
		table.Links = append(table.Links, link{text, to(values)})
	}
	if later {
		before, found, err := s.pageBefore(ctx, q, made, all, after)
		if err != nil {
			return nil, err
		}
		table.Links = append(table.Links, link{"First page", to(without(own, "after"))})
		if at, ok := before.Get(); ok {
			add("Previous", at)
		} else if found {
			table.Links = append(table.Links, link{"Previous", to(without(own, "after"))})
		}
	}
	if more {
		add("Next", next)
	}
	return table, nil
}

// without returns the parameters without the named ones.
func without(own url.Values, names ...string) url.Values {
	rest := url.Values{}
	for name, list := range own {
		if !slices.Contains(names, name) {
			rest[name] = list
		}
	}
	return rest
}

// onlyControls returns the form fields of the filters.
func onlyControls(own url.Values) []control {
	return []control{
		ofOptions("layer", "Layer", own.Get("layer"), "all", report.OnlyWords("layer")...),
		ofOptions("status", "Status", own.Get("status"), "all", report.OnlyWords("status")...),
		ofOptions("type", "Type", own.Get("type"), "all", report.OnlyWords("type")...),
		{Name: "call", Label: "Call", Kind: "text", Value: own.Get("call"), Hint: "such as Balances.transfer"},
		ofOptions("checks", "Checks", own.Get("checks"), "all", report.OnlyWords("checks")...),
		{Name: "contract", Label: "Contract", Kind: "text", Value: own.Get("contract"), Hint: "0x…"},
		{Name: "fee_from", Label: "Fee from", Kind: "text", Value: own.Get("fee_from"), Hint: "in the token, such as 0.25"},
		{Name: "fee_to", Label: "Fee to", Kind: "text", Value: own.Get("fee_to"), Hint: "in the token; included"},
	}
}

func (s *server) transactionsJSON(w http.ResponseWriter, r *http.Request) error {
	_, q, err := s.transactionsRequest(r)
	if err != nil {
		return err
	}
	return s.file(w, r, q.Period, func(to *answer) error {
		made, err := s.paidTransactions(r, q)
		if err != nil {
			return err
		}
		return made.Record(s.labels()).WriteJSON(to)
	})
}
