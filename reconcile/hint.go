package reconcile

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Setting is a flag of fees reconcile with its value, "" of one that has none.
type Setting struct{ Name, Value string }

// UnreadError says why the header of a file cannot be read.
type UnreadError struct {
	Line int
	Err  error
	Try  []Setting // by which it may be read; none where nothing tells
}

func (e *UnreadError) Error() string { return "line " + strconv.Itoa(e.Line) + ": " + e.Err.Error() }

// Unwrap is the reason.
func (e *UnreadError) Unwrap() error { return e.Err }

// Tries are the settings with which a file may be read that could not be.
func Tries(err error) []Setting {
	var unread *UnreadError
	var problems *ProblemsError
	switch {
	case errors.As(err, &unread):
		return unread.Try
	case errors.As(err, &problems):
		return problems.Try
	}
	return nil
}

// With are the options with settings that [Tries] gave.
func (o Options) With(list []Setting) Options {
	for _, s := range list {
		first, _ := utf8.DecodeRuneInString(s.Value)
		switch s.Name {
		case "encoding":
			o.Encoding = Encoding(s.Value)
		case "header-row":
			o.HeaderRow, _ = strconv.Atoi(s.Value)
		case "skip-rows":
			o.SkipRows = slices.Clone(o.SkipRows)
			for text := range strings.SplitSeq(s.Value, ",") {
				n, _ := strconv.Atoi(text)
				o.SkipRows = append(o.SkipRows, n)
			}
		case "map":
			columns := map[Field]string{}
			for field, name := range o.Columns {
				columns[field] = name
			}
			field, name, _ := strings.Cut(s.Value, "=")
			columns[Field(field)] = name
			o.Columns = columns
		case "unit":
			o.Unit = Unit(s.Value)
		case "negative":
			o.Negative = true
		case "decimal":
			o.Decimal = first
		case "thousands":
			o.Thousands = first
		case "date-format":
			o.DateFormat = s.Value
		}
	}
	return o
}

// hints are what rows that cannot be read tell of how the file is written.
type hints struct {
	negative, encoding    bool
	fraction, whole       bool // of amounts without a unit
	comma, commaThousands bool // a comma before decimals, or between thousands, and nothing else
	pointThousands        bool
	dateFormat            string
	noDate                bool  // a date that can be read in two ways, or in none
	others                []int // lines that do not look like transactions, as many as can be named
	transactions          int   // rows that do
	unitless              bool
}

// The ways in which a number tells its separators.
var (
	commaDecimal   = regexp.MustCompile(`^[0-9]{1,3}(\.[0-9]{3})*,[0-9]+$|^[0-9]+,[0-9]+$`)
	pointGroups    = regexp.MustCompile(`^[0-9]{1,3}(\.[0-9]{3})+(,[0-9]+)?$`)
	commaGroups    = regexp.MustCompile(`^[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$`)
	ambiguousComma = regexp.MustCompile(`^[1-9][0-9]{0,2},[0-9]{3}$`)
)

// dateFormats are those that are proposed. Each says by itself which number is the month.
var dateFormats = []string{"dd.mm.yyyy", "d.m.yyyy", "dd.mm.yyyy HH:MM", "d.m.yyyy HH:MM", "dd.mm.yyyy HH:MM:SS", "yyyy/mm/dd"}

// learn looks at a row that cannot be read.
func (h *hints) learn(rec *record, rows *rowReader, p *Problem) {
	if !rows.looksLikeTransaction(rec) {
		if len(h.others) <= mostSkipped {
			h.others = append(h.others, rec.line)
		}
		return
	}
	h.transactions++
	if p.Column == 0 || p.Column > len(rec.cells) {
		return
	}
	c := rec.cells[p.Column-1]
	text := strings.TrimSpace(c.text)
	field := rows.fieldAt(p.Column)
	switch {
	case errors.Is(p.Err, errNotUTF8):
		h.encoding = true
	case field == Date && !c.number:
		h.learnDate(text, rows)
	case field != Fee:
	case errors.Is(p.Err, errNegative):
		h.negative = true
	default:
		h.learnAmount(text, rows, p)
	}
}

func (h *hints) learnDate(text string, rows *rowReader) {
	for _, format := range dateFormats {
		layouts, err := dateLayouts(format)
		if err != nil {
			continue
		}
		if _, err := parseDate(text, layouts, rows.options.Zone); err == nil && (h.dateFormat == "" || h.dateFormat == format) {
			h.dateFormat = format
			return
		}
	}
	h.noDate = true
}

func (h *hints) learnAmount(text string, rows *rowReader, p *Problem) {
	plain, _, _, err := rows.amounts.split(text)
	if err != nil {
		return
	}
	var form *formError
	switch {
	case errors.Is(p.Err, errNoUnit):
		h.unitless = true
		if strings.ContainsAny(plain, ".,") || strings.Contains(strings.ToLower(plain), "e-") {
			h.fraction = true
		} else {
			h.whole = true
		}
	case errors.As(p.Err, &form):
		switch {
		case ambiguousComma.MatchString(plain): // either
		case commaGroups.MatchString(plain) && (strings.Contains(plain, ".") || strings.Count(plain, ",") > 1):
			h.commaThousands = true
		case commaDecimal.MatchString(plain):
			h.comma = true
			h.pointThousands = h.pointThousands || pointGroups.MatchString(plain)
		}
	}
}

// settings are what the rows tell, beside so many that can be read.
func (h *hints) settings(o *Options, good int) (list []Setting) {
	add := func(is bool, name, value string) {
		if is {
			list = append(list, Setting{name, value})
		}
	}
	add(h.encoding, "encoding", string(Windows1252))
	add(h.unitless && h.fraction, "unit", string(Token))
	add(h.unitless && !h.fraction && h.whole, "unit", string(Wei))
	add(h.negative && !o.Negative, "negative", "")
	add(h.comma && !h.commaThousands, "decimal", ",")
	add(h.comma && !h.commaThousands && h.pointThousands, "thousands", ".")
	add(h.commaThousands && !h.comma, "thousands", ",")
	add(h.dateFormat != "" && !h.noDate, "date-format", h.dateFormat)
	add(h.noDate, "map", "date=")
	if len(h.others) > 0 && len(h.others) <= good+h.transactions && len(h.others)+len(o.SkipRows) <= mostSkipped {
		var lines []string
		for _, n := range h.others {
			lines = append(lines, strconv.Itoa(n))
		}
		add(true, "skip-rows", strings.Join(lines, ","))
	}
	return list
}
