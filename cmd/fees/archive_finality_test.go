package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/finalitytest"
	"github.com/feeledger/fees/internal/test/tier"
)

// relayedNode is a node of a parachain, and one of its relay chain, which hands over ten times.
func relayedNode(t *testing.T, head uint64) (made *chaingen.Chain, node, relay string, relayed *finalitytest.Relay) {
	made = chaingen.New(chaingen.Options{Seed: 37, Rooted: true, Signed: true, Head: head})
	server := httptest.NewServer(finalitytest.MakeParachain(made.Node()))
	t.Cleanup(server.Close)
	client, err := rpc.New(server.URL, httpclient.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	relayed = finalitytest.NewRelay(200, []int{10, 20, 21, 50, 60, 70, 90, 120, 130, 150}, func(height int) []byte {
		block := uint64(height) * head / 180
		if block > head { // the parachain has left
			return nil
		}
		h, err := client.Header(t.Context(), chain.Some(made.Hash(block)))
		require.NoError(t, err)
		return h.Encode()
	})
	other := httptest.NewServer(relayed.Node())
	t.Cleanup(other.Close)
	return made, server.URL, other.URL, relayed
}

// trustedSet writes the first set of a relay chain's validators to a file.
func trustedSet(t *testing.T, relayed *finalitytest.Relay) (path string) {
	text, err := json.Marshal(relayed.Root())
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), "set.json")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

// verifiedFinal is the JSON of fees archive verify --trust-set.
type verifiedFinal struct {
	Blocks, Proved uint64
	Trusted, Final string
	FinalSets      []string `json:"final_sets"`
	FinalChain     []string `json:"final_chain"`
	Finality       string
}

