package finance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/feeledger/fees/closing"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/signature"
)

// passphraseVariable has what opens an encrypted key.
const passphraseVariable = "FEES_KEY_PASSPHRASE"

// openKey opens the key of --sign.
func openKey(ctx context.Context, path string) (*signature.Key, error) {
	key, err := signature.OpenKey(ctx, path, signature.Secrets{Passphrase: os.Getenv(passphraseVariable), Agent: os.Getenv("SSH_AUTH_SOCK")})
	if errors.Is(err, signature.ErrEncrypted) {
		err = fmt.Errorf("%w: put its passphrase into %s, or add the key to ssh-agent and name the public key", err, passphraseVariable)
	}
	if err != nil {
		return nil, fmt.Errorf("--sign: %w", err)
	}
	return key, nil
}

// readSigners reads the list of --signers, nil where none is named.
func (f *closeFlags) readSigners() (signature.Signers, error) {
	if f.signers == "" {
		return nil, nil
	}
	text, err := os.ReadFile(f.signers)
	if err != nil {
		return nil, fmt.Errorf("--signers: %w", err)
	}
	signers, err := signature.ReadSigners(text)
	if err != nil {
		return nil, fmt.Errorf("--signers: %s: %w", f.signers, err)
	}
	return signers, nil
}

// wrongSignatures are, for people, the signatures that do not hold, and that there is none
// where somebody asked by whom it is.
func wrongSignatures(list []closing.Signature, signers signature.Signers) (wrong []string) {
	if signers != nil && len(list) == 0 {
		return []string{"not signed: there is no " + closing.SignatureFile}
	}
	for _, s := range list {
		switch {
		case s.Wrong != "" && s.Key != "":
			wrong = append(wrong, fmt.Sprintf("%s, by %s: %s", closing.SignatureFile, s.Key, s.Wrong))
		case s.Wrong != "":
			wrong = append(wrong, fmt.Sprintf("%s: %s", closing.SignatureFile, s.Wrong))
		}
	}
	return wrong
}

// writeSignatures says which keys signed, and whose they are.
func writeSignatures(w io.Writer, list []closing.Signature) {
	for _, s := range list {
		who := s.Signer
		if who == "" {
			who = "checked against nobody: --check with --signers says whose it is"
		}
		if s.Wrong == "" {
			fmt.Fprintln(w, console.Printable(fmt.Sprintf("signed: %s, %s", s.Key, who)))
		}
	}
}
