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

// StampFile has the timestamp of a package's manifest, as an authority answered it. It is
// beside the manifest as the [SignatureFile] is, and "openssl ts -verify" reads it.
const StampFile = ManifestFile + timestamp.Suffix

// Stamp checks the timestamp of the manifest, nil where there is none. It must be by one of
// the authorities, unless there are none to check it against.
func (p *Package) Stamp(ctx context.Context, authorities *x509.CertPool) (*timestamp.Checked, error) {
	manifest, err := p.Manifest.Encode()
	if err != nil {
		return nil, err
	}
	text, err := p.beside(StampFile, timestamp.MostBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return &timestamp.Checked{Wrong: err.Error()}, nil
	}
	return timestamp.Check(ctx, text, manifest, authorities), nil
}

// StampWith has the package stamped by who answers, when it is installed: it is not there
// without its timestamp. Where nothing of it changed, the one that is there keeps the
// timestamp that it has, or gets its first.
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

// stampAlso stamps a package that is there already, unless it is.
func (d *Draft) stampAlso(p *Package) error {
	if d.ask == nil {
		return nil
	}
	there, err := p.Stamp(context.Background(), nil)
	switch {
	case err != nil:
		return err
	case there != nil && there.Wrong != "":
		return fmt.Errorf("%w: %s: %s: take it away to stamp anew", ErrDamaged, filepath.Join(p.Dir, StampFile), there.Wrong)
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
