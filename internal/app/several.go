package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/internal/table"
)

// Part is what one of several ledgers is asked of a request about their chains.
type Part struct {
	*Ledger
	Network string
	console.Token
	Request Request
}

// Divide divides a request between ledgers of several chains: each gets the accounts and the prices that fit it. The notes
// name the accounts that fit only some.
func Divide(ctx context.Context, ledgers []*Ledger, q Request, prices PricesInput) (parts []Part, notes []string, err error) {
	if q.Period.All || q.Period.Asked.Heights.Known() {
		return nil, nil, notUnderstood("blocks of several chains have different heights. Name days: a %v, a %v, or %v and %v", FieldMonth, FieldYear, FieldFrom, FieldTo)
	}
	if err := CheckDistinct(ctx, ledgers); err != nil {
		return nil, nil, err
	}
	var tokens []console.Token
	for _, d := range ledgers {
		n, err := d.Network(ctx)
		if err != nil {
			return nil, nil, err
		}
		part := Part{d, n.Name, console.Token(n.Token()), q}
		parts, tokens = append(parts, part), append(tokens, part.Token)
	}
	lists, err := ReadPricesOf(prices, tokens)
	if err != nil {
		return nil, nil, err
	}
	for i := range parts {
		parts[i].Request.Prices, parts[i].Request.Labels = lists[i], q.Labels.On(parts[i].ShortName)
	}
	if len(q.Accounts) > 0 {
		notes, err = divideAccounts(ctx, parts, &q)
	}
	return parts, notes, err
}

// CheckDistinct requires each ledger to be of another chain: otherwise fees would count twice.
func CheckDistinct(ctx context.Context, ledgers []*Ledger) error {
	ids := make([]ledger.Identity, len(ledgers))
	for i, d := range ledgers {
		id, err := d.Book.Identity(ctx)
		if err != nil {
			return d.wrapErr(err)
		}
		for j, other := range ids[:i] {
			ours, known := id.Genesis.Get()
			theirs, too := other.Genesis.Get()
			if known && too && ours == theirs || !(known && too) && id.Network == other.Network {
				return notUnderstood("the ledgers %s and %s are both of %s, and its fees would count twice. Name one %v for each chain", ledgers[j].Place, d.Place, id.Network, FieldLedger)
			}
		}
		ids[i] = id
	}
	return nil
}

// maxNamedAccounts limits the accounts that a note names.
const maxNamedAccounts = 10

// divideAccounts gives each part the accounts that its chain can have. An account that fits no chain is an error. Accounts
// that name their chain, as in mbeam:0x…, are only on that one.
func divideAccounts(ctx context.Context, parts []Part, q *Request) (notes []string, err error) {
	accounts := q.Accounts
	fits := make([][]chain.Address, len(parts))
	lacks := make([]error, len(accounts)) // why the last chain that cannot have an account cannot
	some := make([]bool, len(accounts))
	for i, p := range parts {
		mapping, check, err := p.accountForm(ctx)
		if err != nil {
			return nil, err
		}
		for j, account := range accounts {
			wrong := check(mapping.Of(account))
			if !q.Labels.IsOn(account, p.ShortName) {
				wrong = notUnderstood("%v: %v names another chain than those of the ledgers. Add its ledger, or leave out the account", FieldAccounts, account)
			}
			if wrong == nil {
				some[j], fits[i] = true, append(fits[i], account)
			} else {
				lacks[j] = wrong
			}
		}
	}
	if i := slices.Index(some, false); i >= 0 {
		return nil, lacks[i]
	}
	for i := range parts {
		p := &parts[i]
		if len(fits[i]) == 0 {
			return nil, notUnderstood("none of the accounts can be on %s. Name one of its accounts, or leave out the ledger %s", p.Network, p.Place)
		}
		if p.Request.Accounts = fits[i]; len(fits[i]) < len(accounts) {
			var others []string
			for j, account := range accounts {
				if lacks[j] != nil && !slices.Contains(fits[i], account) && q.Labels.IsOn(account, p.ShortName) {
					label, _ := q.Labels.Label(account)
					others = append(others, cmp.Or(label, account.String()))
				}
			}
			n := len(others)
			if n == 0 { // all others name another chain
				continue
			}
			if n > maxNamedAccounts {
				others = append(others[:maxNamedAccounts], fmt.Sprintf("and %d more", n-maxNamedAccounts))
			}
			notes = append(notes, fmt.Sprintf("%s cannot be on %s and %s not looked for there: %s", console.Counted(n, "account"), p.Network, console.Verb(n, "is", "are"), strings.Join(others, ", ")))
		}
	}
	return notes, nil
}

