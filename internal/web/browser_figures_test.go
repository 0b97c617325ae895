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

// The bounds of a page, with all that comes with it, for a browser that has nothing of it yet.
const (
	mostWeight   = 150_000 // bytes
	mostRequests = 6
)

// A page is light. How soon it can be read depends on the machine: that is only told.
func figures(t *testing.T, b *browsertest.Browser, s *viewed) {
	table := fmt.Sprintf("%10s %10s %10s %10s  page\n", "paint, ms", "bytes", "requests", "elements")
	account := "/account/" + s.account.String()
	for _, path := range []string{"/cockpit", "/fees?period=2025-01", "/fees?by=block&period=2025-02", "/tx/" + s.place, account, account + "/statement?period=2025-01", "/reconcile"} {
		tab := b.Tab(t, s.url, browsertest.Options{}) // with an empty cache
		tab.Open(path)
		f := tab.Figures()
		table += fmt.Sprintf("%10.0f %10d %10d %10d  %s\n", f.FirstPaint, f.Weight, f.Requests, f.Elements, path)
		require.Less(t, f.Weight, mostWeight, path)
		require.Greater(t, f.Weight, 2000, "what was sent is counted")
		require.LessOrEqual(t, f.Requests, mostRequests, path)
	}
	t.Log("\n" + table)
	require.NoError(t, os.WriteFile(filepath.Join(t.ArtifactDir(), "figures.txt"), []byte(table), 0o644))
}

// mostPicture is how many bytes a picture of the documents may have.
const mostPicture = 120_000

// pictures writes those of the documents, where FEES_PICTURES names a directory.
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
		require.Less(t, written.Size(), int64(mostPicture), path)
	}
	for _, p := range []struct {
		name, path string
		browsertest.Options
	}{
		{"cockpit", "/cockpit", browsertest.Options{Size: screen}},
		{"fees", "/fees?period=2025-01", browsertest.Options{Size: screen}},
		{"transaction-phone", "/tx/" + s.place, browsertest.Options{Size: browsertest.Phone}},
		{"transaction", "/tx/" + s.place, browsertest.Options{Size: screen, Dark: true}},
		{"statement", "/account/" + s.account.String() + "/statement?period=2025-01", browsertest.Options{Size: screen}},
	} {
		tab := b.Tab(t, s.url, p.Options)
		tab.Open(p.path)
		shoot(tab, p.name)
	}
	d, dir, labels := monthEnd(t)
	other := served(t, d, func(o *web.Options) { o.Ledgers[0].Labels = labels })
	tab := b.Tab(t, other.URL, browsertest.Options{Size: screen})
	tab.Open("/reconcile?period=2026-01&accounts=group%3Acompany")
	tab.Field("file").Choose(filepath.Join(dir, "company.csv"))
	tab.Submit("file")
	shoot(tab, "reconcile")
}
