package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/disk"
	"github.com/feeledger/fees/internal/sys/scratch"
)

// ErrHeld reports that another program is writing a dataset.
var ErrHeld = scratch.ErrHeld

// ErrName reports that a network's name cannot be part of a path.
var ErrName = errors.New("in a dataset, network names may contain only letters, digits, dots, hyphens and underscores")

// DiffersError reports that existing files differ from the ledger.
type DiffersError struct{ Path, Message string }

// Kind is [failure.DoesNotHold].
func (*DiffersError) Kind() failure.Kind { return failure.DoesNotHold }

func (e *DiffersError) Error() string { return e.Path + ": " + e.Message }

// Chain identifies what a dataset is made from.
type Chain struct {
	Network string
	Genesis chain.Optional[chain.Hash]
	console.Token
	Program string // the writing program's name and version
}

// Dataset is a directory of Parquet files, held by the program that writes it.
type Dataset struct {
	dir     string
	chain   Chain
	scratch *scratch.Directory
}

// scratchName is the directory of incomplete files. Parquet readers skip names that begin with a dot.
const scratchName = ".exporting"

var networkName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Open holds a dataset for writing, and creates its directory if it does not exist. It removes leftovers of
// an interrupted export.
func Open(dir string, c Chain) (*Dataset, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil { // less the umask
		return nil, err
	}
	s, err := scratch.Hold(filepath.Join(dir, scratchName))
	if err != nil {
		return nil, err
	}
	if err := s.Clear(); err != nil {
		return nil, errors.Join(err, s.Remove())
	}
	return &Dataset{dir, c, s}, nil
}

// check checks that the network's name can be part of a path.
func (c *Chain) check() error {
	if !networkName.MatchString(c.Network) {
		return fmt.Errorf("network %q: %w", c.Network, ErrName)
	}
	return nil
}

// Close lets other programs write.
func (d *Dataset) Close() error { return d.scratch.Remove() }

// fileOf returns the path of a table's file for a month, with slashes.
func fileOf(table, network, month string) string {
	year, number, _ := strings.Cut(month, "-")
	return fmt.Sprintf("%s/network=%s/year=%s/month=%s/%s.parquet", table, network, year, number, table)
}

// manifestsOf returns the directory of a network's manifests. Parquet readers skip names that begin with an
// underscore.
func manifestsOf(dir, network string) string {
	return filepath.Join(dir, "_manifests", "network="+network)
}

func (d *Dataset) manifestOf(month string) string {
	return filepath.Join(manifestsOf(d.dir, d.chain.Network), month+".json")
}

// Outcome is the result of exporting a month.
type Outcome string

// The outcomes.
const (
	Written   Outcome = "written"   // the month was not exported before
	Unchanged Outcome = "unchanged" // its files exist, with the same seal
	Grown     Outcome = "grown"     // it was incomplete, and the ledger contains more of it
	Replaced  Outcome = "replaced"  // existing files were replaced on request
)

// Options control how a month is written.
type Options struct {
	Replace  bool                // replace existing files that differ
	Progress func(blocks uint64) // if not nil, receives the number of blocks written
}

// Export writes the files of a month unless they exist. Lacks describes the parts of the month that the ledger
// has not sealed. Existing files with another seal are a [DiffersError], and files changed since are
// [ErrDamaged], unless Options.Replace is set.
func (d *Dataset) Export(ctx context.Context, book *ledger.Book, month *ledger.SealedMonth, lacks []string, o Options) (Outcome, *Manifest, error) {
	name := d.manifestOf(month.String())
	old, err := readManifest(name, d.chain.Network)
	if errors.Is(err, fs.ErrNotExist) || o.Replace && errors.Is(err, ErrDamaged) {
		old, err = nil, nil
	}
	if err != nil {
		return "", nil, advised(err)
	}
	outcome := Written
	if old != nil && !old.Unfinished {
		if outcome, err = d.compare(old, month, len(lacks) == 0, o.Replace); err != nil {
			return outcome, old, err
		}
		if outcome == Unchanged { // the writer may have been killed before the directory entries were on disk
			return outcome, old, d.syncNames(filepath.Dir(name))
		}
	}
	x, err := d.begin(month, lacks)
	if err != nil {
		return "", nil, err
	}
	defer x.close()
	if outcome == Grown {
		x.before = old.Blocks.Last
	}
	if err := x.fill(ctx, book, o.Progress); err != nil {
		return "", nil, err
	}
	if err := x.finish(); err != nil {
		return "", nil, err
	}
	if outcome == Grown && (x.sealBefore.Seal().String() != old.Blocks.Seal || month.Span.First != old.Blocks.First) {
		return "", nil, &DiffersError{name, fmt.Sprintf("its blocks %d..%d differ from the ledger"+advice, old.Blocks.First, old.Blocks.Last)}
	}
	if old == nil {
		if outcome, err = d.unlisted(x, o.Replace); err != nil {
			return "", nil, err
		}
	}
	return outcome, &x.manifest, d.install(x)
}

