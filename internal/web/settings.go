package web

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// settings control how a company's record is read and compared. They are part of the page's URL, named like the
// flags of fees reconcile.
type settings struct {
	scope  scope
	books  app.BooksInput
	all    bool // also show matching rows
	values url.Values
}

// setting is one of the settings. Its flag has the same name, with - for _.
type setting struct {
	Name, Label string
	Kind        string
	Hint        string
	Options     []option
	list        func() []option // the options, if they are made when a form is; nil uses Options
	more        bool            // less common
}

// settingList lists all settings except the columns.
var settingList = []setting{
	{Name: "unit", Label: "Unit of the fees", Kind: "select", Options: []option{{"", "from the column or the amounts"}, {"wei", "the smallest unit: wei, planck"}, {"gwei", "Gwei"}, {"token", "the token"}, {"evm-wei", "10^-18 of the token, as the EVM counts"}}},
	{Name: "decimal", Label: "Decimal separator", Kind: "select", Options: []option{{"", "a point"}, {",", "a comma"}}},
	{Name: "thousands", Label: "Thousands separator", Kind: "select", Options: []option{{"", "nothing"}, {",", "a comma"}, {".", "a point"}, {"'", "an apostrophe"}, {" ", "a space"}}},
	{Name: "separator", Label: "Column separator (csv)", Kind: "select", Options: []option{{"", "detect from the header"}, {"comma", "a comma"}, {"semicolon", "a semicolon"}, {"tab", "a tab"}, {"pipe", "a pipe"}}},
	{Name: "encoding", Label: "Encoding (csv)", Kind: "select", Options: []option{{"", "UTF-8, or UTF-16 with a byte order mark"}, {"windows-1252", "Windows-1252"}, {"utf-8", "UTF-8"}}, more: true},
	{Name: "sheet", Label: "Sheet (xlsx)", Kind: "text", Hint: "default: the first", more: true},
	{Name: "date_format", Label: "Date format", Kind: "text", Hint: "yyyy-mm-dd; or dd.mm.yyyy HH:MM, unix, unix-ms, excel", more: true},
	{Name: "tolerance", Label: "Tolerance", Kind: "text", Hint: "5 wei, 1 Gwei, 0.000001 token", more: true},
	{Name: "profile", Label: "Written by", Kind: "select", list: profileOptions},
	{Name: "cut_decimals", Label: "Decimals of cut fees", Kind: "text", Hint: "8", more: true},
	{Name: "header_row", Label: "Header row", Kind: "text", Hint: "default: detected by column names", more: true},
	{Name: "skip_rows", Label: "Rows to skip", Kind: "text", Hint: "12,16", more: true},
	{Name: "negative", Label: "Fees are negative: -5, 5-, (5)", Kind: "checkbox", more: true},
	{Name: "rows_only", Label: "Compare only the rows; do not look for fees missing from the file", Kind: "checkbox", more: true},
	{Name: "all", Label: "Show matching rows too", Kind: "checkbox", more: true},
}

// profileOptions returns the products whose exports are recognised.
func profileOptions() []option {
	list := []option{{"", "detected by its columns"}, {reconcile.NoProfile, "none of these"}}
	for _, p := range reconcile.Profiles() {
		if p.NoFees == "" {
			list = append(list, option{p.Name, p.Title})
		}
	}
	return list
}

// columnFields are the fields that can be mapped to a column.
var columnFields = []struct {
	field reconcile.Field
	label string
}{
	{reconcile.Fee, "fee"}, {reconcile.Asset, "fee's asset"}, {reconcile.Hash, "transaction hash"}, {reconcile.EVMHash, "EVM hash"}, {reconcile.ExtrinsicHash, "extrinsic hash"}, {reconcile.ID, "transaction ID, such as 25-7"},
	{reconcile.Account, "paying account"}, {reconcile.Date, "date"},
}

// noColumn maps a field to no column. No column has this name: names are compared without surrounding
// spaces.
const noColumn = " "

// settingOf returns the setting of a flag, or nil.
func settingOf(flag string) *setting {
	for i := range settingList {
		if settingList[i].Name == strings.ReplaceAll(flag, "-", "_") {
			return &settingList[i]
		}
	}
	return nil
}

func settingNames() (names []string) {
	for _, c := range columnFields {
		names = append(names, "map."+string(c.field))
	}
	for _, s := range settingList {
		names = append(names, s.Name)
	}
	return names
}

