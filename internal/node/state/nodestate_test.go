package state_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/node/state"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/tx/extrinsic"
)

func client(t *testing.T, address string) *rpc.Client {
	c, err := rpc.New(address, httpclient.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// A made-up chain: its node knows the time and the multiplier.
func TestView(t *testing.T) {
	made := chaingen.New(chaingen.Options{Seed: 19, Head: 30})
	server := httptest.NewServer(made.Node())
	t.Cleanup(server.Close)
	node := client(t, server.URL)
	view, err := state.Open(t.Context(), node, chain.Some[uint64](25), extrinsic.Token{})
	require.NoError(t, err)
	require.Equal(t, uint64(25), view.At.Height)
	require.Equal(t, made.Hash(25), view.At.Hash)
	for _, spelled := range []string{"timestamp.now", "Timestamp.Now", "timestamp.NOW"} {
		v, err := view.Query(t.Context(), spelled, nil)
		require.NoError(t, err)
		now, _ := v.Member("value").Text()
		block, err := made.Source().Block(t.Context(), 25)
		require.NoError(t, err)
		when, err := block.Time()
		require.NoError(t, err)
		of, known := when.Get()
		require.True(t, known)
		require.Equal(t, of.Std().UnixMilli(), number(t, now))
	}
	value, kind, err := view.Constant("transactionPayment.operationalFeeMultiplier")
	require.NoError(t, err)
	text, _ := value.Text()
	require.Equal(t, "5", text) // facts of the runtime
	require.Equal(t, "u8", kind)

	for name, says := range map[string]string{
		"timestamp":           "want PALLET.ITEM",
		"nowhere.now":         `no pallet "nowhere"`,
		"timestamp.then":      `has no storage item "then". It has: now, didUpdate`,
		"system.account":      "requiring 1 arguments, 0 found",
		"system.blockHash 1x": "key 1 (u32): want an unsigned integer of 32 bits",
	} {
		words := strings.Fields(name)
		_, err := view.Query(t.Context(), words[0], words[1:])
		require.ErrorContains(t, err, says)
	}
	_, _, err = view.Constant("timestamp.nothing")
	require.ErrorContains(t, err, "It has: minimumPeriod")
	_, err = state.Open(t.Context(), node, chain.Some[uint64](31), extrinsic.Token{})
	require.ErrorIs(t, err, chain.ErrNoBlock)

	calls, err := view.Calls("balances")
	require.NoError(t, err)
	require.Contains(t, calls, state.Member{Name: "balances.transferAll", Type: "dest: AccountId20, keep_alive: bool", Docs: "Transfer the entire transferable balance from the caller account."})
	all, err := view.Calls("")
	require.NoError(t, err)
	require.Greater(t, len(all), len(calls))
	events, err := view.Events("transactionPayment")
	require.NoError(t, err)
	require.Equal(t, "transactionPayment.TransactionFeePaid", events[0].Name)
	require.Equal(t, "who: AccountId20, actual_fee: u128, tip: u128", events[0].Type)
}

func number(t *testing.T, digits string) (n int64) {
	v, err := jsonscan.Parse(digits)
	require.NoError(t, err)
	u, err := jsonread.Uint64(v)
	require.NoError(t, err)
	return int64(u)
}

// What a recorded chain's accounts had, block by block, as the real gateway said it.
func TestRecordedAccounts(t *testing.T) {
	replay := nodetest.OpenPair(t, "moonbeam-2600")
	server := httptest.NewServer(replay)
	t.Cleanup(server.Close)
	node := client(t, server.URL)
	compared := 0
	for _, height := range []uint64{0, 7, 20, 27} {
		view, err := state.Open(t.Context(), node, chain.Some(height), extrinsic.Token{})
		require.NoError(t, err)
		files, err := filepath.Glob(pairs.Path(t, "moonbeam-2600", "gateway/balance-info/*"))
		require.NoError(t, err)
		for _, dir := range files {
			text, err := os.ReadFile(filepath.Join(dir, strconv.FormatUint(height, 10)+".json"))
			if err != nil {
				continue
			}
			want, err := jsonscan.Parse(string(text))
			require.NoError(t, err)
			v, err := view.Query(t.Context(), "system.account", []string{filepath.Base(dir)})
			require.NoError(t, err)
			for name, of := range map[string]string{"free": "data", "reserved": "data", "nonce": ""} {
				have := v.Member("value")
				if of != "" {
					have = have.Member(of)
				}
				require.Equal(t, want.Member(name).Raw(), have.Member(name).Raw(), "%s at block %d", name, height)
			}
			compared++
		}
	}
	require.Greater(t, compared, 20)
	t.Logf("%d accounts compared", compared)
}

// Follow yields an account's balance after each change.
func TestFollow(t *testing.T) {
	replay := nodetest.OpenPair(t, "moonbeam-2600")
	replay.SetHead(2)
	server := httptest.NewServer(replay)
	t.Cleanup(server.Close)
	view, err := state.Open(t.Context(), client(t, "ws"+strings.TrimPrefix(server.URL, "http")), chain.Optional[uint64]{}, extrinsic.Token{})
	require.NoError(t, err)
	const alith = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"
	head := 2
	var told []string
	for v, err := range view.Follow(t.Context(), "system.account", []string{alith}) {
		require.NoError(t, err)
		height, _ := v.Member("at").Member("height").Text()
		told = append(told, height)
		at, err := state.Open(t.Context(), client(t, server.URL), chain.Some(uint64(number(t, height))), extrinsic.Token{})
		require.NoError(t, err)
		same, err := at.Query(t.Context(), "system.account", []string{alith})
		require.NoError(t, err)
		require.Equal(t, same.Raw(), v.Raw())
		if len(told) == 4 {
			break
		}
		for before := v.Member("value").Raw(); ; { // to the next block that changes it
			head++
			replay.SetHead(head)
			at, err := state.Open(t.Context(), client(t, server.URL), chain.Some(uint64(head)), extrinsic.Token{})
			require.NoError(t, err)
			now, err := at.Query(t.Context(), "system.account", []string{alith})
			require.NoError(t, err)
			if now.Member("value").Raw() != before {
				break
			}
		}
	}
	require.Len(t, told, 4)

	overHTTP, err := state.Open(t.Context(), client(t, server.URL), chain.Optional[uint64]{}, extrinsic.Token{})
	require.NoError(t, err)
	for _, err := range overHTTP.Follow(t.Context(), "timestamp.now", nil) {
		require.ErrorIs(t, err, rpc.ErrNoSubscriptions)
	}
}
