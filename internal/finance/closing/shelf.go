package closing

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Shelf is a directory of packages. Nothing outside of it is read, regardless of names and
// links.
type Shelf struct {
	root *os.Root
	dir  string
}

const (
	// maxPackages limits the packages listed.
	maxPackages = 1000
	// maxEntries limits the directory entries examined.
	maxEntries = 10_000
)

// OpenShelf opens a directory of packages.
func OpenShelf(dir string) (*Shelf, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Shelf{root, dir}, nil
}

// Close closes the directory.
func (s *Shelf) Close() error { return s.root.Close() }

// Names returns the directories that are packages, intact or damaged, in descending order of names, so that
// the newest month is first. Others counts other directories; more reports whether entries were not
// examined.
func (s *Shelf) Names() (names []string, others int, more bool, err error) {
	dir, err := s.root.Open(".")
	if err != nil {
		return nil, 0, false, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(maxEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, false, err
	}
	for _, e := range entries {
		switch {
		case !e.IsDir() || !isName(e.Name()):
		case isPackage(filesIn(e.Name(), s.root.Lstat)):
			names = append(names, e.Name())
		default:
			others++
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(b, a) })
	more = len(entries) == maxEntries || len(names) > maxPackages
	return names[:min(len(names), maxPackages)], others, more, nil
}

// isName reports whether a directory can be a package. Scratch directories cannot.
func isName(name string) bool {
	return filepath.IsLocal(name) && !strings.ContainsAny(name, "/\\\x00") && !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, scratchOf("x")[1:])
}

// Placed is a package on a shelf.
type Placed struct {
	*Package
	Name    string
	Written time.Time // modification time of its manifest
	root    *os.Root
}

// Open opens a package or an earlier version; 0 means the current one. It returns fs.ErrNotExist if nothing is
// there, ErrNone if the directory is something else, and ErrDamaged if the manifest is
// invalid. Close closes it.
func (s *Shelf) Open(name string, version int) (*Placed, error) {
	if !isName(name) {
		return nil, fs.ErrNotExist
	}
	if info, err := s.root.Lstat(name); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, ErrNone
	}
	root, err := s.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	p := &Placed{Package: &Package{Dir: filepath.Join(s.dir, name)}, Name: name, root: root}
	if err := p.open(version); err != nil {
		p.root.Close()
		return nil, err
	}
	return p, nil
}

// open reads the manifest of the requested version.
func (p *Placed) open(version int) error {
	if err := p.read(); err != nil || version == 0 || version == p.Manifest.Version {
		return err
	}
	if version < 1 || version > p.Manifest.Version {
		return fs.ErrNotExist
	}
	in := VersionDir(version)
	if info, err := p.root.Lstat(in); err != nil {
		return err
	} else if !info.IsDir() {
		return ErrNone
	}
	before, err := p.root.OpenRoot(in)
	if err != nil {
		return err
	}
	p.root.Close()
	p.root, p.Dir = before, filepath.Join(p.Dir, filepath.FromSlash(in))
	if err := p.read(); err != nil {
		return err
	}
	if p.Manifest.Version != version {
		return fmt.Errorf("%w: %s contains version %d", ErrDamaged, in, p.Manifest.Version)
	}
	return nil
}

func (p *Placed) read() error {
	file, err := p.regular(ManifestFile)
	if err != nil {
		return withoutManifest(filesIn("", p.root.Lstat))
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxManifestBytes+1))
	if err != nil {
		return err
	}
	if p.Manifest, err = ReadManifest(text); err != nil {
		return manifestError(text, ManifestFile, err)
	}
	p.Sum, p.Written = sumOf(text), info.ModTime()
	return nil
}

// regular opens a regular file of the package: not a link or a pipe.
func (p *Placed) regular(name string) (*os.File, error) {
	info, err := p.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	return p.root.Open(name)
}

// Close closes the package.
func (p *Placed) Close() error { return p.root.Close() }

// Before returns the previous version, nil for the first. It returns ErrDamaged if that version is not the
// recorded predecessor.
func (s *Shelf) Before(p *Placed) (*Placed, error) {
	if p.Manifest.Version == 1 {
		return nil, nil
	}
	before, err := s.Open(p.Name, p.Manifest.Version-1)
	if err != nil {
		return nil, err
	}
	if before.Sum != p.Manifest.Previous {
		before.Close()
		return nil, fmt.Errorf("%w: version %d is not the predecessor of version %d", ErrDamaged, before.Manifest.Version, p.Manifest.Version)
	}
	return before, nil
}

// Copy writes a file of the package until the context ends. It returns fs.ErrNotExist for a name that the manifest
// does not list, and ErrDamaged for a file that differs from the manifest; the output must then
// be discarded.
func (p *Placed) Copy(ctx context.Context, name string, to io.Writer) error {
	listed := File{Name: ManifestFile, Size: maxManifestBytes, SHA256: p.Sum}
	if name != ManifestFile {
		at := slices.IndexFunc(p.Manifest.Files, func(f File) bool { return f.Name == name })
		if at < 0 {
			return fs.ErrNotExist
		}
		listed = p.Manifest.Files[at]
	}
	file, err := p.regular(name)
	if err != nil {
		return fmt.Errorf("%w: %s cannot be read: %w", ErrDamaged, name, err)
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(to, sum), &ending{ctx, io.LimitReader(file, listed.Size+1)}); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != listed.SHA256 {
		return fmt.Errorf("%w: %s has changed", ErrDamaged, name)
	}
	return nil
}

// ending reads until a context ends.
type ending struct {
	ctx  context.Context
	from io.Reader
}

func (e *ending) Read(p []byte) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	return e.from.Read(p)
}

// State identifies the state of a package's manifest, "" if there is none.
func (s *Shelf) State(name string) string {
	info, err := s.root.Lstat(name + "/" + ManifestFile)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano())
}
