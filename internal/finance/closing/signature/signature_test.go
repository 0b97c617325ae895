package signature

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/pem"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// A signature is valid for one text, one purpose and one key; no byte of it may change.
func TestSignature(t *testing.T) {
	for kind, private := range made(t) {
		text, read := sign(t, private)
		require.NoError(t, read.Check(signedText, purpose), kind)
		require.ErrorContains(t, read.Check(append([]byte{' '}, signedText...), purpose), "other bytes or was altered")
		require.ErrorContains(t, read.Check(signedText, "git"), `its namespace is "fees-test", not "git"`)
		require.Regexp(t, "^(ED25519|ECDSA|RSA) SHA256:.{43}$", read.Key())
		signers, err := ReadSigners([]byte("mia@example.org " + public(t, private)))
		require.NoError(t, err)

		block, _ := pem.Decode(text)
		for i := range block.Bytes {
			changed := bytes.Clone(block.Bytes)
			changed[i] ^= 1
			list, err := Read(pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: changed}))
			if err == nil {
				err = list[0].Check(signedText, purpose)
			}
			if err == nil {
				_, err = signers.Who(list[0], purpose, time.Now())
			}
			require.Error(t, err, "%s, byte %d", kind, i)
		}
	}
}

// Several signatures may follow each other; anything else between them is rejected.
func TestRead(t *testing.T) {
	keys := made(t)
	a, first := sign(t, keys["ed25519"])
	b, second := sign(t, keys["ecdsa"])
	list, err := Read(bytes.Join([][]byte{a, b}, []byte("\r\n")))
	require.NoError(t, err)
	require.Equal(t, []string{first.Key(), second.Key()}, []string{list[0].Key(), list[1].Key()})

	broken := strings.Replace(string(a), "\nU1NI", "\nU1NJ", 1)
	require.NotEqual(t, string(a), broken)
	for text, message := range map[string]string{
		"":                               "empty",
		"\n \n":                          "empty",
		"something":                      "not an SSH signature",
		"something\n" + string(a):        "not an SSH signature",
		string(a) + "something":          "not an SSH signature",
		string(a[:len(a)/2]):             "not an SSH signature",
		string(a) + string(b[:len(b)/2]): "not an SSH signature",
		broken + string(b):               "invalid magic preamble",
		strings.Repeat(string(a), 300):   "larger than 65536 bytes",
		string(beginLine) + "*" + string(endLine): "not an SSH signature",
	} {
		_, err := Read([]byte(text))
		require.ErrorContains(t, err, message, "%.80s", text)
	}
}

// A signature that is not accepted is reported with the signer and the reason.
func TestWho(t *testing.T) {
	keys := made(t)
	_, read := sign(t, keys["ed25519"])
	key := public(t, keys["ed25519"])
	now := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	for list, message := range map[string]string{
		"mia@example.org " + key: "",
		`mia@example.org valid-after="20260203040506Z",valid-before="20260203040506Z" ` + key: "",
		`mia@example.org valid-after="20260203040507Z" ` + key:                                "the key of mia@example.org is not valid before 2026-02-03T04:05:07Z",
		`mia@example.org valid-before="202602030405Z" ` + key:                                 "the key of mia@example.org was valid up to 2026-02-03T04:05:00Z",
		`mia@example.org namespaces="git" ` + key:                                             "the key of mia@example.org is not listed for the namespace fees-test",
		"mia@example.org " + public(t, keys["rsa"]):                                           "the key is not listed",
	} {
		signers, err := ReadSigners([]byte(list))
		require.NoError(t, err, list)
		who, err := signers.Who(read, purpose, now)
		if message == "" {
			require.NoError(t, err, list)
			require.Equal(t, "mia@example.org", who)
			continue
		}
		require.EqualError(t, err, message)
	}
	for list, message := range map[string]string{
		"":                                       "the list is empty",
		"# nobody\n":                             "the list is empty",
		"mia@example.org " + key + "\nleo":       "line 2: expected principals",
		"mia@example.org ssh-ed25519 AAAA":       "line 1: the key cannot be read",
		"mia@example.org something " + key:       "line 1: option something: expected name=",
		`mia@example.org something="1" ` + key:   `line 1: option something="1": not supported`,
		`mia@example.org valid-after="1" ` + key: "expected a time",
		`mia@example.org namespaces=git ` + key:  "expected name=",
		strings.Repeat("#", MaxSignersBytes+1):   "larger than",
	} {
		_, err := ReadSigners([]byte(list))
		require.ErrorContains(t, err, message, "%.80s", list)
	}
}

