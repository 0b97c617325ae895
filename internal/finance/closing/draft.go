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

// Draft is a package that is being made, in a directory of its own.
type Draft struct {
	dir     string
	path    string             // of the package
	scratch *scratch.Directory // nil for one that is thrown away
	files   []File
	key     *signature.Key               // that signs the package, nil for none
	ask     func([]byte) ([]byte, error) // who stamps it, nil for nobody
}

// The names in the scratch directory: of the draft, and of the package that it replaces
// while neither is in its place.
const (
	draftName  = "draft"
	beforeName = "before"
)

// scratchOf is the directory beside a package in which the next one is made.
func scratchOf(path string) string { return filepath.Clean(path) + ".closing" }

// Begin makes a draft beside the directory that it is for. There is one at a time. What a
// program left that was killed is mended first.
func Begin(path string) (*Draft, error) {
	s, err := hold(path)
	if err != nil {
		return nil, err
	}
	dir := s.Path(draftName)
	if err := os.Mkdir(dir, 0o777); err != nil { // less the umask
		return nil, errors.Join(err, s.Remove())
	}
	return &Draft{dir: dir, path: path, scratch: s}, nil
}

// Mend puts the package back in its place that a program took away and was killed before
// it put the next one there. There is nothing to do where no program was killed.
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

// hold holds the scratch directory of a package, with nothing in it.
func hold(path string) (*scratch.Directory, error) {
	s, err := scratch.Hold(scratchOf(path))
	if errors.Is(err, scratch.ErrHeld) {
		err = fmt.Errorf("the package is being made already: %w", err)
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

// settle puts a package that was taken out of its place back, unless the next one is
// there, and clears the scratch directory.
func settle(s *scratch.Directory, path string) error {
	path = filepath.Clean(path)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if err := rename(s.Path(beforeName), path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return s.Clear()
}

// BeginIn makes a draft in an empty directory, to be compared and thrown away.
func BeginIn(dir string) *Draft { return &Draft{dir: dir} }

// Discard takes the draft away, unless it was installed, and ends it.
func (d *Draft) Discard() {
	if d.scratch == nil {
		os.RemoveAll(d.dir)
		return
	}
	if settle(d.scratch, d.path) != nil {
		d.scratch.Release() // the next one does it
		return
	}
	d.scratch.Remove()
}

// Files are those of the draft, by name.
func (d *Draft) Files() []File {
	slices.SortFunc(d.files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	return d.files
}

// Add writes a file of the draft.
func (d *Draft) Add(name string, write func(io.Writer) error) error {
	if !validName(name) {
		return fmt.Errorf("%q is no name of a file in a package", name)
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
		err = cmp.Or(buffer.Flush(), file.Sync()) // also what is put beside a package that is there
	}
	return cmp.Or(err, file.Close())
}

func (d *Draft) writeText(name string, text []byte) error {
	return d.write(name, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// counter sums up what is written.
type counter struct {
	hash hash.Hash
	size int64
}

func (c *counter) Write(text []byte) (int, error) {
	c.size += int64(len(text))
	return c.hash.Write(text)
}
