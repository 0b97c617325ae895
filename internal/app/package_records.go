package app

import (
	"compress/gzip"
	"context"
	"io"

	"github.com/feeledger/fees/internal/finance/closing"
)

// RecordsFile has the records of a package's blocks, as [Ledger.WriteRecords] writes them, in gzip. The seal covers them.
const RecordsFile = "records.jsonl.gz"

// makeRecords stores the page that checks the package in a browser, and the records that the page reads.
func (x *maker) makeRecords(ctx context.Context) error {
	if err := x.addText(closing.PageFile, closing.Page); err != nil || !x.manifest.Options.Records {
		return err
	}
	return x.draft.Add(RecordsFile, func(w io.Writer) error {
		packed := gzip.NewWriter(w)
		if err := x.writeRecords(ctx, packed, x.span(), x.asked.Asked); err != nil {
			return err
		}
		return packed.Close()
	})
}
