package app

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// CoverFile is the cover of a package, to sign on paper.
const CoverFile = "cover.pdf"

// writeCover writes the cover: what a reviewer signs, findings, accounts and files. About.txt says how the package was made.
func (x *maker) writeCover(w io.Writer, a *closing.About) error {
	m := &x.manifest
	sheets := []*table.Sheet{x.figuresSheet(a), findingsSheet(m)}
	if m.Findings.Accepted > 0 {
		sheets = append(sheets, x.acceptedSheet())
	}
	sheets = append(sheets, accountsSheet(m.Accounts), filesSheet(x.files()))
	paper := &Paper{Size: PaperSizes[0], Signed: len(x.round) > 0}
	return paper.write(w, table.Paper{Title: "Close package, " + m.Network + ", " + console.PeriodName(m.Period.Name())}, a, sheets)
}

// figuresSheet has what a reviewer signs: what led from the opening to the closing balances, the fees, the verdicts, what
// identifies the package, and who prepared and reviewed it.
func (x *maker) figuresSheet(a *closing.About) *table.Sheet {
	m := &x.manifest
	s := &table.Sheet{
		Name: "figures", Title: "Balances and fees", Token: console.Token(x.network.Token()),
		Columns: []table.Column{{Name: "item", Kind: table.Text}, {Name: "amount", Kind: table.SignedWei}}, Above: &table.Above{Facts: x.coverFacts(a)},
	}
	valued := m.Options.Prices != nil
	if valued {
		s.Columns = append(s.Columns, table.Column{Name: "value", Kind: table.Text})
	}
	if m.Balances == nil {
		s.Above.Framed = []string{BalancesMissing("")}
	}
	charged := closing.Figure{Name: "fees charged, as in the report"}
	if wei, known := m.Totals.Charged.Get(); known {
		charged.Amount = chain.Some(wei.Signed())
	}
	if worth, known := x.worth.Get(); known {
		charged.Value = chain.Some(worth.String())
	}
	s.Rows = rowsOf(append(slices.Clip(m.Figures), charged), func(f closing.Figure) []any {
		row := []any{strings.ReplaceAll(f.Name, "_", " "), f.Amount}
		if f.Name == valuationFigure {
			row[1] = nil
		}
		if value, known := f.Value.Get(); known && valued {
			row = append(row, value+" "+m.Options.Prices.Currency)
		} else if valued {
			row = append(row, unknownValue)
		}
		return row
	})
	if valued {
		s.Notes = []string{"each balance and each movement is valued at the price of its day; gains are not computed"}
	}
	return s
}

// coverFacts are the facts of a cover.
func (x *maker) coverFacts(a *closing.About) (facts console.Pairs) {
	m := &x.manifest
	facts.Add("Company", cmp.Or(plain.Line(m.Options.Company), "not stated"))
	facts.Add("Period", console.PeriodName(m.Period.Name())+", "+a.Timezone)
	for _, lack := range m.Period.Missing {
		facts.Add("Known part", "missing: "+lack)
	}
	facts.Add("Accounts", fmt.Sprint(len(m.Accounts)))
	if m.Balances != nil {
		facts.Add("Statements", fmt.Sprintf("%d of %d agree", uint64(len(m.Accounts))-m.Findings.Statements, len(m.Accounts)))
	}
	facts.Add("Reconciliation", cmp.Or(x.reconciled, "not reconciled: no record of the company was compared"))
	facts.Add("Posted journals", x.postedLine())
	findings := "none"
	if !m.Findings.None() {
		findings = "see below"
	}
	facts.Add("Findings", findings)
	facts.Add("Evidence", a.Evidence)
	facts.Add("Seal", cmp.Or(m.Blocks.Seal, "none, because not all blocks are sealed"))
	facts.Add("Audit trail", a.Trail)
	facts.Add("Manifest", "manifest.json lists this cover and every other file, so the cover cannot contain its SHA-256; fees close, fees close --check and check.html show it")
	for _, act := range Round(x.round).Signed() {
		facts.Add(roles[act.Kind], plain.Line(act.User)+", "+act.Time.String())
	}
	return facts
}

// valuationFigure is the line of a cover that has a value only.
const valuationFigure = "valuation_difference"

// roles are what users who closed a package are on its cover.
var roles = map[ledger.ActKind]string{ledger.Prepared: "Prepared by", ledger.Approved: "Reviewed by", ledger.Closed: "Closed by"}

// figuresOf returns the lines of a cover from a rollforward, whose last column is of all accounts.
func figuresOf(r *rollforward.Rollforward, valued bool) (list []closing.Figure, err error) {
	c := &r.Columns[len(r.Columns)-1]
	add := func(name string, free, reserved chain.Optional[chain.SignedWei], value chain.Optional[money.Amount]) {
		f := closing.Figure{Name: name}
		a, isFree := free.Get()
		b, isReserved := reserved.Get()
		if total, wrong := a.Add(b); isFree && isReserved {
			f.Amount, err = chain.Some(total), cmp.Or(err, wrong)
		}
		if amount, known := value.Get(); known {
			f.Value = chain.Some(amount.String())
		}
		list = append(list, f)
	}
	balance := func(name string, b chain.Optional[balances.Change], value chain.Optional[money.Amount]) {
		if have, known := b.Get(); known {
			add(name, chain.Some(have.Free), chain.Some(have.Reserved), value)
		}
	}
	lines, err := c.Lines()
	valuation, wrong := c.Valuation()
	if err = cmp.Or(err, wrong); err != nil {
		return nil, err
	}
	balance("opening", c.Opening, c.OpeningValue)
	for _, l := range lines {
		add(string(l.Line), l.Free, l.Reserved, l.Value)
		if f := &list[len(list)-1]; isNothing(f, valued) && !slices.Contains([]rollforward.Line{rollforward.Received, rollforward.Sent, rollforward.Fees}, l.Line) {
			list = list[:len(list)-1]
		}
	}
	if !c.Holds() {
		balance("unexplained", c.Unexplained, chain.Optional[money.Amount]{})
	}
	if valued {
		add(valuationFigure, chain.Some(chain.SignedWei{}), chain.Some(chain.SignedWei{}), valuation)
	}
	balance("closing", c.Closing, c.ClosingValue)
	return list, err
}

// isNothing reports whether a line neither changed a balance nor has a value. A value that is not known is not nothing.
func isNothing(f *closing.Figure, valued bool) bool {
	amount, known := f.Amount.Get()
	value, worth := f.Value.Get()
	return known && amount.Sign() == 0 && worth == valued && strings.Trim(value, "0.") == ""
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
	text := fmt.Sprintf("%d of %d match", r.Compared()-r.Apart(), r.Compared())
	switch {
	case r.Open() > 0 || len(r.UnreadSheets) > 0:
		text = "not reconciled: " + text + fmt.Sprintf(", %d accepted, %d open", r.Accepted(), r.Open())
	case r.Compared() == 0:
		return r.Headline()
	case r.Accepted() > 0:
		text = fmt.Sprintf("%d match, %d accepted", r.Compared()-r.Apart(), r.Accepted())
	}
	if len(r.UnreadSheets) > 0 {
		text += "; " + console.Counted(len(r.UnreadSheets), "sheet") + " with fees not read"
	}
	if !r.Complete() {
		text += "; completeness not checked"
	}
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
