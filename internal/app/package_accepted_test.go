package app_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/test/pdftest"
	"github.com/feeledger/fees/internal/test/tier"
	"github.com/feeledger/fees/network"
)

// differing asks for a package whose record lacks a fee and has one that is a wei too low, and returns the differences as
// its reconciliation lists them.
func differing(t testing.TB, d *app.Ledger) (q app.PackageRequest, list []ledger.Digest) {
	t.Helper()
	q = question(t)
	q.With, q.Proved, q.Balances = app.WithFees, false, nil
	text, err := os.ReadFile(q.Books.Path)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	hash, amount, _ := strings.Cut(lines[1], ";")
	less, err := chain.ParseWei(amount)
	require.NoError(t, err)
	less, err = less.Sub(chain.NewWei(1))
	require.NoError(t, err)
	lines[1] = hash + ";" + less.String()
	require.NoError(t, os.WriteFile(q.Books.Path, []byte(strings.Join(lines[:len(lines)-1], "\n")+"\n"), 0o600))

	plain := q
	plain.Dir = filepath.Join(t.TempDir(), "plain")
	made, err := d.MakePackage(t.Context(), plain)
	require.NoError(t, err)
	require.EqualValues(t, 2, made.Manifest.Findings.Differences)
	require.Zero(t, made.Manifest.Findings.Accepted)
	require.NoFileExists(t, filepath.Join(plain.Dir, "inputs", "accepted.csv"))
	list = reconciled(t, d, &q)
	require.Len(t, list, 2)
	return q, list
}

// reconciled are the differences of a package's record.
func reconciled(t testing.TB, d *app.Ledger, q *app.PackageRequest) (list []ledger.Digest) {
	t.Helper()
	token, err := d.Token(t.Context())
	require.NoError(t, err)
	p, err := q.PeriodInput.Parse()
	require.NoError(t, err)
	_, chosen, err := app.ReadAccounts(q.Accounts, nil)
	require.NoError(t, err)
	o, err := q.Books.Options(app.Request{Period: p, Accounts: chosen.Addresses()})
	require.NoError(t, err)
	require.NoError(t, q.Books.SetToken(&o, token))
	file, err := q.Books.Read(t.Context(), o)
	require.NoError(t, err)
	defer file.Close()
	r, err := d.Reconcile(t.Context(), []reconcile.NamedFile{{Name: "books.csv", File: file}}, p, o)
	require.NoError(t, err)
	defer r.Close()
	for i, err := range r.Items() {
		require.NoError(t, err)
		if !i.Outcome.Agrees() {
			list = append(list, i.Digest())
		}
	}
	return list
}

func acceptances(act *ledger.Act, list ...ledger.Digest) (accepted []reconcile.Acceptance) {
	for _, d := range list {
		a := reconcile.Acceptance{Difference: d, By: "Anna", Time: "2026-02-03", Comment: "booked in February"}
		if act != nil {
			a.By, a.Time, a.Comment, a.Act = act.User, act.Time.String(), act.Comment, act.Number
		}
		accepted = append(accepted, a)
	}
	return accepted
}

// rewritten changes a file of a package, and its manifest so that the file fits it.
func rewritten(t testing.TB, dir, name string, change func(string) string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	after := change(string(before))
	require.NotEqual(t, string(before), after)
	require.NoError(t, os.WriteFile(path, []byte(after), 0o600))
	manifested(t, dir, func(m *closing.Manifest) {
		for i := range m.Files {
			if m.Files[i].Name == name {
				m.Files[i].Size, m.Files[i].SHA256 = int64(len(after)), fmt.Sprintf("%x", sha256.Sum256([]byte(after)))
			}
		}
	})
}

func manifested(t testing.TB, dir string, change func(*closing.Manifest)) {
	t.Helper()
	p, err := closing.Open(dir)
	require.NoError(t, err)
	change(p.Manifest)
	text, err := p.Manifest.Encode()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, closing.ManifestFile), text, 0o600))
}

// withoutLedger is the check of a package by itself.
func withoutLedger(t testing.TB, dir string) (*app.PackageCheck, error) {
	t.Helper()
	return app.CheckPackage(t.Context(), dir, func(context.Context) (*app.Ledger, error) { return nil, nil }, app.Vouchers{}, app.PackageOptions{Program: "a test"})
}

