package reconcile

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
)

// maxLinesAbove is the maximum number of rows above the header.
const maxLinesAbove = 100

// maxLinesAhead is how many rows are examined if the column names do not state the contents or the unit.
const maxLinesAhead = 50

// fileReader reads the rows of a file: titles, the header, fees, totals.
type fileReader struct {
	file     *File
	table    *fileTable
	options  *Options
	declared *Options     // as given, without the profile's
	skip     map[int]bool // lines to skip that did not come yet
	above    []*record    // rows before the header
	size     int          // of their texts
	rows     *rowReader   // nil before the header
	totals   totals
	skipped  []int // lines that were skipped though they have a fee
	problems *ProblemsError
	hints    hints
	last     int // the last line
}

// take processes the next row that is not empty.
func (r *fileReader) take(rec *record) error {
	if r.rows != nil {
		return r.row(rec)
	}
	kept, size := rec.held()
	r.above, r.size = append(r.above, kept), r.size+size
	wanted := r.options.HeaderRow
	if wanted == 0 || wanted == rec.line {
		if fits, err := r.recognize(rec.header()); err != nil {
			return &UnreadError{Line: rec.line, Err: err}
		} else if fits {
			return r.begin(rec)
		}
		_, _, err := rec.header().columns(r.options)
		var not *notHeaderError
		if !errors.As(err, &not) && r.options.anyProfile() {
			return r.begin(rec)
		}
	}
	if len(r.above) > maxLinesAbove || r.size > maxRecord {
		return r.noHeader()
	}
	return nil
}

// recognize finds the profile of a header and sets the options that read the file.
func (r *fileReader) recognize(h header) (fits bool, err error) {
	if r.options.Profile == NoProfile {
		return false, nil
	}
	p := r.options.profileOf(h)
	if p == nil {
		return false, nil
	}
	if p.NoFees != "" && r.options.Columns[Fee] == "" {
		return false, &noFeesError{p}
	}
	if p.NoFees == "" {
		r.options, r.file.Profile = p.apply(h, r.options), p
	}
	return p.NoFees == "", nil
}

// begin reads the header, which is the last of the rows in above.
func (r *fileReader) begin(rec *record) error {
	above := r.above[:len(r.above)-1]
	h := rec.header()
	err := h.checked()
	unit := Unit("")
	if err == nil {
		r.file.Columns, unit, err = h.columns(r.options)
	}
	if err != nil {
		return r.unread(rec, err)
	}
	dates, err := newDateReader(r.options.DateFormat, r.options.Zone)
	if err != nil {
		return err
	}
	dates.from1904 = r.table.from1904
	r.file.HeaderRow, r.file.Unit, r.file.feeColumn = rec.line, unit, h.reference(placeOf(r.file.Columns, Fee)-1)
	o := r.options
	r.rows = &rowReader{
		options: o, columns: r.file.Columns, header: h, own: h.own(), workbook: r.table.form == "xlsx", dates: dates, assets: newAssets(h, r.file.Columns, o), feeRow: newFeeRow(h, r.file.Columns), profile: newProfileRows(h, r.file.Columns, o), labels: newPayerLabels(o.Labels),
		amounts:  amountForm{unit: unit, token: o.Token(), negative: o.Negative, decimal: o.Decimal, thousands: o.Thousands},
		decimals: decimals{},
	}
	if err := r.rows.refuseAbove(above, rec.line); err != nil {
		return err
	}
	r.file.name(above)
	r.above = nil
	return nil
}

// name notes the rows above the header.
func (f *File) name(above []*record) {
	var titles []string
	for _, rec := range above {
		f.Titles = append(f.Titles, rec.line)
		for i := range rec.cells {
			if text := strings.TrimSpace(rec.cells[i].text); text != "" {
				if len(titles) < 5 {
					titles = append(titles, strconv.Quote(shownName(text)))
				}
				break
			}
		}
	}
	if len(titles) > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%s above the header in line %d and ignored: %s.", linesAre(f.Titles), f.HeaderRow, strings.Join(titles, ", ")))
	}
}

// linesAre names lines as the subject of a sentence: Lines 1, 2 and 5 are.
func linesAre(list []int) string { return lines(list, " is", " are") }

// lines names lines with a verb in the singular or plural.
func lines(list []int, one, several string) string {
	if len(list) == 1 {
		return fmt.Sprintf("Line %d%s", list[0], one)
	}
	return "Lines " + listed(list) + several
}

// lineNames names lines within a sentence: line 1, or lines 1, 2 and 5.
func lineNames(list []int) string { return console.Verb(len(list), "line ", "lines ") + listed(list) }

