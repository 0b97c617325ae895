// Package archive is the container of both kinds of archives, those of a gateway's answers and those of a node's proofs: a
// directory whose manifest lists each file with its checksum, and carries its own. A file is compared when it is read, and
// the manifest is written when everything else is on disk.
package archive

import (
	"encoding/json"
	"errors"
)

const (
	// ManifestPath is the name of the manifest in an archive.
	ManifestPath = "manifest.json"
	// StampPath is the name of the manifest's timestamp, if one was requested. It is not part of the recording.
	StampPath = ManifestPath + ".tsr"
)

var errSeal = errors.New("its own checksum does not match")

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
