package app

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"runtime"

	"github.com/klauspost/compress/flate"

	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/sys/inorder"
)

// RecordsFile has the records of a package's blocks, as [Ledger.WriteRecords] writes them, in gzip. The seal covers them.
const RecordsFile = "records.jsonl.gz"

// Records are compressed in parts, on all cores: the bytes depend only on the text. Higher levels save hardly anything:
// records are hex digits of packed values.
const (
	recordsPart  = 1 << 20
	recordsLevel = flate.BestSpeed
)

// makeRecords stores the page that checks the package in a browser, and the records that the page reads.
func (x *maker) makeRecords(ctx context.Context) error {
	if err := x.addText(closing.PageFile, closing.Page); err != nil || !x.manifest.Options.Records {
		return err
	}
	return x.draft.Add(RecordsFile, func(w io.Writer) error {
		return compressed(ctx, w, func(w io.Writer) error { return x.writeRecords(ctx, w, x.span(), x.asked.Asked) })
	})
}

// errCompressed ends a writer whose parts have no reader.
var errCompressed = errors.New("its parts are not read")

// parts yields what is written in parts of at least recordsPart bytes. Each Write is in one part.
type parts struct {
	part  []byte
	yield func([]byte) bool
}

func (p *parts) Write(text []byte) (int, error) {
	if p.part = append(p.part, text...); len(p.part) < recordsPart {
		return len(text), nil
	}
	return len(text), p.end()
}

func (p *parts) end() error {
	part := p.part
	if p.part = make([]byte, 0, recordsPart+recordsPart/8); !p.yield(part) {
		return errCompressed
	}
	return nil
}

// compressed compresses what write writes, as one gzip stream.
func compressed(ctx context.Context, w io.Writer, write func(io.Writer) error) error {
	type result struct {
		text   []byte
		packed bytes.Buffer
		err    error
	}
	var failed error
	texts := func(yield func([]byte) bool) {
		p := &parts{yield: yield}
		if failed = write(p); failed == nil {
			failed = p.end()
		}
	}
	pack := func(_ context.Context, text []byte) *result {
		r := &result{text: text}
		var f *flate.Writer
		if f, r.err = flate.NewWriter(&r.packed, recordsLevel); r.err == nil {
			_, r.err = f.Write(text)
			r.err = errors.Join(r.err, f.Flush())
		}
		return r
	}
	if _, err := w.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff}); err != nil { // without a name and a time
		return err
	}
	sum, size := uint32(0), uint32(0)
	for r := range inorder.Map(ctx, texts, runtime.GOMAXPROCS(0), pack) {
		if r.err == nil {
			_, r.err = r.packed.WriteTo(w)
		}
		if r.err != nil {
			return r.err
		}
		sum, size = crc32.Update(sum, crc32.IEEETable, r.text), size+uint32(len(r.text))
	}
	if failed != nil {
		return failed
	}
	end := binary.LittleEndian.AppendUint32([]byte{3, 0}, sum) // an empty last block
	_, err := w.Write(binary.LittleEndian.AppendUint32(end, size))
	return err
}
