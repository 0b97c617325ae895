package finance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/closing/signature"
	"github.com/feeledger/fees/internal/finance/closing/timestamp"
)

// passphraseVariable has what opens an encrypted key.
const passphraseVariable = "FEES_KEY_PASSPHRASE"

// openKey opens the key of --sign.
func openKey(ctx context.Context, path string) (*signature.Key, error) {
	key, err := signature.OpenKey(ctx, path, signature.Secrets{Passphrase: os.Getenv(passphraseVariable), Agent: os.Getenv("SSH_AUTH_SOCK")})
	switch {
	case errors.Is(err, signature.ErrEncrypted):
		err = fmt.Errorf("%w: put its passphrase into %s, or add the key to ssh-agent and name the public key", err, passphraseVariable)
	case errors.Is(err, signature.ErrPassphrase):
		err = fmt.Errorf("%w: correct %s", err, passphraseVariable)
	}
	if err != nil {
		return nil, fmt.Errorf("--sign: %w", err)
	}
	return key, nil
}

// readVouchers reads the lists of --signers and --tsa-ca, nil where none is named.
func (f *closeFlags) readVouchers() (v app.Vouchers, err error) {
	if v.Signers, err = cli.ReadListed("--signers", f.signers, signature.MostSignersBytes, signature.ReadSigners); err != nil {
		return v, err
	}
	v.Authorities, err = cli.ReadListed("--tsa-ca", f.authorities, timestamp.MostAuthoritiesBytes, timestamp.ReadAuthorities)
	return v, err
}

const notSigned = "not signed: there is no " + closing.SignatureFile

// unproved is, for people, the signatures and the timestamp that do not hold, and that
// there is none where somebody asked by whom it is.
func unproved(list []closing.Signature, stamp *timestamp.Checked, v app.Vouchers) (wrong []string) {
	if v.Signers != nil && len(list) == 0 {
		wrong = append(wrong, notSigned)
	}
	for _, s := range list {
		switch {
		case s.Wrong != "" && s.Key != "":
			wrong = append(wrong, fmt.Sprintf("%s, by %s: %s", closing.SignatureFile, s.Key, s.Wrong))
		case s.Wrong != "":
			wrong = append(wrong, fmt.Sprintf("%s: %s", closing.SignatureFile, s.Wrong))
		}
	}
	switch {
	case stamp == nil && v.Authorities != nil:
		wrong = append(wrong, "no timestamp: there is no "+closing.StampFile)
	case stamp != nil && stamp.Wrong != "":
		wrong = append(wrong, fmt.Sprintf("%s: %s", closing.StampFile, stamp.Wrong))
	}
	return wrong
}

// writeVouched says which keys signed and whose they are, and by whose word it was there
// when.
func writeVouched(w io.Writer, list []closing.Signature, stamp *timestamp.Checked) {
	for _, s := range list {
		switch {
		case s.Wrong != "":
		case s.Signer != "":
			say(w, fmt.Sprintf("signed: %s, %s", s.Key, s.Signer))
		default:
			say(w, fmt.Sprintf("signed by a key that was not checked: %s. Use --check with --signers to check whose it is.", s.Key))
		}
	}
	if stamp != nil && stamp.Wrong == "" {
		who := cmp.Or(stamp.Authority, "checked against nobody: --check with --tsa-ca says by whose word")
		say(w, fmt.Sprintf("timestamp: %s, %s", stamp.Time.Format(time.RFC3339), who))
	}
}
