package evidence_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/network"
)

// history contains a gateway's responses for the blocks of a recording, from 0 on.
type history struct {
	directory   string
	rules       network.Rules
	blocks      []string // the texts of the responses
	multipliers []string
	proofs      map[int]*evidence.Report // of blocks as they were recorded
}

func load(t testing.TB, runtime uint32) *history {
	t.Helper()
	return loadFrom(t, filepath.Join("../..", "testdata", "recordings", fmt.Sprintf("moonbeam-%d", runtime)), rulesOf(t, "moonbeam", runtime))
}

// loadFrom returns the history in a directory.
func loadFrom(t testing.TB, directory string, rules network.Rules) *history {
	t.Helper()
	h := &history{directory: directory, rules: rules, proofs: map[int]*evidence.Report{}}
	for {
		block, err := os.ReadFile(filepath.Join(h.directory, "blocks", fmt.Sprintf("%d.json", len(h.blocks))))
		if err != nil {
			require.ErrorIs(t, err, os.ErrNotExist)
			return h
		}
		multiplier, err := os.ReadFile(filepath.Join(h.directory, "multiplier", fmt.Sprintf("%d.json", len(h.blocks))))
		require.NoError(t, err)
		h.blocks = append(h.blocks, string(block))
		h.multipliers = append(h.multipliers, string(multiplier))
	}
}

func networkOf(t testing.TB, name string) *network.Network {
	t.Helper()
	n, ok := network.BuiltIn().Named(name)
	require.True(t, ok, name)
	return n
}

// rulesOf returns the built-in rules for a runtime.
func rulesOf(t testing.TB, name string, runtime uint32) network.Rules {
	t.Helper()
	rules, err := networkOf(t, name).Rules(runtime)
	require.NoError(t, err)
	return rules
}

func decoded(t testing.TB, text string) *chain.Block {
	t.Helper()
	b, err := sidecar.DecodeBlock(text)
	require.NoError(t, err)
	return b
}

// stored returns the multiplier in an answer.
func stored(text string) (chain.Optional[chain.StoredMultiplier], error) {
	m, err := sidecar.DecodeMultiplier(text)
	if err != nil {
		return chain.Optional[chain.StoredMultiplier]{}, err
	}
	return chain.Some(chain.StoredMultiplierOf(m)), nil
}

// at returns a multiplier stored at a height.
func at(height, value uint64) chain.Optional[chain.StoredMultiplier] {
	return chain.Some(chain.StoredMultiplier{At: height, Value: chain.NewMultiplier(value)})
}

var thorough = evidence.Options{Signatures: true}

// prove decodes, prices and verifies the block at a height, from a response.
func (h *history) prove(height int, block, multiplier string, o evidence.Options) (*evidence.Report, error) {
	b, err := sidecar.DecodeBlock(block)
	if err != nil {
		return nil, err
	}
	var parent chain.Optional[chain.StoredMultiplier]
	if height > 0 {
		if parent, err = stored(multiplier); err != nil {
			return nil, err
		}
	}
	return evidence.Prove(b, fee.Price(b, &h.rules, parent), h.rules, o), nil
}

// all verifies every block and the continuity between them.
func (h *history) all(t testing.TB, o evidence.Options) []*evidence.Report {
	t.Helper()
	reports := make([]*evidence.Report, len(h.blocks))
	var sequence evidence.Sequence
	for i, text := range h.blocks {
		var err error
		reports[i], err = h.prove(i, text, h.multipliers[max(i-1, 0)], o)
		require.NoError(t, err)
		sequence.Add(decoded(t, text), reports[i])
		m, err := stored(h.multipliers[i])
		require.NoError(t, err)
		reports[i].CheckStoredMultiplier(m)
	}
	return reports
}

// charge is the amount that the recorded chain took for a transaction, according to the accounts' balances.
type charge struct {
	Kind    string `json:"kind"`
	Family  string `json:"family"` // evm or native
	Height  int    `json:"height"`
	Index   int    `json:"index"`
	Charged string `json:"charged_wei"`
}

func (h *history) charges(t testing.TB) map[[2]int]charge {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(h.directory, "sent.json"))
	require.NoError(t, err)
	var file struct{ Sent []charge }
	require.NoError(t, json.Unmarshal(text, &file))
	charges := map[[2]int]charge{}
	for _, c := range file.Sent {
		charges[[2]int{c.Height, c.Index}] = c
	}
	require.Len(t, charges, len(file.Sent))
	return charges
}

// index returns the position of a check in the tallies.
func index(t testing.TB, id string) int {
	t.Helper()
	for i, c := range evidence.Checks() {
		if c.ID == id {
			return i
		}
	}
	require.Fail(t, "no check", id)
	return -1
}

// tally returns the result of a check in a block.
func tally(t testing.TB, r *evidence.Report, id string) evidence.Tally {
	t.Helper()
	return r.Tallies[index(t, id)]
}

// broken lists the failed checks, once for each finding.
func broken(r *evidence.Report) []string {
	list := []string{}
	for _, f := range r.Findings {
		list = append(list, f.Check)
	}
	return list
}

// messageOf returns the first finding of a check, "" if there is none.
func messageOf(r *evidence.Report, id string) string {
	for _, f := range r.Findings {
		if f.Check == id {
			return f.Message
		}
	}
	return ""
}

// shown returns an optional value as text, "-" if there is none.
func shown[T fmt.Stringer](o chain.Optional[T]) string {
	if v, ok := o.Get(); ok {
		return v.String()
	}
	return "-"
}

// word returns an optional verdict or class, "-" if there is none.
func word[T ~string](o chain.Optional[T]) string {
	if v, ok := o.Get(); ok {
		return string(v)
	}
	return "-"
}

// accountOf and amountOf return values of extrinsics.
func accountOf(t testing.TB, text string) chain.Value {
	t.Helper()
	a, err := chain.ParseAccount(text)
	require.NoError(t, err)
	return chain.AccountValue(a)
}

func amountOf(t testing.TB, text string) chain.Value {
	t.Helper()
	w, err := chain.ParseWei(text)
	if err != nil {
		return chain.MalformedValue(err)
	}
	return chain.NumberValue(w.Word())
}

type object = map[string]any

// tree returns a JSON text with its numbers as they were written.
func tree(t testing.TB, text string) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var v any
	require.NoError(t, decoder.Decode(&v))
	return v
}

func encoded(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

func number(digits string) *big.Int {
	n, ok := new(big.Int).SetString(digits, 10)
	if !ok {
		panic(digits + " is no number")
	}
	return n
}