// An archive is recorded with what proves its last block final, and verified offline from a set of validators.
func TestArchiveFinality(t *testing.T) {
	t.Parallel()
	made, node, relay, relayed := relayedNode(t, 90)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	set := trustedSet(t, relayed)
	record := func(blocks, name string, more ...string) []string {
		return append([]string{"archive", "record", blocks, "-o", at(name), "--proofs", "--gateway", node, "--quiet"}, more...)
	}
	withFinality := []string{"--finality", "--relay", relay, "--relay-block", "175", "--trust-set", set}
	outputOf(t, exitOK, record("41..80", "plain")...)
	outputOf(t, exitOK, record("41..80", "high", withFinality...)...)
	have := filesOf(t, at("high"))
	require.NotEmpty(t, have["finality.json"])
	delete(have, "finality.json")
	require.Equal(t, filesOf(t, at("plain")), have, "the blocks are recorded alike")

	verify := func(name string, code int, more ...string) (v verifiedFinal, stderr string) {
		stdout, stderr, exit := fees(append([]string{"archive", "verify", at(name), "--format", "json", "--quiet"}, more...)...)
		require.Equal(t, code, exit, stderr)
		if code == exitOK {
			require.NoError(t, json.Unmarshal([]byte(stdout), &v))
		}
		return v, stderr
	}
	v, _ := verify("high", exitOK, "--trust-set", set)
	require.Equal(t, anchorOf(made, 80), v.Final)
	require.Equal(t, v.Final, v.Trusted)
	require.EqualValues(t, 40, v.Proved)
	require.Equal(t, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}, v.FinalSets)
	require.Contains(t, strings.Join(v.FinalChain, "\n"), "is the head of parachain 2004, in the state of block 175:0x")
	v, _ = verify("high", exitOK)
	require.Zero(t, v.Proved)
	require.Contains(t, v.Finality, "recorded, not checked")
	v, _ = verify("high", exitOK, "--trust", anchorOf(made, 80))
	require.EqualValues(t, 40, v.Proved)

	// Fees are proved from the set, too.
	require.Contains(t, outputOf(t, exitOK, "verify", "41..80", "--gateway", at("high"), "--trust-set", set, "--quiet"), "40 of 40 blocks final up to block 80, hash "+made.Hash(80).String()+" (set 10 signed; set 0 is trusted, list 0x")
	require.Contains(t, outputOf(t, exitOK, "verify", "41..80", "--gateway", at("high"), "--trust-set", set, "--quiet", "--format", "json"), `"para":"2004"`)
	require.Contains(t, outputOf(t, exitOK, "block", "60", "--gateway", at("high"), "--trust-set", set, "--format", "json"), `"level": "final"`)
	require.NotContains(t, outputOf(t, exitOK, "block", "60", "--gateway", at("high"), "--trust", anchorOf(made, 80), "--format", "json"), `"final"`)

	// The ledger keeps it, and what is made from the ledger says it. Another run from a trusted block does not take it away.
	t.Run("ledger", func(t *testing.T) {
		book, plain, packed := at("book.db"), at("plain.db"), at("package")
		signed := "40 of 40 blocks final up to block 80, hash " + made.Hash(80).String() + " (set 10 signed; set 0 is trusted, list 0x"
		sync := func(ledger string, more ...string) {
			outputOf(t, exitOK, append([]string{"sync", "41..80", "--ledger", ledger, "--gateway", at("high"), "--quiet"}, more...)...)
		}
		sync(plain, "--trust", anchorOf(made, 80))
		require.NotContains(t, outputOf(t, exitOK, "report", "41..80", "--ledger", plain), "final up to")
		outputOf(t, exitOK, "ledger", "verify", "--ledger", plain, "--gateway", at("high"), "--trust-set", set, "--quiet")
		sync(book, "--trust-set", set)
		sync(book, "--trust", anchorOf(made, 80))
		for _, place := range []string{book, plain} {
			for _, args := range [][]string{{"report", "41..80"}, {"statement", made.Accounts()[0].String(), "41..80", "--no-balances"}, {"rollforward", "41..80", "--accounts", made.Accounts()[0].String(), "--no-balances"}, {"ledger", "status"}} {
				require.Contains(t, strings.Join(strings.Fields(outputOf(t, exitOK, append(args, "--ledger", place)...)), " "), signed, args)
			}
		}
		outputOf(t, exitOK, "close", "--month", "2025-01", "--partial", "--ledger", book, "--accounts", made.Accounts()[0].String(), "--no-balances", "-o", packed, "--quiet")
		text, err := os.ReadFile(filepath.Join(packed, "manifest.json"))
		require.NoError(t, err)
		require.Contains(t, string(text), `"para": "2004"`)
		outputOf(t, exitOK, "close", "--check", packed, "--ledger", plain)
		trusted := at("trusted.db")
		sync(trusted, "--trust", anchorOf(made, 80))
		require.Contains(t, outputOf(t, exitFinding, "close", "--check", packed, "--ledger", trusted), "evidence: "+signed)
	})

	// A parachain that runs the same runtime is another chain.
	tables := strings.Replace(outputOf(t, exitOK, "networks", "moonbeam", "--format", "json"), `"parachain": 2004`, `"parachain": 2005`, 1)
	require.NoError(t, os.WriteFile(at("other.json"), []byte(strings.Replace(tables, `"name": "moonbeam"`, `"name": "other"`, 1)), 0o600))
	_, stderr, code := fees("block", "60", "--gateway", at("high"), "--trust-set", set, "--network-file", at("other.json"), "--network", "other")
	require.Equal(t, exitFinding, code)
	require.Contains(t, stderr, "the evidence of finality is of another chain: parachain 2004, but other is parachain 2005. Use evidence of other.")

	// The evidence survives another recording and a join, and is not collected twice.
	outputOf(t, exitOK, record("41..80", "high")...)
	verify("high", exitOK, "--trust-set", set)
	outputOf(t, exitOK, record("41..80", "high", "--finality", "--relay", "http://127.0.0.1:1", "--trust-set", set)...)
	outputOf(t, exitOK, record("11..40", "low")...)
	outputOf(t, exitOK, "archive", "join", at("low"), at("high"), "-o", at("all"), "--quiet")
	v, _ = verify("all", exitOK, "--trust-set", set)
	require.EqualValues(t, 70, v.Proved)
	require.Equal(t, anchorOf(made, 80), v.Final)

	// Without --trust-set, the evidence starts from the set that signs. An auditor with that set can check it.
	outputOf(t, exitOK, record("41..80", "recent", "--finality", "--relay", relay, "--relay-block", "175")...)
	_, stderr = verify("recent", exitLedger, "--trust-set", set)
	require.Contains(t, stderr, "finality.json: steps[0]: block 199: not proved final by set 0: ")
	v, _ = verify("recent", exitOK, "--trust-set", filepath.Join(at("recent"), "finality.json"))
	require.Equal(t, []string{"10"}, v.FinalSets)

	for want, args := range map[string][]string{
		"no head after relay block 199; pass the last relay block with its head with --relay-block": record("41..80", "x", "--finality", "--relay", relay),
		"relay block 100 includes the parachain up to block 50, not block 80":                       record("41..80", "x", "--finality", "--relay", relay, "--relay-block", "100"),
		"name its relay chain's node with --relay":                                                  record("41..80", "x", "--finality"),
		"--finality needs --proofs":                                                                 {"archive", "record", "1..2", "-o", at("x"), "--finality"},
		"--relay and --trust-set need --finality":                                                   record("41..80", "x", "--relay", relay),
		"--relay-block needs --relay":                                                               record("41..80", "x", "--finality", "--relay-block", "5"),
		"no evidence of finality":                                                                   {"archive", "verify", at("plain"), "--trust-set", set},
		"this source has no proofs":                                                                 {"block", "3", "--gateway", "demo", "--trust-set", set},
	} {
		_, stderr, code := fees(args...)
		require.NotEqual(t, exitOK, code)
		require.Contains(t, stderr, want)
	}
}

