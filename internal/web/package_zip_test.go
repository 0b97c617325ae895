package web_test

import (
	"archive/zip"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/web"
)

// The archive of a package has the files of its manifest and of its earlier versions, whatever else is in the directory,
// and the same bytes each time. Unpacked, it passes a check.
func TestPackageZip(t *testing.T) {
	d, dir, book := monthEnd(t)
	shelf := filepath.Join(dir, "closed")
	first := closeMonth(t, d, book, filepath.Join(shelf, "2026-01"), "Operations")
	second := closeMonth(t, d, book, filepath.Join(shelf, "2026-01"), "group:company")
	writeFile(t, filepath.Join(shelf, "2026-01", "notes.txt"), "of somebody")
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Labels, o.Ledgers[0].Packages = book, shelf })
	for version, c := range map[string]*app.Closed{"v1": first, "v2": second} {
		path := "/packages/2026-01/" + version
		require.Contains(t, get(t, s, path, nil).text, `href="`+path[1:]+`/package.zip" download`)
		a := get(t, s, path+"/package.zip", nil)
		require.Equal(t, http.StatusOK, a.status, a.text)
		require.Equal(t, "application/zip", a.header.Get("Content-Type"))
		require.Equal(t, "attachment; filename=2026-01-"+version+".zip", a.header.Get("Content-Disposition"))
		require.Equal(t, a.text, get(t, s, path+"/package.zip", nil).text)
		to := unpacked(t, a.text)
		want := []string{closing.ManifestFile}
		for _, f := range c.Manifest.Files {
			want = append(want, f.Name)
		}
		if c == second {
			want = append(want, "versions/1/"+closing.ManifestFile)
			for _, f := range first.Manifest.Files {
				want = append(want, "versions/1/"+f.Name)
			}
		}
		folder := filepath.Join(to, "2026-01-"+version)
		require.ElementsMatch(t, want, filesBelow(t, folder))
		checked, err := app.CheckPackage(t.Context(), folder, again(d), app.Vouchers{}, app.PackageOptions{Program: "a test"})
		require.NoError(t, err)
		require.Empty(t, append(checked.Damage, checked.Differences...))
		require.Equal(t, c.Sum, checked.Package.Sum)
	}

	// A changed file gives an error, and no part of an archive.
	report := filepath.Join(shelf, "2026-01", "report.json")
	text, err := os.ReadFile(report)
	require.NoError(t, err)
	writeFile(t, report, string(text)+" ")
	damaged := get(t, s, "/packages/2026-01/v2/package.zip", nil)
	require.Equal(t, http.StatusConflict, damaged.status)
	require.Contains(t, damaged.text, "report.json has changed")
	require.Empty(t, damaged.header.Get("Content-Disposition"))
	require.Equal(t, http.StatusOK, get(t, s, "/packages/2026-01/v1/package.zip", nil).status)
	for _, path := range []string{"/packages/2026-01/v3/package.zip", "/packages/x/v1/package.zip", "/close/2026-01/package.zip"} {
		require.Equal(t, http.StatusNotFound, get(t, s, path, nil).status, path)
	}
}

// unpacked unpacks an archive whose files have one time, in a new directory.
func unpacked(t *testing.T, text string) (dir string) {
	t.Helper()
	archive, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	dir = t.TempDir()
	for _, f := range archive.File {
		require.True(t, filepath.IsLocal(f.Name), f.Name)
		require.Equal(t, "1980-01-01 00:00:00 +0000 UTC", f.Modified.UTC().String())
		in, err := f.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(in)
		require.NoError(t, err)
		at := filepath.Join(dir, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o700))
		writeFile(t, at, string(content))
	}
	return dir
}

// filesBelow returns the names of the files below a directory.
func filesBelow(t *testing.T, dir string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			name, err := filepath.Rel(dir, path)
			require.NoError(t, err)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	}))
	return names
}
