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
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Shelf is a directory with packages. Nothing outside of it is read, whatever a name or a link
// says.
type Shelf struct {
	root *os.Root
	dir  string
}

const (
	// mostPackages is how many packages of a shelf are listed.
	mostPackages = 1000
	// mostEntries is how many entries of its directory are looked at.
	mostEntries = 10_000
)

// OpenShelf opens a directory with packages.
func OpenShelf(dir string) (*Shelf, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Shelf{root, dir}, nil
}

// Close closes the directory.
func (s *Shelf) Close() error { return s.root.Close() }

// Names returns the directories on the shelf that are packages, sound or damaged, the last by name
// first, which is the newest of months. Others counts the directories that are something else; more
// tells whether there are others that were not looked at.
func (s *Shelf) Names() (names []string, others int, more bool, err error) {
	dir, err := s.root.Open(".")
	if err != nil {
		return nil, 0, false, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(mostEntries)
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
	more = len(entries) == mostEntries || len(names) > mostPackages
	return names[:min(len(names), mostPackages)], others, more, nil
}

// isName tells whether a directory can be a package: those in which one is made are not.
func isName(name string) bool {
	return filepath.IsLocal(name) && !strings.ContainsAny(name, "/\\\x00") && !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, scratchOf("x")[1:])
}

// Placed is a package on a shelf.
type Placed struct {
	*Package
	Name    string
	Written time.Time // when its manifest was written here
	root    *os.Root
}

// Open opens a package, or a version before of it; 0 is the one that counts. It is fs.ErrNotExist
// where nothing is there, ErrNone where something else is, and ErrDamaged where the manifest is
// none. Close closes it.
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

// open reads the manifest, of the version that is wanted.
func (p *Placed) open(version int) error {
	if err := p.read(); err != nil || version == 0 || version == p.Manifest.Version {
		return err
	}
	if version < 1 || version > p.Manifest.Version {
		return fs.ErrNotExist
	}
	in := path.Join(versionsDir, strconv.Itoa(version))
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
		return fmt.Errorf("%w: %s is of version %d", ErrDamaged, in, p.Manifest.Version)
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
	text, err := io.ReadAll(io.LimitReader(file, mostManifestBytes+1))
	if err != nil {
		return err
	}
	if p.Manifest, err = ReadManifest(text); err != nil {
		return manifestError(text, ManifestFile, err)
	}
	p.Sum, p.Written = sumOf(text), info.ModTime()
	return nil
}

// regular opens a file of the package that is one: no link, no pipe.
func (p *Placed) regular(name string) (*os.File, error) {
	info, err := p.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	return p.root.Open(name)
}

// Close closes the package.
func (p *Placed) Close() error { return p.root.Close() }

// Before is the version before, nil of the first. It is ErrDamaged where it is not the one that
// this one came after.
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
		return nil, fmt.Errorf("%w: version %d is not the one that version %d came after", ErrDamaged, before.Manifest.Version, p.Manifest.Version)
	}
	return before, nil
}

// Copy writes a file of the package, and ends with the context. A name that the manifest has not is
// fs.ErrNotExist; a file that is not what the manifest says is ErrDamaged: what was written of it is
// then to be thrown away.
func (p *Placed) Copy(ctx context.Context, name string, to io.Writer) error {
	listed := File{Name: ManifestFile, Size: mostManifestBytes, SHA256: p.Sum}
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

// State tells a package's manifest from what it was before, "" where there is none.
func (s *Shelf) State(name string) string {
	info, err := s.root.Lstat(name + "/" + ManifestFile)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano())
}
