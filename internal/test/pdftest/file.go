// Package pdftest parses the PDF files that tests make, and checks their structure.
package pdftest

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
)

// File is a parsed PDF file.
type File struct {
	t       testing.TB
	Objects map[int]string // streams without their data
	Streams map[int][]byte
	trailer string
	fonts   map[int]map[string]string
}

var (
	entryForm  = regexp.MustCompile(`(?s)^(\d+) 0 obj\n(.*?)(\nstream\n|\nendobj)`)
	numberForm = regexp.MustCompile(`\d+`)
	// RunForm matches a text with its font, size, place and codes.
	RunForm    = regexp.MustCompile(`BT/(F\d) (\S+) Tf (\S+) (\S+) Td(<[0-9A-F]*>|\[[-0-9A-F<>]*\])T[jJ] ET`)
	codesForm  = regexp.MustCompile(`<([0-9A-F]*)>`)
	actualForm = regexp.MustCompile(`^/Span<</ActualText<FEFF([0-9A-F]*)>>>BDC$`)
)

// Number returns the number after a name in an object.
func Number(t testing.TB, object, name string) int {
	t.Helper()
	_, rest, found := strings.Cut(object, name)
	require.True(t, found, "%s in %s", name, object)
	n, err := strconv.Atoi(numberForm.FindString(rest))
	require.NoError(t, err)
	return n
}

