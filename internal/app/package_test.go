package app_test

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/closing/signature"
	"github.com/feeledger/fees/internal/finance/closing/timestamp"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

const baltathar = "0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0"

// record is a company's record of what accounts sent, by the extrinsics' hashes.
func record(t testing.TB, wanted func(sent) bool) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("Extrinsic hash;Kosten\n")
	for _, s := range allSent(t) {
		if wanted(s) {
			fmt.Fprintf(&text, "%s;%s\n", s.Hash, s.Charged)
		}
	}
	return write(t, "books.csv", text.String())
}

// question asks for the package of the demo's month with all that one can have.
func question(t testing.TB) app.PackageRequest {
	t.Helper()
	return app.PackageRequest{
		Dir: filepath.Join(t.TempDir(), "january"), PeriodInput: app.PeriodInput{Month: "2026-01", Partial: true}, Journal: "hledger", With: app.WithMovements, Proved: true,
		PackageInputs: app.PackageInputs{
			Accounts: []string{alith, write(t, "accounts.csv", "address,label\n"+baltathar+",\"Baltathar,\twho pays\"\n")},
			Names:    write(t, "names.csv", "address,account\n"+alith+",Assets:Alith\n"),
			Books: app.BooksInput{Path: record(t, func(s sent) bool { return of(alith)(s) || of(baltathar)(s) }),
				Reading: closing.Reading{Unit: "wei", Separator: ";", Columns: []string{"fee=Kosten"}}},
		},
		PackageOptions: app.PackageOptions{Program: "a test", Balances: opens(withBalances(t))},
	}
}

func packed(t *testing.T, d *app.Ledger, q app.PackageRequest) *app.Closed {
	t.Helper()
	made, err := d.MakePackage(t.Context(), q)
	require.NoError(t, err)
	return made
}

// checked is the check of a package against a ledger.
func checked(t *testing.T, dir, place string, o app.PackageOptions) *app.PackageCheck {
	t.Helper()
	c, err := check(t, dir, place, o)
	require.NoError(t, err)
	return c
}

func check(t *testing.T, dir, place string, o app.PackageOptions) (*app.PackageCheck, error) {
	t.Helper()
	return app.CheckPackage(t.Context(), dir, func(ctx context.Context) (*app.Ledger, error) { return app.Open(ctx, place, network.BuiltIn()) }, app.Vouchers{}, o)
}

// A package has the sums of what the accounts sent, and is proved by the same ledger. The
// same question changes nothing; one more account makes the next version.
func TestPackage(t *testing.T) {
	leavesNothing(t)
	place := copied(t)
	d, q := opened(t, place), question(t)
	var steps []string
	q.Progress.Say = func(step string) { steps = append(steps, step) }
	made := packed(t, d, q)
	require.True(t, made.Changed)
	require.Equal(t, "GLMR", made.Symbol)
	require.Equal(t, []string{"closing: inputs", "closing: balances", "closing: blocks", "closing: reports", "closing: variance", "closing: findings", "closing: statements", "closing: rollforward", "closing: journal", "closing: posted journals", "closing: reconciliation", "closing: records", "closing: about"}, steps)
	m := made.Manifest
	sum, count := charges(t, func(s sent) bool { return of(alith)(s) || of(baltathar)(s) })
	require.Equal(t, sum, known(t, m.Totals.Charged))
	require.Equal(t, sum, m.Totals.Fee.String())
	require.Equal(t, count, m.Totals.EVM+m.Totals.Native)
	require.Zero(t, m.Findings.Statements+m.Findings.Journal+m.Findings.Differences+m.Findings.Drifts)
	require.Empty(t, m.LeftOut)
	require.False(t, m.Period.Complete)
	require.Equal(t, []closing.Account{{Address: alith}, {Address: baltathar, Label: "Baltathar, who pays"}}, m.Accounts)
	require.Equal(t, "books.csv", m.Options.Reconciliation.Name)
	require.Equal(t, "inputs/books.csv", m.Options.Reconciliation.Input)

	c := checked(t, q.Dir, place, q.PackageOptions)
	require.Empty(t, c.Damage)
	require.Empty(t, c.Differences)
	require.Empty(t, c.Notes)
	require.False(t, c.Partly())
	require.Equal(t, "GLMR", c.Symbol)
	other := q.PackageOptions
	other.Program = "a later test"
	require.Equal(t, []string{"made by a test, checked by a later test"}, checked(t, q.Dir, place, other).Notes)

	require.False(t, packed(t, d, q).Changed)
	q.Accounts = append(q.Accounts, accountOne)
	again := packed(t, d, q)
	require.True(t, again.Changed)
	require.Equal(t, 2, again.Manifest.Version)
	q.Month = "2026-02"
	_, err := d.MakePackage(t.Context(), q)
	require.Error(t, err)
	require.Equal(t, failure.NotCovered, app.KindOf(err))
	q.Month, q.Timezone = "2026-01", "Asia/Kathmandu"
	_, err = d.MakePackage(t.Context(), q)
	require.ErrorContains(t, err, "-o "+q.Dir+": ", "another zone's month is another package")
	c = checked(t, q.Dir, place, q.PackageOptions)
	require.Empty(t, c.Differences)
	require.Equal(t, []string{"the earlier versions were compared only with their own manifests; check each, such as versions/1, with fees close --check"}, c.Notes)
	rewritten(t, q.Dir, closing.ChangesFile, func(string) string { return "{}\n" })
	require.Equal(t, []string{"changes.json differs from the changes since version 1"}, checked(t, q.Dir, place, q.PackageOptions).Differences)
}

