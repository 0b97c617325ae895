package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/web"
)

var shownIn = regexp.MustCompile(`name="shown" value="([0-9a-f]+)"`)

// labelling returns a server whose preparers edit the address book, and the path of the file.
func labelling(t *testing.T) (o *office, path string) {
	t.Helper()
	o = newOffice(t, func(c *web.Options) {
		c.Ledgers[0].EditLabels = true
		path = c.Ledgers[0].Labels.Path
	})
	return o, path
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// shown returns what the form of an account shows about it.
func (o *office) shown(t *testing.T, name, address string) string {
	t.Helper()
	found := shownIn.FindStringSubmatch(o.page(t, name, "/account/"+address).text)
	require.NotNil(t, found)
	return found[1]
}

// unlabelledPayer returns a payer of January without a label.
func (o *office) unlabelledPayer(t *testing.T) string {
	t.Helper()
	found := regexp.MustCompile(`name="payer" value="(0x[0-9A-Fa-f]{40})"`).FindStringSubmatch(o.page(t, "anna", "/accounts/unlabelled?period=2026-01").text)
	require.NotNil(t, found)
	return found[1]
}

// The file of the accounts page is an address book with the same entries.
func TestAccountsFileIsAnAddressBook(t *testing.T) {
	o, path := labelling(t)
	want, err := addressbook.Read(strings.NewReader(content(t, path)))
	require.NoError(t, err)
	got, err := addressbook.Read(strings.NewReader(o.page(t, "anna", "/accounts.csv").text))
	require.NoError(t, err)
	said := func(b *addressbook.Book) (list []addressbook.Entry) {
		for _, e := range b.Entries() {
			e.Line = 0
			list = append(list, e)
		}
		return list
	}
	require.NotEmpty(t, said(want))
	require.Equal(t, said(want), said(got))
}

// A preparer labels payers in the list and on the page of an account. The file keeps its other lines, and every page
// shows the new labels.
func TestLabelsAreEdited(t *testing.T) {
	o, path := labelling(t)
	before := content(t, path)
	payer := o.unlabelledPayer(t)
	require.NotContains(t, o.page(t, "anna", "/fees?by=account&period=2026-01").text, "Bridge")
	a := o.send(t, "anna", "/accounts/unlabelled", "payer", payer, "label", " Bridge, <b>main</b> ", "group", "outside", "period", "2026-01")
	require.Equal(t, http.StatusSeeOther, a.status, a.text)
	require.Equal(t, "/accounts/unlabelled?period=2026-01", a.header.Get("Location"))
	require.Equal(t, before+payer+`,"Bridge, <b>main</b>",outside`+"\n", content(t, path))
	require.NotContains(t, o.page(t, "anna", "/accounts/unlabelled?period=2026-01").text, payer)
	for _, page := range []string{"/fees?by=account&period=2026-01", "/accounts", "/account/" + payer, "/overview"} {
		require.Contains(t, o.page(t, "eve", page).text, "Bridge, &lt;b&gt;main&lt;/b&gt;", page)
	}
	require.NotContains(t, o.page(t, "eve", "/account/"+payer).text, `name="book_account"`)
	require.NotContains(t, o.page(t, "eve", "/accounts/unlabelled?period=2026-01").text, `name="label"`)
	a = o.send(t, "anna", "/accounts/unlabelled", "payer", payer, "label", "Another", "period", "2026-01")
	require.Equal(t, http.StatusConflict, a.status)
	require.Contains(t, a.text, "has labelled this account")

	shown := o.shown(t, "anna", payer)
	a = o.send(t, "anna", "/account/"+payer, "label", "Bridge", "group", "", "book_account", "Assets:Bridge", "shown", shown)
	require.Equal(t, http.StatusSeeOther, a.status, a.text)
	require.Equal(t, "/account/"+payer, a.header.Get("Location"))
	require.Equal(t, before+payer+",Bridge,,Assets:Bridge\n", content(t, path))
	a = o.send(t, "carol", "/account/"+payer, "label", "Other bridge", "shown", shown)
	require.Equal(t, http.StatusConflict, a.status, "she saw the label of before")
	require.Contains(t, a.text, `value="Other bridge"`)
	require.Contains(t, a.text, "Its entry is now: Bridge, Assets:Bridge.")
	require.Equal(t, before+payer+",Bridge,,Assets:Bridge\n", content(t, path))
}

// A file that was changed in the meantime is not overwritten: what was typed is kept, and the next attempt is about the
// new file. A file that cannot be read any more keeps the labels in use.
func TestLabelsOfAChangedFile(t *testing.T) {
	o, path := labelling(t)
	payer := o.unlabelledPayer(t)
	changed := content(t, path) + "# by hand\n"
	writeFile(t, path, changed)
	fields := []string{"payer", payer, "label", "Bridge", "group", "outside", "period", "2026-01"}
	a := o.send(t, "anna", "/accounts/unlabelled", fields...)
	require.Equal(t, http.StatusConflict, a.status)
	require.Contains(t, a.text, "The address book has changed since the server read it.")
	require.Contains(t, a.text, `value="Bridge"`)
	require.Equal(t, changed, content(t, path))
	require.Equal(t, http.StatusSeeOther, o.send(t, "anna", "/accounts/unlabelled", fields...).status)
	require.Equal(t, changed+payer+",Bridge,outside\n", content(t, path))

	broken := content(t, path) + "nothing\n"
	writeFile(t, path, broken)
	shown := o.shown(t, "anna", payer)
	for range 2 {
		require.Equal(t, http.StatusConflict, o.send(t, "anna", "/account/"+payer, "label", "X", "shown", shown).status)
	}
	require.Contains(t, o.page(t, "anna", "/accounts").text, "Bridge")
	require.Equal(t, broken, content(t, path))
	require.NoError(t, os.Remove(path))
	gone := o.send(t, "anna", "/account/"+payer, "label", "X", "shown", shown)
	require.NotContains(t, gone.text, path)
	require.NotEqual(t, http.StatusSeeOther, gone.status)
}

// No label without the role, a token of one's own, and text that every reader takes for the same.
func TestLabelsThatAreRefused(t *testing.T) {
	o, path := labelling(t)
	before, payer := content(t, path), o.unlabelledPayer(t)
	for _, name := range []string{"bob", "eve"} {
		require.Equal(t, http.StatusForbidden, o.send(t, name, "/accounts/unlabelled", "payer", payer, "label", "X").status, name)
		require.Equal(t, http.StatusForbidden, o.send(t, name, "/account/"+payer, "label", "X").status, name)
	}
	values := url.Values{"token": {o.as(t, "bob").token}, "payer": {payer}, "label": {"X"}}
	require.Equal(t, http.StatusForbidden, sendFields(t, o.Server, "/accounts/unlabelled", values, with(o.as(t, "anna").cookie)).status)
	for _, label := range []string{"", "=1+1", "@x", "\uff1dx", "a\x00b", "a\nb", "\u202eb", "\xff", strings.Repeat("x", 10_000), "a\u200bb"} {
		a := o.send(t, "anna", "/accounts/unlabelled", "payer", payer, "label", label)
		require.Equal(t, http.StatusBadRequest, a.status, "%q: %s", label, a.text)
	}
	for _, address := range []string{"", "0x1", "../x", "Operations", payer + "\n"} {
		require.NotEqual(t, http.StatusSeeOther, o.send(t, "anna", "/accounts/unlabelled", "payer", address, "label", "X").status, address)
	}
	require.Equal(t, before, content(t, path))

	closed := newOffice(t, nil)
	require.Equal(t, http.StatusNotFound, closed.send(t, "anna", "/accounts/unlabelled", "payer", payer, "label", "X").status)
	require.NotContains(t, closed.page(t, "anna", "/account/"+payer).text, `name="book_account"`)
}

// Edits and readers at the same time: no edit is lost, and every page is whole.
func TestLabelsUnderLoad(t *testing.T) {
	o, path := labelling(t)
	anna, carol := o.as(t, "anna"), o.as(t, "carol")
	var all sync.WaitGroup
	const each = 8
	for n, p := range []*person{anna, carol} {
		all.Go(func() {
			for i := range each {
				address := fmt.Sprintf("0xabcdef%034d", n*100+i)
				values := url.Values{"token": {p.token}, "payer": {address}, "label": {fmt.Sprintf("Wallet %d", n*100+i)}}
				a := sendFields(t, o.Server, "/accounts/unlabelled", values, with(p.cookie))
				if a.status != http.StatusSeeOther {
					t.Errorf("%d: %s", a.status, a.text)
				}
			}
		})
		all.Go(func() {
			for range each {
				if a := get(t, o.Server, "/accounts", with(p.cookie)); a.status != http.StatusOK {
					t.Errorf("%d: %s", a.status, a.text)
				}
			}
		})
	}
	all.Wait()
	text := content(t, path)
	require.Equal(t, 2*each, strings.Count(text, ",Wallet "))
	page := o.page(t, "anna", "/accounts").text
	require.Equal(t, 2*each, strings.Count(page, `aria-label="label of Wallet `))
}

// An edit in the row of a list returns to the list, which offers to undo it. Undoing can be undone, and never overwrites a
// later edit.
func TestEditsInRows(t *testing.T) {
	o, path := labelling(t)
	before := content(t, path)
	const address = "0xabcdef0000000000000000000000000000000000"
	rows := func(name string) string { return o.page(t, name, "/accounts?saved=1").text }
	require.NotContains(t, rows("anna"), "Undo", "nothing was saved")
	payer := o.unlabelledPayer(t)
	a := o.send(t, "anna", "/accounts/unlabelled", "payer", payer, "label", "Bridge", "book_account", "Assets:Bridge", "list", "accounts/unlabelled?period=2026-01", "period", "2026-01")
	require.Equal(t, "/accounts/unlabelled?period=2026-01&saved=1", a.header.Get("Location"))
	require.Equal(t, before+payer+",Bridge,,Assets:Bridge\n", content(t, path))
	saved := content(t, path)
	require.Contains(t, o.page(t, "anna", a.header.Get("Location")).text, "<button>Undo</button>")
	require.NotContains(t, rows("carol"), "Undo", "it is another user's")

	shown := o.shown(t, "anna", payer)
	edit := func(fields ...string) got {
		return o.send(t, "anna", "/account/"+payer, append(fields, "group", "outside", "shown", o.shown(t, "anna", payer), "list", "accounts?sort=label")...)
	}
	a = edit("label", "Main bridge")
	require.Equal(t, "/accounts?saved=1&sort=label", a.header.Get("Location"))
	require.Equal(t, http.StatusSeeOther, edit("label", "Bridge 2", "more", "1").status)
	require.Equal(t, before+payer+",Bridge 2,outside\n", content(t, path))
	a = o.send(t, "anna", "/accounts/undo", "list", "accounts?sort=label")
	require.Equal(t, "/accounts?saved=1&sort=label", a.header.Get("Location"))
	require.Equal(t, saved, content(t, path), "both of a paste are undone")
	require.Equal(t, http.StatusSeeOther, o.send(t, "anna", "/accounts/undo").status)
	require.Equal(t, before+payer+",Bridge 2,outside\n", content(t, path))

	require.Equal(t, http.StatusSeeOther, o.send(t, "carol", "/account/"+payer, "label", "Carol's", "shown", o.shown(t, "carol", payer)).status)
	after := content(t, path)
	require.Equal(t, http.StatusConflict, o.send(t, "anna", "/accounts/undo").status)
	require.Equal(t, after, content(t, path))
	require.Equal(t, http.StatusConflict, o.send(t, "anna", "/account/"+payer, "label", "X", "shown", shown).status)
	require.Equal(t, http.StatusForbidden, o.send(t, "eve", "/accounts/undo").status)
	for _, list := range []string{"//evil.example", "https://evil.example", "accounts/../x", "packages", "accounts?%zz"} {
		a = o.send(t, "anna", "/account/"+address, "label", "A"+list[:1], "shown", o.shown(t, "anna", address), "list", list)
		require.Equal(t, "/account/"+address, strings.ToLower(a.header.Get("Location")), list)
	}
}