// A long archive is recorded by a program that is killed again and again, in two parts that are joined: it is verified
// from the first set of validators, and its blocks are those that were recorded at once.
func TestArchiveFinalityAfterKills(t *testing.T) {
	t.Parallel()
	endsPrograms(t)
	blocks, kills := uint64(600), 4
	if os.Getenv("FEES_KILLS") != "" {
		blocks, kills = 20_000, 30
	}
	made, node, relay, relayed := relayedNode(t, blocks)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	set := trustedSet(t, relayed)
	span := func(first, last uint64) string { return fmt.Sprintf("%d..%d", first, last) }
	record := func(name, span string) []string {
		return []string{"archive", "record", span, "-o", at(name), "--proofs", "--gateway", node, "--quiet", "--finality", "--relay", relay, "--relay-block", "180", "--trust-set", set}
	}
	half, pause, killed := blocks/2, time.Duration(blocks)*time.Millisecond/time.Duration(kills)/4, 0
	for name, span := range map[string]string{"low": span(1, half), "high": span(half+1, blocks)} {
		for range kills / 2 {
			p := start(t, record(name, span)...)
			if !p.endsWithin(pause) {
				p.kill()
				killed++
			}
		}
		outputOf(t, exitOK, record(name, span)...)
	}
	require.NotZero(t, killed)
	t.Logf("%d of %d programs were killed", killed, kills)
	outputOf(t, exitOK, "archive", "join", at("low"), at("high"), "-o", at("all"), "--quiet")
	timed := func(args ...string) (v verifiedFinal, took time.Duration) {
		begun := time.Now()
		require.NoError(t, json.Unmarshal([]byte(outputOf(t, exitOK, append([]string{"archive", "verify", at("all"), "--format", "json", "--quiet"}, args...)...)), &v))
		return v, time.Since(begun)
	}
	v, final := timed("--trust-set", set)
	require.Equal(t, blocks, v.Proved)
	require.Equal(t, anchorOf(made, blocks), v.Final)
	require.Len(t, v.FinalSets, 11)
	v, trusted := timed("--trust", anchorOf(made, blocks))
	require.Equal(t, blocks, v.Proved)
	t.Logf("verified in %v from the set, %v from the block", final, trusted)
	outputOf(t, exitOK, record("once", span(1, blocks))...)
	once, all := filesOf(t, at("once")), filesOf(t, at("all"))
	require.Equal(t, once["finality.json"], all["finality.json"])
}

// Each of 200 forgeries of an archive's evidence is found, and the part is named.
func TestArchiveFinalityForgeries(t *testing.T) {
	t.Parallel()
	_, node, relay, relayed := relayedNode(t, 90)
	dir := t.TempDir()
	set, archive := trustedSet(t, relayed), filepath.Join(dir, "archive")
	outputOf(t, exitOK, "archive", "record", "71..80", "-o", archive, "--proofs", "--gateway", node, "--quiet", "--finality", "--relay", relay, "--relay-block", "175", "--trust-set", set)
	path := filepath.Join(archive, "finality.json")
	original, err := os.ReadFile(path)
	require.NoError(t, err)
	body := strings.Index(string(original), `"steps"`)
	var digits []int // of hex below steps
	for i := body; i < len(original); i++ {
		if strings.HasPrefix(string(original[i:]), `"0x`) {
			for i += len(`"0x`); original[i] != '"'; i++ {
				digits = append(digits, i)
			}
		}
	}
	require.Greater(t, len(digits), 10_000)
	for n := 0; n < 200; n += tier.Step(8) {
		forged := []byte(string(original))
		i := digits[(n*7919+n)%len(digits)]
		digit, err := strconv.ParseUint(string(forged[i]), 16, 8)
		require.NoError(t, err)
		forged[i] = "0123456789abcdef"[digit^(1<<(n%4))]
		require.NoError(t, os.WriteFile(path, forged, 0o600))
		_, stderr, code := fees("archive", "verify", archive, "--trust-set", set, "--quiet")
		require.Equal(t, exitLedger, code, "digit %d", i)
		require.Regexp(t, `finality\.json: (steps\[\d+\]|para): `, stderr)
	}
}
