package app

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/closing/signature"
	"github.com/feeledger/fees/internal/finance/closing/timestamp"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/disk"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// PackageCheck is the result of checking a package.
type PackageCheck struct {
	*closing.Package
	// OwnTables warns that the figures depend on a network table that differs from this program's; "" if they do not.
	OwnTables string
	// Damage lists altered files; if there are any, nothing else was checked.
	Damage []string
	// Differences lists where the package differs from the ledger.
	Differences []string
	// Signatures are the manifest's signatures with their check results.
	Signatures []closing.Signature
	// Stamp is the manifest's timestamp with its check result; nil for none.
	Stamp         *timestamp.Checked
	console.Token          // the network's
	Notes         []string // for the reader
	NotCompared   []string // files, and what else was not compared
	Alone         bool     // there was no ledger: no figures were compared
	Archived      bool     // it was compared with an archive, without a ledger
	TrailLost     bool     // the ledger's audit trail is empty, that of the package is not

	acts         []ledger.Act // of inputs/acts.csv
	earlierTable bool         // networks.json is an earlier version of the built-in table
}

// Vouchers are the signers and timestamp authorities that a check accepts.
type Vouchers struct {
	Signers     signature.Signers // accepted signers; nil accepts any
	Authorities *x509.CertPool    // accepted timestamp authorities; nil accepts any
}

// None reports whether there are neither accepted signers nor authorities.
func (v Vouchers) None() bool { return v.Signers == nil && v.Authorities == nil }

// CheckPackage verifies a package: its files are unaltered, and the ledger contains the same blocks and
// reproduces the package from the package's own inputs. Files that need balances are skipped if no source
// answers. Signatures and timestamp are checked against the vouchers. If open returns no ledger, a temporary
// ledger is made from the archive; without an archive, only files, signatures and timestamp are checked.
func CheckPackage(ctx context.Context, dir string, open func(context.Context) (*Ledger, error), v Vouchers, o PackageOptions) (*PackageCheck, error) {
	if err := closing.Mend(dir); err != nil {
		return nil, err
	}
	p, err := closing.Open(dir)
	if err != nil {
		return nil, err
	}
	c := &PackageCheck{Package: p}
	if c.Damage, err = p.Problems(); err != nil {
		return nil, err
	}
	if c.Signatures, err = p.Signatures(v.Signers, time.Now()); err != nil {
		return nil, err
	}
	if c.Stamp, err = p.Stamp(ctx, v.Authorities); err != nil {
		return nil, err
	}
	if len(c.Damage) > 0 {
		return c, nil
	}
	if err := c.checkVersions(); err != nil {
		return nil, err
	}
	tables, err := c.readTables()
	if err != nil {
		return nil, err
	}
	d, err := open(ctx)
	if err != nil {
		return nil, err
	}
	priced := d == nil && o.Kept
	if priced {
		c.Archived = true
		d, err = c.ledgerOfArchive(ctx, tables, &o)
	}
	if err != nil {
		return nil, err
	}
	if d == nil {
		c.skipFigures(tables)
		return c, errors.Join(c.checkAccepted(), c.checkActs())
	}
	defer d.Close()
	if c.Manifest.Options.OwnNetworks {
		d.Tables = tables
		d.setLastBlock(ctx)
	}
	if err := c.checkActs(); err != nil {
		return nil, err
	}
	again := verifier{PackageCheck: c, ledger: d, options: &o, priced: priced}
	differences, err := again.check(ctx)
	if err != nil {
		return nil, err
	}
	c.Differences = append(c.Differences, differences...)
	slices.Sort(c.Notes)
	c.Notes = slices.Compact(c.Notes)
	return c, nil
}

// checkVersions compares changes.json with the version before, which needs no ledger.
func (c *PackageCheck) checkVersions() error {
	wrong, err := c.WrongChanges()
	if wrong != "" {
		c.Differences = append(c.Differences, wrong)
	}
	if c.Manifest.Version > 1 {
		c.Notes = append(c.Notes, "the earlier versions were compared only with their own manifests; check each, such as "+closing.VersionDir(c.Manifest.Version-1)+", with fees close --check")
	}
	return err
}

// ErrPartly reports that some of a package was not compared.
var ErrPartly = failure.New(failure.NotCovered, "the package is only partly verified")

// Partly reports whether something was not compared.
func (c *PackageCheck) Partly() bool { return len(c.NotCompared) > 0 }

// notCompared notes what was not compared.
func (c *PackageCheck) notCompared(what string) { c.NotCompared = append(c.NotCompared, what) }

