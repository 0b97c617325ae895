package web

import (
	"archive/zip"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"time"

	"github.com/feeledger/fees/internal/finance/closing"
)

// zipFile is the name, in the URL of a package, of the archive of its files.
const zipFile = "package.zip"

// zipTime is the time of all files in an archive, so that a package always gives the same bytes: the earliest of the
// format.
var zipTime = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// packageZip sends a package with its earlier versions as an archive with one folder: the manifests and the files that
// they list, each verified. It is complete in a temporary file before it is sent, so that a damaged package gives an
// error and no file.
func (s *server) packageZip(w http.ResponseWriter, r *http.Request, shelf *closing.Shelf, p *closing.Placed) error {
	folder := fmt.Sprintf("%s-v%d", p.Name, p.Manifest.Version)
	return s.send(w, r, func(to *answer) error {
		to.name, to.contentType = folder+".zip", "application/zip"
		return s.runLongRead(r, func() error {
			out := zip.NewWriter(to)
			out.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
			if err := addVersions(r.Context(), out, folder, shelf, p); err != nil {
				if r.Context().Err() != nil {
					return err
				}
				return packageTrouble(err)
			}
			return out.Close()
		})
	})
}

// addVersions adds a version of a package and all earlier ones to an archive, where a check expects them.
func addVersions(ctx context.Context, out *zip.Writer, folder string, shelf *closing.Shelf, p *closing.Placed) error {
	if err := addFiles(ctx, out, folder, p); err != nil {
		return err
	}
	for at := p; ; {
		before, err := shelf.Before(at)
		if at != p {
			at.Close()
		}
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: version %d is missing", closing.ErrDamaged, at.Manifest.Version-1)
		}
		if before == nil || err != nil {
			return err
		}
		at = before
		if err := addFiles(ctx, out, path.Join(folder, closing.VersionDir(at.Manifest.Version)), at); err != nil {
			at.Close()
			return err
		}
	}
}

// addFiles adds the files of one version to an archive, below a folder.
func addFiles(ctx context.Context, out *zip.Writer, folder string, p *closing.Placed) error {
	for _, f := range append([]closing.File{{Name: closing.ManifestFile}}, p.Manifest.Files...) {
		entry, err := out.CreateHeader(&zip.FileHeader{Name: path.Join(folder, f.Name), Method: zip.Deflate, Modified: zipTime})
		if err != nil {
			return err
		}
		if err := p.Copy(ctx, f.Name, entry); err != nil {
			return err
		}
	}
	return nil
}

// zipLink returns the link to the archive of a package at a path.
func zipLink(here string) *link { return &link{"Download all (ZIP)", here + "/" + zipFile} }
