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

// New returns a command with groups of flags: each is a function that adds some, and may have
// them checked before the command runs.
func New(c *cobra.Command, groups ...func(*cobra.Command)) *cobra.Command {
	for _, add := range groups {
		add(c)
	}
	return c
}

// NewParent returns a command that only groups others.
func NewParent(c *cobra.Command, unknown string, below ...*cobra.Command) *cobra.Command {
	c.Args, c.RunE = NoneOf(unknown), ShowHelp
	c.AddCommand(below...)
	return c
}

// before adds a check of the flags that runs before the command does. The errors of several checks are
// reported together.
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

// Choice adds a flag that takes one of some words, and checks it. It is the word in to where it is
// not given.
func Choice[T ~string](c *cobra.Command, to *T, flag, usage string, words ...T) {
	text := c.Flags().String(flag, string(*to), usage)
	Complete(c, flag, app.Texts(words)...)
	before(c, func(*cobra.Command) error {
		*to = T(*text)
		return app.OneOf(app.Field(flag), *to, words...)
	})
}

// Answer is what a command found, in its forms.
type Answer struct {
	JSON any
	CSV  func(io.Writer) error
	Text func(*console.Page) // for people
	// Finding says that something in it does not hold.
	Finding bool
}

// Show writes an answer in the form of the flag. It is [ErrFinding] where something does not hold.
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

// Found is an error, or else [ErrFinding] where something does not hold.
func Found(err error, finding bool) error {
	if err == nil && finding {
		return ErrFinding
	}
	return err
}

// QuietFlag says that no progress is shown.
type QuietFlag struct{ Quiet bool }

// AddQuiet adds the flag. The last line of progress goes when the command has ended.
func (f *QuietFlag) AddQuiet(c *cobra.Command) {
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		defer f.Progress(c, "").End()
		return run(c, args)
	}
	c.Flags().BoolVar(&f.Quiet, "quiet", false, "no progress on standard error")
}

// Progress is that of a task of the command.
func (f *QuietFlag) Progress(c *cobra.Command, what string) *Progress {
	return NewProgress(c.ErrOrStderr(), what, f.Quiet)
}

// ErrFinding says that a result was shown in which something does not hold. The
// result itself says what.
var ErrFinding = errors.New("something does not hold")

// ErrStopped says that a command of another one was stopped, which has said so.
var ErrStopped = errors.New("stopped")
