package closing

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
)

// leftBehind are the files that tell a package whose manifest is gone from any other directory: no
// program but fees close writes these names together, or at all.
var leftBehind = [][]string{{SignatureFile}, {StampFile}, {"findings.csv", "networks.json"}}

// isPackage tells whether a directory with such files is a package, sound or damaged.
func isPackage(has func(file string) bool) bool { return has(ManifestFile) || lostManifest(has) }

// lostManifest tells whether a directory has what is left of a package without its manifest.
func lostManifest(has func(file string) bool) bool {
	return slices.ContainsFunc(leftBehind, func(files []string) bool {
		return !slices.ContainsFunc(files, func(file string) bool { return !has(file) })
	})
}

// withoutManifest is the error of a directory that has no manifest that is a file.
func withoutManifest(has func(file string) bool) error {
	if lostManifest(has) {
		return fmt.Errorf("%w: its %s is missing", ErrDamaged, ManifestFile)
	}
	return fmt.Errorf("%w: it has no %s", ErrNone, ManifestFile)
}

// manifestError is the error of a manifest that cannot be read. Other programs have files of that name,
// too, which share hardly a key with ours.
func manifestError(text []byte, place string, err error) error {
	var keys map[string]json.RawMessage
	if json.Unmarshal(text, &keys) == nil && len(keys) > 0 {
		own := 0
		for _, key := range []string{"format", "version", "previous", "tool", "network", "genesis", "period", "blocks", "evidence", "options", "accounts", "totals", "findings", "left_out", "files"} {
			if _, has := keys[key]; has {
				own++
			}
		}
		if own < 3 {
			return fmt.Errorf("%w: its %s is another program's", ErrNone, ManifestFile)
		}
	}
	return fmt.Errorf("%w: %s: %w", ErrDamaged, place, err)
}

// filesIn tells whether a directory has a file of a name, whatever kind it is of.
func filesIn(dir string, lstat func(string) (fs.FileInfo, error)) func(file string) bool {
	return func(file string) bool {
		_, err := lstat(path.Join(dir, file))
		return err == nil
	}
}
