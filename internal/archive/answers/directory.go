package answers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/sys/disk"
)

// noArchiveError reports that a directory of recordings is missing or empty. It is an [ErrLacks].
type noArchiveError struct{ error }

func (e *noArchiveError) Unwrap() []error { return []error{e.error, ErrLacks} }

// checkDirectory returns an error unless path names a directory. For a file, the error states what the file is and what
// to name instead.
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

// describeFile returns an error for a file in place of a directory. The file of one block is not enough to price it: the
// parent's multiplier and runtime are missing.
func describeFile(path string) error {
	a := New(path, os.DirFS(filepath.Dir(path)))
	text, err := a.readFile(filepath.Base(path), httpclient.DefaultMaxAnswer)
	var b *chain.Block
	if err == nil {
		b, err = sidecar.DecodeBlock(text)
	}
	if err != nil {
		return fmt.Errorf("%s is a file. Name the directory that contains %s/, or a gateway's URL.", path, blockDirectory)
	}
	parent := max(b.Number, 1) - 1
	return fmt.Errorf("%s contains only block %d; its fees also need the multiplier and the runtime of block %d. Name a gateway's URL, or a directory with %s, %s and %s.",
		path, b.Number, parent, blockPath(b.Number), multiplierPath(parent), runtimeForAll)
}
