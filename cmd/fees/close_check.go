package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/closing"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/ledger"
)

// checkPackage proves a package.
func checkPackage(c *cobra.Command, f *closeFlags) error {
	var wrong []string
	c.Flags().Visit(func(flag *pflag.Flag) {
		if !slices.Contains(f.ofCheck, flag.Name) {
			wrong = append(wrong, "--"+flag.Name)
		}
	})
	if len(wrong) > 0 {
		return fmt.Errorf("--check takes all from the package's manifest: without %s", strings.Join(wrong, ", "))
	}
	if err := closing.Mend(f.check); err != nil {
		return err
	}
	p, err := closing.Open(f.check)
	if err != nil {
		return err
	}
	problems, err := p.Problems()
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		tell(f.stdout, problems)
		return fmt.Errorf("%w: %s: %d problems", closing.ErrDamaged, f.check, len(problems))
	}
	v := verifier{flags: f, pack: p, stdout: f.stdout}
	differences, err := v.check(c.Context())
	if err != nil {
		return err
	}
	if len(differences) > 0 {
		tell(f.stdout, differences)
		fmt.Fprintf(f.stdout, "%s is not what today's ledger gives: %d differences\n", f.check, len(differences))
		return errFinding
	}
	return v.summary()
}

func tell(w io.Writer, list []string) {
	for _, line := range list {
		fmt.Fprintln(w, console.Printable(line))
	}
}

// verifier proves a package against a ledger.
type verifier struct {
	flags  *closeFlags
	pack   *closing.Package
	stdout io.Writer
	symbol string
	notes  []string
	part   bool           // something was not compared
	blocks closing.Blocks // that the ledger has of the package's
}

// check tells where the package is not what the ledger gives.
func (v *verifier) check(ctx context.Context) (differences []string, err error) {
	m := v.pack.Manifest
	book, place, err := v.flags.openBook(ctx, ledger.Open)
	if err != nil {
		return nil, err
	}
	defer book.Close()
	id, err := book.Identity(ctx)
	if err != nil {
		return nil, ofLedger(place, err)
	}
	span := ledger.Span{First: m.Blocks.First, Last: m.Blocks.Last}
	x, err := v.flags.closerOf(m)
	if err != nil {
		return nil, err
	}
	if v.blocks, err = closing.Examine(ctx, book, x.asked.asked, span); err != nil {
		return nil, ofLedger(place, err)
	}
	if differences = m.Differ(id, v.blocks); len(differences) > 0 {
		return differences, nil
	}
	made, err := v.again(ctx, book, place)
	if err != nil {
		return nil, err
	}
	if made.Tool != m.Tool {
		v.notes = append(v.notes, fmt.Sprintf("made by %s, checked by %s", m.Tool, made.Tool))
		made.Tool = m.Tool
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
		differences = append(differences, fmt.Sprintf("%s is another when it is made from the ledger", c.Name))
	}
	return differences, nil
}

// again makes the package anew, in a directory that is thrown away, of its own inputs.
// Where no gateway is reachable, what needs one is taken as it is.
func (v *verifier) again(ctx context.Context, book *ledger.Book, place string) (*closing.Manifest, error) {
	x, err := v.closer(ctx, book, place)
	if err != nil {
		return nil, err
	}
	err = v.draft(ctx, x)
	if err == nil || !x.manifest.Options.Balances || exitCode(ctx, err) != exitGateway {
		return &x.manifest, err
	}
	v.notes = append(v.notes, "not compared, for the gateway is not reachable ("+err.Error()+"): what needs balances")
	if x, err = v.closer(ctx, book, place); err != nil {
		return nil, err
	}
	x.withoutGateway = true
	if err := v.draft(ctx, x); err != nil {
		return nil, err
	}
	v.takeOver(&x.manifest)
	v.part = true
	return &x.manifest, nil
}

// takeOver takes what needs a gateway from the package.
func (v *verifier) takeOver(made *closing.Manifest) {
	m := v.pack.Manifest
	made.Findings.Statements = m.Findings.Statements
	names := statementFiles
	if m.Options.With == withMovements {
		made.Findings.Journal, made.LeftOut = m.Findings.Journal, m.LeftOut
		names = append([]string{"journal." + m.Options.Journal}, names...)
	}
	for _, f := range m.Files {
		if slices.Contains(names, f.Name) {
			made.Files = append(made.Files, f)
			v.notes = append(v.notes, "not compared: "+f.Name)
		}
	}
}

func (v *verifier) draft(ctx context.Context, x *closer) error {
	dir, err := os.MkdirTemp("", "fees-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	x.draft = closing.BeginIn(dir)
	return x.make(ctx)
}

// closerOf begins to make the package that a manifest is of.
func (f *closeFlags) closerOf(m *closing.Manifest) (*closer, error) {
	own := *f
	own.month, own.timezone = m.Period.Month, m.Period.Timezone
	return own.closer(m.Options)
}

// closer begins to make the package of what its manifest says.
func (v *verifier) closer(ctx context.Context, book *ledger.Book, place string) (*closer, error) {
	m := v.pack.Manifest
	x, err := v.flags.closerOf(m)
	if err != nil {
		return nil, err
	}
	x.examined = v.blocks
	dir, err := filepath.Abs(v.pack.Dir) // its name may look like an address
	if err != nil {
		return nil, err
	}
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	x.inputs.accounts = []string{in(inputAccounts)}
	if m.Options.Names {
		x.inputs.names = in(inputNames)
	}
	if m.Options.OwnNetworks {
		x.inputs.networks = in(networksFile)
	}
	if r := m.Options.Reconciliation; r != nil {
		if r.Input != inputBooks+".csv" && r.Input != inputBooks+".xlsx" {
			return nil, fmt.Errorf("%w: its record of fees is %q", closing.ErrDamaged, r.Input)
		}
		x.inputs.books = in(r.Input)
		own := *r
		x.manifest.Options.Reconciliation = &own
	}
	x.book, x.place = book, place
	if x.cover, err = v.cover(ctx, book, x.asked); err != nil {
		return nil, ofLedger(place, err)
	}
	err = x.find(ctx)
	v.symbol = x.symbol
	return x, err
}

// cover is what the package says that it has of the month: the ledger may have more of
// it by now, where the package is partial.
func (v *verifier) cover(ctx context.Context, book *ledger.Book, asked period) (none chain.Optional[ledger.Cover], err error) {
	m := v.pack.Manifest
	now, err := book.Cover(ctx, asked.asked)
	if err != nil || m.Period.Complete {
		return chain.Some(now), err
	}
	if !m.Options.Partial {
		return none, errors.New("the package lacks a part of its month, and does not allow for it")
	}
	then := ledger.Cover{Span: chain.Some(ledger.Span{First: m.Blocks.First, Last: m.Blocks.Last}), Lacks: m.Period.Missing}
	if now.Span != then.Span {
		v.notes = append(v.notes, "the ledger has more of the month now: close it again")
	}
	return chain.Some(then), nil
}

// summary says that the package is proved, and what not.
func (v *verifier) summary() error {
	if err := writePackage(v.stdout, v.pack, v.symbol); err != nil {
		return err
	}
	slices.Sort(v.notes)
	for _, note := range slices.Compact(v.notes) {
		fmt.Fprintln(v.stdout, "note: "+console.Printable(note))
	}
	proved := "proved"
	if v.part {
		proved = "proved but for what was not compared"
	}
	_, err := fmt.Fprintln(v.stdout, proved+": every file is as it was written, and as today's ledger gives it")
	return err
}