// A package holds the accepted differences of its record; they are counted apart from the open ones. They are checked with and without a ledger,
// and what is not a difference of the record is not accepted.
func TestPackageWithAcceptedDifferences(t *testing.T) {
	place := copied(t)
	d := opened(t, place)
	q, list := differing(t, d)
	q.Books.Accepted = acceptances(nil, list[0])
	made := packed(t, d, q)
	require.EqualValues(t, 1, made.Manifest.Findings.Differences)
	require.EqualValues(t, 1, made.Manifest.Findings.Accepted)
	require.True(t, made.Manifest.Options.Reconciliation.Accepted)
	text, err := os.ReadFile(filepath.Join(q.Dir, "inputs", "accepted.csv"))
	require.NoError(t, err)
	require.Contains(t, string(text), list[0].String()+",amount_differs,2,")
	require.Contains(t, string(text), ",-1,Anna,2026-02-03,booked in February,\n")
	require.NotContains(t, string(text), list[1].String())
	about, err := os.ReadFile(filepath.Join(q.Dir, "about.txt"))
	require.NoError(t, err)
	require.Contains(t, string(about), "inputs/accepted.csv")
	for _, c := range []func() (*app.PackageCheck, error){
		func() (*app.PackageCheck, error) { return check(t, q.Dir, place, q.PackageOptions) }, func() (*app.PackageCheck, error) { return withoutLedger(t, q.Dir) },
	} {
		checked, err := c()
		require.NoError(t, err)
		require.Empty(t, append(checked.Damage, checked.Differences...))
	}
	other := q
	other.Dir, other.Books.Accepted = filepath.Join(t.TempDir(), "january"), acceptances(nil, list...)
	cover := func(dir string) int64 {
		info, err := os.Stat(filepath.Join(dir, "cover.pdf"))
		require.NoError(t, err)
		return info.Size()
	}
	require.EqualValues(t, 2, packed(t, d, other).Manifest.Findings.Accepted)
	require.Greater(t, cover(other.Dir), cover(q.Dir))

	// Every changed byte of the file is found.
	path := filepath.Join(q.Dir, "inputs", "accepted.csv")
	for i := range text {
		changed := append([]byte{}, text...)
		changed[i] ^= 1
		require.NoError(t, os.WriteFile(path, changed, 0o600))
		p, err := closing.Open(q.Dir)
		require.NoError(t, err)
		problems, err := p.Problems()
		require.NoError(t, err)
		require.Len(t, problems, 1, "byte %d", i)
	}
	require.NoError(t, os.WriteFile(path, text, 0o600))

	// An acceptance that fits no difference makes no package.
	q.Dir = filepath.Join(t.TempDir(), "january")
	q.Books.Accepted = acceptances(nil, list[0], ledger.Digest{1})
	_, err = d.MakePackage(t.Context(), q)
	require.ErrorContains(t, err, "accept: 1 difference is accepted that the record no longer has, that changed, or whose acceptance was withdrawn")
	require.NoDirExists(t, q.Dir)
}

