package closing

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/feeledger/fees/timestamp"
)

// StampFile has the timestamp of a package's manifest, as an authority answered it. It is
// beside the manifest as the [SignatureFile] is, and "openssl ts -verify" reads it.
const StampFile = ManifestFile + ".tsr"

// Stamp is the timestamp of a manifest, with what came of its check.
type Stamp struct {
	Time      time.Time // when the manifest was there; zero where it cannot be read
	Authority string    // whose word that is; "" where it was checked against nobody
	Wrong     string    // why it does not hold or does not count, "" where it does
}

// Stamp checks the timestamp of the manifest, nil where there is none. It must be by one of
// the authorities, unless there are none to check it against.
func (p *Package) Stamp(ctx context.Context, authorities *x509.CertPool) (*Stamp, error) {
	manifest, err := p.Manifest.Encode()
	if err != nil {
		return nil, err
	}
	stamp, err := p.stamp()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return &Stamp{Wrong: err.Error()}, nil
	}
	checked := &Stamp{Time: stamp.Time()}
	err = stamp.Check(manifest)
	if err == nil && authorities != nil {
		checked.Authority, err = stamp.By(ctx, authorities)
	}
	if err != nil {
		checked.Wrong = err.Error()
	}
	return checked, nil
}

// stamp reads the timestamp of the manifest.
func (p *Package) stamp() (*timestamp.Stamp, error) {
	text, err := p.beside(StampFile, timestamp.MostBytes)
	if err != nil {
		return nil, err
	}
	return timestamp.Read(text)
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
	manifest, err := p.Manifest.Encode()
	if err != nil {
		return err
	}
	stamp, err := p.stamp()
	if err == nil {
		err = stamp.Check(manifest)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := d.stamp(manifest); err != nil {
			return err
		}
		return d.putBeside(p, StampFile)
	case err != nil:
		return fmt.Errorf("%w: %s: %w: take it away to stamp anew", ErrDamaged, filepath.Join(p.Dir, StampFile), err)
	}
	return nil
}