// listed lists the first of some lines.
func listed(lines []int) string {
	const limit = 10
	var names []string
	for _, n := range lines[:min(len(lines), limit)] {
		names = append(names, strconv.Itoa(n))
	}
	if more := len(lines) - limit; more > 0 {
		return strings.Join(names, ", ") + fmt.Sprintf(" and %d more", more)
	}
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// row processes a row below the header.
func (r *fileReader) row(rec *record) error {
	if r.rows.repeats(rec) {
		return nil
	}
	if err := r.refuseHeader(rec); err != nil {
		return err
	}
	r.rows.fit(rec)
	if total, wrong, problem := r.totals.take(rec, r.rows, r.file); problem != nil {
		r.problems.add(problem)
		return nil
	} else if total {
		if wrong == nil {
			return nil
		}
		return r.file.Rows.add(wrong)
	}
	row, problem := r.rows.row(rec)
	if problem != nil {
		r.problems.add(problem)
		r.hints.learn(rec, r.rows, problem)
		return nil
	}
	if row.hasFee() {
		r.totals.add(&row)
	}
	return r.file.Rows.add(&row)
}

// noteSkipped notes a skipped row with an amount where the fees are.
func (r *fileReader) noteSkipped(rec *record) {
	if r.rows == nil {
		return
	}
	if place := r.rows.place(Fee); place <= len(rec.cells) && (rec.cells[place-1].number || r.rows.isAmount(rec.value(place))) {
		r.skipped = append(r.skipped, rec.line)
	}
}

// end is called after the last row.
func (r *fileReader) end() error {
	if r.rows == nil && r.problems.Count == 0 {
		if len(r.above) == 0 {
			return errors.New("the file has no header")
		}
		return r.noHeader()
	}
	if r.rows != nil {
		if err := r.rows.assets.check(r.file.HeaderRow, r.problems); err != nil {
			return err
		}
	}
	if r.problems.Count > 0 {
		r.problems.Try = r.hints.ways(r.options, r.file.Rows.Len())
		return r.problems
	}
	for _, line := range r.options.SkipRows {
		if line > r.last {
			return fmt.Errorf("--skip-rows %d is beyond the last row, %d", line, r.last)
		}
	}
	if len(r.skipped) > 0 {
		r.file.Notes = append(r.file.Notes, "Skipped by --skip-rows, though with an amount in the fee column: "+lineNames(r.skipped)+".")
	}
	if name, set := r.declared.Columns[Date]; set && name == "" && slices.ContainsFunc(r.rows.header, func(name string) bool { return usualDate(name) }) {
		r.file.Notes = append(r.file.Notes, "The dates were not read, so they were not compared with the period.")
	}
	r.totals.addNotes(r.file)
	r.rows.addNotes(r.file)
	r.file.Count, r.file.decimals, r.file.alias = r.file.Rows.Len(), r.rows.decimals, r.rows.assets.alias
	r.file.plain = len(r.rows.assets.left) == 0 && r.file.alias == ""
	if p := r.rows.profile; p != nil {
		r.file.counts = p.counts(&r.rows.assets)
		if p.Note != "" {
			r.file.Notes = append(r.file.Notes, p.Note)
		}
	}
	r.rows.assets.addNotes(r.file)
	if left := slices.Collect(maps.Keys(r.rows.assets.left)); len(left) == 1 && r.rows.assets.own == 0 {
		r.file.otherAsset = left[0]
	}
	return nil
}

// usualDate reports whether a column has one of a date's usual names.
func usualDate(name string) bool {
	return slices.ContainsFunc(usual, func(u fieldName) bool { return u.field == Date && slices.Contains(u.names, plainName(name)) })
}

// errNoProfile reports that no row has the columns of the named profile.
func (o *Options) errNoProfile() error {
	p := o.findProfile(o.Profile)
	return fmt.Errorf("no row has the columns of the profile %s: %s. To read the file without a profile, use --profile none", p.Name, header(p.Headers).quoted(nil))
}

// noHeader returns the reason why none of the first rows is a header, for the most likely one: the first of those
// with the most names.
func (r *fileReader) noHeader() error {
	if wanted := r.options.HeaderRow; wanted > 0 {
		at := slices.IndexFunc(r.above, func(x *record) bool { return x.line == wanted })
		if at < 0 {
			return fmt.Errorf("--header-row %d is empty or not among the first %d rows", wanted, maxLinesAbove)
		}
		_, _, err := r.above[at].header().columns(r.options)
		return r.unread(r.above[at], err)
	}
	if !r.options.anyProfile() {
		return r.unread(r.above[0], r.options.errNoProfile())
	}
	best, highest := 0, -1
	for i, rec := range r.above {
		if n := rec.names(); n > highest {
			best, highest = i, n
		}
	}
	rec := r.above[best]
	h := rec.header()
	err := h.checked()
	if err == nil {
		_, _, err = h.columns(r.options)
	}
	return r.unread(rec, err)
}

// unread returns the reason why a row is not a header, with settings that may help.
func (r *fileReader) unread(rec *record, err error) error {
	u := &UnreadError{Line: rec.line, Err: err}
	if errors.Is(err, errNotUTF8) {
		u.Try = []Way{{Settings: []Setting{{"encoding", string(Windows1252)}}}}
		return u
	}
	var choice *choiceError
	if errors.As(err, &choice) {
		u.Try = choice.ways()
		return u
	}
	var not *notHeaderError
	if at := slices.IndexFunc(r.above, func(x *record) bool { return x.line == rec.line }); errors.As(err, &not) && at >= 0 {
		list := rec.header().proposed(r.above[at+1:], r.options)
		if r.options.HeaderRow == 0 && at > 0 && len(list) > 0 {
			list = append([]Setting{{"header-row", strconv.Itoa(rec.line)}}, list...)
		}
		if len(list) > 0 {
			u.Try = []Way{{Settings: list}}
		}
		u.Try = append(u.Try, r.sheets()...)
	}
	return u
}

// maxProposedSheets limits the proposed sheets.
const maxProposedSheets = 10

// sheets proposes the other sheets of a workbook whose first was read.
func (r *fileReader) sheets() (list []Way) {
	if r.table.book == nil || r.options.Sheet != "" {
		return nil
	}
	sheets := r.table.book.sheets
	for _, s := range sheets[:min(len(sheets), maxProposedSheets)] {
		if s.name != r.table.sheet {
			list = append(list, Way{fmt.Sprintf("the fees are in the sheet %q", shownName(s.name)), []Setting{{"sheet", s.name}}})
		}
	}
	return list
}

// proposed maps columns by their contents: hashes, transaction IDs, amounts.
func (h header) proposed(rows []*record, o *Options) (list []Setting) {
	named := func(fields ...Field) bool {
		return slices.ContainsFunc(usual, func(u fieldName) bool {
			return slices.Contains(fields, u.field) && (o.Columns[u.field] != "" || slices.ContainsFunc(h, func(name string) bool { return u.isNamed(name, o) }))
		})
	}
	form := amountForm{token: o.Token(), decimal: o.Decimal, thousands: o.Thousands}
	only := func(field Field, is func(*cell) bool) {
		var places []int
		for i := range h {
			if !h.mapped(i, o) && h.canBe(field, i, o) && holds(rows, i, is) {
				places = append(places, i)
			}
		}
		if len(places) == 1 && !(field == Fee && h.isCount(places[0], rows)) {
			list = append(list, Setting{"map", string(field) + "=" + h.reference(places[0])})
		}
	}
	if !named(Hash, EVMHash, ExtrinsicHash, ID) {
		only(Hash, func(c *cell) bool { _, err := parseHash(c.value()); return err == nil })
		if len(list) == 0 {
			only(ID, func(c *cell) bool { _, ok := ledger.ParsePlace(c.value()); return ok })
		}
	}
	if !named(Fee) && len(h.otherFees(o)) == 0 {
		only(Fee, func(c *cell) bool { return c.number || form.looksLike(c.value()) })
	}
	return list
}

// dayLike matches days written only with numbers.
var dayLike = regexp.MustCompile(`^[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{4}|^[0-9]{4}[./-][0-9]{1,2}[./-][0-9]{1,2}`)

// looksLike reports whether a text could be an amount with any separators.
func (f amountForm) looksLike(text string) bool {
	if dayLike.MatchString(text) {
		return false
	}
	plain, _, _, err := f.split(text)
	return err == nil && strings.ContainsAny(plain, "0123456789") && strings.Trim(plain, "0123456789.,' \u00a0\u202f") == ""
}

// holds reports whether most cells of a column are of a kind; titles and totals are not.
func holds(rows []*record, column int, is func(*cell) bool) bool {
	good, bad := 0, 0
	for _, rec := range rows[:min(len(rows), maxLinesAhead)] {
		if column >= len(rec.cells) || rec.cells[column].value() == "" {
			continue
		}
		if is(&rec.cells[column]) {
			good++
		} else {
			bad++
		}
	}
	return good > bad
}
