package web_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/internal/web/users"
)

// A restarted server knows the sessions and the forms of the one before, except those that are over, and those of users who
// have another password or other roles, or are gone. Nothing in the file opens a session.
func TestSessionsSurviveARestart(t *testing.T) {
	d, file := filled(t, "0..27"), filepath.Join(t.TempDir(), "users.sessions")
	served := func(change func(*web.Options)) func(o *web.Options) {
		return func(o *web.Options) {
			o.Sessions = file
			if change != nil {
				change(o)
			}
		}
	}
	open := func(change func(*web.Options), c *http.Cookie) int {
		s, _, _ := guarded(t, d, served(change))
		return get(t, s, "/block/25", with(c)).status
	}
	s, now, _ := guarded(t, d, served(nil))
	anna, bob, gone := logIn(t, s, "anna", password), logIn(t, s, "bob", other), logIn(t, s, "anna", password)
	form := tokenIn.FindStringSubmatch(get(t, s, "/block/25", with(anna)).text)[1]
	require.Equal(t, http.StatusSeeOther, sendFields(t, s, "/logout", url.Values{"token": {tokenIn.FindStringSubmatch(get(t, s, "/block/25", with(gone)).text)[1]}}, with(gone)).status)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	for _, secret := range []string{anna.Value, bob.Value, password, other} {
		require.NotContains(t, string(text), secret)
	}

	require.Equal(t, http.StatusOK, open(nil, anna))
	require.Equal(t, http.StatusOK, open(nil, bob))
	require.Equal(t, http.StatusSeeOther, open(nil, gone), "logged out before")
	require.Equal(t, http.StatusSeeOther, open(nil, &http.Cookie{Name: "fees", Value: strings.Repeat("A", 43)}))
	require.Equal(t, http.StatusSeeOther, open(func(o *web.Options) { o.Sessions = "" }, anna), "a server without the file")
	hash, err := bcrypt.GenerateFromPassword([]byte("another password"), 10)
	require.NoError(t, err)
	changed := readers().Entry("bob")
	for what, text := range map[string]string{
		"another password": "anna:" + string(hash) + "\nbob:" + strings.TrimSuffix(changed, ":") + "\n",
		"other roles":      "anna:" + strings.TrimSuffix(readers().Entry("anna"), ":") + ":preparer\nbob:" + strings.TrimSuffix(changed, ":") + "\n",
		"gone":             "bob:" + strings.TrimSuffix(changed, ":") + "\n",
	} {
		u, err := users.Parse("users.txt", []byte(text))
		require.NoError(t, err)
		with := func(o *web.Options) { o.Users = u }
		require.Equal(t, http.StatusSeeOther, open(with, anna), what)
		require.Equal(t, http.StatusOK, open(with, bob), what)
	}

	restarted, _, _ := guarded(t, d, served(nil))
	require.Equal(t, http.StatusSeeOther, sendFields(t, restarted, "/logout", url.Values{"token": {form}}, with(anna)).status, "a form from before")
	require.Equal(t, http.StatusSeeOther, open(nil, anna), "logged out after the restart")

	// The last use is saved, so that a session lasts as long as without a restart. A clock that went back ends it.
	now.goOn(90 * time.Minute)
	require.Equal(t, http.StatusOK, get(t, s, "/block/25", with(bob)).status)
	require.Equal(t, http.StatusSeeOther, open(nil, bob), "used later than the clock says")

	// If a log-out cannot be saved, the file is removed: nobody who has logged out is logged in again.
	leaving := logIn(t, s, "anna", password)
	token := tokenIn.FindStringSubmatch(get(t, s, "/block/25", with(leaving)).text)[1]
	text, err = os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), "anna")
	require.NoError(t, os.Remove(file))
	require.NoError(t, os.Symlink("/dev/full", file)) // what cannot be replaced
	require.Equal(t, http.StatusSeeOther, sendFields(t, s, "/logout", url.Values{"token": {token}}, with(leaving)).status)
	require.NoFileExists(t, file)
	require.NoError(t, os.WriteFile(file, nil, 0o600))

	// A file that cannot be used is no reason not to serve.
	for what, spoil := range map[string]func(){
		"not JSON": func() { require.NoError(t, os.WriteFile(file, []byte("{"), 0o600)) },
		"others can read it": func() {
			require.NoError(t, os.WriteFile(file, []byte("{}"), 0o600))
			require.NoError(t, os.Chmod(file, 0o644))
		},
		"odd entries": func() {
			require.NoError(t, os.Chmod(file, 0o600))
			require.NoError(t, os.WriteFile(file, []byte(`{"key":"","sessions":{"00":{"user":"anna"},"x":null}}`), 0o600))
		},
		"a directory": func() { require.NoError(t, os.Remove(file)); require.NoError(t, os.Mkdir(file, 0o700)) },
	} {
		spoil()
		s, _, _ := guarded(t, d, served(nil))
		require.Equal(t, http.StatusOK, get(t, s, "/block/25", with(logIn(t, s, "anna", password))).status, what)
		require.NoError(t, os.RemoveAll(file))
		require.NoError(t, os.WriteFile(file, nil, 0o600))
	}
}
