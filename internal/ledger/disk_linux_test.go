package ledger_test

import (
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func init() {
	limitFiles = func(bytes uint64) error {
		signal.Ignore(syscall.SIGXFSZ)
		return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: bytes})
	}
}

// A file that may not grow ends the writer with an error, and does not harm the ledger.
func TestFilesThatMayNotGrow(t *testing.T) {
	for _, limit := range []string{"100", "40000", "200000", "300000"} { // while it is created, and later
		if testing.Short() && limit != "40000" {
			continue
		}
		t.Run(limit, func(t *testing.T) {
			place := newFile(t)
			cmd, _, errs := start(t, place, fileLimit+"="+limit)
			require.Error(t, cmd.Wait())
			require.Contains(t, errs.String(), "disk", "%s", errs)
			wholeAfterRoomIsMade(t, place)
		})
	}
}

const notMounted = "NOT TESTED, for that takes the right to mount a tmpfs: "

func TestFullDisks(t *testing.T) {
	if testing.Short() {
		t.Skip("not in a short run: a file that may not grow is the same there")
	}
	for _, size := range []string{"100k", "500k"} {
		t.Run(size, func(t *testing.T) {
			disk := t.TempDir()
			if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size="+size); err != nil {
				t.Skip(notMounted, err)
			}
			defer func() { require.NoError(t, syscall.Unmount(disk, syscall.MNT_DETACH)) }()
			place := filepath.Join(disk, "fees.db")
			cmd, _, errs := start(t, place)
			require.Error(t, cmd.Wait())
			require.True(t, strings.Contains(errs.String(), "disk is full") || strings.Contains(errs.String(), "disk I/O"), "%s", errs)
			require.NoError(t, syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=100m"))
			wholeAfterRoomIsMade(t, place)
		})
	}
}

func wholeAfterRoomIsMade(t *testing.T, place string) {
	finish(t, place)
	book := reader(t, place)
	verified(t, book)
	require.Equal(t, quietSeal(t), statusOf(t, book).Seal)
	require.NoError(t, book.Close())
}

// A ledger can be read from a read-only directory.
func TestReadOnlyDisks(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=10m"); err != nil {
		t.Skip(notMounted, err)
	}
	defer func() { require.NoError(t, syscall.Unmount(disk, syscall.MNT_DETACH)) }()
	place := filepath.Join(disk, "fees.db")
	require.NoError(t, written(t, place, madeUpChain, madeUp(0, 10)).Close())
	require.NoError(t, syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	verified(t, reader(t, place))
}