// A package with only fees, without optional parts, states what it lacks.
func TestPackageOfFees(t *testing.T) {
	place := copied(t)
	d, q := opened(t, place), question(t)
	q.With, q.Proved, q.Names, q.Books, q.Journal, q.Balances = app.WithFees, false, "", app.BooksInput{}, "beancount", nil
	m := packed(t, d, q).Manifest
	require.Equal(t, []string{"proof of the statements: balances were not queried"}, m.LeftOut)
	require.Nil(t, m.Options.Reconciliation)
	require.NoFileExists(t, filepath.Join(q.Dir, "inputs/names.csv"))
	require.FileExists(t, filepath.Join(q.Dir, "journal.beancount"))
	c := checked(t, q.Dir, place, app.PackageOptions{Program: "a test"})
	require.Empty(t, c.Differences)
	require.False(t, c.Partly())
}

// A package is signed as it is made, and its check says whose signature that is.
func TestPackageSigned(t *testing.T) {
	place := copied(t)
	d, q := opened(t, place), question(t)
	q.With, q.Proved, q.Books, q.Balances = app.WithFees, false, app.BooksInput{}, nil
	public, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	require.NoError(t, err)
	q.Key, err = signature.OpenKey(t.Context(), write(t, "id", string(pem.EncodeToMemory(block))), signature.Secrets{})
	require.NoError(t, err)
	key, err := ssh.NewPublicKey(public)
	require.NoError(t, err)
	signers, err := signature.ReadSigners(append([]byte("mia@example.org "), ssh.MarshalAuthorizedKey(key)...))
	require.NoError(t, err)
	want := closing.Signature{Key: "ED25519 " + ssh.FingerprintSHA256(key)}

	made := packed(t, d, q)
	require.Equal(t, []closing.Signature{want}, made.Signatures)
	require.False(t, made.Unsigned)
	require.Equal(t, made.Signatures, checked(t, q.Dir, place, q.PackageOptions).Signatures)
	c, err := app.CheckPackage(t.Context(), q.Dir, func(context.Context) (*app.Ledger, error) { return app.Open(t.Context(), place, network.BuiltIn()) }, app.Vouchers{Signers: signers}, q.PackageOptions)
	require.NoError(t, err)
	want.Signer = "mia@example.org"
	require.Equal(t, []closing.Signature{want}, c.Signatures)
	require.False(t, c.Alone)

	q.Key = nil
	same := packed(t, d, q)
	require.False(t, same.Unsigned)
	require.Equal(t, made.Signatures, same.Signatures)
	q.Accounts = append(q.Accounts, accountOne)
	next := packed(t, d, q)
	require.True(t, next.Unsigned)
	require.Empty(t, next.Signatures)
}

