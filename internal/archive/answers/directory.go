package answers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/sys/disk"
)

// noArchiveError reports that a directory of recordings is missing or empty. It is an [ErrLacks].
type noArchiveError struct{ error }

func (e *noArchiveError) Unwrap() []error { return []error{e.error, ErrLacks} }

// checkDirectory returns an error unless path names a directory. Of a file it says what it
// holds, and what is wanted instead.
func checkDirectory(path string) error {
	err := disk.CheckDirectory(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &noArchiveError{err}
	case errors.Is(err, disk.ErrNotDirectory):
		return describeFile(path)
	}
	return err
}

// describeFile returns an error for a file in place of a directory. One block cannot be priced
// from its own file: the multiplier and the runtime that its parent left behind are missing.
func describeFile(path string) error {
	a := New(path, os.DirFS(filepath.Dir(path)))
	text, err := a.readFile(filepath.Base(path))
	var b *chain.Block
	if err == nil {
		b, err = sidecar.DecodeBlock(text)
	}
	if err != nil {
		return fmt.Errorf("%s is a file, and recordings are a directory; name the directory that has %s, or a gateway's URL", path, blockDirectory)
	}
	parent := max(b.Number, 1) - 1
	return fmt.Errorf("%s is block %d alone, and its fees also follow from the multiplier and the runtime of block %d; name a gateway's URL, or a directory with %s, %s and %s",
		path, b.Number, parent, blockPath(b.Number), multiplierPath(parent), runtimeForAll)
}
