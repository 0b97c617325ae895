package disk

import (
	"errors"
	"io/fs"
)

// ErrNotRegular says that a path leads to something other than a regular file.
var ErrNotRegular = errors.New("it is not a regular file")

// CheckRegular checks that a path leads to a regular file without following a link, neither of
// the file nor of a directory on the way to it. A pipe could make the program wait for ever.
func CheckRegular(files fs.FS, path string) error {
	for i := 0; i < len(path); i++ {
		if path[i] != '/' {
			continue
		}
		if info, err := fs.Lstat(files, path[:i]); err != nil {
			return err
		} else if !info.IsDir() {
			return ErrNotRegular
		}
	}
	info, err := fs.Lstat(files, path)
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	return err
}
