package closing

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/feeledger/fees/internal/finance/closing/signature"
	"github.com/feeledger/fees/internal/test/program"
)

// keyOf returns a key and its line for a list of signers.
func keyOf(t *testing.T, who string) (key *signature.Key, listed string) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "id")
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	key, err = signature.OpenKey(t.Context(), path, signature.Secrets{})
	require.NoError(t, err)
	line, err := ssh.NewPublicKey(public)
	require.NoError(t, err)
	return key, who + " " + string(ssh.MarshalAuthorizedKey(line))
}

// installSigned installs a package signed with a key.
func installSigned(t *testing.T, dir string, m Manifest, key *signature.Key) (p *Package, changed bool, err error) {
	t.Helper()
	d, err := Begin(dir)
	require.NoError(t, err)
	defer d.Discard()
	old, err := Prepare(dir)
	require.NoError(t, err)
	for name, text := range files {
		require.NoError(t, d.Add(name, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }))
	}
	d.SignWith(key)
	return d.Install(dir, m, old)
}

// signedBy returns the signers and requires each signature to be valid.
func signedBy(t *testing.T, p *Package, lines ...string) (who []string) {
	t.Helper()
	signers, err := signature.ReadSigners([]byte(strings.Join(lines, "")))
	require.NoError(t, err)
	list, err := p.Signatures(signers, time.Now())
	require.NoError(t, err)
	for _, s := range list {
		require.Empty(t, s.Wrong)
		who = append(who, s.Signer)
	}
	return who
}

// A package is installed with its signature, which changes no other byte. A later signer is added once, next to the
// others; the next version must be signed again.
func TestSigning(t *testing.T) {
	mia, listsMia := keyOf(t, "mia@example.org")
	leo, listsLeo := keyOf(t, "leo@example.org")
	unsigned := filepath.Join(t.TempDir(), "january")
	install(t, unsigned, january(7), files)

	dir := filepath.Join(t.TempDir(), "january")
	first, changed, err := installSigned(t, dir, january(7), mia)
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, []string{"mia@example.org"}, signedBy(t, first, listsMia, listsLeo))
	with := content(t, dir)
	delete(with, SignatureFile)
	require.Equal(t, content(t, unsigned), with)
	require.Empty(t, problems(t, dir))

	before := content(t, dir)
	for _, key := range []*signature.Key{nil, mia} {
		_, changed, err = installSigned(t, dir, january(7), key)
		require.NoError(t, err)
		require.False(t, changed)
		require.Equal(t, before, content(t, dir))
	}
	same, changed, err := installSigned(t, dir, january(7), leo)
	require.NoError(t, err)
	require.False(t, changed)
	require.Equal(t, []string{"mia@example.org", "leo@example.org"}, signedBy(t, same, listsMia, listsLeo))
	require.Empty(t, problems(t, dir))
	kept := content(t, dir)[SignatureFile]

	second, changed, err := installSigned(t, dir, january(8), nil)
	require.NoError(t, err)
	require.True(t, changed)
	require.Empty(t, signedBy(t, second, listsMia))
	require.Equal(t, kept, content(t, dir)["versions/1/"+SignatureFile])
	require.Empty(t, problems(t, dir))
	third, _, err := installSigned(t, dir, january(9), leo)
	require.NoError(t, err)
	require.Equal(t, []string{"leo@example.org"}, signedBy(t, third, listsLeo))
	one, err := Open(filepath.Join(dir, "versions", "1"))
	require.NoError(t, err)
	require.Equal(t, []string{"mia@example.org", "leo@example.org"}, signedBy(t, one, listsMia, listsLeo))

	beside, err := os.ReadDir(filepath.Dir(dir))
	require.NoError(t, err)
	require.Len(t, beside, 1)
}

// A signature for another text or purpose, or by another key, proves nothing.
func TestSignaturesThatDoNotHold(t *testing.T) {
	mia, listsMia := keyOf(t, "mia@example.org")
	leo, _ := keyOf(t, "leo@example.org")
	signers, err := signature.ReadSigners([]byte(listsMia))
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "january")
	p, _, err := installSigned(t, dir, january(7), mia)
	require.NoError(t, err)
	manifest, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	require.NoError(t, err)
	by := func(key *signature.Key, text []byte, namespace string) string {
		signed, err := key.Sign(text, namespace)
		require.NoError(t, err)
		return string(signed)
	}
	good := by(mia, manifest, Namespace)
	for text, message := range map[string]string{
		by(leo, manifest, Namespace):            "the key is not listed",
		good + by(leo, manifest, Namespace):     "the key is not listed",
		by(mia, manifest, "file"):               `its namespace is "file", not "fees-close"`,
		by(mia, []byte("something"), Namespace): "is for other bytes",
		"something":                             "not an SSH signature",
		"":                                      "the file is empty",
		strings.Repeat(good, 1+signature.MaxBytes/len(good)) + "more": "larger than",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, SignatureFile), []byte(text), 0o600))
		require.Empty(t, problems(t, dir))
		list, err := p.Signatures(signers, time.Now())
		require.NoError(t, err)
		require.Contains(t, list[len(list)-1].Wrong, message)

		// No signature is added next to an invalid one; one by an unlisted key does not prevent it.
		_, _, err = installSigned(t, dir, january(7), mia)
		if message == "the key is not listed" {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, ErrDamaged)
		require.ErrorContains(t, err, message)
		require.ErrorContains(t, err, "delete the file to sign again")
		require.Equal(t, text, content(t, dir)[SignatureFile])
	}
	path := filepath.Join(dir, SignatureFile)
	require.NoError(t, os.WriteFile(path, []byte(good+strings.Repeat("\n", signature.MaxBytes-len(good))), 0o600))
	_, _, err = installSigned(t, dir, january(7), leo)
	require.ErrorContains(t, err, "cannot hold more signatures")

	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Symlink(ManifestFile, path))
	require.Equal(t, []string{SignatureFile + " is not a regular file"}, problems(t, dir))
	list, err := p.Signatures(nil, time.Now())
	require.NoError(t, err)
	require.Contains(t, list[0].Wrong, "is not a regular file")
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.MkdirAll(filepath.Join(path, "inside"), 0o700))
	require.Equal(t, []string{SignatureFile + " is not a regular file"}, problems(t, dir))
	require.ErrorContains(t, BeginIn(t.TempDir()).Add(SignatureFile, text("x")), "is not a valid file name in a package")
}

