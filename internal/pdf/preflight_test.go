package pdf_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/pdf"
	"github.com/feeledger/fees/internal/test/pdftest"
)

func TestPDFA(t *testing.T) {
	wide := make([]pdf.Column, 14)
	row := make([]string, len(wide))
	for i := range wide {
		wide[i], row[i] = pdf.Column{Header: fmt.Sprint("column ", i)}, "0x00112233445566778899"
	}
	for name, d := range map[string][]byte{
		"empty": made(t, pdf.Options{Size: pdf.Letter}, func(*pdf.Document) {}),
		"all": made(t, options, func(d *pdf.Document) {
			d.Heading("A heading")
			d.Paragraph("Ångström, €, \U0001f600, 漢字, <&>")
			var rows [][]string
			for i := range 200 {
				rows = append(rows, []string{fmt.Sprint("day ", i), fmt.Sprintf("%d.%018d", i, i), "1"})
			}
			tableOf(t, d, figures, rows...)
			tableOf(t, d, wide, row)
			d.Signatures("Prepared by", "Reviewed by")
		}),
		"title": made(t, pdf.Options{Size: pdf.A4, Title: "A <title> & (more) \\ é"}, func(d *pdf.Document) { d.Paragraph("x") }),
	} {
		t.Run(name, func(t *testing.T) { require.Empty(t, pdftest.PDFAFindings(t, d)) })
	}
}

// The validator finds what is wrong.
func TestPDFAFaults(t *testing.T) {
	d := made(t, options, func(d *pdf.Document) { d.Paragraph("x") })
	for _, changed := range [][2]string{
		{"<pdfaid:conformance>B", "<pdfaid:conformance>X"},
		{"<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/", "<pdfaSchema:namespaceURI>http://www.aiim.org/pdfub/"},
		{">A title<", ">A tixle<"},
	} {
		require.Contains(t, string(d), changed[0])
		require.NotEmpty(t, pdftest.PDFAFindings(t, bytes.Replace(d, []byte(changed[0]), []byte(changed[1]), 1)), changed[1])
	}
}
