// Package archive contains what both kinds of archives share, those of a gateway's answers and those of a node's proofs: a
// manifest lists each file with its checksum, and carries its own.
package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
)

const (
	// ManifestPath is the name of the manifest in an archive.
	ManifestPath = "manifest.json"
	// StampPath is the name of the manifest's timestamp, if one was requested. It is not part of the recording.
	StampPath = ManifestPath + ".tsr"
)

var (
	// ErrMissing reports that a file that the manifest lists is missing.
	ErrMissing = errors.New("the file is in the manifest but missing")
	// ErrChanged reports that a file is not what the manifest lists.
	ErrChanged = errors.New("the file differs from the manifest")
	errSeal    = errors.New("its own checksum does not match")
)

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

// Seal returns the canonical text of a manifest with its own checksum: the SHA-256 of that text with an empty checksum.
// Own is the manifest's field for it.
func Seal(manifest any, own *string) (string, error) {
	*own = ""
	open, err := text(manifest)
	if err != nil {
		return "", err
	}
	*own = Sum(open)
	return text(manifest)
}

// CheckSeal rejects a manifest's text if any byte differs from what seal returns.
func CheckSeal(have string, seal func() (string, error)) error {
	want, err := seal()
	if err == nil && have != want {
		err = errSeal
	}
	return err
}

func text(manifest any) (string, error) {
	indented, err := json.MarshalIndent(manifest, "", " ")
	return string(indented) + "\n", err
}
