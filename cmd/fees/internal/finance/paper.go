package finance

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
)

// paperFlag selects the paper of a result that can be a PDF document.
type paperFlag struct {
	aboutFlag
	paper string
}

func (f *paperFlag) addPaper(c *cobra.Command) {
	f.addAbout(c)
	f.paper = app.PaperSizes[0]
	cli.Choice(c, &f.paper, "paper", "the paper for --format pdf: "+strings.Join(app.PaperSizes, ", "), app.PaperSizes...)
}

// isPaper reports whether a result is written as a PDF document.
func isPaper(o *cli.Output) bool { return o.Format == "pdf" }

// checkPaper checks the combination of the flags.
func (f *paperFlag) checkPaper(c *cobra.Command, o *cli.Output) error {
	if c.Flags().Changed("paper") && !isPaper(o) {
		return errors.New("--paper only applies to --format pdf")
	}
	return f.checkAbout(o.Format, o.File)
}
