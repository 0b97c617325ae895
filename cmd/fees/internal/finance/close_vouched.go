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

// passphraseVariable is the environment variable with the passphrase of an encrypted key.
const passphraseVariable = "FEES_KEY_PASSPHRASE"

// openKey opens the key of --sign.
func openKey(ctx context.Context, path string) (*signature.Key, error) {
	key, err := signature.OpenKey(ctx, path, signature.Secrets{Passphrase: os.Getenv(passphraseVariable), Agent: os.Getenv("SSH_AUTH_SOCK")})
	switch {
	case errors.Is(err, signature.ErrEncrypted):
		err = fmt.Errorf("%w; set its passphrase in %s, or add the key to ssh-agent and name the public key", err, passphraseVariable)
	case errors.Is(err, signature.ErrPassphrase):
		err = fmt.Errorf("%w; correct %s", err, passphraseVariable)
	}
	if err != nil {
		return nil, fmt.Errorf("--sign: %w", err)
	}
	return key, nil
}

// readVouchers reads the lists of --signers and --tsa-ca, nil where not set.
func (f *closeFlags) readVouchers() (v app.Vouchers, err error) {
	if v.Signers, err = cli.ReadListed("--signers", f.signers, signature.MaxSignersBytes, signature.ReadSigners); err != nil {
		return v, err
	}
	v.Authorities, err = cli.ReadListed("--tsa-ca", f.authorities, timestamp.MaxAuthoritiesBytes, timestamp.ReadAuthorities)
	return v, err
}

const notSigned = "not signed: the package contains no " + closing.SignatureFile

// unproved lists, as text, invalid signatures and timestamps, and missing ones that were asked for.
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
		wrong = append(wrong, "no timestamp: the package contains no "+closing.StampFile)
	case stamp != nil && stamp.Wrong != "":
		wrong = append(wrong, fmt.Sprintf("%s: %s", closing.StampFile, stamp.Wrong))
	}
	return wrong
}

// writeVouched writes the valid signatures with their signers, and the timestamp with its authority.
func writeVouched(w io.Writer, list []closing.Signature, stamp *timestamp.Checked) {
	for _, s := range list {
		switch {
		case s.Wrong != "":
		case s.Signer != "":
			say(w, fmt.Sprintf("signed: %s, %s", s.Key, s.Signer))
		default:
			say(w, fmt.Sprintf("signed by %s, signer not checked; check it with --check --signers FILE", s.Key))
		}
	}
	if stamp != nil && stamp.Wrong == "" {
		authority := cmp.Or(stamp.Authority, "authority not checked; check it with --check --tsa-ca FILE")
		say(w, fmt.Sprintf("timestamp: %s, %s", stamp.Time.Format(time.RFC3339), authority))
	}
}
