package users_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/web/users"
)

// A user has the roles of the file, and a line of htpasswd has none.
func TestRoles(t *testing.T) {
	hash := hashed(t, "correct horse")
	u, err := users.Parse("users.txt", []byte("anna:"+hash+":preparer\nbob:"+hash+":reviewer,preparer\r\ncarol:"+hash+"\n"))
	require.NoError(t, err)
	require.Equal(t, []users.Role{users.Preparer}, u.Roles("anna"))
	require.Equal(t, []users.Role{users.Reviewer, users.Preparer}, u.Roles("bob"))
	require.Empty(t, u.Roles("carol"))
	require.Empty(t, u.Roles("dora"))
	require.True(t, u.Is("bob", users.Preparer))
	require.False(t, u.Is("anna", users.Reviewer))
	require.False(t, u.Is("dora", users.Reviewer))
	require.True(t, u.Fit("anna", "correct horse"), "roles are not part of the hash")
	u.Roles("anna")[0] = users.Reviewer
	require.False(t, u.Is("anna", users.Reviewer), "a caller changed the roles")
}

// A new password keeps the roles unless they are set too.
func TestSetRoles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "users.txt")
	set := func(roles []users.Role) []users.Role {
		text, err := users.Set(path, "anna", "correct horse", roles)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, text, 0o600))
		u, err := users.Read(path)
		require.NoError(t, err)
		return u.Roles("anna")
	}
	require.Empty(t, set(nil))
	require.Equal(t, []users.Role{users.Preparer, users.Reviewer}, set([]users.Role{users.Preparer, users.Reviewer}))
	require.Equal(t, []users.Role{users.Preparer, users.Reviewer}, set(nil))
	require.Equal(t, []users.Role{users.Reviewer}, set([]users.Role{users.Reviewer}))
	require.Empty(t, set([]users.Role{}))
}
