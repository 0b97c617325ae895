package table

import (
	"archive/zip"
	_ "embed"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/feeledger/fees/internal/console"
)

//go:embed xlsx.tmpl
var bookText string

// bookForms are the XML of a workbook, by the names of its parts, without line breaks.
var bookForms = template.Must(template.New("").Funcs(template.FuncMap{
	"number": func(index int) int { return index + 1 },
	"formatID": func(style int) int {
		if style == 0 {
			return 0
		}
		return style + 163 // those below are built in
	},
}).Parse(regexp.MustCompile(`\n\s*`).ReplaceAllString(bookText, "")))

// workbook writes the parts of an XLSX file. It is in the form of its template.
type workbook struct {
	zip    *zip.Writer
	Title  string
	Sheets []*bookSheet
	Styles []style
}

// bookSheet is a sheet as the parts of a workbook describe it.
type bookSheet struct {
	Number int // from 1
	Name   string
	Head   int    // the header's line
	Filter string // the cells of the header and the rows
	Widths []int  // of the columns
}

// Part returns the name of the sheet's part.
func (s *bookSheet) Part() string { return fmt.Sprintf("xl/worksheets/sheet%d.xml", s.Number) }

// Quoted returns the sheet's name in a reference.
func (s *bookSheet) Quoted() string { return "'" + strings.ReplaceAll(s.Name, "'", "''") + "'" }

// First returns the line after the header.
func (s *bookSheet) First() int { return s.Head + 1 }

// style is how a cell shows its value.
type style struct {
	Format string
	Bold   bool
}

// Formats of cells, in addition to those of [decimalFormat].
const (
	generalFormat = "General"
	textFormat    = "@"
	timeFormat    = "yyyy-mm-dd hh:mm:ss"
	dateFormat    = "yyyy-mm-dd"
)

// decimalFormat returns the format of numbers with a fixed number of decimals.
func decimalFormat(decimals int) string {
	if decimals == 0 {
		return "0"
	}
	return "0." + strings.Repeat("0", decimals)
}

// newWorkbook starts a workbook with the parts before its sheets.
func newWorkbook(w io.Writer, sheets []*Sheet) (*workbook, error) {
	whole, token := decimalFormat(0), decimalFormat(console.TokenDecimals)
	b := &workbook{zip: zip.NewWriter(w), Title: CellText(sheets[0].Title), Styles: []style{
		{generalFormat, false}, {generalFormat, true}, {textFormat, false}, {whole, false}, {token, false}, {timeFormat, false}, {dateFormat, false},
		{textFormat, true}, {whole, true}, {token, true},
	}}
	for i, name := range sheetNames(sheets) {
		b.Sheets = append(b.Sheets, &bookSheet{Number: i + 1, Name: name})
	}
	return b, b.add("[Content_Types].xml", "_rels/.rels", "docProps/core.xml")
}

// finish writes the parts after the sheets. No program is asked to compute the formulas when it opens the file: each has
// its value, and a reader could not tell a sum of zero from one that was never computed.
func (b *workbook) finish() error {
	if err := b.add("xl/_rels/workbook.xml.rels", "xl/styles.xml", "xl/workbook.xml"); err != nil {
		return err
	}
	return b.zip.Close()
}

// style returns the number of a style.
func (b *workbook) style(s style) int {
	number := slices.Index(b.Styles, s)
	if number < 0 {
		number = len(b.Styles)
		b.Styles = append(b.Styles, s)
	}
	return number
}

// add writes parts of the workbook that are in its template.
func (b *workbook) add(names ...string) error {
	for _, name := range names {
		part, err := b.create(name)
		if err != nil {
			return err
		}
		if err := bookForms.ExecuteTemplate(part, name, b); err != nil {
			return err
		}
	}
	return nil
}

// part is a file of a workbook.
type part struct {
	name string
	to   io.Writer
	size uint64
}

// create starts a part when the previous one is complete.
func (b *workbook) create(name string) (io.Writer, error) {
	to, err := b.zip.Create(name) // without a time
	if err != nil {
		return nil, err
	}
	p := &part{name: name, to: to}
	_, err = io.WriteString(p, xml.Header)
	return p, err
}

// Write adds to a part.
func (p *part) Write(text []byte) (int, error) {
	if p.size += uint64(len(text)); p.size > math.MaxUint32 {
		return 0, fmt.Errorf("%s would exceed 4 GiB, which spreadsheet programs cannot read; write CSV or Parquet", p.name)
	}
	return p.to.Write(text)
}