// If the key cannot sign, nothing is created or changed.
func TestAKeyThatDoesNotSign(t *testing.T) {
	key := refused(t)
	dir := filepath.Join(t.TempDir(), "january")
	_, _, err := installSigned(t, dir, january(7), key)
	require.ErrorContains(t, err, "cannot sign")
	require.NoDirExists(t, dir)
	install(t, dir, january(7), files)
	before := content(t, dir)
	for fee := range uint64(2) {
		_, _, err = installSigned(t, dir, january(7+fee), key)
		require.ErrorContains(t, err, "cannot sign")
		require.Equal(t, before, content(t, dir))
	}

	mia, listsMia := keyOf(t, "mia@example.org") // it signs, and the disk fails
	defer func() { rename = os.Rename }()
	rename = func(_, _ string) error { return os.ErrPermission }
	_, _, err = installSigned(t, dir, january(7), mia)
	require.ErrorIs(t, err, os.ErrPermission)
	rename = os.Rename
	require.Equal(t, before, content(t, dir))
	require.NoDirExists(t, dir+".closing")
	p, _, err := installSigned(t, dir, january(7), mia)
	require.NoError(t, err)
	require.Equal(t, []string{"mia@example.org"}, signedBy(t, p, listsMia))
}

// ssh-keygen's signatures of a package are accepted, and ssh-keygen accepts ours.
func TestKeygenSignsAPackage(t *testing.T) {
	program.Path(t, program.SSH, "ssh-keygen")
	run := func(input string, arguments ...string) {
		t.Helper()
		c := exec.Command("ssh-keygen", arguments...)
		c.Stdin = strings.NewReader(input)
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	id := filepath.Join(t.TempDir(), "id")
	run("", "-q", "-t", "ecdsa", "-N", "", "-f", id)
	public, err := os.ReadFile(id + ".pub")
	require.NoError(t, err)
	line := "mia@example.org " + string(public)
	dir := filepath.Join(t.TempDir(), "january")
	p, _ := install(t, dir, january(7), files)
	run("", "-Y", "sign", "-n", Namespace, "-f", id, filepath.Join(dir, ManifestFile))
	require.Equal(t, []string{"mia@example.org"}, signedBy(t, p, line))
	require.Empty(t, problems(t, dir))

	leo, listsLeo := keyOf(t, "leo@example.org")
	other := filepath.Join(t.TempDir(), "january")
	_, _, err = installSigned(t, other, january(7), leo)
	require.NoError(t, err)
	signers := filepath.Join(t.TempDir(), "allowed_signers")
	require.NoError(t, os.WriteFile(signers, []byte(listsLeo), 0o600))
	run(content(t, other)[ManifestFile], "-Y", "verify", "-n", Namespace, "-f", signers, "-I", "leo@example.org", "-s", filepath.Join(other, SignatureFile))
}

// refusing is an agent that refuses to sign.
type refusing struct{ agent.Agent }

func (refusing) Sign(ssh.PublicKey, []byte) (*ssh.Signature, error) { return nil, io.ErrClosedPipe }

func (a refusing) SignWithFlags(ssh.PublicKey, []byte, agent.SignatureFlags) (*ssh.Signature, error) {
	return nil, io.ErrClosedPipe
}

func (refusing) Extension(string, []byte) ([]byte, error) { return nil, agent.ErrExtensionUnsupported }

// refused returns a key whose agent refuses to sign.
func refused(t *testing.T) *signature.Key {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	ring := agent.NewKeyring()
	require.NoError(t, ring.Add(agent.AddedKey{PrivateKey: private}))
	dir, err := os.MkdirTemp("", "fees-agent") // the path of a socket is short
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	listener, err := net.Listen("unix", filepath.Join(dir, "socket"))
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		if c, err := listener.Accept(); err == nil {
			agent.ServeAgent(refusing{ring}, c)
		}
	}()
	line, err := ssh.NewPublicKey(public)
	require.NoError(t, err)
	path := filepath.Join(dir, "id.pub")
	require.NoError(t, os.WriteFile(path, ssh.MarshalAuthorizedKey(line), 0o600))
	key, err := signature.OpenKey(t.Context(), path, signature.Secrets{Agent: filepath.Join(dir, "socket")})
	require.NoError(t, err)
	t.Cleanup(func() { key.Close() })
	return key
}
