package failure_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/failure"
)

type wrapping struct{ error }

func (w wrapping) Unwrap() error { return w.error }
func (wrapping) Kind() failure.Kind {
	return failure.Unanswered
}

// An error's kind is found however deep it is wrapped, and the higher kind is preferred.
func TestKindOf(t *testing.T) {
	busy, damaged := failure.New(failure.Busy, "busy"), failure.New(failure.Damaged, "damaged")
	for _, c := range []struct {
		err  error
		want failure.Kind
	}{
		{nil, ""},
		{errors.New("x"), failure.Failed},
		{busy, failure.Busy},
		{fmt.Errorf("a: %w", fmt.Errorf("b: %w", busy)), failure.Busy},
		{errors.Join(busy, errors.New("x"), damaged), failure.Damaged},
		{fmt.Errorf("%w, %w", damaged, busy), failure.Damaged},
		{wrapping{errors.New("x")}, failure.Unanswered},
		{wrapping{nil}, failure.Unanswered},
		{wrapping{busy}, failure.Busy},
		{errors.Join(damaged, context.Canceled), failure.Stopped},
		{errors.Join(damaged, syscall.ENOSPC), failure.Failed},
	} {
		require.Equal(t, c.want, failure.Of(c.err), "%v", c.err)
	}
	require.ErrorIs(t, fmt.Errorf("a: %w", busy), busy)
	require.EqualError(t, busy, "busy")
}

// A path that cannot be opened is named in plain words, through any wrapping.
func TestPathText(t *testing.T) {
	dir := t.TempDir()
	_, missing := os.Open(filepath.Join(dir, "a.csv"))
	_, isDirectory := os.ReadFile(dir)
	for _, c := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("record: %w", missing), filepath.Join(dir, "a.csv") + " does not exist"},
		{isDirectory, dir + " is a directory"},
		{&fs.PathError{Op: "open", Path: "a.csv", Err: fs.ErrPermission}, "no permission to open a.csv"},
		{&fs.PathError{Op: "write", Path: "a.csv", Err: syscall.ENOSPC}, ""},
		{errors.New("a.csv does not exist"), ""},
		{nil, ""},
	} {
		require.Equal(t, c.want, failure.PathText(c.err))
	}
}
