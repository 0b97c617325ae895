package pdf_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/pdf"
)

// file is a parsed PDF file.
type file struct {
	t       *testing.T
	objects map[int]string // streams without their data
	streams map[int][]byte
	trailer string
	fonts   map[int]map[string]string
}

// made makes a document.
func made(t *testing.T, o pdf.Options, write func(*pdf.Document)) []byte {
	t.Helper()
	var out bytes.Buffer
	d, err := pdf.New(&out, o)
	require.NoError(t, err)
	write(d)
	require.NoError(t, d.Close())
	return out.Bytes()
}

// options are those of a plain document.
var options = pdf.Options{Size: pdf.A4, Title: "A title", Footer: []string{"2026-01, UTC", "seal 0x00"}}

// tableOf writes a table.
func tableOf(t *testing.T, d *pdf.Document, columns []pdf.Column, rows ...[]string) (cut int) {
	l := d.NewLayout(columns)
	for _, row := range rows {
		l.Measure(false, row...)
	}
	table := d.Table("A table", l)
	for _, row := range rows {
		require.NoError(t, table.Row(row...))
	}
	return table.End()
}

var (
	entryForm  = regexp.MustCompile(`(?s)^(\d+) 0 obj\n(.*?)(\nstream\n|\nendobj)`)
	numberForm = regexp.MustCompile(`\d+`)
	runForm    = regexp.MustCompile(`BT/(F\d) (\S+) Tf (\S+) (\S+) Td<([0-9A-F]*)>Tj ET`)
)

// number returns the number after a name in an object.
func number(t *testing.T, object, name string) int {
	t.Helper()
	_, rest, found := strings.Cut(object, name)
	require.True(t, found, "%s in %s", name, object)
	n, err := strconv.Atoi(numberForm.FindString(rest))
	require.NoError(t, err)
	return n
}

// parse parses a file by its cross-reference table.
func parse(t *testing.T, text []byte) *file {
	t.Helper()
	f := &file{t: t, objects: map[int]string{}, streams: map[int][]byte{}, fonts: map[int]map[string]string{}}
	require.True(t, bytes.HasPrefix(text, []byte("%PDF-1.7\n")))
	at := bytes.LastIndex(text, []byte("startxref\n"))
	start := number(t, string(text[at:]), "startxref")
	f.trailer = f.plain(text, start)
	table := f.streams[number(t, string(text[start:start+20]), "")]
	require.Len(t, table, 8*number(t, f.trailer, "/Size"))
	for i := 8; i < len(table); i += 8 {
		if table[i] == 1 {
			f.plain(text, int(binary.BigEndian.Uint64(append(make([]byte, 3), table[i+1:i+6]...))))
		}
	}
	for i := 8; i < len(table); i += 8 {
		if table[i] != 2 {
			require.EqualValues(t, 1, table[i])
			continue
		}
		stream := int(binary.BigEndian.Uint64(append(make([]byte, 3), table[i+1:i+6]...)))
		f.packed(i/8, stream, int(binary.BigEndian.Uint16(table[i+6:])))
	}
	return f
}

// plain parses an object at an offset.
func (f *file) plain(text []byte, at int) string {
	m := entryForm.FindSubmatchIndex(text[at:])
	require.NotNil(f.t, m, "at %d", at)
	n, _ := strconv.Atoi(string(text[at+m[2] : at+m[3]]))
	object := string(text[at+m[4] : at+m[5]])
	f.objects[n] = object
	data := text[at+m[7]:][:number(f.t, object, "/Length ")]
	if strings.Contains(object, "/FlateDecode") {
		z, err := zlib.NewReader(bytes.NewReader(data))
		require.NoError(f.t, err)
		data, err = io.ReadAll(z)
		require.NoError(f.t, err)
	}
	f.streams[n] = data
	return object
}

// packed parses an object of an object stream.
func (f *file) packed(n, stream, index int) {
	data := f.streams[stream]
	first := number(f.t, f.objects[stream], "/First ")
	heads := strings.Fields(string(data[:first]))
	require.Equal(f.t, strconv.Itoa(n), heads[2*index])
	offset, _ := strconv.Atoi(heads[2*index+1])
	object, _, _ := strings.Cut(string(data[first+offset:]), "\n")
	f.objects[n] = object
}

// list returns the numbers of the references in brackets after a name.
func (f *file) list(object, name string) (list []int) {
	_, rest, found := strings.Cut(object, name+"[")
	require.True(f.t, found, "%s in %s", name, object)
	rest, _, _ = strings.Cut(rest, "]")
	for _, one := range strings.Split(strings.TrimSpace(rest), " 0 R") {
		if one = strings.TrimSpace(one); one != "" {
			n, err := strconv.Atoi(one)
			require.NoError(f.t, err)
			list = append(list, n)
		}
	}
	return list
}

