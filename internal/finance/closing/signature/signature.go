package signature

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// Signature is one that was read. Nothing is known of who made it.
type Signature struct {
	signed *sshsig.Signature
}

// MostBytes is how large a file of signatures may be: a dozen by the largest keys.
const MostBytes = 64 << 10

// The lines around a signature.
var (
	beginLine = []byte("-----BEGIN SSH SIGNATURE-----\n")
	endLine   = []byte("\n-----END SSH SIGNATURE-----")
)

// Read reads the signatures of a text by several keys, one after the other, as ssh-keygen
// writes each. It wants nothing else beside them.
func Read(text []byte) (list []*Signature, err error) {
	if len(text) > MostBytes {
		return nil, fmt.Errorf("it is larger than %d bytes", MostBytes)
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	for rest := bytes.TrimSpace(text); len(rest) > 0; {
		end := bytes.Index(rest, endLine)
		if end < 0 || !bytes.HasPrefix(rest, beginLine) {
			return nil, errors.New("it is no SSH signature")
		}
		end += len(endLine)
		signed, err := sshsig.Unarmor(rest[:end])
		if err != nil {
			return nil, fmt.Errorf("it is no SSH signature: %w", err)
		}
		list = append(list, &Signature{signed})
		rest = bytes.TrimSpace(rest[end:])
	}
	if len(list) == 0 {
		return nil, errors.New("it is no SSH signature: it is empty")
	}
	return list, nil
}

// Check wants the signature to be of this text and for this purpose, whoever made it, by a
// key that stands for itself.
func (s *Signature) Check(text []byte, namespace string) error {
	if _, ok := s.signed.PublicKey.(*ssh.Certificate); ok {
		return errors.New("it is made with an SSH certificate, which fees does not read: sign with the key itself, and list that")
	}
	if s.signed.Namespace != namespace {
		return fmt.Errorf("the signature is for another purpose: its namespace is %q, not %q", s.signed.Namespace, namespace)
	}
	if err := sshsig.Verify(bytes.NewReader(text), s.signed, s.signed.PublicKey, s.signed.HashAlgorithm, namespace); err != nil {
		return errors.New("the signature is of other bytes, or was altered")
	}
	return nil
}

// Key names the key that made it, such as "ED25519 SHA256:…", as ssh-keygen names it.
func (s *Signature) Key() string { return name(s.signed.PublicKey) }

func name(key ssh.PublicKey) string {
	suffix := ""
	if c, ok := key.(*ssh.Certificate); ok {
		key, suffix = c.Key, "-CERT"
	}
	kind, _, _ := strings.Cut(key.Type(), "@")
	if own, ok := strings.CutPrefix(kind, "sk-"); ok { // of a security key
		kind, suffix = own, "-SK"+suffix
	}
	kind, _, _ = strings.Cut(strings.TrimPrefix(kind, "ssh-"), "-sha2-")
	return strings.ToUpper(kind) + suffix + " " + ssh.FingerprintSHA256(key)
}

func same(a, b ssh.PublicKey) bool { return bytes.Equal(a.Marshal(), b.Marshal()) }