// Joined is a result about several chains.
type Joined struct {
	*table.Document
	holds bool
}

// Holds reports whether nothing in it is wrong or unknown.
func (j *Joined) Holds() bool { return j.holds }

// noTotal says why the fees of several chains have no total.
const noTotal = "no total of the chains: amounts in different tokens only add up in a currency, and no prices are given"

// join joins the documents of several chains: a section for each, and the total.
func join(parts []Part, docs []*table.Document, total *table.Sheet) *table.Document {
	all := &table.Document{
		Text: func(w io.Writer, width int) error {
			for _, d := range docs {
				if err := d.Write(w, "table", width); err != nil {
					return err
				}
				io.WriteString(w, "\n")
			}
			return writeTotal(w, total, width)
		},
		JSON: func(w io.Writer) error {
			out := jsontext.NewStream(w, false)
			out.List("ledgers", func(yield func([]byte, error) bool) {
				for _, d := range docs {
					var text bytes.Buffer
					err := d.JSON(&text)
					var element []byte
					if err == nil {
						element, err = jsontext.Indented(json.RawMessage(text.Bytes()), jsontext.ElementPrefix)
					}
					if !yield(element, err) {
						return
					}
				}
			})
			record, err := totalRecord(total)
			if err != nil {
				return err
			}
			out.Members(struct {
				Total any      `json:"total"` // null without prices
				Notes []string `json:"notes"`
			}{record, append([]string{}, total.Notes...)})
			return out.Close()
		},
	}
	for i, d := range docs {
		addLists(all, &parts[i], d.List.WithText(0, "network", parts[i].Network).WithText(1, "symbol", parts[i].Symbol), d.Sheets()...)
	}
	if len(total.Columns) > 0 {
		all.Book = append(all.Book, total)
	}
	return all
}

// addLists adds the list and the sheets of a chain to a document.
func addLists(all *table.Document, p *Part, list *table.Sheet, sheets ...*table.Sheet) {
	if all.List == nil {
		all.List = list
	} else {
		all.More = append(all.More, list)
	}
	for _, s := range sheets {
		of := *s
		of.Name = p.Network + " " + s.Name
		all.Book = append(all.Book, &of)
	}
}

// writeTotal writes the total for people.
func writeTotal(w io.Writer, total *table.Sheet, width int) error {
	if len(total.Columns) > 0 {
		return table.WriteTable(w, total, width)
	}
	page := console.NewPage(w, width)
	page.Notes(total.Notes)
	return page.Flush()
}

// totalRecord returns the total for JSON: its rows, and its figures; nil without prices.
func totalRecord(total *table.Sheet) (any, error) {
	if len(total.Columns) == 0 {
		return nil, nil
	}
	rows := []json.RawMessage{}
	for row, err := range table.JSONRows(total) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, json.RawMessage(bytes.Clone(row)))
	}
	record := jsontext.Record{{Name: "rows", Value: rows}}
	for i, c := range total.Columns {
		if c.Total {
			record = append(record, jsontext.Field{Name: c.Name, Value: total.Totals[i]})
		}
	}
	return record, nil
}

