//go:build unix

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"io/fs"
	"math/big"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/archive/demo/monthend"
	"github.com/feeledger/fees/internal/test/gatewaytest"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/feeledger/fees/internal/test/program"
)

// keptVersions contains the output of earlier versions, one file each, which is never rewritten.
const keptVersions = "../../testdata/versions"

// keepVersion is the environment variable that makes TestKeepVersion write this version's output to NAME.tar.gz.
const keepVersion = "FEES_KEEP_VERSION"

// The output of this version: a ledger of recorded blocks, as a file and as a PostgreSQL dump; archives from a
// gateway and a node; and fees demo, with a ledger, its archive, and a package that was closed twice.
const (
	keptLedger  = "moonbeam-2100/fees.db"
	keptDump    = "moonbeam-2100/fees.sql"
	keptGateway = "gateway"
	keptNode    = "node"
	keptMonth   = "monthend"
)

// The kept ledgers contain the recorded blocks from keptFrom to keptUpTo, of keptOn. Earlier blocks fail a check of
// their time.
const keptFrom, keptUpTo, keptOn = 3, 20, 27

// TestKeepVersion writes the input of later versions' tests.
func TestKeepVersion(t *testing.T) {
	name := os.Getenv(keepVersion)
	if name == "" {
		t.Skip("only where FEES_KEEP_VERSION has a name for what this version writes")
	}
	file, err := filepath.Abs(filepath.Join(keptVersions, name+".tar.gz"))
	require.NoError(t, err)
	require.NoFileExists(t, file, "what was kept is not written again")
	directory := t.TempDir()
	at := func(name string) string { return filepath.Join(directory, filepath.FromSlash(name)) }
	gateway := filepath.Join(recordings(t), "moonbeam-2100")
	must := func(args ...string) { outputOf(t, exitOK, args...) }
	require.NoError(t, os.MkdirAll(filepath.Dir(at(keptLedger)), 0o777))
	must("sync", "3..20", "--ledger", at(keptLedger), "--gateway", gateway)
	place := postgrestest.Start(t).Database(t)
	must("sync", "3..20", "--ledger", place, "--gateway", gateway)
	dump, err := exec.Command(postgresProgram(t, "pg_dump"), "--no-owner", "--no-privileges", place).Output()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(at(keptDump), dump, 0o666))
	served := httptest.NewServer(gatewaytest.Handler(gateway))
	t.Cleanup(served.Close)
	must("archive", "record", "3..8", "-o", at(keptGateway), "--gateway", served.URL)
	_, node, _ := rootedNode(t, 31, 28, 40)
	must("archive", "record", "20..34", "-o", at(keptNode), "--proofs", "--gateway", node)
	require.NoError(t, monthend.Write(at(keptMonth)))
	t.Chdir(at(keptMonth))
	must("sync", "--month", "2026-01", "--gateway", "gateway")
	must("close", "--month", "2026-01", "--accounts", "group:company", "--gateway", "gateway", "-o", "january")
	must("close", "--month", "2026-01", "--accounts", "group:company,Payroll", "--gateway", "gateway", "-o", "january")
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	require.NoError(t, err)
	out := tar.NewWriter(zip)
	require.NoError(t, out.AddFS(os.DirFS(directory)))
	require.NoError(t, out.Close())
	require.NoError(t, zip.Close())
	require.Less(t, packed.Len(), 1<<20, "keep it small")
	require.NoError(t, os.WriteFile(file, packed.Bytes(), 0o666))
}

// The output of earlier versions can be opened, verified, reported on and continued.
func TestEarlierVersions(t *testing.T) {
	kept, err := filepath.Glob(filepath.Join(keptVersions, "*.tar.gz"))
	require.NoError(t, err)
	require.NotEmpty(t, kept)
	for _, file := range kept {
		name := strings.TrimSuffix(filepath.Base(file), ".tar.gz")
		directory := t.TempDir()
		unpack(t, file, directory)
		at := func(name string) string { return filepath.Join(directory, filepath.FromSlash(name)) }
		t.Run(name+"/ledger", func(t *testing.T) { continuesLedger(t, at(keptLedger)) })
		t.Run(name+"/postgres", func(t *testing.T) {
			place := postgrestest.Start(t).Database(t)
			load := exec.Command(postgresProgram(t, "psql"), "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", place, "--file", at(keptDump))
			said, err := load.CombinedOutput()
			require.NoError(t, err, "%s", said)
			continuesLedger(t, place)
		})
		t.Run(name+"/gateway", func(t *testing.T) { archiveHolds(t, at(keptGateway), "3..8") })
		t.Run(name+"/node", func(t *testing.T) { archiveHolds(t, at(keptNode), "20..34") })
		t.Run(name+"/package", func(t *testing.T) { nextMonthIsClosed(t, at(keptMonth)) })
	}
}

