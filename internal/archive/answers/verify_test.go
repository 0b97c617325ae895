package answers_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/test/crashtest"
)

// recorded is an archive of a few blocks of the recordings.
func recorded(t testing.TB, first, last uint64) string {
	gateway, _ := served(t, moonbeam(t))
	directory := t.TempDir()
	_, err := answers.Record(context.Background(), gateway, directory, answers.RecordOptions{First: first, Last: last, Accounts: []chain.Address{account(t)}})
	require.NoError(t, err)
	return directory
}

// smallFile is the size up to which each of a file's bytes is changed in turn.
const smallFile = 400

// Any byte that changes is found, and the file is named: each byte of the small
// files, one in the middle of the larger ones, each of the manifest.
func TestVerifyFindsChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("each change of each file; some are among those of the segments")
	}
	ctx := context.Background()
	directory := recorded(t, 3, 4)
	for path, text := range crashtest.Tree(t, directory) {
		places := []int{len(text) / 2}
		if len(text) <= smallFile || path == "manifest.json" {
			places = places[:0]
			for i := range text {
				places = append(places, i)
			}
		}
		target := filepath.Join(directory, path)
		for _, place := range places {
			changed := []byte(text)
			changed[place] ^= 1
			require.NoError(t, os.WriteFile(target, changed, 0o644))
			_, err := answers.Verify(ctx, directory, nil)
			require.ErrorIs(t, err, answers.ErrDamaged, "%s at %d", path, place)
			require.ErrorContains(t, err, path)
		}
		for _, changed := range []string{text + "\n", text[:len(text)-1], ""} {
			require.NoError(t, os.WriteFile(target, []byte(changed), 0o644))
			_, err := answers.Verify(ctx, directory, nil)
			require.ErrorIs(t, err, answers.ErrDamaged)
			require.ErrorContains(t, err, path)
		}
		require.NoError(t, os.WriteFile(target, []byte(text), 0o644))
	}
	_, err := answers.Verify(ctx, directory, nil)
	require.NoError(t, err)
}

func TestVerifyFindsMissingAndExtra(t *testing.T) {
	ctx := context.Background()
	directory := recorded(t, 3, 12)
	files := crashtest.Tree(t, directory)
	for path, text := range files {
		if path == "manifest.json" {
			continue
		}
		require.NoError(t, os.Remove(filepath.Join(directory, path)))
		_, err := answers.Verify(ctx, directory, nil)
		require.ErrorIs(t, err, answers.ErrDamaged)
		require.ErrorContains(t, err, path+": the file is in the manifest but missing")
		require.NoError(t, os.WriteFile(filepath.Join(directory, path), []byte(text), 0o644))
	}
	for _, path := range []string{"blocks/13.json", "notes", ".hidden", "blocks/3.json.1.tmp"} {
		require.NoError(t, os.WriteFile(filepath.Join(directory, path), nil, 0o644))
		_, err := answers.Verify(ctx, directory, nil)
		require.ErrorIs(t, err, answers.ErrDamaged)
		require.ErrorContains(t, err, path+": not in the manifest")
		require.NoError(t, os.Remove(filepath.Join(directory, path)))
	}
	elsewhere := filepath.Join(t.TempDir(), "5.json")
	require.NoError(t, os.Rename(filepath.Join(directory, "headers/5.json"), elsewhere))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(directory, "headers/5.json")))
	_, err := answers.Verify(ctx, directory, nil)
	require.ErrorContains(t, err, "headers/5.json: not a regular file")

	require.NoError(t, os.RemoveAll(filepath.Join(directory, "multiplier")))
	_, err = answers.Verify(ctx, directory, nil)
	require.ErrorContains(t, err, "; and 2 more")
	stopped, stop := context.WithCancel(ctx)
	stop()
	_, err = answers.Verify(stopped, directory, nil)
	require.ErrorIs(t, err, context.Canceled)

	require.NoError(t, os.Remove(filepath.Join(directory, "manifest.json")))
	_, err = answers.Verify(ctx, directory, nil)
	require.ErrorIs(t, err, answers.ErrLacks)
	require.ErrorContains(t, err, "manifest.json")
}

// A damaged archive is mended by recording it again.
func TestMend(t *testing.T) {
	ctx := context.Background()
	gateway, seen := served(t, moonbeam(t))
	options := answers.RecordOptions{First: 3, Last: 5}
	directory := t.TempDir()
	_, err := answers.Record(ctx, gateway, directory, options)
	require.NoError(t, err)
	want := crashtest.Tree(t, directory)
	for path, text := range want {
		for _, damaged := range []string{"", strings.Replace(text, "9", "8", 1)} {
			require.NoError(t, os.WriteFile(filepath.Join(directory, path), []byte(damaged), 0o644))
			_, err := answers.Record(ctx, gateway, directory, options)
			require.NoError(t, err, path)
			require.Equal(t, want, crashtest.Tree(t, directory), path)
		}
	}
	require.NotEmpty(t, seen.paths)
}

// A manifest of a form to come is refused.
func TestManifestFormat(t *testing.T) {
	directory := recorded(t, 3, 3)
	path := filepath.Join(directory, "manifest.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), `"format": 1`, `"format": 2`, 1)), 0o644))
	_, err = answers.Verify(context.Background(), directory, nil)
	require.ErrorContains(t, err, "unsupported format 2; this program reads format 1")
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o755))
	_, err = answers.OpenDirectory(directory)
	require.ErrorIs(t, err, answers.ErrDamaged)
}

// The last progress of a verification is that all files were read.
func TestVerifyProgress(t *testing.T) {
	var told [][2]uint64
	manifest, err := answers.Verify(context.Background(), recorded(t, 3, 3), func(done, total uint64) { told = append(told, [2]uint64{done, total}) })
	require.NoError(t, err)
	files := uint64(len(manifest.Files()))
	require.Len(t, told, int(files)+1)
	require.Equal(t, [2]uint64{0, files}, told[0])
	require.Equal(t, [2]uint64{files, files}, told[files])
}

// A verification that is stopped says so, and finds nothing.
func TestVerifyStopped(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	_, err := answers.Verify(ctx, recorded(t, 3, 3), func(_, _ uint64) { stop() })
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, answers.ErrDamaged)
}

// A directory in place of a file is rejected.
func TestVerifyFindsDirectories(t *testing.T) {
	directory := recorded(t, 3, 4)
	path := filepath.Join(directory, "blocks", "4.json")
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o755))
	_, err := answers.Verify(context.Background(), directory, nil)
	require.ErrorIs(t, err, answers.ErrDamaged)
	require.ErrorContains(t, err, "blocks/4.json: not a regular file")
}
