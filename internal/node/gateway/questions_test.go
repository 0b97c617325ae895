package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/node/gateway"
)

func answer(t testing.TB, g *gateway.Gateway, format string, args ...any) string {
	t.Helper()
	text, err := g.Get(t.Context(), fmt.Sprintf(format, args...))
	require.NoError(t, err, format, args)
	return text
}

// recordedMultiplier is what the chain has at every height of the recording.
const multiplierAt = "/pallets/transaction-payment/storage/nextFeeMultiplier?at=%d"

// A sequence of blocks, each with the multiplier that it left behind, takes two questions a
// block. Hashes are asked for many at a time, in whichever direction it goes, and metadata
// once.
func TestQuestionsOfASequence(t *testing.T) {
	const blocks = 600
	n := makeChain(t, blocks)
	for name, height := range map[string]func(i int) int{
		"upwards":   func(i int) int { return i },
		"downwards": func(i int) int { return blocks + 1 - i },
	} {
		t.Run(name, func(t *testing.T) {
			g := n.gateway(t)
			n.counted()
			for i := 1; i <= blocks; i++ {
				require.Equal(t, n.wanted(t, height(i)), answer(t, g, "/blocks/%d", height(i)))
				require.Contains(t, answer(t, g, multiplierAt, height(i)), fmt.Sprintf(`"height":"%d"`, height(i)))
			}
			asked, sum := n.counted()
			require.LessOrEqual(t, sum, 2*blocks+25, asked)
			require.LessOrEqual(t, asked["chain_getBlockHash"], 3+1, "lists of 256, and the newest final block")
			require.LessOrEqual(t, asked["state_getRuntimeVersion"], 4)
			require.Equal(t, 1, asked["state_getMetadata"])
			require.Equal(t, blocks, asked["chain_getBlock"])
		})
	}
}

// A state that is asked for while its block is, as by those who read many blocks at once, costs
// no question of its own.
func TestStateOfABlockThatIsBeingMade(t *testing.T) {
	n := makeChain(t, 30)
	g := n.gateway(t)
	answer(t, g, "/blocks/5")
	answer(t, g, multiplierAt, 5) // it is wanted from now on
	begun, release := make(chan bool), make(chan bool)
	n.instead = func(m string, _ []json.RawMessage) (string, bool) {
		if m == "chain_getBlock" {
			begun <- true
			<-release
		}
		return "", false
	}
	n.counted()
	var all sync.WaitGroup
	all.Go(func() { answer(t, g, "/blocks/6") })
	<-begun
	all.Go(func() { answer(t, g, multiplierAt, 6) })
	gaveUp, giveUp := context.WithCancel(t.Context())
	giveUp()
	_, err := g.Get(gaveUp, fmt.Sprintf(multiplierAt, 6))
	require.ErrorIs(t, err, context.Canceled)
	time.Sleep(20 * time.Millisecond)
	close(release)
	all.Wait()
	asked, _ := n.counted()
	require.Equal(t, 1, asked["state_queryStorageAt"])
}

// Everything that was asked of a block with it costs nothing more, and its extrinsics cost
// nothing either.
func TestAskedAgain(t *testing.T) {
	n := makeChain(t, 30)
	g := n.gateway(t)
	answer(t, g, "/blocks/5")
	answer(t, g, multiplierAt, 5)
	n.counted()
	answer(t, g, "/blocks/5/header")
	answer(t, g, multiplierAt, 5)
	encoded, err := g.Extrinsics(t.Context(), hashOf(t, n.best[5]))
	require.NoError(t, err)
	require.Len(t, encoded, len(n.contents[5].extrinsics))
	for i := range encoded {
		require.Equal(t, n.contents[5].extrinsics[i], fmt.Sprintf("0x%x", encoded[i]))
	}
	asked, sum := n.counted()
	require.Zero(t, sum, asked)
}

// The runtime changes with block 300: that block and its state are decoded by its parent's
// runtime, the next block by the new one. Where it changed is found by bisection.
func TestUpgrade(t *testing.T) {
	const upgrade = 300
	n := makeChain(t, 400)
	n.version = func(height int) uint32 {
		if height < upgrade {
			return recordedVersion
		}
		return recordedVersion + 1
	}
	for name, heights := range map[string][2]int{"from below": {1, 1}, "from above": {400, -1}} {
		t.Run(name, func(t *testing.T) {
			g := n.gateway(t)
			n.counted()
			for height := heights[0]; height >= 1 && height <= 400; height += heights[1] {
				want := n.wanted(t, height)
				if height > upgrade {
					want = strings.Replace(want, `"pallet":"timestamp"`, `"pallet":"timestamq"`, 1)
				}
				require.Equal(t, want, answer(t, g, "/blocks/%d", height))
			}
			asked, _ := n.counted()
			require.LessOrEqual(t, asked["state_getRuntimeVersion"], 20)
			require.LessOrEqual(t, asked["state_getMetadata"], 2)
			require.Contains(t, answer(t, g, "/runtime/spec?at=299"), `"specVersion":"2600"`)
			require.Contains(t, answer(t, g, "/runtime/spec?at=300"), `"specVersion":"2601"`)
			require.Contains(t, answer(t, g, "/runtime/metadata?at=299"), `"specVersion":"2600"`)
			require.Contains(t, answer(t, g, "/runtime/metadata?at=300"), `"specVersion":"2601"`)
			require.Contains(t, answer(t, g, "/pallets/timestamp/storage/now?at=300"), `"pallet":"timestamp"`)
			_, err := g.Get(t.Context(), "/pallets/timestamp/storage/now?at=301")
			require.ErrorContains(t, err, `"timestamp" was not recognized as a queryable pallet`)
		})
	}
}

// 64 ask at once, and each gets the answer to its own question.
func TestManyAtOnce(t *testing.T) {
	const blocks = 200
	n := makeChain(t, blocks)
	g := n.gateway(t)
	want := make([]string, blocks+1)
	for height := 1; height <= blocks; height++ {
		want[height] = n.wanted(t, height)
	}
	var all sync.WaitGroup
	errs := make(chan error, 64*20)
	for one := range 64 {
		all.Go(func() {
			for i := range 8 {
				height := 1 + (one*37+i*11)%blocks
				have, err := g.Get(t.Context(), fmt.Sprintf("/blocks/%d", height))
				if err == nil && have != want[height] {
					err = fmt.Errorf("block %d has another answer", height)
				}
				if err == nil {
					_, err = g.Get(t.Context(), fmt.Sprintf(multiplierAt, height))
				}
				errs <- err
			}
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	asked, _ := n.counted()
	require.Equal(t, 1, asked["state_getMetadata"])
	require.Equal(t, 2, asked["chain_getBlockHash"], "the newest final block, and all")
}

// A node without state_queryStorageAt is asked for each key, and not for the method again.
func TestWithoutQueryStorage(t *testing.T) {
	n := makeChain(t, 30)
	n.instead = refusing("state_queryStorageAt", failure(-32601, "Method not found"))
	g := n.gateway(t)
	for height := 1; height <= 30; height++ {
		require.Equal(t, n.wanted(t, height), answer(t, g, "/blocks/%d", height))
	}
	asked, _ := n.counted()
	require.Equal(t, 1, asked["state_queryStorageAt"])
	require.Equal(t, 30, asked["state_getStorage"])
}
