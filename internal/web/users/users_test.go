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

// known is a hash that OpenBSD's bcrypt made, with its password: a vector of crypt_blowfish's
// test suite (wrapper.c), with the prefix that Apache writes.
const (
	known         = "$2y$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e"
	knownPassword = "\xff\xff\xa3"
)

// hashed is a hash of the least cost that a file may have.
func hashed(t testing.TB, password string) string {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), 10)
	require.NoError(t, err)
	return string(hash)
}

// A password fits its own user's name, and no other's.
func TestFit(t *testing.T) {
	longest := strings.Repeat("x", users.MostPassword)
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

// What is no file of users is refused with its line, and no error has a hash.
func TestHostileFiles(t *testing.T) {
	hash := hashed(t, "correct horse")
	for text, want := range map[string]string{
		"":                                "users.txt: it has no users: fees serve password NAME --users users.txt adds one",
		"# nobody\n":                      "it has no users",
		"anna:" + hash + "\nanna:" + hash: "users.txt, line 2: the user anna is there already",
		"anna":                            "users.txt, line 1: what follows anna: is no hash of bcrypt: htpasswd -B -C 12 and fees serve password make one",
		"anna:secret-of-hers":             "line 1: what follows anna:",
		"anna:$apr1$x$secret-of-hers":     "line 1: what follows anna:",
		"\n\nanna:" + hash + ":" + hash:   "line 3: what follows anna:",
		"anna:" + known:                   "line 1: the hash of anna has the cost 5, want 10 to 14: fees serve password makes it anew",
		"anna:" + strings.Replace(hash, "$10$", "$31$", 1): "has the cost 31",
		"anna:" + strings.Replace(hash, "$10$", "$99$", 1): "has the cost",
		":" + hash:                              "line 1: a user's name has letters, digits and . _ @ + - alone, 64 bytes at most",
		hash + ":anna":                          "a user's name has letters",
		hash:                                    "a user's name has letters",
		"an na:" + hash:                         "a user's name has letters",
		"\x00:" + hash:                          "a user's name has letters",
		"\xff:" + hash:                          "a user's name has letters",
		"\u202eanna:" + hash:                    "a user's name has letters",
		strings.Repeat("a", 65) + ":" + hash:    "a user's name has letters",
		"\ufeffanna:" + hash:                    "a user's name has letters",
		"anna:" + hash + "\nb:\n" + "c:" + hash: "line 2: what follows b:",
	} {
		_, err := users.Parse("users.txt", []byte(text))
		require.ErrorContains(t, err, want, "%q", text)
		require.NotContains(t, err.Error(), hash[7:], "%q", text)
		require.NotContains(t, err.Error(), "secret-of-hers")
	}
	require.NoError(t, bcrypt.CompareHashAndPassword([]byte(known), []byte(knownPassword)), "the hash of another program")
}

// A file with the users' hashes is for its owner, and for a group that only reads it.
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
			require.EqualError(t, err, fmt.Sprintf("%s: its mode is %04o: everybody can read it, or others can change it: chmod 600 %[1]s", path, mode))
		}
	}
	_, err = users.Read(path + ".not")
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = users.Read(t.TempDir())
	require.Error(t, err)
	large := filepath.Join(t.TempDir(), "large.txt")
	require.NoError(t, os.WriteFile(large, make([]byte, 1<<20+1), 0o600))
	_, err = users.Read(large)
	require.EqualError(t, err, large+": it is larger than 1048576 bytes")
}

// A password that is set fits from then on, the one before does not, and all else stays.
func TestSet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "users.txt")
	set := func(name, password string) *users.Users {
		text, err := users.Set(path, name, password)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, text, 0o600))
		u, err := users.Read(path)
		require.NoError(t, err)
		return u
	}
	require.True(t, set("anna", "correct horse").Fit("anna", "correct horse"))
	first, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Regexp(t, `^anna:\$2a\$12\$[./A-Za-z0-9]{53}\n$`, string(first))
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
		{"a:b", "correct horse", "a user's name has letters"},
		{"anna", "elevenbytes", "the password has 11 bytes, want 12 to 72"},
		{"anna", strings.Repeat("x", 73), "the password has 73 bytes"},
		{"anna", "correct\x00horse", "cannot be typed"},
		{"anna", "correct horse\xff", "cannot be typed"},
	} {
		_, err := users.Set(path, c.name, c.password)
		require.ErrorContains(t, err, c.want)
		require.NotContains(t, err.Error(), c.password)
	}
	require.NoError(t, os.WriteFile(path, []byte("bob:secret\n"), 0o600))
	_, err = users.Set(path, "anna", "correct horse")
	require.ErrorContains(t, err, "line 1: what follows bob:")
	require.NoError(t, os.Chmod(path, 0o666))
	_, err = users.Set(path, "anna", "correct horse")
	if runtime.GOOS != "windows" {
		require.ErrorContains(t, err, "chmod 600")
	}
}

// No file makes it fail, nobody who is not in it fits, and no error has what follows a name.
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
				require.Len(t, hash, 60)
			}
		}
	})
}
