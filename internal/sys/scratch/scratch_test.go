package scratch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// asHolder makes the test binary a process that holds a directory.
const asHolder = "FEES_SCRATCH_TEST_HOLDER"

func TestMain(m *testing.M) {
	if path := os.Getenv(asHolder); path != "" {
		d, err := Hold(path)
		if err == nil {
			err = os.WriteFile(d.Path("new"), []byte("half"), 0o600)
		}
		fmt.Println(err)
		time.Sleep(time.Minute)
	}
	os.Exit(m.Run())
}

func TestADirectoryIsHeldByOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "january.closing")
	d, err := Hold(path)
	require.NoError(t, err)
	_, err = Hold(path)
	require.ErrorIs(t, err, ErrHeld)
	require.ErrorContains(t, err, path)
	require.NoError(t, os.MkdirAll(d.Path("new"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(d.Path("new"), "report.json"), nil, 0o600))
	require.NoError(t, d.Clear())
	require.DirExists(t, path)
	require.NoDirExists(t, d.Path("new"))
	require.NoError(t, d.Remove())
	require.NoDirExists(t, path)
	d, err = Hold(path)
	require.NoError(t, err)
	require.NoError(t, d.Remove())
}

func TestWhatAKilledProcessLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "copy.db.backup")
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), asHolder+"="+path)
	out, err := holder.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, holder.Start())
	said := make([]byte, 100)
	n, err := out.Read(said)
	require.NoError(t, err)
	require.Equal(t, "<nil>\n", string(said[:n]))
	_, err = Hold(path)
	require.ErrorIs(t, err, ErrHeld)

	require.NoError(t, holder.Process.Kill())
	holder.Wait()
	d, err := Hold(path)
	require.NoError(t, err)
	require.FileExists(t, d.Path("new"), "it is there to be looked at")
	require.NoError(t, d.Remove())
	require.NoDirExists(t, path)
}

func TestWhatIsSomebodysOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "january.closing")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err := Hold(path)
	require.ErrorIs(t, err, ErrNotOurs)
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(path, "thesis.txt"), nil, 0o600))
	_, err = Hold(path)
	require.ErrorIs(t, err, ErrNotOurs)
	require.FileExists(t, filepath.Join(path, "thesis.txt"))
	_, err = Hold(filepath.Join(path, "no", "where"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// Of many that remove and create it, one holds it at any moment.
func TestManyHoldADirectoryInTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "january.closing")
	var holders, turns atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for turns.Load() < 500 {
				d, err := Hold(path)
				if err != nil {
					if !errors.Is(err, ErrHeld) {
						t.Error(err)
						return
					}
					continue
				}
				if holders.Add(1) != 1 {
					t.Error("two hold it")
				}
				turns.Add(1)
				holders.Add(-1)
				if err := d.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