// Parse parses a file by its cross-reference table.
func Parse(t testing.TB, text []byte) *File {
	t.Helper()
	f := &File{t: t, Objects: map[int]string{}, Streams: map[int][]byte{}, fonts: map[int]map[string]string{}}
	require.True(t, bytes.HasPrefix(text, []byte("%PDF-1.7\n")))
	at := bytes.LastIndex(text, []byte("startxref\n"))
	start := Number(t, string(text[at:]), "startxref")
	f.trailer = f.plain(text, start)
	table := f.Streams[Number(t, string(text[start:start+20]), "")]
	require.Len(t, table, 8*Number(t, f.trailer, "/Size"))
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
func (f *File) plain(text []byte, at int) string {
	m := entryForm.FindSubmatchIndex(text[at:])
	require.NotNil(f.t, m, "at %d", at)
	n, _ := strconv.Atoi(string(text[at+m[2] : at+m[3]]))
	object := string(text[at+m[4] : at+m[5]])
	f.Objects[n] = object
	data := text[at+m[7]:][:Number(f.t, object, "/Length ")]
	if strings.Contains(object, "/FlateDecode") {
		z, err := zlib.NewReader(bytes.NewReader(data))
		require.NoError(f.t, err)
		data, err = io.ReadAll(z)
		require.NoError(f.t, err)
	}
	f.Streams[n] = data
	return object
}

// packed parses an object of an object stream.
func (f *File) packed(n, stream, index int) {
	data := f.Streams[stream]
	first := Number(f.t, f.Objects[stream], "/First ")
	heads := strings.Fields(string(data[:first]))
	require.Equal(f.t, strconv.Itoa(n), heads[2*index])
	offset, _ := strconv.Atoi(heads[2*index+1])
	object, _, _ := strings.Cut(string(data[first+offset:]), "\n")
	f.Objects[n] = object
}

// list returns the numbers of the references in brackets after a name.
func (f *File) list(object, name string) (list []int) {
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

// Catalog returns the catalog.
func (f *File) Catalog() string { return f.Objects[Number(f.t, f.trailer, "/Root ")] }

// Pages returns the numbers of the pages.
func (f *File) Pages() []int { return f.list(f.Objects[Number(f.t, f.Catalog(), "/Pages ")], "/Kids") }

// Characters returns the characters of a font by their codes.
func (f *File) Characters(font int) map[string]string {
	if known := f.fonts[font]; known != nil {
		return known
	}
	all := map[string]string{}
	f.fonts[font] = all
	text := string(f.Streams[Number(f.t, f.Objects[font], "/ToUnicode ")])
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

// Leaf is a structure element with the text of its marked content.
type Leaf struct{ Kind, Text string }

// Codes returns the codes of a text that is shown, without the gaps between them.
func Codes(shown string) (codes string) {
	for _, m := range codesForm.FindAllStringSubmatch(shown, -1) {
		codes += m[1]
	}
	return codes
}

// utf16Of returns the text of hexadecimal UTF-16.
func utf16Of(t testing.TB, hex string) string {
	var units []uint16
	for i := 0; i+4 <= len(hex); i += 4 {
		unit, err := strconv.ParseUint(hex[i:i+4], 16, 16)
		require.NoError(t, err)
		units = append(units, uint16(unit))
	}
	return string(utf16.Decode(units))
}

// Leaves returns the elements with content in the order of the structure, and what each page shows as artifacts. It
// requires that every text is marked, and that marks and elements name each other.
func (f *File) Leaves() (list []Leaf, artifacts []string) {
	type key struct{ page, id int }
	texts, kinds, owners := map[key]string{}, map[key]string{}, map[key]int{}
	parents := regexp.MustCompile(`(\d+) (\d+) 0 R`).FindAllStringSubmatch(f.Objects[Number(f.t, f.Objects[Number(f.t, f.Catalog(), "/StructTreeRoot ")], "/ParentTree ")], -1)
	for i, page := range f.Pages() {
		require.Equal(f.t, i, Number(f.t, f.Objects[page], "/StructParents "))
		require.Equal(f.t, fmt.Sprint(i), parents[i][1])
		elements := f.list(f.Objects[Number(f.t, parents[i][2], "")], "")
		artifact, open, replaced, actual, drawn := "", 0, false, "", ""
		var mark key
		for line := range strings.Lines(string(f.Streams[Number(f.t, f.Objects[page], "/Contents ")])) {
			line = strings.TrimSpace(line)
			switch {
			case strings.HasPrefix(line, "/Artifact"):
				open, mark = open+1, key{}
			case strings.HasPrefix(line, "/Span"):
				m := actualForm.FindStringSubmatch(line)
				require.NotNil(f.t, m, line)
				require.False(f.t, replaced, "replacements are not nested")
				replaced, actual, drawn = true, utf16Of(f.t, m[1]), ""
				continue
			case line == "EMC" && replaced:
				require.Equal(f.t, actual, strings.ReplaceAll(drawn, "−", "-"), "the text is copied as it is drawn")
				if replaced = false; mark == (key{}) {
					artifact += actual + "\n"
				} else {
					texts[mark] += actual
				}
				continue
			case strings.HasSuffix(line, "BDC"):
				open++
				mark = key{page, Number(f.t, line, "/MCID ")}
				kinds[mark] = line[1:strings.Index(line, "<<")]
				texts[mark] = ""
			case line == "EMC":
				open--
			}
			require.Contains(f.t, []int{0, 1}, open, "marks are not nested")
			m := RunForm.FindStringSubmatch(line)
			require.Equal(f.t, strings.Contains(line, "BT/"), m != nil, line)
			if m == nil {
				continue
			}
			require.Equal(f.t, 1, open, "text without a mark: %s", line)
			characters := f.Characters(Number(f.t, f.Objects[page], "/"+m[1]+" "))
			text := ""
			for code := range slices.Chunk([]byte(Codes(m[5])), 4) {
				text += characters[string(code)]
			}
			if replaced {
				drawn += text
			} else if mark == (key{}) {
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
		e := f.Objects[n]
		require.Equal(f.t, parent, Number(f.t, e, "/P "))
		kind := regexp.MustCompile(`/S/(\w+)`).FindStringSubmatch(e)[1]
		kids := strings.TrimSuffix(e[strings.Index(e, "/K[")+3:], "]>>")
		text, has := "", false
		for _, kid := range regexp.MustCompile(`<<.*?>>|\d+ 0 R|\d+`).FindAllString(kids, -1) {
			var mark key
			switch {
			case strings.HasSuffix(kid, "R"):
				walk(Number(f.t, kid, ""), n)
				continue
			case strings.HasPrefix(kid, "<<"):
				mark = key{Number(f.t, kid, "/Pg "), Number(f.t, kid, "/MCID ")}
			default:
				mark = key{Number(f.t, e, "/Pg "), Number(f.t, kid, "")}
			}
			require.Equal(f.t, n, owners[mark], "the parent tree names another element")
			require.Equal(f.t, kind, kinds[mark])
			delete(owners, mark)
			text, has = text+texts[mark], true
		}
		if has || kids == "" {
			list = append(list, Leaf{kind, text})
		}
	}
	root := Number(f.t, f.Catalog(), "/StructTreeRoot ")
	walk(Number(f.t, f.Objects[root], "/K "), root)
	require.Empty(f.t, owners, "marked content of no element")
	return list, artifacts
}
