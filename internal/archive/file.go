package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/feeledger/fees/internal/sys/disk"
)

var (
	// ErrMissing reports that a file that the manifest lists is missing.
	ErrMissing = errors.New("the file is in the manifest but missing")
	// ErrChanged reports that a file is not what the manifest lists.
	ErrChanged = errors.New("the file differs from the manifest")
)

// LargeError reports a file that is larger than the limit.
type LargeError struct{ Limit int64 }

func (e *LargeError) Error() string { return fmt.Sprintf("it has more than %d bytes", e.Limit) }

// Open opens a regular file, and returns its size. Reading from a pipe could block forever.
func Open(files fs.FS, path string) (fs.File, int64, error) {
	if err := disk.CheckRegular(files, path); err != nil {
		return nil, 0, err
	}
	file, err := files.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

// Read returns the content of a regular file. It does not read one that is larger than the limit.
func Read(files fs.FS, path string, limit int64) ([]byte, error) {
	file, size, err := Open(files, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if size > limit {
		return nil, &LargeError{limit}
	}
	var content bytes.Buffer
	content.Grow(int(size) + bytes.MinRead)
	n, err := content.ReadFrom(io.LimitReader(file, limit+1))
	if err == nil && n > limit { // it grew
		err = &LargeError{limit}
	}
	return content.Bytes(), err
}

// Piece is a file of an archive, or an answer in a segment.
type Piece struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`   // in bytes
	SHA256 string `json:"sha256"` // of its bytes, in hex
}

// PieceOf returns the piece with a content.
func PieceOf[Content string | []byte](path string, content Content) Piece {
	return Piece{path, int64(len(content)), Sum(content)}
}

// Sum returns the SHA-256 of a content, in hex.
func Sum[Content string | []byte](content Content) string {
	digest := sha256.Sum256([]byte(content))
	return hex.EncodeToString(digest[:])
}

// Read returns the content of the file, up to a size limit. It must be what the manifest lists.
func (p Piece) Read(files fs.FS, limit int64) ([]byte, error) {
	if p.Size < 0 || p.Size > limit {
		return nil, fmt.Errorf("the manifest states a size of %d bytes", p.Size)
	}
	content, err := Read(files, p.Path, p.Size)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrMissing
	case errors.As(err, new(*LargeError)):
		return nil, ErrChanged
	case err != nil:
		return nil, err
	case PieceOf(p.Path, content) != p:
		return nil, ErrChanged
	}
	return content, nil
}

// Check compares the file, of any size, with what the manifest lists.
func (p Piece) Check(files fs.FS) error {
	file, size, err := Open(files, p.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrMissing
	}
	if err != nil {
		return err
	}
	defer file.Close()
	digest := sha256.New()
	if _, err := io.Copy(digest, file); err != nil {
		return err
	}
	if size != p.Size || hex.EncodeToString(digest.Sum(nil)) != p.SHA256 {
		return ErrChanged
	}
	return nil
}
