package reconcile

import (
	"errors"
	"slices"
	"strconv"
	"strings"
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

// hints are what rows that cannot be read tell of how the file is written.
type hints struct {
	encoding        bool
	below, above    []int // lines with amounts below 0 where fees are above, and above 0 where they are below
	fraction, whole bool  // of amounts without a unit
	unitless        bool
	fees            bool // a row that cannot be read has a fee that can
	amounts, dates  readings
	noDate          bool  // a date that no format reads
	others          []int // lines that do not look like transactions, as many as can be named
	transactions    int   // rows that do
}

// learn looks at a row that cannot be read.
func (h *hints) learn(rec *record, rows *rowReader, p *Problem) {
	note := func(list *[]int) {
		if len(*list) <= mostSkipped {
			*list = append(*list, rec.line)
		}
	}
	if !rows.looksLikeTransaction(rec) {
		note(&h.others)
		return
	}
	h.transactions++
	switch fee, err := rows.figure(rec); {
	case errors.Is(err, errNegative):
		note(&h.below)
	case errors.Is(err, errRefund):
		note(&h.above)
	case err == nil && !fee.wei.IsZero():
		h.fees = true
	}
	if p.Column == 0 || p.Column > len(rec.cells) {
		return
	}
	c := &rec.cells[p.Column-1]
	switch field := rows.fieldAt(p.Column); {
	case errors.Is(p.Err, errNotUTF8):
		h.encoding = true
	case c.err != nil, len(c.text) > maxAmount:
	case field == Date:
		h.learnDate(c, rows)
	case field != Fee:
	case errors.Is(p.Err, errNegative), errors.Is(p.Err, errRefund):
	case errors.Is(p.Err, errNoFee):
		note(&h.others)
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
	add(h.noDate, "map", "date=")
	ways := combined([]Way{{Settings: list}}, h.signs(o, good), h.amounts.ways(), h.dates.ways())
	if len(ways) > 1 || len(ways[0].Settings) > 0 {
		return ways
	}
	// Rows are passed over last: with other settings, they may be what they seem not to be.
	if list = skipping(h.others, o); len(list) > 0 && len(h.others) <= good+h.transactions {
		return []Way{{Settings: list}}
	}
	return nil
}

// signs are the ways to read amounts below and above 0, of which one kind is no fees.
func (h *hints) signs(o *Options, good int) []Way {
	switch {
	case len(h.below) == 0:
		return []Way{{Settings: skipping(h.above, o)}}
	case good == 0 && !h.fees:
		return []Way{{Settings: []Setting{{"negative", ""}}}}
	}
	return []Way{
		{"fees are below 0, and what is above is refunds", []Setting{{"negative", ""}}},
		{"fees are above 0, and what is below is refunds", skipping(h.below, o)},
	}
}

// skipping is the setting by which lines are passed over; none where they are too many.
func skipping(lines []int, o *Options) []Setting {
	if len(lines) == 0 || len(lines)+len(o.SkipRows) > mostSkipped {
		return nil
	}
	var list []string
	for _, n := range lines {
		list = append(list, strconv.Itoa(n))
	}
	return []Setting{{"skip-rows", strings.Join(list, ",")}}
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
