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

// SignatureFile has the signatures of a package's manifest. It is beside the manifest, and
// no file of the package: whoever signs changes no sum. "ssh-keygen -Y sign" puts it there
// too, and "ssh-keygen -Y verify" reads the first one of it.
const SignatureFile = ManifestFile + ".sig"

// Namespace is what the signatures of manifests are for: those of anything else do not hold.
const Namespace = "fees-close"

// Signature is one of a manifest, with what came of its check.
type Signature struct {
	Key    string // that made it, "" where it cannot be read
	Signer string // whose key that is, by the list of signers; "" where it was checked against nobody
	Wrong  string // why it does not hold or does not count, "" where it does
}

// Signatures checks the signatures of the manifest, none where it is not signed. Each must
// be by one of the signers, unless there are none to check it against, and at a time at
// which the key is valid.
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

// signatures reads those of the manifest, and their text; none where there is no file.
func (p *Package) signatures() (list []*signature.Signature, text []byte, err error) {
	text, err = p.beside(SignatureFile, signature.MostBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	list, err = signature.Read(text)
	return list, text, err
}

// beside reads a file that stands beside the manifest: its first byte too many as well.
func (p *Package) beside(name string, most int64) ([]byte, error) {
	file, err := openRegular(filepath.Join(p.Dir, name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, most+1))
}

// putBeside puts a file of the draft beside the manifest of a package that is there.
func (d *Draft) putBeside(p *Package, name string) error {
	if err := rename(filepath.Join(d.dir, name), filepath.Join(p.Dir, name)); err != nil {
		return err
	}
	return disk.Sync(p.Dir)
}

// SignWith has the package signed with a key when it is installed: it is not there without
// its signature. Where nothing of it changed, the key signs the one that is there, beside
// those who signed it before, unless it did already.
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

// signAlso signs a package that is there already.
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
		return fmt.Errorf("%w: %s: %w: take it away to sign anew", ErrDamaged, filepath.Join(p.Dir, SignatureFile), err)
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
	if text = append(before, text...); len(text) > signature.MostBytes {
		return fmt.Errorf("%s: no more signatures fit into it", filepath.Join(p.Dir, SignatureFile))
	}
	if err := d.writeText(SignatureFile, text); err != nil {
		return err
	}
	return d.putBeside(p, SignatureFile)
}
