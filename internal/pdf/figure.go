package pdf

import (
	"fmt"
	"regexp"
	"strings"
)

// groupGap stands between groups of three digits. It is a gap, and not a character: [clean] removes it from other text.
const groupGap = '\u2009'

// gapWidth returns the width of a group's gap, in the font's units.
func (f *trueType) gapWidth() int { return f.unitsPerEm * 16 / 100 }

// aFigure matches figures whose digits are grouped.
var aFigure = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// grouped returns a figure with its digits in groups of three and a minus sign; other text as it is.
func grouped(text string) string {
	if !aFigure.MatchString(text) {
		return text
	}
	whole, decimals, fraction := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	var b strings.Builder
	if strings.HasPrefix(text, "-") {
		b.WriteRune('−')
	}
	group := func(digits string, first int) {
		for i := range len(digits) {
			if i > 0 && (i-first)%3 == 0 {
				b.WriteRune(groupGap)
			}
			b.WriteByte(digits[i])
		}
	}
	group(whole, len(whole)%3)
	if fraction {
		b.WriteByte('.')
		group(decimals, 0)
	}
	return b.String()
}

// plainFigure returns what a grouped figure is copied as, and whether a line of text is one.
func plainFigure(line string) (plain string, is bool) {
	plain = strings.ReplaceAll(strings.Replace(line, "−", "-", 1), string(groupGap), "")
	return plain, aFigure.MatchString(plain)
}

// show shows a line of text whose baseline starts at a point, each part in a font that has its characters. PDF/UA requires
// that all text is marked content of an element, or an artifact. Search and copy find a grouped figure as plain text.
func (d *Document) show(f *face, size, x, y int, text string) {
	to := &d.page.content
	plain, is := plainFigure(text)
	if is = is && plain != text; is {
		fmt.Fprintf(to, "/Span<</ActualText%s>>BDC\n", textString(plain))
	}
	for text != "" {
		part, own := f.part(text)
		shown := own.encode(part)
		if strings.ContainsRune(part, groupGap) {
			shown = own.encodeGroups(part)
		}
		fmt.Fprintf(to, "BT/%s %s Tf %s %s Td%s ET\n", own.name, points(size), points(x), points(y), shown)
		x, text = x+f.width(part, size), text[len(part):]
	}
	if is {
		to.WriteString("EMC\n")
	}
}

// part returns the beginning of a text that one font shows, and that font.
func (f *face) part(text string) (part string, own *face) {
	own = nil
	for i, r := range text {
		if of := f.of(r); own != nil && of != own {
			return text[:i], own
		} else if own == nil {
			own = of
		}
	}
	return text, own
}

// encodeGroups returns text with gaps between its groups.
func (f *face) encodeGroups(text string) string {
	var parts []string
	for _, group := range strings.Split(text, string(groupGap)) {
		parts = append(parts, f.codesOf(group))
	}
	return "[" + strings.Join(parts, fmt.Sprintf("-%d", f.perMille(f.gapWidth()))) + "]TJ"
}
