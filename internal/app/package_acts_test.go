package app_test

import (
	"context"
	"database/sql"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/closing/signature"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
)

// recorded appends acts to the trail of a ledger: users with what they did to a manifest.
func recorded(t testing.TB, place, sum string, acts ...[2]string) (list []ledger.Act) {
	t.Helper()
	d, err := app.OpenWriter(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	for i, a := range acts {
		at, err := chain.TimeAt(1_770_000_000_000 + uint64(i))
		require.NoError(t, err)
		act := ledger.Act{Time: at, User: a[0], Kind: ledger.ActKind(a[1]), Period: "2026-01", Zone: "UTC", Comment: "said \"yes\", and no"}
		require.NoError(t, act.Manifest.UnmarshalText([]byte(sum)))
		act, err = d.Book.Record(t.Context(), act, nil)
		require.NoError(t, err)
		list = append(list, act)
	}
	return list
}

// prepared is a package that waits to be closed, with its directory and that of the final one.
func prepared(t *testing.T, d *app.Ledger) (q app.PackageRequest, made *app.Closed, dir string) {
	t.Helper()
	q = question(t)
	q.Dir = filepath.Join(t.TempDir(), "2026-01")
	return q, packed(t, d, q), filepath.Join(t.TempDir(), "january")
}

// A package that one user prepared, another approved and the first closed contains their acts and is proved by the
// ledger, as long as its audit trail has them.
func TestPackageWithActs(t *testing.T) {
	place := copied(t)
	d := opened(t, place)
	q, made, dir := prepared(t, d)
	var acts []ledger.Act
	closed, err := d.ClosePrepared(t.Context(), q.Dir, dir, q.PackageOptions, func(context.Context) ([]ledger.Act, error) {
		acts = recorded(t, place, made.Sum, [2]string{"anna", "prepared"}, [2]string{"bob", "approved"}, [2]string{"anna", "closed"})
		return acts, nil
	})
	require.NoError(t, err)
	require.True(t, closed.Manifest.Options.Acts)
	require.Equal(t, made.Manifest.Totals, closed.Manifest.Totals)
	text, err := os.ReadFile(filepath.Join(dir, "inputs", "acts.csv"))
	require.NoError(t, err)
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"2", "2026-02-02T02:40:00.001Z", "bob", "approved", "2026-01", "UTC", made.Sum, "said \"yes\", and no", acts[1].Digest.String()}, rows[2])
	again, err := app.ReadActs(text)
	require.NoError(t, err)
	require.Equal(t, acts, again)

	c := checked(t, dir, place, q.PackageOptions)
	require.Empty(t, c.Damage)
	require.Empty(t, c.Differences)
	require.False(t, c.Partly())

	c = checked(t, dir, copied(t), q.PackageOptions) // another ledger of the same blocks
	require.Empty(t, c.Differences)
	require.True(t, c.Partly() && c.TrailLost)
	require.Equal(t, []string{"the audit trail, because the ledger's is empty; in the package, it has 3 lines", "inputs/acts.csv", "about.txt and cover.pdf: the audit trail, and who prepared, reviewed and closed the package"}, c.NotCompared)

	// A trail that was rewritten with fitting digests is found by the package.
	other := copied(t)
	recorded(t, other, made.Sum, [2]string{"anna", "prepared"}, [2]string{"eve", "approved"}, [2]string{"anna", "closed"})
	c = checked(t, dir, other, q.PackageOptions)
	require.Len(t, c.Differences, 3)
	require.Contains(t, c.Differences[0], "manifest: the ledger's audit trail is not that of the package: the ledger is damaged: table trail: line 3 has the digest ")
	require.Equal(t, []string{"inputs/acts.csv: act 2, approved by bob, is not in the ledger's audit trail", "inputs/acts.csv: act 3, closed by anna, is not in the ledger's audit trail"}, c.Differences[1:])
	short := copied(t)
	recorded(t, short, made.Sum, [2]string{"anna", "prepared"})
	c = checked(t, dir, short, q.PackageOptions)
	require.Len(t, c.Differences, 3, "lines are missing at the end")
	require.Contains(t, c.Differences[0], "table trail: it has 1 line, fewer than the 3 that were there")

	// A later line does not change the package. The head that was kept finds lines that were removed.
	require.Equal(t, ledger.HeadOf(acts), closed.Manifest.Trail)
	text, err = os.ReadFile(filepath.Join(dir, "about.txt"))
	require.NoError(t, err)
	require.Contains(t, string(text), "audit trail")
	require.Contains(t, string(text), closed.Manifest.Trail.String())
	for ledgers, damages := range map[string]int{place: 0, short: 1, other: 1} {
		found, err := app.Verify(t.Context(), app.VerifyOptions{Place: ledgers, Trail: chain.Some(closed.Manifest.Trail)})
		require.NoError(t, err)
		require.Equal(t, damages, found.Damages, "%v", found.Damage)
		require.True(t, found.Trail.Known())
	}

	// Altered acts contradict the manifest, without a ledger.
	alone := func(change func(string) string) []string {
		copied := filepath.Join(t.TempDir(), "january")
		require.NoError(t, os.CopyFS(copied, os.DirFS(dir)))
		rewritten(t, copied, app.ActsFile, change)
		c, err := app.CheckPackage(t.Context(), copied, func(context.Context) (*app.Ledger, error) { return nil, nil }, app.Vouchers{Signers: signature.Signers{}}, q.PackageOptions)
		require.NoError(t, err)
		return c.Differences
	}
	lines := func(text string) []string { return strings.SplitAfter(text, "\n") }
	for name, change := range map[string]func(string) string{
		"another user":     func(s string) string { return strings.Replace(s, ",bob,", ",eve,", 1) },
		"another comment":  func(s string) string { return strings.Replace(s, "and no", "and yes", 1) },
		"another period":   func(s string) string { return strings.ReplaceAll(s, ",2026-01,", ",2026-02,") },
		"no approval":      func(s string) string { l := lines(s); return l[0] + l[1] + l[3] },
		"another order":    func(s string) string { l := lines(s); return l[0] + l[2] + l[1] + l[3] },
		"an act twice":     func(s string) string { l := lines(s); return l[0] + l[1] + l[2] + l[2] + l[3] },
		"a later act":      func(s string) string { return strings.Replace(s, "\n3,", "\n4,", 1) },
		"another digest":   func(s string) string { return strings.Replace(s, acts[2].Digest.String(), acts[1].Digest.String(), 1) },
		"not closed":       func(s string) string { l := lines(s); return l[0] + l[1] + l[2] },
		"another manifest": func(s string) string { return strings.Replace(s, made.Sum, strings.Repeat("a", 64), 1) },
	} {
		require.NotEmpty(t, alone(change), name)
	}
	db, err := sql.Open("sqlite", place)
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec("UPDATE trail SET comment = '' WHERE number = 2")
	require.NoError(t, err)
	_, err = check(t, dir, place, q.PackageOptions)
	require.ErrorIs(t, err, ledger.ErrDamaged)

	_, err = app.Verify(t.Context(), app.VerifyOptions{Place: place})
	require.NoError(t, err)
}