// catalog returns the catalog.
func (f *file) catalog() string { return f.objects[number(f.t, f.trailer, "/Root ")] }

// pages returns the numbers of the pages.
func (f *file) pages() []int { return f.list(f.objects[number(f.t, f.catalog(), "/Pages ")], "/Kids") }

// characters returns the characters of a font by their codes.
func (f *file) characters(font int) map[string]string {
	if known := f.fonts[font]; known != nil {
		return known
	}
	all := map[string]string{}
	f.fonts[font] = all
	text := string(f.streams[number(f.t, f.objects[font], "/ToUnicode ")])
	for _, m := range regexp.MustCompile(`(?m)^<(\w{4})><(\w+)>$`).FindAllStringSubmatch(text, -1) {
		b, err := hex.DecodeString(m[2])
		require.NoError(f.t, err)
		var units []uint16
		for i := 0; i < len(b); i += 2 {
			units = append(units, binary.BigEndian.Uint16(b[i:]))
		}
		all[m[1]] = string(utf16.Decode(units))
	}
	return all
}

// leaf is a structure element with the text of its marked content.
type leaf struct{ kind, text string }

// leaves returns the elements with content in the order of the structure, and what each page shows as artifacts. It
// requires that every text is marked, and that marks and elements name each other.
func (f *file) leaves() (list []leaf, artifacts []string) {
	type key struct{ page, id int }
	texts, kinds, owners := map[key]string{}, map[key]string{}, map[key]int{}
	parents := regexp.MustCompile(`(\d+) (\d+) 0 R`).FindAllStringSubmatch(f.objects[number(f.t, f.objects[number(f.t, f.catalog(), "/StructTreeRoot ")], "/ParentTree ")], -1)
	for i, page := range f.pages() {
		require.Equal(f.t, i, number(f.t, f.objects[page], "/StructParents "))
		require.Equal(f.t, fmt.Sprint(i), parents[i][1])
		elements := f.list(f.objects[number(f.t, parents[i][2], "")], "")
		artifact, open := "", 0
		var mark key
		for line := range strings.Lines(string(f.streams[number(f.t, f.objects[page], "/Contents ")])) {
			line = strings.TrimSpace(line)
			switch {
			case strings.HasPrefix(line, "/Artifact"):
				open, mark = open+1, key{}
			case strings.HasSuffix(line, "BDC"):
				open++
				mark = key{page, number(f.t, line, "/MCID ")}
				kinds[mark] = line[1:strings.Index(line, "<<")]
				texts[mark] = ""
			case line == "EMC":
				open--
			}
			require.Contains(f.t, []int{0, 1}, open, "marks are not nested")
			m := runForm.FindStringSubmatch(line)
			require.Equal(f.t, strings.Contains(line, "Tj"), m != nil, line)
			if m == nil {
				continue
			}
			require.Equal(f.t, 1, open, "text without a mark: %s", line)
			characters := f.characters(number(f.t, f.objects[page], "/"+m[1]+" "))
			text := ""
			for code := range slices.Chunk([]byte(m[5]), 4) {
				text += characters[string(code)]
			}
			if mark == (key{}) {
				artifact += text + "\n"
			} else {
				texts[mark] += text
			}
		}
		require.Zero(f.t, open)
		artifacts = append(artifacts, artifact)
		for id, e := range elements {
			owners[key{page, id}] = e
		}
	}
	require.Len(f.t, owners, len(texts))
	var walk func(n, parent int)
	walk = func(n, parent int) {
		e := f.objects[n]
		require.Equal(f.t, parent, number(f.t, e, "/P "))
		kind := regexp.MustCompile(`/S/(\w+)`).FindStringSubmatch(e)[1]
		kids := strings.TrimSuffix(e[strings.Index(e, "/K[")+3:], "]>>")
		text, has := "", false
		for _, kid := range regexp.MustCompile(`<<.*?>>|\d+ 0 R|\d+`).FindAllString(kids, -1) {
			var mark key
			switch {
			case strings.HasSuffix(kid, "R"):
				walk(number(f.t, kid, ""), n)
				continue
			case strings.HasPrefix(kid, "<<"):
				mark = key{number(f.t, kid, "/Pg "), number(f.t, kid, "/MCID ")}
			default:
				mark = key{number(f.t, e, "/Pg "), number(f.t, kid, "")}
			}
			require.Equal(f.t, n, owners[mark], "the parent tree names another element")
			require.Equal(f.t, kind, kinds[mark])
			delete(owners, mark)
			text, has = text+texts[mark], true
		}
		if has || kids == "" {
			list = append(list, leaf{kind, text})
		}
	}
	root := number(f.t, f.catalog(), "/StructTreeRoot ")
	walk(number(f.t, f.objects[root], "/K "), root)
	require.Empty(f.t, owners, "marked content of no element")
	return list, artifacts
}
