package signature

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/feeledger/fees/internal/test/program"
)

const purpose = "fees-test"

var signedText = []byte("what was closed\n")

// made holds keys of each kind, by ssh-keygen's name.
func made(t testing.TB) map[string]crypto.Signer {
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	rs, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	return map[string]crypto.Signer{"ed25519": ed, "ecdsa": ec, "rsa": rs}
}

// write writes a private key and the public key next to it, like ssh-keygen.
func write(t testing.TB, key crypto.Signer, passphrase string) (path string) {
	path = filepath.Join(t.TempDir(), "id")
	block, err := ssh.MarshalPrivateKey(key, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(passphrase))
	}
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	require.NoError(t, os.WriteFile(path+".pub", []byte(public(t, key)+"\n"), 0o600))
	return path
}

// public returns a public key on one line.
func public(t testing.TB, key crypto.Signer) string {
	k, err := ssh.NewPublicKey(key.Public())
	require.NoError(t, err)
	return string(bytes.TrimSpace(ssh.MarshalAuthorizedKey(k)))
}

func open(t testing.TB, path string, s Secrets) *Key {
	key, err := OpenKey(t.Context(), path, s)
	require.NoError(t, err)
	t.Cleanup(func() { key.Close() })
	return key
}

// sign returns a signature of the text, as written and as parsed.
func sign(t testing.TB, key crypto.Signer) ([]byte, *Signature) {
	text, err := open(t, write(t, key, ""), Secrets{}).Sign(signedText, purpose)
	require.NoError(t, err)
	list, err := Read(text)
	require.NoError(t, err)
	require.Len(t, list, 1)
	return text, list[0]
}

// keygen runs ssh-keygen from Debian's package openssh-client.
func keygen(t testing.TB, input []byte, arguments ...string) (string, error) {
	t.Helper()
	program.Path(t, program.SSH, "ssh-keygen")
	c := exec.Command("ssh-keygen", arguments...)
	c.Stdin = bytes.NewReader(input)
	c.Env = append(os.Environ(), "TZ=UTC", "HOME="+t.TempDir(), "SSH_AUTH_SOCK=")
	out, err := c.CombinedOutput()
	return string(out), err
}

func save(t testing.TB, text string) (path string) {
	path = filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}
