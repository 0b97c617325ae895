package dataset

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"strconv"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/table"
)

// rowsInGroup is the number of rows in a row group: enough for readers to split among threads, few enough
// for memory.
const rowsInGroup = 100_000

// draft contains the files of a month while they are written.
type draft struct {
	month    *ledger.SealedMonth
	period   ledger.Period
	files    []*draftFile
	manifest Manifest
	seal     ledger.Seals
	blocks   uint64
	// before is the last height of an older export of the month, and sealBefore the seal of the blocks up
	// to it.
	before     uint64
	sealBefore ledger.Seals
}

// draftFile is a table's file.
type draftFile struct {
	*rowTable
	file    *os.File
	buffer  *bufio.Writer
	sum     hash.Hash
	size    int64
	rows    uint64
	parquet *table.ParquetWriter
}

// Write writes to the file's buffer and updates its checksum.
func (f *draftFile) Write(text []byte) (int, error) {
	f.sum.Write(text)
	f.size += int64(len(text))
	return f.buffer.Write(text)
}

// RowError reports a block that contains a value which no file can hold.
type RowError struct {
	Height uint64
	Err    error
}

func (e *RowError) Error() string { return fmt.Sprintf("block %d: %v", e.Height, e.Err) }

// Unwrap returns the cause.
func (e *RowError) Unwrap() error { return e.Err }

// begin creates the files of a month, without rows.
func (d *Dataset) begin(month *ledger.SealedMonth, lacks []string) (_ *draft, err error) {
	if lacks == nil {
		lacks = []string{}
	}
	x := &draft{month: month, manifest: Manifest{
		Format: format, Network: d.chain.Network, Genesis: d.chain.Genesis, Month: month.String(), Lacks: lacks,
		Blocks: blocksOf(month), Program: d.chain.Program,
	}}
	if x.period, err = month.Period(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			x.close()
		}
	}()
	for i := range tables {
		t := &tables[i]
		f := &draftFile{rowTable: t, sum: sha256.New()}
		if f.file, err = os.OpenFile(d.scratch.Path(t.name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666); err != nil {
			return nil, err
		}
		x.files = append(x.files, f)
		f.buffer = bufio.NewWriterSize(f.file, 1<<20)
		s := &table.Sheet{Name: t.name, Title: t.title + " of " + d.chain.Network + ", " + month.String(), Token: d.chain.Token, Columns: t.columns}
		for _, lack := range lacks {
			s.Notes = append(s.Notes, "Known part: "+console.PeriodName(month.String())+" is incomplete, missing "+lack)
		}
		o := table.ParquetOptions{Sorted: t.sorted, RowsInGroup: rowsInGroup, Zstd: true, Metadata: x.metadata()}
		if f.parquet, err = table.NewParquetWriter(f, s, o); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// metadata returns the metadata of each file.
func (x *draft) metadata() map[string]string {
	m := &x.manifest
	list := map[string]string{
		"network": m.Network, "month": m.Month, "whole": strconv.FormatBool(m.Whole()), "program": m.Program,
		"first_block": strconv.FormatUint(m.Blocks.First, 10), "last_block": strconv.FormatUint(m.Blocks.Last, 10),
		"blocks": strconv.FormatUint(m.Blocks.Count, 10), "seal": m.Blocks.Seal,
	}
	if genesis, ok := m.Genesis.Get(); ok {
		list["genesis"] = genesis.String()
	}
	return list
}

// fill writes the rows of the month's blocks and checks that they give its seal.
func (x *draft) fill(ctx context.Context, book *ledger.Book, progress func(blocks uint64)) error {
	for c, err := range book.Contents(ctx, x.month.Span) {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if !x.period.Has(c.Height, c.Time) {
			continue
		}
		if err := x.block(c); err != nil {
			return err
		}
		if progress != nil {
			progress(x.blocks)
		}
	}
	if x.blocks != x.month.Blocks || x.seal.Seal() != x.month.Seal {
		return &ledger.DamageError{What: fmt.Sprintf("the blocks of %v do not match the seal of that month", x.month)}
	}
	return nil
}

func (x *draft) block(c *ledger.Content) error {
	for _, f := range x.files {
		for row := range f.rowTable.rows(c) {
			if err := f.parquet.Write(row); err != nil {
				if cause := f.failed(); cause != nil {
					return cause
				}
				return &RowError{c.Height, err}
			}
			f.rows++
		}
	}
	x.blocks++
	x.seal.Add(c.Time, c.Digest)
	if c.Height <= x.before {
		x.sealBefore.Add(c.Time, c.Digest)
	}
	x.manifest.Undetermined += c.Block.Undetermined
	x.manifest.Unclassified += uint64(len(c.Unclassified))
	return nil
}

// failed returns the write error, if there was one.
func (f *draftFile) failed() error {
	_, err := f.buffer.Write(nil)
	return err
}

// finish completes, syncs and lists the files.
func (x *draft) finish() error {
	for _, f := range x.files {
		if err := f.parquet.Close(); err != nil {
			return err
		}
		if err := cmp.Or(f.buffer.Flush(), f.file.Sync(), f.file.Close()); err != nil {
			return err
		}
		x.manifest.Files = append(x.manifest.Files, File{
			Name: fileOf(f.name, x.manifest.Network, x.manifest.Month), Rows: f.rows, Size: f.size, SHA256: hex.EncodeToString(f.sum.Sum(nil)),
		})
	}
	return nil
}

// close closes unfinished files.
func (x *draft) close() {
	for _, f := range x.files {
		f.file.Close()
	}
}

var _ io.Writer = (*draftFile)(nil)