// Without a ledger the files and the signatures are checked, and it is said that no figure
// is compared. The network may be one of the package's own tables.
func TestCheckPackageAlone(t *testing.T) {
	place := copied(t)
	q := question(t)
	q.With, q.Proved, q.Books, q.Balances = app.WithFees, false, app.BooksInput{}, nil
	packed(t, opened(t, place), q)
	alone := func() (*app.PackageCheck, error) {
		return app.CheckPackage(t.Context(), q.Dir, func(context.Context) (*app.Ledger, error) { return nil, nil }, app.Vouchers{Signers: signature.Signers{}}, q.PackageOptions)
	}
	c, err := alone()
	require.NoError(t, err)
	require.True(t, c.Alone && c.Partly())
	require.Equal(t, "GLMR", c.Symbol)
	require.Equal(t, []string{"the blocks and all figures, because no ledger was given"}, c.NotCompared)
	require.Empty(t, c.Differences)
	require.Empty(t, c.Signatures)

	edit(t, q.Dir, closing.ManifestFile, `"own_networks": false`, `"own_networks": true`)
	edit(t, q.Dir, closing.ManifestFile, `"network": "moonbeam"`, `"network": "elsewhere"`)
	c, err = alone()
	require.NoError(t, err)
	require.Empty(t, c.Symbol, "no table names it")
	require.NoError(t, os.WriteFile(filepath.Join(q.Dir, closing.SignatureFile), []byte("something"), 0o600))
	c, err = alone()
	require.NoError(t, err)
	require.Equal(t, []closing.Signature{{Wrong: "not an SSH signature"}}, c.Signatures)
	require.NoError(t, os.Remove(filepath.Join(q.Dir, "report.csv")))
	c, err = alone()
	require.NoError(t, err)
	require.Equal(t, []string{"report.csv is missing"}, c.Damage)
}

// Without a ledger, a package is compared with an archive of its blocks.
func TestCheckPackageByAnArchive(t *testing.T) {
	place := copied(t)
	q := question(t)
	packed(t, opened(t, place), q)
	none := func(context.Context) (*app.Ledger, error) { return nil, nil }
	by := func(src source.Source) (*app.PackageCheck, error) {
		o := q.PackageOptions
		o.Balances, o.Kept = opens(src), true
		return app.CheckPackage(t.Context(), q.Dir, none, app.Vouchers{}, o)
	}
	c, err := by(withBalances(t))
	require.NoError(t, err)
	require.Empty(t, c.Differences)
	require.False(t, c.Alone || c.Partly())

	edit(t, q.Dir, closing.ManifestFile, `"charged": "1`, `"charged": "2`)
	c, err = by(withBalances(t))
	require.NoError(t, err)
	require.NotEmpty(t, c.Differences)

	_, grows := made(3, 30)
	_, err = by(grows.Source)
	require.ErrorContains(t, err, "no ledger to compare the package with, and the gateway is not an archive of blocks ")
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))
	_, err = by(unkept{})
	require.ErrorIs(t, err, errAway)
	failing := q.PackageOptions
	failing.Kept, failing.Balances = true, func() (source.Source, error) { return nil, errAway }
	_, err = app.CheckPackage(t.Context(), q.Dir, none, app.Vouchers{}, failing)
	require.ErrorIs(t, err, errAway)
}

// Where no authority gives a timestamp, nothing is made.
func TestPackageWithoutTimestamp(t *testing.T) {
	d, q := opened(t, copied(t)), question(t)
	q.With, q.Proved, q.Books, q.Balances = app.WithFees, false, app.BooksInput{}, nil
	var err error
	q.Authority, err = timestamp.NewAuthority("http://127.0.0.1:1")
	require.NoError(t, err)
	_, err = d.MakePackage(t.Context(), q)
	require.ErrorIs(t, err, timestamp.ErrNoAnswer)
	require.Equal(t, failure.Unanswered, app.KindOf(err))
	require.NoDirExists(t, q.Dir)
}

