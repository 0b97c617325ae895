package answers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/sys/disk"
)

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
		return nil, fmt.Errorf("%w, so there is nothing to verify against; complete the recording with \"fees archive record RANGE -o DIR\"", err)
	}
	if err != nil {
		return nil, err
	}
	sums := manifest.sums()
	var found archive.Findings
	listed := func(path string) bool { return sums[path] != "" }
	if err := found.AddStrangers(a.files, listed); err != nil {
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
		have, err := a.pieceAt(piece.Path)
		switch {
		case errors.Is(err, ErrLacks):
			found.Add(piece.Path + ": " + archive.ErrMissing.Error())
		case errors.Is(err, disk.ErrNotRegular) && !found.None(): // among the strangers
		case err != nil:
			found.Add(piece.Path + ": cannot be read")
		case have != piece:
			found.Add(piece.Path + ": " + archive.ErrChanged.Error())
		}
	}
	if progress != nil {
		progress(uint64(len(files)), uint64(len(files)))
	}
	return manifest, found.Err(directory, ErrDamaged)
}

// pieceAt describes the current file at a path, of any size.
func (a *Archive) pieceAt(path string) (archive.Piece, error) {
	file, _, err := a.open(path)
	if err != nil {
		return archive.Piece{}, err
	}
	defer file.Close()
	digest := sha256.New()
	size, err := io.Copy(digest, file)
	if err != nil {
		return archive.Piece{}, a.damaged(path, err)
	}
	return archive.Piece{Path: path, Size: size, SHA256: hex.EncodeToString(digest.Sum(nil))}, nil
}
