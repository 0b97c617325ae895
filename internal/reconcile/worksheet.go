package reconcile

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// read delivers the rows of a sheet until each returns false. A row ends with its last cell.
func (w *workbook) read(part string, each func(*record) bool) error {
	line := 0
	errStop := errors.New("stop")
	err := w.elements(part, func(d *xml.Decoder, x xml.StartElement) error {
		if x.Name.Local == "dimension" && lastRow(attribute(x, "ref")) > maxRows+1 {
			return errRows
		}
		if x.Name.Local != "row" {
			return nil
		}
		line++
		if said := attribute(x, "r"); said != "" {
			n, err := strconv.Atoi(said)
			if err != nil || n < line {
				return fmt.Errorf("row %q after row %d", shownName(said), line-1)
			}
			line = n
		}
		if line > maxRows+1 {
			return errRows
		}
		rec := &record{line: line}
		if err := w.row(d, rec); err != nil {
			return fmt.Errorf("row %d: %w", line, err)
		}
		if rec.blank() {
			return nil
		}
		if !each(rec) {
			return errStop
		}
		return nil
	})
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// row reads the cells of a row.
func (w *workbook) row(d *xml.Decoder, rec *record) error {
	for {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.EndElement:
			return nil // end of the row; ends of cells are read with them
		case xml.StartElement:
			if t.Name.Local != "c" {
				if err := d.Skip(); err != nil {
					return err
				}
				continue
			}
			place := len(rec.cells)
			if said := attribute(t, "r"); said != "" {
				if place, err = columnOf(said); err != nil {
					return err
				}
			}
			if place < len(rec.cells) || place >= maxColumns {
				return fmt.Errorf("cell %q is out of order or beyond column %d", shownName(attribute(t, "r")), maxColumns)
			}
			for len(rec.cells) < place {
				rec.cells = append(rec.cells, cell{})
			}
			c, err := w.cell(d, attribute(t, "t"))
			if err != nil {
				return err
			}
			rec.cells = append(rec.cells, c)
		}
	}
}

// lastRow returns the last row of a sheet's dimension, which precedes its rows: 200 for A1:C200, or 0 if it is not
// stated.
func lastRow(dimension string) int {
	_, last, _ := strings.Cut(dimension, ":")
	n, _ := strconv.Atoi(strings.TrimLeft(last, "$ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	return n
}

// columnOf returns the index of a cell's column, from 0: 2 for C5.
func columnOf(name string) (int, error) {
	place := 0
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'A' && c <= 'Z' && place < maxColumns:
			place = place*26 + int(c-'A') + 1
		case c >= '0' && c <= '9' && i > 0:
			return place - 1, nil
		default:
			return 0, fmt.Errorf("cell %q is beyond column %d", shownName(name), maxColumns)
		}
	}
	return 0, fmt.Errorf("cell reference %q is invalid", shownName(name))
}

// cell reads a cell of a type. For a formula it takes the value last computed by the spreadsheet, if that is a number or
// text.
func (w *workbook) cell(d *xml.Decoder, kind string) (c cell, err error) {
	var value, inline string
	formula, stored := false, false
	for {
		token, err := d.Token()
		if err != nil {
			return c, err
		}
		if _, end := token.(xml.EndElement); end {
			break
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "v":
			stored = true
			err = d.DecodeElement(&value, &start)
		case "is":
			inline, err = richText(d)
		case "f":
			formula = true
			err = d.Skip()
		default:
			err = d.Skip()
		}
		if err != nil {
			return c, err
		}
	}
	switch kind {
	case "s":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n >= len(w.places) {
			return c, fmt.Errorf("text %q is not in the workbook", shownName(value))
		}
		text, err := w.texts.At(w.places[n])
		if err != nil {
			return c, err
		}
		c.text = string(text)
	case "str", "d":
		c.text = unescaped(value)
	case "inlineStr":
		c.text = inline
	case "b":
		c.text = value
		c.err = errors.New("it is true or false instead of a number or text")
	case "e":
		c.text = value
		c.err = fmt.Errorf("the spreadsheet shows the error %s", shownName(value))
		if formula {
			c.err = fmt.Errorf("it is a formula with the error %s; correct the formula, or replace it with its value", shownName(value))
		}
	case "", "n":
		c.text, c.number = value, value != ""
	default:
		return c, fmt.Errorf("unknown cell type %q", shownName(kind))
	}
	if formula && (!stored || value == "" && kind != "str" || w.uncomputed && number.MatchString(value) && isNothing(value)) {
		c.err = errors.New("it is a formula without a stored value; save the file with a spreadsheet, or replace formulas with values")
	}
	return c, nil
}
