package pdf_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"github.com/feeledger/fees/internal/pdf"
	"github.com/feeledger/fees/internal/test/pdftest"
)

var figures = []pdf.Column{{Header: "day"}, {Header: "fee GLMR", Align: pdf.Point}, {Header: "count", Align: pdf.Right}}

func TestStructure(t *testing.T) {
	f := pdftest.Parse(t, made(t, options, func(d *pdf.Document) {
		d.Paragraph("A note")
		l := d.NewLayout(figures)
		l.Measure(false, "2026-01-01", "-1.000000000000000001", "")
		l.Measure(true, "total", "12", "3")
		table := d.Table("Fees", l)
		require.NoError(t, table.Row("2026-01-01", "-1.000000000000000001", ""))
		table.Total("total", "12", "3")
		require.Zero(t, table.End())
		d.Signatures("Prepared by")
	}))
	list, artifacts := leavesOf(f)
	require.Equal(t, []leaf{
		{"H1", "A title"}, {"P", "A note"}, {"H2", "Fees"}, {"TH", "day"}, {"TH", "fee GLMR"}, {"TH", "count"},
		{"TD", "2026-01-01"}, {"TD", "-1.000000000000000001"}, {"TD", ""}, {"TD", "total"}, {"TD", "12"}, {"TD", "3"}, {"P", "Prepared by Date "},
	}, list)
	require.Equal(t, []string{"page 1 of \n2026-01, UTC\nseal 0x00\n"}, artifacts, "the number of pages is an object")
	for _, want := range []string{"/MarkInfo<</Marked true>>", "/Lang(en)", "/DisplayDocTitle true"} {
		require.Contains(t, f.Catalog(), want)
	}
	metadata := string(f.Streams[pdftest.Number(t, f.Catalog(), "/Metadata ")])
	require.Contains(t, metadata, "<pdfuaid:part>1</pdfuaid:part>")
	require.Contains(t, metadata, ">A title<")
	scoped := 0
	for _, o := range f.Objects {
		if strings.Contains(o, "/S/TH/") {
			require.Contains(t, o, "/Scope/Column")
			scoped++
		}
	}
	require.Equal(t, 3, scoped)
}

// A long table repeats its header on each page, outside the structure, and every row is there once.
func TestManyPages(t *testing.T) {
	const count = 300
	f := pdftest.Parse(t, made(t, options, func(d *pdf.Document) {
		var rows [][]string
		for i := range count {
			rows = append(rows, []string{fmt.Sprint("day ", i), fmt.Sprintf("%d.%018d", i, i), "1"})
		}
		require.Zero(t, tableOf(t, d, figures, rows...))
	}))
	list, artifacts := leavesOf(f)
	list = list[5:] // title, heading, header
	require.Len(t, list, 3*count)
	for i := range count {
		require.Equal(t, fmt.Sprintf("%d.%018d", i, i), list[3*i+1].text)
	}
	require.Greater(t, len(artifacts), 4)
	for i, text := range artifacts {
		require.Equal(t, i > 0, strings.HasPrefix(text, "day\nfee GLMR\ncount\n"), "page %d", i+1)
		require.Contains(t, text, fmt.Sprintf("page %d of \n2026-01, UTC\nseal 0x00\n", i+1))
	}
	pages := f.Pages()
	form := pdftest.Number(t, f.Objects[pages[0]], "/N ")
	m := regexp.MustCompile(`<(\w+)>`).FindSubmatch(f.Streams[form])
	shown, characters := "", f.Characters(pdftest.Number(t, f.Objects[form], "/F1 "))
	for i := 0; i < len(m[1]); i += 4 {
		shown += characters[string(m[1][i:i+4])]
	}
	require.Equal(t, fmt.Sprint(len(pages)), shown)
}

// A paragraph over several pages is one element.
func TestParagraphOverPages(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat("word ", 3000))
	f := pdftest.Parse(t, made(t, options, func(d *pdf.Document) { d.Paragraph(text) }))
	list, _ := leavesOf(f)
	require.Equal(t, []leaf{{"H1", "A title"}, {"P", text}}, list)
	require.Greater(t, len(f.Pages()), 1)
}

