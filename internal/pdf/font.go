package pdf

import (
	"encoding/binary"
	"fmt"
)

// trueType is a TrueType font with a Unicode character map of format 4.
type trueType struct {
	tables         map[string][]byte
	unitsPerEm     int
	box            [4]int // of all glyphs
	ascent, drop   int
	glyphs, longs  int // numbers of glyphs, and of their advances
	glyphOf        map[rune]uint16
	longOffsets    bool
	widths, places []byte
}

// The tables of an embedded font.
var embedded = []string{"cvt ", "fpgm", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "prep"}

func u16(b []byte, at int) int { return int(binary.BigEndian.Uint16(b[at:])) }
func i16(b []byte, at int) int { return int(int16(binary.BigEndian.Uint16(b[at:]))) }
func u32(b []byte, at int) int { return int(binary.BigEndian.Uint32(b[at:])) }

// parseFont parses a font that is part of the program; it trusts its offsets.
func parseFont(file []byte) (*trueType, error) {
	f := &trueType{tables: map[string][]byte{}, glyphOf: map[rune]uint16{}}
	for i := range u16(file, 4) {
		entry := file[12+16*i:]
		f.tables[string(entry[:4])] = file[u32(entry, 8) : u32(entry, 8)+u32(entry, 12)]
	}
	for _, name := range append([]string{"cmap"}, embedded...) {
		if f.tables[name] == nil {
			return nil, fmt.Errorf("the font has no table %q", name)
		}
	}
	head, hhea := f.tables["head"], f.tables["hhea"]
	f.unitsPerEm, f.longOffsets = u16(head, 18), u16(head, 50) == 1
	for i := range f.box {
		f.box[i] = i16(head, 36+2*i)
	}
	f.ascent, f.drop = i16(hhea, 4), i16(hhea, 6)
	f.longs, f.glyphs = u16(hhea, 34), u16(f.tables["maxp"], 4)
	f.widths, f.places = f.tables["hmtx"], f.tables["loca"]
	return f, f.parseCharacters()
}

// parseCharacters parses the character map for Unicode's basic plane.
func (f *trueType) parseCharacters() error {
	cmap := f.tables["cmap"]
	for i := range u16(cmap, 2) {
		t := cmap[u32(cmap, 8+8*i):]
		if u16(cmap, 4+8*i) != 3 || u16(cmap, 6+8*i) != 1 || u16(t, 0) != 4 {
			continue
		}
		segments := u16(t, 6) / 2
		ends, starts, deltas, offsets := 14, 16+2*segments, 16+4*segments, 16+6*segments
		for s := range segments {
			for c := u16(t, starts+2*s); c <= u16(t, ends+2*s) && c < 0xffff; c++ {
				glyph := c
				if offset := u16(t, offsets+2*s); offset != 0 {
					if glyph = u16(t, offsets+2*s+offset+2*(c-u16(t, starts+2*s))); glyph == 0 {
						continue
					}
				}
				f.glyphOf[rune(c)] = uint16(glyph + u16(t, deltas+2*s))
			}
		}
		return nil
	}
	return fmt.Errorf("the font has no character map of format 4 for Unicode")
}

// advance returns the width of a glyph, in the font's units.
func (f *trueType) advance(glyph uint16) int { return u16(f.widths, 4*min(int(glyph), f.longs-1)) }

// outline returns the outline of a glyph.
func (f *trueType) outline(glyph int) []byte {
	if f.longOffsets {
		return f.tables["glyf"][u32(f.places, 4*glyph):u32(f.places, 4*glyph+4)]
	}
	return f.tables["glyf"][2*u16(f.places, 2*glyph) : 2*u16(f.places, 2*glyph+2)]
}

// Flags of a part of a composite glyph.
const (
	wordArguments  = 1 << 0
	hasScale       = 1 << 3
	moreParts      = 1 << 5
	hasTwoScales   = 1 << 6
	hasFullScaling = 1 << 7
)

// addParts adds the glyphs that a composite glyph consists of.
func (f *trueType) addParts(used map[int]bool, glyph int) {
	if used[glyph] {
		return
	}
	used[glyph] = true
	outline := f.outline(glyph)
	if len(outline) == 0 || i16(outline, 0) >= 0 {
		return
	}
	for at := 10; ; {
		flags := u16(outline, at)
		f.addParts(used, u16(outline, at+2))
		at += 6
		if flags&wordArguments != 0 {
			at += 2
		}
		switch {
		case flags&hasScale != 0:
			at += 2
		case flags&hasTwoScales != 0:
			at += 4
		case flags&hasFullScaling != 0:
			at += 8
		}
		if flags&moreParts == 0 {
			return
		}
	}
}

// subset returns a font file in which only some glyphs have outlines.
func (f *trueType) subset(glyphs []uint16) []byte {
	used := map[int]bool{}
	f.addParts(used, 0)
	for _, g := range glyphs {
		f.addParts(used, int(g))
	}
	var glyf, loca []byte
	for g := range f.glyphs {
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
		if used[g] {
			glyf = padded(append(glyf, f.outline(g)...))
		}
	}
	loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
	head := append([]byte{}, f.tables["head"]...)
	copy(head[8:], make([]byte, 4)) // the checksum of the file, set below
	binary.BigEndian.PutUint16(head[50:], 1)

	count := len(embedded)
	file := []byte{0, 1, 0, 0, 0, byte(count), 0, 128, 0, 3, 0, byte(count*16 - 128)}
	offset := len(file) + 16*count
	var body []byte
	headAt := 0
	for _, name := range embedded {
		table := map[string][]byte{"glyf": glyf, "loca": loca, "head": head}[name]
		if table == nil {
			table = f.tables[name]
		}
		if name == "head" {
			headAt = offset + len(body)
		}
		file = append(file, name...)
		file = binary.BigEndian.AppendUint32(file, checksum(table))
		file = binary.BigEndian.AppendUint32(file, uint32(offset+len(body)))
		file = binary.BigEndian.AppendUint32(file, uint32(len(table)))
		body = padded(append(body, table...))
	}
	file = append(file, body...)
	binary.BigEndian.PutUint32(file[headAt+8:], 0xb1b0afba-checksum(file))
	return file
}

// padded fills up to a multiple of four bytes.
func padded(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

// checksum adds the 32-bit words of a table.
func checksum(table []byte) (sum uint32) {
	table = padded(append([]byte{}, table...))
	for i := 0; i < len(table); i += 4 {
		sum += binary.BigEndian.Uint32(table[i:])
	}
	return sum
}
