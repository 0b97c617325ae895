package evidence_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/feeledger/fees/internal/test/tier"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// Each signed transaction of each recording is omitted, duplicated, and swapped with its neighbours, including
// its events, one at a time; everything else is unchanged. A check must fail.

// recording is a range of answers from block 0 on.
type recording struct {
	directory   string
	rules       network.Rules
	blocks      []*chain.Block
	multipliers []chain.Optional[chain.StoredMultiplier] // that the blocks stored
	weights     []chain.Optional[chain.ClassWeights]
	encoded     map[chain.Hash][][]byte // extrinsics as a node has them
	reports     []*evidence.Report      // of the blocks as they were recorded
	usual       map[string]int          // the findings on the unchanged blocks, by check
}

// read reads a recording, up to the last of its blocks. It returns nil if there is none.
func read(t testing.TB, directory string, rules network.Rules) *recording {
	t.Helper()
	r := &recording{directory: directory, rules: rules}
	for {
		text, err := os.ReadFile(filepath.Join(directory, "blocks", fmt.Sprintf("%d.json", len(r.blocks))))
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		require.NoError(t, err)
		multiplier, err := os.ReadFile(filepath.Join(directory, "multiplier", fmt.Sprintf("%d.json", len(r.blocks))))
		require.NoError(t, err)
		m, err := stored(string(multiplier))
		require.NoError(t, err)
		r.weights = append(r.weights, weightsOf(t, filepath.Join(directory, "block-weight", fmt.Sprintf("%d.json", len(r.blocks)))))
		r.blocks, r.multipliers = append(r.blocks, decoded(t, string(text))), append(r.multipliers, m)
	}
	if len(r.blocks) == 0 {
		return nil
	}
	for height, b := range r.blocks {
		r.reports = append(r.reports, r.prove(height, b))
	}
	r.usual = r.findings(-1, nil, nil)
	for _, check := range []string{"evm.split", "native.split"} { // covered by other tests
		delete(r.usual, check)
	}
	return r
}

// weightsOf reads system.blockWeight where it was recorded.
func weightsOf(t testing.TB, file string) (none chain.Optional[chain.ClassWeights]) {
	t.Helper()
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return none
	}
	require.NoError(t, err)
	w, err := sidecar.DecodeBlockWeight(string(text))
	require.NoError(t, err)
	return chain.Some(w.Value)
}

func (r *recording) prove(height int, b *chain.Block) *evidence.Report {
	var parent chain.Optional[chain.StoredMultiplier]
	if height > 0 {
		parent = r.multipliers[height-1]
	}
	o := evidence.Options{BlockWeight: r.weights[height]}
	if list, ok := r.encoded[b.Hash]; ok {
		o.Encoded = chain.Some(list)
	}
	return evidence.Prove(b, fee.Price(b, &r.rules, parent), r.rules, o)
}

// findings returns the findings on the whole range, by check, with one block replaced. An unknown fee counts
// as a finding.
func (r *recording) findings(height int, other *chain.Block, instead *evidence.Report) map[string]int {
	found := map[string]int{}
	var sequence evidence.Sequence
	for i, report := range r.reports {
		b := r.blocks[i]
		if i == height {
			b, report = other, instead
		}
		copied := *report
		copied.Findings, copied.Tallies = slices.Clone(report.Findings), slices.Clone(report.Tallies)
		sequence.Add(b, &copied)
		copied.CheckStoredMultiplier(r.multipliers[i])
		for _, f := range copied.Findings {
			found[f.Check]++
		}
		if n := copied.Totals.Undetermined; n > 0 {
			found[undetermined] += n
		}
	}
	return found
}

// saw returns the checks that have more findings with another block at a height.
func (r *recording) saw(height int, extrinsics []chain.Extrinsic) (checks []string) {
	b := *r.blocks[height]
	b.Extrinsics = slices.Clone(extrinsics)
	for i := range b.Extrinsics {
		b.Extrinsics[i].Index = i
	}
	for check, n := range r.findings(height, &b, r.prove(height, &b)) {
		if n > r.usual[check] && !strings.HasSuffix(check, ".split") {
			checks = append(checks, check)
		}
	}
	slices.Sort(checks)
	return checks
}