// compare decides what to do about existing files.
func (d *Dataset) compare(old *Manifest, month *ledger.SealedMonth, whole, replace bool) (Outcome, error) {
	name := d.manifestOf(month.String())
	differs := func(format string, args ...any) (Outcome, error) {
		if replace {
			return Replaced, nil
		}
		return "", &DiffersError{name, fmt.Sprintf(format, args...) + advice}
	}
	if old.Format != format {
		return differs("its files have format %d, not %d", old.Format, format)
	}
	had, known := old.Genesis.Get()
	if has, ok := d.chain.Genesis.Get(); ok && known && has != had {
		return differs("its files belong to a chain whose block 0 is %v", had)
	}
	if now := blocksOf(month); old.Blocks != now || old.Whole() != whole {
		switch {
		case !old.Whole() && !replace:
			return Grown, nil
		case old.Blocks == now:
			return differs("its files contain a complete month, but the ledger does not")
		}
		return differs("its files have the seal %s, but the ledger has %s (another ledger, or judged again)", old.Blocks.Seal, now.Seal)
	}
	for _, f := range old.Files {
		problem, err := f.problem(d.dir, replace)
		if err != nil {
			return "", err
		}
		if problem != "" && replace {
			return Replaced, nil
		}
		if problem != "" {
			return "", advised(fmt.Errorf("%w: %s: %s", ErrDamaged, filepath.Join(d.dir, filepath.FromSlash(f.Name)), problem))
		}
	}
	return Unchanged, nil
}

// advice is the remedy for files that differ or are damaged.
const advice = ". Use --replace to write the month again."

// advised adds the remedy to a damage error.
func advised(err error) error {
	if errors.Is(err, ErrDamaged) {
		return fmt.Errorf("%w"+advice, err)
	}
	return err
}

// unlisted looks for files of a month that has no manifest. If only the manifest was lost, the new files are
// identical.
func (d *Dataset) unlisted(x *draft, replace bool) (Outcome, error) {
	outcome := Written
	for _, f := range x.manifest.Files {
		name := filepath.Join(d.dir, filepath.FromSlash(f.Name))
		have, err := disk.Sum(name)
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && have == f.SHA256:
		case err != nil:
			return "", err
		case replace:
			outcome = Replaced
		default:
			return "", &DiffersError{name, "it exists without a manifest and differs from the ledger" + advice}
		}
	}
	return outcome, nil
}

// install renames the files of a month into place. Until all are in place, the manifest marks the month as
// unfinished.
func (d *Dataset) install(x *draft) error {
	unfinished := x.manifest
	unfinished.Files, unfinished.Unfinished = []File{}, true
	if err := d.placeManifest(&unfinished); err != nil {
		return err
	}
	for i, f := range x.manifest.Files {
		if err := step(f.Name); err != nil {
			return err
		}
		if err := d.place(d.scratch.Path(x.files[i].name), filepath.Join(d.dir, filepath.FromSlash(f.Name))); err != nil {
			return err
		}
	}
	return d.placeManifest(&x.manifest)
}

func (d *Dataset) placeManifest(m *Manifest) error {
	text, err := m.encode()
	if err != nil {
		return err
	}
	draft := d.scratch.Path("manifest")
	if err := writeFile(draft, text); err != nil {
		return err
	}
	if err := step("manifest of " + m.Month); err != nil {
		return err
	}
	return d.place(draft, d.manifestOf(m.Month))
}

// step is called before each change that others can see; a test ends the program there.
var step = func(string) error { return nil }

// place renames a complete file into place, replacing an older one.
func (d *Dataset) place(draft, name string) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := os.Rename(draft, name); err != nil {
		return err
	}
	return d.syncNames(dir)
}

// syncNames syncs a directory of the dataset and those above it.
func (d *Dataset) syncNames(dir string) error {
	for {
		if err := disk.Sync(dir); err != nil || dir == filepath.Clean(d.dir) {
			return err
		}
		dir = filepath.Dir(dir)
	}
}

func writeFile(name string, text []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Sync(), file.Close())
}