// A network that the user brought is in the package, and the check reads it from there.
func TestPackageOfOwnNetworks(t *testing.T) {
	long(t)
	networks := write(t, "mine.json", `{"networks": [{"name": "mine", "spec_name": "moonbeam", "symbol": "ME", "last_runtime": 4500,
		"first_withdraw_event": 1201, "first_fee_event": 1801, "rows": [{"from_runtime": 900, "static_base_fee": "100000000000", "source": "me"}]}]}`)
	tables, err := app.ReadTables(networks)
	require.NoError(t, err)
	place, reader := file(t), demo(t)
	reader.Tables, reader.Network = tables, "mine"
	_, err = app.Sync(t.Context(), place, blocks(t, "0..27"), app.FillOptions{Reader: reader})
	require.NoError(t, err)
	d, q := opened(t, place), question(t)
	d.Tables, q.Networks = tables, networks
	require.Equal(t, "ME", packed(t, d, q).Symbol)
	c := checked(t, q.Dir, place, q.PackageOptions)
	require.Empty(t, c.Differences)
	require.Equal(t, "ME", c.Symbol)
	_, err = check(t, q.Dir, copied(t), q.PackageOptions)
	require.NoError(t, err)

	// A table that was altered does not price the ledger's blocks: by its base fee, or by its weight per gas, which
	// is 25,000. 3-4 is a transfer of 21,000 gas at 100 Gwei.
	first := c.Manifest.Blocks.First
	for _, x := range []struct{ old, replacement string }{{`"100000000000"`, `"100000000001"`}, {`"from_runtime": 900`, `"from_runtime": 900, "weight_per_gas": 50000`}} {
		dir := filepath.Join(t.TempDir(), "january")
		require.NoError(t, os.CopyFS(dir, os.DirFS(q.Dir)))
		reseal(t, dir, func(name string, text []byte) []byte {
			if name == "networks.json" {
				require.Contains(t, string(text), x.old)
				return []byte(strings.Replace(string(text), x.old, x.replacement, 1))
			}
			return text
		}, nil)
		list := checked(t, dir, place, q.PackageOptions).Differences
		require.Len(t, list, 3, "the first ones")
		if strings.Contains(x.replacement, "gas") {
			require.Equal(t, "networks.json: block 3: extrinsic 4: the table gives 10500 gas and a fee of 1050000000000000 wei, but the ledger has 21000 gas and a fee of 2100000000000000 wei", list[0])
			continue
		}
		for i, text := range list {
			require.Equal(t, fmt.Sprintf("networks.json: block %d: the base fee in wei per gas is 100000000001 in the table and 100000000000 in the ledger", first+uint64(i)), text)
		}
	}
}

// Movements that do not lead to the balances, and a record that differs, are findings; the
// journal that would lie is not there.
func TestPackageThatDoesNotHold(t *testing.T) {
	d, q := opened(t, copied(t)), question(t)
	src := withBalances(t)
	right := src.balance
	src.balance = func(account chain.Address, height uint64) (chain.Balance, error) {
		b, err := right(account, height)
		if height == 27 && err == nil && account == address(t, alith) {
			b.Free, err = b.Free.Add(chain.NewWei(1))
		}
		return b, err
	}
	q.Balances = opens(src)
	q.Books.Path = record(t, of(alith)) // without those of the other
	m := packed(t, d, q).Manifest
	_, missing := charges(t, of(baltathar))
	require.Equal(t, []uint64{1, 1, missing}, []uint64{m.Findings.Statements, m.Findings.Journal, m.Findings.Differences})
	require.Len(t, m.LeftOut, 1)
	require.True(t, strings.HasPrefix(m.LeftOut[0], "the journal: "), m.LeftOut[0])
	require.NoFileExists(t, filepath.Join(q.Dir, "journal.hledger"))
}