// omission is the change to a transaction, or to two neighbours: "evm left out", "evm and native swapped".
type omission struct {
	what   string
	height int
	index  int
	saw    []string
}

// omissions makes all of them.
func (r *recording) omissions() (list []omission) {
	for height, b := range r.blocks {
		all := b.Extrinsics
		try := func(i int, what string, extrinsics []chain.Extrinsic) {
			list = append(list, omission{what, height, i, r.saw(height, extrinsics)})
		}
		for i := range all {
			layer := fee.Classify(&all[i], rule.Frontier)
			if layer != fee.Inherent {
				try(i, string(layer)+" left out", slices.Delete(slices.Clone(all), i, i+1))
				try(i, string(layer)+" doubled", slices.Insert(slices.Clone(all), i, all[i]))
			}
			if i+1 == len(all) || layer == fee.Inherent && fee.Classify(&all[i+1], rule.Frontier) == fee.Inherent {
				continue
			}
			swapped := slices.Clone(all)
			swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
			layers := []string{string(layer), string(fee.Classify(&all[i+1], rule.Frontier))}
			slices.Sort(layers)
			try(i, strings.Join(layers, " and ")+" swapped", swapped)
		}
	}
	return list
}

// unseen is the number of omissions, and of undetected ones, of each kind.
type unseen struct{ made, unseen int }

// requireSeen makes all of them, and requires the known number of undetected ones.
func (r *recording) requireSeen(t *testing.T, want map[string]unseen) {
	t.Helper()
	have := map[string]unseen{}
	by := map[string]map[string]int{}
	for _, o := range r.omissions() {
		n := have[o.what]
		n.made++
		if len(o.saw) == 0 {
			n.unseen++
			t.Logf("not seen: block %d, extrinsic %d: %s", o.height, o.index, o.what)
		}
		have[o.what] = n
		if by[o.what] == nil {
			by[o.what] = map[string]int{}
		}
		for _, check := range o.saw {
			by[o.what][check]++
		}
	}
	for _, what := range sortedKeys(have) {
		t.Logf("%s: %s: %d, not seen %d; seen by %v", r.directory, what, have[what].made, have[what].unseen, by[what])
	}
	require.Equal(t, want, have)
}

