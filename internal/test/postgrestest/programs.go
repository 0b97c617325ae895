package postgrestest

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/feeledger/fees/internal/test/program"
)

// debian is where Debian installs the programs, by version.
const debian = "/usr/lib/postgresql"

// programs are PostgreSQL's programs, and the user who runs them.
type programs struct {
	directory string
	user      user
}

// find finds the programs, and skips the test if PostgreSQL was not requested.
func find(t testing.TB) programs {
	t.Helper()
	program.Ask(t, program.Postgres)
	directory := programsIn(cmp.Or(os.Getenv(Versions), debian))
	if directory == "" {
		directory = programsOnPath()
	}
	if directory == "" {
		program.Missing(t, program.Postgres, "install Debian's package postgresql, or add initdb and postgres to PATH")
	}
	u, err := unprivileged()
	if err != nil {
		t.Fatal(err)
	}
	return programs{directory, u}
}

// programsIn returns the directory of the newest version with both programs.
func programsIn(root string) string {
	versions, _ := filepath.Glob(filepath.Join(root, "*", "bin"))
	slices.SortFunc(versions, func(a, b string) int { return version(b) - version(a) })
	for _, directory := range versions {
		if has(directory, "initdb") && has(directory, "postgres") {
			return directory
		}
	}
	return ""
}

func version(directory string) int {
	number, _ := strconv.Atoi(filepath.Base(filepath.Dir(directory)))
	return number
}

func has(directory, name string) bool {
	_, err := exec.LookPath(filepath.Join(directory, name))
	return err == nil
}

// programsOnPath follows links: initdb looks for postgres in its own directory.
func programsOnPath() string {
	path, err := exec.LookPath("postgres")
	if err != nil {
		return ""
	}
	if path, err = filepath.EvalSymlinks(path); err != nil || !has(filepath.Dir(path), "initdb") {
		return ""
	}
	return filepath.Dir(path)
}

func (p programs) command(name string, arguments ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(p.directory, name), arguments...)
	cmd.Dir = "/" // the user may not have access to ours
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	apart(cmd)
	p.user.run(cmd)
	return cmd
}

// give makes the user the owner of a directory.
func (p programs) give(directory string) error { return p.user.own(directory) }

func (p programs) initdb(directory string) error {
	out, err := p.command("initdb", "-D", directory, "-U", "postgres", "-A", "reject", "--no-sync",
		"--encoding=UTF8", "--locale=C").CombinedOutput()
	if err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return nil
}
