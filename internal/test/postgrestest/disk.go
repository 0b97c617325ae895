package postgrestest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// SmallDisk moves a database, which is given by a URL from Database and has no connections, to a tablespace on a disk of
// a size such as 64m. It returns a function that fills this disk and returns one that makes room again.
//
// It returns nil, and leaves the database where it is, if no disk may be mounted.
func (s *Server) SmallDisk(t testing.TB, address, size string) (fill func() (free func())) {
	t.Helper()
	name, directory := databaseOf(t, address), filepath.Join(s.directory, "small")
	require.NoError(t, os.Mkdir(directory, 0o700))
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", directory).CombinedOutput(); err != nil {
		t.Logf("NOT TESTED: a full tablespace takes the right to mount a tmpfs: %s", out)
		return nil
	}
	t.Cleanup(func() {
		if s.running() {
			require.NoError(t, s.command("DROP DATABASE "+name+" WITH (FORCE)"))
		}
		exec.Command("umount", "-l", directory).Run()
	})
	require.NoError(t, s.programs.give(directory))
	require.NoError(t, s.command("CREATE TABLESPACE small LOCATION '"+directory+"'"))
	require.NoError(t, s.command("ALTER DATABASE "+name+" SET TABLESPACE small"))
	return func() func() {
		ballast := filepath.Join(directory, "ballast")
		file, err := os.Create(ballast)
		for zeros := make([]byte, 64<<10); err == nil; {
			_, err = file.Write(zeros)
		}
		require.ErrorContains(t, err, "no space left")
		file.Close()
		return func() { require.NoError(t, os.Remove(ballast)) }
	}
}
