package signature_test

import (
	"context"
	"crypto/ed25519"
	"encoding/pem"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/feeledger/fees/internal/finance/closing/signature"
)

// newKey returns a key like ssh-keygen's: a private key in a file and a public key as text.
func newKey(path string) (public []byte, err error) {
	open, secret, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	block, err := ssh.MarshalPrivateKey(secret, "")
	if err != nil {
		return nil, err
	}
	key, err := ssh.NewPublicKey(open)
	if err != nil {
		return nil, err
	}
	return ssh.MarshalAuthorizedKey(key), os.WriteFile(path, pem.EncodeToMemory(block), 0o600)
}

// Sign a text for a purpose, and identify the signer.
func Example() {
	directory, err := os.MkdirTemp("", "fees-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	path := filepath.Join(directory, "id_ed25519")
	public, err := newKey(path)
	if err != nil {
		log.Fatal(err)
	}

	const purpose = "statements@example.org"
	text := []byte("what was closed\n")
	key, err := signature.OpenKey(context.Background(), path, signature.Secrets{})
	if err != nil {
		log.Fatal(err)
	}
	defer key.Close()
	signed, err := key.Sign(text, purpose)
	if err != nil {
		log.Fatal(err)
	}

	allowed, err := signature.ReadSigners(append([]byte("mia@example.org "), public...))
	if err != nil {
		log.Fatal(err)
	}
	list, err := signature.Read(signed)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range list {
		if err := s.Check(text, purpose); err != nil {
			log.Fatal(err)
		}
		who, err := allowed.Who(s, purpose, time.Now())
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("signed by", who)
		fmt.Println("for another purpose:", s.Check(text, "git") != nil)
		fmt.Println("of another text:", s.Check([]byte("what was changed\n"), purpose) != nil)
	}
	// Output:
	// signed by mia@example.org
	// for another purpose: true
	// of another text: true
}