// ledgerOfArchive makes a temporary ledger of the package's blocks from an archive. For a complete period it adds
// the neighboring blocks, which prove where the period begins and ends.
func (c *PackageCheck) ledgerOfArchive(ctx context.Context, tables network.Tables, o *PackageOptions) (*Ledger, error) {
	src, err := o.Balances()
	if err != nil {
		return nil, err
	}
	heights, err := source.Kept(src)
	if err != nil {
		return nil, err
	}
	kept, known := heights.Get()
	if !known {
		blocks := chain.Heights{First: c.Manifest.Blocks.First, Last: c.Manifest.Blocks.Last}
		return nil, &WithoutLedgerError{notUnderstood("no ledger to compare the package with, and the gateway is not an archive of blocks %v", blocks), chain.Some(blocks)}
	}
	first, last := c.Manifest.Blocks.First, c.Manifest.Blocks.Last
	if before := c.Manifest.Options.Variance; before != nil {
		first = min(first, max(before.First, kept.First))
	}
	if c.Manifest.Period.Complete {
		first, last = max(max(first, 1)-1, kept.First), min(last+1, kept.Last)
	}
	reader := source.Reader{Source: src, Tables: tables}
	if c.Manifest.Options.OwnNetworks { // their network names are arbitrary
		reader.Network = c.Manifest.Network
	}
	return Temporary(ctx, "of the archive", Heights(first, last), FillOptions{Reader: &reader, Concurrency: o.Concurrency, Progress: o.Progress})
}

// skipFigures notes what cannot be compared without a ledger.
func (c *PackageCheck) skipFigures(tables network.Tables) {
	if n, ok := tables.Named(c.Manifest.Network); ok {
		c.Token = console.Token(n.Token())
	}
	c.Alone = true
	c.notCompared("the blocks and all figures, because no ledger was given")
}

// verifier compares a package with a ledger.
type verifier struct {
	*PackageCheck
	ledger  *Ledger
	options *PackageOptions
	priced  bool           // the ledger was made with the package's table
	blocks  closing.Blocks // the package's blocks in the ledger
}

// check lists where the package differs from the ledger.
func (v *verifier) check(ctx context.Context) (differences []string, err error) {
	m := v.Manifest
	id, err := v.ledger.Book.Identity(ctx)
	if err != nil {
		return nil, v.ledger.wrapErr(err)
	}
	x, err := v.begin(v.ledger)
	if err != nil {
		return nil, err
	}
	span := chain.Heights{First: m.Blocks.First, Last: m.Blocks.Last}
	if v.blocks, err = closing.Examine(ctx, v.ledger.Book, x.asked.Asked, span); err != nil {
		return nil, v.ledger.wrapErr(err)
	}
	if differences = m.Differ(id, v.blocks); len(differences) > 0 {
		return differences, nil
	}
	if m.Options.OwnNetworks && !v.priced {
		n, err := v.ledger.Network(ctx)
		if err != nil {
			return nil, err
		}
		if differences, err = v.comparePrices(ctx, n, span); err != nil || len(differences) > 0 {
			return differences, err
		}
		v.Notes = append(v.Notes, "not compared: the rows of "+networksFile+" that only checks use; to compare them, check the package with an archive of the blocks")
	}
	now, err := v.ledger.Book.Evidence(ctx, span)
	if err != nil {
		return nil, v.ledger.wrapErr(err)
	}
	if !now.Supports(m.Evidence) {
		return []string{fmt.Sprintf("evidence: %v in the package; %v in the ledger. To upgrade the ledger, run \"fees ledger verify --gateway\" with an archive that proves the blocks.", m.Evidence, now)}, nil
	}
	if now.String() != m.Evidence.String() {
		v.Notes = append(v.Notes, fmt.Sprintf("the ledger's evidence is better now (%v); close the period again", now))
	}
	if differences, err = v.compareTrail(ctx); err != nil {
		return nil, err
	}
	about, err := v.compareAccepted(ctx)
	if err != nil {
		return nil, err
	}
	made, unfit, err := v.again(ctx)
	if err != nil {
		return nil, err
	}
	differences = slices.Concat(differences, about, unfit)
	if made.Tool != m.Tool {
		v.Notes = append(v.Notes, fmt.Sprintf("made by %s, checked by %s", m.Tool, made.Tool))
		made.Tool = m.Tool
	}
	if m.Period.ChainEnd == nil { // it was closed before the table contained the chain's end
		made.Period.ChainEnd = nil
	}
	changes, err := closing.Compare(m, made)
	if err != nil {
		return nil, err
	}
	for _, c := range changes.Totals {
		differences = append(differences, fmt.Sprintf("total %s: %s in the package, %s from the ledger", c.Name, c.Old, c.New))
	}
	for _, c := range changes.Manifest {
		differences = append(differences, fmt.Sprintf("manifest, %s: %s in the package, %s from the ledger", c.Name, c.Old, c.New))
	}
	for _, c := range changes.Files {
		if c.Name == networksFile && v.earlierTable {
			v.Notes = append(v.Notes, networksFile+" is an earlier version of the built-in table, with the same figures")
			continue
		}
		differences = append(differences, fmt.Sprintf("%s differs from the file made from the ledger", c.Name))
	}
	return differences, nil
}

