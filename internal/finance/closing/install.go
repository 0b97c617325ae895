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

// Prepare looks at where a package is to be, once a draft of it is begun: nobody else
// changes it then. It is nil where nothing is there, and the package that is there
// otherwise, as it was written; anything else is an error.
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

// Install puts the draft in its place. Old is what Prepare found there: where every byte
// is the same, it stays, and changed is false; otherwise the draft becomes its next
// version. The manifest says all but the version and the files.
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
			if err := disk.Sync(filepath.Dir(filepath.Clean(path))); err != nil { // who made it may have ended before its name was on the disk
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

// ErrOtherPeriod says that a package is of another period, or of another chain.
var ErrOtherPeriod = errors.New("the package that is there is not of this period and chain")

// Follows wants an older package to be of the same month or year, time zone and chain: it is
// ErrOtherPeriod otherwise.
func (m *Manifest) Follows(old *Manifest) error {
	if m.Network != old.Network || m.Genesis != old.Genesis || m.Period.Name() != old.Period.Name() || m.Period.Timezone != old.Period.Timezone {
		return fmt.Errorf("%w: it is of %s in %s, %s", ErrOtherPeriod, old.Period.Name(), old.Period.Timezone, old.Network)
	}
	return nil
}

// keep copies the version that is there into the draft, and says what changed since.
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

// rename is os.Rename, but where a test kills the program.
var rename = os.Rename

// replace renames the draft, which is on the disk by then. What was there waits in the scratch directory, and is put
// back by Discard where that fails, or by the next program where this one is killed.
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
