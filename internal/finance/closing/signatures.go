package closing

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/feeledger/fees/internal/finance/closing/signature"
	"github.com/feeledger/fees/internal/sys/disk"
)

// SignatureFile contains the signatures of a package's manifest. It is next to the manifest and not listed in it, so
// signing changes no digest. "ssh-keygen -Y sign" writes it too, and "ssh-keygen -Y verify" reads its first
// signature.
const SignatureFile = ManifestFile + ".sig"

// Namespace is the purpose of manifest signatures. Signatures for other purposes are rejected.
const Namespace = "fees-close"

// Signature is a signature of a manifest with the result of its check.
type Signature struct {
	Key    string // the signing key, "" if not readable
	Signer string // the key's owner in the list of signers; "" without a list
	Wrong  string // why it is not valid or not accepted, "" if it is
}

// Signatures checks the signatures of the manifest, none if it is not signed. Each must be by one of the
// signers, unless none are given, and at a time at which the key is valid.
func (p *Package) Signatures(signers signature.Signers, at time.Time) (list []Signature, err error) {
	manifest, err := p.Manifest.Encode()
	if err != nil {
		return nil, err
	}
	signatures, _, err := p.signatures()
	if err != nil {
		return []Signature{{Wrong: err.Error()}}, nil
	}
	for _, s := range signatures {
		checked := Signature{Key: s.Key()}
		err := s.Check(manifest, Namespace)
		if err == nil && signers != nil {
			checked.Signer, err = signers.Who(s, Namespace, at)
		}
		if err != nil {
			checked.Wrong = err.Error()
		}
		list = append(list, checked)
	}
	return list, nil
}

// signatures reads the signatures of the manifest and their text; none if there is no file.
func (p *Package) signatures() (list []*signature.Signature, text []byte, err error) {
	text, err = p.beside(SignatureFile, signature.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	list, err = signature.Read(text)
	return list, text, err
}

// beside reads a file next to the manifest, up to one byte over the limit.
func (p *Package) beside(name string, limit int64) ([]byte, error) {
	file, err := openRegular(filepath.Join(p.Dir, name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, limit+1))
}

// putBeside moves a file of the draft next to the manifest of an existing package.
func (d *Draft) putBeside(p *Package, name string) error {
	if err := rename(filepath.Join(d.dir, name), filepath.Join(p.Dir, name)); err != nil {
		return err
	}
	return disk.Sync(p.Dir)
}

// SignWith signs the package with a key when it is installed; it is never installed without its signature.
// If nothing changed, the key adds its signature to the existing package, unless it has signed already.
func (d *Draft) SignWith(key *signature.Key) { d.key = key }

// sign signs the manifest of the draft.
func (d *Draft) sign(manifest []byte) error {
	if d.key == nil {
		return nil
	}
	text, err := d.key.Sign(manifest, Namespace)
	if err != nil {
		return err
	}
	return d.writeText(SignatureFile, text)
}

// signAlso signs an existing package.
func (d *Draft) signAlso(p *Package) error {
	if d.key == nil {
		return nil
	}
	manifest, err := p.Manifest.Encode()
	if err != nil {
		return err
	}
	signatures, before, err := p.signatures()
	for _, s := range signatures {
		if err = s.Check(manifest, Namespace); err != nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w; delete the file to sign again", ErrDamaged, filepath.Join(p.Dir, SignatureFile), err)
	}
	for _, s := range signatures {
		if d.key.Made(s) {
			return nil
		}
	}
	text, err := d.key.Sign(manifest, Namespace)
	if err != nil {
		return err
	}
	if text = append(before, text...); len(text) > signature.MaxBytes {
		return fmt.Errorf("%s cannot hold more signatures", filepath.Join(p.Dir, SignatureFile))
	}
	if err := d.writeText(SignatureFile, text); err != nil {
		return err
	}
	return d.putBeside(p, SignatureFile)
}
