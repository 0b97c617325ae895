package pdf_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/pdf"
)

// Frames, facts and new pages are written, also more of them than a page holds.
func TestParts(t *testing.T) {
	var out bytes.Buffer
	d, err := pdf.New(&out, pdf.Options{Size: pdf.A4, Title: "Parts"})
	require.NoError(t, err)
	for range 80 {
		d.Frame(strings.Repeat("a frame ", 40))
		d.Fact("a name", strings.Repeat("a value ", 30))
	}
	d.NewPage()
	d.Fact("last", "fact")
	require.Empty(t, d.Lacking())
	require.NoError(t, d.Close())
	require.True(t, strings.HasPrefix(out.String(), "%PDF-"))
	require.Contains(t, out.String()[out.Len()-10:], "%%EOF")
}
