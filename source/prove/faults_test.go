package prove_test

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/tier"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// windows are ranges of a chain of 600 blocks, of which 500 are final: with the start, with the borders of
// lists of hashes, with an upgrade, and with blocks that are not final.
var windows = []chain.Heights{{First: 1, Last: 15}, {First: 248, Last: 262}, {First: 292, Last: 306}, {First: 488, Last: 500}, {First: 495, Last: 512}}

// wholeWay reads a range from a node, prices and verifies it.
func wholeWay(t *testing.T, src source.Source, window chain.Heights, each func(*evidence.Report)) error {
	p := &prove.Prover{Reader: &source.Reader{Source: src, Tables: network.BuiltIn(), Unfinalized: true}, Concurrency: 8}
	for x, err := range p.Range(t.Context(), window, nothing) {
		if err != nil {
			return err
		}
		each(x.Report)
	}
	return nil
}

// figures are the results of a report, and those of the fees only. Missing data that is marked as such changes
// no fee and no verdict.
type figures struct{ all, fees, verdicts string }

func figuresOf(t *testing.T, r *evidence.Report) figures {
	t.Helper()
	all, err := json.Marshal(r)
	require.NoError(t, err)
	fees, err := json.Marshal(r.Report)
	require.NoError(t, err)
	verdicts, err := json.Marshal([]any{r.Transactions, r.Totals})
	require.NoError(t, err)
	final := func(text []byte) string {
		return strings.Replace(string(text), `"finalized":false`, `"finalized":true`, 1)
	} // as a node says whose head is far ahead
	return figures{final(all), final(fees), string(verdicts)}
}

// located is an error with a position: a block, a request, or the node.
var located = regexp.MustCompile(`block \d+|block 0x|[a-z]+_[a-zA-Z]+: |the node at |runtime moonbeam/`)

// For any fault between a node and a proof, over HTTP or a WebSocket: each delivered block has the fees and
// verdicts of a quiet run, and if blocks are missing there is an error with its cause and position. That holds
// for 500 faults (100 with -short; FEES_FAULTS overrides), none of which leaves anything running or open.
func TestFaultsOnTheWholeWay(t *testing.T) {
	wanted := tier.Count(t, "FEES_FAULTS", 100, 500)
	done, kinds, blocks, failed := map[string]int{}, 0, 0, map[string]int{}
	for _, upgrade := range []bool{false, true} {
		node, faults := faultyNode(t, upgrade)
		right := map[chain.Heights]map[uint64][]figures{}
		for _, n := range []*nodetest.Node{node, faults.Branch()} {
			quietly(t, n, right)
		}
		before := runtime.NumGoroutine()
		server := httptest.NewUnstartedServer(faults)
		open := &nodetest.Counting{Listener: server.Listener}
		server.Listener = open
		server.Start()
		dice := rand.New(rand.NewPCG(13, 13))
		for round := 0; (sum(faults.Done()) < wanted/2 || blocks <= wanted/5) && !t.Failed(); round++ { // fewer come out where the machine is busy
			src, err := source.Open(strings.Replace(server.URL, "http", []string{"http", "ws"}[round%2], 1)+"/?node", source.Options{Options: impatient})
			require.NoError(t, err)
			faults.Quiet(true) // it is this chain's source
			for err = errors.New(""); err != nil; _, err = src.FinalHead(t.Context()) {
			}
			faults.Quiet(false)
			for range 6 {
				window := windows[dice.IntN(len(windows))]
				next := window.First
				err = wholeWay(t, src, window, func(r *evidence.Report) {
					require.Equal(t, next, r.Number)
					next++
					have := figuresOf(t, r)
					incomplete := len(r.Unanswered) > 0 || strings.Contains(strings.Join(r.Notes, " "), chain.ErrPruned.Error())
					same := func(want figures) bool {
						return have == want || incomplete && have.fees == want.fees && have.verdicts == want.verdicts
					}
					require.True(t, slices.ContainsFunc(right[window][r.Number], same), "block %d of %v: wrong figures: %s, want one of %v", r.Number, window, have.all, right[window][r.Number])
					blocks++
				})
				switch {
				case err == nil:
					require.Equal(t, window.Last+1, next)
				default:
					require.Regexp(t, located, err.Error())
					failed[particular.ReplaceAllString(err.Error(), "…")]++
				}
			}
			require.NoError(t, src.(io.Closer).Close())
		}
		for kind, times := range faults.Done() {
			done[kind] += times
		}
		kinds = faults.Kinds()
		require.Eventually(t, func() bool { return open.Open() == 0 }, time.Minute, 10*time.Millisecond, "connections that are left")
		server.Close()
		require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+1 }, time.Minute, 10*time.Millisecond, "goroutines that are left: Eventually has one itself")
	}
	t.Logf("%d faults: %v", sum(done), done)
	t.Logf("%d blocks came out", blocks)
	for _, text := range slices.Sorted(maps.Keys(failed)) {
		t.Logf("%5d × %s", failed[text], text)
	}
	require.Greater(t, blocks, wanted/5)
	if wanted >= 5000 { // some are seldom
		require.Len(t, done, kinds)
	}
}

var particular = regexp.MustCompile(`0x[0-9a-f]+|\d+`)

// impatient options time out soon.
var impatient = gatewayclient.Options{RetryWait: time.Millisecond, Timeout: nodetest.Hang * 3 / 4, Total: nodetest.Hang * 3 / 2, MaxAnswer: 1 << 20}

func sum(counts map[string]int) (sum int) {
	for _, times := range counts {
		sum += times
	}
	return sum
}

// faultyNode returns the node of a chain of 600 blocks, 500 of them final, with or without an upgrade, and the
// faults of its responses.
func faultyNode(t *testing.T, upgrade bool) (*nodetest.Node, *nodetest.Faults) {
	t.Helper()
	open := func(name string) *nodetest.Node {
		node := nodetest.OpenPair(t, name)
		require.NoError(t, node.Mill(600))
		return node
	}
	node := open("moonbeam-2600")
	if upgrade {
		require.NoError(t, node.Upgrade(300, 2700))
	}
	node.SetHead(500)
	node.SetBest(600)
	faults, err := nodetest.NewFaults(node, open("moonbeam-2100"), 2100, 0.08)
	require.NoError(t, err)
	return node, faults
}

// quietly reads all windows from a node without faults.
func quietly(t *testing.T, node *nodetest.Node, to map[chain.Heights]map[uint64][]figures) {
	t.Helper()
	node.SetHead(500)
	node.SetBest(600)
	server := httptest.NewServer(node)
	defer server.Close()
	src, err := source.Open(strings.Replace(server.URL, "http", "ws", 1), source.Options{})
	require.NoError(t, err)
	defer src.(io.Closer).Close()
	for _, window := range windows {
		if to[window] == nil {
			to[window] = map[uint64][]figures{}
		}
		require.NoError(t, wholeWay(t, src, window, func(r *evidence.Report) {
			to[window][r.Number] = append(to[window][r.Number], figuresOf(t, r))
		}))
	}
}
