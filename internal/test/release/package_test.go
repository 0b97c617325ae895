// Package release holds what a release is made of to what it promises: services that systemd
// takes, programs that anybody can build again to the byte, a package that installs in a bare
// Debian and leaves the ledger behind when it goes.
package release

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/program"
)

// run runs a program, which must end well, and gives what it said.
func run(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s\n%s", c, out)
	return string(out)
}

// systemd takes the units as they are, without a word, and finds little that they expose.
func TestUnits(t *testing.T) {
	analyze := program.Path(t, program.Systemd, "systemd-analyze")
	units, err := filepath.Glob("../../../docs/contrib/package/systemd/*.service")
	require.NoError(t, err)
	require.Len(t, units, 3)
	for _, unit := range units {
		verify(t, analyze, unit)
	}
	section := func(unit string) string {
		text, err := os.ReadFile(unit)
		require.NoError(t, err)
		_, hardening, found := strings.Cut(string(text), "\n# Writes only below")
		require.True(t, found, unit)
		return hardening
	}
	for _, unit := range units {
		require.Equal(t, section(units[0]), section(unit), "all are as hard")
	}
}

// verify wants systemd to take a unit without a word, and to find little that it exposes. The
// program is not installed where systemd looks.
func verify(t *testing.T, analyze, unit string) {
	t.Helper()
	text, err := os.ReadFile(unit)
	require.NoError(t, err)
	require.Contains(t, string(text), "\nExecStart=/usr/bin/fees ")
	here := filepath.Join(t.TempDir(), filepath.Base(unit))
	require.NoError(t, os.WriteFile(here, bytes.ReplaceAll(text, []byte("=/usr/bin/fees "), []byte("=/bin/true ")), 0o666))
	require.Empty(t, run(t, exec.Command(analyze, "verify", "--man=no", here)))
	run(t, exec.Command(analyze, "security", "--offline=true", "--threshold=20", here))
}

// Two builds of the program, each in its own directory and from an empty cache, are the
// same bytes. It takes minutes: FEES_RELEASE=1 asks for it.
func TestTwoBuilds(t *testing.T) {
	if os.Getenv("FEES_RELEASE") == "" {
		t.Skip("SKIPPED: two builds from nothing take minutes; FEES_RELEASE=1 makes them")
	}
	var sums, sources []string
	for range 2 { // before the first is built, for someone may commit meanwhile
		source := filepath.Join(t.TempDir(), "fees")
		run(t, exec.Command("git", "clone", "-q", "--no-hardlinks", "../../..", source))
		sources = append(sources, source)
	}
	for _, source := range sources {
		build := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", "fees-built", "./cmd/fees")
		build.Dir = source
		build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOCACHE="+t.TempDir())
		run(t, build)
		program, err := os.ReadFile(filepath.Join(source, "fees-built"))
		require.NoError(t, err)
		sums = append(sums, fmt.Sprintf("%x of %d bytes", sha256.Sum256(program), len(program)))
	}
	t.Log(strings.Join(sums, "\n"))
	require.Equal(t, sums[0], sums[1])
}

// The package of Debian installs in a bare Debian, without Go: the program runs, the manual and
// the completion are there, systemd takes the units; when it goes, the ledger stays, and when it
// is purged too. FEES_DEB names the package, which goreleaser makes. It takes root, and a
// Debian: FEES_DEBIAN is a tar of one, else debootstrap fetches it.
func TestInABareDebian(t *testing.T) {
	deb := os.Getenv("FEES_DEB")
	if deb == "" {
		t.Skip("SKIPPED: FEES_DEB names a package of goreleaser's to install")
	}
	if os.Getuid() != 0 {
		t.Fatal("FEES_DEB is set, and only root installs a package")
	}
	root := t.TempDir()
	if tar := os.Getenv("FEES_DEBIAN"); tar != "" {
		run(t, exec.Command("tar", "-xf", tar, "-C", root))
	} else {
		run(t, exec.Command("debootstrap", "--variant=minbase", "stable", root))
	}
	in := func(script string) string {
		t.Helper()
		c := exec.Command("chroot", root, "/bin/sh", "-ec", script)
		c.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8"}
		return run(t, c)
	}
	require.Equal(t, "no\n", in("command -v go || command -v gcc || echo no"))
	text, err := os.ReadFile(deb)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(root, "fees.deb"), text, 0o666))

	in("dpkg -i /fees.deb")
	require.Contains(t, in("fees version"), "linux/"+runtime.GOARCH)
	demo := in("cd /var/lib && mkdir -p fees && cd fees && fees demo --yes </dev/null")
	require.Contains(t, demo, "fees report")
	in("fees sync 0..48 --gateway /var/lib/fees/fees-demo/gateway --ledger /var/lib/fees/fees.db --quiet || test $? = 1")
	ledger := in("sha256sum /var/lib/fees/fees.db")

	require.Contains(t, in("zcat /usr/share/man/man1/fees-report.1.gz"), `.TH "FEES-REPORT" 1`)
	require.Contains(t, in("zcat /usr/share/man/man1/fees.1.gz"), `fees\-report`)
	completion := in(`bash -c '. /usr/share/bash-completion/completions/fees; complete -p fees'`)
	require.Contains(t, completion, "__start_fees")
	require.Contains(t, in("fees __complete rep"), "report\t")
	require.Equal(t, "600 root\n", in("stat -c '%a %U' /etc/fees/fees.env"))
	analyze, err := exec.LookPath("systemd-analyze")
	require.NoError(t, err)
	for _, unit := range []string{"follow", "worker", "serve"} {
		verify(t, analyze, filepath.Join(root, "usr/lib/systemd/system/fees-"+unit+".service"))
	}

	in("dpkg -r fees")
	require.Equal(t, ledger, in("sha256sum /var/lib/fees/fees.db"))
	require.Equal(t, "gone\n", in("command -v fees || echo gone"))
	require.FileExists(t, filepath.Join(root, "etc/fees/fees.env"), "settings stay until it is purged")
	in("dpkg -P fees")
	require.NoFileExists(t, filepath.Join(root, "etc/fees/fees.env"))
	require.Equal(t, ledger, in("sha256sum /var/lib/fees/fees.db"))
}