// again makes the package from its own inputs in a temporary directory. If no gateway is reachable, the package's own
// files stand in for those that need one. Unfit are the acceptances that fit no difference.
func (v *verifier) again(ctx context.Context) (_ *closing.Manifest, unfit []string, err error) {
	x, err := v.maker(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range x.varianceKept {
		v.notCompared(f.Name + " (the ledger lacks " + v.Manifest.Options.Variance.Against + ")")
	}
	if !v.options.Offline || !x.manifest.Options.Balances {
		err = v.draft(ctx, x)
		if kind := KindOf(err); !x.manifest.Options.Balances || kind != failure.Unanswered && kind != failure.NotFound {
			return &x.manifest, x.unfit, err
		}
		v.Notes = append(v.Notes, "the gateway is not reachable ("+err.Error()+"); the files that need balances were not compared")
		if x, err = v.maker(ctx); err != nil {
			return nil, nil, err
		}
	}
	x.kept = v.Manifest
	if err := v.draft(ctx, x); err != nil {
		return nil, nil, err
	}
	for _, f := range v.Manifest.Named(gatewayFiles(&v.Manifest.Options)) {
		v.notCompared(f.Name)
	}
	v.notCompared(gatewayFigures)
	return &x.manifest, x.unfit, nil
}

func (v *verifier) draft(ctx context.Context, x *maker) error {
	dir, err := os.MkdirTemp("", "fees-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	x.draft = closing.BeginIn(dir)
	return x.make(ctx)
}

// begin returns a maker for the options of the manifest.
func (v *verifier) begin(d *Ledger) (*maker, error) {
	p := &v.Manifest.Period
	return d.maker(PeriodInput{Month: p.Month, Year: p.Year, Timezone: p.Timezone}, v.Manifest.Options, v.options)
}

// maker returns a maker for the manifest's options and the package's own inputs.
func (v *verifier) maker(ctx context.Context) (*maker, error) {
	m := v.Manifest
	dir, err := filepath.Abs(v.Dir) // its name may look like an address
	if err != nil {
		return nil, err
	}
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	x, err := v.begin(v.ledger)
	if err != nil {
		return nil, err
	}
	x.examined, x.evidence, x.again, x.trail = v.blocks, m.Evidence, true, chain.Some(m.Trail)
	x.inputs.Accounts = []string{in(inputAccounts)}
	if m.Options.Labels {
		if x.inputs.Labels, err = ReadAddressBook(in(inputLabels)); err != nil {
			return nil, err
		}
	}
	if m.Options.Names {
		x.inputs.Names = in(inputNames)
	}
	if m.Options.Prices != nil {
		x.inputs.Prices = storedPrices(m.Options.Prices, in)
	}
	if m.Options.Classes {
		x.inputs.Classes = in(inputClasses)
	}
	if m.Options.Chart {
		x.inputs.Chart = in(inputChart)
	}
	if m.Options.Tags {
		x.inputs.Tags = in(inputTags)
	}
	if x.tool = m.Tool; m.Options.Acts {
		x.acts = func(context.Context) ([]byte, error) { return disk.ReadSmall(in(ActsFile), maxActsBytes) }
	}
	if r := m.Options.Reconciliation; r != nil {
		var paths []string
		for i, record := range r.Records() {
			if name := recordInput(i); record.Input != name+".csv" && record.Input != name+".xlsx" {
				return nil, fmt.Errorf("%w: unexpected record of fees %q", closing.ErrDamaged, record.Input)
			}
			paths = append(paths, in(record.Input))
		}
		x.inputs.Books.SetPaths(paths)
		if x.inputs.Books.Accepted, err = v.readAccepted(); err != nil {
			return nil, err
		}
		own := *r
		own.More = slices.Clone(r.More)
		x.manifest.Options.Reconciliation = &own
	}
	if x.cover, err = v.cover(ctx, x.asked); err != nil {
		return nil, v.ledger.wrapErr(err)
	}
	if err := x.find(ctx); err != nil {
		return nil, err
	}
	if x.lacksBefore {
		x.varianceKept = m.Named(varianceFiles)
	}
	v.Token = console.Token(x.network.Token())
	return x, nil
}

// cover returns the cover of the period that the package states. If the package is partial, the ledger may
// contain more by now.
func (v *verifier) cover(ctx context.Context, asked Period) (none chain.Optional[ledger.Cover], err error) {
	m := v.Manifest
	now, err := v.ledger.Book.Cover(ctx, asked.Asked)
	if err != nil || m.Period.Complete {
		return chain.Some(now), err
	}
	if !m.Options.Partial {
		return none, errors.New("the package is incomplete but not marked as partial")
	}
	then, err := v.ledger.Book.CoverThen(ctx, asked.Asked, chain.Heights{First: m.Blocks.First, Last: m.Blocks.Last}, m.Period.Missing)
	if err != nil {
		return none, err
	}
	if now.Span != then.Span {
		v.Notes = append(v.Notes, "the ledger contains more of the period now; close it again")
	}
	return chain.Some(then), nil
}
