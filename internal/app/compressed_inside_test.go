package app

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// failing fails after some writes.
type failing struct {
	writes int
	err    error
}

func (f *failing) Write(text []byte) (int, error) {
	if f.writes--; f.writes < 0 {
		return 0, f.err
	}
	return len(text), nil
}

// A compressed text of several parts is one gzip stream, with the same bytes on any number of cores.
func TestCompressedInParts(t *testing.T) {
	lines := func(w io.Writer) error {
		for i := range 50_000 {
			if _, err := fmt.Fprintf(w, "%d %s\n", i, strings.Repeat(fmt.Sprintf("%x", i*i), 5)); err != nil {
				return err
			}
		}
		return nil
	}
	var want, first bytes.Buffer
	require.NoError(t, lines(&want))
	require.Greater(t, want.Len(), 2*recordsPart)
	require.NoError(t, compressed(t.Context(), &first, lines))
	require.Less(t, first.Len(), want.Len()/2)
	in, err := gzip.NewReader(bytes.NewReader(first.Bytes()))
	require.NoError(t, err)
	in.Multistream(false) // browsers read one stream
	have, err := io.ReadAll(in)
	require.NoError(t, err)
	require.Equal(t, want.String(), string(have))
	for _, cores := range []int{1, 3, 8} {
		before := runtime.GOMAXPROCS(cores)
		var again bytes.Buffer
		require.NoError(t, compressed(t.Context(), &again, lines))
		runtime.GOMAXPROCS(before)
		require.True(t, bytes.Equal(first.Bytes(), again.Bytes()), "%d cores", cores)
	}
}

// An error of the text or of the output is returned.
func TestCompressedErrors(t *testing.T) {
	errText, errFull := errors.New("no text"), errors.New("full")
	large := func(w io.Writer) error {
		part := make([]byte, recordsPart)
		for range 9 {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		return nil
	}
	for writes := range 11 { // the head, nine parts and the last one
		require.ErrorIs(t, compressed(t.Context(), &failing{writes, errFull}, large), errFull, "after %d writes", writes)
	}
	require.ErrorIs(t, compressed(t.Context(), io.Discard, func(w io.Writer) error { return errors.Join(large(w), errText) }), errText)
}
