package web

import (
	"regexp"
	"slices"
	"strings"
	"time"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/sys/markup"
	"github.com/feeledger/fees/internal/table"
)

// digitsInk is the number of an amount's decimals in full contrast.
const digitsInk = 6

// aNumber matches figures whose digits are grouped.
var aNumber = regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]+)?$`)

// isDigits reports whether the cell is a number.
func (c *cell) isDigits() bool {
	return (c.Exact != "" || c.Number) && aNumber.MatchString(c.Text)
}

// digits splits a number for display: up to the sixth decimal, up to the last that is not 0, and the trailing zeros.
func (c *cell) digits() (head, tail, zeros string) {
	whole, decimals, ok := strings.Cut(c.Text, ".")
	if !ok || len(decimals) < digitsInk {
		return c.Text, "", ""
	}
	end := max(len(strings.TrimRight(decimals, "0")), digitsInk)
	return whole + "." + decimals[:digitsInk], decimals[digitsInk:end], decimals[end:]
}

// node returns the value as the page shows it.
func (c *cell) node() g.Node {
	var value g.Node
	switch {
	case c.Field != nil:
		value = c.Field.node(c.Text)
	case c.Tick != "":
		value = markup.El("input", markup.Attr("type", "checkbox"), markup.Attr("name", "difference"), markup.Attr("value", c.Tick), markup.Attr("aria-label", c.Text), g.If(c.Ticked, markup.Attr("checked")))
	case c.To != "":
		to := *c
		to.To, to.Share, to.Form = "", "", nil
		value = markup.El("a", href(c.To), to.node())
		if c.Exact == "" && c.Unit != "" {
			value = g.Group{value, markup.Text(" "), markup.El("span", markup.Attr("class", "unit"), markup.Text(c.Unit))}
		}
	case c.Time != "":
		value = markup.El("time", markup.Attr("datetime", c.Time), markup.Attr("title", c.Time), markup.Text(c.Text))
	case c.Exact != "":
		value = g.Group{markup.El("data", markup.Attr("value", c.Exact), c.figure()), g.If(c.Unit != "", g.Group{markup.Text(" "), markup.El("span", markup.Attr("class", "unit"), markup.Text(c.Unit))})}
	default:
		value = c.figure()
	}
	if c.Form != nil {
		value = g.Group{value, c.Form.row(), c.Form.refused()}
	}
	if c.Share == "" {
		return value
	}
	return g.Group{value, markup.El("svg", markup.Attr("class", "share"), markup.Attr("width", "100%"), markup.Attr("height", "3"), markup.Attr("aria-hidden", "true"), markup.El("rect", markup.Attr("class", "evm"), markup.Attr("width", c.Share), markup.Attr("height", "3")))}
}

// figure returns a number with its digits grouped by margins, so that a copy is the plain number; of other cells, the
// text. A known zero is shortened, and keeps its place below the other points.
func (c *cell) figure() g.Node {
	if !c.isDigits() {
		return markup.Text(c.Text)
	}
	head, tail, zeros := c.digits()
	whole, decimals, _ := strings.Cut(head, ".")
	unsigned := strings.TrimLeft(whole, "+-")
	list := append(g.Group{markup.Text(strings.ReplaceAll(whole[:len(whole)-len(unsigned)], "-", "−"))}, groups(unsigned, -len(unsigned))...)
	if decimals == "" {
		return list
	}
	fraction := append(g.Group{markup.Text(".")}, groups(decimals, 0)...)
	if tail != "" {
		fraction = append(fraction, markup.El("i", groups(tail, len(decimals))...))
	}
	if zeros != "" {
		fraction = append(fraction, markup.El("i", markup.Attr("class", "zeros"), groups(zeros, len(decimals)+len(tail))))
	}
	if strings.Trim(c.Text, "0.") == "" {
		return append(list, markup.El("u", fraction...))
	}
	return append(list, fraction...)
}

// groups returns digits, the first of each group of three in an element with a margin. At is the first one's distance
// from the point: negative before it.
func groups(digits string, at int) (list g.Group) {
	start := 0
	for i := range len(digits) {
		if place := at + i; place%3 == 0 && place != 0 && (i > 0 || at > 0) {
			list = append(list, markup.Text(digits[start:i]), markup.El("b", markup.Text(digits[i:i+1])))
			start = i + 1
		}
	}
	return append(list, markup.Text(digits[start:]))
}

// classOf returns the class of a column's cells.
func classOf(c *table.Column) string {
	switch {
	case c.Kind.IsRight():
		return "figure"
	case c.Kind == table.Hash || c.Kind == table.Address:
		return "hex"
	case c.Verdict || c.Name == "verdict" || c.Name == "outcome":
		return "verdict"
	}
	return ""
}

// standings maps verdicts to the further class that colours and marks them.
var standings = map[string]string{"match": "ok", "matched": "ok", "drift": "bad", "undetermined": "warn"}

// standingOf returns the further class of a verdict; with failed checks, whatever it is, it is bad.
func standingOf(text string) string {
	if strings.HasSuffix(text, " failed") {
		return "bad"
	}
	return standings[text]
}

// cell formats a value for a page, times in a zone: hashes and addresses are shortened and link to their page.
func (s *server) cell(c *table.Column, v table.Cell, zone *time.Location) cell {
	shown, exact := cell{Text: v.Text(), Name: v.Exact(), Class: classOf(c)}, v.Exact()
	switch shown.Class {
	case "verdict":
		shown.Class = strings.TrimSpace(shown.Class + " " + standingOf(shown.Text))
	case "hex":
		if exact == "" { // a name for several
			shown.Class = ""
		}
	}
	if exact == "" {
		return shown
	}
	switch {
	case c.Kind == table.Wei || c.Kind == table.SignedWei:
		shown.Exact = exact
	case c.Kind == table.Time:
		if at, ok := v.Time(); ok && zone != nil {
			shown.Text, shown.Time = timeIn(zone, at.Std()), exact
		}
	case c.Kind == table.Address:
		shown.To, shown.Text = "account/"+exact, s.called(exact)
		if shown.Text != console.Ends(exact, 4) { // a label
			shown.Class = ""
		}
	case c.Kind == table.Hash && c.Name != "parent_hash":
		shown.To, shown.Text = "lookup?q="+exact, console.Ends(exact, 4)
	case c.Name == "place" || c.Name == "id" || c.Name == "taken":
		if isTransactionID.MatchString(exact) {
			shown.To = "tx/" + exact
		} else if height, hook, ok := strings.Cut(exact, "-"); ok && movement.HookWords(hook) != "" {
			shown.To, shown.Text = "block/"+height, height+", "+movement.HookWords(hook)
		}
	case c.Kind == table.Integer && c.Name == "block":
		shown.To = "block/" + exact
	case c.Kind == table.Boolean:
		shown.Text = map[string]string{"true": "yes", "false": "no"}[exact]
	case c.Kind.IsRight():
		shown.Number = true
	case slices.Contains(periodColumns, strings.TrimSuffix(c.Name, "_before")):
		shown.Text = dayNames(shown.Text)
	}
	return shown
}

// periodColumns are the columns of hours, days and months.
var periodColumns = []string{"hour", "day", "month", "date"}

// aPeriod matches a period in the form for programs: an hour, a day or a month.
var aPeriod = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{2}:\d{2}|\d{4}-\d{2}-\d{2}|\d{4}-\d{2})( to (.*))?$`)

