package pdf_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/pdf"
	"github.com/feeledger/fees/internal/test/pdftest"
)

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

// leaf is a structure element with its text.
type leaf struct{ kind, text string }

func leavesOf(f *pdftest.File) (list []leaf, artifacts []string) {
	leaves, artifacts := f.Leaves()
	for _, l := range leaves {
		list = append(list, leaf{l.Kind, l.Text})
	}
	return list, artifacts
}