func sortedKeys[V any](m map[string]V) (keys []string) {
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Undetected in the project's own recordings: native transactions of several accounts in a different order,
// which no response of a gateway reveals; and, before runtime 2600, a native transaction of class Operational,
// which does not affect the multiplier, if it is the last of its account.
var omissions = map[uint32]map[string]unseen{
	1701: {
		"evm left out": {45, 0}, "evm doubled": {45, 0}, "native left out": {19, 1}, "native doubled": {19, 0},
		"evm and evm swapped": {34, 0}, "evm and native swapped": {1, 1}, "native and native swapped": {12, 12},
		"evm and inherent swapped": {11, 0}, "inherent and native swapped": {6, 0},
	},
	2100: {
		"evm left out": {55, 0}, "evm doubled": {55, 0}, "native left out": {29, 4}, "native doubled": {29, 0},
		"evm and evm swapped": {37, 0}, "evm and native swapped": {10, 4}, "native and native swapped": {14, 14},
		"evm and inherent swapped": {15, 0}, "inherent and native swapped": {8, 0},
	},
}

// usual are the findings on an unchanged recording: the recording tool gave block 2 the same time as block 1.
var usual = map[string]int{"block.time": 1}

func TestOmissions(t *testing.T) {
	for runtime, want := range omissions {
		directory := filepath.Join("../..", "testdata", "recordings", fmt.Sprintf("moonbeam-%d", runtime))
		r := read(t, directory, rulesOf(t, "moonbeam", runtime))
		require.Equal(t, usual, r.usual)
		r.requireSeen(t, want)
	}
}

// The answers of more gateways, of more runtimes.
func TestOmissionsOfMoreRecordings(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules func(testing.TB) network.Rules
		usual map[string]int
		want  map[string]unseen
	}{
		{"moonbeam-1701", moonbeam(1701), usual, map[string]unseen{
			"evm left out": {55, 0}, "evm doubled": {55, 0}, "native left out": {29, 4}, "native doubled": {29, 0},
			"evm and evm swapped": {37, 0}, "evm and native swapped": {10, 4}, "native and native swapped": {14, 14},
			"evm and inherent swapped": {15, 0}, "inherent and native swapped": {8, 0},
		}},
		{"moonbeam-2100", moonbeam(2100), usual, omissions[2100]},
		{"moonbeam-2600", moonbeam(2600), usual, map[string]unseen{ // its gateway serves system.blockWeight
			"evm left out": {54, 0}, "evm doubled": {54, 0}, "native left out": {29, 0}, "native doubled": {29, 0},
			"evm and evm swapped": {36, 0}, "evm and native swapped": {10, 4}, "native and native swapped": {14, 14},
			"evm and inherent swapped": {15, 0}, "inherent and native swapped": {8, 0},
		}},
		{"datahaven-100", dataHavenRules, usual, map[string]unseen{ // the one: a call without a fee, its account's last
			"evm left out": {127, 0}, "evm doubled": {127, 0}, "native left out": {41, 1}, "native doubled": {41, 0},
			"evm and evm swapped": {94, 0}, "evm and native swapped": {21, 15}, "native and native swapped": {18, 18},
			"evm and inherent swapped": {25, 0}, "inherent and native swapped": {10, 0},
		}},
		// In four blocks the multiplier was set by hand.
		{"datahaven-100m", dataHavenRules, map[string]int{"block.time": 1, "block.multiplier": 4}, map[string]unseen{
			"evm left out": {104, 0}, "evm doubled": {104, 0}, "native left out": {33, 0}, "native doubled": {33, 0},
			"evm and evm swapped": {77, 0}, "evm and native swapped": {15, 9}, "native and native swapped": {18, 18},
			"evm and inherent swapped": {21, 0}, "inherent and native swapped": {6, 0},
		}},
	} {
		if !tier.Takes(c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			r := read(t, pairs.Path(t, c.name, "gateway"), c.rules(t))
			require.Equal(t, c.usual, r.usual)
			r.requireSeen(t, c.want)
		})
	}
}

// A node's encoded extrinsics reveal all omissions, including those that a gateway's responses hide.
func TestOmissionsBesideANode(t *testing.T) {
	for _, name := range pairs.RealRuntimes {
		t.Run(name, func(t *testing.T) {
			rules := moonbeam(2600)
			if strings.HasPrefix(name, "datahaven") {
				rules = dataHavenRules
			}
			r := read(t, pairs.Path(t, name, "gateway"), rules(t))
			r.encoded = nodeExtrinsics(t, pairs.Path(t, name, "node"))
			made := 0
			for _, o := range r.omissions() {
				require.Contains(t, o.saw, "extrinsic.hash", "block %d, extrinsic %d: %s", o.height, o.index, o.what)
				made++
			}
			t.Logf("%d, all seen", made)
			require.Greater(t, made, 200)
		})
	}
}

// nodeExtrinsics returns the encoded extrinsics of blocks, by hash.
func nodeExtrinsics(t testing.TB, directory string) map[chain.Hash][][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(directory, "chain_getBlock.json"))
	require.NoError(t, err)
	var answers map[string]struct {
		Result struct{ Block struct{ Extrinsics []string } }
	}
	require.NoError(t, json.Unmarshal(text, &answers))
	blocks := map[chain.Hash][][]byte{}
	for params, answer := range answers {
		hash, err := chain.ParseHash(strings.Trim(params, `[]"`))
		if err != nil {
			continue // the newest
		}
		list := [][]byte{}
		for _, x := range answer.Result.Block.Extrinsics {
			data, err := hex.DecodeString(x[2:])
			require.NoError(t, err)
			list = append(list, data)
		}
		blocks[hash] = list
	}
	return blocks
}

func moonbeam(runtime uint32) func(testing.TB) network.Rules {
	return func(t testing.TB) network.Rules { return rulesOf(t, "moonbeam", runtime) }
}
