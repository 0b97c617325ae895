package closing

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/feeledger/fees/internal/finance/closing/signature"
	"github.com/feeledger/fees/internal/sys/scratch"
)

// Draft is a package under construction, in its own directory.
type Draft struct {
	dir     string
	path    string             // of the package
	scratch *scratch.Directory // nil for a temporary draft
	files   []File
	key     *signature.Key               // signs the package, nil for none
	ask     func([]byte) ([]byte, error) // requests the timestamp, nil for none
}

// Names in the scratch directory: the draft, and the replaced package while neither is in
// place.
const (
	draftName  = "draft"
	beforeName = "before"
)

// scratchOf returns the directory next to a package in which the next one is built.
func scratchOf(path string) string { return filepath.Clean(path) + ".closing" }

// Begin creates a draft next to its target directory. Only one can exist at a time. It first repairs what a
// killed process left behind.
func Begin(path string) (*Draft, error) {
	s, err := hold(path)
	if err != nil {
		return nil, err
	}
	dir := s.Path(draftName)
	if err := os.Mkdir(dir, 0o777); err != nil { // minus the umask
		return nil, errors.Join(err, s.Remove())
	}
	return &Draft{dir: dir, path: path, scratch: s}, nil
}

// Mend restores a package that a killed process moved away before it installed the next one. Otherwise it
// does nothing.
func Mend(path string) error {
	_, there := os.Lstat(path)
	_, left := os.Lstat(scratchOf(path))
	if !errors.Is(there, fs.ErrNotExist) || left != nil {
		return nil
	}
	s, err := hold(path)
	if err != nil {
		return err
	}
	return s.Remove()
}

// hold locks the empty scratch directory of a package.
func hold(path string) (*scratch.Directory, error) {
	s, err := scratch.Hold(scratchOf(path))
	if errors.Is(err, scratch.ErrHeld) {
		err = fmt.Errorf("another process is creating this package: %w", err)
	}
	if err != nil {
		return nil, err
	}
	if err := settle(s, path); err != nil {
		s.Release()
		return nil, err
	}
	return s, nil
}

// settle restores a package that was moved away, unless the next one is in place, and clears the scratch
// directory.
func settle(s *scratch.Directory, path string) error {
	path = filepath.Clean(path)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if err := rename(s.Path(beforeName), path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return s.Clear()
}

// BeginIn creates a temporary draft in an empty directory, for comparison.
func BeginIn(dir string) *Draft { return &Draft{dir: dir} }

// Discard deletes the draft unless it was installed, and releases it.
func (d *Draft) Discard() {
	if d.scratch == nil {
		os.RemoveAll(d.dir)
		return
	}
	if settle(d.scratch, d.path) != nil {
		d.scratch.Release() // the next process repairs it
		return
	}
	d.scratch.Remove()
}

// Files returns the files of the draft, by name.
func (d *Draft) Files() []File {
	slices.SortFunc(d.files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	return d.files
}

// Add writes a file of the draft.
func (d *Draft) Add(name string, write func(io.Writer) error) error {
	if !validName(name) {
		return fmt.Errorf("%q is not a valid file name in a package", name)
	}
	sum := &counter{hash: sha256.New()}
	err := d.write(name, func(w io.Writer) error { return write(io.MultiWriter(w, sum)) })
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	d.files = append(d.files, File{name, sum.size, hex.EncodeToString(sum.hash.Sum(nil))})
	return nil
}

// write writes a file.
func (d *Draft) write(name string, write func(io.Writer) error) error {
	path := filepath.Join(d.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	buffer := bufio.NewWriter(file)
	if err = write(buffer); err == nil {
		err = cmp.Or(buffer.Flush(), file.Sync()) // also for files added to an installed package
	}
	return cmp.Or(err, file.Close())
}

func (d *Draft) writeText(name string, text []byte) error {
	return d.write(name, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// counter counts and hashes what is written.
type counter struct {
	hash hash.Hash
	size int64
}

func (c *counter) Write(text []byte) (int, error) {
	c.size += int64(len(text))
	return c.hash.Write(text)
}
