// Package disk writes files that outlive a crash of the machine: those of an archive, each of
// which is there under its name when it is whole and on the disk, or not at all.
package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// temporarySuffix ends the names of files that are not whole.
const temporarySuffix = ".tmp"

// Disk is the directory that a recorder writes to. Paths in it have slashes.
type Disk struct {
	Directory string
	Files     Files
}

// Files make directories and files, and rename them: those of the machine, or of one that fails.
type Files interface {
	MakeDirectory(path string) error
	CreateTemp(directory, pattern string) (File, error)
	Rename(from, to string) error
}

// File is a file that is written, such as an [os.File].
type File interface {
	io.WriteCloser
	Name() string
	Chmod(fs.FileMode) error
	Sync() error
}

// New is a directory of the machine.
func New(directory string) Disk { return Disk{directory, machine{}} }

// machine is the files of the machine.
type machine struct{}

func (machine) MakeDirectory(path string) error { return MakeDirectory(path) }

func (machine) CreateTemp(directory, pattern string) (File, error) {
	return os.CreateTemp(directory, pattern)
}

func (machine) Rename(from, to string) error { return os.Rename(from, to) }

// At is where a path of the directory is on this machine.
func (d Disk) At(path string) string { return filepath.Join(d.Directory, filepath.FromSlash(path)) }

// Write puts a file in its place. What is left of one that could not be written
// is swept away by the next recorder.
func (d Disk) Write(path, text string) error {
	file, err := d.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := io.WriteString(file, text); err != nil {
		return err
	}
	return d.Place(file, path)
}

// Create makes a file under a temporary name beside its place.
func (d Disk) Create(path string) (File, error) {
	target := d.At(path)
	if err := d.Files.MakeDirectory(filepath.Dir(target)); err != nil {
		return nil, err
	}
	return d.Files.CreateTemp(filepath.Dir(target), filepath.Base(target)+".*"+temporarySuffix)
}

// Place makes a whole file last, and gives it its name.
func (d Disk) Place(file File, path string) error {
	if err := file.Chmod(0o644); err != nil { // temporary files are made for their owner alone
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return d.Files.Rename(file.Name(), d.At(path))
}

// Flush makes the names of the files last, as their contents do already.
func (d Disk) Flush() error { return syncUnder(d.Directory, fs.DirEntry.IsDir) }

// SyncAll makes a directory last with all that is in it, contents and names. Its own name is in
// the directory above.
func SyncAll(directory string) error {
	return syncUnder(directory, func(fs.DirEntry) bool { return true })
}

func syncUnder(directory string, these func(fs.DirEntry) bool) error {
	return filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !these(entry) {
			return err
		}
		return Sync(path)
	})
}

// MakeDirectory makes a directory and those above it that are not there, and makes their names
// last.
func MakeDirectory(path string) error {
	path = filepath.Clean(path)
	above := filepath.Dir(path)
	err := os.Mkdir(path, 0o777)
	if errors.Is(err, fs.ErrNotExist) && above != path {
		if err := MakeDirectory(above); err != nil {
			return err
		}
		err = os.Mkdir(path, 0o777)
	}
	if errors.Is(err, fs.ErrExist) {
		return os.MkdirAll(path, 0o777) // it may be no directory
	}
	if err != nil {
		return err
	}
	return Sync(above)
}

// Sync makes a file's content last, or the names in a directory.
func Sync(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// Sweep removes what an interrupted recorder left, and refuses a directory with
// files that belong to nothing expected.
func (d Disk) Sweep(expected func(path string) bool) error {
	return d.Each(func(path string, _ fs.DirEntry) error {
		if original, ok := strings.CutSuffix(path, temporarySuffix); ok {
			if dot := strings.LastIndexByte(original, '.'); dot > 0 && expected(original[:dot]) {
				return os.Remove(d.At(path))
			}
		}
		if !expected(path) {
			return fmt.Errorf("%s: %s is not of an archive of these blocks and accounts: name an empty directory", d.Directory, path)
		}
		return nil
	})
}

// Each calls visit with the path of each file, directories apart.
func (d Disk) Each(visit func(path string, entry fs.DirEntry) error) error {
	return fs.WalkDir(os.DirFS(d.Directory), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return visit(path, entry)
	})
}

// ErrNotDirectory reports that a path names a file.
var ErrNotDirectory = errors.New("not a directory")

// CheckDirectory returns an error unless path names a directory. The error is [fs.ErrNotExist]
// if nothing is there, and [ErrNotDirectory] if something else is.
func CheckDirectory(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &missingDirectoryError{path}
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s: %w", path, ErrNotDirectory)
	}
	return nil
}

type missingDirectoryError struct{ path string }

func (e *missingDirectoryError) Error() string { return "there is no directory " + e.path }

func (e *missingDirectoryError) Unwrap() error { return fs.ErrNotExist }
