package closing

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Changes are the differences of a package from its previous version.
type Changes struct {
	Version  int          `json:"version"`
	Manifest []Change     `json:"manifest"` // by name: everything except totals and files
	Totals   []Change     `json:"totals"`   // by name
	Files    []FileChange `json:"files"`    // by name
}

// Change is a value with its previous value; null if there was none.
type Change struct {
	Name string          `json:"name"`
	Old  json.RawMessage `json:"old"`
	New  json.RawMessage `json:"new"`
}

// FileChange is a file with its previous SHA-256, "" if it is new, and its current one, "" if it was
// removed.
type FileChange struct {
	Name string `json:"name"`
	Old  string `json:"old_sha256"`
	New  string `json:"new_sha256"`
}

// Compare returns the differences of a manifest from an older one, except for their versions.
func Compare(old, now *Manifest) (c Changes, err error) {
	c.Version = now.Version
	before, after := old.content(), now.content()
	c.Files = compareFiles(before.Files, after.Files)
	if c.Totals, err = compare(before.Totals, after.Totals); err != nil {
		return c, err
	}
	before.Files, after.Files = nil, nil
	before.Totals, after.Totals = Totals{}, Totals{}
	c.Manifest, err = compare(before, after)
	return c, err
}

// WrongChanges describes how changes.json differs from the changes since the version before, or returns "". The package
// has no problems.
func (p *Package) WrongChanges() (string, error) {
	sum := ""
	for _, f := range p.Manifest.Files {
		if f.Name == ChangesFile {
			sum = f.SHA256
		}
	}
	if p.Manifest.Version == 1 {
		if sum != "" {
			return ChangesFile + " is unexpected: this is the first version", nil
		}
		return "", nil
	}
	before, err := p.Before()
	if err != nil {
		return "", err
	}
	changes, err := Compare(before.Manifest, p.Manifest)
	if err != nil {
		return "", err
	}
	text, err := encode(changes)
	switch {
	case err != nil:
		return "", err
	case sum == "":
		return ChangesFile + " is missing", nil
	case sum != sumOf(text):
		return fmt.Sprintf("%s differs from the changes since version %d", ChangesFile, before.Manifest.Version), nil
	}
	return "", nil
}

// None reports whether nothing changed.
func (c *Changes) None() bool { return len(c.Manifest)+len(c.Totals)+len(c.Files) == 0 }

// compare compares the fields of two objects.
func compare(old, now any) ([]Change, error) {
	before, err := fields(old)
	if err != nil {
		return nil, err
	}
	after, err := fields(now)
	if err != nil {
		return nil, err
	}
	list := []Change{}
	names := maps.Clone(before)
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if string(before[name]) != string(after[name]) {
			list = append(list, Change{name, before[name], after[name]})
		}
	}
	return list, nil
}

func fields(value any) (m map[string]json.RawMessage, err error) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	return m, err
}

func compareFiles(old, now []File) []FileChange {
	sums := map[string]FileChange{}
	for _, f := range old {
		sums[f.Name] = FileChange{Name: f.Name, Old: f.SHA256}
	}
	for _, f := range now {
		sums[f.Name] = FileChange{f.Name, sums[f.Name].Old, f.SHA256}
	}
	list := []FileChange{}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if c := sums[name]; c.Old != c.New {
			list = append(list, c)
		}
	}
	return list
}
