package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/sys/disk"
)

// prefix begins the name of everything in a scratch directory. A directory with anything else belongs to the user.
const prefix = "fees-"

var (
	// ErrHeld reports that another process uses the directory.
	ErrHeld = failure.New(failure.Busy, "in use by another program")
	// ErrNotOurs reports that a directory was not created by this package.
	ErrNotOurs = errors.New("exists but was not created by this program; move it away")
)

// Directory is a scratch directory that this process holds.
type Directory struct {
	path string
	held *os.File
}

// Hold creates and locks a directory, or takes over the one that a killed process left, with its contents.
func Hold(path string) (*Directory, error) {
	path = filepath.Clean(path)
	for {
		err := os.Mkdir(path, 0o777) // minus the umask
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, disk.Uncreated(path, err)
		}
		d, err := take(path)
		if errors.Is(err, fs.ErrNotExist) { // its holder has just ended
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return d, nil
	}
}

// take locks an existing directory.
func take(path string) (_ *Directory, err error) {
	if err := ours(path); err != nil {
		return nil, err
	}
	held, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			held.Close()
		}
	}()
	if err := lock(held); err != nil {
		return nil, err
	}
	here, err := held.Stat()
	if err != nil {
		return nil, err
	}
	there, err := os.Lstat(path)
	if err == nil && !os.SameFile(here, there) {
		err = fs.ErrNotExist // it was removed and created again meanwhile
	}
	return &Directory{path, held}, err
}

// ours checks that a directory contains nothing but this package's names.
func ours(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return ErrNotOurs
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) {
			return ErrNotOurs
		}
	}
	return nil
}

// Path returns the path of an item in the directory.
func (d *Directory) Path(name string) string { return filepath.Join(d.path, prefix+name) }

// Clear removes everything in the directory.
func (d *Directory) Clear() error {
	entries, err := os.ReadDir(d.path)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(d.path, e.Name())))
	}
	return err
}

// Release leaves the directory as it is for the next holder.
func (d *Directory) Release() { d.held.Close() }

// Remove removes the directory with everything in it.
func (d *Directory) Remove() error {
	defer d.held.Close()
	return os.RemoveAll(d.path)
}
