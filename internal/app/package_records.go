package app

import (
	"context"
	"io"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/feeledger/fees/internal/finance/closing"
)

// RecordsFile has the records of a package's blocks, as [Ledger.WriteRecords] writes them, in gzip. The seal covers them.
const RecordsFile = "records.jsonl.gz"

// recordsLevel compresses records to 4 % more bytes than the standard library's default, in a sixth of its time. Higher levels
// save nothing: records are hex digits of packed values.
const recordsLevel = 2

// makeRecords stores the page that checks the package in a browser, and the records that the page reads.
func (x *maker) makeRecords(ctx context.Context) error {
	if err := x.addText(closing.PageFile, closing.Page); err != nil || !x.manifest.Options.Records {
		return err
	}
	return x.draft.Add(RecordsFile, func(w io.Writer) error {
		packed, err := gzip.NewWriterLevel(w, recordsLevel)
		if err != nil {
			return err
		}
		packed.ModTime = time.Unix(0, 0) // none
		if err := x.writeRecords(ctx, packed, x.span(), x.asked.Asked); err != nil {
			return err
		}
		return packed.Close()
	})
}