// A step that fails, or that is given up, leaves nothing: neither a package nor a draft of
// it, nor temporary files.
func TestPackageThatFails(t *testing.T) {
	long(t)
	d := opened(t, copied(t))
	for name, c := range map[string]struct {
		kind   failure.Kind
		error  string
		change func(t *testing.T, q *app.PackageRequest)
	}{
		"balances are away": {failure.Failed, errAway.Error(), func(_ *testing.T, q *app.PackageRequest) {
			q.Balances = func() (source.Source, error) { return nil, errAway }
		}},
		"balances are of another chain": {failure.NotUnderstood, "the ledger belongs to another chain: block 27", func(_ *testing.T, q *app.PackageRequest) {
			_, another := made(11, 40)
			q.Balances = opens(another.Source)
		}},
		"balances are gone": {failure.NotCovered, "--no-balances skips it", func(_ *testing.T, q *app.PackageRequest) {
			src := withBalances(t)
			src.balance = func(chain.Address, uint64) (none chain.Balance, err error) { return none, chain.ErrNotKept }
			q.Balances = opens(src)
		}},
		"names that are none": {failure.NotUnderstood, "names ", func(t *testing.T, q *app.PackageRequest) { q.Names = write(t, "names.csv", "\"\n") }},
		"names that are huge": {failure.NotUnderstood, "is larger than 16777216 bytes", func(t *testing.T, q *app.PackageRequest) {
			q.Names = write(t, "names.csv", "address,account\n"+alith+",Assets:Alith\n"+strings.Repeat(strings.Repeat("#", 1000)+"\n", 17_000))
		}},
		"a record without fees": {failure.Failed, "books.csv: ", func(t *testing.T, q *app.PackageRequest) { q.Books.Path = write(t, "books.csv", "a;b\n1;2\n") }},
		"a record of no rows": {failure.Failed, "1 row cannot be read", func(t *testing.T, q *app.PackageRequest) {
			q.Books.Path = write(t, "books.csv", "hash;Kosten\n0x12;x\n")
		}},
		"no classes": {failure.NotUnderstood, "none.csv does not exist", func(t *testing.T, q *app.PackageRequest) { q.Classes = "none.csv" }},
		"wrong classes": {failure.NotUnderstood, "line 2: ", func(t *testing.T, q *app.PackageRequest) {
			q.Classes = write(t, "classes.csv", "pallet,method,direction,class\na,b,in,nothing\n")
		}},
		"no names":              {failure.NotUnderstood, "none.csv does not exist", func(t *testing.T, q *app.PackageRequest) { q.Names = "none.csv" }},
		"no record":             {failure.Failed, "no such file", func(t *testing.T, q *app.PackageRequest) { q.Books.Path += ".none" }},
		"a record not asked so": {failure.NotUnderstood, `decimal "..": want one character`, func(t *testing.T, q *app.PackageRequest) { q.Books.Decimal = ".." }},
		"accounts that are none": {failure.NotUnderstood, `accounts: "0x12" is not an address`,
			func(t *testing.T, q *app.PackageRequest) { q.Accounts = []string{"0x12"} }},
		"no such program":   {failure.NotUnderstood, `as "lotus": not an accounting program with journals`, func(_ *testing.T, q *app.PackageRequest) { q.Journal = "lotus" }},
		"with what":         {failure.NotUnderstood, `with "love": want fees or movements`, func(_ *testing.T, q *app.PackageRequest) { q.With = "love" }},
		"movements alone":   {failure.NotUnderstood, "with movements needs opening balances, but balances are turned off", func(_ *testing.T, q *app.PackageRequest) { q.Proved = false }},
		"no month":          {failure.NotUnderstood, "state a month or a year", func(_ *testing.T, q *app.PackageRequest) { q.Month = "" }},
		"a month of nobody": {failure.NotUnderstood, `month "2026-13"`, func(_ *testing.T, q *app.PackageRequest) { q.Month = "2026-13" }},
		"not all of it":     {failure.NotCovered, "2026-01 is incomplete", func(_ *testing.T, q *app.PackageRequest) { q.Partial = false }},
		"no block of it":    {failure.NotCovered, "no blocks of 2031-01", func(_ *testing.T, q *app.PackageRequest) { q.Month = "2031-01" }},
		"nowhere":           {failure.Failed, "", func(_ *testing.T, q *app.PackageRequest) { q.Dir = filepath.Join(q.Dir, "a", "b") }},
		"in another's place": {failure.Failed, "", func(t *testing.T, q *app.PackageRequest) {
			q.Dir = t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(q.Dir, "mine.txt"), nil, 0o600))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			leavesNothing(t)
			q := question(t)
			around := filepath.Dir(q.Dir)
			c.change(t, &q)
			_, err := d.MakePackage(t.Context(), q)
			require.ErrorContains(t, err, c.error)
			require.Equal(t, c.kind, app.KindOf(err), "%v", err)
			left, err := os.ReadDir(around)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
	for _, step := range []string{"inputs", "statements", "reconciliation"} {
		t.Run("given up at "+step, func(t *testing.T) {
			leavesNothing(t)
			q := question(t)
			ctx, cancel := context.WithCancel(t.Context())
			q.Progress.Say = func(said string) {
				if said == "closing: "+step {
					cancel()
				}
			}
			_, err := d.MakePackage(ctx, q)
			require.Equal(t, failure.Stopped, app.KindOf(err), "%v", err)
			left, err := os.ReadDir(filepath.Dir(q.Dir))
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

// edit changes a file of a package.
func edit(t *testing.T, dir, name, old, replacement string) {
	t.Helper()
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), old)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), old, replacement, 1)), 0o600))
}

