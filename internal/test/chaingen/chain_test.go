package chaingen_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/test/chaingen"
)

// The same seed and height give the same bytes, in any order of requests, even concurrent ones.
func TestSameSeedSameBytes(t *testing.T) {
	for _, o := range []chaingen.Options{{Seed: 7, Upgrade: 2500}, {Seed: 7, Upgrade: 250, Signed: true}, {Seed: 7, Upgrade: 2500, Rooted: true}} {
		heights := []uint64{0, 1, 2, 249, 250, 251, 299, 300, 301}
		if !o.Signed && !testing.Short() { // which takes long
			heights = append(heights, 999, 1000, 1001, 1800, 1801, 2499, 2500, 2501)
		}
		one := chaingen.New(o)
		want := map[uint64]string{}
		for _, height := range heights {
			want[height] = everything(one, height)
		}
		slices.Reverse(heights)
		o.Cached = 3 // as many blocks as are kept, they are the same
		other := chaingen.New(o)
		var asking sync.WaitGroup
		for range 2 {
			asking.Go(func() {
				for _, height := range heights {
					if have := everything(other, height); have != want[height] {
						t.Errorf("block %d is another", height)
					}
				}
			})
		}
		asking.Wait()
	}
}

func everything(c *chaingen.Chain, height uint64) string {
	return string(c.Block(height)) + string(c.Header(height)) + string(c.Multiplier(height)) + string(c.Runtime(height))
}

// The header contains the block's hashes, and those of its EVM transactions in Frontier's log: a 1, the
// Ethereum block's hash, the compact number of hashes, the hashes.
func TestHeaderIsTheBlocks(t *testing.T) {
	c := chaingen.New(chaingen.Options{Seed: 5, Signed: true})
	for height := uint64(0); height < 20; height++ {
		h, err := sidecar.DecodeHeader(string(c.Header(height)))
		require.NoError(t, err)
		b := decoded(t, c, height)
		require.Equal(t, height, h.Number)
		require.Equal(t, b.ParentHash, h.ParentHash)
		require.Equal(t, c.Hash(height), b.Hash)
		if height > 0 {
			require.Equal(t, c.Hash(height-1), b.ParentHash)
		}
		hashes, count := "", 0
		for i := range b.Extrinsics {
			if executed, err := evm.FindExecuted(&b.Extrinsics[i]); err == nil {
				hashes += executed.Hash.String()[2:]
				count++
			}
		}
		const log = `0x01[0-9a-f]{64}`
		if height > 0 {
			require.Regexp(t, fmt.Sprintf(`%s%02x%s"`, log, 4*count, hashes), string(c.Header(height)))
			require.Regexp(t, fmt.Sprintf(`%s%02x%s"`, log, 4*count, hashes), string(c.Block(height)))
		}
	}
}

// Every kind of content occurs in a few thousand blocks.
func TestAllKinds(t *testing.T) {
	c := chaingen.New(chaingen.Options{Seed: 1, Upgrade: 1500})
	calls, types, exits, events := map[string]int{}, map[chain.TransactionType]int{}, map[string]int{}, map[string]int{}
	counts := map[int]int{}
	moved := map[movement.Kind]int{}
	var creations, capped, priority, tips, failed, total int
	const blocks = 3000
	for height := uint64(1); height <= blocks; height++ {
		b := decoded(t, c, height)
		counts[len(b.Extrinsics)-4]++
		total += len(b.Extrinsics) - 4
		movements, unclassified := movement.Of(b, chain.AddressSize)
		require.Empty(t, unclassified)
		for i := range movements {
			moved[movements[i].Kind]++
		}
		for _, e := range slices.Concat(b.OnInitialize, b.OnFinalize) {
			events[e.Pallet+"."+e.Name]++
		}
		rules := rulesOf(t, c, height)
		r := fee.Price(b, &rules, stored(t, c, height-1))
		base, _ := r.BaseFeePerGas.Get()
		for i := range r.Transactions {
			x := &r.Transactions[i]
			calls[x.Call]++
			if success, _ := x.Success.Get(); !success {
				failed++
			}
			if tip, ok := x.Tip.Get(); ok && !tip.IsZero() {
				tips++
			}
			if x.Layer != fee.EVM {
				continue
			}
			if p, _ := x.PriorityFee.Get(); !p.IsZero() {
				priority++
			}
			payload, err := b.Extrinsics[x.Index].Ethereum()
			require.NoError(t, err)
			types[payload.Type]++
			action, err := payload.Action.Get()
			require.NoError(t, err)
			if action.Create {
				creations++
			}
			largest, err := base.Add(payload.MaxPriorityFeePerGas)
			require.NoError(t, err)
			if payload.Capped() && payload.MaxFeePerGas.Cmp(largest) < 0 {
				capped++
			}
			status, _ := x.Status.Get()
			exits[status]++
		}
	}
	has := func(n int, what string) { require.Greater(t, n, 10, what) }
	for _, call := range []string{
		"ethereum.transact", "balances.transfer", "balances.transferAllowDeath", "balances.transferKeepAlive", "utility.batch",
		"utility.batchAll", "system.remarkWithEvent", "proxy.addProxy", "proxy.removeProxy", "councilCollective.vote",
	} {
		has(calls[call], call)
	}
	for _, typ := range []chain.TransactionType{chain.Legacy, chain.EIP2930, chain.EIP1559} {
		has(types[typ], string(typ))
	}
	for _, exit := range []string{"Stopped", "Returned", "Reverted", "outOfGas"} {
		has(exits[exit], exit)
	}
	for _, event := range []string{"parachainStaking.Rewarded", "balances.Deposit", "balances.Minted", "parachainSystem.UpwardMessageSent"} {
		has(events[event], event)
	}
	for _, kind := range []movement.Kind{
		movement.KindDeposit, movement.KindWithdrawal, movement.KindTransferIn, movement.KindTransferOut, movement.KindReserve, movement.KindUnreserve, movement.KindMint,
	} {
		has(moved[kind], string(kind))
	}
	has(creations, "creations")
	has(capped, "capped")
	has(priority, "priority fees")
	has(tips, "tips")
	has(failed, "failed")
	for n := range 11 {
		require.NotZero(t, counts[n], "blocks with %d transactions", n)
	}
	require.InDelta(t, 4.2, float64(total)/blocks, 1)
}

// The base fee falls from 8 times the minimum, and rises again at high demand.
func TestMultiplierMoves(t *testing.T) {
	c := chaingen.New(chaingen.Options{Seed: 1})
	value := func(height uint64) chain.Multiplier {
		m, _ := stored(t, c, height).Get()
		return m.Value
	}
	least := chain.NewMultiplier(1_000_000_000_000_000_000)
	require.Equal(t, chain.NewMultiplier(8_000_000_000_000_000_000), value(0))
	above, atLeast := 0, 0
	for height := uint64(10_000); height < 20_000; height++ {
		require.GreaterOrEqual(t, value(height).Cmp(least), 0)
		if value(height) == least {
			atLeast++
		} else {
			above++
		}
	}
	require.Greater(t, above, 300)
	require.Greater(t, atLeast, 300)
}
