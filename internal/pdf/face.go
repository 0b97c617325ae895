package pdf

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
)

// The fonts are Go Regular and Go Bold.
var (
	regularFont = sync.OnceValues(func() (*trueType, error) { return parseFont(goregular.TTF) })
	boldFont    = sync.OnceValues(func() (*trueType, error) { return parseFont(gobold.TTF) })
)

// box is shown for a character that the font lacks, which keeps its own code: search and copy find the character.
const box = '□'

// maxCodes is the number of different characters that a face can show.
const maxCodes = 60_000

// face is a font of a document, with the characters that it has shown.
type face struct {
	*trueType
	name   string // in the resources of a page
	font   string // the name of the font
	self   reference
	codes  map[rune]uint16
	runes  []rune   // by code; code 0 is unused
	glyphs []uint16 // by code

	extra   *face    // shows the characters that this font lacks; nil for none
	lacking *lacking // notes the texts that neither shows
}

// lacking are texts with characters that no font shows.
type lacking struct{ texts []string }

// maxLacking limits the texts that are noted.
const maxLacking = 100

func newFace(f *trueType, name, font string, self reference) *face {
	return &face{trueType: f, name: name, font: font, self: self, codes: map[rune]uint16{}, runes: []rune{0}, glyphs: []uint16{0}}
}

// glyph returns the glyph of a character.
func (f *face) glyph(r rune) uint16 {
	if f.has(r) {
		return f.glyphOf[r]
	}
	return f.glyphOf[box]
}

// has reports whether the font shows a character as it is meant to be.
func (f *trueType) has(r rune) bool {
	_, ok := f.glyphOf[r]
	return ok && !unicode.In(r, shaped...)
}

// shaped are scripts whose characters are joined or reordered, or are written from right to left. Without that their text
// would be wrong, and could be taken for another.
var shaped = []*unicode.RangeTable{
	unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Mandaic, unicode.Samaritan, unicode.Adlam,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
	unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Mongolian, unicode.Balinese, unicode.Javanese,
}

// of returns the font that shows a character.
func (f *face) of(r rune) *face {
	if f.extra != nil && r != groupGap && !f.has(r) && f.extra.has(r) {
		return f.extra
	}
	return f
}

// lacks reports whether no font shows each character of a text.
func (f *face) lacks(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r != '\u00a0' && r != groupGap && !f.has(r) && !f.of(r).has(r) })
}

// note notes a text if no font shows it.
func (f *face) note(text string) {
	if l := f.lacking; len(l.texts) < maxLacking && f.lacks(text) && !slices.Contains(l.texts, text) {
		l.texts = append(l.texts, text)
	}
}

// advance returns the width of a character, in the font's units.
func (f *face) advance(r rune) int {
	if r == groupGap {
		return f.gapWidth()
	}
	own := f.of(r)
	return own.trueType.advance(own.glyph(r)) * f.unitsPerEm / own.unitsPerEm
}

// scaled converts the font's units for a size.
func (f *face) scaled(units, size int) int { return units * size / f.unitsPerEm }

// units returns the width of text in the font's units.
func (f *face) units(text string) (sum int) {
	for _, r := range text {
		sum += f.advance(r)
	}
	return sum
}

// width returns the width of text in a size.
func (f *face) width(text string, size int) int { return f.scaled(f.units(text), size) }

// encode returns text as a string of the face's codes, and the operator that shows it.
func (f *face) encode(text string) string { return f.codesOf(text) + "Tj" }

func (f *face) codesOf(text string) string {
	codes := make([]byte, 0, 2*len(text))
	for _, r := range text {
		code, ok := f.codes[r]
		if !ok && len(f.runes) >= maxCodes {
			r = utf8.RuneError
			code, ok = f.codes[r]
		}
		if !ok {
			code = uint16(len(f.runes))
			f.codes[r], f.runes, f.glyphs = code, append(f.runes, r), append(f.glyphs, f.glyph(r))
		}
		codes = binary.BigEndian.AppendUint16(codes, code)
	}
	return fmt.Sprintf("<%X>", codes)
}

// write writes the font with the characters that were shown.
func (f *face) write(o *objects) {
	f.encode(" ") // a character map must not be empty
	file, toGlyphs, descriptor, descendant, toUnicode := o.reserve(), o.reserve(), o.reserve(), o.reserve(), o.reserve()
	subset := f.subset(f.glyphs)
	o.stream(file, fmt.Sprintf("/Length1 %d", len(subset)), subset)
	var glyphs []byte
	var widths strings.Builder
	for _, g := range f.glyphs {
		glyphs = binary.BigEndian.AppendUint16(glyphs, g)
		fmt.Fprintf(&widths, "%d ", f.perMille(f.trueType.advance(g)))
	}
	o.stream(toGlyphs, "", glyphs)
	o.stream(toUnicode, "", f.unicodes())
	base := subsetTag + "+" + f.font
	o.put(descriptor, fmt.Sprintf("<</Type/FontDescriptor/FontName/%s/Flags 4/FontBBox[%d %d %d %d]/ItalicAngle 0/Ascent %d/Descent %d/CapHeight %d/StemV 80/FontFile2 %v>>",
		base, f.perMille(f.box[0]), f.perMille(f.box[1]), f.perMille(f.box[2]), f.perMille(f.box[3]), f.perMille(f.ascent), f.perMille(f.drop), f.perMille(f.ascent), file))
	o.put(descendant, fmt.Sprintf("<</Type/Font/Subtype/CIDFontType2/BaseFont/%s/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor %v/CIDToGIDMap %v/W[0[%s]]>>",
		base, descriptor, toGlyphs, strings.TrimSpace(widths.String())))
	o.put(f.self, fmt.Sprintf("<</Type/Font/Subtype/Type0/BaseFont/%s/Encoding/Identity-H/DescendantFonts[%v]/ToUnicode %v>>", base, descendant, toUnicode))
}

// subsetTag precedes the name of a font that is subset.
const subsetTag = "FEESAA"

// perMille converts the font's units to thousandths of the size.
func (f *face) perMille(units int) int { return units * 1000 / f.unitsPerEm }

// unicodes returns the character map from codes to characters.
func (f *face) unicodes() []byte {
	text := []byte("/CIDInit/ProcSet findresource begin\n12 dict begin\nbegincmap\n/CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def\n" +
		"/CMapName/Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000><FFFF>\nendcodespacerange\n")
	const most = 100 // entries of a section
	for first := 1; first < len(f.runes); first += most {
		section := f.runes[first:min(first+most, len(f.runes))]
		text = fmt.Appendf(text, "%d beginbfchar\n", len(section))
		for i, r := range section {
			text = fmt.Appendf(text, "<%04X><", first+i)
			for _, unit := range utf16.Encode([]rune{r}) {
				text = fmt.Appendf(text, "%04X", unit)
			}
			text = append(text, ">\n"...)
		}
		text = append(text, "endbfchar\n"...)
	}
	return append(text, "endcmap\nCMapName currentdict/CMap defineresource pop\nend\nend\n"...)
}
