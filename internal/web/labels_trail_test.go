package web_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/web"
)

// edits returns the lines of the audit trail about labels.
func (o *office) edits(t *testing.T) (list []ledger.Act) {
	t.Helper()
	acts, err := o.ledger.Book.Trail(t.Context())
	require.NoError(t, err)
	for _, a := range acts {
		if a.Kind == ledger.Labelled {
			list = append(list, a)
		}
	}
	return list
}

// Each edit leaves a line in the audit trail: who, which account, its entry before and after, and the SHA-256 of the file.
// An edit that changes nothing leaves none, and closing a month is not disturbed.
func TestLabelsLeaveALine(t *testing.T) {
	o, path := labelling(t)
	payer := o.unlabelledPayer(t)
	sum := o.prepare(t, "anna", "group:company")
	a := o.send(t, "anna", "/accounts/unlabelled", "payer", payer, "label", `Bridge "main"`, "group", "outside", "period", "2026-01")
	require.Equal(t, http.StatusSeeOther, a.status, a.text)
	first := ledger.Digest(sha256.Sum256([]byte(content(t, path))))
	fields := []string{"label", "Cold", "group", "", "book_account", "Assets:Cold", "shown", o.shown(t, "carol", payer)}
	require.Equal(t, http.StatusSeeOther, o.send(t, "carol", "/account/"+payer, fields...).status)
	fields[len(fields)-1] = o.shown(t, "carol", payer)
	before := content(t, path)
	require.Equal(t, http.StatusSeeOther, o.send(t, "carol", "/account/"+payer, fields...).status, "the same once more")
	require.Equal(t, before, content(t, path))

	list := o.edits(t)
	require.Len(t, list, 2)
	require.Equal(t, []string{"anna", payer, "", `label "Bridge \"main\"", group "outside"`}, []string{list[0].User, list[0].Account, list[0].EntryBefore, list[0].EntryAfter})
	require.Equal(t, []string{"carol", payer, list[0].EntryAfter, `label "Cold", account "Assets:Cold"`}, []string{list[1].User, list[1].Account, list[1].EntryBefore, list[1].EntryAfter})
	require.Equal(t, first, list[0].Manifest)
	require.Equal(t, ledger.Digest(sha256.Sum256([]byte(before))), list[1].Manifest)
	require.False(t, list[0].Time.Std().IsZero())
	require.Equal(t, http.StatusSeeOther, o.act(t, "bob", "approved", sum, "").status)
	require.Equal(t, http.StatusSeeOther, o.act(t, "anna", "closed", sum, "").status)
	require.Equal(t, []string{"anna prepared", "anna labelled", "carol labelled", "bob approved", "anna closed"}, o.trail(t))
	c, err := app.CheckPackage(t.Context(), filepath.Join(o.shelf, "2026-01"), again(o.ledger), app.Vouchers{}, app.PackageOptions{Program: "a test"})
	require.NoError(t, err)
	require.Empty(t, append(c.Damage, c.Differences...))
}

// Accounts of 32 bytes are labelled too, in whatever form they are named. The audit trail, a new line and a refusal name
// them in the chain's own form; an entry keeps the form that the file has.
func TestLabelsOfLongAccounts(t *testing.T) {
	d, _ := living(t)
	alice, err := chain.ParseAccount("5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY")
	require.NoError(t, err)
	evm, err := chain.ParseAccount(alith)
	require.NoError(t, err)
	named := evm.Hashed().SS58(0)
	labels := book(t, "address,label\n"+alith+",Alith\n")
	o := &office{ledger: d, people: map[string]*person{}}
	o.Server, o.clock, _ = guarded(t, d, func(c *web.Options) {
		l := &c.Ledgers[0]
		l.Labels, l.Place, l.EditLabels = labels, "fees.db", true
		l.OpenTrail = func(ctx context.Context) (*app.Ledger, error) { return app.OpenTrail(ctx, d.Place, d.Tables) }
		c.Users, c.Working = closers(), &o.working
	})
	for _, edit := range [][]string{{alice.SS58(0), "Alice"}, {alice.String(), "Cold"}, {named, "Hot"}} {
		a := o.send(t, "anna", "/account/"+edit[0], "label", edit[1], "shown", o.shown(t, "anna", edit[0]))
		require.Equal(t, http.StatusSeeOther, a.status, a.text)
	}
	own := alice.SS58(13116)
	require.Equal(t, "address,label\n"+alith+",Hot\n"+own+",Cold\n", content(t, labels.Path))
	var said []string
	for _, a := range o.edits(t) {
		said = append(said, a.Account+" "+a.EntryAfter)
	}
	require.Equal(t, []string{own + ` label "Alice"`, own + ` label "Cold"`, evm.Hashed().SS58(13116) + ` label "Hot"`}, said)
	a := o.send(t, "anna", "/account/"+named, "label", "Cold", "shown", o.shown(t, "anna", named))
	require.Contains(t, a.text, "is also that of "+own)
}

// A label whose line cannot be written does not change. A line whose label cannot be written is followed by one that says
// so.
func TestLabelsWithoutALine(t *testing.T) {
	var path string
	var failing error
	lost := false
	o := newOffice(t, func(c *web.Options) {
		l := &c.Ledgers[0]
		text, err := os.ReadFile(l.Labels.Path)
		require.NoError(t, err)
		path = filepath.Join(t.TempDir(), "own", "accounts.csv")
		require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
		writeFile(t, path, string(text))
		l.Labels, err = app.ReadAddressBook(path)
		require.NoError(t, err)
		opened := l.OpenTrail
		l.EditLabels, l.OpenTrail = true, func(ctx context.Context) (*app.Ledger, error) {
			if failing != nil {
				return nil, failing
			}
			if lost {
				require.NoError(t, os.RemoveAll(filepath.Dir(path)))
			}
			return opened(ctx)
		}
	})
	payer, before := o.unlabelledPayer(t), content(t, path)
	fields := []string{"payer", payer, "label", "Bridge", "period", "2026-01"}
	for err, status := range map[error]int{ledger.ErrLocked: http.StatusServiceUnavailable, errors.New("the disk of " + path): http.StatusInternalServerError} {
		failing = err
		a := o.send(t, "anna", "/accounts/unlabelled", fields...)
		require.Equal(t, status, a.status, a.text)
		require.NotContains(t, a.text, path)
		require.Contains(t, a.text, "label=Bridge", "what was typed is kept")
		require.Equal(t, before, content(t, path))
		require.NotContains(t, o.page(t, "anna", "/account/"+payer).text, "<h1>Bridge")
	}
	failing, lost = nil, true
	require.NotEqual(t, http.StatusSeeOther, o.send(t, "anna", "/accounts/unlabelled", fields...).status)
	list := o.edits(t)
	require.Len(t, list, 2)
	require.Equal(t, []string{"", `label "Bridge"`, `label "Bridge"`, ""}, []string{list[0].EntryBefore, list[0].EntryAfter, list[1].EntryBefore, list[1].EntryAfter})
	require.Equal(t, ledger.Digest(sha256.Sum256([]byte(before))), list[1].Manifest)

	without := newOffice(t, func(c *web.Options) { c.Ledgers[0].EditLabels, c.Ledgers[0].OpenTrail = true, nil })
	require.Equal(t, http.StatusNotFound, without.send(t, "anna", "/accounts/unlabelled", fields...).status)
	require.NotContains(t, without.page(t, "anna", "/account/"+payer).text, `name="book_account"`)
}
