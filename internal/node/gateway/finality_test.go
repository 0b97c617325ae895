package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

func hashOf(t testing.TB, text string) chain.Hash {
	t.Helper()
	hash, err := chain.ParseHash(text)
	require.NoError(t, err)
	return hash
}

// Blocks above the final one are asked for each time: after a reorganisation another block
// stands there. A final block is final by its height and its hash; one of a branch that was
// left is not, and can still be had by its hash.
func TestReorganisation(t *testing.T) {
	n := makeChain(t, 24)
	n.final = 20
	g := n.gateway(t)
	notFinal := func(text string) string {
		require.Contains(t, text, `"finalized":true`)
		return strings.Replace(text, `"finalized":true`, `"finalized":false`, 1)
	}
	left := n.best[22]
	before := notFinal(n.wanted(t, 22))
	require.Equal(t, before, answer(t, g, "/blocks/22"))
	require.Equal(t, before, answer(t, g, "/blocks/%s", left))
	require.Equal(t, n.wanted(t, 20), answer(t, g, "/blocks/20"))
	require.Equal(t, n.wanted(t, 20), answer(t, g, "/blocks/%s", n.best[20]))
	require.Equal(t, n.wanted(t, 20), answer(t, g, "/blocks/head"))
	require.Equal(t, notFinal(n.wanted(t, 24)), answer(t, g, "/blocks/head?finalized=false"))
	require.Contains(t, answer(t, g, "/blocks/head/header?finalized=false"), `"number":"24"`)
	require.NotContains(t, answer(t, g, "/blocks/22?finalizedKey=false"), `"finalized"`)

	n.grow(21, 23, 1)
	require.NotEqual(t, left, n.best[22])
	require.Equal(t, notFinal(n.wanted(t, 22)), answer(t, g, "/blocks/22"))
	require.Equal(t, before, answer(t, g, "/blocks/%s", left))
	require.Contains(t, answer(t, g, multiplierAt, 22), n.best[22])
	_, err := g.Get(t.Context(), "/blocks/24")
	require.ErrorIs(t, err, chain.ErrNoBlock)

	n.set(func() { n.final = 23 })
	require.Equal(t, n.wanted(t, 22), answer(t, g, "/blocks/22"))
	require.Equal(t, n.wanted(t, 22), answer(t, g, "/blocks/%s", n.best[22]))
	require.Equal(t, before, answer(t, g, "/blocks/%s", left))
}

// A block on a branch that is higher than the best one is had by its hash, not final.
func TestHigherBranch(t *testing.T) {
	n := makeChain(t, 24)
	n.final = 20
	high := n.best[24]
	n.grow(21, 22, 1)
	require.Contains(t, answer(t, n.gateway(t), "/blocks/%s", high), `"finalized":false`)
}

// The runtime of a block that is not final is not remembered: after a reorganisation it may be
// another.
func TestRuntimeOfAReplacedBlock(t *testing.T) {
	n := makeChain(t, 24)
	n.final = 20
	g := n.gateway(t)
	require.Contains(t, answer(t, g, "/runtime/spec?at=22"), `"specVersion":"2600"`)
	n.set(func() {
		n.version = func(height int) uint32 { return recordedVersion + uint32(height/21) }
	})
	n.grow(21, 24, 1)
	require.Contains(t, answer(t, g, "/runtime/spec?at=22"), `"specVersion":"2601"`)
	require.Contains(t, answer(t, g, "/runtime/spec?at=20"), `"specVersion":"2600"`)
}

// A node that is behind what it said before, or another one behind the same address, takes
// nothing back; one that says that another block is final at a height is of another chain.
func TestFinalHeadThatGoesBack(t *testing.T) {
	n := makeChain(t, 24)
	g := n.gateway(t)
	answer(t, g, "/blocks/head/header")
	n.set(func() { n.final = 10 })
	require.Contains(t, answer(t, g, "/blocks/head/header"), `"number":"10"`)
	require.Equal(t, n.wanted(t, 24), answer(t, g, "/blocks/24"))

	n.grow(5, 24, 1)
	n.set(func() { n.final = 24 })
	_, err := g.Get(t.Context(), "/blocks/head")
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	require.ErrorContains(t, err, "its chain changed or was restarted")
	_, err = g.Get(t.Context(), "/blocks/25")
	require.ErrorContains(t, err, "its chain changed or was restarted")
}

// Who gives up while another's question is under way comes away at once, whatever that one
// waits for, and later clients are answered.
func TestGivingUp(t *testing.T) {
	for method, question := range map[string]string{
		"chain_getBlockHash":      "/blocks/5",
		"chain_getFinalizedHead":  "/blocks/5",
		"state_getRuntimeVersion": "/blocks/5",
		"state_getMetadata":       "/blocks/5",
		"system_properties":       "/runtime/spec?at=5",
	} {
		t.Run(method, func(t *testing.T) {
			n := makeChain(t, 24)
			begun, release := make(chan bool, 64), make(chan bool)
			n.instead = func(m string, _ []json.RawMessage) (string, bool) {
				if m == method {
					begun <- true
					<-release
				}
				return "", false
			}
			g := n.gateway(t)
			holding, letGo := context.WithCancel(t.Context())
			done := make(chan error, 2)
			ask := func(ctx context.Context) {
				_, err := g.Get(ctx, question)
				done <- err
			}
			go ask(holding)
			<-begun
			waiting, giveUp := context.WithCancel(t.Context())
			go ask(waiting)
			time.Sleep(10 * time.Millisecond)
			giveUp()
			comesAway := func() {
				select {
				case err := <-done:
					require.True(t, errors.Is(err, context.Canceled), "%v", err)
				case <-time.After(time.Minute):
					require.Fail(t, "it waits on")
				}
			}
			comesAway()
			letGo()
			comesAway()
			n.set(func() { n.instead = nil })
			close(release)
			answer(t, g, "%s", question)
		})
	}
}
