package main

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/program"
	"github.com/feeledger/fees/internal/test/tsatest"
)

// A package and an archive with proofs are checked elsewhere, offline and without a ledger: the result shows
// checkpoint, timestamp and signature. A falsified fee in ledger, archive or package is found.
func TestCloseFromAnArchive(t *testing.T) {
	program.Ask(t, program.OpenSSL)
	made, http, _ := rootedNode(t, 41, 60, 160)
	directory := t.TempDir()
	in := func(name string) string { return filepath.Join(directory, name) }
	accounts := made.Accounts()
	mine := accounts[0].String() + ",Treasury\n" + accounts[1].String() + ",Mine\n" + accounts[2].String() + ",Ours\n"
	require.NoError(t, os.WriteFile(in("mine.csv"), []byte(mine), 0o600))
	addresses := strings.Join([]string{accounts[0].String(), accounts[1].String(), accounts[2].String()}, ",")
	trusted := anchorOf(made, 150)
	outputOf(t, exitOK, "archive", "record", "1..150", "-o", in("archive"), "--proofs", "--gateway", http, "--accounts", addresses)
	synced := outputOf(t, exitOK, "sync", "2..149", "--ledger", in("fees.db"), "--gateway", in("archive"), "--trust", trusted)
	require.NotContains(t, synced, "finding")
	authority, certificates := tsatest.Serve(t, time.Now().Add(time.Hour))
	keys := sshKeys(t)
	closed := outputOf(t, exitOK, "close", "--month", "2025-01", "--partial", "--accounts", in("mine.csv"), "-o", in("january"), "--ledger", in("fees.db"),
		"--gateway", in("archive"), "--trust", trusted, "--sign", filepath.Join(keys, "mia"), "--timestamp", authority)
	require.Contains(t, closed, "148 of 148 blocks proved up to block 150, hash "+made.Hash(150).String())

	t.Chdir(t.TempDir())
	check := func(code int, archive, pack string, more ...string) string {
		t.Helper()
		stdout, stderr, have := fees(append([]string{"close", "--check", pack, "--gateway", archive, "--trust", trusted}, more...)...)
		require.Equal(t, code, have, stdout+stderr)
		return stdout + stderr
	}
	said := check(exitOK, in("archive"), in("january"), "--signers", filepath.Join(keys, "mia.signers"), "--tsa-ca", certificates)
	require.Contains(t, said, "148 of 148 blocks proved up to block 150, hash "+made.Hash(150).String())
	require.Regexp(t, "(?m)^signed: ED25519 SHA256:[^ ]+, mia@example.org$", said)
	require.Regexp(t, "(?m)^timestamp: .*, CN=a test's clock$", said)
	require.Regexp(t, "(?m)^verified: ", said)
	require.NotContains(t, said, "not compared")

	t.Run("a package with a changed fee and recomputed checksums", func(t *testing.T) {
		forged := filepath.Join(t.TempDir(), "january")
		require.NoError(t, os.CopyFS(forged, os.DirFS(in("january"))))
		alterFee(t, forged, false)
		require.Contains(t, check(exitLedger, in("archive"), forged), "report.json")
		require.NoError(t, os.CopyFS(forged+"-signed", os.DirFS(in("january"))))
		alterFee(t, forged+"-signed", true)
		require.Contains(t, check(exitFinding, in("archive"), forged+"-signed"), "report.json differs from the file made from the ledger")
		require.Contains(t, check(exitFinding, in("archive"), forged+"-signed", "--signers", filepath.Join(keys, "mia.signers")), "not signed")
	})
	t.Run("an archive whose event is another", func(t *testing.T) {
		forged := filepath.Join(t.TempDir(), "archive")
		require.NoError(t, os.CopyFS(forged, os.DirFS(in("archive"))))
		path := filepath.Join(forged, "blocks", "0-150.zst")
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		text[len(text)/2] ^= 1
		require.NoError(t, os.WriteFile(path, text, 0o600))
		require.Contains(t, check(exitLedger, forged, in("january")), "blocks/0-150.zst")
	})
	t.Run("a ledger whose fee is another", func(t *testing.T) {
		text, err := os.ReadFile(in("fees.db"))
		require.NoError(t, err)
		forged := filepath.Join(t.TempDir(), "fees.db")
		require.NoError(t, os.WriteFile(forged, text, 0o600))
		payer, height := accounts[1].String(), 0
		require.NoError(t, opened(t, forged).QueryRow("SELECT height FROM book_transactions WHERE payer = ? AND layer = 'evm' LIMIT 1", strings.ToLower(payer)).Scan(&height))
		raise(t, forged, payer, height)
		require.Contains(t, check(exitLedger, in("archive"), in("january"), "--ledger", forged), fmt.Sprintf("block %d, table ", height))
	})
}

