package web

import (
	"html/template"
	"regexp"
	"strings"
	"time"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/table"
)

// digitsInk is the number of an amount's decimals in full contrast.
const digitsInk = 6

// aNumber matches figures whose digits are grouped.
var aNumber = regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]+)?$`)

// isDigits reports whether the cell is a number.
func (c *cell) isDigits() bool {
	return c.To == "" && (c.Exact != "" || c.Number) && aNumber.MatchString(c.Text)
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

// Digits returns a number as markup, "" for other cells. Digits are grouped by margins, so that a copy is the plain
// number. A known zero is shortened, and keeps its place below the other points.
func (c cell) Digits() template.HTML {
	if !c.isDigits() {
		return ""
	}
	head, tail, zeros := c.digits()
	whole, decimals, _ := strings.Cut(head, ".")
	unsigned := strings.TrimLeft(whole, "+-")
	var out strings.Builder
	out.WriteString(whole[:len(whole)-len(unsigned)])
	groups(&out, unsigned, -len(unsigned))
	nothing := decimals != "" && strings.Trim(c.Text, "0.") == ""
	if decimals != "" {
		out.WriteString(map[bool]string{true: "<u>.", false: "."}[nothing])
		groups(&out, decimals, 0)
	}
	if tail != "" {
		out.WriteString("<i>")
		groups(&out, tail, len(decimals))
		out.WriteString("</i>")
	}
	if zeros != "" {
		out.WriteString(`<i class="zeros">`)
		groups(&out, zeros, len(decimals)+len(tail))
		out.WriteString("</i>")
	}
	if nothing {
		out.WriteString("</u>")
	}
	return template.HTML(out.String()) // digits, a sign, a point and our elements
}

// groups writes digits, the first of each group of three in an element with a margin. At is the first one's distance
// from the point: negative before it.
func groups(out *strings.Builder, digits string, at int) {
	for i := range len(digits) {
		if place := at + i; place%3 == 0 && place != 0 && (i > 0 || at > 0) {
			out.WriteString("<b>" + digits[i:i+1] + "</b>")
		} else {
			out.WriteByte(digits[i])
		}
	}
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
	shown, exact := cell{Text: v.Text(), Class: classOf(c)}, v.Exact()
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
	case c.Name == "place" || c.Name == "id":
		if isTransactionID.MatchString(exact) {
			shown.To = "tx/" + exact
		}
	case c.Kind == table.Integer && (c.Name == "block" || c.Name == "number"):
		shown.To = "block/" + exact
	case c.Kind.IsRight():
		shown.Number = true
	}
	return shown
}

// timeIn returns an instant in a zone for people.
func timeIn(zone *time.Location, at time.Time) string {
	return at.In(zone).Format("2 Jan 2006 15:04:05")
}
