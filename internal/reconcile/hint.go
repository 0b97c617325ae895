package reconcile

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Setting is a flag of fees reconcile with its value, "" for a flag without one.
type Setting struct{ Name, Value string }

// UnreadError reports why the header of a file cannot be read.
type UnreadError struct {
	Line int
	Err  error
	Try  []Way // settings that may help; may be empty
}

func (e *UnreadError) Error() string { return "line " + strconv.Itoa(e.Line) + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *UnreadError) Unwrap() error { return e.Err }

// Way is a set of settings with which a file may be readable.
type Way struct {
	Means    string // how it interprets a cell, if other ways differ
	Settings []Setting
}

// IsForm reports whether the way states only the file's form, not the meaning of its columns.
func (w *Way) IsForm() bool {
	return !slices.ContainsFunc(w.Settings, func(s Setting) bool {
		field, _, _ := strings.Cut(s.Value, "=")
		isName := s.Name == "map" && slices.Contains([]Field{Hash, ID}, Field(field))
		return !isName && !slices.Contains([]string{"encoding", "decimal", "thousands", "date-format", "separator"}, s.Name)
	})
}

// Tries returns the settings with which an unreadable file may be readable: several if only people can choose.
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

// hints collects what unreadable rows reveal about how the file is written.
type hints struct {
	encoding        bool
	below, above    []int // lines with a sign opposite to the declared one
	fraction, whole bool  // of amounts without a unit
	unitless        bool
	notWei          string // the column of fees declared to be in wei that have a fraction, as a setting refers to it
	fees            bool   // an unreadable row has a readable fee
	amounts, dates  readings
	noDate          bool  // a date that no format matches
	others          []int // lines that do not look like transactions, as many as can be skipped
	transactions    int   // rows that look like transactions
}

// learn examines an unreadable row.
func (h *hints) learn(rec *record, rows *rowReader, p *Problem) {
	note := func(list *[]int) {
		if len(*list) <= maxSkipped {
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
	case errors.Is(p.Err, errFraction):
		h.notWei = rows.header.reference(p.Column - 1)
	case errors.Is(p.Err, errNegative), errors.Is(p.Err, errRefund):
	case errors.Is(p.Err, errNoFee):
		note(&h.others)
	case !c.number:
		h.learnAmount(c.value(), rows, p)
	case errors.Is(p.Err, errNoUnit):
		h.learnUnit(amountForm{decimal: '.'}, strings.TrimPrefix(c.value(), "-"))
	}
}

// learnUnit records whether an amount without a unit is a whole number.
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
	if outer, inner, both := splitPair(text); both {
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

// ways returns the settings that the rows suggest; good is the number of readable rows.
func (h *hints) ways(o *Options, good int) []Way {
	var list []Setting
	add := func(is bool, name, value string) {
		if is {
			list = append(list, Setting{name, value})
		}
	}
	add(h.encoding, "encoding", string(Windows1252))
	add(h.notWei != "", "map", string(Fee)+"="+h.notWei)
	add(h.notWei != "" || h.unitless && h.fraction, "unit", string(Token))
	add(h.notWei == "" && h.unitless && !h.fraction && h.whole, "unit", string(Wei))
	add(h.noDate, "map", "date=")
	ways := combined([]Way{{Settings: list}}, h.signs(o, good), h.amounts.ways(), h.dates.ways())
	if len(ways) > 1 || len(ways[0].Settings) > 0 {
		return ways
	}
	// Skipping rows is the last resort: with other settings they may be readable.
	if list = skipping(h.others, o); len(list) > 0 && len(h.others) <= good+h.transactions {
		return []Way{{Settings: list}}
	}
	return nil
}

// signs returns the ways to read amounts below and above 0, one kind of which are not fees.
func (h *hints) signs(o *Options, good int) []Way {
	switch {
	case len(h.below) == 0:
		return []Way{{Settings: skipping(h.above, o)}}
	case good == 0 && !h.fees:
		return []Way{{Settings: []Setting{{"negative", ""}}}}
	}
	return []Way{
		{"negative amounts are fees, positive ones are refunds", []Setting{{"negative", ""}}},
		{"positive amounts are fees, negative ones are refunds", skipping(h.below, o)},
	}
}

// skipping returns the setting that skips lines; none if there are too many.
func skipping(lines []int, o *Options) []Setting {
	if len(lines) == 0 || len(lines)+len(o.SkipRows) > maxSkipped {
		return nil
	}
	return []Setting{{"skip-rows", numbers(lines)}}
}

// combined combines each way of the first list with each of the others.
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

// And returns the way with the settings of another one added.
func (w Way) And(other Way) Way {
	means := w.Means
	if means != "" && other.Means != "" {
		means += ", "
	}
	return Way{means + other.Means, append(slices.Clone(w.Settings), other.Settings...)}
}
