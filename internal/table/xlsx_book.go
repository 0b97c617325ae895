package table

import (
	"archive/zip"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/console"
)

// workbook writes the parts of an XLSX file.
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

// part returns the name of the sheet's part.
func (s *bookSheet) part() string { return fmt.Sprintf("xl/worksheets/sheet%d.xml", s.Number) }

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
	return b, cmp.Or(b.add("[Content_Types].xml", b.contentTypes()), b.add("_rels/.rels", packageRelations), b.add("docProps/core.xml", b.properties()))
}

// finish writes the parts after the sheets. No program is asked to compute the formulas when it opens the file: each has
// its value, and a reader could not tell a sum of zero from one that was never computed.
func (b *workbook) finish() error {
	if err := cmp.Or(b.add("xl/_rels/workbook.xml.rels", b.relations()), b.add("xl/styles.xml", b.styles()), b.add("xl/workbook.xml", b.workbook())); err != nil {
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

// add writes a part of the workbook.
func (b *workbook) add(name, content string) error {
	part, err := b.create(name)
	if err != nil {
		return err
	}
	_, err = io.WriteString(part, content)
	return err
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
