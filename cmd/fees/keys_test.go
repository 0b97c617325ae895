package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

// sshKeys returns a directory with the SSH keys of mia, leo and zoe, each with its .pub file and its own list of
// allowed signers, NAME.signers. Zoe's key is encrypted with the passphrase "open sesame".
func sshKeys(t *testing.T) string {
	dir := t.TempDir()
	for name, passphrase := range map[string]string{"mia": "", "leo": "", "zoe": "open sesame"} {
		public, private, err := ed25519.GenerateKey(rand.Reader)
		require.NoError(t, err)
		block, err := ssh.MarshalPrivateKey(private, "")
		if passphrase != "" {
			block, err = ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase))
		}
		require.NoError(t, err)
		key, err := ssh.NewPublicKey(public)
		require.NoError(t, err)
		line := string(ssh.MarshalAuthorizedKey(key))
		for suffix, text := range map[string]string{"": string(pem.EncodeToMemory(block)), ".pub": line, ".signers": name + "@example.org " + line} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name+suffix), []byte(text), 0o600))
		}
	}
	return dir
}
