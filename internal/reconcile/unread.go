package reconcile

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/internal/console"
)

// unreadSheet is a sheet of a workbook that was not read.
type unreadSheet struct {
	name, state string
	fees        bool // it has fees, or could not be examined
}

const (
	// maxExamined limits the data that is unpacked to examine the sheets that are not read, in bytes.
	maxExamined = 64 << 20
	// maxRowsExamined limits the rows below a sheet's header that are examined.
	maxRowsExamined = 1000
)

// unread returns the sheets other than the one that was read.
func (w *workbook) unread(read string, o *Options) (list []unreadSheet, err error) {
	left := maxExamined
	w.examining = &left
	defer func() { w.examining = nil }()
	for _, s := range w.sheets {
		if s.name == read {
			continue
		}
		fees, err := w.hasFees(s.part, o)
		if w.ctx.Err() != nil {
			return nil, err
		}
		list = append(list, unreadSheet{s.name, s.state, fees || err != nil})
	}
	return list, nil
}

// hasFees reports whether a sheet has a fee below a column of fees, or begins with a transaction.
func (w *workbook) hasFees(part string, o *Options) (has bool, err error) {
	var columns []int
	count := 0
	err = w.read(part, func(rec *record) bool {
		if count++; columns == nil {
			columns = rec.header().feeColumns(o)
			has = count == 1 && slices.ContainsFunc(rec.cells, func(c cell) bool { return hashIn.MatchString(c.text) })
			if columns != nil {
				count = 0
			}
			return !has && count <= maxLinesAbove
		}
		has = count > maxRowsExamined || slices.ContainsFunc(columns, func(i int) bool {
			return i < len(rec.cells) && (rec.cells[i].err != nil || rec.cells[i].value() != "")
		})
		return !has
	})
	return has, err
}

// feeColumns returns the columns of fees in any unit or asset, also by the user's name or a profile; nil if there is none.
func (h header) feeColumns(o *Options) (places []int) {
	as := Options{Symbol: o.Symbol}
	places = h.otherFees(&as)
	for i, name := range h {
		if slices.ContainsFunc(usual, func(u fieldName) bool { return u.field == Fee && u.isNamed(name, &as) }) ||
			o.Columns[Fee] != "" && strings.EqualFold(strings.TrimSpace(name), strings.TrimSpace(o.Columns[Fee])) {
			places = append(places, i)
		}
	}
	if p := o.profileOf(h); p != nil && p.NoFees == "" {
		places = append(places, h.place(p.Columns[Fee])-1)
	}
	return places
}

// addUnread notes the sheets that were not read. The result is open while one of them has fees and the user has named no
// sheet.
func (f *File) addUnread(list []unreadSheet, o *Options) {
	var names []string
	for _, s := range list {
		name := strconv.Quote(shownName(s.name))
		if s.fees && o.Sheet == "" {
			f.unread = append(f.unread, name)
		}
		if s.state != "" {
			name += " (" + s.state + ")"
		}
		names = append(names, name)
	}
	if len(names) > 0 {
		f.Notes = append(f.Notes, "Not read: "+sheetsIn(names)+".")
	}
	if n := len(f.unread); n > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%s fees, too. Name the sheet of this record with --sheet; the result is open until then.",
			strings.ToUpper(sheetsIn(f.unread)[:1])+sheetsIn(f.unread)[1:]+console.Verb(n, " has", " have")))
	}
}

// sheetsIn lists the first of some sheets.
func sheetsIn(names []string) string {
	return console.Verb(len(names), "sheet ", "sheets ") + firstNames(names)
}

// open completes a headline if sheets with fees were not read.
func (r *Result) open(headline string) string {
	if len(r.UnreadSheets) == 0 {
		return headline
	}
	return strings.TrimPrefix(headline, "all ") + "; " + sheetsIn(r.UnreadSheets) + " with fees " + console.Verb(len(r.UnreadSheets), "was", "were") + " not read"
}

// errExamined ends the examination of sheets that unpack to too much data.
var errExamined = errors.New("too much data to examine")
