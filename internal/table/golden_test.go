package table_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGolden(t *testing.T) {
	for form := range forms {
		got := written(t, form, every(t))
		if form == "xlsx" { // the parts that say something about the sheet, as text
			got = []byte(part(t, got, "xl/worksheets/sheet1.xml") + "\n" + part(t, got, "xl/workbook.xml") + "\n" + part(t, got, "docProps/core.xml") + "\n")
			got = bytes.ReplaceAll(got, []byte("<row"), []byte("\n<row"))
			form = "xlsx.xml"
		}
		golden(t, "every."+form, got)
	}
}

func TestSameBytesTwice(t *testing.T) {
	for form := range forms {
		require.Equal(t, written(t, form, every(t)), written(t, form, every(t)), form)
	}
}
