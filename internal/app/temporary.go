package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/feeledger/fees/chain"
)

// maxTemporary is how many blocks a ledger that is thrown away may have, unless they come from
// an archive, which is nobody's gateway.
const maxTemporary = 100_000

// Temporary makes a ledger of a source's blocks for one question, sealed and with its
// look-ups; Close takes it away. The period is one of heights. Place is what errors call
// the ledger.
func Temporary(ctx context.Context, place string, p Period, o FillOptions) (*Desk, error) {
	span, err := p.heightsAlone()
	if err != nil {
		return nil, err
	}
	kept, err := o.Reader.Source.Kept()
	if err != nil {
		return nil, err
	}
	if span.Last-span.First >= maxTemporary && !kept.Known() {
		return nil, &WithoutLedgerError{Err: notUnderstood("blocks %v: at most %d are read for one question without a ledger", span, maxTemporary)}
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

func temporary(ctx context.Context, path string, span chain.Heights, o *FillOptions) (*Desk, error) {
	d, err := begin(ctx, path, o.Reader, span.First, span.First, OpenWriter)
	if err != nil {
		return nil, err
	}
	err = d.filler(o).fill(ctx, span)
	o.Progress.end()
	if err = errors.Join(err, ctx.Err()); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// heightsAlone are the heights of a period that is read without a ledger.
func (p *Period) heightsAlone() (span chain.Heights, err error) {
	span, ok := p.Asked.Heights.Get()
	if !ok {
		err = &WithoutLedgerError{Err: notUnderstood("without a ledger, name a range of heights, such as 100..199: days are looked for in one")}
	}
	return span, err
}

// Ranged tells whether a period is a range of heights.
func (p *Period) Ranged() bool { return p.Asked.Heights.Known() }
