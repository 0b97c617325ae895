package cli

import (
	"context"
	"io"
	"os"

	"golang.org/x/term"
)

// Terminal returns standard input and whether it is a terminal.
func Terminal(stdin io.Reader) (file *os.File, is bool) {
	file, is = stdin.(*os.File)
	return file, is && term.IsTerminal(int(file.Fd()))
}

// Await returns the result of read, or the context's error if that ends first.
func Await[T any](ctx context.Context, read func() (T, error)) (none T, err error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := read()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}
