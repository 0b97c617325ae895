package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/feeledger/fees/internal/failure"
)

// prefix begins the name of whatever is in a scratch directory. A directory that has
// anything else in it is somebody's own.
const prefix = "fees-"

var (
	// ErrHeld says that a living process works in a directory.
	ErrHeld = failure.New(failure.Busy, "another program is working there")
	// ErrNotOurs says that a directory is none that this package made.
	ErrNotOurs = errors.New("it is there, and not of this program: move it away")
)

// Directory is one that this process holds.
type Directory struct {
	path string
	held *os.File
}

// Hold makes a directory and holds it, or takes over the one that a killed process
// left, with all that is in it.
func Hold(path string) (*Directory, error) {
	path = filepath.Clean(path)
	for {
		err := os.Mkdir(path, 0o777) // less the umask
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		d, err := take(path)
		if errors.Is(err, fs.ErrNotExist) { // who had it ended meanwhile
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return d, nil
	}
}

// take holds a directory that is there.
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
		err = fs.ErrNotExist // it was taken away, and another one made
	}
	return &Directory{path, held}, err
}

// ours wants a directory with nothing in it but what this package names.
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

// Path is the place of something in the directory.
func (d *Directory) Path(name string) string { return filepath.Join(d.path, prefix+name) }

// Clear takes away all that is in the directory.
func (d *Directory) Clear() error {
	entries, err := os.ReadDir(d.path)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(d.path, e.Name())))
	}
	return err
}

// Release leaves the directory as it is to the next one who holds it.
func (d *Directory) Release() { d.held.Close() }

// Remove takes the directory away, with all that is in it.
func (d *Directory) Remove() error {
	defer d.held.Close()
	return os.RemoveAll(d.path)
}
