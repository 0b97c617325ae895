package reconcile

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/internal/sys/spill"
)

// Workbooks are read as a strict stream. Excelize, which the tests use to write workbooks, ends a sheet without an error
// at broken XML, does not distinguish numbers from text when streaming, and otherwise keeps every cell in memory.

const (
	// maxWorkbook is the maximum packed size of a workbook, in bytes.
	maxWorkbook = 64 << 20
	// maxShared is the maximum size of the shared texts, in bytes.
	maxShared = 64 << 20
	// maxStrings is the maximum number of shared texts.
	maxStrings = 4 << 20
	// maxSheets and maxRelations exceed any real workbook.
	maxSheets, maxRelations = 2_000, 20_000
)

// workbook is an xlsx file.
type workbook struct {
	ctx      context.Context // cancels the reading
	file     *os.File
	all      []*zip.File
	parts    map[string]*zip.File
	from1904 bool
	sheets   []sheet
	texts    spill.Records // shared by the cells
	places   []int64       // position of each text

	uncomputed bool // a program wrote formulas whose values a spreadsheet is to compute
	examining  *int // bytes left to examine sheets that are not read; nil while the wanted one is read
}

// sheet is a sheet of a workbook.
type sheet struct{ name, part, state string }

// openXLSX starts reading a workbook.
func openXLSX(ctx context.Context, in io.Reader, o *Options) (*fileTable, error) {
	file, err := spill.NewFile()
	if err != nil {
		return nil, fmt.Errorf("temporary file: %w", err)
	}
	w := &workbook{ctx: ctx, file: file, parts: map[string]*zip.File{}}
	t, err := w.open(in, o)
	if err != nil {
		w.close()
	}
	return t, err
}

// close deletes the temporary files.
func (w *workbook) close() {
	w.texts.Close()
	spill.CloseFile(w.file)
}

// open copies the workbook to a temporary file and opens it.
func (w *workbook) open(in io.Reader, o *Options) (*fileTable, error) {
	size, err := io.Copy(w.file, io.LimitReader(in, maxWorkbook+1))
	if err != nil {
		return nil, err
	}
	if size > maxWorkbook {
		return nil, fmt.Errorf("the workbook is larger than %d MB; split it", maxWorkbook>>20)
	}
	directory := &directoryReader{from: w.file, left: maxDirectory}
	archive, err := zip.NewReader(directory, size)
	if err != nil {
		return nil, fmt.Errorf("it looks like xlsx but cannot be unpacked: %w. Save it again as xlsx or csv", err)
	}
	directory.left = math.MaxInt64 // parts have their own limits
	w.all = archive.File
	packed := uint64(0)
	for _, f := range archive.File {
		name := strings.ToLower(f.Name)
		if w.parts[name] != nil {
			return nil, fmt.Errorf("the workbook has two parts %q, and programs differ in which they read; save it again with a spreadsheet", shownName(f.Name))
		}
		w.parts[name] = f
		if packed += min(f.CompressedSize64, maxWorkbook+1); packed > uint64(size) {
			return nil, errors.New("it looks like xlsx but its parts overlap; save it again with a spreadsheet")
		}
	}
	if w.parts["[content_types].xml"] == nil && w.parts["_rels/.rels"] == nil {
		return nil, errors.New("it is a zip archive without a workbook. Unpack it, and compare the files in it")
	}
	sheet, part, err := w.find(o.Sheet)
	if err != nil {
		return nil, err
	}
	return &fileTable{form: "xlsx", sheet: sheet, from1904: w.from1904, close: w.close, book: w, part: part, records: func(yield func(*record, error) bool) {
		stopped := false
		err := w.read(part, func(rec *record) bool {
			stopped = !yield(rec, nil)
			return !stopped
		})
		if err != nil && !stopped {
			yield(nil, err)
		}
	}}, nil
}

// elements calls each at the start of every element of a part.
func (w *workbook) elements(name string, each func(*xml.Decoder, xml.StartElement) error) error {
	file := w.parts[strings.ToLower(name)]
	if file == nil {
		return fmt.Errorf("the workbook has no part %q", name)
	}
	content, err := w.openPart(file)
	if err != nil {
		return fmt.Errorf("part %q of the workbook: %w", name, err)
	}
	defer content.Close()
	decoder := xml.NewDecoder(content)
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if start, ok := token.(xml.StartElement); ok && err == nil {
			err = each(decoder, start)
		}
		if err != nil {
			return fmt.Errorf("part %q of the workbook: %w", name, err)
		}
	}
}