// Namespaces are listed as patterns with wildcards, even long ones.
func TestNamespaces(t *testing.T) {
	keys := made(t)
	_, read := sign(t, keys["ed25519"])
	for list, listed := range map[string]bool{
		"fees-test": true, "*": true, "fees-*": true, "*-test": true, "f*s*t": true, "fees?test": true, "git,fees-test": true,
		"*e*e*e*": true, "*est*": true, "**": true, "fees-test*": true, "*,!git": true,
		"fees-tes": false, "ees-test": false, "fees-test?": false, "?": false, "Fees-test": false, "fees*tst": false, "*x": false,
		"*,!fees-*": false, "!git": false, "fees.test": false, "[f]ees-test": false, "\xff": false, ",": false,
		strings.Repeat("*", 1<<20): true, strings.Repeat("*?", 1<<20): false, strings.Repeat("*,", 1<<20) + "!*": false,
	} {
		signers, err := ReadSigners([]byte(`mia@example.org namespaces="` + list + `" ` + public(t, keys["ed25519"])))
		require.NoError(t, err, "%.80q", list)
		_, err = signers.Who(read, purpose, time.Now())
		require.Equal(t, listed, err == nil, "%.80q", list)
	}
}

// Certificates are not accepted, even if their key is listed.
func TestCertificate(t *testing.T) {
	keys := made(t)
	authority, err := ssh.NewSignerFromSigner(keys["ecdsa"])
	require.NoError(t, err)
	own, err := ssh.NewSignerFromSigner(keys["ed25519"])
	require.NoError(t, err)
	certificate := &ssh.Certificate{Key: own.PublicKey(), CertType: ssh.UserCert, ValidPrincipals: []string{"mia@example.org"}, ValidBefore: ssh.CertTimeInfinity}
	require.NoError(t, certificate.SignCert(rand.Reader, authority))
	signer, err := ssh.NewCertSigner(certificate, own)
	require.NoError(t, err)
	text, err := (&Key{signer, nil}).Sign(signedText, purpose)
	require.NoError(t, err)
	list, err := Read(text)
	require.NoError(t, err)
	require.ErrorContains(t, list[0].Check(signedText, purpose), "signatures by SSH certificates are not supported")
	require.Equal(t, "ED25519-CERT "+ssh.FingerprintSHA256(own.PublicKey()), list[0].Key())
	signers, err := ReadSigners([]byte("mia@example.org " + public(t, keys["ed25519"]) + "\nmia@example.org cert-authority " + public(t, keys["ecdsa"])))
	require.NoError(t, err)
	_, err = signers.Who(list[0], purpose, time.Now())
	require.EqualError(t, err, "the key is not listed")
	_, err = OpenKey(t.Context(), save(t, string(ssh.MarshalAuthorizedKey(certificate))), Secrets{Agent: "none"})
	require.ErrorContains(t, err, "the file is an SSH certificate")
}

// Keys are named as in OpenSSH, including hardware security keys.
func TestName(t *testing.T) {
	for kind, want := range map[string]string{
		"ssh-rsa": "RSA", "ssh-ed25519": "ED25519", "ecdsa-sha2-nistp521": "ECDSA",
		"sk-ssh-ed25519@openssh.com": "ED25519-SK", "sk-ecdsa-sha2-nistp256@openssh.com": "ECDSA-SK",
	} {
		require.True(t, strings.HasPrefix(name(kindOnly(kind)), want+" SHA256:"), kind)
	}
}

// kindOnly is a key with nothing but a kind.
type kindOnly string

func (k kindOnly) Type() string                      { return string(k) }
func (k kindOnly) Marshal() []byte                   { return nil }
func (kindOnly) Verify([]byte, *ssh.Signature) error { return nil }

