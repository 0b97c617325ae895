package answers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/sys/disk"
)

// maxShown limits how many damaged files an error names.
const maxShown = 10

// Verify checks that a directory is what its recorder left: each file of the manifest, byte for byte, and no other.
// The error is [ErrDamaged] and names the files that were changed, are missing or were added, or [ErrLacks] without a
// manifest. Progress, if not nil, receives the number of files read.
func Verify(ctx context.Context, directory string, progress func(done, total uint64)) (*Manifest, error) {
	if err := checkDirectory(directory); err != nil {
		return nil, err
	}
	a := New(directory, os.DirFS(directory))
	manifest, err := a.readManifest()
	if errors.Is(err, ErrLacks) {
		return nil, fmt.Errorf("%w, so there is nothing to verify against; complete the recording with \"fees archive record\"", err)
	}
	if err != nil {
		return nil, err
	}
	sums := manifest.sums()
	var found []string
	irregular := map[string]bool{}
	err = disk.New(directory).Each(func(path string, entry fs.DirEntry) error {
		if _, listed := sums[path]; !listed && path != manifestPath && path != stampPath {
			found = append(found, path+": not in the manifest")
		} else if !entry.Type().IsRegular() {
			found = append(found, path+": not a regular file")
			irregular[path] = true
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	files := manifest.Files()
	for i, piece := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if progress != nil {
			progress(uint64(i), uint64(len(files)))
		}
		if irregular[piece.Path] {
			continue
		}
		have, err := a.pieceAt(piece.Path)
		switch {
		case errors.Is(err, ErrLacks):
			found = append(found, piece.Path+": "+errMissing.Error())
		case err != nil:
			found = append(found, piece.Path+": cannot be read")
		case have != piece:
			found = append(found, piece.Path+": "+errChanged.Error())
		}
	}
	if progress != nil {
		progress(uint64(len(files)), uint64(len(files)))
	}
	if len(found) == 0 {
		return manifest, nil
	}
	slices.Sort(found)
	more := ""
	if len(found) > maxShown {
		more = fmt.Sprintf("; and %d more files", len(found)-maxShown)
		found = found[:maxShown]
	}
	return nil, fmt.Errorf("%s: %w: %s%s", directory, ErrDamaged, strings.Join(found, "; "), more)
}

// pieceAt describes the current file at a path, of any size.
func (a *Archive) pieceAt(path string) (Piece, error) {
	file, _, err := a.open(path)
	if err != nil {
		return Piece{}, err
	}
	defer file.Close()
	digest := sha256.New()
	size, err := io.Copy(digest, file)
	if err != nil {
		return Piece{}, a.damaged(path, err)
	}
	return Piece{path, size, hex.EncodeToString(digest.Sum(nil))}, nil
}
