package archive

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// disk is the directory that a recorder writes to. A file is there under its name
// when it is whole and on the disk, or not at all.
type disk struct {
	directory string
	// before is asked before each step that changes the disk; an error ends the
	// recorder there.
	before func(step string) error
}

func (d disk) step(what string) error {
	if d.before == nil {
		return nil
	}
	return d.before(what)
}

func (d disk) at(path string) string { return filepath.Join(d.directory, filepath.FromSlash(path)) }

// write puts a file in its place. What is left of one that could not be written
// is swept away by the next recorder.
func (d disk) write(path, text string) error {
	file, err := d.create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	half := len(text) / 2
	if _, err := file.WriteString(text[:half]); err != nil {
		return err
	}
	if err := d.step("write " + path); err != nil {
		return err
	}
	if _, err := file.WriteString(text[half:]); err != nil {
		return err
	}
	return d.place(file, path)
}

// create makes a file under a temporary name beside its place.
func (d disk) create(path string) (*os.File, error) {
	target := d.at(path)
	if err := d.step("mkdir " + path); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
		return nil, err
	}
	if err := d.step("create " + path); err != nil {
		return nil, err
	}
	return os.CreateTemp(filepath.Dir(target), filepath.Base(target)+".*"+temporarySuffix)
}

// place makes a whole file last, and gives it its name.
func (d disk) place(file *os.File, path string) error {
	if err := file.Chmod(0o644); err != nil { // temporary files are made for their owner alone
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := d.step("rename " + path); err != nil {
		return err
	}
	return os.Rename(file.Name(), d.at(path))
}

// flush makes the names of the files last, as their contents do already.
func (d disk) flush() error {
	return filepath.WalkDir(d.directory, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		directory, err := os.Open(path)
		if err != nil {
			return err
		}
		defer directory.Close()
		return directory.Sync()
	})
}

// sweep removes what an interrupted recorder left, and refuses a directory with
// files that belong to nothing expected.
func (d disk) sweep(expected func(path string) bool) error {
	return d.each(func(path string, _ fs.DirEntry) error {
		if original, ok := strings.CutSuffix(path, temporarySuffix); ok {
			if dot := strings.LastIndexByte(original, '.'); dot > 0 && expected(original[:dot]) {
				return os.Remove(d.at(path))
			}
		}
		if !expected(path) {
			return fmt.Errorf("%s: %s is not of an archive of these blocks and accounts: record into an empty directory", d.directory, path)
		}
		return nil
	})
}

// each calls visit with the path of each file, directories apart.
func (d disk) each(visit func(path string, entry fs.DirEntry) error) error {
	return fs.WalkDir(os.DirFS(d.directory), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return visit(path, entry)
	})
}
