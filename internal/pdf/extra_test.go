package pdf

import (
	"bytes"
	"encoding/binary"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/font/gofont/goregular"
)

// fontFile returns Go Regular as a font file whose character map has one group of format 12, with some tables replaced.
func fontFile(t *testing.T, first, last rune, glyph int, replaced map[string][]byte) []byte {
	t.Helper()
	f, err := parseFont(goregular.TTF)
	require.NoError(t, err)
	group := func(values ...int) (b []byte) {
		for _, v := range values {
			b = binary.BigEndian.AppendUint32(b, uint32(v))
		}
		return b
	}
	cmap := append([]byte{0, 0, 0, 1, 0, 3, 0, 10, 0, 0, 0, 12, 0, 12, 0, 0}, group(28, 0, 1, int(first), int(last), glyph)...)
	tables := maps.Clone(f.tables)
	tables["cmap"] = cmap
	maps.Copy(tables, replaced)
	names := slices.Sorted(maps.Keys(tables))
	file := binary.BigEndian.AppendUint16([]byte{0, 1, 0, 0}, uint16(len(names)))
	file = append(file, make([]byte, 6)...)
	var body []byte
	for _, name := range names {
		file = append(append(file, name...), group(0, 12+16*len(names)+len(body), len(tables[name]))...)
		body = padded(append(body, tables[name]...))
	}
	return append(file, body...)
}

func written(t *testing.T, file []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "font.ttf")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	return path
}

// lacks reports whether a document with a font, which may be nil, cannot show a text.
func lacks(t *testing.T, font *Font, text string) bool {
	own, err := regularFont()
	require.NoError(t, err)
	f := &face{trueType: own}
	if font != nil {
		f.extra = &face{trueType: &font.trueType}
	}
	return f.lacks(clean(text))
}

// A user's font shows what the own font lacks, and only that. What no font shows is named, and so are scripts that would be
// wrong without shaping.
func TestExtraFont(t *testing.T) {
	own, err := parseFont(goregular.TTF)
	require.NoError(t, err)
	font, err := ReadFont(written(t, fontFile(t, '運', '運'+1, int(own.glyphOf['A']), nil)))
	require.NoError(t, err)
	require.True(t, lacks(t, nil, "a 運"))
	require.False(t, lacks(t, font, "a 運"))
	require.True(t, lacks(t, font, "a 営"))
	for _, text := range []string{"Müller, кошелёк, Ωμέγα", "−1.5 … € \u00a0"} {
		require.False(t, lacks(t, nil, text), text)
	}
	var out bytes.Buffer
	d, err := New(&out, Options{Size: A4, Title: "運 A", Font: font})
	require.NoError(t, err)
	d.Paragraph("運A運")
	require.Empty(t, d.Lacking())
	d.Paragraph("営")
	d.Paragraph("営")
	require.Equal(t, []string{"営"}, d.Lacking())
	d.Heading("of 営")
	d.Heading("of 語")
	require.Equal(t, []string{"営", "of 語"}, d.Lacking())
	require.Equal(t, d.regular.width("運", 1000), d.regular.width("A", 1000), "it has the width of its glyph")
	require.NoError(t, d.Close())
	require.Equal(t, []rune{0, '運', ' '}, d.extra.runes)
	require.NotContains(t, d.regular.runes, '運')

	hebrew, err := ReadFont(written(t, fontFile(t, 'א', 'ת', int(own.glyphOf['A']), nil)))
	require.NoError(t, err)
	require.True(t, lacks(t, hebrew, "שלום"), "from right to left")
}

// A collection's first font is read; fonts that cannot be embedded are refused.
func TestReadFont(t *testing.T) {
	good := fontFile(t, 'a', 'b', 3, nil)
	collection := append([]byte("ttcf\x00\x01\x00\x00\x00\x00\x00\x01\x00\x00\x00\x10"), good...)
	for i := range int(good[5]) { // offsets are those of the file
		at := 16 + 12 + 16*i + 8
		binary.BigEndian.PutUint32(collection[at:], binary.BigEndian.Uint32(collection[at:])+16)
	}
	for name, file := range map[string][]byte{"one": good, "collection": collection} {
		font, err := ReadFont(written(t, file))
		require.NoError(t, err, name)
		require.Equal(t, map[rune]uint16{'a': 3, 'b': 4}, font.glyphOf, name)
	}
	for want, file := range map[string][]byte{
		"the file is not a TrueType font; choose a TrueType file that may be embedded": []byte("OTTO"),
		"the font's licence does not allow embedding; choose":                          fontFile(t, 'a', 'b', 3, map[string][]byte{"OS/2": {9: 2}}),
		"the font is malformed; choose":                                                fontFile(t, 'a', 'b', 3, map[string][]byte{"head": make([]byte, 54)}),
		`the font has no table "glyf"`:                                                 fontFile(t, 'a', 'b', 3, map[string][]byte{"glyf": nil}),
	} {
		_, err := ReadFont(written(t, file))
		require.ErrorContains(t, err, want)
	}
	_, err := ReadFont(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// A damaged font is refused, or shows something else: it never breaks the document.
func TestDamagedFonts(t *testing.T) {
	good, random := fontFile(t, 0, maxCharacter, 0, nil), rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		file := slices.Clone(good)
		if i%3 == 0 {
			file = file[:random.IntN(len(file))]
		}
		for range 1 + random.IntN(40) {
			end := min(len(file), 4096) // the directory and the first tables
			if i%2 == 0 {
				end = len(file)
			}
			if end > 0 {
				file[random.IntN(end)] = byte(random.IntN(256))
			}
		}
		f, err := parseFont(file)
		if err != nil {
			continue
		}
		d, err := New(io.Discard, Options{Size: A4, Title: "運営 A", Font: &Font{*f}})
		require.NoError(t, err)
		d.Paragraph(strings.Repeat("漢字 é ", 20))
		require.NoError(t, d.Close())
	}
}

func TestGrouped(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "123": "123", "1234": "1 234", "-1234567.5": "−1 234 567.5", "0.000000000000000001": "0.000 000 000 000 000 001", "-0.1": "−0.1",
		"": "", "1,5": "1,5", "12-34": "12-34", "1e9": "1e9", ".5": ".5", "+1": "+1", "label 1234": "label 1234",
	} {
		shown := grouped(text)
		require.Equal(t, want, strings.ReplaceAll(shown, string(groupGap), " "), text)
		plain, is := plainFigure(shown)
		require.Equal(t, want != text || is, is, text)
		if is {
			require.Equal(t, text, plain)
		}
	}
}
