package table

import "io"

// Document is a result in every format that it can be written in.
type Document struct {
	List *Sheet                             // csv, jsonl, parquet, and xlsx without Book
	More []*Sheet                           // rows after those of the list, of other chains; in csv, jsonl and parquet
	Book []*Sheet                           // xlsx
	JSON func(io.Writer) error              // json
	HTML func(io.Writer) error              // html
	PDF  func(io.Writer) error              // pdf
	Text func(w io.Writer, width int) error // for a terminal; nil for the list
}

// Write writes the document in a format: any other than the named ones is text, fitted to width columns.
func (d *Document) Write(w io.Writer, format string, width int) error {
	switch format {
	case "csv":
		return WriteCSV(w, d.lists()...)
	case "jsonl":
		return WriteJSONLines(w, d.lists()...)
	case "parquet":
		return WriteParquet(w, d.lists()...)
	case "xlsx":
		return WriteXLSX(w, d.Sheets()...)
	case "json":
		return d.JSON(w)
	case "html":
		return d.HTML(w)
	case "pdf":
		return d.PDF(w)
	}
	if d.Text == nil {
		return WriteTable(w, d.List, width)
	}
	return d.Text(w, width)
}

func (d *Document) lists() []*Sheet { return append([]*Sheet{d.List}, d.More...) }

// WriteTables writes tables for a terminal, with a line between them.
func WriteTables(w io.Writer, width int, sheets ...*Sheet) error {
	for i, s := range sheets {
		if i > 0 {
			io.WriteString(w, "\n")
		}
		if err := WriteTable(w, s, width); err != nil {
			return err
		}
	}
	return nil
}

// Sheets returns the sheets of the workbook.
func (d *Document) Sheets() []*Sheet {
	if d.Book == nil {
		return []*Sheet{d.List}
	}
	return d.Book
}
