package main

import (
	"bufio"
	"bytes"
	"cmp"
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

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// output is where a result goes and in what form.
type output struct {
	stdout  io.Writer
	format  string
	formats []string
	file    string
}

func (o *output) add(c *cobra.Command, formats ...string) {
	o.addFormat(c, formats...)
	c.Flags().StringVarP(&o.file, "output", "o", "", "write to this file instead of standard output")
}

func (o *output) addFormat(c *cobra.Command, formats ...string) {
	o.formats = formats
	list := strings.Join(formats, ", ")
	c.Flags().StringVar(&o.format, "format", formats[0], "the form of the output: "+list)
	complete(c, "format", formats...)
}

func (o *output) check() error {
	if !slices.Contains(o.formats, o.format) {
		return fmt.Errorf("--format %q: want %s", o.format, strings.Join(o.formats, " or "))
	}
	return nil
}

// write renders the whole result before the first byte leaves, so that an error
// leaves nothing half-written. A file appears under its name when it is complete.
func (o *output) write(render func(io.Writer) error) error {
	var result bytes.Buffer
	if err := render(&result); err != nil {
		return err
	}
	if o.file == "" {
		_, err := o.stdout.Write(result.Bytes())
		return err
	}
	return replaceFile(o.file, func(w io.Writer) error {
		_, err := w.Write(result.Bytes())
		return err
	})
}

// stream renders a result that may be long, as it comes. A file appears under its
// name when it is complete.
func (o *output) stream(render func(io.Writer) error) error {
	if o.file != "" {
		return replaceFile(o.file, func(w io.Writer) error { return buffered(w, render) })
	}
	return buffered(o.stdout, render)
}

// buffered writes out what was rendered also where an error ended it.
func buffered(w io.Writer, render func(io.Writer) error) error {
	buffer := bufio.NewWriter(w)
	return cmp.Or(render(buffer), buffer.Flush())
}

// replaceFile puts a new file in the place of an old one, or of none. What is no
// regular file, such as a pipe, is written to; a link stays and its target changes.
func replaceFile(path string, write func(io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("-o %s: %w", path, err)
		}
	}()
	target := path
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		target = resolved
	}
	mode := fs.FileMode(0o666) // less the umask
	old, notThere := os.Stat(target)
	if notThere == nil && !old.Mode().IsRegular() {
		file, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(file), file.Close())
	}
	temporary := fmt.Sprintf("%s.%d.tmp", target, os.Getpid())
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer os.Remove(temporary) // nothing is there any more if all went well
	err = write(file)
	if err == nil && notThere == nil {
		err = file.Chmod(old.Mode().Perm())
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(temporary, target)
}

// width is how many columns the output has: those of the terminal, or of COLUMNS
// where the environment sets it. A file or a pipe has no limit.
func (o *output) width() int {
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	if file, ok := o.stdout.(*os.File); ok && o.file == "" {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return math.MaxInt
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
