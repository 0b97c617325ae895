package answers

import (
	"context"
	"errors"
	"fmt"
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
	var found archive.Findings
	pieces := manifest.pieces()
	listed := func(path string) bool { _, ok := pieces[path]; return ok }
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
		switch err := piece.Check(a.files); {
		case errors.Is(err, archive.ErrMissing), errors.Is(err, archive.ErrChanged):
			found.Add(piece.Path + ": " + err.Error())
		case errors.Is(err, disk.ErrNotRegular) && !found.None(): // among the strangers
		case err != nil:
			found.Add(piece.Path + ": cannot be read")
		}
	}
	if progress != nil {
		progress(uint64(len(files)), uint64(len(files)))
	}
	return manifest, found.Err(directory, ErrDamaged)
}
