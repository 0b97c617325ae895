package closing

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/finance/closing/timestamp"
	"github.com/feeledger/fees/internal/test/tsatest"
)

// installStamped installs a package with a timestamp.
func installStamped(t *testing.T, dir string, m Manifest, ask func([]byte) ([]byte, error)) (p *Package, changed bool, err error) {
	t.Helper()
	d, err := Begin(dir)
	require.NoError(t, err)
	defer d.Discard()
	old, err := Prepare(dir)
	require.NoError(t, err)
	require.NoError(t, d.Add("report.json", text("{}")))
	d.StampWith(ask)
	return d.Install(dir, m, old)
}

// A package is installed with its timestamp, which changes no other byte and stays if nothing changed; a package
// without one gets its first. The next version must be stamped again.
func TestStamping(t *testing.T) {
	address, certificates := tsatest.Serve(t, time.Now().Add(time.Hour))
	authority, err := timestamp.NewAuthority(address)
	require.NoError(t, err)
	listed, err := os.ReadFile(certificates)
	require.NoError(t, err)
	authorities, err := timestamp.ReadAuthorities(listed)
	require.NoError(t, err)
	ask := func(manifest []byte) ([]byte, error) { return authority.Ask(t.Context(), manifest) }
	never := func([]byte) ([]byte, error) { return nil, errors.New("unexpected request") }

	dir := filepath.Join(t.TempDir(), "january")
	p, changed, err := installStamped(t, dir, january(7), nil)
	require.NoError(t, err)
	require.True(t, changed)
	stamp, err := p.Stamp(t.Context(), authorities)
	require.NoError(t, err)
	require.Nil(t, stamp)
	plain := content(t, dir)
	_, _, err = installStamped(t, dir, january(7), never)
	require.ErrorContains(t, err, "unexpected request")
	require.Equal(t, plain, content(t, dir))

	began := time.Now().Add(-time.Second)
	p, changed, err = installStamped(t, dir, january(7), ask)
	require.NoError(t, err)
	require.False(t, changed)
	stamp, err = p.Stamp(t.Context(), authorities)
	require.NoError(t, err)
	require.Empty(t, stamp.Wrong)
	require.Equal(t, "CN=a test's clock", stamp.Authority)
	require.WithinRange(t, stamp.Time, began.Truncate(time.Second), time.Now())
	require.Empty(t, problems(t, dir))
	stamped := content(t, dir)
	_, _, err = installStamped(t, dir, january(7), never)
	require.NoError(t, err)
	require.Equal(t, stamped, content(t, dir))

	path := filepath.Join(dir, StampFile)
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Symlink(ManifestFile, path))
	stamp, err = p.Stamp(t.Context(), authorities)
	require.NoError(t, err)
	require.Contains(t, stamp.Wrong, "is not a regular file")
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path, []byte(stamped[StampFile]), 0o600))

	other := filepath.Join(t.TempDir(), "january")
	_, _, err = installStamped(t, other, january(7), never)
	require.ErrorContains(t, err, "unexpected request")
	require.NoDirExists(t, other)
	_, _, err = installStamped(t, other, january(8), ask)
	require.NoError(t, err)
	another := content(t, other)[StampFile]
	delete(stamped, StampFile)
	require.Equal(t, plain, stamped)

	p, changed, err = installStamped(t, dir, january(9), nil)
	require.NoError(t, err)
	require.True(t, changed)
	stamp, err = p.Stamp(t.Context(), nil)
	require.NoError(t, err)
	require.Nil(t, stamp)
	require.Empty(t, problems(t, dir))
	one, err := Open(filepath.Join(dir, "versions", "1"))
	require.NoError(t, err)
	stamp, err = one.Stamp(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, stamp.Wrong)
	require.Empty(t, stamp.Authority)

	for given, message := range map[string]string{another: "for other bytes", "something": "not a response of a time-stamping authority"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, StampFile), []byte(given), 0o600))
		stamp, err = p.Stamp(t.Context(), authorities)
		require.NoError(t, err)
		require.Contains(t, stamp.Wrong, message)
		_, _, err = installStamped(t, dir, january(9), ask)
		require.ErrorIs(t, err, ErrDamaged)
		require.ErrorContains(t, err, "delete the file to request a new timestamp")
	}
}
