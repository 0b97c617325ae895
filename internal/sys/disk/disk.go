// Package disk writes files that survive a crash of the machine: each file of an archive exists under its name
// completely and on disk, or not at all. It reads files of others up to a limit only.
package disk

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// temporarySuffix ends the names of incomplete files.
const temporarySuffix = ".tmp"

// Disk is the directory that a recorder writes to. Its paths use slashes.
type Disk struct {
	Directory string
	Files     Files
}

// Files creates directories and files, and renames them; tests replace it with one that fails.
type Files interface {
	MakeDirectory(path string) error
	CreateTemp(directory, pattern string) (File, error)
	Rename(from, to string) error
}

// File is a file being written, such as an [os.File].
type File interface {
	io.WriteCloser
	Name() string
	Chmod(fs.FileMode) error
	Sync() error
}

// New returns a Disk for a directory of this machine.
func New(directory string) Disk { return Disk{directory, machine{}} }

// machine implements Files with the files of this machine.
type machine struct{}

func (machine) MakeDirectory(path string) error { return MakeDirectory(path) }

func (machine) CreateTemp(directory, pattern string) (File, error) {
	return os.CreateTemp(directory, pattern)
}

func (machine) Rename(from, to string) error { return os.Rename(from, to) }

// At returns the path on this machine.
func (d Disk) At(path string) string { return filepath.Join(d.Directory, filepath.FromSlash(path)) }

// Write writes a complete file. The next recorder removes what a failed write leaves behind.
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

// Sum returns the SHA-256 of a file's content, in hex.
func Sum(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// Replace creates a file or replaces its content by what write writes: after an error or a crash it has the old or the new
// content. A new file gets the mode, less the umask; an existing one keeps its permissions, and a symbolic link stays one.
func Replace(path string, mode fs.FileMode, write func(io.Writer) error) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	old, missing := os.Stat(path)
	if missing == nil && !old.Mode().IsRegular() {
		return fmt.Errorf("%s: %w", path, ErrNotRegular)
	}
	temporary := path + "." + rand.Text()[:8] + temporarySuffix // one that a crash left must not be in the way
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return Uncreated(path, err)
	}
	defer os.Remove(temporary) // it no longer exists after success
	err = write(file)
	if err == nil && missing == nil {
		err = file.Chmod(old.Mode().Perm())
	}
	if err == nil {
		err = file.Sync() // otherwise a crash may leave an empty file
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return err
	}
	return Sync(filepath.Dir(path))
}

// Create creates a file under a temporary name beside its path.
func (d Disk) Create(path string) (File, error) {
	target := d.At(path)
	if err := d.Files.MakeDirectory(filepath.Dir(target)); err != nil {
		return nil, err
	}
	return d.Files.CreateTemp(filepath.Dir(target), filepath.Base(target)+".*"+temporarySuffix)
}

// Place syncs a complete file and gives it its name.
func (d Disk) Place(file File, path string) error {
	if err := file.Chmod(0o644); err != nil { // temporary files are readable by their owner only
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

// Flush syncs the names of the files; their contents are synced already.
func (d Disk) Flush() error { return syncUnder(d.Directory, fs.DirEntry.IsDir) }

// SyncAll syncs a directory with everything in it, contents and names, but not its own name in its parent.
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

// MakeDirectory creates a directory and its missing parents, and syncs their names.
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
		return os.MkdirAll(path, 0o777) // the path may be a file
	}
	if err != nil {
		return err
	}
	return Sync(above)
}

// Sync syncs a file's content, or the names in a directory.
func Sync(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// Sweep removes what an interrupted recorder left, and returns an error if the directory contains unexpected files.
func (d Disk) Sweep(expected func(path string) bool) error {
	return d.Each(func(path string, _ fs.DirEntry) error {
		if original, ok := strings.CutSuffix(path, temporarySuffix); ok {
			if dot := strings.LastIndexByte(original, '.'); dot > 0 && expected(original[:dot]) {
				return os.Remove(d.At(path))
			}
		}
		if !expected(path) {
			return fmt.Errorf("%s: %s does not belong to an archive of these blocks and accounts; use an empty directory", d.Directory, path)
		}
		return nil
	})
}

// Each calls visit with the path of each file, without directories.
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

// Uncreated returns the error of a file or directory that could not be created: if its parent directory is missing, it
// names that. It wraps [fs.ErrNotExist] then.
func Uncreated(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &missingDirectory{filepath.Dir(path)}
	}
	return err
}

type missingDirectory struct{ path string }

func (e *missingDirectory) Error() string {
	return "the directory " + e.path + " does not exist. Create it first"
}

func (*missingDirectory) Unwrap() error { return fs.ErrNotExist }
