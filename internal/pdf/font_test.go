package pdf

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/font/gofont/goregular"
)

func TestParseFont(t *testing.T) {
	_, err := parseFont(bytes.Replace(goregular.TTF, []byte("hmtx"), []byte("xxxx"), 1))
	require.EqualError(t, err, `the font has no table "hmtx"`)

	f, err := parseFont(goregular.TTF)
	require.NoError(t, err)
	f.tables["cmap"] = bytes.ReplaceAll(bytes.ReplaceAll(f.tables["cmap"], []byte{0, 3, 0, 1}, []byte{0, 3, 0, 9}), []byte{0, 0, 0, 3}, []byte{0, 9, 0, 3})
	require.EqualError(t, f.parseCharacters(), "the font has no character map of format 4 or 12 for Unicode")
	for _, r := range []rune{box, '\ufffd', '…', '0', '-'} {
		require.NotZero(t, f.glyphOf[r], "%c", r)
	}
}

// Both forms of offsets name the same outlines, and the checksum of a subset is that of its format.
func TestSubset(t *testing.T) {
	f, err := parseFont(goregular.TTF)
	require.NoError(t, err)
	a := f.glyphOf['ä']
	file := f.subset([]uint16{a})
	again := &trueType{tables: map[string][]byte{}, longOffsets: true}
	for i := range u16(file, 4) {
		entry := file[12+16*i:]
		again.tables[string(entry[:4])] = file[u32(entry, 8):][:u32(entry, 12)]
	}
	again.places = again.tables["loca"]
	require.False(t, f.longOffsets)
	require.Equal(t, 1, u16(again.tables["head"], 50))
	require.Equal(t, f.outline(int(a)), again.outline(int(a))[:len(f.outline(int(a)))])
	require.NotEmpty(t, again.outline(0))
	require.Empty(t, again.outline(int(f.glyphOf['Q'])))
	require.EqualValues(t, uint32(0xb1b0afba), checksum(file))
}

// Every kind of part of a composite glyph is followed.
func TestParts(t *testing.T) {
	part := func(flags, glyph byte, size int) []byte {
		return append([]byte{0, flags, 0, glyph}, make([]byte, size)...)
	}
	composite := append([]byte{0xff, 0xff}, make([]byte, 8)...)
	for i, p := range []struct {
		flags byte
		size  int
	}{{moreParts, 2}, {moreParts | wordArguments, 4}, {moreParts | hasScale, 4}, {moreParts | hasTwoScales, 6}, {moreParts | hasFullScaling, 10}, {0, 2}} {
		composite = append(composite, part(p.flags, byte(i+1), p.size)...)
	}
	size := byte(len(composite) / 2)
	f := &trueType{tables: map[string][]byte{"glyf": composite}, places: []byte{0, 0, 0, size, 0, size, 0, size, 0, size, 0, size, 0, size, 0, size}}
	used := map[int]bool{}
	f.addParts(used, 0)
	require.Len(t, used, 7)
}