func attribute(x xml.StartElement, name string) string {
	for _, a := range x.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// relation is a reference from one part of a workbook to another.
type relation struct{ id, kind, part string }

// relations returns the references of a part.
func (w *workbook) relations(part string) (list []relation, err error) {
	dir, file := path.Split(part)
	err = w.elements(dir+"_rels/"+file+".rels", func(_ *xml.Decoder, x xml.StartElement) error {
		if x.Name.Local != "Relationship" {
			return nil
		}
		if len(list) == maxRelations {
			return fmt.Errorf("more than %d relations; split it", maxRelations)
		}
		target := attribute(x, "Target")
		if !strings.HasPrefix(target, "/") {
			target = path.Join("/", dir, target)
		}
		kind := attribute(x, "Type")
		list = append(list, relation{attribute(x, "Id"), kind[strings.LastIndexByte(kind, '/')+1:], strings.TrimPrefix(target, "/")})
		return nil
	})
	return list, err
}

// find finds a sheet by name, or the first visible one, and reads the shared texts.
func (w *workbook) find(wanted string) (name, part string, err error) {
	roots, err := w.relations("")
	if err != nil {
		return "", "", err
	}
	is := func(kind string) func(relation) bool { return func(r relation) bool { return r.kind == kind } }
	root := slices.IndexFunc(roots, is("officeDocument"))
	if root < 0 {
		return "", "", errors.New("it is packed like xlsx but is not a workbook")
	}
	book := roots[root].part
	relations, err := w.relations(book)
	if err != nil {
		return "", "", err
	}
	sheetParts := map[string]string{}
	for _, r := range relations {
		if r.kind == "worksheet" {
			sheetParts[r.id] = r.part
		}
	}
	var names []string
	err = w.elements(book, func(_ *xml.Decoder, x xml.StartElement) error {
		switch x.Name.Local {
		case "workbookPr":
			from1904 := attribute(x, "date1904")
			w.from1904 = from1904 == "1" || from1904 == "true"
		case "sheet":
			s := sheet{name: unescaped(attribute(x, "name"))}
			of, ok := sheetParts[attribute(x, "id")]
			switch {
			case !ok:
				return nil // a chart
			case len(w.sheets) == maxSheets:
				return fmt.Errorf("more than %d sheets; split it", maxSheets)
			case slices.ContainsFunc(w.sheets, func(other sheet) bool { return strings.EqualFold(other.name, s.name) }):
				return fmt.Errorf("two sheets are called %q; rename one of them", shownName(s.name))
			}
			switch s.part = of; attribute(x, "state") {
			case "", "visible":
			case "veryHidden":
				s.state = "very hidden"
			default:
				s.state = "hidden"
			}
			w.sheets = append(w.sheets, s)
			names = append(names, strconv.Quote(shownName(s.name)))
			if part == "" && (wanted == "" && s.state == "" || wanted != "" && s.name == wanted) {
				name, part = s.name, of
			}
		case "calcPr":
			all := attribute(x, "fullCalcOnLoad")
			w.uncomputed = all == "1" || all == "true"
		}
		return nil
	})
	switch {
	case err != nil:
		return "", "", err
	case part == "" && wanted != "":
		return "", "", fmt.Errorf("the workbook has no sheet %q (--sheet); the sheets are %s", wanted, strings.Join(names[:min(len(names), 30)], ", "))
	case part == "":
		return "", "", errors.New("the workbook has no visible sheet")
	}
	if i := slices.IndexFunc(relations, is("sharedStrings")); i >= 0 {
		err = w.readStrings(relations[i].part)
	}
	return name, part, err
}

// readStrings reads the shared texts.
func (w *workbook) readStrings(part string) error {
	size := 0
	return w.elements(part, func(d *xml.Decoder, x xml.StartElement) error {
		if x.Name.Local != "si" {
			return nil
		}
		text, err := richText(d)
		if err != nil {
			return err
		}
		if size += len(text); size > maxShared || len(w.places) == maxStrings {
			return fmt.Errorf("more than %d MB or %d texts; split it", maxShared>>20, maxStrings)
		}
		at, err := w.texts.Add([]byte(text))
		w.places = append(w.places, at)
		return err
	})
}

// richText returns the text of an element without phonetic hints.
func richText(d *xml.Decoder) (string, error) {
	var text, run strings.Builder
	for depth, inText := 1, false; depth > 0; {
		token, err := d.Token()
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if t.Name.Local == "rPh" {
				if err := d.Skip(); err != nil {
					return "", err
				}
				continue
			}
			depth++
			inText = t.Name.Local == "t"
		case xml.EndElement:
			depth--
			inText = false
			text.WriteString(unescaped(run.String()))
			run.Reset()
		case xml.CharData:
			if inText {
				run.Write(t)
			}
		}
	}
	return text.String(), nil
}
