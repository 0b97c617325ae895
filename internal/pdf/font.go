package pdf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// trueType is a TrueType font with a Unicode character map.
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

// The tables of an embedded font. The optional ones are for screens.
var (
	embedded = []string{"cvt ", "fpgm", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "prep"}
	optional = []string{"cvt ", "fpgm", "prep"}
)

// u16, i16 and u32 read a number; 0 beyond the end, so that a malformed font shows nothing.
func u16(b []byte, at int) int {
	if at < 0 || at+2 > len(b) {
		return 0
	}
	return int(binary.BigEndian.Uint16(b[at:]))
}
func i16(b []byte, at int) int { return int(int16(u16(b, at))) }
func u32(b []byte, at int) int { return u16(b, at)<<16 | u16(b, at+2) }

// bytesAt returns some bytes, as far as they exist.
func bytesAt(b []byte, at, length int) []byte {
	if at < 0 || at > len(b) || length < 0 {
		return nil
	}
	end := at + min(length, len(b)-at)
	return b[at:end:end]
}

// parseFont parses a font file, or the first font of a collection.
func parseFont(file []byte) (*trueType, error) {
	f := &trueType{tables: map[string][]byte{}, glyphOf: map[rune]uint16{}}
	start := 0
	if string(bytesAt(file, 0, 4)) == "ttcf" {
		start = u32(file, 12)
	}
	if kind := string(bytesAt(file, start, 4)); kind != "\x00\x01\x00\x00" && kind != "true" {
		return nil, errors.New("the file is not a TrueType font")
	}
	for i := range u16(file, start+4) {
		entry := bytesAt(file, start+12+16*i, 16)
		if len(entry) < 16 {
			break
		}
		f.tables[string(entry[:4])] = bytesAt(file, u32(entry, 8), u32(entry, 12))
	}
	for _, name := range append([]string{"cmap"}, embedded...) {
		if len(f.tables[name]) == 0 && !slices.Contains(optional, name) {
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
	switch {
	case len(head) < 54 || f.unitsPerEm < 16 || f.unitsPerEm > 1<<14 || f.longs == 0 || f.longs > f.glyphs || len(f.widths) < 4*f.longs:
		return nil, errors.New("the font is malformed")
	case u16(f.tables["OS/2"], 8)&0xf == restricted:
		return nil, errors.New("the font's licence does not allow embedding")
	}
	return f, f.parseCharacters()
}

// restricted is the licence of a font that must not be embedded.
const restricted = 2

// parseCharacters parses the character map for all of Unicode, or else the one for its basic plane.
func (f *trueType) parseCharacters() error {
	cmap := f.tables["cmap"]
	for _, form := range []struct{ encoding, format int }{{10, 12}, {4, 12}, {1, 4}, {3, 4}} {
		for i := range u16(cmap, 2) {
			record := bytesAt(cmap, 4+8*i, 8)
			at := u32(record, 4)
			if platform := u16(record, 0); platform != 3 && platform != 0 || u16(record, 2) != form.encoding || u16(cmap, at) != form.format {
				continue
			}
			if t := bytesAt(cmap, at, len(cmap)); form.format == 12 {
				f.parseGroups(t)
			} else {
				f.parseSegments(t)
			}
			return nil
		}
	}
	return errors.New("the font has no character map of format 4 or 12 for Unicode")
}

// maxCharacter is the last character of Unicode.
const maxCharacter = 0x10ffff

// parseSegments parses a character map of format 4.
func (f *trueType) parseSegments(t []byte) {
	segments := u16(t, 6) / 2
	ends, starts, deltas, offsets := 14, 16+2*segments, 16+4*segments, 16+6*segments
	next := 0 // segments are in order, so that a malformed map takes no more time
	for s := range segments {
		first, last := max(next, u16(t, starts+2*s)), u16(t, ends+2*s)
		for c := first; c <= last && c < 0xffff; c++ {
			glyph := c
			if offset := u16(t, offsets+2*s); offset != 0 {
				if glyph = u16(t, offsets+2*s+offset+2*(c-u16(t, starts+2*s))); glyph == 0 {
					continue
				}
			}
			f.add(c, (glyph+u16(t, deltas+2*s))&0xffff)
		}
		next = max(next, last+1)
	}
}

// parseGroups parses a character map of format 12.
func (f *trueType) parseGroups(t []byte) {
	next := 0
	for i := range min(u32(t, 12), len(t)/12) {
		group := bytesAt(t, 16+12*i, 12)
		first, last := u32(group, 0), min(u32(group, 4), maxCharacter)
		for c := max(next, first); c <= last; c++ {
			f.add(c, u32(group, 8)+c-first)
		}
		next = max(next, last+1)
	}
}

// add maps a character to a glyph, if the font has that.
func (f *trueType) add(character, glyph int) {
	if glyph > 0 && glyph < f.glyphs {
		f.glyphOf[rune(character)] = uint16(glyph)
	}
}

// advance returns the width of a glyph, in the font's units.
func (f *trueType) advance(glyph uint16) int { return u16(f.widths, 4*min(int(glyph), f.longs-1)) }

// outline returns the outline of a glyph.
func (f *trueType) outline(glyph int) []byte {
	from, to := 2*u16(f.places, 2*glyph), 2*u16(f.places, 2*glyph+2)
	if f.longOffsets {
		from, to = u32(f.places, 4*glyph), u32(f.places, 4*glyph+4)
	}
	return bytesAt(f.tables["glyf"], from, to-from)
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
		if flags&moreParts == 0 || at >= len(outline) {
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

	var names []string
	for _, name := range embedded {
		if len(f.tables[name]) > 0 {
			names = append(names, name)
		}
	}
	count, power := len(names), 0 // the numbers that a search starts with
	for 2<<power <= count {
		power++
	}
	file := []byte{0, 1, 0, 0, 0, byte(count), 0, byte(16 << power), 0, byte(power), 0, byte(16*count - 16<<power)}
	offset := len(file) + 16*count
	var body []byte
	headAt := 0
	for _, name := range names {
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

// Font is a user's TrueType font, for characters that the documents' own fonts lack.
type Font struct{ trueType }

// maxFontBytes limits a font file.
const maxFontBytes = 64 << 20

// ReadFont reads a TrueType font from a file, or the first font of a collection.
func ReadFont(path string) (*Font, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	file, err := io.ReadAll(io.LimitReader(in, maxFontBytes+1))
	if err == nil && len(file) > maxFontBytes {
		err = fmt.Errorf("the file is larger than %d bytes", maxFontBytes)
	}
	if err != nil {
		return nil, err
	}
	f, err := parseFont(file)
	if err != nil {
		return nil, fmt.Errorf("%w; choose a TrueType file that may be embedded", err)
	}
	return &Font{*f}, nil
}
