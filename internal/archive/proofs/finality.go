package proofs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/substrate/finality"
	"github.com/feeledger/fees/internal/sys/disk"
)

// finalityPath contains evidence of finality, in the form of package finality. Its own root is not trusted.
const finalityPath = "finality.json"

// ErrNoFinality reports an archive without evidence of finality.
var ErrNoFinality = failure.New(failure.NotCovered, "no evidence of finality")

// Final is a block of an archive that is proved final.
type Final struct {
	chain.Anchor
	By       finality.Result
	Root     finality.Root // the trusted set
	SpecName string        // of the archive's last runtime
}

// HasFinality reports whether an archive has evidence of finality, checked or not.
func HasFinality(directory string) bool {
	_, err := fs.Stat(os.DirFS(directory), finalityPath)
	return err == nil
}

// TrustFinal proves, from a trusted set of validators, that a block of an archive is final: the highest one that the
// archive's evidence proves. [Open] and [Verify] then check that the archive contains it.
func TrustFinal(ctx context.Context, directory string, root finality.Root) (f Final, err error) {
	a, err := Open(directory, chain.Optional[chain.Anchor]{})
	if err != nil {
		return f, err
	}
	text, err := a.read(finalityPath, finality.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return f, fmt.Errorf("%s: %w. Record it with \"fees archive record RANGE -o DIR --proofs --finality\".", directory, ErrNoFinality)
	}
	if err != nil {
		return f, err
	}
	e, err := finality.Parse(string(text))
	if err == nil {
		f.By, err = e.Prove(ctx, finality.Options{Root: chain.Some(root)})
	}
	if err != nil {
		return f, errorAt(a, err)
	}
	highest, has := f.By.Highest(a.manifest.Last).Get()
	if !has || highest.Height < a.manifest.base() {
		return f, fmt.Errorf("%s: %s: %w for blocks %d to %d; record it again", directory, finalityPath, ErrNoFinality, a.manifest.First, a.manifest.Last)
	}
	f.Anchor, f.Root = highest, root
	f.SpecName = a.manifest.Runtimes[len(a.manifest.Runtimes)-1].SpecName
	return f, nil
}

func errorAt(a *Archive, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return a.damaged(finalityPath, err)
}

// PutFinality stores evidence of finality in an archive, and replaces any earlier evidence.
func PutFinality(directory string, evidence []byte) error {
	d := disk.New(directory)
	if err := d.Write(finalityPath, string(evidence)); err != nil {
		return err
	}
	return d.Flush()
}

// copyFinality copies the evidence of the highest part that has some.
func (p *parts) copyFinality(output string) error {
	for _, a := range p.list {
		text, err := a.read(finalityPath, finality.MaxBytes)
		if err == nil {
			return PutFinality(output, text)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
