package signature

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// Signers lists the accepted signers, in the format of ssh-keygen's allowed_signers.
type Signers []signer

// signer is a line of the list.
type signer struct {
	line       int
	principals string
	key        ssh.PublicKey
	authority  bool // the key signs only certificates
	purposes   patterns
	after      time.Time // start of the key's validity; zero for no limit
	before     time.Time // end of the key's validity
}

// MaxSignersBytes limits the size of a list, to a hundred thousand keys.
const MaxSignersBytes = 16 << 20

// ReadSigners parses a list. Times without a zone are local, as in ssh-keygen. It rejects a list with an unreadable
// line, which ssh-keygen skips: it may be the line that restricts a key.
func ReadSigners(text []byte) (list Signers, err error) {
	if len(text) > MaxSignersBytes {
		return nil, fmt.Errorf("the list is larger than %d bytes", MaxSignersBytes)
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
		return nil, errors.New("the list is empty")
	}
	return list, nil
}

// fields splits a line into the principals, which may be quoted, and the rest.
var fields = regexp.MustCompile(`^(?:"([^"]+)"|([^"\s]+))\s+(.+)$`)

func (s *signer) read(line string) error {
	parts := fields.FindStringSubmatch(line)
	if parts == nil {
		return errors.New("expected principals, optional options, key type and key")
	}
	s.principals = parts[1] + parts[2]
	key, _, options, _, err := ssh.ParseAuthorizedKey([]byte(parts[3]))
	if err != nil {
		return errors.New("the key cannot be read; expected principals, optional options, key type and key")
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
		return errors.New(`expected name="value" or cert-authority`)
	}
	switch name {
	case "namespaces":
		s.purposes = readPatterns(text)
	case "valid-after":
		s.after, err = moment(text)
	case "valid-before":
		s.before, err = moment(text)
	default:
		err = errors.New("not supported")
	}
	return err
}

// moment parses a time: a date, or a time with or without seconds, in UTC if it ends in Z.
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
	return time.Time{}, errors.New("expected a time as YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS, with Z for UTC")
}

// Who returns the owner of the key that made a signature: the principals of the first line that allows the key to
// sign for this purpose at this time. The signature itself must be checked separately.
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

// allows returns the reason why the key of a line is not accepted.
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

// patterns match names. Negated patterns take precedence.
type patterns []pattern

type pattern struct {
	denies bool
	form   string
}

// readPatterns parses comma-separated patterns: * is any text, ? any character, and ! negates.
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

// match compares pattern and name in parallel. On a mismatch the last * takes one more byte.
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
