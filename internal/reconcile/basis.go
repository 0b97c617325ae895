package reconcile

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
)

// fact is a thing that the result rests on.
type fact struct{ name, value string }

// basis is what decides the result: whoever has the same gets the same bytes.
func (r *Result) basis() (list []fact) {
	add := func(name string, value any) { list = append(list, fact{name, fmt.Sprint(value)}) }
	if r.Name != "" {
		add("file", r.Name)
	}
	if f := r.File; f != nil {
		add("file_sha256", f.SHA256)
		add("file_form", f.Form)
		switch f.Form {
		case "csv":
			add("separator", separatorName(f.Separator))
			add("encoding", f.Encoding)
		default:
			add("sheet", f.Sheet)
		}
		add("rows", f.Count)
		add("header_row", f.HeaderRow)
		add("title_rows", lineList(f.Titles))
		add("total_rows", lineList(f.Totals))
		add("skip_rows", lineList(r.Options.SkipRows))
		for _, c := range f.Columns {
			add("column_"+string(c.Field), fmt.Sprintf("%d %s", c.Place, c.Name))
		}
		add("unit", f.Unit)
		add("negative", r.Options.Negative)
		add("decimal", string(r.Options.Decimal))
		add("thousands", thousandsName(r.Options.Thousands))
		add("date_format", r.Options.DateFormat)
		add("timezone", r.Options.Zone)
	}
	add("network", r.Network)
	add("genesis", shownOptional(r.Genesis))
	add("sealed", shownOptional(r.Sealed))
	add("seal", r.Seal)
	from, to := r.ends()
	add("from", from)
	add("to", to)
	add("blocks", shownOptional(r.Span))
	add("accounts", r.accounts())
	add("rows_only", r.Options.RowsOnly)
	add("tolerance", r.Options.Tolerance)
	add("partial", r.Options.Partial)
	return append(list, r.priceFacts()...)
}

// mostListed is how many accounts are listed. Of more, the sum tells whether they are
// the same.
const mostListed = 20

// accounts are the company's, in an order that is always the same.
func (r *Result) accounts() string {
	var list []string
	for _, a := range r.Options.Accounts {
		list = append(list, a.String())
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) <= mostListed {
		return strings.Join(list, " ")
	}
	return fmt.Sprintf("%d, with the SHA-256 %x of their sorted lines", len(list), sha256.Sum256([]byte(strings.Join(list, "\n")+"\n")))
}

// lineList are lines in their order; of many, how many there are.
func lineList(lines []int) string {
	lines = slices.Compact(slices.Sorted(slices.Values(lines)))
	if len(lines) > mostListed {
		return fmt.Sprintf("%d, from %d to %d", len(lines), lines[0], lines[len(lines)-1])
	}
	return strings.Trim(fmt.Sprint(lines), "[]")
}

func separatorName(separator string) string {
	if separator == "\t" {
		return "tab"
	}
	return separator
}

func thousandsName(r rune) string {
	if r == 0 {
		return "none"
	}
	return string(r)
}

// ends are those of the period that was asked for, "" where there was none.
func (r *Result) ends() (from, to string) {
	p, asked := r.Period.Get()
	if !asked {
		return "", ""
	}
	if span, ok := p.Heights.Get(); ok {
		return fmt.Sprint(span.First), fmt.Sprint(span.Last)
	}
	return p.From.String(), "before " + p.To.String()
}

func shownOptional[T any](o chain.Optional[T]) string {
	if v, ok := o.Get(); ok {
		return fmt.Sprint(v)
	}
	return ""
}