// readSettings parses the settings of a URL, which may have more parameters.
func readSettings(query string, more ...string) (set settings, err error) {
	if set.scope, err = readScope(query, slices.Concat(settingNames(), more)...); err != nil {
		return set, err
	}
	set.values = set.scope.own
	for _, c := range columnFields {
		if name := set.values.Get("map." + string(c.field)); name != "" {
			name = strings.ReplaceAll(strings.TrimSpace(name), "\r\n", "\n") // browsers send line breaks as \r\n
			set.books.Columns = append(set.books.Columns, string(c.field)+"="+name)
		}
	}
	for _, s := range settingList {
		if s.Name == "all" {
			set.all, err = ticked(set.values, s.Name)
		} else if text := set.values.Get(s.Name); text != "" {
			err = set.books.Set(app.Field(strings.ReplaceAll(s.Name, "_", "-")), text)
		}
		if err != nil {
			return set, err
		}
	}
	return set, nil
}

// query formats the settings as a query.
func (set *settings) query() string { return set.scope.query(set.values) }

// flags formats the settings as command-line flags.
func (set *settings) flags() string {
	var line strings.Builder
	line.WriteString(set.scope.flags())
	for _, c := range set.books.Columns {
		line.WriteString(" --map " + console.Argument(console.InList(c)))
	}
	for _, s := range settingList {
		value := set.values.Get(s.Name)
		flag := " --" + strings.ReplaceAll(s.Name, "_", "-")
		switch {
		case value == "" || s.Kind == "checkbox" && value == "0":
		case s.Kind == "checkbox":
			line.WriteString(flag)
		default:
			line.WriteString(flag + " " + console.Argument(value))
		}
	}
	return line.String()
}

// ways returns links to settings with which the file may be readable.
func (set *settings) ways(here string, err error) (list []link) {
	var unread *app.UnreadError
	if errors.As(err, &unread) { // these combinations are known to work
		for _, w := range unread.Ways {
			list = append(list, set.way(here, "Read it with ", w))
		}
		return list
	}
	for _, w := range reconcile.Tries(err) {
		for _, s := range w.Settings {
			list = append(list, set.way(here, "Try it with ", reconcile.Way{Means: w.Means, Settings: []reconcile.Setting{s}}))
		}
	}
	return list
}

// way returns a link to the page with additional settings.
func (set *settings) way(here, text string, way reconcile.Way) link {
	values, _ := url.ParseQuery(strings.TrimPrefix(set.query(), "?")) // it was parsed before
	var said []string
	for _, s := range way.Settings {
		name, value := strings.ReplaceAll(s.Name, "-", "_"), s.Value
		switch s.Name {
		case "map":
			field, column, _ := strings.Cut(value, "=")
			name, value = "map."+field, column
			said = append(said, fmt.Sprintf("%q as the %s", plain.Line(column), table.Words(field)))
			if column == "" {
				value = noColumn
				said[len(said)-1] = "no " + field
			}
		case "negative":
			value = "1"
			said = append(said, "negative fees")
		case "rows-only":
			value = "1"
			said = append(said, "only the rows")
		case "skip-rows":
			said = append(said, "without "+console.Verb(strings.Count(value, ",")+1, "row ", "rows ")+value)
			if before := values.Get(name); before != "" {
				value = before + "," + value
			}
		default:
			said = append(said, fmt.Sprintf("%s %q", settingOf(s.Name).Label, value))
		}
		values.Set(name, value)
	}
	text += strings.Join(said, ", ")
	if way.Means != "" {
		text += ": " + plain.Line(way.Means)
	}
	return link{text + ".", here + "?" + values.Encode()}
}

const (
	// maxShownColumns limits the columns of a file that a page shows.
	maxShownColumns = 40
	// maxShownCell limits the length of their cells, in characters.
	maxShownCell = 80
	// maxOption limits the length of the column names offered for selection, because they become part of a
	// URL.
	maxOption = 200
)

