package reconcile

import (
	"errors"
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
	Try  []Way // in which it may be read; none where nothing tells
}

func (e *UnreadError) Error() string { return "line " + strconv.Itoa(e.Line) + ": " + e.Err.Error() }

// Unwrap is the reason.
func (e *UnreadError) Unwrap() error { return e.Err }

// Way is a way in which a file may be read.
type Way struct {
	Means    string // what it makes of a cell, where other ways make something else of it
	Settings []Setting
}

// Tries returns the ways in which a file may be read that could not be. They are several where only
// people can know which is right.
func Tries(err error) []Way {
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
	negative, encoding bool
	fraction, whole    bool // of amounts without a unit
	unitless           bool
	amounts, dates     readings
	noDate             bool  // a date that no format reads
	others             []int // lines that do not look like transactions, as many as can be named
	transactions       int   // rows that do
}

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
	c := &rec.cells[p.Column-1]
	switch field := rows.fieldAt(p.Column); {
	case errors.Is(p.Err, errNotUTF8):
		h.encoding = true
	case c.err != nil:
	case field == Date:
		h.learnDate(c, rows)
	case field != Fee:
	case errors.Is(p.Err, errNegative):
		h.negative = true
	case !c.number:
		h.learnAmount(c.value(), rows, p)
	case errors.Is(p.Err, errNoUnit):
		h.learnUnit(amountForm{decimal: '.'}, strings.TrimPrefix(c.value(), "-"))
	}
}

// learnUnit learns from an amount without a unit whether it is a whole number.
func (h *hints) learnUnit(f amountForm, text string) {
	h.unitless = true
	n, err := f.numeral(text, text)
	digits := len(n.digits) - len(strings.TrimRight(n.digits, "0"))
	if err != nil || n.places > digits {
		h.fraction = true
	} else {
		h.whole = true
	}
}

func (h *hints) learnAmount(text string, rows *rowReader, p *Problem) {
	if outer, inner, both := besides(text); both {
		if text = outer; isWorth(outer) {
			text = inner
		}
	}
	if errors.Is(p.Err, errNoUnit) {
		if plain, _, _, err := rows.amounts.split(text); err == nil {
			h.learnUnit(rows.amounts, plain)
		}
		return
	}
	if h.amounts.of == nil {
		h.amounts.of = amountReadings(rows.amounts)
	}
	h.amounts.learn(text)
}

func (h *hints) learnDate(c *cell, rows *rowReader) {
	if h.dates.of == nil {
		h.dates.of = dateReadings(rows.dates)
	}
	if c.number {
		h.dates.learn(numberMark + c.value())
	} else {
		h.dates.learn(c.value())
	}
	h.noDate = len(h.dates.of) == 0
}

// ways are what the rows tell, beside so many that can be read.
func (h *hints) ways(o *Options, good int) []Way {
	var list []Setting
	add := func(is bool, name, value string) {
		if is {
			list = append(list, Setting{name, value})
		}
	}
	add(h.encoding, "encoding", string(Windows1252))
	add(h.unitless && h.fraction, "unit", string(Token))
	add(h.unitless && !h.fraction && h.whole, "unit", string(Wei))
	add(h.negative && !o.Negative, "negative", "")
	ways := combined([]Way{{Settings: list}}, h.amounts.ways(), h.dates.ways())
	list = nil
	add(h.noDate, "map", "date=")
	if len(h.others) > 0 && len(h.others) <= good+h.transactions && len(h.others)+len(o.SkipRows) <= mostSkipped {
		var lines []string
		for _, n := range h.others {
			lines = append(lines, strconv.Itoa(n))
		}
		add(true, "skip-rows", strings.Join(lines, ","))
	}
	ways = combined(ways, []Way{{Settings: list}})
	if len(ways) == 1 && len(ways[0].Settings) == 0 {
		return nil
	}
	return ways
}

// combined returns each way of the first list with each of the others.
func combined(ways []Way, others ...[]Way) []Way {
	for _, more := range others {
		if len(more) == 0 {
			continue
		}
		var both []Way
		for _, a := range ways {
			for _, b := range more {
				both = append(both, a.And(b))
			}
		}
		ways = both
	}
	return ways
}

// And returns the way with the settings of another one.
func (w Way) And(other Way) Way {
	means := w.Means
	if means != "" && other.Means != "" {
		means += ", "
	}
	return Way{means + other.Means, append(slices.Clone(w.Settings), other.Settings...)}
}
