package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/browsertest"
	"github.com/feeledger/fees/internal/web"
)

// Limits of a page with all its resources but its stream of events, for a browser with an empty cache.
const (
	maxWeight   = 180_000 // bytes
	maxRequests = 6
)

// Pages are small. Loading times depend on the machine, so they are only reported.
func figures(t *testing.T, b *browsertest.Browser, s *viewed) {
	table := fmt.Sprintf("%10s %10s %10s %10s  page\n", "paint, ms", "bytes", "requests", "elements")
	account := "/account/" + s.account.String()
	for _, path := range []string{"/overview", "/fees?period=2025-01", "/fees?by=block&period=2025-02", "/tx/" + s.place, account, account + "/statement?period=2025-01", "/reconcile"} {
		tab := b.Tab(t, s.url, browsertest.Options{}) // with an empty cache
		tab.Open(path)
		f := tab.Figures()
		table += fmt.Sprintf("%10.0f %10d %10d %10d  %s\n", f.FirstPaint, f.Weight, f.Requests, f.Elements, path)
		require.Less(t, f.Weight, maxWeight, path)
		require.Greater(t, f.Weight, 2000, "what was sent is counted")
		require.LessOrEqual(t, f.Requests, maxRequests, path)
	}
	t.Log("\n" + table)
	require.NoError(t, os.WriteFile(filepath.Join(t.ArtifactDir(), "figures.txt"), []byte(table), 0o644))
}

// maxPicture limits the bytes of a picture for the documents.
const maxPicture = 120_000

// pictures writes the pictures of the documents if FEES_PICTURES names a directory.
func pictures(t *testing.T, b *browsertest.Browser) {
	directory := os.Getenv("FEES_PICTURES")
	if directory == "" {
		t.Skip("FEES_PICTURES names no directory: no pictures are written")
	}
	screen := browsertest.Size{Width: 1100, Height: 660}
	s := view(t, "Payments")
	shoot := func(tab *browsertest.Tab, name string) {
		path := filepath.Join(directory, name+".png")
		tab.Picture(path)
		written, err := os.Stat(path)
		require.NoError(t, err)
		require.Less(t, written.Size(), int64(maxPicture), path)
	}
	for _, p := range []struct {
		name, path string
		browsertest.Options
	}{
		{"overview", "/overview", browsertest.Options{Size: screen}},
		{"fees", "/fees?period=2025-01", browsertest.Options{Size: screen}},
		{"transaction-phone", "/tx/" + s.place, browsertest.Options{Size: browsertest.Phone}},
		{"transaction", "/tx/" + s.place, browsertest.Options{Size: screen, Dark: true}},
		{"statement", "/account/" + s.account.String() + "/statement?period=2025-01", browsertest.Options{Size: screen}},
	} {
		tab := b.Tab(t, s.url, p.Options)
		tab.Open(p.path)
		browsertest.Ask[bool](tab, `(document.querySelectorAll("td").forEach((cell) => { if (!cell.children.length) cell.textContent = cell.textContent.replace(/[/]\S*[/]/, "packages/"); }), true)`) // a temporary directory
		shoot(tab, p.name)
	}
	d, dir, labels := monthEnd(t)
	other := served(t, d, func(o *web.Options) { o.Ledgers[0].Labels = labels })
	tab := b.Tab(t, other.URL, browsertest.Options{Size: screen})
	tab.Open("/reconcile?period=2026-01&accounts=group%3Acompany")
	tab.Field("file").Choose(filepath.Join(dir, "company.csv"))
	tab.Submit("file")
	browsertest.Ask[bool](tab, `(document.querySelector("main > h2").scrollIntoView(), true)`)
	shoot(tab, "reconcile")
}