// settingsForm returns the form of the settings, with a preview of the file if there is one.
func (s *server) settingsForm(set *settings, here string, p *reconcile.Preview) *form {
	scope := set.scope
	if !set.books.RowsOnly {
		scope = s.ofCompany(scope)
	}
	f := &form{Action: here, Button: "Compare", Fields: scope.controls("The company's accounts")}
	for _, c := range columnFields {
		one := control{Name: "map." + string(c.field), Label: "Column: " + c.label, Kind: "select", Value: set.values.Get("map." + string(c.field)), Options: []option{{"", "detect by name"}, {noColumn, "none"}}}
		if p != nil {
			one.Hint = "not found"
			for _, found := range p.Found {
				if found.Field == c.field {
					one.Hint = "found: " + shortened(found.Name)
				}
			}
			var names []string
			for _, name := range p.Header[:min(len(p.Header), maxShownColumns)] {
				if name = strings.TrimSpace(name); name != "" && len(name) <= maxOption && !slices.Contains(names, name) {
					names = append(names, name)
					one.Options = append(one.Options, option{name, shortened(name)})
				}
			}
			if strings.HasPrefix(one.Value, "#") && !slices.Contains(names, one.Value) {
				one.Options = append(one.Options, option{one.Value, "column " + one.Value[1:]})
			}
		}
		if one.Value != noColumn {
			one.Value = strings.ReplaceAll(one.Value, "\r\n", "\n")
		}
		f.Fields = append(f.Fields, one.chosen())
	}
	for _, s := range settingList {
		one := control{Name: s.Name, Label: s.Label, Kind: s.Kind, Hint: s.Hint, Value: set.values.Get(s.Name), Options: s.Options}
		if s.list != nil {
			one.Options = s.list()
		}
		if s.Kind == "select" {
			one = one.chosen()
		}
		if p != nil {
			one.found(p)
		}
		if !s.more {
			f.Fields = append(f.Fields, one)
			continue
		}
		f.More = append(f.More, one)
		f.Open = f.Open || one.Value != ""
	}
	if p != nil {
		f.Table = previewTable(p)
	}
	return f
}

// found shows the value that was detected in the file.
func (f *control) found(p *reconcile.Preview) {
	switch {
	case f.Name == "separator" && p.Form == "csv":
		f.Hint = "found: " + map[string]string{",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a pipe"}[p.Separator]
	case f.Name == "encoding" && p.Form == "csv":
		f.Hint = "read as " + string(p.Encoding)
	case f.Name == "unit" && p.Unit != "":
		f.Hint = "found: " + string(p.Unit)
	case f.Name == "header_row":
		f.Hint = fmt.Sprintf("shown: %d", p.Line)
	case f.Name == "sheet" && p.Form == "xlsx":
		f.Kind, f.Options = "select", []option{{"", "the first visible sheet"}}
		for _, name := range p.Sheets[:min(len(p.Sheets), 100)] {
			f.Options = append(f.Options, option{name, shortened(name)})
		}
		f.Hint = "shown: " + shortened(p.Sheet)
		*f = f.chosen()
	}
}

// previewTable returns the first rows of a file, unchanged.
func previewTable(p *reconcile.Preview) *tabular {
	t := &tabular{Title: "File preview", Heads: []cell{{Text: "line"}}}
	width := len(p.Header)
	for _, row := range p.Rows {
		width = max(width, len(row.Cells))
	}
	meaning := map[int]string{}
	for _, c := range p.Found {
		meaning[c.Place-1] = table.Words(string(c.Field))
	}
	uses := []cell{{Text: "read as"}}
	for i := range min(width, maxShownColumns) {
		head := ""
		if i < len(p.Header) {
			head = shortened(p.Header[i])
		}
		t.Heads = append(t.Heads, cell{Text: head, Class: "quoted"})
		use := cell{Text: "not used"}
		if meaning[i] != "" {
			use = cell{Text: meaning[i], Class: "ok"}
		}
		uses = append(uses, use)
	}
	if len(p.Found) > 0 {
		t.Rows = append(t.Rows, uses)
	}
	for _, row := range p.Rows {
		cells := []cell{{Text: fmt.Sprint(row.Number)}}
		for i := range min(width, maxShownColumns) {
			text := ""
			if i < len(row.Cells) {
				text = shortened(row.Cells[i])
			}
			cells = append(cells, cell{Text: text})
		}
		t.Rows = append(t.Rows, cells)
	}
	if width > maxShownColumns {
		t.More = fmt.Sprintf("%d more columns are not shown. Select one in the address, such as map.fee=NAME.", width-maxShownColumns)
	}
	return t
}

// shortened returns text of a file on one line of limited length.
func shortened(text string) string {
	runes := []rune(plain.Line(text[:min(len(text), 8*maxShownCell)]))
	if len(runes) > maxShownCell {
		return string(runes[:maxShownCell]) + "…"
	}
	return string(runes)
}