// Points of figures are below each other, and other figures end at the right.
func TestAlignment(t *testing.T) {
	f := pdftest.Parse(t, made(t, options, func(d *pdf.Document) {
		tableOf(t, d, figures, []string{"a", "1.5", "7"}, []string{"b", "1000.123456", "100"}, []string{"c", "12", "1"})
	}))
	regular := pdftest.Number(t, f.Objects[f.Pages()[0]], "/F1 ")
	characters := f.Characters(regular)
	points, ends := map[string]bool{}, map[string]bool{}
	for _, m := range pdftest.RunForm.FindAllStringSubmatch(string(f.Streams[pdftest.Number(t, f.Objects[f.Pages()[0]], "/Contents ")]), -1) {
		text := ""
		for code := range slices.Chunk([]byte(pdftest.Codes(m[5])), 4) {
			text += characters[string(code)]
		}
		at := inThousandths(t, m[3])
		whole, _, _ := strings.Cut(text, ".")
		switch text {
		case "1.5", "1000.123456", "12": // all digits of the font have the same width
			points[fmt.Sprint((at+digits(whole)+1)/2)] = true
		case "7", "100", "1":
			ends[fmt.Sprint((at+digits(text)+1)/2)] = true
		}
	}
	require.Len(t, points, 1)
	require.Len(t, ends, 1)
}

// digits returns the width of a text of digits in Go Regular at 9 points, with a gap before each group of three, in
// thousandths of a point.
func digits(text string) int { return (len(text)*1139 + (len(text)-1)/3*(2048*16/100)) * 9000 / 2048 }

func inThousandths(t *testing.T, points string) (n int) {
	t.Helper()
	whole, rest, _ := strings.Cut(points, ".")
	_, err := fmt.Sscan(whole+(rest + "000")[:3], &n)
	require.NoError(t, err)
	return n
}

// A wide table is on pages in landscape, whose paper is as large.
func TestLandscape(t *testing.T) {
	for size, want := range map[pdf.Size][]string{pdf.A4: {"595.276 841.89", "841.89 595.276"}, pdf.Letter: {"612 792", "792 612"}} {
		wide := make([]pdf.Column, 7)
		row := make([]string, 7)
		for i := range wide {
			wide[i], row[i] = pdf.Column{Header: "n", Align: pdf.Right}, "1234567890.123456789012345678"[i:]
		}
		f := pdftest.Parse(t, made(t, pdf.Options{Size: size, Title: "A title"}, func(d *pdf.Document) {
			d.Paragraph("first")
			tableOf(t, d, wide, row)
			tableOf(t, d, figures, []string{"a", "1", "2"})
		}))
		var boxes []string
		for _, p := range f.Pages() {
			boxes = append(boxes, regexp.MustCompile(`MediaBox\[0 0 (.*?)\]`).FindStringSubmatch(f.Objects[p])[1])
		}
		require.Equal(t, []string{want[0], want[1], want[0]}, boxes)
		list, _ := leavesOf(f)
		require.Equal(t, row[0], list[10].text)
	}
}

// Figures that fit on no page are on several lines, and keep every digit. Text is cut, and counted.
func TestTooWide(t *testing.T) {
	wide := make([]pdf.Column, 12)
	row := make([]string, 12)
	for i := range wide {
		wide[i], row[i] = pdf.Column{Header: "amount", Align: pdf.Point}, strings.Repeat("1234567890", 7)
	}
	long := strings.Repeat("0123456789", 500)
	var cut int
	f := pdftest.Parse(t, made(t, options, func(d *pdf.Document) {
		require.Zero(t, tableOf(t, d, wide, row))
		cut = tableOf(t, d, []pdf.Column{{Header: "text"}, {Header: "more"}}, []string{long, "short"}, []string{strings.Repeat("many words ", 500), ""})
	}))
	require.Equal(t, 2, cut)
	list, _ := leavesOf(f)
	for i := range row {
		require.Equal(t, row[i], list[2+12+i].text)
	}
	first := list[2+24+3].text
	require.True(t, strings.HasPrefix(long, strings.TrimSuffix(first, "…")), first)
	require.Greater(t, len(first), 200)
	require.True(t, strings.HasSuffix(list[2+24+5].text, "…"))
}

