package cli

import (
	"io"

	"github.com/spf13/cobra"

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

// before has a command check its flags before it runs.
func before(c *cobra.Command, check func(*cobra.Command) error) {
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := check(c); err != nil {
			return err
		}
		return run(c, args)
	}
}

// Steps runs steps in their order until one fails.
func Steps(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// Read is a step that reads a value from a flag or an argument.
func Read[A, T any](to *T, read func(A) (T, error), from A) func() error {
	return Get(to, func() (T, error) { return read(from) })
}

// Get is a step that gets a value.
func Get[T any](to *T, get func() (T, error)) func() error {
	return func() (err error) {
		*to, err = get()
		return err
	}
}

// Forms adds the flags for the form and the file of the output, and checks them. The first of the
// formats is the default.
func (o *Output) Forms(formats ...string) func(*cobra.Command) {
	return func(c *cobra.Command) {
		o.Add(c, formats...)
		o.checked(c)
	}
}

// StdoutForms is [Output.Forms] for a command that writes to standard output only.
func (o *Output) StdoutForms(formats ...string) func(*cobra.Command) {
	return func(c *cobra.Command) {
		o.AddFormat(c, formats...)
		o.checked(c)
	}
}

func (o *Output) checked(c *cobra.Command) {
	before(c, func(c *cobra.Command) error {
		o.Stdout = c.OutOrStdout()
		return o.Check()
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
