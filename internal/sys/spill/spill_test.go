package spill

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// record is the nth: some are empty, some are long.
func record(n int) string { return strings.Repeat(fmt.Sprint(n, " "), n%50) }

func TestRecords(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for _, count := range []int{0, 1, 1000, 200_000} { // some 24 MB
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			var r Records
			var places []int64
			for n := range count {
				at, err := r.Add([]byte(record(n)))
				require.NoError(t, err)
				places = append(places, at)
				if n == count/2 { // they can be read before all are there
					half, err := r.At(places[n/2])
					require.NoError(t, err)
					require.Equal(t, record(n/2), string(half))
				}
			}
			require.Equal(t, count, r.Len())
			require.Equal(t, count == 200_000, r.file != nil, "few are held")
			require.LessOrEqual(t, cap(r.held), 3*maxHeld)
			for range 2 {
				n := 0
				for have, err := range r.All() {
					if err != nil || string(have) != record(n) {
						require.Equal(t, record(n), string(have), "%d: %v", n, err)
					}
					n++
				}
				require.Equal(t, count, n)
			}
			for n := 0; n < count; n += 9_973 {
				have, err := r.At(places[n])
				require.NoError(t, err)
				require.Equal(t, record(n), string(have))
			}
			for range r.All() { // one that is ended early
				break
			}
			require.NoError(t, r.Close())
			require.Zero(t, r.Len())
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

// What cannot be kept, or read back, is an error.
func TestTrouble(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", filepath.Join(dir, "nowhere"))
	var r Records
	_, err := r.Add(make([]byte, maxHeld))
	require.NoError(t, err)
	_, err = r.Add([]byte{1})
	require.ErrorContains(t, err, "temporary file: ")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, r.Close())

	t.Setenv("TMPDIR", dir)
	for range 2 {
		_, err = r.Add(make([]byte, maxHeld))
		require.NoError(t, err)
	}
	require.NoError(t, r.file.Truncate(100))
	for _, err = range r.All() {
	}
	require.ErrorContains(t, err, "temporary file: ")
	require.NoError(t, r.Close())
}
