package users

import (
	"fmt"
	"hash/maphash"
	"os"
	"regexp"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/bcrypt"

	"github.com/feeledger/fees/internal/sys/disk"
)

// Limits of the file, of names and of passwords.
const (
	maxBytes      = 1 << 20
	maxName       = 64 // bytes
	LeastPassword = 12 // bytes
	MaxPassword   = 72 // bytes: bcrypt ignores the rest
	cost          = 10 // of new hashes: what OWASP asks for at least; 20 users can log in within a second
	leastCost     = 10 // below it, the hashes of a stolen file are cracked too fast
	maxCost       = 14 // above it, logging in takes seconds
)

// Users are the users who may log in.
type Users struct {
	list   []user
	byName map[string]int // index in list
	seed   maphash.Seed
}

type user struct {
	name  string
	hash  []byte
	roles []Role
}

// Read reads a file of users. It rejects a file that everyone can read or that others can change.
func Read(path string) (*Users, error) {
	text, err := ReadSecret(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// ReadSecret reads a file that contains secrets. It rejects one that everyone can read or that others can change.
func ReadSecret(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode(); runtime.GOOS != "windows" && mode.IsRegular() && mode&0o027 != 0 {
		return nil, fmt.Errorf("the mode %04[2]o of %[1]s lets others read or change it; run: chmod 600 %[1]s", path, mode.Perm())
	}
	return disk.ReadAtMost(file, path, maxBytes)
}

// hashForm matches a bcrypt hash: the cost, then salt and hash.
var hashForm = regexp.MustCompile(`^\$2[aby]\$([0-9]{2})\$[./A-Za-z0-9]{53}$`)

// Parse parses the text of a file of users. The path is for errors.
func Parse(path string, text []byte) (*Users, error) {
	u := &Users{byName: map[string]int{}, seed: maphash.MakeSeed()}
	for i, line := range lines(text) {
		l, ok := lineOf(line)
		if !ok {
			continue
		}
		if err := u.add(l); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, i+1, err)
		}
	}
	if len(u.list) == 0 {
		return nil, fmt.Errorf("%s contains no users; add one with: fees serve password NAME --users %[1]s", path)
	}
	return u, nil
}

func lines(text []byte) []string { return strings.Split(string(text), "\n") }

// userLine is a line of the file: NAME:HASH or NAME:HASH:ROLES.
type userLine struct {
	name, hash, roles string
	hasRoles          bool
}

// lineOf splits a line that is not a comment and not empty.
func lineOf(text string) (l userLine, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" || strings.HasPrefix(text, "#") {
		return l, false
	}
	l.name, l.hash, _ = strings.Cut(text, ":")
	l.hash, l.roles, l.hasRoles = strings.Cut(l.hash, ":")
	return l, true
}

func (u *Users) add(l userLine) error {
	name, hash := l.name, l.hash
	if err := CheckName(name); err != nil {
		return err
	}
	if _, there := u.byName[name]; there {
		return fmt.Errorf("the user %s is listed twice", name)
	}
	if !hashForm.MatchString(hash) {
		return fmt.Errorf("the value after %s: is not a bcrypt hash; create one with fees serve password or htpasswd -B -C %d", name, cost)
	}
	if has, err := bcrypt.Cost([]byte(hash)); err != nil || has < leastCost || has > maxCost {
		return fmt.Errorf("the bcrypt cost of %s is %d, not %d to %d; replace the hash with fees serve password", name, has, leastCost, maxCost)
	}
	var roles []Role
	if l.hasRoles {
		var err error
		if roles, err = ParseRoles(l.roles); err != nil {
			return fmt.Errorf("the third value of %s: %w", name, err)
		}
	}
	u.byName[name] = len(u.list)
	u.list = append(u.list, user{name, []byte(hash), roles})
	return nil
}

// Entry returns the user's password hash and roles as the file has them; "" if there is no such user.
func (u *Users) Entry(name string) string {
	at, there := u.byName[name]
	if !there {
		return ""
	}
	return string(u.list[at].hash) + ":" + joinRoles(u.list[at].roles)
}

// Has reports whether the user exists.
func (u *Users) Has(name string) bool {
	_, there := u.byName[name]
	return there
}

// Fit reports whether a password belongs to a name. For an unknown name the hash of some user is checked, always
// the same one, so that it takes as long whatever the costs in the file.
func (u *Users) Fit(name, password string) bool {
	at, there := u.byName[name]
	if !there {
		at = int(maphash.String(u.seed, name) % uint64(len(u.list)))
	}
	fit := bcrypt.CompareHashAndPassword(u.list[at].hash, []byte(password[:min(len(password), MaxPassword)])) == nil
	return fit && there && len(password) <= MaxPassword
}

// CheckName rejects invalid user names. The error omits the name, which may be a misplaced hash or
// password.
func CheckName(name string) error {
	odd := func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) && !strings.ContainsRune("._@+-", r)
	}
	if name == "" || len(name) > maxName || !utf8.ValidString(name) || strings.ContainsFunc(name, odd) {
		return fmt.Errorf("a user name may contain only letters, digits and . _ @ + -, at most %d bytes", maxName)
	}
	return nil
}

// CheckPassword rejects unsuitable passwords.
func CheckPassword(password string) error {
	switch {
	case len(password) < LeastPassword || len(password) > MaxPassword:
		return fmt.Errorf("the password has %d bytes; it must have %d to %d", len(password), LeastPassword, MaxPassword)
	case !utf8.ValidString(password) || strings.ContainsFunc(password, unicode.IsControl):
		return fmt.Errorf("the password contains a control character or invalid UTF-8")
	}
	return nil
}

// Set returns the file's text with the user's password set, or with the user added. Nil roles keep the user's
// roles; an empty list removes them. All other lines stay unchanged. A missing file counts as empty.
func Set(path, name, password string, roles []Role) (text []byte, err error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	if err := CheckPassword(password); err != nil {
		return nil, err
	}
	if text, err = ReadSecret(path); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), cost)
	if err != nil {
		return nil, err
	}
	list := lines(text)
	if list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	own := name + ":" + string(hash)
	if len(roles) > 0 {
		own += ":" + joinRoles(roles)
	}
	found := false
	for i, text := range list {
		if l, ok := lineOf(text); ok && l.name == name {
			if list[i], found = own, true; roles == nil && l.hasRoles {
				list[i] += ":" + l.roles
			}
		}
	}
	if !found {
		list = append(list, own)
	}
	text = []byte(strings.Join(list, "\n") + "\n")
	if _, err := Parse(path, text); err != nil {
		return nil, err
	}
	return text, nil
}
