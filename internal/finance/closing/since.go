package closing

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/feeledger/fees/internal/sys/plain"
)

// Since lists the changes to what a user decides, inputs and options, since an earlier package. Figures differ from
// month to month anyway.
type Since struct {
	Period  string        // of the package before
	Dir     string        // of that package
	Options []Change      // by name, with the program and the accounts
	Inputs  []InputChange // by name
}

// InputChange is an input file that differs, is new or was removed.
type InputChange struct {
	FileChange
	Added, Removed []string // the first lines that only one of the files has
	More           int      // lines that are not listed
}

const (
	inputsDir = "inputs/"
	// maxChangedLines limits the lines that are listed of a file, added or removed.
	maxChangedLines = 10
	// maxInputBytes limits the size of an input whose lines are compared.
	maxInputBytes = 64 << 20
	maxSiblings   = 10_000
)

// isInput reports whether a file of a package is a user's decision, or the network table that prices it.
func isInput(f File) bool { return strings.HasPrefix(f.Name, inputsDir) || f.Name == "networks.json" }

// isRecord reports whether an input is the company's own record or the acts of closing, which are new every month.
func isRecord(name string) bool {
	return strings.HasPrefix(name, inputsDir+"books.") || name == inputsDir+"acts.csv" || name == inputsDir+"accepted.csv"
}

// None reports whether nothing changed.
func (s *Since) None() bool { return len(s.Options)+len(s.Inputs) == 0 }

// CompareInputs returns how the inputs and options of a package differ from those of an earlier one.
func CompareInputs(old, now *Package) (s Since, err error) {
	s.Period, s.Dir = old.Manifest.Period.Name(), old.Dir
	if !sameChain(old.Manifest, now.Manifest) {
		return s, fmt.Errorf("%s: %w: %s", old.Dir, ErrOtherPeriod, old.Manifest.Network)
	}
	basis := func(m *Manifest) any {
		o := m.Options
		o.Variance = nil // every month has another
		if o.Reconciliation != nil {
			record := *o.Reconciliation
			record.Name, record.More, o.Reconciliation = "", slices.Clone(record.More), &record // every month has another
			for i := range record.More {
				record.More[i].Name = ""
			}
		}
		return struct {
			Tool     string    `json:"program"`
			Timezone string    `json:"timezone"`
			Accounts []Account `json:"accounts"`
			Options
		}{m.Tool, m.Period.Timezone, m.Accounts, o}
	}
	if s.Options, err = compare(basis(old.Manifest), basis(now.Manifest)); err != nil {
		return s, err
	}
	inputs := func(m *Manifest) (list []File) {
		for _, f := range m.Files {
			if isInput(f) && !isRecord(f.Name) {
				list = append(list, f)
			}
		}
		return list
	}
	for _, change := range compareFiles(inputs(old.Manifest), inputs(now.Manifest)) {
		c := InputChange{FileChange: change}
		if strings.HasSuffix(c.Name, ".csv") {
			if err := c.readLines(old, now); err != nil {
				return s, err
			}
		}
		s.Inputs = append(s.Inputs, c)
	}
	return s, nil
}

// sameChain reports whether two packages are of one chain. The block 0 of a part of a chain is not known.
func sameChain(a, b *Manifest) bool {
	return a.Network == b.Network && (a.Genesis == b.Genesis || a.Genesis == "" || b.Genesis == "")
}

// readLines lists the lines that only one of the two files has.
func (c *InputChange) readLines(old, now *Package) error {
	before, err := old.lines(c.Name, c.Old)
	if err != nil {
		return err
	}
	after, err := now.lines(c.Name, c.New)
	if err != nil {
		return err
	}
	var more [2]int
	c.Removed, more[0] = onlyIn(before, after)
	c.Added, more[1] = onlyIn(after, before)
	c.More = more[0] + more[1]
	return nil
}

// onlyIn returns the first lines that other lacks, as often as it lacks them, and how many more there are.
func onlyIn(lines, other []string) (list []string, more int) {
	have := map[string]int{}
	for _, line := range other {
		have[line]++
	}
	for _, line := range lines {
		switch {
		case have[line] > 0:
			have[line]--
		case len(list) < maxChangedLines:
			list = append(list, plain.Line(line))
		default:
			more++
		}
	}
	return list, more
}

// lines returns the lines of a file of the package, none if it has no such file. It returns ErrDamaged for a file
// that differs from the manifest.
func (p *Package) lines(name, sum string) (list []string, err error) {
	if sum == "" {
		return nil, nil
	}
	file, err := openRegular(filepath.Join(p.Dir, filepath.FromSlash(name)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxInputBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxInputBytes:
		return nil, nil
	case sumOf(text) != sum:
		return nil, fmt.Errorf("%w: %s: %s has changed", ErrDamaged, p.Dir, name)
	}
	for line := range bytes.Lines(text) {
		list = append(list, strings.TrimRight(string(line), "\r\n"))
	}
	return list, nil
}

// before returns the name of the month or the year before.
func (p *Period) before() string {
	layout, months := "2006-01", 1
	if p.Year != "" {
		layout, months = "2006", 12
	}
	start, err := time.Parse(layout, p.Name())
	if err != nil {
		return ""
	}
	return start.AddDate(0, -months, 0).Format(layout)
}

// FindBefore looks beside a package for those of the month or year before, of the same chain and time zone. It
// skips whatever is not a readable package.
func FindBefore(p *Package) (found []*Package, err error) {
	dir, err := filepath.Abs(p.Dir)
	if err != nil {
		return nil, err
	}
	parent := filepath.Dir(dir)
	folder, err := os.Open(parent)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	entries, err := folder.ReadDir(maxSiblings)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		if !e.IsDir() || e.Name() == filepath.Base(dir) {
			continue
		}
		other, err := Open(filepath.Join(parent, e.Name()))
		if err != nil {
			continue
		}
		m := other.Manifest
		if !sameChain(m, p.Manifest) || m.Period.Timezone != p.Manifest.Period.Timezone || m.Period.Name() != p.Manifest.Period.before() {
			continue
		}
		if !slices.ContainsFunc(found, func(found *Package) bool { return found.Sum == other.Sum }) { // not a copy
			other.Dir = filepath.Join(filepath.Dir(filepath.Clean(p.Dir)), e.Name())
			found = append(found, other)
		}
	}
	return found, nil
}

// OpenBefore opens an earlier package to compare with.
func OpenBefore(dir string) (*Package, error) {
	p, err := Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", dir, ErrNone)
	}
	return p, err
}
