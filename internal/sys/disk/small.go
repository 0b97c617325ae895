package disk

import (
	"fmt"
	"io"
	"os"
)

// ReadSmall reads a file of at most limit bytes.
func ReadSmall(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ReadAtMost(file, path, limit)
}

// ReadAtMost reads all of r, at most limit bytes. The name is for the error.
func ReadAtMost(r io.Reader, name string, limit int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("%s is larger than %d bytes", name, limit)
	}
	return content, err
}