// A file that is not as it was written is damage; a manifest and files that agree with each
// other, and not with the ledger, are differences.
func TestCheckPackage(t *testing.T) {
	long(t)
	place := copied(t)
	d := opened(t, place)
	once := question(t)
	packed(t, d, once)
	fresh := func(t *testing.T) app.PackageRequest {
		q := once
		q.Dir = filepath.Join(t.TempDir(), "january")
		require.NoError(t, os.CopyFS(q.Dir, os.DirFS(once.Dir)))
		return q
	}
	t.Run("damage", func(t *testing.T) {
		q := fresh(t)
		edit(t, q.Dir, "report.csv", "2026-01-01", "2026-01-02")
		require.NoError(t, os.Remove(filepath.Join(q.Dir, "findings.csv")))
		c, err := app.CheckPackage(t.Context(), q.Dir, nil, app.Vouchers{}, q.PackageOptions) // no ledger is asked for
		require.NoError(t, err)
		require.Len(t, c.Damage, 2)
		require.Empty(t, c.Differences)
		all := strings.Join(c.Damage, "\n")
		require.Contains(t, all, "report.csv")
		require.Contains(t, all, "findings.csv")
	})
	t.Run("a total", func(t *testing.T) {
		q := fresh(t)
		sum, _ := charges(t, func(s sent) bool { return of(alith)(s) || of(baltathar)(s) })
		n, _ := new(big.Int).SetString(sum, 10)
		more := n.Add(n, big.NewInt(1)).String()
		edit(t, q.Dir, closing.ManifestFile, `"charged": "`+sum+`"`, `"charged": "`+more+`"`)
		require.Equal(t, []string{"total charged: " + more + " in the package, " + sum + " from the ledger"},
			unquoted(checked(t, q.Dir, place, q.PackageOptions).Differences))
	})
	t.Run("the manifest", func(t *testing.T) {
		q := fresh(t)
		edit(t, q.Dir, closing.ManifestFile, `"left_out": []`, `"left_out": [`+"\n    \"nothing\"\n  ]")
		list := checked(t, q.Dir, place, q.PackageOptions).Differences
		require.Len(t, list, 1)
		require.True(t, strings.HasPrefix(list[0], "manifest, left_out: "), list[0])
	})
	t.Run("a file", func(t *testing.T) {
		q := fresh(t)
		before, err := os.ReadFile(filepath.Join(q.Dir, "accounts.csv"))
		require.NoError(t, err)
		edit(t, q.Dir, "accounts.csv", "2", "3")
		after, err := os.ReadFile(filepath.Join(q.Dir, "accounts.csv"))
		require.NoError(t, err)
		edit(t, q.Dir, closing.ManifestFile, fmt.Sprintf("%x", sha256.Sum256(before)), fmt.Sprintf("%x", sha256.Sum256(after)))
		require.Equal(t, []string{"accounts.csv differs from the file made from the ledger"}, checked(t, q.Dir, place, q.PackageOptions).Differences)
	})
	t.Run("an input outside", func(t *testing.T) {
		q := fresh(t)
		edit(t, q.Dir, closing.ManifestFile, `"input": "inputs/books.csv"`, `"input": "../books.csv"`)
		_, err := check(t, q.Dir, place, q.PackageOptions)
		require.Equal(t, failure.Damaged, app.KindOf(err), "%v", err)
	})
	t.Run("a part that was not allowed", func(t *testing.T) {
		q := fresh(t)
		edit(t, q.Dir, closing.ManifestFile, `"partial": true`, `"partial": false`)
		_, err := check(t, q.Dir, place, q.PackageOptions)
		require.ErrorContains(t, err, "the package is incomplete but not marked as partial")
	})
	t.Run("a program of nobody", func(t *testing.T) {
		q := fresh(t)
		edit(t, q.Dir, closing.ManifestFile, `"journal": "hledger"`, `"journal": "lotus"`)
		_, err := check(t, q.Dir, place, q.PackageOptions)
		require.Equal(t, failure.NotUnderstood, app.KindOf(err), "%v", err)
	})
	t.Run("no package", func(t *testing.T) {
		_, err := check(t, t.TempDir(), place, app.PackageOptions{})
		require.Error(t, err)
	})
	t.Run("no ledger", func(t *testing.T) {
		q := fresh(t)
		_, err := check(t, q.Dir, file(t), q.PackageOptions)
		require.Equal(t, failure.NotFound, app.KindOf(err))
	})
	t.Run("a ledger that was altered", func(t *testing.T) {
		q, other := fresh(t), copied(t)
		alter(t, other, "UPDATE blocks SET record = CAST(record || x'00' AS BLOB) WHERE height = 25")
		_, err := check(t, q.Dir, other, q.PackageOptions)
		require.Equal(t, failure.Damaged, app.KindOf(err), "%v", err)
	})
}

