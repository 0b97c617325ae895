package signature

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ssh-keygen accepts our signatures, and rejects them if a byte is changed.
func TestKeygenVerifies(t *testing.T) {
	for kind, private := range made(t) {
		t.Run(kind, func(t *testing.T) {
			text, read := sign(t, private)
			signers := save(t, "mia@example.org "+public(t, private)+"\n")
			verify := func(text, namespace string, signature []byte) error {
				out, err := keygen(t, []byte(text), "-Y", "verify", "-f", signers, "-I", "mia@example.org", "-n", namespace, "-s", save(t, string(signature)))
				if err == nil {
					require.Contains(t, out, read.Key()[len(read.Key())-len("SHA256:")-43:]) // the fingerprint
				}
				return err
			}
			require.NoError(t, verify(string(signedText), purpose, text))
			require.Error(t, verify(string(signedText)+" ", purpose, text))
			require.Error(t, verify(string(signedText), "another", text))
			_, more := sign(t, made(t)["ed25519"])
			require.NotEqual(t, read.Key(), more.Key())
			second, err := open(t, write(t, made(t)["ed25519"], ""), Secrets{}).Sign(signedText, purpose)
			require.NoError(t, err)
			require.NoError(t, verify(string(signedText), purpose, append(text, second...)), "ssh-keygen reads the first one")
		})
	}
}

// Signatures by ssh-keygen, with its own keys, are accepted.
func TestKeygenSigns(t *testing.T) {
	for kind, bits := range map[string]string{"ed25519": "256", "ecdsa": "384", "rsa": "3072"} {
		for _, hash := range []string{"sha256", "sha512"} {
			t.Run(kind+" "+hash, func(t *testing.T) {
				dir := t.TempDir()
				id, file := filepath.Join(dir, "id"), filepath.Join(dir, "manifest.json")
				out, err := keygen(t, nil, "-q", "-t", kind, "-b", bits, "-N", "", "-f", id)
				require.NoError(t, err, out)
				require.NoError(t, os.WriteFile(file, signedText, 0o600))
				out, err = keygen(t, nil, "-Y", "sign", "-f", id, "-n", purpose, "-O", "hashalg="+hash, file)
				require.NoError(t, err, out)
				text, err := os.ReadFile(file + ".sig")
				require.NoError(t, err)
				list, err := Read(text)
				require.NoError(t, err)
				require.Len(t, list, 1)
				require.NoError(t, list[0].Check(signedText, purpose))
				require.ErrorContains(t, list[0].Check(signedText[1:], purpose), "other bytes")

				key, err := os.ReadFile(id + ".pub")
				require.NoError(t, err)
				signers, err := ReadSigners(append([]byte("mia@example.org "), key...))
				require.NoError(t, err)
				who, err := signers.Who(list[0], purpose, time.Now())
				require.NoError(t, err)
				require.Equal(t, "mia@example.org", who)
				out, err = keygen(t, nil, "-l", "-f", id+".pub")
				require.NoError(t, err)
				require.Contains(t, out, list[0].Key()[len(list[0].Key())-43:])
				require.True(t, open(t, id, Secrets{}).Made(list[0]))
			})
		}
	}
}

// A list accepts the same signatures as with ssh-keygen.
func TestKeygenAgreesOnSigners(t *testing.T) {
	private := made(t)["ed25519"]
	text, read := sign(t, private)
	key, other := public(t, private), public(t, made(t)["ecdsa"])
	signature := save(t, string(text))
	for list, holds := range map[string]bool{
		"mia@example.org " + key:                                                 true,
		"mia@example.org " + key + " a comment":                                  true,
		"# all of us\n\n\t\nmia@example.org\t" + key:                             true,
		"leo@example.org " + other + "\nmia@example.org " + key:                  true,
		"mia@example.org,leo@example.org " + key:                                 true,
		`"mia@example.org,leo@example.org" ` + key:                               true,
		"mia@example.org " + other:                                               false,
		"mia@example.org cert-authority " + key:                                  false,
		`mia@example.org namespaces="fees-test" ` + key:                          true,
		`mia@example.org NameSpaces="git,fees-*" ` + key:                         true,
		`mia@example.org namespaces="fees-tes?" ` + key:                          true,
		`mia@example.org namespaces="fees-test,!fees-*" ` + key:                  false,
		`mia@example.org namespaces="!fees-test,*" ` + key:                       false,
		`mia@example.org namespaces="!git" ` + key:                               false,
		`mia@example.org namespaces="fees" ` + key:                               false,
		`mia@example.org namespaces="*e*s?t*st**" ` + key:                        true,
		`mia@example.org namespaces="*e*s?t*t?" ` + key:                          false,
		`mia@example.org namespaces="*es?t" ` + key:                              false,
		`mia@example.org namespaces="fees.test" ` + key:                          false,
		`mia@example.org namespaces="git" ` + key + "\nmia@example.org " + key:   true,
		`mia@example.org valid-after="20200101" ` + key:                          true,
		`mia@example.org valid-after="29990101Z" ` + key:                         false,
		`mia@example.org valid-before="20200101" ` + key:                         false,
		`mia@example.org valid-before="202001011200Z" ` + key:                    false,
		`mia@example.org valid-before="29990101120000Z" ` + key:                  true,
		`mia@example.org valid-after="20200101",valid-before="29990101" ` + key:  true,
		`mia@example.org namespaces="fees-test",valid-before="20200101Z" ` + key: false,
		`mia@example.org namespaces=fees-test ` + key:                            false,
		`mia@example.org something ` + key:                                       false,
		`mia@example.org valid-after="tomorrow" ` + key:                          false,
		`mia@example.org valid-after="20261301" ` + key:                          false,
		"mia@example.org": false,
		"":                false,
		key:               false,
	} {
		_, err := keygen(t, signedText, "-Y", "verify", "-f", save(t, list+"\n"), "-I", "mia@example.org", "-n", purpose, "-s", signature)
		require.Equal(t, holds, err == nil, "ssh-keygen: %s: %v", list, err)
		signers, err := ReadSigners([]byte(list + "\n"))
		if err == nil {
			_, err = signers.Who(read, purpose, time.Now())
		}
		require.Equal(t, holds, err == nil, "%s: %v", list, err)
	}
}

// Private keys encrypted by ssh-keygen can be opened.
func TestKeygenEncrypts(t *testing.T) {
	for i, form := range [][]string{{"-t", "ed25519"}, {"-t", "ecdsa"}, {"-t", "rsa", "-m", "PEM"}} {
		id := filepath.Join(t.TempDir(), fmt.Sprint("id", i))
		out, err := keygen(t, nil, append(form, "-q", "-N", "open sesame", "-f", id)...)
		require.NoError(t, err, out)
		_, err = OpenKey(t.Context(), id, Secrets{})
		require.ErrorIs(t, err, ErrEncrypted)
		open(t, id, Secrets{Passphrase: "open sesame"})
	}
}