// totalOfChains returns a total without columns, and its currency: without prices, "" and a note that says why there is no total.
func totalOfChains(parts []Part, notes []string) (total *table.Sheet, currency money.Currency) {
	total = &table.Sheet{Name: "total", Title: fmt.Sprintf("Total of %d chains", len(parts)), Notes: slices.Clone(notes)}
	if parts[0].Request.Prices == nil {
		total.Notes = append(total.Notes, noTotal)
		return total, ""
	}
	currency = parts[0].Request.Prices.Currency
	total.Title += ", in " + string(currency)
	return total, currency
}

// lack says why a total over chains is not known: what a ledger lacks, or does not determine.
func lack(p *Part, h *ledger.Cover, undetermined uint64) string {
	switch {
	case len(h.Lacks) > 0:
		return fmt.Sprintf("PARTIAL: the total is not known: the ledger of %s lacks part of the period", p.Network)
	case undetermined > 0:
		return fmt.Sprintf("the total is not known: %s of %s %s undetermined", console.Counted(undetermined, "fee"), p.Network, console.Verb(undetermined, "is", "are"))
	}
	return ""
}

// addUp adds up amounts in a currency, of which all must be known.
func addUp(c money.Currency, amounts []chain.Optional[money.Amount]) chain.Optional[money.Amount] {
	sum := chain.Some(money.NothingIn(c))
	for _, a := range amounts {
		sum = money.Sum(sum, a)
	}
	return sum
}

// JoinFees joins the reports of several chains. The total is known if all of its parts are: the period, the fees and their
// prices.
func JoinFees(parts []Part, made []*Fees, notes []string) *Joined {
	j := &Joined{holds: true}
	docs := make([]*table.Document, len(made))
	for i, f := range made {
		docs[i], j.holds = f.Document(), j.holds && f.Holds()
	}
	total, currency := totalOfChains(parts, notes)
	if currency == "" {
		j.Document = join(parts, docs, total)
		return j
	}
	in := func(name string) table.Column {
		return table.Column{Name: name + "_" + currency.Suffix(), Kind: table.Fiat, Total: true, Currency: currency}
	}
	total.Columns = []table.Column{{Name: "network", Kind: table.Text, Term: true}, {Name: "symbol", Kind: table.Text, Term: true}, in("fee"), in("charged")}
	unknown := ""
	var rows [][]any
	sums := make([][]chain.Optional[money.Amount], 2)
	for i, f := range made {
		r := f.Report
		if why := lack(&parts[i], &r.Cover, r.Totals.Undetermined); why != "" {
			unknown, total.Notes = why, append(total.Notes, why)
		}
		rows = append(rows, []any{parts[i].Network, parts[i].Symbol, r.Totals.FeeWorth, r.Totals.ChargedWorth})
		sums[0], sums[1] = append(sums[0], r.Totals.FeeWorth), append(sums[1], r.Totals.ChargedWorth)
	}
	total.Rows = rowsOf(rows, func(row []any) []any { return row })
	total.Totals = []any{nil, nil, chain.Optional[money.Amount]{}, chain.Optional[money.Amount]{}}
	if unknown == "" {
		total.Totals = []any{nil, nil, addUp(currency, sums[0]), addUp(currency, sums[1])}
	}
	j.Document = join(parts, docs, total)
	return j
}

