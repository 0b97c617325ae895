package users_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"github.com/feeledger/fees/internal/web/users"
)

// known is a hash by OpenBSD's bcrypt with its password: a vector of crypt_blowfish's test suite
// (wrapper.c), with Apache's prefix.
const (
	known         = "$2y$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e"
	knownPassword = "\xff\xff\xa3"
)

// hashed returns a hash of the lowest accepted cost.
func hashed(t testing.TB, password string) string {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), 10)
	require.NoError(t, err)
	return string(hash)
}

// A password is accepted only for its own user.
func TestFit(t *testing.T) {
	longest := strings.Repeat("x", users.MaxPassword)
	u, err := users.Parse("users.txt", []byte("# readers\n\nanna:"+hashed(t, "correct horse")+"\r\n  \nbo.b@example.org:"+hashed(t, longest)+"\n"))
	require.NoError(t, err)
	for _, c := range []struct {
		name, password string
		want           bool
	}{
		{"anna", "correct horse", true}, {"bo.b@example.org", longest, true}, {"anna", longest, false}, {"anna", "", false}, {"Anna", "correct horse", false},
		{"bo.b@example.org", longest + "x", false}, {"", "", false}, {"nobody", "correct horse", false}, {"nobody", longest, false}, {"# readers", "", false},
	} {
		require.Equal(t, c.want, u.Fit(c.name, c.password), c.name)
	}
	require.True(t, u.Has("anna"))
	require.False(t, u.Has("nobody"))
}

// Invalid files of users are rejected with the line, and no error contains a hash.
func TestHostileFiles(t *testing.T) {
	hash := hashed(t, "correct horse")
	for text, want := range map[string]string{
		"":                                    "users.txt contains no users; add one with: fees serve password NAME --users users.txt",
		"# nobody\n":                          "contains no users",
		"anna:" + hash + "\nanna:" + hash:     "users.txt, line 2: the user anna is listed twice",
		"anna":                                "users.txt, line 1: the value after anna: is not a bcrypt hash; create one with fees serve password or htpasswd -B -C 10",
		"anna:secret-of-hers":                 "line 1: the value after anna:",
		"anna:$apr1$x$secret-of-hers":         "line 1: the value after anna:",
		"\n\nanna:" + hash + ":" + hash:       "line 3: the third value of anna: the roles must be preparer, reviewer or both, separated by a comma",
		"anna:" + hash + ":":                  "line 1: the third value of anna: the roles must be",
		"anna:" + hash + ":admin":             "line 1: the third value of anna: the roles must be",
		"anna:" + hash + ":preparer,preparer": "line 1: the third value of anna: the roles must be",
		"anna:" + hash + ":preparer,":         "line 1: the third value of anna: the roles must be",
		"anna:" + hash + ":Preparer":          "line 1: the third value of anna: the roles must be",
		"anna:" + hash + ": preparer":         "line 1: the third value of anna: the roles must be",
		"anna:" + hash + ":preparer:reviewer": "line 1: the third value of anna: the roles must be",
		"anna:" + known:                       "line 1: the bcrypt cost of anna is 5, not 10 to 14; replace the hash with fees serve password",
		"anna:" + strings.Replace(hash, "$10$", "$31$", 1): "cost of anna is 31",
		"anna:" + strings.Replace(hash, "$10$", "$99$", 1): "cost of anna is",
		":" + hash:                              "line 1: a user name may contain only letters, digits and . _ @ + -, at most 64 bytes",
		hash + ":anna":                          "a user name may contain only letters",
		hash:                                    "a user name may contain only letters",
		"an na:" + hash:                         "a user name may contain only letters",
		"\x00:" + hash:                          "a user name may contain only letters",
		"\xff:" + hash:                          "a user name may contain only letters",
		"\u202eanna:" + hash:                    "a user name may contain only letters",
		strings.Repeat("a", 65) + ":" + hash:    "a user name may contain only letters",
		"\ufeffanna:" + hash:                    "a user name may contain only letters",
		"anna:" + hash + "\nb:\n" + "c:" + hash: "line 2: the value after b:",
	} {
		_, err := users.Parse("users.txt", []byte(text))
		require.ErrorContains(t, err, want, "%q", text)
		require.NotContains(t, err.Error(), hash[7:], "%q", text)
		require.NotContains(t, err.Error(), "secret-of-hers")
	}
	require.NoError(t, bcrypt.CompareHashAndPassword([]byte(known), []byte(knownPassword)), "the hash of another program")
}

