package disk

import (
	"errors"
	"io/fs"
)

// ErrNotRegular reports that a path does not lead to a regular file.
var ErrNotRegular = errors.New("not a regular file")

// CheckRegular checks that a path leads to a regular file without any symbolic link, neither the file nor a directory on
// the way. Reading from a pipe could block forever.
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
