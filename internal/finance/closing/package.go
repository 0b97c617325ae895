package closing

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/sys/disk"
)

var (
	// ErrNone reports that a directory is not a package.
	ErrNone = errors.New("not a close package")
	// ErrDamaged reports that a package differs from what was written.
	ErrDamaged = failure.New(failure.Damaged, "the package is damaged")
)

// Package is an existing package.
type Package struct {
	Dir      string
	Manifest *Manifest
	Sum      string // SHA-256 of the manifest
}

// Open reads a package's manifest. It returns fs.ErrNotExist if nothing is there, ErrNone if the directory is
// something else, and ErrDamaged if the manifest is missing or cannot be read.
func Open(dir string) (*Package, error) {
	if err := disk.CheckDirectory(dir); errors.Is(err, disk.ErrNotDirectory) {
		return nil, fmt.Errorf("%s: %w", dir, ErrNone)
	} else if err != nil {
		return nil, err
	}
	file, err := openRegular(filepath.Join(dir, ManifestFile))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, withoutManifest(filesIn(dir, os.Lstat)))
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxManifestBytes+1))
	if err != nil {
		return nil, err
	}
	m, err := ReadManifest(text)
	if err != nil {
		return nil, manifestError(text, filepath.Join(dir, ManifestFile), err)
	}
	return &Package{dir, m, sumOf(text)}, nil
}

// openRegular opens a regular file: not a link or a pipe.
func openRegular(name string) (*os.File, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	return os.Open(name)
}

// VersionDir returns the directory of an earlier version, in that of the newest one.
func VersionDir(version int) string { return path.Join(versionsDir, strconv.Itoa(version)) }

// isEarlier reports whether this is an earlier version in the directory of a newer one.
func (p *Package) isEarlier() bool {
	dir, err := filepath.Abs(p.Dir)
	return err == nil && strings.HasSuffix(filepath.ToSlash(dir), "/"+VersionDir(p.Manifest.Version))
}

// versionDir returns the directory of a version before this one, which is beside an earlier version.
func (p *Package) versionDir(version int) string {
	if p.isEarlier() {
		return filepath.Join(p.Dir, "..", strconv.Itoa(version))
	}
	return filepath.Join(p.Dir, filepath.FromSlash(VersionDir(version)))
}

// Before returns the version before this one.
func (p *Package) Before() (*Package, error) { return Open(p.versionDir(p.Manifest.Version - 1)) }

// maxProblems limits the problems that are reported.
const maxProblems = 100

// Problems describes files that differ from the manifest, are missing or are not listed, including those of
// earlier versions.
func (p *Package) Problems() (list []string, err error) {
	list, err = p.ownProblems(!p.isEarlier())
	for next := p; err == nil && next.Manifest.Version > 1 && len(list) < maxProblems; {
		version := next.Manifest.Version - 1
		name := VersionDir(version)
		before, wrong := Open(p.versionDir(version))
		switch {
		case errors.Is(wrong, fs.ErrNotExist), errors.Is(wrong, ErrNone):
			return append(list, name+" is missing"), nil
		case wrong != nil:
			return append(list, name+": "+wrong.Error()), nil
		case before.Sum != next.Manifest.Previous || before.Manifest.Version != version:
			return append(list, name+" is not the predecessor of this version"), nil
		}
		own, err := before.ownProblems(false)
		if err != nil {
			return nil, err
		}
		for _, one := range own {
			list = append(list, name+"/"+one)
		}
		next = before
	}
	return list[:min(len(list), maxProblems)], err
}

// ownProblems returns the problems of this version. The newest contains the earlier ones.
func (p *Package) ownProblems(newest bool) (list []string, err error) {
	listed := map[string]bool{ManifestFile: true}
	for _, f := range p.Manifest.Files {
		listed[f.Name] = true
		if wrong := p.problem(f); wrong != "" {
			list = append(list, f.Name+" "+wrong)
		}
	}
	err = fs.WalkDir(os.DirFS(p.Dir), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case newest && e.IsDir() && p.keeps(name):
			return fs.SkipDir
		case name == SignatureFile || name == StampFile: // they cover the manifest, so it does not list them
			if !e.Type().IsRegular() {
				list = append(list, name+" is not a regular file")
			}
			if e.IsDir() {
				return fs.SkipDir
			}
		case !e.IsDir() && !listed[name], e.IsDir() && !p.has(name, newest):
			list = append(list, name+" is not in the manifest")
			switch {
			case len(list) >= maxProblems:
				return fs.SkipAll
			case e.IsDir(): // with its contents
				return fs.SkipDir
			}
		}
		return nil
	})
	return list, err
}

// keeps reports whether a directory contains an earlier version.
func (p *Package) keeps(name string) bool {
	version, ok := strings.CutPrefix(name, versionsDir+"/")
	n, err := strconv.Atoi(version)
	return ok && err == nil && n >= 1 && n < p.Manifest.Version && strconv.Itoa(n) == version
}

// has reports whether a directory belongs to the package.
func (p *Package) has(dir string, newest bool) bool {
	if dir == "." || newest && dir == versionsDir && p.Manifest.Version > 1 {
		return true
	}
	for _, f := range p.Manifest.Files {
		if strings.HasPrefix(f.Name, dir+"/") {
			return true
		}
	}
	return false
}

// problem describes what is wrong with a file, or returns "".
func (p *Package) problem(f File) string {
	file, err := openRegular(filepath.Join(p.Dir, filepath.FromSlash(f.Name)))
	if errors.Is(err, fs.ErrNotExist) {
		return "is missing"
	}
	if err != nil {
		return "cannot be read: " + err.Error()
	}
	defer file.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, io.LimitReader(file, f.Size+1))
	switch {
	case err != nil:
		return "cannot be read: " + err.Error()
	case size != f.Size || hex.EncodeToString(sum.Sum(nil)) != f.SHA256:
		return "has changed"
	}
	return ""
}