// A file with hashes may be readable only by its owner and group, and writable only by its owner.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "users.txt")
	require.NoError(t, os.WriteFile(path, []byte("anna:"+hashed(t, "correct horse")+"\n"), 0o600))
	u, err := users.Read(path)
	require.NoError(t, err)
	require.True(t, u.Fit("anna", "correct horse"))
	if runtime.GOOS != "windows" {
		for mode, fits := range map[os.FileMode]bool{0o600: true, 0o400: true, 0o440: true, 0o640: true, 0o604: false, 0o644: false, 0o660: false, 0o602: false, 0o620: false} {
			require.NoError(t, os.Chmod(path, mode))
			_, err := users.Read(path)
			if fits && os.Getuid() != 0 && mode&0o400 == 0 {
				continue
			}
			if fits {
				require.NoError(t, err, mode)
				continue
			}
			require.EqualError(t, err, fmt.Sprintf("the mode %04[2]o of %[1]s lets others read or change it; run: chmod 600 %[1]s", path, mode))
		}
	}
	_, err = users.Read(path + ".not")
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = users.Read(t.TempDir())
	require.Error(t, err)
	large := filepath.Join(t.TempDir(), "large.txt")
	require.NoError(t, os.WriteFile(large, make([]byte, 1<<20+1), 0o600))
	_, err = users.Read(large)
	require.EqualError(t, err, large+" is larger than 1048576 bytes")
}

// A newly set password is accepted, the previous one is not, and everything else is unchanged.
func TestSet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "users.txt")
	set := func(name, password string) *users.Users {
		text, err := users.Set(path, name, password, nil)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, text, 0o600))
		u, err := users.Read(path)
		require.NoError(t, err)
		return u
	}
	require.True(t, set("anna", "correct horse").Fit("anna", "correct horse"))
	first, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Regexp(t, `^anna:\$2a\$10\$[./A-Za-z0-9]{53}\n$`, string(first))
	require.NoError(t, os.WriteFile(path, append([]byte("# readers\n"), first...), 0o600))
	u := set("bob", "battery staple")
	require.True(t, u.Fit("anna", "correct horse"))
	second, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(second), "# readers\n"+string(first)+"bob:"))
	u = set("anna", "another horse")
	require.True(t, u.Fit("anna", "another horse"))
	require.False(t, u.Fit("anna", "correct horse"))
	require.True(t, u.Fit("bob", "battery staple"))
	require.NotContains(t, string(second), "horse")

	for _, c := range []struct{ name, password, want string }{
		{"a:b", "correct horse", "a user name may contain only letters"},
		{"anna", "elevenbytes", "the password has 11 bytes; it must have 12 to 72"},
		{"anna", strings.Repeat("x", 73), "the password has 73 bytes"},
		{"anna", "correct\x00horse", "the password contains a control character or invalid UTF-8"},
		{"anna", "correct horse\xff", "the password contains a control character or invalid UTF-8"},
	} {
		_, err := users.Set(path, c.name, c.password, nil)
		require.ErrorContains(t, err, c.want)
		require.NotContains(t, err.Error(), c.password)
	}
	require.NoError(t, os.WriteFile(path, []byte("bob:secret\n"), 0o600))
	_, err = users.Set(path, "anna", "correct horse", nil)
	require.ErrorContains(t, err, "line 1: the value after bob:")
	require.NoError(t, os.Chmod(path, 0o666))
	_, err = users.Set(path, "anna", "correct horse", nil)
	if runtime.GOOS != "windows" {
		require.ErrorContains(t, err, "chmod 600")
	}
}

// No file causes a panic, no unknown user is accepted, and no error contains the text after a name.
func FuzzParse(f *testing.F) {
	f.Add("anna:" + known)
	f.Add("anna:$2y$10$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e\n# x\n")
	f.Add(":\n:::\r\n#\x00")
	f.Fuzz(func(t *testing.T, text string) {
		u, err := users.Parse("users.txt", []byte(text))
		if err != nil {
			require.Nil(t, u)
			require.LessOrEqual(t, len(err.Error()), 400)
			return
		}
		require.False(t, u.Has(""))
		for line := range strings.Lines(text) {
			if name, hash, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && !strings.HasPrefix(name, "#") {
				require.True(t, u.Has(name))
				require.NoError(t, users.CheckName(name))
				hash, _, _ = strings.Cut(hash, ":")
				require.Len(t, hash, 60)
			}
		}
	})
}

// The entry of a user changes with the password and the roles.
func TestEntry(t *testing.T) {
	entry := func(text, name string) string {
		u, err := users.Parse("users.txt", []byte(text))
		require.NoError(t, err)
		return u.Entry(name)
	}
	first, second := hashed(t, "correct horse"), hashed(t, "battery staple")
	require.Equal(t, first+":", entry("anna:"+first+"\n", "anna"))
	require.Equal(t, second+":", entry("anna:"+second+"\n", "anna"))
	require.Equal(t, first+":preparer,reviewer", entry("anna:"+first+":preparer,reviewer\n", "anna"))
	require.Empty(t, entry("anna:"+first+"\n", "bob"))
}