// What differs from the prepared package is not closed, and nothing is recorded or left.
func TestClosePreparedRefuses(t *testing.T) {
	d := opened(t, copied(t))
	q, made, dir := prepared(t, d)
	refuses := func(o app.PackageOptions, record func(context.Context) ([]ledger.Act, error)) error {
		t.Helper()
		_, err := d.ClosePrepared(t.Context(), q.Dir, dir, o, record)
		require.Error(t, err)
		require.NoDirExists(t, dir)
		return err
	}
	never := func(context.Context) ([]ledger.Act, error) {
		t.Error("recorded")
		return nil, nil
	}
	newer := q.PackageOptions
	newer.Program = "a newer program"
	err := refuses(newer, never)
	require.ErrorAs(t, err, new(*app.StaleError))
	require.EqualError(t, err, "The package differs from the prepared one (tool), because the ledger, its inputs or the program changed. Prepare it again.")
	busy := errors.New("busy")
	require.ErrorIs(t, refuses(q.PackageOptions, func(context.Context) ([]ledger.Act, error) { return nil, busy }), busy)
	require.NoError(t, d.Unchanged(t.Context(), made.Manifest))
	other := *made.Manifest
	other.Blocks.Seal = strings.Repeat("0", 64)
	require.ErrorAs(t, d.Unchanged(t.Context(), &other), new(*app.StaleError))
	other.Period.Month = "soon"
	require.Error(t, d.Unchanged(t.Context(), &other))
	report := filepath.Join(q.Dir, "report.csv")
	require.NoError(t, os.Chmod(report, 0o600))
	require.NoError(t, os.WriteFile(report, nil, 0o600))
	require.ErrorIs(t, refuses(q.PackageOptions, never), closing.ErrDamaged)
	require.NoError(t, os.RemoveAll(q.Dir))
	require.ErrorIs(t, refuses(q.PackageOptions, never), os.ErrNotExist)
}

// Only the exact form is accepted.
func TestReadActs(t *testing.T) {
	const head = "number,time,user,act,period,timezone,manifest_sha256,comment,trail_digest\n"
	sum := strings.Repeat("0a", 32)
	line := "1,2026-02-02T02:40:00.001Z,anna,prepared,2026-01,UTC," + sum + ",ok," + sum + "\n"
	acts, err := app.ReadActs([]byte(head + line))
	require.NoError(t, err)
	require.Len(t, acts, 1)
	for _, text := range []string{
		"", "number\n", head + "1\n", head + "\"", head + strings.Replace(line, "1,", "01,", 1), head + strings.Replace(line, "1,", "-1,", 1), head + strings.Replace(line, "2026-02-02", "2026-02-30", 1), head + strings.Replace(line, "2026-02-02", "1926-02-02", 1),
		head + strings.Replace(line, "prepared", "paid", 1), head + strings.Replace(line, "anna", "", 1), head + strings.Replace(line, sum, strings.ToUpper(sum), 1), head + strings.Replace(line, sum+"\n", "0a\n", 1), head + strings.Replace(line, ",ok,", ",o\x00k,", 1),
	} {
		_, err := app.ReadActs([]byte(text))
		require.ErrorIs(t, err, closing.ErrDamaged, "%q", text)
	}
}
