package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

// New returns a command with groups of flags. Each group adds flags and may add a check of them.
func New(c *cobra.Command, groups ...func(*cobra.Command)) *cobra.Command {
	for _, add := range groups {
		add(c)
	}
	return c
}

// NewParent returns a command that only groups subcommands.
func NewParent(c *cobra.Command, unknown string, below ...*cobra.Command) *cobra.Command {
	c.Args, c.RunE = NoneOf(unknown), ShowHelp
	c.AddCommand(below...)
	return c
}

// before adds a check that runs before the command. Errors of several checks are reported together.
func before(c *cobra.Command, check func(*cobra.Command) error) {
	earlier := c.PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error {
		var first error
		if earlier != nil {
			first = earlier(c, args)
		}
		second := check(c)
		if first == nil || second == nil {
			return cmp.Or(first, second)
		}
		return fmt.Errorf("%w; %w", first, second)
	}
}

// Choice adds a flag that takes one of words. Its default is the current value of to.
func Choice[T ~string](c *cobra.Command, to *T, flag, usage string, words ...T) {
	text := c.Flags().String(flag, string(*to), usage)
	Complete(c, flag, app.Texts(words)...)
	before(c, func(*cobra.Command) error {
		*to = T(*text)
		return app.OneOf(app.Field(flag), *to, words...)
	})
}

// Answer is the result of a command in all its formats.
type Answer struct {
	JSON any
	CSV  func(io.Writer) error
	Text func(*console.Page) // for people
	// Finding reports that a check failed.
	Finding bool
}

// Show writes an answer in the selected format. It returns [ErrFinding] if a check failed.
func (o *Output) Show(a Answer) error {
	err := o.Write(func(w io.Writer) error {
		switch o.Format {
		case "json":
			return jsontext.Write(w, a.JSON)
		case "csv":
			return a.CSV(w)
		}
		page := console.NewPage(w, o.Width())
		a.Text(page)
		return page.Flush()
	})
	return Found(err, a.Finding)
}

// Found returns err, or else [ErrFinding] if finding is set.
func Found(err error, finding bool) error {
	if err == nil && finding {
		return ErrFinding
	}
	return err
}

// QuietFlag turns off progress.
type QuietFlag struct{ Quiet bool }

// AddQuiet adds the flag. The progress line is cleared when the command ends.
func (f *QuietFlag) AddQuiet(c *cobra.Command) {
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		defer f.Progress(c, "").End()
		return run(c, args)
	}
	c.Flags().BoolVar(&f.Quiet, "quiet", false, "show no progress")
}

// Progress returns the progress of a task of the command.
func (f *QuietFlag) Progress(c *cobra.Command, what string) *Progress {
	return NewProgress(c.ErrOrStderr(), what, f.Quiet)
}

// ErrFinding reports that a result was shown in which a check failed.
var ErrFinding = errors.New("a check failed")

// ErrStopped reports that a command run by another one was stopped and has said so.
var ErrStopped = errors.New("stopped")
