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
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/disk"
)

// Output is where a result goes and in what form.
type Output struct {
	Format  string
	File    string
	command *cobra.Command
}

// Forms adds the flags for the form and the file of the output, and checks them. The first of the
// formats is the default.
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
		c.Flags().StringVar(&o.Format, "format", formats[0], "the form of the output: "+strings.Join(formats, ", "))
		Complete(c, "format", formats...)
		before(c, func(*cobra.Command) error {
			if !slices.Contains(formats, o.Format) {
				return fmt.Errorf("--format %q: want %s", o.Format, strings.Join(formats, " or "))
			}
			return o.CheckBinary("format", o.Format)
		})
	}
}

// AddFile is for commands whose form has a flag of its own.
func (o *Output) AddFile(c *cobra.Command) {
	o.command = c
	c.Flags().StringVarP(&o.File, "output", "o", "", "write to this file instead of standard output")
}

// CheckBinary wants a file for a form that is not for people.
func (o *Output) CheckBinary(flag, form string) error {
	if (form == "xlsx" || form == "parquet") && o.File == "" && IsTerminal(o.Stdout()) {
		return fmt.Errorf("--%s %s is not for a terminal: name a file with -o", flag, form)
	}
	return nil
}

// Stdout is the command's standard output.
func (o *Output) Stdout() io.Writer { return o.command.OutOrStdout() }

// Write renders the whole result before the first byte leaves, so that an error
// leaves nothing half-written. A file appears under its name when it is complete.
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

// Stream renders a result that may be long, as it comes. A file appears under its
// name when it is complete.
func (o *Output) Stream(render func(io.Writer) error) error {
	if o.File != "" {
		return ReplaceFile(o.command.Context(), o.File, func(w io.Writer) error { return buffered(w, render) })
	}
	return buffered(o.Stdout(), func(w io.Writer) error { return render(o.forReader(w)) })
}

// forReader is a writer of what is written to standard output, with colours where a person
// sees them and did not ask for none (no-color.org).
func (o *Output) forReader(w io.Writer) io.Writer {
	if o.File == "" && IsTerminal(o.Stdout()) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" {
		return console.Coloured(w)
	}
	return w
}

// buffered writes out what was rendered also where an error ended it.
func buffered(w io.Writer, render func(io.Writer) error) error {
	buffer := bufio.NewWriter(w)
	return cmp.Or(render(buffer), buffer.Flush())
}

// ReplaceFile puts a new file in the place of an old one, or of none. What is no
// regular file, such as a pipe, is written to; a link stays and its target changes. It
// ends with its context, also where a pipe's reader sleeps or there is none.
func ReplaceFile(ctx context.Context, path string, write func(io.Writer) error) error {
	return ReplaceNamedFile(ctx, "-o", path, write)
}

// ReplaceNamedFile is [ReplaceFile] for a file that another flag names.
func ReplaceNamedFile(ctx context.Context, flag, path string, write func(io.Writer) error) error {
	return replaceFile(ctx, flag, path, 0o666, write) // less the umask
}

// ReplaceSecretFile is [ReplaceNamedFile] for a file that, where it is new, is its owner's alone.
func ReplaceSecretFile(ctx context.Context, flag, path string, write func(io.Writer) error) error {
	return replaceFile(ctx, flag, path, 0o600, write)
}

func replaceFile(ctx context.Context, flag, path string, mode fs.FileMode, write func(io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s %s: %w", flag, path, err)
		}
	}()
	target := path
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		target = resolved
	}
	old, notThere := os.Stat(target)
	if notThere == nil && !old.Mode().IsRegular() {
		return writePipe(ctx, target, old.Mode(), write)
	}
	temporary := fmt.Sprintf("%s.%d.tmp", target, os.Getpid())
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer os.Remove(temporary) // nothing is there any more if all went well
	err = write(&writer{ctx, file})
	if err == nil && notThere == nil {
		err = file.Chmod(old.Mode().Perm())
	}
	if err == nil {
		err = file.Sync() // or a crash may leave the name, and nothing behind it
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if err := os.Rename(temporary, target); err != nil {
		return err
	}
	return disk.Sync(filepath.Dir(target))
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

// writePipe writes to what is no regular file: a pipe, once it has a reader, or a device.
func writePipe(ctx context.Context, path string, mode fs.FileMode, write func(io.Writer) error) error {
	flags := os.O_WRONLY
	if mode&fs.ModeNamedPipe != 0 {
		flags |= syscall.O_NONBLOCK // or nothing could end the waiting
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

// readerPause is how long is waited until it is seen whether a pipe has a reader.
const readerPause = 20 * time.Millisecond

// Width is how many columns the output has: those of the terminal, or of COLUMNS
// where the environment sets it. A file or a pipe has no limit.
func (o *Output) Width() int {
	if o.File != "" {
		return math.MaxInt
	}
	return WidthOf(o.Stdout())
}

// WidthOf is how many columns there are for what is written.
func WidthOf(w io.Writer) int {
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	if file, ok := plain(w).(*os.File); ok {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return math.MaxInt
}

// IsTerminal tells whether a person at a terminal reads what is written.
func IsTerminal(w io.Writer) bool {
	file, ok := plain(w).(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
