package gateway_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/gateway"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/tier"
)

// faultyNode is the node of a chain of 600 blocks, 500 of them final, with an upgrade or
// without, and what happens to its answers.
func faultyNode(t *testing.T, upgrade bool) (*nodetest.Node, *nodetest.Faults) {
	t.Helper()
	open := func(name string) *nodetest.Node {
		node := nodetest.OpenPair(t, name)
		require.NoError(t, node.Mill(600))
		return node
	}
	node := open("moonbeam-2600")
	seed := uint64(2600)
	if upgrade {
		require.NoError(t, node.Upgrade(300, 2700))
		seed = 2700
	}
	node.SetHead(500)
	node.SetBest(600)
	faults, err := nodetest.NewFaults(node, open("moonbeam-2100"), seed, 0.2)
	require.NoError(t, err)
	return node, faults
}

// impatient options give up soon.
var impatient = httpclient.Options{RetryWait: time.Millisecond, Timeout: nodetest.Hang * 3 / 4, Total: nodetest.Hang * 3 / 2, MaxAnswer: 1 << 20}

// actionable matches errors that state what is wrong, and where.
var actionable = regexp.MustCompile(`block \d+|block 0x|[a-z]+_[a-zA-Z]+: |the node at |runtime moonbeam/|Unable to retrieve header and parent|Specified block number|^malformed `)

// Whatever happens between a node and those who ask, over HTTP or a WebSocket, 8 at once, each
// question ends in the bytes that the quiet node's answers make, or in an error that says what
// is wrong and where: in 1,500 faults (200 with -short; FEES_FAULTS says how many), of which
// none leaves anything running or open.
func TestFaults(t *testing.T) {
	wanted := tier.Count(t, "FEES_FAULTS", 200, 1500)
	done, kinds, right, failed := map[string]int{}, 0, 0, map[string]int{}
	for _, upgrade := range []bool{false, true} {
		node, faults := faultyNode(t, upgrade)
		questions := questionsAbout(t, node, faults.Branch())
		before := runtime.NumGoroutine()
		server := httptest.NewUnstartedServer(faults)
		open := &nodetest.Counting{Listener: server.Listener}
		server.Listener = open
		server.Start()
		count := func() (sum int) {
			for _, times := range faults.Done() {
				sum += times
			}
			return sum
		}
		for round := uint64(0); (count() < wanted/2 || right <= wanted/10) && !t.Failed(); round++ { // fewer are right where the machine is busy
			client, err := rpc.New(strings.Replace(server.URL, "http", []string{"http", "ws"}[round%2], 1), impatient)
			require.NoError(t, err)
			g := gateway.New(client)
			faults.Quiet(true) // it is this chain's gateway
			for err = errors.New(""); err != nil; _, err = g.Get(t.Context(), "/blocks/head/header") {
			}
			faults.Quiet(false)
			var guard sync.Mutex
			var all sync.WaitGroup
			for asker := range uint64(8) {
				dice := rand.New(rand.NewPCG(round, asker))
				all.Go(func() {
					for range 12 {
						q := questions[dice.IntN(len(questions))]
						have, err := g.Get(t.Context(), q.question)
						guard.Lock()
						switch {
						case err == nil && slices.Contains(q.right, have):
							right++
						case err == nil:
							t.Errorf("%s: wrong bytes: %s", q.question, have)
						case !actionable.MatchString(err.Error()):
							t.Errorf("%s: not clear: %v", q.question, err)
						default:
							failed[kindOf(err)]++
						}
						guard.Unlock()
					}
				})
			}
			all.Wait()
			client.Close()
		}
		for kind, times := range faults.Done() {
			done[kind] += times
		}
		require.Eventually(t, func() bool { return open.Open() == 0 }, time.Minute, 10*time.Millisecond, "connections that are left")
		server.Close()
		require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+1 }, time.Minute, 10*time.Millisecond, "goroutines that are left: Eventually has one itself")
		kinds = faults.Kinds()
	}
	t.Logf("faults %v", done)
	t.Logf("%d right answers", right)
	for _, text := range slices.Sorted(maps.Keys(failed)) {
		t.Logf("%5d × %s", failed[text], text)
	}
	require.Greater(t, right, wanted/10)
	if wanted >= 5000 { // of fewer, a rare kind may be missing
		require.Len(t, done, kinds)
	}
}

var particular = regexp.MustCompile(`0x[0-9a-f]+|\d+`)

// kindOf is an error's text without what is particular.
func kindOf(err error) string { return particular.ReplaceAllString(err.Error(), "…") }

// about is a question with its right answers.
type about struct {
	question string
	right    []string
}

// questionsAbout are some about final blocks, about blocks above, where there are two
// branches, and about those on either side of an upgrade.
func questionsAbout(t *testing.T, nodes ...*nodetest.Node) (list []about) {
	t.Helper()
	gateways := make([]*gateway.Gateway, len(nodes))
	for i, node := range nodes {
		server := httptest.NewServer(node)
		defer server.Close()
		client, err := rpc.New(server.URL, httpclient.Options{})
		require.NoError(t, err)
		defer client.Close()
		node.SetHead(500)
		node.SetBest(600)
		gateways[i] = gateway.New(client)
	}
	add := func(question string) {
		q := about{question: question}
		for _, g := range gateways {
			text := answer(t, g, "%s", question)
			q.right = append(q.right, text, strings.Replace(text, `"finalized":false`, `"finalized":true`, 1))
		}
		list = append(list, q)
	}
	for _, first := range []int{1, 250, 290, 490, 510} {
		for height := first; height < first+20; height++ {
			for _, question := range []string{"/blocks/%d", "/blocks/%d/header", multiplierAt, "/runtime/spec?at=%d"} {
				add(fmt.Sprintf(question, height))
			}
		}
	}
	return list
}