// continuesLedger requires a ledger of the first recorded blocks to verify, to match the charges, and to reach the seal of
// a new ledger.
func continuesLedger(t *testing.T, place string) {
	gateway := filepath.Join(recordings(t), "moonbeam-2100")
	well := func(args ...string) string { return outputOf(t, exitOK, append(args, "--ledger", place)...) }
	well("ledger", "upgrade")
	requireVerified(t, place)
	require.Equal(t, chargedUpTo(t, keptUpTo), reported(t, well("report", "3..20", "--format", "json")))
	before := statusOf(t, place)
	require.EqualValues(t, keptUpTo, *before.Sealed)
	well("sync", "3..27", "--gateway", gateway)
	well("ledger", "verify", "--gateway", gateway)
	require.Equal(t, chargedUpTo(t, keptOn), reported(t, well("report", "3..27", "--format", "json")))
	fresh := newLedgerFile(t)
	for _, blocks := range []string{"3..20", "3..27"} {
		outputOf(t, exitOK, "sync", blocks, "--ledger", fresh, "--gateway", gateway)
		want := before
		if blocks == "3..27" {
			want = statusOf(t, place)
		}
		require.Equal(t, *want.Seal, *statusOf(t, fresh).Seal, "blocks %s of this version", blocks)
	}
}

// chargedUpTo returns the charges of the recorded transactions, determined from balances when they were recorded.
func chargedUpTo(t *testing.T, last int) string {
	sum := new(big.Int)
	for _, s := range sentIn(t, "moonbeam-2100") {
		if s.Height >= keptFrom && s.Height <= last {
			charged, ok := new(big.Int).SetString(s.Charged, 10)
			require.True(t, ok, s.Charged)
			sum.Add(sum, charged)
		}
	}
	require.Positive(t, sum.Sign())
	return sum.String()
}

// reported is the JSON fee of a report.
func reported(t *testing.T, text string) string {
	var report struct {
		Totals struct {
			Fee     string
			Charged string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &report), text)
	require.Equal(t, report.Totals.Charged, report.Totals.Fee)
	return report.Totals.Fee
}

// archiveHolds requires an archive to be valid, and its fees to match the charges.
func archiveHolds(t *testing.T, directory, blocks string) {
	for _, args := range [][]string{{"archive", "verify", directory}, {"verify", blocks, "--gateway", directory}} {
		outputOf(t, exitOK, args...)
	}
}

// nextMonthIsClosed requires a package to verify, and closes its month again and the next one.
func nextMonthIsClosed(t *testing.T, directory string) {
	t.Chdir(directory)
	well := func(args ...string) { outputOf(t, exitOK, args...) }
	well("ledger", "upgrade")
	first, err := os.ReadFile("january/versions/1/manifest.json")
	require.NoError(t, err)
	well("close", "--check", "january", "--gateway", "gateway")
	requireVerified(t, "fees.db")
	well("close", "--month", "2026-01", "--accounts", "group:company", "--gateway", "gateway", "-o", "january")
	well("close", "--check", "january", "--gateway", "gateway")
	kept, err := os.ReadFile("january/versions/1/manifest.json")
	require.NoError(t, err)
	require.Equal(t, string(first), string(kept))
	require.FileExists(t, "january/versions/2/manifest.json")
	well("sync", "--gateway", "gateway")
	well("close", "--month", "2026-02", "--partial", "--accounts", "group:company,Payroll", "--gateway", "gateway", "-o", "february")
	well("close", "--check", "february", "--gateway", "gateway")
	well("ledger", "verify", "--gateway", "gateway")
}

// unpack extracts a tar.gz.
func unpack(t *testing.T, file, to string) {
	packed, err := os.Open(file)
	require.NoError(t, err)
	defer packed.Close()
	zip, err := gzip.NewReader(packed)
	require.NoError(t, err)
	for in := tar.NewReader(zip); ; {
		header, err := in.Next()
		if err == io.EOF {
			return
		}
		require.NoError(t, err)
		require.True(t, fs.ValidPath(strings.TrimSuffix(header.Name, "/")), header.Name)
		path := filepath.Join(to, filepath.FromSlash(header.Name))
		if header.FileInfo().IsDir() {
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		text, err := io.ReadAll(in)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, text, 0o666))
	}
}

// postgresProgram returns the path of a program of the PostgreSQL server.
func postgresProgram(t *testing.T, name string) string {
	t.Helper()
	program.Ask(t, program.Postgres)
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	require.NoError(t, err)
	if len(found) > 0 {
		return slices.Max(found)
	}
	return program.Path(t, program.Postgres, name)
}
