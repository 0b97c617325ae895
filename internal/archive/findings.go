package archive

import (
	"fmt"
	"io/fs"
	"strings"
)

// maxShown limits how many findings an error names.
const maxShown = 10

// Findings are what is wrong with an archive. Its error names the first ones.
type Findings struct {
	shown []string
	count int
}

// Add adds a finding.
func (f *Findings) Add(finding string) {
	if f.count++; len(f.shown) < maxShown {
		f.shown = append(f.shown, finding)
	}
}

// None reports whether nothing was found.
func (f *Findings) None() bool { return f.count == 0 }

// Err returns the findings in the archive with a name as an error of a kind, nil without findings.
func (f *Findings) Err(name string, kind error) error {
	if f.None() {
		return nil
	}
	more := ""
	if f.count > len(f.shown) {
		more = fmt.Sprintf("; and %d more", f.count-len(f.shown))
	}
	return fmt.Errorf("%s: %w: %s%s", name, kind, strings.Join(f.shown, "; "), more)
}

// AddStrangers adds the files that the manifest does not list, and what is not a file in place of those that it lists.
func (f *Findings) AddStrangers(files fs.FS, listed func(path string) bool) error {
	return fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		known := path == ManifestPath || path == StampPath || listed(path)
		switch {
		case err != nil:
			return err
		case known && !entry.Type().IsRegular():
			f.Add(path + ": not a regular file")
		case !known && !entry.IsDir():
			f.Add(path + ": not in the manifest")
		}
		return nil
	})
}
