package failure_test

import (
	"context"
	"errors"
	"fmt"
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
