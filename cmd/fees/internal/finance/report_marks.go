package finance

import (
	"github.com/spf13/cobra"

	"github.com/feeledger/fees/internal/finance/report"
)

// marksManual describes groupings by a user's files.
const marksManual = `--by account-code has one row per account of your chart of accounts (--chart;
fees export --help describes the file). A transaction that no rule matches goes
to the suspense account, and a note lists it. --by tag has one row per tag of a
CSV file of hash,tag (--tags) and one, "(no tag)", for all other transactions.`

// groupings returns the groupings of a report, those by a user's files last.
func groupings() []report.By { return append(report.Groupings(), report.MarkedGroupings()...) }

// addMarks adds the flags for groupings by a user's files.
func addMarks(c *cobra.Command, chartPath, tagsPath *string) {
	c.Flags().StringVar(chartPath, "chart", "", "for --by account-code, your chart of accounts: a CSV file that maps fees to accounts")
	c.Flags().StringVar(tagsPath, "tags", "", "for --by tag and rules of --chart, a CSV file of hash,tag")
}
