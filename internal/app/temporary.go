package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/source"
)

// maxTemporary limits the blocks of a temporary ledger, unless they come from an archive, which costs no
// gateway any load.
const maxTemporary = 100_000

// Temporary makes a sealed and indexed ledger of a source's blocks for one question; Close deletes it. The period
// must be a range of heights. Errors use place as the ledger's name.
func Temporary(ctx context.Context, place string, p Period, o FillOptions) (*Ledger, error) {
	span, err := p.heightsAlone()
	if err != nil {
		return nil, err
	}
	kept, err := source.Kept(o.Reader.Source)
	if err != nil {
		return nil, err
	}
	if span.Last-span.First >= maxTemporary && !kept.Known() {
		return nil, &WithoutLedgerError{Err: notUnderstood("blocks %v: without a ledger, the limit is %d blocks", span, maxTemporary)}
	}
	dir, err := os.MkdirTemp("", "fees-")
	if err != nil {
		return nil, err
	}
	d, err := temporary(ctx, filepath.Join(dir, "fees.db"), span, &o)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	d.Place, d.remove = place, func() { os.RemoveAll(dir) }
	return d, nil
}

func temporary(ctx context.Context, path string, span chain.Heights, o *FillOptions) (*Ledger, error) {
	d, err := begin(ctx, path, o, span.First, span.First, OpenWriter)
	if err != nil {
		return nil, err
	}
	f := d.filler(o)
	f.sealsAll = true
	err = f.fill(ctx, span)
	o.Progress.end()
	if err = errors.Join(err, ctx.Err()); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// heightsAlone returns the heights of a period that is read without a ledger.
func (p *Period) heightsAlone() (span chain.Heights, err error) {
	span, ok := p.Asked.Heights.Get()
	if !ok {
		err = &WithoutLedgerError{Err: notUnderstood("without a ledger, use a range of heights, such as 100..199: days need a ledger")}
	}
	return span, err
}

// Ranged reports whether a period is a range of heights.
func (p *Period) Ranged() bool { return p.Asked.Heights.Known() }
