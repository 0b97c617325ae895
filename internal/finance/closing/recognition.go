package closing

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
)

// leftBehind lists files that identify a package whose manifest is lost: no other program writes these
// names.
var leftBehind = [][]string{{SignatureFile}, {StampFile}, {"findings.csv", "networks.json"}}

// isPackage reports whether a directory with these files is a package, intact or damaged.
func isPackage(has func(file string) bool) bool { return has(ManifestFile) || lostManifest(has) }

// lostManifest reports whether a directory contains the rest of a package without its manifest.
func lostManifest(has func(file string) bool) bool {
	return slices.ContainsFunc(leftBehind, func(files []string) bool {
		return !slices.ContainsFunc(files, func(file string) bool { return !has(file) })
	})
}

// withoutManifest returns the error for a directory without a manifest file.
func withoutManifest(has func(file string) bool) error {
	if lostManifest(has) {
		return fmt.Errorf("%w: %s is missing", ErrDamaged, ManifestFile)
	}
	return fmt.Errorf("%w: it contains no %s", ErrNone, ManifestFile)
}

// manifestError returns the error for an unreadable manifest. Files of that name from other programs, and of archives,
// share less than half of their keys with ours.
func manifestError(text []byte, place string, err error) error {
	var keys map[string]json.RawMessage
	if json.Unmarshal(text, &keys) == nil && len(keys) > 0 {
		own := 0
		for _, key := range []string{"format", "version", "previous", "tool", "network", "genesis", "period", "blocks", "evidence", "options", "accounts", "totals", "findings", "left_out", "files"} {
			if _, has := keys[key]; has {
				own++
			}
		}
		if own < 3 || 2*own < len(keys) {
			return fmt.Errorf("%w: its %s is not of a package", ErrNone, ManifestFile)
		}
	}
	return fmt.Errorf("%w: %s: %w", ErrDamaged, place, err)
}

// filesIn returns a function that reports whether a directory contains a file of any type.
func filesIn(dir string, lstat func(string) (fs.FileInfo, error)) func(file string) bool {
	return func(file string) bool {
		_, err := lstat(path.Join(dir, file))
		return err == nil
	}
}