// Acceptances that were forged, with a manifest that fits them, are found: by the ledger all, by the package alone what
// contradicts its own reconciliation.
func TestForgedAcceptances(t *testing.T) {
	place := copied(t)
	d := opened(t, place)
	q, list := differing(t, d)
	q.Books.Accepted = acceptances(nil, list[0])
	packed(t, d, q)
	fresh := func() (dir string) {
		dir = filepath.Join(t.TempDir(), "january")
		require.NoError(t, os.CopyFS(dir, os.DirFS(q.Dir)))
		return dir
	}
	const accepted, result = "inputs/accepted.csv", "reconciliation.json"
	swap := func(old, other string) func(string) string {
		return func(text string) string { return strings.Replace(text, old, other, 1) }
	}
	for name, c := range map[string]struct {
		forge       func(dir string)
		alone, with string // what is found; "" for nothing
	}{
		"another comment": {func(dir string) { rewritten(t, dir, accepted, swap("booked in", "not booked in")) }, "are not those of the differences", "reconciliation.json differs"},
		"another comment in both": {func(dir string) {
			rewritten(t, dir, accepted, swap("Anna", "Eve"))
			rewritten(t, dir, result, swap("Anna", "Eve"))
		}, "", "cover.pdf differs"},
		"another difference": {func(dir string) { rewritten(t, dir, accepted, swap(list[0].String(), list[1].String())) }, "are not those of the differences", "reconciliation.json differs"},
		"no difference": {func(dir string) { rewritten(t, dir, accepted, swap(list[0].String(), strings.Repeat("0", 64))) },
			"are not those of the differences", "inputs/accepted.csv, line 2: it accepts a difference that the record does not have"},
		"another amount for the reader": {func(dir string) { rewritten(t, dir, accepted, swap(",-1,", ",-0,")) }, "", "inputs/accepted.csv differs"},
		"another amount in the record": {func(dir string) {
			rewritten(t, dir, "inputs/books.csv", func(text string) string {
				line := strings.Split(text, "\n")[1]
				return strings.Replace(text, line, line[:strings.Index(line, ";")]+";1", 1)
			})
		}, "", "inputs/accepted.csv, line 2: it accepts a difference that the record does not have"},
		"another count": {func(dir string) { manifested(t, dir, func(m *closing.Manifest) { m.Findings.Accepted = 2 }) }, "manifest: 2 accepted differences, but inputs/accepted.csv has 1", "manifest, "},
		"an act":        {func(dir string) { rewritten(t, dir, accepted, swap("February,\n", "February,5\n")) }, "are not those of the differences", "reconciliation.json differs"},
	} {
		dir := fresh()
		c.forge(dir)
		by, err := withoutLedger(t, dir)
		require.NoError(t, err, name)
		require.Empty(t, by.Damage, name)
		require.Equal(t, c.alone != "", len(by.Differences) > 0, "%s: %q", name, by.Differences)
		require.Contains(t, strings.Join(by.Differences, "\n"), c.alone, name)
		with := checked(t, dir, place, q.PackageOptions)
		require.Contains(t, strings.Join(with.Differences, "\n"), c.with, name)
	}
	for _, text := range []string{"", "x", "difference,by,time,comment\n" + list[0].String() + ",Anna,yesterday,x\n"} {
		dir := fresh()
		rewritten(t, dir, accepted, func(string) string { return text })
		_, err := withoutLedger(t, dir)
		require.ErrorIs(t, err, closing.ErrDamaged)
		_, err = check(t, dir, place, q.PackageOptions)
		require.ErrorIs(t, err, closing.ErrDamaged)
	}
	dir := fresh()
	rewritten(t, dir, result, func(string) string { return "{}" })
	_, err := withoutLedger(t, dir)
	require.ErrorIs(t, err, closing.ErrDamaged)
}