// Labels cannot leave their string, and keep the characters that the font lacks.
func TestHostileText(t *testing.T) {
	for text, want := range map[string]string{
		`) Tj ET EMC /Artifact BMC (\`:      `) Tj ET EMC /Artifact BMC (\`,
		"<FEFF> >> endobj %":                "<FEFF> >> endobj %",
		"漢字 🙂 é":                            "漢字 🙂 é",
		"a\x00b\x1b[31mc":                   "a\ufffdb\ufffd[31mc",
		"line\nfeed\ttab\u2028end":          "line feed tab end",
		"\u202eright\u2066\ufeff\ue000":     "\ufffdright\ufffd\ufffd\ufffd",
		"\xff\xfe \ufffe\ufdd0\U0010ffff":   "\ufffd\ufffd \ufffd\ufffd\ufffd",
		"<script>alert(1)</script> & \"x\"": "<script>alert(1)</script> & \"x\"",
	} {
		o := options
		o.Title, o.Footer = text, []string{text, "", "3", "4", "5", "6", "7"}
		f := pdftest.Parse(t, made(t, o, func(d *pdf.Document) {
			d.Paragraph(text)
			tableOf(t, d, []pdf.Column{{Header: text}}, []string{text})
			d.Signatures(text)
		}))
		list, artifacts := leavesOf(f)
		require.Equal(t, []leaf{{"H1", want}, {"P", want}, {"H2", "A table"}, {"TH", want}, {"TD", want}, {"P", want + " Date "}}, list)
		require.True(t, strings.HasPrefix(artifacts[0], "page 1 of \n"+want+"\n"))
		require.False(t, strings.Contains(artifacts[0], "7"), "six lines are the most")
		require.NotContains(t, string(f.Streams[pdftest.Number(t, f.Catalog(), "/Metadata ")]), "<script>")
	}
	f := pdftest.Parse(t, made(t, options, func(d *pdf.Document) { // more characters than a font of PDF has codes for
		for first := rune(0x20000); first < 0x20000+62_000; first += 1000 {
			var text strings.Builder
			for r := first; r < first+1000; r++ {
				text.WriteRune(r)
			}
			d.Paragraph(text.String())
		}
	}))
	list, _ := leavesOf(f)
	require.True(t, strings.HasPrefix(list[1].text, "\U00020000\U00020001"))
	require.Equal(t, strings.Repeat("\ufffd", 1000), list[62].text)
}

// The embedded fonts have the glyphs and widths of the original for every character that is shown.
func TestFonts(t *testing.T) {
	const text = "Zoë Ångström 0123456789 . − € … �"
	f := pdftest.Parse(t, made(t, pdf.Options{Size: pdf.A4, Title: text}, func(*pdf.Document) {}))
	original, err := sfnt.Parse(gobold.TTF)
	require.NoError(t, err)
	self := pdftest.Number(t, f.Objects[f.Pages()[0]], "/F2 ")
	descendant := f.Objects[pdftest.Number(t, f.Objects[self], "/DescendantFonts[")]
	embedded, err := sfnt.Parse(withTables(f.Streams[pdftest.Number(t, f.Objects[pdftest.Number(t, descendant, "/FontDescriptor ")], "/FontFile2 ")], gobold.TTF))
	require.NoError(t, err)
	glyphs := f.Streams[pdftest.Number(t, descendant, "/CIDToGIDMap ")]
	_, widths, _ := strings.Cut(descendant, "/W[0[")
	all := strings.Fields(strings.TrimRight(widths, "]>"))
	var before, after sfnt.Buffer
	seen := 0
	for code, character := range f.Characters(self) {
		if code == "0000" { // the range of the codes
			continue
		}
		var at int
		_, err := fmt.Sscanf(code, "%X", &at)
		require.NoError(t, err)
		glyph, err := original.GlyphIndex(&before, []rune(character)[0])
		require.NoError(t, err)
		require.NotZero(t, glyph, "%q", character)
		require.Equal(t, int(glyph), int(glyphs[2*at])<<8|int(glyphs[2*at+1]), character)
		width, err := original.GlyphAdvance(&before, glyph, fixed.I(1000), font.HintingNone)
		require.NoError(t, err)
		require.InDelta(t, width.Round(), atoi(t, all[at]), 1, character)
		want, err := original.LoadGlyph(&before, glyph, fixed.I(1000), nil)
		require.NoError(t, err)
		have, err := embedded.LoadGlyph(&after, glyph, fixed.I(1000), nil)
		require.NoError(t, err)
		require.Equal(t, want, have, character)
		seen++
	}
	require.Equal(t, 27, seen)
	glyph, err := original.GlyphIndex(&before, 'Q')
	require.NoError(t, err)
	unused, err := embedded.LoadGlyph(&after, glyph, fixed.I(1000), nil)
	require.NoError(t, err)
	require.Empty(t, unused, "not used")
}

func atoi(t *testing.T, text string) (n int) {
	t.Helper()
	_, err := fmt.Sscan(text, &n)
	require.NoError(t, err)
	return n
}

func TestSameBytes(t *testing.T) {
	write := func(last string) []byte {
		return made(t, options, func(d *pdf.Document) { tableOf(t, d, figures, []string{"a", "1", last}) })
	}
	one, id := write("2"), regexp.MustCompile(`/ID\[<\w{32}>`)
	require.Equal(t, one, write("2"))
	require.NotEqual(t, id.Find(one), id.Find(write("3")))
	for _, clock := range []string{"/CreationDate", "/ModDate", "xmp:"} {
		require.NotContains(t, string(one), clock)
	}
}

func TestErrors(t *testing.T) {
	_, err := pdf.New(io.Discard, pdf.Options{Size: "a5"})
	require.EqualError(t, err, `paper size "a5" must be a4 or letter`)

	d, err := pdf.New(io.Discard, options)
	require.NoError(t, err)
	wide := d.NewLayout([]pdf.Column{{Header: strings.Repeat("wide", 40), Align: pdf.Right}})
	for range 2501 { // each is on a page in another orientation
		d.Table("", wide).End()
		d.Table("", d.NewLayout(figures)).End()
	}
	require.EqualError(t, d.Close(), "the PDF file would have more than 5000 pages; choose a shorter period or another format")

	broken := errors.New("disk full")
	d, err = pdf.New(failing{iotest.ErrReader(broken)}, options)
	require.NoError(t, err)
	require.ErrorIs(t, d.Table("", d.NewLayout(figures)).Row("a", "1", "2"), broken)
	require.ErrorIs(t, d.Close(), broken)
}

// failing fails to write.
type failing struct{ io.Reader }

func (f failing) Write(b []byte) (int, error) { return f.Read(b) }

// withTables returns a font with the tables of another one that it lacks, because the parser needs them.
func withTables(file, other []byte) []byte {
	var list, body []byte
	seen := map[string]bool{}
	count := 9 + 4
	for _, from := range [][]byte{file, other} {
		for i := range int(binary.BigEndian.Uint16(from[4:])) {
			entry := from[12+16*i : 28+16*i]
			name := string(entry[:4])
			if seen[name] || len(seen) >= 9 && !slices.Contains([]string{"OS/2", "cmap", "name", "post"}, name) {
				continue
			}
			seen[name] = true
			at, size := binary.BigEndian.Uint32(entry[8:]), binary.BigEndian.Uint32(entry[12:])
			list = append(list, entry[:8]...)
			list = binary.BigEndian.AppendUint32(list, uint32(12+16*count+len(body)))
			list = binary.BigEndian.AppendUint32(list, size)
			body = append(body, from[at:at+size]...)
			for len(body)%4 != 0 {
				body = append(body, 0)
			}
		}
	}
	entries := slices.SortedFunc(slices.Chunk(list, 16), bytes.Compare)
	head := append([]byte{0, 1, 0, 0, 0, byte(count)}, make([]byte, 6)...)
	return slices.Concat(head, slices.Concat(entries...), body)
}

// The memory of a long table is bounded: a row adds only the places of its objects in the file.
func TestMemory(t *testing.T) {
	d, err := pdf.New(io.Discard, options)
	require.NoError(t, err)
	l := d.NewLayout(figures)
	l.Measure(false, "a", "1.000000000000000001", "2")
	table := d.Table("", l)
	held := func() int {
		for range 2000 {
			require.NoError(t, table.Row("a", "1.000000000000000001", "2"))
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := held()
	for range 4 {
		held()
	}
	require.Less(t, held()-before, 10_000*300, "bytes; a row's structure alone would need more")
	table.End()
	require.NoError(t, d.Close())
}
