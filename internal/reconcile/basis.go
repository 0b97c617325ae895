package reconcile

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/console"
)

// fact is a named input of the result.
type fact struct{ name, value string }

// basis returns everything that determines the result: the same basis gives the same bytes.
func (r *Result) basis() (list []fact) {
	add := func(name string, value any) { list = append(list, fact{name, fmt.Sprint(value)}) }
	for n, f := range r.Files {
		prefix := ""
		if len(r.Files) > 1 {
			prefix = fmt.Sprintf("record_%d_", n+1)
		}
		for _, fact := range f.facts() {
			add(prefix+fact.name, fact.value)
		}
	}
	add("network", r.Network)
	add("genesis", console.Known(r.Genesis))
	add("sealed", console.Known(r.Sealed))
	add("seal", r.Seal)
	from, to := r.ends()
	add("from", from)
	add("to", to)
	add("blocks", console.Known(r.Span))
	add("accounts", r.accounts())
	add("rows_only", r.Options.RowsOnly)
	add("tolerance", r.Options.Tolerance)
	if r.Options.CutDecimals > 0 {
		add("cut_decimals", r.Options.CutDecimals)
	}
	add("partial", r.Options.Partial)
	return append(list, r.priceFacts()...)
}

// facts returns what the file is, and how it was read.
func (f *NamedFile) facts() (list []fact) {
	add := func(name string, value any) { list = append(list, fact{name, fmt.Sprint(value)}) }
	o := f.options
	if f.Name != "" {
		add("file", f.Name)
	}
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
	if f.Profile != nil {
		add("profile", f.Profile.Name)
	}
	add("header_row", f.HeaderRow)
	add("title_rows", lineList(f.Titles))
	add("total_rows", lineList(f.Totals))
	add("skip_rows", lineList(o.SkipRows))
	for _, c := range f.Columns {
		add("column_"+string(c.Field), fmt.Sprintf("%d %s", c.Place, c.Name))
	}
	add("unit", f.Unit)
	add("negative", o.Negative)
	add("decimal", string(o.Decimal))
	add("thousands", thousandsName(o.Thousands))
	add("date_format", o.DateFormat)
	add("timezone", o.Zone)
	return list
}

// maxListedAccounts limits the accounts that are listed. Beyond it, a checksum identifies them.
const maxListedAccounts = 20

// accounts returns the company's accounts, sorted.
func (r *Result) accounts() string {
	var list []string
	for _, a := range r.Options.Accounts {
		list = append(list, r.Options.Token().Account(a))
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) <= maxListedAccounts {
		return strings.Join(list, " ")
	}
	return fmt.Sprintf("%d, SHA-256 of their sorted lines: %x", len(list), sha256.Sum256([]byte(strings.Join(list, "\n")+"\n")))
}

// lineList formats sorted line numbers; if there are many, only their count and range.
func lineList(lines []int) string {
	lines = slices.Compact(slices.Sorted(slices.Values(lines)))
	if len(lines) > maxListedAccounts {
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

// ends returns the requested period's ends, or "" if none was requested.
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
