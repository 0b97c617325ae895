package web

import (
	"regexp"
	"strings"
	"time"

	"github.com/feeledger/fees/internal/console"
)

// plainText returns a text without the spaces and signs that pages write around figures.
var plainText = strings.NewReplacer("\u00a0", " ", "\u2009", " ", "\u202f", " ", "\u2212", "-", "...", "…").Replace

// Layouts of dates that people write, besides 2026-01-31 and 2026-01. Names of months match in any case.
var (
	dayLayouts   = []string{"2 Jan 2006", "2 January 2006", "Jan 2 2006", "January 2 2006"}
	monthLayouts = []string{"Jan 2006", "January 2006"}
)

var (
	aWeekday = regexp.MustCompile(`(?i)^(mon|tue|wed|thu|fri|sat|sun)[a-z]* `)
	aClock   = regexp.MustCompile(`(?i)[ t][0-9]{1,2}:[0-9]{2}(:[0-9]{2})?(\.[0-9]+)?( ?(utc|z|[+-][0-9]{2}:[0-9]{2}))?$`)
	spaces   = regexp.MustCompile(` +`)
)

// periodOf returns the month or day that a text names: dec 2025, Mon 1 Dec 2025, 1 Dec 2025 00:01:48. A day without a year
// is one of a given year.
func periodOf(text, year string) (period string, ok bool) {
	text = spaces.ReplaceAllString(strings.ReplaceAll(plainText(text), ",", " "), " ")
	text = aWeekday.ReplaceAllString(text, "")
	text = strings.TrimSpace(aClock.ReplaceAllString(text, ""))
	if aMonth.MatchString(text) {
		return text, true
	}
	for _, layout := range monthLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at.Format("2006-01"), true
		}
	}
	for _, layout := range append([]string{time.DateOnly}, dayLayouts...) {
		for _, of := range []string{text, text + " " + year} {
			if at, err := time.Parse(layout, of); err == nil {
				day := at.Format(time.DateOnly)
				return day + ".." + day, true
			}
		}
	}
	return "", false
}

// aShortened matches the beginning and the end of an address or a hash, as pages show it.
var aShortened = regexp.MustCompile(`^((?:0x)?[0-9a-zA-Z]{3,62})…([0-9a-zA-Z]{3,62})$`)

// aBeginning matches the first digits of an address or a hash.
var aBeginning = regexp.MustCompile(`^0x[0-9a-fA-F]{3,63}$`)

// endsOf returns the beginning and the end of a shortened address or hash; the end is "" if only the beginning is stated.
func endsOf(text string) (first, last string, ok bool) {
	text = plainText(text)
	if found := aShortened.FindStringSubmatch(text); found != nil {
		return found[1], found[2], true
	}
	return text, "", aBeginning.MatchString(text)
}

// hasEnds reports whether an address or a hash has a beginning and an end. Digits of hexadecimal numbers match in any case.
func hasEnds(name, first, last string) bool {
	if strings.HasPrefix(name, "0x") {
		name, first, last = strings.ToLower(name), strings.ToLower(first), strings.ToLower(last)
	}
	return strings.HasPrefix(name, first) && strings.HasSuffix(name, last) && len(first)+len(last) <= len(name)
}

var (
	// anAmount matches an amount or its first digits, with or without its unit.
	anAmount = regexp.MustCompile(`^[+-]? ?([0-9][0-9 ,]*)(\.[0-9 ]*)?…? ?([A-Za-z]{0,12})$`)
	groupsOf = strings.NewReplacer(" ", "", ",", "")
)

// weiDigits is the length from which a number without a point is an amount in wei: no height is that long.
const weiDigits = 11

// amountOf returns the range of the fees that begin with the digits of a text, as decimal numbers in the token: of 0.25 all
// from 0.25 to 0.25999…, since amounts are cut, never rounded.
func amountOf(text string, token console.Token) (from, to string, ok bool) {
	text = plainText(text)
	found := anAmount.FindStringSubmatch(text)
	if found == nil {
		return "", "", false
	}
	whole, decimals, unit := groupsOf.Replace(found[1]), strings.ReplaceAll(found[2], " ", ""), found[3]
	places := token.Places()
	isWei := strings.EqualFold(unit, "wei") || unit == "" && decimals == "" && len(whole) >= weiDigits && !strings.Contains(text, "…")
	switch {
	case isWei && decimals == "":
		whole = strings.Repeat("0", max(0, places+1-len(whole))) + whole
		exact := whole[:len(whole)-places] + "." + whole[len(whole)-places:]
		return exact, exact, len(whole) <= 40
	case isWei, unit != "" && !strings.EqualFold(unit, token.Symbol):
		return "", "", false
	case decimals == "" && unit == "" && !strings.Contains(text, "…"):
		return "", "", false // a height
	}
	decimals = strings.TrimPrefix(decimals, ".")
	if len(whole) > 40 || len(decimals) > places {
		return "", "", false
	}
	if strings.Trim(whole+decimals, "0") == "" { // everything begins with 0
		return "", "", false
	}
	return whole + "." + decimals + strings.Repeat("0", places-len(decimals)), whole + "." + decimals + strings.Repeat("9", places-len(decimals)), true
}

// aGroupedNumber matches a number with its digits grouped.
var aGroupedNumber = regexp.MustCompile(`^[0-9]{1,3}([ ,][0-9]{3})+$`)

// ungrouped returns a number without the separators of its groups; other texts as they are.
func ungrouped(text string) string {
	if text = plainText(text); aGroupedNumber.MatchString(text) {
		return groupsOf.Replace(text)
	}
	return text
}