// alterFee raises the fees of a package's report by one wei, and optionally recomputes the manifest's checksum.
func alterFee(t *testing.T, directory string, sums bool) {
	t.Helper()
	path := filepath.Join(directory, "report.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	fees := regexp.MustCompile(`"fee": *"([0-9]+)"`).FindStringSubmatch(string(text))
	require.NotNil(t, fees)
	n, ok := new(big.Int).SetString(fees[1], 10)
	require.True(t, ok)
	altered := strings.ReplaceAll(string(text), fees[1], n.Add(n, big.NewInt(1)).String())
	require.NoError(t, os.WriteFile(path, []byte(altered), 0o600))
	if sums {
		replaceChecksum(t, directory, text, []byte(altered))
		for _, name := range []string{".sig", ".tsr"} { // remove signature and timestamp
			require.NoError(t, os.Remove(filepath.Join(directory, "manifest.json"+name)))
		}
	}
}

// replaceChecksum updates a package's manifest for the changed contents of a file.
func replaceChecksum(t *testing.T, directory string, text, altered []byte) {
	t.Helper()
	manifest := filepath.Join(directory, "manifest.json")
	old, err := os.ReadFile(manifest)
	require.NoError(t, err)
	sum := func(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }
	require.Contains(t, string(old), sum(text))
	made := strings.ReplaceAll(string(old), sum(text), sum(altered))
	made = strings.ReplaceAll(made, fmt.Sprintf(`"size": %d`, len(text)), fmt.Sprintf(`"size": %d`, len(altered)))
	require.NoError(t, os.WriteFile(manifest, []byte(made), 0o600))
}

// A check of a package with its own network table says so first, and names the signer. An altered figure of
// the table, with recomputed checksums, is found with a ledger and with an archive. The ledger's rows cover
// prices; figures used only by checks of blocks need the archive.
func TestCloseWithATableOfItsOwn(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	in := func(name string) string { return filepath.Join(directory, name) }
	blocks := filepath.Join(recordings(t), "moonbeam-2100")
	for name, network := range map[string]string{"another name": "tidewater", "a built-in name": "moonbeam"} {
		if testing.Short() && network == "moonbeam" {
			continue
		}
		builtIn := outputOf(t, exitOK, "networks", "moonbeam", "--format", "json")
		table := strings.Replace(builtIn, `"name": "moonbeam"`, `"name": "`+network+`"`, 1)
		table = strings.ReplaceAll(table, `"static_base_fee": "100000000000"`, `"static_base_fee": "100000000000", "weight_per_gas": 25000`)
		require.NoError(t, os.WriteFile(in("table.json"), []byte(table), 0o600))
		place, pack := in(network+".db"), in(network)
		own := []string{"--network-file", in("table.json")}
		outputOf(t, exitFinding, append([]string{"sync", "0..27", "--ledger", place, "--gateway", blocks, "--network", network, "--quiet"}, own...)...)
		outputOf(t, exitFinding, append([]string{"close", "--month", "2026-01", "--partial", "--no-balances", "--accounts", alith, "-o", pack, "--ledger", place}, own...)...)
		require.NoError(t, os.Remove(in("table.json"))) // the package has it
		against := map[string][]string{"a ledger": {"--ledger", place}, "an archive": {"--gateway", blocks}}
		for where, flags := range against {
			out := outputOf(t, exitOK, append([]string{"close", "--check", pack}, flags...)...)
			require.True(t, strings.HasPrefix(strings.Join(strings.Fields(out), " "), "This package has its own network table: "), out)
			require.Contains(t, out, "\nnot signed: the package contains no manifest.json.sig\n", "%s, %s", name, where)
			require.Contains(t, out, "\nverified: ", "%s, %s", name, where)
		}
		path := filepath.Join(pack, "networks.json")
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		manifest, err := os.ReadFile(filepath.Join(pack, "manifest.json"))
		require.NoError(t, err)
		for figure, other := range map[string]string{
			`"static_base_fee": "100000000000"`: `"static_base_fee": "100000000001"`,
			`"weight_per_gas": 25000`:           `"weight_per_gas": 20000`,
			`"native_base": "treasury_20"`:      `"native_base": "burned"`,
		} {
			altered := strings.ReplaceAll(string(kept), figure, other)
			require.NotEqual(t, string(kept), altered)
			require.NoError(t, os.WriteFile(path, []byte(altered), 0o600))
			replaceChecksum(t, pack, kept, []byte(altered))
			for where, flags := range against {
				args := append([]string{"close", "--check", pack}, flags...)
				if where == "a ledger" && strings.Contains(figure, "treasury") {
					require.Contains(t, strings.Join(strings.Fields(outputOf(t, exitOK, args...)), " "), "note: not compared: the rows of networks.json that only checks use")
					continue
				}
				require.NotContains(t, outputOf(t, exitFinding, args...), "verified: ", "%s, %s, %s", name, figure, where)
			}
			require.NoError(t, os.WriteFile(path, kept, 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(pack, "manifest.json"), manifest, 0o600))
		}
	}
}
