package closing

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/feeledger/fees/internal/finance/closing/timestamp"
)

// StampFile contains the timestamp of a package's manifest, as returned by the authority. It is next to the manifest
// like the [SignatureFile], and "openssl ts -verify" reads it.
const StampFile = ManifestFile + timestamp.Suffix

// Stamp checks the timestamp of the manifest, nil if there is none. It must be by one of the authorities,
// unless none are given.
func (p *Package) Stamp(ctx context.Context, authorities *x509.CertPool) (*timestamp.Checked, error) {
	manifest, err := p.Manifest.Encode()
	if err != nil {
		return nil, err
	}
	text, err := p.beside(StampFile, timestamp.MaxBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return &timestamp.Checked{Wrong: err.Error()}, nil
	}
	return timestamp.Check(ctx, text, manifest, authorities), nil
}

// StampWith requests a timestamp for the package with ask when it is installed; it is never installed
// without its timestamp. If nothing changed, the existing package keeps its timestamp or gets its first.
func (d *Draft) StampWith(ask func(manifest []byte) ([]byte, error)) { d.ask = ask }

// stamp stamps the manifest of the draft.
func (d *Draft) stamp(manifest []byte) error {
	if d.ask == nil {
		return nil
	}
	answer, err := d.ask(manifest)
	if err != nil {
		return err
	}
	return d.writeText(StampFile, answer)
}

// stampAlso stamps an existing package unless it has a timestamp.
func (d *Draft) stampAlso(p *Package) error {
	if d.ask == nil {
		return nil
	}
	there, err := p.Stamp(context.Background(), nil)
	switch {
	case err != nil:
		return err
	case there != nil && there.Wrong != "":
		return fmt.Errorf("%w: %s: %s; delete the file to request a new timestamp", ErrDamaged, filepath.Join(p.Dir, StampFile), there.Wrong)
	case there != nil:
		return nil
	}
	manifest, err := p.Manifest.Encode()
	if err != nil {
		return err
	}
	if err := d.stamp(manifest); err != nil {
		return err
	}
	return d.putBeside(p, StampFile)
}
