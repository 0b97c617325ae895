package table

import (
	"errors"
	"io"
	"strings"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/pdf"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/sys/spill"
)

// Paper describes a PDF document of sheets.
type Paper struct {
	Size     pdf.Size
	Title    string
	Footer   []string  // lines at the foot of each page
	Notes    []string  // before the sheets
	Sign     bool      // end with a place to sign
	Framed   []string  // before the notes: what the reader must know first
	Portrait bool      // all pages, in smaller letters if necessary
	Font     *pdf.Font // shows the characters that the document's own fonts lack; nil for none
	// Lacking, if not nil, gets the texts that cannot be shown: each missing character is a box.
	Lacking func(texts []string)
}

// Above is what stands above a sheet on paper, with its own title.
type Above struct {
	Title  string // of a document within the document, which starts a page; "" for none
	Facts  console.Pairs
	Framed []string // what the reader must know first
}

// write writes what stands above a sheet.
func (a *Above) write(d *pdf.Document) {
	if a == nil {
		return
	}
	if a.Title != "" {
		d.NewPage()
		d.Heading(plain.Line(a.Title))
	}
	for _, f := range a.Facts {
		d.Fact(plain.Line(f.Name), plain.Line(f.Text))
	}
	for _, text := range a.Framed {
		d.Frame(plain.Line(text))
	}
}

// signers are the roles that sign a document.
var signers = []string{"Prepared by", "Reviewed by"}

// WritePDF writes sheets as a PDF document, with the figures of the text table and every value in full. Many rows are
// kept in a temporary file until the columns are measured. The sums so far are at the foot of each page of a table and at the
// head of the next, unless its totals are not the sums of its rows.
func WritePDF(w io.Writer, p Paper, sheets ...*Sheet) error {
	d, err := pdf.New(w, pdf.Options{Size: p.Size, Title: plain.Line(p.Title), Footer: p.Footer, Font: p.Font, Portrait: p.Portrait})
	if err != nil {
		return err
	}
	for _, text := range p.Framed {
		d.Frame(plain.Line(text))
	}
	for _, note := range p.Notes {
		d.Paragraph(plain.Line(note))
	}
	for _, s := range sheets {
		if err := s.writePaper(d); err != nil {
			return err
		}
	}
	if texts := d.Lacking(); len(texts) > 0 {
		d.Paragraph("Note: " + console.Counted(len(texts), "text") + " " + console.Verb(len(texts), "contains", "contain") + " characters that the fonts lack; each is shown as a box, so labels may look alike. Other formats contain the whole text")
		if p.Lacking != nil {
			p.Lacking(texts)
		}
	}
	if p.Sign {
		d.Signatures(signers...)
	}
	return d.Close()
}

// writePaper writes a sheet as a table with its heading and notes.
func (s *Sheet) writePaper(d *pdf.Document) (err error) {
	if err := s.check(); err != nil {
		return err
	}
	columns := make([]pdf.Column, len(s.Columns))
	for i, c := range s.Columns {
		columns[i].Header = Heading(c, s.Symbol)
		if c.Kind.hasDecimals() {
			columns[i].Align = pdf.Point
		} else if c.Kind.isRight() {
			columns[i].Align = pdf.Right
		}
	}
	layout := d.NewLayout(columns)
	sums, err := newTotals(s)
	if err != nil {
		return err
	}
	var rows spill.Records // cells separated by line breaks, which they do not contain
	defer func() { err = errors.Join(err, rows.Close()) }()
	cells := make([]string, len(columns))
	err = s.each(func(row []any) error {
		for i, value := range row {
			cells[i] = indented(s.shown(value))
		}
		layout.Measure(false, cells...)
		if err := sums.add(row); err != nil {
			return err
		}
		record := strings.Join(cells, "\n")
		if sums.carry() {
			carried := s.footer(pdf.CarriedForward, sums.soFar)
			layout.Measure(true, carried...)
			record += "\n" + strings.Join(carried, "\n")
		}
		_, err := rows.Add([]byte(record))
		return err
	})
	if err != nil {
		return err
	}
	footer := make([]string, len(columns))
	if sums.exist() {
		footer = s.footer(sums.name(), sums.of)
		layout.Measure(true, footer...)
	}
	title := s.Title
	if title == "" {
		title = strings.ToUpper(s.Name[:1]) + s.Name[1:]
	}
	s.Above.write(d)
	return s.writeRows(d.Table(plain.Line(title), layout), &rows, footer, d)
}

// writeRows writes the measured rows of a sheet, its totals and its notes.
func (s *Sheet) writeRows(t *pdf.Table, rows *spill.Records, footer []string, d *pdf.Document) error {
	for row, err := range rows.All() {
		if err != nil {
			return err
		}
		cells := strings.Split(string(row), "\n")
		if n := len(s.Columns); len(cells) > n {
			t.Carry(cells[n:]...)
			cells = cells[:n]
		}
		if err := t.Row(cells...); err != nil {
			return err
		}
	}
	if strings.Join(footer, "") != "" {
		t.Total(footer...)
	}
	notes := s.Notes
	if cut := t.End(); cut > 0 {
		notes = append(notes[:len(notes):len(notes)], console.Counted(cut, "long text")+" cut, marked with …; other formats contain the whole text")
	}
	for _, note := range notes {
		d.Paragraph(plain.Line("Note: " + note))
	}
	return nil
}

// footer returns a row of sums with its name.
func (s *Sheet) footer(name string, sum func(column int) any) []string {
	cells := make([]string, len(s.Columns))
	for i := range cells {
		cells[i] = s.shown(sum(i))
	}
	return labelled(cells, s.Columns, name, func(int) bool { return true })
}

// indented returns text whose leading spaces stay on paper.
func indented(text string) string {
	rest := strings.TrimLeft(text, " ")
	return strings.Repeat("\u00a0", len(text)-len(rest)) + rest
}
