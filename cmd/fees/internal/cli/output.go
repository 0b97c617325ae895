package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/disk"
)

// Output configures the format and the file of a result.
type Output struct {
	Format  string
	File    string
	command *cobra.Command
}

// Forms adds and checks the flags for format and file. The first format is the default.
func (o *Output) Forms(formats ...string) func(*cobra.Command) {
	return func(c *cobra.Command) {
		o.StdoutForms(formats...)(c)
		o.AddFile(c)
	}
}

// StdoutForms is [Output.Forms] for a command that writes to standard output only.
func (o *Output) StdoutForms(formats ...string) func(*cobra.Command) {
	return func(c *cobra.Command) {
		o.command = c
		c.Flags().StringVar(&o.Format, "format", formats[0], "the output format: "+strings.Join(formats, ", "))
		Complete(c, "format", formats...)
		before(c, func(*cobra.Command) error {
			if !slices.Contains(formats, o.Format) {
				return fmt.Errorf("--format %q must be %s", o.Format, alternatives(formats))
			}
			return o.CheckBinary("format", o.Format)
		})
	}
}

// alternatives joins words as "a, b or c".
func alternatives(words []string) string {
	last := len(words) - 1
	return strings.TrimPrefix(strings.Join(words[:last], ", ")+" or "+words[last], " or ")
}

// AddFile adds only the flag for the file, for commands with their own format flag.
func (o *Output) AddFile(c *cobra.Command) {
	o.command = c
	c.Flags().StringVarP(&o.File, "output", "o", "", "write to this file; - is standard output, the default")
	first := c.PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error { // before other checks look at the file
		if o.File == "-" {
			o.File = ""
		}
		if first == nil {
			return nil
		}
		return first(c, args)
	}
}

// NamesPath returns a function that adds a check: the flag names a file or a directory, not standard output.
func NamesPath(flag string) func(*cobra.Command) {
	return func(c *cobra.Command) {
		before(c, func(c *cobra.Command) error {
			of := c.Flags().Lookup(flag)
			name := "--" + flag
			if of.Shorthand != "" {
				name = "-" + of.Shorthand
			}
			return CheckPath(name, of.Value.String())
		})
	}
}

// CheckPath rejects "-" as the path of a result that standard output cannot take: a directory, or a ledger. What names the
// flag or the argument.
func CheckPath(what, path string) error {
	if path == "-" {
		return fmt.Errorf("%s -: standard output cannot take this result. Name a file or directory", what)
	}
	return nil
}

// namesInput are the flags that name a ledger or a file that is read, with what a pipe cannot be.
var namesInput = map[string]string{
	"ledger": "a ledger cannot be a pipe. Name a file or a PostgreSQL database",
	"labels": notPiped, "names": notPiped, "prices": notPiped, "chart": notPiped, "tags": notPiped, "classes": notPiped, "profile": notPiped, "network-file": notPiped, "font": notPiped,
}

const notPiped = "this file is not read from standard input. Name a file"

// variables are the environment variables that name what these flags do not.
var variables = map[string]string{"ledger": "FEES_LEDGER", "labels": "FEES_ACCOUNTS"}

// RefusePipes adds a check to a command and those below: the flags that name a ledger or a file that is read do not name
// "-", nor do the environment variables that stand for them.
func RefusePipes(c *cobra.Command) {
	before(c, func(c *cobra.Command) (err error) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			name, values := "--"+f.Name, []string{f.Value.String()}
			if list, isList := f.Value.(pflag.SliceValue); isList {
				values = list.GetSlice()
			}
			if variable := variables[f.Name]; variable != "" && strings.Join(values, "") == "" {
				name, values = variable, []string{os.Getenv(variable)}
			}
			for _, value := range values {
				if why := namesInput[f.Name]; why != "" && err == nil && (value == "-" || strings.HasSuffix(value, "=-")) {
					err = fmt.Errorf("%s %s: %s", name, value, why)
				}
			}
		})
		return err
	})
	for _, below := range c.Commands() {
		RefusePipes(below)
	}
}

// CheckBinary rejects a binary format on a terminal.
func (o *Output) CheckBinary(flag, form string) error {
	if slices.Contains([]string{"xlsx", "parquet", "pdf"}, form) && o.File == "" && IsTerminal(o.Stdout()) {
		return fmt.Errorf("--%s %s cannot be shown on a terminal; name a file with -o", flag, form)
	}
	return nil
}