// Acceptances that name lines of the audit trail are compared with them: user, time, comment, period and the differences
// accepted together.
func TestAcceptancesInTheTrail(t *testing.T) {
	place := copied(t)
	q, list := differing(t, opened(t, place))
	writer, err := app.OpenWriter(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	accept := func(change func(*ledger.Act), of ...ledger.Digest) *ledger.Act {
		at, err := chain.TimeAt(1_770_000_000_000)
		require.NoError(t, err)
		act := ledger.Act{Time: at, User: "anna", Kind: ledger.Accepted, Period: "2026-01", Zone: "UTC", Comment: "immaterial", Manifest: reconcile.ActDigest(of)}
		if change != nil {
			change(&act)
		}
		act, err = writer.Book.Record(t.Context(), act, nil)
		require.NoError(t, err)
		return &act
	}
	both := accept(nil, list...)
	one := accept(func(a *ledger.Act) { a.Period = "2026-02" }, list[0])
	returned := accept(func(a *ledger.Act) { a.Kind = ledger.Returned }, list...)
	require.NoError(t, writer.Close())
	require.Empty(t, app.RoundOf([]ledger.Act{*both}, "2026-01", "UTC"), "an acceptance is not an act of closing")
	none := *both
	none.Number = 99
	renamed := *both
	renamed.User = "eve"
	for name, c := range map[string]struct {
		list  []reconcile.Acceptance
		wrong int
	}{
		"as recorded": {acceptances(both, list...), 0}, "a part of an act": {acceptances(both, list[0]), 1}, "another period": {acceptances(one, list[0]), 1}, "another act": {acceptances(returned, list...), 2},
		"no such line": {acceptances(&none, list...), 2}, "another user": {acceptances(&renamed, list...), 2}, "no act": {acceptances(nil, list...), 0},
	} {
		if !tier.Takes(name) {
			continue
		}
		of := q
		of.Dir, of.Books.Accepted = filepath.Join(t.TempDir(), "january"), c.list
		packed(t, opened(t, place), of)
		found := checked(t, of.Dir, place, of.PackageOptions)
		require.Len(t, found.Differences, c.wrong, "%s: %q", name, found.Differences)
		for _, text := range found.Differences {
			require.Contains(t, text, "of the ledger's audit trail is not this acceptance")
		}
		found = checked(t, of.Dir, copied(t), of.PackageOptions) // another ledger of the same blocks
		require.Empty(t, found.Differences)
		require.True(t, found.Partly(), "it has no trail to compare with the package's")
		acts := slices.ContainsFunc(found.NotCompared, func(what string) bool { return strings.HasPrefix(what, "the acts of inputs/accepted.csv") })
		require.Equal(t, c.list[0].Act > 0, acts)
	}

	// A package that was closed in the browser has no other acceptances than those of its trail.
	q.Books.Accepted = acceptances(nil, list...)
	made := packed(t, opened(t, place), q)
	dir := filepath.Join(t.TempDir(), "closed")
	_, err = opened(t, place).ClosePrepared(t.Context(), q.Dir, dir, q.PackageOptions, func(context.Context) ([]ledger.Act, error) {
		return recorded(t, place, made.Sum, [2]string{"anna", "prepared"}, [2]string{"bob", "approved"}, [2]string{"anna", "closed"}), nil
	})
	require.NoError(t, err)
	found := checked(t, dir, place, q.PackageOptions)
	require.Len(t, found.Differences, 2)
	require.Contains(t, found.Differences[0], "it has no line in the audit trail, though the package was closed in the browser")
}

// Many differences with a comment each: the cover lists the first, and the file of the package can be given again. What
// cannot be read names the file; of many that fit no difference, some lines are named.
func TestManyAcceptances(t *testing.T) {
	place := copied(t)
	d, q := opened(t, place), question(t)
	q.With, q.Proved, q.Balances = app.WithFees, false, nil
	text, err := os.ReadFile(q.Books.Path)
	require.NoError(t, err)
	for i := range 110 {
		text = fmt.Appendf(text, "0x%064x;%d\n", i+1, i+1)
	}
	require.NoError(t, os.WriteFile(q.Books.Path, text, 0o600))
	q.Books.Accepted = acceptances(nil, reconciled(t, d, &q)...)
	require.Len(t, q.Books.Accepted, 110)
	for i := range q.Books.Accepted {
		q.Books.Accepted[i].Comment = fmt.Sprint("number ", i%109) // the last one is summed up with the first
	}
	made := packed(t, d, q)
	require.EqualValues(t, 110, made.Manifest.Findings.Accepted)
	cover, err := os.ReadFile(filepath.Join(q.Dir, "cover.pdf"))
	require.NoError(t, err)
	var cells []string
	leaves, _ := pdftest.Parse(t, cover).Leaves()
	for _, l := range leaves {
		cells = append(cells, l.Text)
	}
	shown := strings.Join(cells, "|")
	require.Contains(t, shown, "|Only in books|2|0.000000000000000111|Anna|2026-02-03|number 0|", "1 wei in the first line, 110 in the last one")
	require.Contains(t, shown, "|number 99|Note: they remain differences; inputs/accepted.csv lists each|Note: 9 more are only there|")
	found := checked(t, q.Dir, place, q.PackageOptions)
	require.Empty(t, append(found.Damage, found.Differences...))

	again := q
	again.Dir = filepath.Join(t.TempDir(), "again")
	again.Books.Accepted, err = app.ReadAcceptances(filepath.Join(q.Dir, "inputs", "accepted.csv"))
	require.NoError(t, err)
	require.Len(t, again.Books.Accepted, 110)
	require.Equal(t, made.Sum, packed(t, d, again).Sum)

	for i := range again.Books.Accepted {
		again.Books.Accepted[i].Difference[0] ^= 1
	}
	again.Dir = filepath.Join(t.TempDir(), "refused")
	_, err = d.MakePackage(t.Context(), again)
	require.ErrorContains(t, err, "accept: 110 differences are accepted that the record no longer has, that changed, or whose acceptance was withdrawn (lines 2, 3, 4, 5, 6, 105 more)")
	none, err := app.ReadAcceptances("")
	require.NoError(t, err)
	require.Empty(t, none)
	for path, want := range map[string]string{write(t, "wrong.csv", "x\n"): "the first line must name the columns", filepath.Join(t.TempDir(), "missing.csv"): "does not exist"} {
		_, err := app.ReadAcceptances(path)
		require.ErrorContains(t, err, want)
		require.Equal(t, []app.Field{app.FieldAccept}, fieldsOf(t, err))
	}
}
