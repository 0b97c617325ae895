package signature

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// Signers are those whose signatures count: a list in the format of ssh-keygen's
// allowed_signers.
type Signers []signer

// signer is a line of the list.
type signer struct {
	line       int
	principals string
	key        ssh.PublicKey
	authority  bool // the key signs certificates, and nothing else
	purposes   patterns
	after      time.Time // from which on the key is valid; zero is ever
	before     time.Time // the last moment at which it is
}

// MostSignersBytes is how large a list may be: a hundred thousand keys.
const MostSignersBytes = 16 << 20

// ReadSigners reads a list. Times without a zone are local ones, as ssh-keygen has it.
func ReadSigners(text []byte) (list Signers, err error) {
	if len(text) > MostSignersBytes {
		return nil, fmt.Errorf("it is larger than %d bytes", MostSignersBytes)
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		s := signer{line: number}
		if err := s.read(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		list = append(list, s)
	}
	if len(list) == 0 {
		return nil, errors.New("it lists nobody")
	}
	return list, nil
}

// fields splits a line into the principals, which may be quoted, and the rest.
var fields = regexp.MustCompile(`^(?:"([^"]+)"|([^"\s]+))\s+(.+)$`)

func (s *signer) read(line string) error {
	parts := fields.FindStringSubmatch(line)
	if parts == nil {
		return errors.New("want principals, options if there are some, the key's type and the key")
	}
	s.principals = parts[1] + parts[2]
	key, _, options, _, err := ssh.ParseAuthorizedKey([]byte(parts[3]))
	if err != nil {
		return errors.New("want principals, options if there are some, the key's type and the key: no key can be read")
	}
	s.key = key
	for _, option := range options {
		if err := s.option(option); err != nil {
			return fmt.Errorf("option %s: %w", option, err)
		}
	}
	return nil
}

func (s *signer) option(option string) (err error) {
	name, value, valued := strings.Cut(option, "=")
	name = strings.ToLower(name)
	if name == "cert-authority" && !valued {
		s.authority = true
		return nil
	}
	text, begins := strings.CutPrefix(value, `"`)
	text, ends := strings.CutSuffix(text, `"`)
	if !begins || !ends || text == "" || strings.ContainsAny(text, `"\`) {
		return errors.New(`want name="value", or cert-authority`)
	}
	switch name {
	case "namespaces":
		s.purposes = readPatterns(text)
	case "valid-after":
		s.after, err = moment(text)
	case "valid-before":
		s.before, err = moment(text)
	default:
		err = errors.New("it is not known")
	}
	return err
}

// moment reads a time: a date, or a time with or without seconds, of UTC where it ends in Z.
func moment(text string) (time.Time, error) {
	zone := time.Local
	digits, utc := strings.CutSuffix(text, "Z")
	if utc {
		zone = time.UTC
	}
	for _, layout := range []string{"20060102", "200601021504", "20060102150405"} {
		if len(digits) == len(layout) {
			if t, err := time.ParseInLocation(layout, digits, zone); err == nil {
				return t, nil
			}
		}
	}
	return time.Time{}, errors.New("want a time as YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS, with Z for UTC")
}

// Who tells whose key made a signature, which is to be checked by itself too: the
// principals of the first line that lets the key sign for this purpose at this time.
func (list Signers) Who(s *Signature, namespace string, at time.Time) (principals string, err error) {
	refused := errors.New("the key is not listed")
	for i := range list {
		entry := &list[i]
		if entry.authority || !same(entry.key, s.signed.PublicKey) {
			continue
		}
		if refused = entry.allows(namespace, at); refused == nil {
			return entry.principals, nil
		}
	}
	return "", refused
}

// allows tells why the key of a line does not count.
func (s *signer) allows(namespace string, at time.Time) error {
	switch {
	case s.purposes != nil && !s.purposes.match(namespace):
		return fmt.Errorf("the key of %s is not listed for the namespace %s", s.principals, namespace)
	case !s.after.IsZero() && at.Before(s.after):
		return fmt.Errorf("the key of %s is not valid before %s", s.principals, s.after.UTC().Format(time.RFC3339))
	case !s.before.IsZero() && at.After(s.before):
		return fmt.Errorf("the key of %s was valid up to %s", s.principals, s.before.UTC().Format(time.RFC3339))
	}
	return nil
}

// patterns are what a name may look like. Those that are denied win over the others.
type patterns []pattern

type pattern struct {
	denies bool
	form   string
}

// readPatterns reads patterns between commas: * is any text, ? a character, and ! denies.
func readPatterns(text string) (list patterns) {
	for part := range strings.SplitSeq(text, ",") {
		part, denies := strings.CutPrefix(part, "!")
		list = append(list, pattern{denies, part})
	}
	return list
}

func (list patterns) match(name string) (matches bool) {
	for _, p := range list {
		if p.match(name) {
			if p.denies {
				return false
			}
			matches = true
		}
	}
	return matches
}

// match goes through form and name at once. Where they part, the last * takes one byte more.
func (p pattern) match(name string) bool {
	form, star, taken := 0, -1, 0
	for at := 0; at < len(name); {
		switch {
		case form < len(p.form) && p.form[form] == '*':
			star, taken = form, at
			form++
		case form < len(p.form) && (p.form[form] == '?' || p.form[form] == name[at]):
			form++
			at++
		case star >= 0:
			taken++
			form, at = star+1, taken
		default:
			return false
		}
	}
	return strings.Trim(p.form[form:], "*") == ""
}
