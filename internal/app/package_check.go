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
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/closing/signature"
	"github.com/feeledger/fees/internal/finance/closing/timestamp"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// PackageCheck is what came of the check of a package.
type PackageCheck struct {
	*closing.Package
	// OwnTables says, for people, that the figures rest on a network table that is not this
	// program's; "" where they do not.
	OwnTables string
	// Damage are the files that are not as they were written; then nothing else was checked.
	Damage []string
	// Differences are where the package is not what the ledger gives.
	Differences []string
	// Signatures are those of the manifest, with what came of their check.
	Signatures []closing.Signature
	// Stamp is the manifest's timestamp, with what came of its check; nil for none.
	Stamp  *timestamp.Checked
	Symbol string   // of the network's token
	Notes  []string // for people
	Part   bool     // something was not compared
	Alone  bool     // there was no ledger: none of the figures was compared

	earlierTable bool // networks.json is an earlier version of the built-in table
}

// Vouchers are those whose word on a package counts.
type Vouchers struct {
	Signers     signature.Signers // whose signatures count; nil to check them against nobody
	Authorities *x509.CertPool    // whose timestamps count; nil to check them against nobody
}

// None tells whether nobody's word counts.
func (v Vouchers) None() bool { return v.Signers == nil && v.Authorities == nil }

// CheckPackage proves a package against the ledger: its files are as they were written,
// the ledger has the same blocks, and gives the same package again, of the package's own
// inputs. What needs balances is left out where nobody tells them now. Its signatures
// and its timestamp are checked against the vouchers. Where open answers no desk, there is
// no ledger: one is made of an archive for the moment, or the files, the signatures and the
// timestamp are checked alone.
func CheckPackage(ctx context.Context, dir string, open func(context.Context) (*Desk, error), v Vouchers, o PackageOptions) (*PackageCheck, error) {
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
		d, err = c.ledgerOfArchive(ctx, tables, &o)
	}
	if err != nil {
		return nil, err
	}
	if d == nil {
		c.standsAlone(tables)
		return c, nil
	}
	defer d.Close()
	if c.Manifest.Options.OwnNetworks {
		d.Tables = tables
		d.tellOfTheEnd(ctx)
	}
	again := verifier{PackageCheck: c, desk: d, options: &o, priced: priced}
	if c.Differences, err = again.check(ctx); err != nil {
		return nil, err
	}
	slices.Sort(c.Notes)
	c.Notes = slices.Compact(c.Notes)
	return c, nil
}

// ledgerOfArchive makes a ledger of an archive, of the package's blocks and, of a whole month,
// those beside them: they tell where it begins and ends.
func (c *PackageCheck) ledgerOfArchive(ctx context.Context, tables network.Tables, o *PackageOptions) (*Desk, error) {
	src, err := o.Balances()
	if err != nil {
		return nil, err
	}
	heights, err := src.Kept()
	if err != nil {
		return nil, err
	}
	kept, known := heights.Get()
	if !known {
		blocks := chain.Heights{First: c.Manifest.Blocks.First, Last: c.Manifest.Blocks.Last}
		return nil, &WithoutLedgerError{notUnderstood("there is no ledger to compare the package with, and the gateway is no archive that has blocks %v", blocks), chain.Some(blocks)}
	}
	first, last := c.Manifest.Blocks.First, c.Manifest.Blocks.Last
	if c.Manifest.Period.Complete {
		first, last = max(max(first, 1)-1, kept.First), min(last+1, kept.Last)
	}
	reader := source.Reader{Source: src, Tables: tables}
	if c.Manifest.Options.OwnNetworks { // which name the chain's network as they like
		reader.Network = c.Manifest.Network
	}
	return Temporary(ctx, "of the archive", Heights(first, last), FillOptions{Reader: &reader, Concurrency: o.Concurrency, Progress: o.Progress})
}

// standsAlone says what is not compared without a ledger.
func (c *PackageCheck) standsAlone(tables network.Tables) {
	if n, ok := tables.Named(c.Manifest.Network); ok {
		c.Symbol = n.Symbol
	}
	c.Part, c.Alone = true, true
	c.Notes = []string{"not compared, for there is no ledger: the blocks and all figures"}
}

// verifier proves a package against a ledger.
type verifier struct {
	*PackageCheck
	desk    *Desk
	options *PackageOptions
	priced  bool           // the ledger was made by the package's table
	blocks  closing.Blocks // that the ledger has of the package's
}

