package closing

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/feeledger/fees/internal/sys/disk"
)

// Prepare reads the target of a draft that has begun, so no other process changes it. It returns nil if
// nothing is there, and the intact package otherwise; anything else is an error.
func Prepare(path string) (*Package, error) {
	p, err := Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	problems, err := p.Problems()
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("%w: %s: %s", ErrDamaged, path, problems[0])
	}
	return p, nil
}

// Install moves the draft into place. Old is the result of Prepare: if every byte is equal, it stays and changed is
// false; otherwise the draft becomes its next version. The manifest is complete except for the version and
// the files.
func (d *Draft) Install(path string, m Manifest, old *Package) (p *Package, changed bool, err error) {
	m.Format, m.Version, m.Previous, m.Files = format, 1, "", d.Files()
	if old != nil {
		if err := m.Follows(old.Manifest); err != nil {
			return nil, false, fmt.Errorf("%s: %w", path, err)
		}
		m.Version, m.Previous = old.Manifest.Version+1, old.Sum
		changes, err := Compare(old.Manifest, &m)
		if err != nil {
			return nil, false, err
		}
		if changes.None() {
			if err := disk.Sync(filepath.Dir(filepath.Clean(path))); err != nil { // its creator may have ended before the name was on disk
				return nil, false, err
			}
			if err := d.stampAlso(old); err != nil {
				return nil, false, err
			}
			return old, false, d.signAlso(old)
		}
		if err := d.keep(path, old, changes); err != nil {
			return nil, false, err
		}
		m.Files = d.Files()
	}
	text, err := m.Encode()
	if err != nil {
		return nil, false, err
	}
	if err := m.check(); err != nil {
		return nil, false, err
	}
	if err := d.writeText(ManifestFile, text); err != nil {
		return nil, false, err
	}
	if err := d.stamp(text); err != nil {
		return nil, false, err
	}
	if err := d.sign(text); err != nil {
		return nil, false, err
	}
	return &Package{path, &m, sumOf(text)}, true, d.replace(path, old != nil)
}

// ErrOtherPeriod reports that the existing package belongs to another period or chain.
var ErrOtherPeriod = errors.New("the existing package belongs to another period or chain")

// Follows returns ErrOtherPeriod unless the older package is of the same month or year, time zone and
// chain.
func (m *Manifest) Follows(old *Manifest) error {
	if m.Network != old.Network || m.Genesis != old.Genesis || m.Period.Name() != old.Period.Name() || m.Period.Timezone != old.Period.Timezone {
		return fmt.Errorf("%w: %s in %s, %s", ErrOtherPeriod, old.Period.Name(), old.Period.Timezone, old.Network)
	}
	return nil
}

// keep copies the existing version into the draft and records the changes.
func (d *Draft) keep(path string, old *Package, changes Changes) error {
	text, err := encode(changes)
	if err != nil {
		return err
	}
	if err := d.Add(ChangesFile, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
		return err
	}
	versions := filepath.Join(d.dir, versionsDir)
	kept := filepath.Join(versions, strconv.Itoa(old.Manifest.Version))
	if err := os.MkdirAll(versions, 0o777); err != nil {
		return err
	}
	if err := os.CopyFS(kept, os.DirFS(path)); err != nil {
		return err
	}
	for v := 1; v < old.Manifest.Version; v++ {
		name := strconv.Itoa(v)
		if err := os.Rename(filepath.Join(kept, versionsDir, name), filepath.Join(versions, name)); err != nil {
			return err
		}
	}
	return os.RemoveAll(filepath.Join(kept, versionsDir))
}

// rename is os.Rename, except in tests that simulate a crash.
var rename = os.Rename

// replace installs the draft, which is already on disk. The old package waits in the scratch directory; Discard
// restores it on failure, and the next process after a crash.
func (d *Draft) replace(path string, there bool) error {
	path = filepath.Clean(path)
	if err := disk.SyncAll(d.dir); err != nil {
		return err
	}
	if there {
		if err := rename(path, d.scratch.Path(beforeName)); err != nil {
			return err
		}
	}
	if err := rename(d.dir, path); err != nil {
		return err
	}
	return disk.Sync(filepath.Dir(path))
}
