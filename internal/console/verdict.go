package console

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// verdicts are the colored words: green for passed, yellow for unknown, red for failed.
var verdicts = map[string]text.Color{
	"match": text.FgGreen, "matched": text.FgGreen, "proved": text.FgGreen, "final": text.FgGreen, "within rounding": text.FgGreen, "within tolerance": text.FgGreen,
	"every check passed": text.FgGreen,

	"no evidence": text.FgYellow, "not checked": text.FgYellow, "not known": text.FgYellow, "unclassified": text.FgYellow,
	"undetermined": text.FgYellow, "ambiguous": text.FgYellow, "incomplete total": text.FgYellow,

	"drift": text.FgRed, "contradicted": text.FgRed, "unexplained": text.FgRed, "no": text.FgRed,
	"amount differs": text.FgRed, "payer differs": text.FgRed, "paid by another account": text.FgRed, "outside period": text.FgRed, "duplicate": text.FgRed,
	"only in books": text.FgRed, "only on chain": text.FgRed,
}

// Verdict returns a word with its color, if it is a verdict and the page displays colors.
func (p *Page) Verdict(word string) string {
	term, _, _ := strings.Cut(strings.ReplaceAll(word, "_", " "), ":")
	term, failed, _ := strings.Cut(term, ", ") // such as "match, 2 checks failed"
	if colour, ok := verdicts[term]; ok {
		if strings.HasSuffix(failed, " failed") {
			colour = text.FgRed
		}
		return p.coloured(word, colour)
	}
	return word
}

func (p *Page) coloured(word string, colour text.Color) string {
	if !p.colours {
		return word
	}
	return colour.EscapeSeq() + word + text.Reset.EscapeSeq()
}