// check tells where the package is not what the ledger gives.
func (v *verifier) check(ctx context.Context) (differences []string, err error) {
	m := v.Manifest
	id, err := v.desk.Book.Identity(ctx)
	if err != nil {
		return nil, v.desk.of(err)
	}
	x, err := v.begin(v.desk)
	if err != nil {
		return nil, err
	}
	span := chain.Heights{First: m.Blocks.First, Last: m.Blocks.Last}
	if v.blocks, err = closing.Examine(ctx, v.desk.Book, x.asked.Asked, span); err != nil {
		return nil, v.desk.of(err)
	}
	if differences = m.Differ(id, v.blocks); len(differences) > 0 {
		return differences, nil
	}
	if m.Options.OwnNetworks && !v.priced {
		n, err := v.desk.Network(ctx)
		if err != nil {
			return nil, err
		}
		if differences, err = v.comparePrices(ctx, n, span); err != nil || len(differences) > 0 {
			return differences, err
		}
		v.Notes = append(v.Notes, "not compared: the rows of "+networksFile+" that only checks use, which a ledger does not contain; check the package with an archive of the blocks instead")
	}
	now, err := v.desk.Book.Evidence(ctx, span)
	if err != nil {
		return nil, v.desk.of(err)
	}
	if !now.Supports(m.Evidence) {
		return []string{fmt.Sprintf("evidence: %v, in the package; %v, in the ledger: fees ledger verify --gateway, with an archive that proves the blocks, tells the ledger", m.Evidence, now)}, nil
	}
	if now.String() != m.Evidence.String() {
		v.Notes = append(v.Notes, fmt.Sprintf("the ledger's evidence is better now: %v: close it again", now))
	}
	made, err := v.again(ctx)
	if err != nil {
		return nil, err
	}
	if made.Tool != m.Tool {
		v.Notes = append(v.Notes, fmt.Sprintf("made by %s, checked by %s", m.Tool, made.Tool))
		made.Tool = m.Tool
	}
	if m.Period.ChainEnd == nil { // it was closed before its network's table knew of an end
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
		differences = append(differences, fmt.Sprintf("%s is another when it is made from the ledger", c.Name))
	}
	return differences, nil
}

// again makes the package anew, in a directory that is thrown away, of its own inputs.
// Where no gateway is reachable, what needs one is taken as it is.
func (v *verifier) again(ctx context.Context) (*closing.Manifest, error) {
	x, err := v.maker(ctx)
	if err != nil {
		return nil, err
	}
	err = v.draft(ctx, x)
	if kind := KindOf(err); !x.manifest.Options.Balances || kind != failure.Unanswered && kind != failure.NotFound {
		return &x.manifest, err
	}
	v.Notes = append(v.Notes, "not compared, for the gateway is not reachable ("+err.Error()+"): what needs balances")
	if x, err = v.maker(ctx); err != nil {
		return nil, err
	}
	x.withoutSource = true
	if err := v.draft(ctx, x); err != nil {
		return nil, err
	}
	v.takeOver(&x.manifest)
	v.Part = true
	return &x.manifest, nil
}

// takeOver takes what needs a gateway from the package.
func (v *verifier) takeOver(made *closing.Manifest) {
	m := v.Manifest
	made.Findings.Statements, made.Findings.Rollforward = m.Findings.Statements, m.Findings.Rollforward
	names := slices.Concat(statementFiles, rollforwardFiles)
	if m.Options.With == WithMovements {
		made.Findings.Journal, made.LeftOut = m.Findings.Journal, m.LeftOut
		names = append([]string{"journal." + m.Options.Journal}, names...)
	}
	for _, f := range m.Files {
		if slices.Contains(names, f.Name) {
			made.Files = append(made.Files, f)
			v.Notes = append(v.Notes, "not compared: "+f.Name)
		}
	}
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

// begin begins to make the package of its manifest.
func (v *verifier) begin(d *Desk) (*maker, error) {
	p := &v.Manifest.Period
	return d.maker(PeriodInput{Month: p.Month, Year: p.Year, Timezone: p.Timezone}, v.Manifest.Options, v.options)
}

// maker begins to make the package of what its manifest says, and of its own inputs.
func (v *verifier) maker(ctx context.Context) (*maker, error) {
	m := v.Manifest
	dir, err := filepath.Abs(v.Dir) // its name may look like an address
	if err != nil {
		return nil, err
	}
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	x, err := v.begin(v.desk)
	if err != nil {
		return nil, err
	}
	x.examined, x.evidence = v.blocks, m.Evidence
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
		x.inputs.Prices = in(inputPrices)
	}
	if m.Options.Classes {
		x.inputs.Classes = in(inputClasses)
	}
	if r := m.Options.Reconciliation; r != nil {
		if r.Input != inputBooks+".csv" && r.Input != inputBooks+".xlsx" {
			return nil, fmt.Errorf("%w: its record of fees is %q", closing.ErrDamaged, r.Input)
		}
		x.inputs.Books.Path = in(r.Input)
		own := *r
		x.manifest.Options.Reconciliation = &own
	}
	if x.cover, err = v.cover(ctx, x.asked); err != nil {
		return nil, v.desk.of(err)
	}
	if err := x.find(ctx); err != nil {
		return nil, err
	}
	v.Symbol = x.network.Symbol
	return x, nil
}

// cover is what the package says that it has of the month: the ledger may have more of
// it by now, where the package is partial.
func (v *verifier) cover(ctx context.Context, asked Period) (none chain.Optional[ledger.Cover], err error) {
	m := v.Manifest
	now, err := v.desk.Book.Cover(ctx, asked.Asked)
	if err != nil || m.Period.Complete {
		return chain.Some(now), err
	}
	if !m.Options.Partial {
		return none, errors.New("the package lacks a part of its period, and does not allow for it")
	}
	then := ledger.Cover{Span: chain.Some(chain.Heights{First: m.Blocks.First, Last: m.Blocks.Last}), Lacks: m.Period.Missing}
	if now.Span != then.Span {
		v.Notes = append(v.Notes, "the ledger has more of it now: close it again")
	}
	return chain.Some(then), nil
}
