package proofs_test

import (
	"bytes"
	"encoding/hex"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/archive/proofs"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/program"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// The auditor's page of Python proves each native fee of an archive, of runtimes of both
// layouts, by one block's hash, and nothing that is not so.
func TestAuditorsPage(t *testing.T) {
	for _, name := range []string{"python3", "zstd"} {
		program.Path(t, program.Python, name)
	}
	const upgrade, last = 1004, 1012 // in the second segment
	made := chaingen.New(chaingen.Options{Seed: 77, Rooted: true, Upgrade: upgrade, Head: last})
	server := httptest.NewServer(made.Node())
	defer server.Close()
	client, err := rpc.New(server.URL, httpclient.Options{})
	require.NoError(t, err)
	defer client.Close()
	directory := filepath.Join(t.TempDir(), "archive")
	_, err = proofs.Record(t.Context(), proofs.FromNode(client), directory, proofs.RecordOptions{First: 990, Last: last})
	require.NoError(t, err)

	trusted := chain.Anchor{Height: last - 1, Hash: made.Hash(last - 1)}
	run := func(args ...string) (string, error) {
		said, err := exec.CommandContext(t.Context(), "python3", append([]string{"../../../docs/prove_fee.py"}, args...)...).CombinedOutput()
		return string(said), err
	}
	src, err := source.Open(directory, source.Options{Trusted: chain.Some(trusted)})
	require.NoError(t, err)
	reader := &source.Reader{Source: src, Tables: network.BuiltIn()}
	prover := prove.Prover{Reader: reader}
	var paid []string // the arguments for the last fee
	byRuntime := map[bool]int{}
	for block, err := range prover.Range(t.Context(), chain.Heights{First: 990, Last: last - 1}, chain.Optional[evidence.Predecessor]{}) {
		require.NoError(t, err)
		height := block.Block.Number
		for _, x := range block.Report.Transactions {
			amount, charged := x.Fee.Get()
			if x.Layer != fee.Native || !charged || height > upgrade+1 && byRuntime[true] > 4 {
				continue
			}
			payer, _ := x.Payer.Get()
			tip, _ := x.Tip.Get()
			paid = []string{directory, trusted.String(), strconv.FormatUint(height, 10), strconv.Itoa(x.Index), payer.String(), amount.String(), tip.String()}
			said, err := run(paid...)
			require.NoError(t, err, "%v: %s", paid, said)
			require.Contains(t, said, "proved: block "+paid[2]+", extrinsic "+paid[3]+" ("+x.Hash.String()+"): ")
			byRuntime[height > upgrade]++
		}
	}
	t.Log(byRuntime[false], "and", byRuntime[true], "fees")
	require.Len(t, byRuntime, 2, "fees of both runtimes")

	for place, wrong := range map[int]string{
		1: chain.Anchor{Height: last - 1, Hash: made.Hash(last - 2)}.String(), // the trusted block
		2: strconv.Itoa(990),
		3: "1",
		4: "0x0000000000000000000000000000000000000001",
		5: paid[5][:len(paid[5])-1] + string('0'+(paid[5][len(paid[5])-1]-'0'+1)%10), // one wei more
		6: "12345",
	} {
		args := slices.Clone(paid)
		args[place] = wrong
		said, err := run(args...)
		require.Error(t, err, "%v: %s", args, said)
		require.Contains(t, said, "not proved: ")
	}

	// Whoever changes an event, and packs it again, changes a part that a hash names.
	path := filepath.Join(directory, "blocks", "1000-1012.zst")
	packed, err := os.ReadFile(path)
	require.NoError(t, err)
	reading, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer reading.Close()
	text, err := reading.DecodeAll(packed, nil)
	require.NoError(t, err)
	payer, err := hex.DecodeString(paid[4][2:])
	require.NoError(t, err)
	require.Positive(t, bytes.Count(text, payer))
	writing, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	defer writing.Close()
	changed := bytes.ReplaceAll(text, payer, make([]byte, len(payer)))
	require.NoError(t, os.WriteFile(path, writing.EncodeAll(changed, nil), 0o644))
	paid[4] = "0x0000000000000000000000000000000000000000"
	said, err := run(paid...)
	require.Error(t, err, said)
	require.Contains(t, said, "not proved: ")
}
