package users

import (
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/bcrypt"
)

// The bounds of a file, of names, and of passwords.
const (
	mostBytes     = 1 << 20
	mostName      = 64 // bytes
	LeastPassword = 12 // bytes
	MostPassword  = 72 // bytes: bcrypt sees no more
	cost          = 12 // of new hashes
	leastCost     = 10 // below it, a stolen file gives the passwords away too soon
	mostCost      = 14 // above it, a log-in takes seconds
)

// Users are those who may log in.
type Users struct {
	list   []user
	byName map[string]int // where in the list each is
	seed   maphash.Seed
}

type user struct {
	name string
	hash []byte
}

// Read reads a file of users. It refuses one that everybody can read or that others can change.
func Read(path string) (*Users, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// readFile reads a file that has secrets.
func readFile(path string) ([]byte, error) {
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
		return nil, fmt.Errorf("%s: its mode is %04o: everybody can read it, or others can change it: chmod 600 %[1]s", path, mode.Perm())
	}
	text, err := io.ReadAll(io.LimitReader(file, mostBytes+1))
	if err == nil && len(text) > mostBytes {
		err = fmt.Errorf("%s: it is larger than %d bytes", path, mostBytes)
	}
	return text, err
}

// hashForm is how a hash of bcrypt is written: the cost, then salt and hash.
var hashForm = regexp.MustCompile(`^\$2[aby]\$([0-9]{2})\$[./A-Za-z0-9]{53}$`)

// Parse reads the text of a file of users. The path is for errors.
func Parse(path string, text []byte) (*Users, error) {
	u := &Users{byName: map[string]int{}, seed: maphash.MakeSeed()}
	for i, line := range lines(text) {
		name, hash, ok := userOf(line)
		if !ok {
			continue
		}
		if err := u.add(name, hash); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, i+1, err)
		}
	}
	if len(u.list) == 0 {
		return nil, fmt.Errorf("%s: it has no users: fees serve password NAME --users %[1]s adds one", path)
	}
	return u, nil
}

func lines(text []byte) []string { return strings.Split(string(text), "\n") }

// userOf takes a line apart, if it is no comment and not empty.
func userOf(line string) (name, hash string, ok bool) {
	line = strings.TrimSpace(line)
	if line == "" || strings.HasPrefix(line, "#") {
		return "", "", false
	}
	name, hash, _ = strings.Cut(line, ":")
	return name, hash, true
}

func (u *Users) add(name, hash string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if _, there := u.byName[name]; there {
		return fmt.Errorf("the user %s is there already", name)
	}
	if !hashForm.MatchString(hash) {
		return fmt.Errorf("what follows %s: is no hash of bcrypt: htpasswd -B -C %d and fees serve password make one", name, cost)
	}
	if has, err := bcrypt.Cost([]byte(hash)); err != nil || has < leastCost || has > mostCost {
		return fmt.Errorf("the hash of %s has the cost %d, want %d to %d: fees serve password makes it anew", name, has, leastCost, mostCost)
	}
	u.byName[name] = len(u.list)
	u.list = append(u.list, user{name, []byte(hash)})
	return nil
}

// Has tells whether there is a user of a name.
func (u *Users) Has(name string) bool {
	_, there := u.byName[name]
	return there
}

// Fit tells whether a password is that of a name. For a name that is not there, the hash of some
// user is tried, always the same one: so it takes as long, whatever the costs in the file are.
func (u *Users) Fit(name, password string) bool {
	at, there := u.byName[name]
	if !there {
		at = int(maphash.String(u.seed, name) % uint64(len(u.list)))
	}
	fit := bcrypt.CompareHashAndPassword(u.list[at].hash, []byte(password[:min(len(password), MostPassword)])) == nil
	return fit && there && len(password) <= MostPassword
}

// CheckName refuses what cannot be a user's name. The error does not have it: it may be a hash or
// a password that stands in the wrong place.
func CheckName(name string) error {
	odd := func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) && !strings.ContainsRune("._@+-", r)
	}
	if name == "" || len(name) > mostName || !utf8.ValidString(name) || strings.ContainsFunc(name, odd) {
		return fmt.Errorf("a user's name has letters, digits and . _ @ + - alone, %d bytes at most", mostName)
	}
	return nil
}

// CheckPassword refuses what must not be a password.
func CheckPassword(password string) error {
	switch {
	case len(password) < LeastPassword || len(password) > MostPassword:
		return fmt.Errorf("the password has %d bytes, want %d to %d: bcrypt sees no more", len(password), LeastPassword, MostPassword)
	case !utf8.ValidString(password) || strings.ContainsFunc(password, unicode.IsControl):
		return fmt.Errorf("the password has a character that cannot be typed into a browser")
	}
	return nil
}

// Set gives a user of the file a password, or adds the user: the file's new text. All other lines
// stay as they are. A file that is not there is an empty one.
func Set(path, name, password string) (text []byte, err error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	if err := CheckPassword(password); err != nil {
		return nil, err
	}
	if text, err = readFile(path); err != nil && !os.IsNotExist(err) {
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
	found := false
	for i, line := range list {
		if has, _, ok := userOf(line); ok && has == name {
			list[i], found = own, true
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