// dayNames returns an hour, a day or a month in the form for people, also several of them; other text is unchanged.
func dayNames(text string) string {
	found := aPeriod.FindStringSubmatch(text)
	if found == nil {
		return text
	}
	name := found[1]
	for _, l := range []struct{ program, people string }{{time.RFC3339, "Mon 2 Jan 2006 15:04"}, {time.DateOnly, "Mon 2 Jan 2006"}, {"2006-01", "January 2006"}} {
		if at, err := time.Parse(l.program, name); err == nil {
			name = at.Format(l.people)
			break
		}
	}
	if found[3] != "" && found[3] != found[1] {
		return name + " to " + dayNames(found[3])
	}
	return name
}

// timeIn returns an instant in a zone for people.
func timeIn(zone *time.Location, at time.Time) string {
	return at.In(zone).Format("2 Jan 2006 15:04:05")
}

// aMoment matches an instant or a day in the form for programs, within a text.
var aMoment = regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d+)?Z)?\b`)

// readable returns a text with its instants and days in the form for people.
func readable(text string) string {
	return aMoment.ReplaceAllStringFunc(text, func(found string) string {
		if at, err := time.Parse(time.RFC3339, found); err == nil {
			return at.Format("2 Jan 2006 15:04:05") + " UTC"
		}
		if at, err := time.Parse(time.DateOnly, found); err == nil {
			return at.Format("2 Jan 2006")
		}
		return found
	})
}

// periodWords returns a replacer of these periods' names by those for people.
func periodWords(periods ...string) *strings.Replacer {
	var names []string
	for _, name := range periods {
		names = append(names, name, console.PeriodName(name))
	}
	return strings.NewReplacer(names...)
}

// inWords puts periods of these names into the form for people, wherever the page says them.
func (f *frame) inWords(periods ...string) {
	words := periodWords(periods...)
	f.Title, f.Lead = words.Replace(f.Title), words.Replace(f.Lead)
	for _, list := range []*[]string{&f.Warnings, &f.Notes} {
		*list = readableList(*list)
		for i, text := range *list {
			(*list)[i] = words.Replace(text)
		}
	}
}

func readableList(list []string) (readables []string) {
	for _, text := range list {
		readables = append(readables, readable(text))
	}
	return readables
}
