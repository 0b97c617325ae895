//go:build unix

package closing

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/crashtest"
)

// Whatever a machine crash leaves during a close, the package is one of the closed versions, complete, with all
// earlier ones; the next close continues. A version reported as closed exists.
func TestTornPackages(t *testing.T) {
	files := map[string]string{"report.json": "{7}", "lists/of/blocks.csv": "5,6,7"}
	for versions := range 3 { // that are there before
		t.Run(fmt.Sprint(versions), func(t *testing.T) {
			home := t.TempDir()
			sums := []string{""}
			prepare := func(home string) {
				sums = sums[:1]
				for fee := range versions {
					p, _ := install(t, filepath.Join(home, "january"), january(uint64(5+fee)), files)
					sums = append(sums, p.Sum)
				}
			}
			prepare(home)
			cmd := exec.Command(os.Args[0], "-1") // it renames as often as it likes
			cmd.Env = append(os.Environ(), asCloser+"="+filepath.Join(home, "january"))
			check := func(home string, s crashtest.State) error {
				dir := filepath.Join(home, "january")
				if err := Mend(dir); err != nil {
					return err
				}
				version, err := wholePackage(dir, sums)
				if err != nil {
					return err
				}
				if version < versions || version > versions+1 || s.Whole && version != versions+1 {
					return fmt.Errorf("version %d is there, after %d, and the program had ended: %v", version, versions, s.Whole)
				}
				if closeTo(dir, january(8)) != 0 || closeTo(dir, january(9)) != 0 {
					return errors.New("the month cannot be closed any more")
				}
				if version, err = wholePackage(dir, sums); err == nil && version != versions+2 {
					err = fmt.Errorf("version %d is there in the end", version)
				}
				beside, list := os.ReadDir(home)
				if len(beside) != 1 {
					err = errors.Join(err, fmt.Errorf("%v lie beside", beside))
				}
				return errors.Join(err, list)
			}
			h := crashtest.Run(t, home, cmd)
			t.Logf("%v", h.Crashes(t, check))
			h.AfterFailedSyncs(t, crashtest.FailedSync{Program: cmd, Variable: asCloser, Below: "january", Prepare: prepare, Check: check})
		})
	}
}

// wholePackage returns the existing version, 0 for none, and checks the digests of the earlier ones.
func wholePackage(dir string, sums []string) (version int, err error) {
	p, err := Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	problems, err := p.Problems()
	if err != nil || len(problems) > 0 {
		return 0, errors.Join(err, fmt.Errorf("%v", problems))
	}
	for i, sum := range slices.Backward(sums) {
		if i == 0 || i > p.Manifest.Version {
			continue
		}
		one := p
		if i < p.Manifest.Version {
			if one, err = Open(filepath.Join(dir, versionsDir, fmt.Sprint(i))); err != nil {
				return 0, err
			}
		}
		if one.Sum != sum {
			return 0, fmt.Errorf("version %d is another", i)
		}
	}
	return p.Manifest.Version, nil
}

// A full or failing disk ends a close with an error, unless the failing call was not needed.
func TestClosesWhoseCallsFail(t *testing.T) {
	files := map[string]string{"report.json": "{7}"}
	for _, f := range []struct{ call, failure string }{
		{"write", "ENOSPC"}, {"write", "EIO"}, {"fsync", "EIO"}, {"fsync", "ENOSPC"}, {"mkdirat", "ENOSPC"},
		{"renameat", "EIO"}, {"renameat", "ENOSPC"}, {"openat", "EIO"}, {"unlinkat", "EIO"},
	} {
		failed := 0
		for n := 1; n <= 20; n += 3 {
			home := t.TempDir()
			dir := filepath.Join(home, "january")
			p, _ := install(t, dir, january(7), files)
			cmd := exec.Command(os.Args[0], "-1")
			cmd.Env = append(os.Environ(), asCloser+"="+dir)
			_, err := crashtest.RunFailing(t, cmd, f.call, f.failure, n, n%2 == 0)
			if err != nil {
				failed++
			}
			require.NoError(t, Mend(dir), "%v %d", f, n)
			version, whole := wholePackage(dir, []string{"", p.Sum})
			require.NoError(t, whole, "%v %d", f, n)
			require.Positive(t, version)
			if err == nil {
				require.Equal(t, 2, version, "%v %d", f, n)
			}
			require.Zero(t, closeTo(dir, january(9)), "%v %d", f, n)
		}
		t.Logf("%v: %d of 7 programs failed", f, failed)
	}
}