func unquoted(list []string) (plain []string) {
	for _, text := range list {
		plain = append(plain, strings.ReplaceAll(text, `"`, ""))
	}
	return plain
}

// If no source supplies balances, files that need them are taken as they are, with a note; the
// rest is compared.
func TestCheckPackageWithoutAGateway(t *testing.T) {
	long(t)
	leavesNothing(t)
	place := copied(t)
	q := question(t)
	packed(t, opened(t, place), q)
	o := q.PackageOptions
	o.Balances = func() (source.Source, error) { return nil, app.ErrUnanswered }
	c := checked(t, q.Dir, place, o)
	require.True(t, c.Partly())
	require.Empty(t, c.Differences)
	require.Equal(t, []string{"the gateway is not reachable (not answered); the files that need balances were not compared"}, c.Notes)
	require.Equal(t, []string{"journal.hledger", "rollforward.json", "rollforward.xlsx", "statements.json", "statements.xlsx", "manifest.json and cover.pdf: balances, figures and findings that need a gateway"}, c.NotCompared)
	o.Offline = true
	c = checked(t, q.Dir, place, o)
	require.Empty(t, c.Notes)
	require.Empty(t, c.Differences, "the cover, too, is the same")
	require.Len(t, c.NotCompared, 6)
	edit(t, q.Dir, closing.ManifestFile, `"drifts": 0`, `"drifts": 7`)
	require.Len(t, checked(t, q.Dir, place, o).Differences, 1)
	rewritten(t, q.Dir, app.CoverFile, func(text string) string { return text + "\n" })
	require.Contains(t, checked(t, q.Dir, place, o).Differences, "cover.pdf differs from the file made from the ledger")
	o.Offline = false
	o.Balances = func() (source.Source, error) { return nil, errAway }
	_, err := check(t, q.Dir, place, o)
	require.ErrorIs(t, err, errAway, "no trouble that passes")
}

// A ledger that has more of the month by now gives the package of then again; one that has
// other blocks does not.
func TestCheckPackageLater(t *testing.T) {
	long(t)
	place := file(t)
	_, err := app.Sync(t.Context(), place, blocks(t, "0..20"), app.FillOptions{Reader: demo(t)})
	require.NoError(t, err)
	q := question(t)
	q.Books = app.BooksInput{}
	packed(t, opened(t, place), q)
	c := checked(t, q.Dir, copied(t), q.PackageOptions)
	require.Empty(t, c.Differences)
	require.Equal(t, []string{"the ledger contains more of the period now; close it again"}, c.Notes)

	shorter := file(t)
	_, err = app.Sync(t.Context(), shorter, blocks(t, "0..19"), app.FillOptions{Reader: demo(t)})
	require.NoError(t, err)
	c = checked(t, q.Dir, shorter, q.PackageOptions)
	require.Contains(t, c.Differences, "the number of blocks: 19 in the package, 18 in the ledger") // from block 2 on

	shared := filled(t, postgrestest.Start(t).Database(t))
	c = checked(t, q.Dir, shared, q.PackageOptions)
	require.Empty(t, c.Differences, "a database gives the package that a file gives")
}