// JoinRollforwards joins the rollforwards of several chains. The total has the lines of all accounts, in the currency, and
// is known if the rollforwards hold. Balances have their values in the section of each chain.
func JoinRollforwards(ctx context.Context, parts []Part, made []*Rollforward, notes []string) (*Joined, error) {
	j := &Joined{holds: true}
	docs := make([]*table.Document, len(made))
	for i, r := range made {
		docs[i], j.holds = r.Document(ctx), j.holds && r.Holds()
	}
	total, currency := totalOfChains(parts, notes)
	if currency == "" {
		j.Document = join(parts, docs, total)
		return j, nil
	}
	total.Notes = append(total.Notes, "the total has the values of the changes; those of the balances are in the section of each chain")
	total.Columns = []table.Column{{Name: "line", Kind: table.Text, Term: true}, {Name: "value_" + currency.Suffix(), Kind: table.Fiat, Currency: currency}}
	whole := true
	values := map[rollforward.Line][]chain.Optional[money.Amount]{}
	for i, r := range made {
		if why := lack(&parts[i], &r.held.Cover, 0); why != "" {
			whole, total.Notes = false, append(total.Notes, why)
		}
		if !r.Holds() {
			whole, total.Notes = false, append(total.Notes, fmt.Sprintf("the total is not known: part of the rollforward of %s is unexplained or unknown", parts[i].Network))
		}
		lines, err := r.Columns[len(r.Columns)-1].Lines() // of all accounts and months
		if err != nil {
			return nil, err
		}
		for _, line := range lines {
			if len(line.Classes) > 0 {
				values[line.Line] = append(values[line.Line], line.Value)
			}
		}
	}
	total.Rows = func(yield func([]any, error) bool) {
		for _, line := range rollforward.Lines() {
			sum := chain.Optional[money.Amount]{}
			if whole {
				sum = addUp(currency, values[line])
			}
			if len(values[line]) > 0 && !yield([]any{strings.ReplaceAll(string(line), "_", " "), sum}, nil) {
				return
			}
		}
	}
	j.Document = join(parts, docs, total)
	return j, nil
}

// CheckTokens requires different tokens: they distinguish the chains in a file of an accounting program.
func CheckTokens(parts []Part) error {
	of := map[string]string{}
	for _, p := range parts {
		if other, same := of[p.Symbol]; same {
			return notUnderstood("%s and %s have the same token %s, and one file would mix them up. Export each ledger to its own file", other, p.Network, p.Symbol)
		}
		of[p.Symbol] = p.Network
	}
	return nil
}

// JoinExports returns a function that writes the exports of several chains as one file, in one of [ExportForms].
func JoinExports(ctx context.Context, parts []Part, exports []*Export, form string) (func(io.Writer) error, error) {
	shared := &journal.Shared{}
	all := &table.Document{}
	var journals []*journal.Journal
	program, isProgram := Program(form)
	for i, x := range exports {
		if isProgram {
			j, err := x.Journal(ctx)
			if err == nil {
				err = j.Join(ctx, shared, program)
			}
			if err != nil {
				return nil, x.Explain(err)
			}
			journals = append(journals, j)
			continue
		}
		list, err := x.List(ctx)
		if err != nil {
			return nil, x.Explain(err)
		}
		list = list.WithText(1, "symbol", parts[i].Symbol)
		addLists(all, &parts[i], list, list)
	}
	switch {
	case isProgram:
		return func(w io.Writer) error {
			for i, j := range journals {
				if i > 0 {
					io.WriteString(w, "\n")
				}
				if err := j.Write(ctx, w, program); err != nil {
					return exports[i].Explain(err)
				}
			}
			return nil
		}, nil
	case form == journal.Koinly.Name:
		return func(w io.Writer) error {
			for i, x := range exports {
				write := journal.AppendKoinly
				if i == 0 {
					write = journal.WriteKoinly
				}
				if err := write(ctx, w, x.Payments, x.style); err != nil {
					return x.Explain(err)
				}
			}
			return nil
		}, nil
	}
	return func(w io.Writer) error { return all.Write(w, form, 0) }, nil
}

// SummariseAll makes one journal of the fees of several chains in one of [JournalForms]: a summary for each chain, compared
// with its report. The last one has the files of all.
func SummariseAll(ctx context.Context, exports []*Export, form string) (list []*Summary, err error) {
	for i, x := range exports {
		if i > 0 {
			x.style.After = list[i-1].Summary
		}
		s, err := x.Summarise(ctx, form)
		if err != nil {
			return nil, x.Explain(err)
		}
		list = append(list, s)
	}
	return list, nil
}
