package proofs

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/sys/disk"
	"github.com/feeledger/fees/internal/test/crashtest"
)

// asRecorder makes the test binary a program that records into a directory.
const asRecorder = "FEES_NODEARCHIVE_TEST_DIRECTORY"

func TestMain(m *testing.M) {
	if directory := os.Getenv(asRecorder); directory != "" {
		goruntime.LockOSThread() // calls are counted by threads
		server := httptest.NewServer(rooted(40).Node())
		client, err := rpc.New(server.URL, httpclient.Options{RetryWait: time.Millisecond, Total: time.Minute})
		if err == nil {
			err = recordSmall(FromNode(client), directory)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// recordSmall records some blocks of a made-up chain, of two runtimes.
func recordSmall(from Origin, directory string) error {
	o := RecordOptions{First: 20, Last: 34, Concurrency: 2, segmentSize: 8}
	_, err := record(context.Background(), from, disk.New(directory), o)
	return err
}

// Whatever a crash of the machine leaves of an archive, one that has a manifest proves, and a
// recorder that goes on makes what a quiet one makes. One that was told to be made is there.
func TestTornArchives(t *testing.T) {
	node := FromNode(served(t, rooted(40).Node()))
	quiet := filepath.Join(t.TempDir(), "archive")
	require.NoError(t, recordSmall(node, quiet))
	want := crashtest.Tree(t, quiet)
	home := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asRecorder+"="+filepath.Join(home, "moonbeam"))
	check := func(home string, s crashtest.State) error {
		directory := filepath.Join(home, "moonbeam")
		_, there := os.Lstat(filepath.Join(directory, archive.ManifestPath))
		if there == nil || s.Whole {
			if _, err := Verify(context.Background(), directory, chain.Optional[chain.Anchor]{}, nil); err != nil {
				return fmt.Errorf("it has its manifest: %w", err)
			}
		}
		if err := recordSmall(node, directory); err != nil {
			return err
		}
		have := crashtest.Tree(t, directory)
		for path, text := range want {
			if have[path] != text {
				return fmt.Errorf("%s is another one in the end", path)
			}
		}
		if len(have) != len(want) {
			return fmt.Errorf("%d files are there, not %d", len(have), len(want))
		}
		return nil
	}
	h := crashtest.Run(t, home, cmd)
	t.Logf("%v", h.Crashes(t, check))
	h.AfterFailedSyncs(t, crashtest.FailedSync{Program: cmd, Variable: asRecorder, Below: "moonbeam", Check: check})
}