// Stdout returns the command's standard output.
func (o *Output) Stdout() io.Writer { return o.command.OutOrStdout() }

// Write renders the complete result before writing it, so that an error leaves nothing half-written. A
// file gets its name when it is complete.
func (o *Output) Write(render func(io.Writer) error) error {
	var result bytes.Buffer
	if err := render(o.forReader(&result)); err != nil {
		return err
	}
	if o.File == "" {
		_, err := o.Stdout().Write(result.Bytes())
		return err
	}
	return ReplaceFile(o.command.Context(), o.File, func(w io.Writer) error {
		_, err := w.Write(result.Bytes())
		return err
	})
}

// Stream renders a long result incrementally. A file gets its name when it is complete.
func (o *Output) Stream(render func(io.Writer) error) error {
	if o.File != "" {
		return ReplaceFile(o.command.Context(), o.File, func(w io.Writer) error { return buffered(w, render) })
	}
	return buffered(o.Stdout(), func(w io.Writer) error { return render(o.forReader(w)) })
}

// forReader returns a writer for standard output, with colors on a terminal unless NO_COLOR is set
// (no-color.org).
func (o *Output) forReader(w io.Writer) io.Writer {
	if o.File == "" && IsTerminal(o.Stdout()) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" {
		return console.Coloured(w)
	}
	return w
}

// buffered flushes what was rendered, even after an error.
func buffered(w io.Writer, render func(io.Writer) error) error {
	buffer := bufio.NewWriter(w)
	return cmp.Or(render(buffer), buffer.Flush())
}

// ReplaceFile atomically creates or replaces a file. It writes directly to a pipe or device, and replaces
// the target of a link. It ends with its context, even while waiting for a pipe's reader.
func ReplaceFile(ctx context.Context, path string, write func(io.Writer) error) error {
	return ReplaceNamedFile(ctx, "-o", path, write)
}

// ReplaceNamedFile is [ReplaceFile] for a file that another flag names.
func ReplaceNamedFile(ctx context.Context, flag, path string, write func(io.Writer) error) error {
	return replaceFile(ctx, flag, path, 0o666, write) // before umask
}

// ReplaceSecretFile is [ReplaceNamedFile] for a file that only its owner may read if it is new.
func ReplaceSecretFile(ctx context.Context, flag, path string, write func(io.Writer) error) error {
	return replaceFile(ctx, flag, path, 0o600, write)
}

func replaceFile(ctx context.Context, flag, path string, mode fs.FileMode, write func(io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s %s: %w", flag, path, err)
		}
	}()
	if path == "-" {
		return errors.New("standard output is for the result. Name a file")
	}
	if old, err := os.Stat(path); err == nil && !old.Mode().IsRegular() {
		return writePipe(ctx, path, old.Mode(), write)
	}
	return disk.Replace(path, mode, func(to io.Writer) error { return write(&writer{ctx, to}) })
}

// writer writes until its context ends.
type writer struct {
	ctx  context.Context
	file io.Writer
}

func (w *writer) Write(text []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.file.Write(text)
}

// writePipe writes to a pipe, once it has a reader, or to a device.
func writePipe(ctx context.Context, path string, mode fs.FileMode, write func(io.Writer) error) error {
	flags := os.O_WRONLY
	if mode&fs.ModeNamedPipe != 0 {
		flags |= syscall.O_NONBLOCK // so that the context can end the wait
	}
	file, err := os.OpenFile(path, flags, 0)
	for errors.Is(err, syscall.ENXIO) && flags != os.O_WRONLY { // it has no reader yet
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(readerPause):
		}
		file, err = os.OpenFile(path, flags, 0)
	}
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { file.SetWriteDeadline(time.Unix(1, 0)) })()
	return errors.Join(write(&writer{ctx, file}), file.Close())
}

// readerPause is the interval at which a pipe is checked for a reader.
const readerPause = 20 * time.Millisecond

// Width returns the width of the output in columns: COLUMNS, or the terminal's. Files and pipes are
// unlimited.
func (o *Output) Width() int {
	if o.File != "" {
		return math.MaxInt
	}
	return WidthOf(o.Stdout())
}

// WidthOf returns the width of a writer in columns.
func WidthOf(w io.Writer) int {
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	if file, ok := underlying(w).(*os.File); ok {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return math.MaxInt
}

// IsTerminal reports whether a writer is a terminal.
func IsTerminal(w io.Writer) bool {
	file, ok := underlying(w).(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
