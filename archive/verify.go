package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// mostShown is how many damaged files an error names.
const mostShown = 10

// Verify proves a directory to be what its recorder left: each file of the
// manifest, to the byte, and none besides. An error is [ErrDamaged] and names the
// files that were changed, are missing or were added, or [ErrLacks] where there
// is no manifest.
func Verify(ctx context.Context, directory string) (*Manifest, error) {
	a := New(directory, os.DirFS(directory))
	manifest, err := a.readManifest()
	if errors.Is(err, ErrLacks) {
		return nil, fmt.Errorf("%w: nothing to verify by: it was not made, or not finished, by fees archive record", err)
	}
	if err != nil {
		return nil, err
	}
	sums := manifest.sums()
	var found []string
	irregular := map[string]bool{}
	err = disk{directory: directory}.each(func(path string, entry fs.DirEntry) error {
		if _, listed := sums[path]; !listed && path != manifestPath {
			found = append(found, path+": it is not in the manifest")
		} else if !entry.Type().IsRegular() {
			found = append(found, path+": it is not a regular file")
			irregular[path] = true
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	for _, piece := range manifest.Pieces {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if irregular[piece.Path] {
			continue
		}
		text, err := a.readFile(piece.Path)
		switch {
		case errors.Is(err, ErrLacks):
			found = append(found, piece.Path+": "+errMissing.Error())
		case err != nil:
			found = append(found, piece.Path+": it cannot be read")
		case len(text) != piece.Size || sum(text) != piece.SHA256:
			found = append(found, piece.Path+": "+errChanged.Error())
		}
	}
	if len(found) == 0 {
		return manifest, nil
	}
	slices.Sort(found)
	more := ""
	if len(found) > mostShown {
		more = fmt.Sprintf("; and %d more files", len(found)-mostShown)
		found = found[:mostShown]
	}
	return nil, fmt.Errorf("%s: %w: %s%s", directory, ErrDamaged, strings.Join(found, "; "), more)
}
