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
)

// Draft is a package that is being made, in a directory of its own.
type Draft struct {
	dir   string
	files []File
}

// Begin makes a draft beside the directory that it is for. There is one at a time.
func Begin(path string) (*Draft, error) {
	dir := filepath.Clean(path) + ".closing"
	err := os.Mkdir(dir, 0o777) // less the umask
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s is there: the package is being made by another program, or one was killed: remove it then", dir)
	}
	if err != nil {
		return nil, err
	}
	return &Draft{dir: dir}, nil
}

// BeginIn makes a draft in an empty directory, to be compared and thrown away.
func BeginIn(dir string) *Draft { return &Draft{dir: dir} }

// Discard takes the draft away, unless it was installed.
func (d *Draft) Discard() { os.RemoveAll(d.dir) }

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

// write writes a file through to the disk.
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
		err = cmp.Or(buffer.Flush(), file.Sync())
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