// A private key must exist, be a key, and be decryptable.
func TestOpenKey(t *testing.T) {
	path := write(t, made(t)["ed25519"], "open sesame")
	_, err := OpenKey(t.Context(), path, Secrets{})
	require.ErrorIs(t, err, ErrEncrypted)
	_, err = OpenKey(t.Context(), path, Secrets{Passphrase: "sesame, open"})
	require.ErrorIs(t, err, ErrPassphrase)
	require.ErrorContains(t, err, path)
	require.NotContains(t, err.Error(), "sesame")
	_, err = open(t, path, Secrets{Passphrase: "open sesame"}).Sign(signedText, purpose)
	require.NoError(t, err)

	_, err = OpenKey(t.Context(), path+".none", Secrets{})
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = OpenKey(t.Context(), save(t, "something"), Secrets{})
	require.ErrorContains(t, err, "neither a private nor a public SSH key")
	_, err = OpenKey(t.Context(), save(t, strings.Repeat("\n", maxKeyBytes+1)), Secrets{})
	require.ErrorContains(t, err, "larger than")
	_, err = OpenKey(t.Context(), t.TempDir(), Secrets{})
	require.ErrorContains(t, err, "is a directory")
	_, err = OpenKey(t.Context(), save(t, "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n"), Secrets{})
	require.ErrorContains(t, err, "the private key cannot be read")
	_, err = open(t, path, Secrets{Passphrase: "open sesame"}).Sign(signedText, "")
	require.ErrorContains(t, err, "cannot sign: missing namespace")
}

// socket serves an agent.
func socket(t *testing.T, serve func(net.Conn)) string {
	dir, err := os.MkdirTemp("", "fees-agent") // the path of a socket is short
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "socket")
	listener, err := net.Listen("unix", path)
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(connection)
		}
	}()
	return path
}

// For a public key the agent holds the private half.
func TestAgent(t *testing.T) {
	keys := made(t)
	ring := agent.NewKeyring()
	served := Secrets{Agent: socket(t, func(c net.Conn) { agent.ServeAgent(ring, c) })}
	for kind, private := range keys {
		path := write(t, private, "") + ".pub"
		_, err := OpenKey(t.Context(), path, served)
		require.ErrorContains(t, err, "ssh-agent does not have the key "+strings.ToUpper(kind)+" SHA256:")
		require.NoError(t, ring.Add(agent.AddedKey{PrivateKey: private}))
		key := open(t, path, served)
		text, err := key.Sign(signedText, purpose)
		require.NoError(t, err)
		list, err := Read(text)
		require.NoError(t, err)
		require.NoError(t, list[0].Check(signedText, purpose), kind)
		require.True(t, key.Made(list[0]))
	}
	path := write(t, keys["ed25519"], "") + ".pub"
	_, err := OpenKey(t.Context(), path, Secrets{})
	require.ErrorContains(t, err, "SSH_AUTH_SOCK is not set")
	_, err = OpenKey(t.Context(), path, Secrets{Agent: filepath.Join(t.TempDir(), "none")})
	require.ErrorContains(t, err, "ssh-agent: dial unix")
	_, err = OpenKey(t.Context(), path, Secrets{Agent: socket(t, func(c net.Conn) { c.Close() })})
	require.ErrorContains(t, err, "ssh-agent: ")
}

// A request to an agent that waits for a person can be cancelled.
func TestAgentIsGivenUp(t *testing.T) {
	asked := make(chan struct{})
	silent := Secrets{Agent: socket(t, func(c net.Conn) {
		c.Read(make([]byte, 1))
		close(asked)
	})}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		<-asked
		stop()
	}()
	_, err := OpenKey(ctx, write(t, made(t)["ed25519"], "")+".pub", silent)
	require.Error(t, err)
}

func FuzzRead(f *testing.F) {
	text, _ := sign(f, made(f)["ed25519"])
	f.Add(text)
	f.Add(append(text, text...))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := Read(text)
		if err != nil {
			return
		}
		for _, s := range list {
			require.NotEmpty(t, s.Key())
			s.Check(signedText, purpose) // panics at nothing
		}
	})
}

func FuzzReadSigners(f *testing.F) {
	private := made(f)["ed25519"]
	_, read := sign(f, private)
	f.Add(`mia@example.org namespaces="fees-*",valid-after="20200101Z" ` + public(f, private))
	f.Fuzz(func(t *testing.T, text string) {
		signers, err := ReadSigners([]byte(text))
		if err != nil {
			return
		}
		if who, err := signers.Who(read, purpose, time.Now()); err == nil {
			require.NotEmpty(t, who)
		}
	})
}
