package browsertest

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/page"
	"github.com/stretchr/testify/require"
)

// Figures are those of a page as the browser has them.
type Figures struct {
	FirstPaint float64 // milliseconds until something can be read
	Weight     int     // bytes that were sent, headers too
	Requests   int
	Elements   int
}

// Figures are those of the page that was opened last.
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

// Picture writes what the screen shows into a file, as small as it gets.
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
