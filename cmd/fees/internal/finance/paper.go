package finance

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/sys/plain"
)

// paperFlag selects the paper of a result that can be a PDF document.
type paperFlag struct {
	aboutFlag
	paper app.Paper
	font  string
}

func (f *paperFlag) addPaper(c *cobra.Command) {
	f.addAbout(c)
	f.paper.Size = app.PaperSizes[0]
	cli.Choice(c, &f.paper.Size, "paper", "the paper for --format pdf: "+strings.Join(app.PaperSizes, ", "), app.PaperSizes...)
	c.Flags().StringVar(&f.font, "font", "", fontUsage)
}

// fontUsage is the help of --font.
const fontUsage = "a TrueType font for the labels in PDF documents whose characters the own font lacks"

// isPaper reports whether a result is written as a PDF document.
func isPaper(o *cli.Output) bool { return o.Format == "pdf" }

// checkPaper checks the combination of the flags.
func (f *paperFlag) checkPaper(c *cobra.Command, o *cli.Output) error {
	if c.Flags().Changed("paper") && !isPaper(o) {
		return errors.New("--paper only applies to --format pdf")
	}
	if f.font != "" && !isPaper(o) {
		return errors.New("--font only applies to --format pdf")
	}
	if err := f.checkAbout(o.Format, o.File); err != nil {
		return err
	}
	f.paper.Lacking = func(texts []string) { warnOfTexts(c.ErrOrStderr(), texts) }
	font, err := app.ReadFont(f.font)
	f.paper.Font = font
	return err
}

// maxWarned limits the texts that a warning names.
const maxWarned = 5

// warnOfTexts names texts that a PDF document cannot show.
func warnOfTexts(to io.Writer, texts []string) {
	var list []string
	for _, text := range texts[:min(len(texts), maxWarned)] {
		list = append(list, strconv.Quote(plain.Line(text)))
	}
	if n := len(texts) - len(list); n > 0 {
		list = append(list, fmt.Sprintf("and %d more", n))
	}
	fmt.Fprintf(to, "fees: warning: the font of the PDF lacks characters of %s. Pass --font FILE with a TrueType font that has them; scripts that join or reorder letters cannot be printed\n", strings.Join(list, ", "))
}
