package signature

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// Signature is a parsed signature that has not been verified.
type Signature struct {
	signed *sshsig.Signature
}

// MaxBytes limits the size of a signature file, to a dozen signatures by the largest keys.
const MaxBytes = 64 << 10

// The lines around a signature.
var (
	beginLine = []byte("-----BEGIN SSH SIGNATURE-----\n")
	endLine   = []byte("\n-----END SSH SIGNATURE-----")
)

// Read parses one or more consecutive signatures of a text, as written by ssh-keygen. It rejects
// anything else between them.
func Read(text []byte) (list []*Signature, err error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("the signature file is larger than %d bytes", MaxBytes)
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	for rest := bytes.TrimSpace(text); len(rest) > 0; {
		end := bytes.Index(rest, endLine)
		if end < 0 || !bytes.HasPrefix(rest, beginLine) {
			return nil, errors.New("not an SSH signature")
		}
		end += len(endLine)
		signed, err := sshsig.Unarmor(rest[:end])
		if err != nil {
			return nil, fmt.Errorf("not an SSH signature: %w", err)
		}
		list = append(list, &Signature{signed})
		rest = bytes.TrimSpace(rest[end:])
	}
	if len(list) == 0 {
		return nil, errors.New("not an SSH signature: the file is empty")
	}
	return list, nil
}

// Check verifies that the signature is for this text and purpose, by any key that is not a
// certificate.
func (s *Signature) Check(text []byte, namespace string) error {
	if _, ok := s.signed.PublicKey.(*ssh.Certificate); ok {
		return errors.New("signatures by SSH certificates are not supported; sign with the key itself and list that key")
	}
	if s.signed.Namespace != namespace {
		return fmt.Errorf("the signature is for another purpose: its namespace is %q, not %q", s.signed.Namespace, namespace)
	}
	if err := sshsig.Verify(bytes.NewReader(text), s.signed, s.signed.PublicKey, s.signed.HashAlgorithm, namespace); err != nil {
		return errors.New("the signature is for other bytes or was altered")
	}
	return nil
}

// Key returns the name of the signing key, such as "ED25519 SHA256:…", in ssh-keygen's form.
func (s *Signature) Key() string { return name(s.signed.PublicKey) }

func name(key ssh.PublicKey) string {
	suffix := ""
	if c, ok := key.(*ssh.Certificate); ok {
		key, suffix = c.Key, "-CERT"
	}
	kind, _, _ := strings.Cut(key.Type(), "@")
	if own, ok := strings.CutPrefix(kind, "sk-"); ok { // a hardware security key
		kind, suffix = own, "-SK"+suffix
	}
	kind, _, _ = strings.Cut(strings.TrimPrefix(kind, "ssh-"), "-sha2-")
	return strings.ToUpper(kind) + suffix + " " + ssh.FingerprintSHA256(key)
}

func same(a, b ssh.PublicKey) bool { return bytes.Equal(a.Marshal(), b.Marshal()) }
