package finance

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/internal/app"
)

// records is the export format that writes the bytes covered by the seals.
const records = "records"

// exportForms are the values of --as.
var exportForms = append(slices.Concat(app.ExportForms, app.JournalForms), records)

// exportRecords runs fees export --as records.
func (f *exportFlags) exportRecords(c *cobra.Command, args []string) error {
	if err := checkFlags(c, "--as records", "as", "year", "output"); err != nil {
		return err
	}
	period, err := f.PeriodFlags.Parse(args)
	if err != nil {
		return err
	}
	return f.Ask(c, func(d *app.Ledger) error {
		return f.Stream(func(w io.Writer) error { return d.WriteRecords(c.Context(), w, period) })
	})
}
