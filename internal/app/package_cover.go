package app

import (
	"cmp"
	"fmt"
	"io"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/table"
)

// CoverFile is the cover of a package, to sign on paper.
const CoverFile = "cover.pdf"

// writeCover writes the cover: its figures and verdicts, findings, accounts, how it was made, and its files.
func (x *maker) writeCover(w io.Writer, a *closing.About) error {
	m := &x.manifest
	made := a.Sheet()
	made.Title = "How this package was made"
	sheets := []*table.Sheet{x.figuresSheet(a), findingsSheet(m)}
	if m.Findings.Accepted > 0 {
		sheets = append(sheets, x.acceptedSheet())
	}
	sheets = append(sheets, accountsSheet(m.Accounts), made, filesSheet(x.files()))
	return (&Paper{Size: PaperSizes[0]}).write(w, table.Paper{Title: "Close package, " + m.Network + ", " + console.PeriodName(m.Period.Name())}, a, sheets)
}

// figuresSheet has what a reviewer signs: the balances, the fees, the verdicts and the head of the audit trail.
func (x *maker) figuresSheet(a *closing.About) *table.Sheet {
	m := &x.manifest
	s := &table.Sheet{
		Name: "figures", Title: "Balances and fees", Token: console.Token(x.network.Token()),
		Columns: []table.Column{{Name: "item", Kind: table.Text}, {Name: "amount", Kind: table.SignedWei}}, Above: new(table.Above),
	}
	var rows [][]any
	if b := m.Balances; b != nil {
		rows = append(rows, []any{"opening balances", b.Opening}, []any{"closing balances", b.Closing})
	} else {
		s.Above.Framed = []string{BalancesMissing("")}
	}
	rows = append(rows, []any{"fees charged", m.Totals.Charged})
	if worth, known := x.worth.Get(); known {
		s.Columns = append(s.Columns, table.Column{Name: "amount_" + worth.Currency().Suffix(), Kind: table.Fiat, Currency: worth.Currency()})
		for i := range rows {
			rows[i] = append(rows[i], nil)
		}
		rows[len(rows)-1][2] = worth
	}
	s.Rows = rowsOf(rows, func(row []any) []any { return row })
	facts := &s.Above.Facts
	facts.Add("Period", console.PeriodName(a.Period)+", "+a.Timezone)
	facts.Add("Accounts", fmt.Sprint(len(m.Accounts)))
	if m.Balances != nil {
		facts.Add("Statements", fmt.Sprintf("%d of %d agree", uint64(len(m.Accounts))-m.Findings.Statements, len(m.Accounts)))
	}
	facts.Add("Reconciliation", cmp.Or(x.reconciled, "no record of the company was compared"))
	facts.Add("Audit trail", a.Trail)
	return s
}

// balancesOf returns the sums of the balances, free and reserved; nil if one of them was not queried.
func balancesOf(list []*statement.Statement) (*closing.Balances, error) {
	var b closing.Balances
	for _, s := range list {
		for _, x := range []struct {
			to *chain.Wei
			of chain.Optional[chain.Balance]
		}{{&b.Opening, s.Opening}, {&b.Closing, s.Closing}} {
			balance, known := x.of.Get()
			if !known {
				return nil, nil
			}
			var err error
			for _, part := range []chain.Wei{balance.Free, balance.Reserved} {
				if *x.to, err = x.to.Add(part); err != nil {
					return nil, err
				}
			}
		}
	}
	return &b, nil
}

// verdictOn returns the verdict on a company's record in one line.
func verdictOn(r *reconcile.Result) string {
	verdict := "agrees"
	switch {
	case r.Open() > 0 || len(r.UnreadSheets) > 0:
		verdict = "does not agree"
	case r.Compared() == 0:
		return r.Headline()
	case r.InAssets > 0:
		verdict = "agrees as far as compared"
	case r.Accepted() > 0:
		verdict = "agrees except for accepted differences"
	}
	text := fmt.Sprintf("%s: %s compared, %d matched, %d accepted, %d open", verdict, console.Counted(r.Compared(), "item"), r.Compared()-r.Apart(), r.Accepted(), r.Open())
	if r.InAssets > 0 {
		text += "; " + r.NotCompared()
	}
	return text
}

// findingsSheet lists the findings of a package, and what it lacks.
func findingsSheet(m *closing.Manifest) *table.Sheet {
	s := &table.Sheet{
		Name: "findings", Title: "Findings", Columns: []table.Column{{Name: "finding", Kind: table.Text}, {Name: "count", Kind: table.Integer}},
		Rows: func(yield func([]any, error) bool) {
			for what, count := range m.Findings.Counts {
				if !yield([]any{what, count}, nil) {
					return
				}
			}
		},
	}
	if m.Findings.None() {
		s.Notes = []string{"there are no findings"}
	}
	for _, lack := range m.LeftOut {
		s.Notes = append(s.Notes, "left out: "+lack)
	}
	return s
}

// accountsSheet lists the accounts of a package.
func accountsSheet(accounts []closing.Account) *table.Sheet {
	return &table.Sheet{
		Name: "accounts", Columns: []table.Column{{Name: "address", Kind: table.Text}, {Name: "label", Kind: table.Text}},
		Rows: rowsOf(accounts, func(a closing.Account) []any { return []any{a.Address, a.Label} }),
	}
}

// filesSheet lists the files of a package. The table of the networks is left out: another version of the program may
// have a later one with the same figures.
func filesSheet(files []closing.File) *table.Sheet {
	var list []closing.File
	for _, f := range files {
		if f.Name != networksFile {
			list = append(list, f)
		}
	}
	return &table.Sheet{
		Name: "files", Columns: []table.Column{{Name: "name", Kind: table.Text}, {Name: "bytes", Kind: table.Integer}, {Name: "sha256", Kind: table.Text}},
		Rows:  rowsOf(list, func(f closing.File) []any { return []any{f.Name, f.Size, f.SHA256} }),
		Notes: []string{"manifest.json also has the checksums of this cover and of " + networksFile},
	}
}

// rowsOf returns a row of a sheet for each element.
func rowsOf[E any](list []E, row func(E) []any) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		for _, one := range list {
			if !yield(row(one), nil) {
				return
			}
		}
	}
}
