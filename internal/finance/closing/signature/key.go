package signature

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// Key is a signing key.
type Key struct {
	signer ssh.Signer
	close  func() error // closes the connection to its agent
}

// Secrets provides keys and passphrases, which never come from the command line.
type Secrets struct {
	Passphrase string // of an encrypted private key, "" for none
	Agent      string // the socket of ssh-agent, "" for none
}

var (
	// ErrEncrypted reports an encrypted private key without a passphrase.
	ErrEncrypted = errors.New("the private key is encrypted")
	// ErrPassphrase reports a wrong passphrase of the private key.
	ErrPassphrase = errors.New("the passphrase does not open the private key")
)

// maxKeyBytes limits the size of a key file, to many times that of the largest keys.
const maxKeyBytes = 1 << 20

// OpenKey opens the key in a file: a private key, or a public key whose private half is in ssh-agent. The
// agent may ask a person before it signs; the end of the context cancels the request.
func OpenKey(ctx context.Context, path string, s Secrets) (*Key, error) {
	text, err := readKey(path)
	if err != nil {
		return nil, err
	}
	var key *Key
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("-----BEGIN ")) {
		key, err = private(text, s)
	} else {
		key, err = ofAgent(ctx, text, s)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

func readKey(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxKeyBytes+1))
	if err == nil && len(text) > maxKeyBytes {
		err = fmt.Errorf("%s is not an SSH key: it is larger than %d bytes", path, maxKeyBytes)
	}
	return text, err
}

func private(text []byte, s Secrets) (*Key, error) {
	signer, err := ssh.ParsePrivateKey(text)
	if locked := (*ssh.PassphraseMissingError)(nil); errors.As(err, &locked) {
		if s.Passphrase == "" {
			return nil, ErrEncrypted
		}
		signer, err = ssh.ParsePrivateKeyWithPassphrase(text, []byte(s.Passphrase))
	}
	if errors.Is(err, x509.IncorrectPasswordError) {
		return nil, ErrPassphrase
	}
	if err != nil {
		return nil, fmt.Errorf("the private key cannot be read: %w (ssh-keygen -p converts other formats to OpenSSH's)", err)
	}
	return &Key{signer, func() error { return nil }}, nil
}

func ofAgent(ctx context.Context, text []byte, s Secrets) (*Key, error) {
	public, _, _, _, err := ssh.ParseAuthorizedKey(text)
	if err != nil {
		return nil, errors.New("the file is neither a private nor a public SSH key")
	}
	if _, ok := public.(*ssh.Certificate); ok {
		return nil, errors.New("the file is an SSH certificate, which fees does not support; use the key itself")
	}
	if s.Agent == "" {
		return nil, errors.New("a public key needs ssh-agent, but SSH_AUTH_SOCK is not set; start ssh-agent, or use the private key")
	}
	connection, err := new(net.Dialer).DialContext(ctx, "unix", s.Agent)
	if err != nil {
		return nil, fmt.Errorf("ssh-agent: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { connection.Close() })
	end := func() error { stop(); return connection.Close() }
	signers, err := agent.NewClient(connection).Signers()
	if err != nil {
		end()
		return nil, fmt.Errorf("ssh-agent: %w", err)
	}
	for _, signer := range signers {
		if same(signer.PublicKey(), public) {
			return &Key{signer, end}, nil
		}
	}
	end()
	return nil, fmt.Errorf("ssh-agent does not have the key %s; add it with ssh-add", name(public))
}

// Close closes the connection to the agent.
func (k *Key) Close() error { return k.close() }

// Name returns the key's name in the form of [Signature.Key].
func (k *Key) Name() string { return name(k.signer.PublicKey()) }

// Made reports whether the key made a signature.
func (k *Key) Made(s *Signature) bool { return same(k.signer.PublicKey(), s.signed.PublicKey) }

// Sign signs a text for a purpose.
func (k *Key) Sign(text []byte, namespace string) ([]byte, error) {
	signed, err := sshsig.Sign(bytes.NewReader(text), k.signer, sshsig.HashSHA512, namespace)
	if err != nil {
		return nil, fmt.Errorf("the key %s cannot sign: %w", k.Name(), err)
	}
	return sshsig.Armor(signed), nil
}
