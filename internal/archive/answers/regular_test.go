package answers_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/archive/answers"
)

// skippable is a zstd frame that a decoder skips: its magic number, its size, and 4 bytes.
const skippable = "\x50\x2a\x4d\x18\x04\x00\x00\x00spam"

// What Verify rejects, readers of a block reject too: links, and what follows the answers in
// a segment's file.
func TestReadersRefuseWhatVerifyRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		options answers.RecordOptions
		file    string
		change  func(t *testing.T, directory, path string)
	}{
		"a link to a file":      {answers.RecordOptions{Last: 9}, "blocks/7.json", link},
		"a link to a directory": {answers.RecordOptions{Last: 9}, "blocks", link},
		"a segment's link":      {answers.RecordOptions{Last: 9, Segments: true}, "segments/0-9.zip", link},
		"a skippable frame": {answers.RecordOptions{Last: 9, Segments: true}, "segments/0-9.zip", func(t *testing.T, _, path string) {
			file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			require.NoError(t, err)
			_, err = file.WriteString(skippable)
			require.NoError(t, err)
			require.NoError(t, file.Close())
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := filepath.Join(t.TempDir(), "kept")
			_, err := answers.Record(t.Context(), newCounting(10), directory, c.options)
			require.NoError(t, err)
			read := func() error {
				a, err := answers.OpenDirectory(directory)
				if err == nil {
					_, err = a.Block(t.Context(), 7)
				}
				return err
			}
			require.NoError(t, read())
			c.change(t, directory, filepath.Join(directory, filepath.FromSlash(c.file)))
			_, err = answers.Verify(t.Context(), directory, nil)
			require.ErrorIs(t, err, answers.ErrDamaged)
			require.ErrorIs(t, read(), answers.ErrDamaged)
		})
	}
}

// link moves what is at a path out of the archive, and puts a link to it in its place.
func link(t *testing.T, directory, path string) {
	elsewhere := directory + "-elsewhere"
	require.NoError(t, os.Rename(path, elsewhere))
	require.NoError(t, os.Symlink(elsewhere, path))
}
