package reconcile

import (
	"regexp"
	"slices"
	"strings"
)

// A column that cannot be a field is never proposed for it: its numbers count or locate something, and a comparison of
// heights with fees would look like a result.

// ofFees matches the beginnings of names that otherwise say something else: gas fee, blockchain cost.
var ofFees = regexp.MustCompile(`\b(gas|block ?chain) ?(fees?|costs?)\b`)

// otherThan matches names of columns that are not the field, as [plainName] writes them.
var otherThan = map[Field]*regexp.Regexp{
	Fee: regexp.MustCompile(`block|\bblk|nonce|index|height|number|time|date|\bgas(\b|used|limit|price|wanted|left|units?)|confirmation|balance|saldo|status|version|decimals|sequence|position` +
		`|bloque|bloco|blocco|höhe|hauteur|altura|altezza|altitude|nummer|numéro|número|numero|zeit|datum|fecha|` +
		`\b(id|no|nr|num|n|seq|pos|row|line|zeile|day|tag|jour|month|year|slot|era|epoch|round|session|count|anzahl|weight|size|rate|price|kurs|preis|chain|data|hora|heure|ora)\b`),
	Hash: regexp.MustCompile(`block|parent|state|root|event|address|contract|token`),
	ID:   regexp.MustCompile(`event|log|transfer|date|time`),
}

// canBe reports whether a column's name allows that a field is proposed for it.
func (h header) canBe(field Field, place int, o *Options) bool {
	name := ofFees.ReplaceAllString(plainName(h[place]), "")
	isOther := func(u fieldName) bool { return u.field != field && u.isNamed(h[place], o) }
	return strings.TrimSpace(h[place]) != "#" && !otherThan[field].MatchString(name) && !slices.ContainsFunc(usual, isOther)
}

// saysMoney matches names of columns of amounts.
var saysMoney = regexp.MustCompile(`fee|cost|amount|charge|paid|spent|expense|gebühr|kosten|betrag|entgelt|frais|montant|coût|comisi|coste|importe|tarifa|commission|spesa|importo|taxa|valor|\b(wei|gwei|gas)\b`)

// isCount reports whether a column looks like heights, counts or times in seconds or milliseconds. Fees in wei are larger,
// and others have a fraction.
func (h header) isCount(place int, rows []*record) bool {
	const seconds, milliseconds = 10, 13 // digits of a time
	return !saysMoney.MatchString(plainName(h[place])) && holds(rows, place, func(c *cell) bool {
		return allDigits(c.value()) && (len(c.value()) <= seconds || len(c.value()) == milliseconds)
	})
}
