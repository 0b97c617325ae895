package browsertest

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/page"
	"github.com/stretchr/testify/require"
)

// Figures are the browser's measurements of a page.
type Figures struct {
	FirstPaint float64 // milliseconds until the first content
	Weight     int     // bytes received, including headers
	Requests   int
	Elements   int
}

// Figures returns those of the last page opened.
func (b *Tab) Figures() (f Figures) {
	b.t.Helper()
	f.FirstPaint = Ask[float64](b, `new Promise((resolve) => {
		new PerformanceObserver((list) => list.getEntriesByName("first-contentful-paint").forEach((e) => resolve(e.startTime))).observe({type: "paint", buffered: true});
	})`)
	f.Elements = Ask[int](b, `document.querySelectorAll("*").length`)
	b.seen.mutex.Lock()
	defer b.seen.mutex.Unlock()
	f.Weight, f.Requests = int(b.seen.weight), b.seen.requests
	return f
}

// Picture writes a screenshot to a file, as small as possible.
func (b *Tab) Picture(path string) {
	b.t.Helper()
	shot := call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng})
	shown, err := png.Decode(bytes.NewReader(shot.Data))
	require.NoError(b.t, err)
	var small bytes.Buffer
	require.NoError(b.t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, shown))
	require.NoError(b.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(b.t, os.WriteFile(path, small.Bytes(), 0o644))
}

// Print returns the page as a PDF file, as a printer would show it on paper of the page's own size.
func (b *Tab) Print() []byte {
	b.t.Helper()
	yes := true
	return call(b, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: &yes}).Data
}
