package chaingen_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/trie"
	"github.com/feeledger/fees/internal/test/blocktest"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/rpcserver"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// served returns a chain's node, and its address.
func served(t testing.TB, c *chaingen.Chain) (node *rpcserver.Server, url string) {
	node = c.Node()
	server := httptest.NewServer(node)
	t.Cleanup(server.Close)
	return node, server.URL
}

func socket(url string) string { return strings.Replace(url, "http", "ws", 1) }

// open opens a source of blocks at a URL.
func open(t testing.TB, place string) source.Source {
	t.Helper()
	src, err := source.Open(place, source.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, src.(io.Closer).Close()) })
	return src
}

// Data directly from the node equals the gateway's, to the byte, before and after an upgrade.
func TestNodeIsTheGateway(t *testing.T) {
	const head, upgrade = 320, 150
	for name, o := range map[string]chaingen.Options{
		"plain":  {Seed: 1, Head: head, Upgrade: upgrade},
		"rooted": {Seed: 2, Head: head, Upgrade: upgrade, Rooted: true},
		"signed": {Seed: 3, Head: head, Upgrade: upgrade, Signed: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := chaingen.New(o)
			_, url := served(t, c)
			for _, place := range []string{url, socket(url)} {
				gateway, closer, err := source.OpenURL(place, gatewayclient.Options{})
				require.NoError(t, err)
				defer closer.Close()
				same := func(want []byte, question string, of ...any) {
					var have strings.Builder
					_, err := gateway.Stream(t.Context(), fmt.Sprintf(question, of...), &have)
					require.NoError(t, err, question, of)
					require.Equal(t, string(want), have.String(), question, of)
				}
				for height := uint64(0); height <= head; height++ {
					same(c.Block(height), "/blocks/%d", height)
					same(c.Header(height), "/blocks/%d/header", height)
					same(c.Multiplier(height), "/pallets/transaction-payment/storage/nextFeeMultiplier?at=%d", height)
					if height > upgrade {
						same(c.BlockWeight(height), "/pallets/system/storage/blockWeight?at=%d", height)
					}
					if height%10 == 0 || height/2 == upgrade/2 {
						same(c.Runtime(height), "/runtime/spec?at=%d", height)
						same(c.Block(height), "/blocks/%v", c.Hash(height))
					}
				}
				same(c.NodeVersion(), "/node/version")
				same(c.Block(head), "/blocks/head")
			}
		})
	}
}

// book prices and verifies a source's blocks, and writes them to a ledger. It returns the period's seal, each
// block's fees and verdicts, and the results of the checks.
func book(t *testing.T, src source.Source, span chain.Heights, o evidence.Options) (seal string, fees []string, tallies evidence.Tallies) {
	ctx := t.Context()
	reader := &source.Reader{Source: src, Tables: network.BuiltIn()}
	b, err := ledger.OpenWriter(ctx, filepath.Join(t.TempDir(), "fees.db"))
	require.NoError(t, err)
	defer b.Close()
	require.NoError(t, b.Begin(ctx, ledger.Identity{Network: "moonbeam"}, span.First))
	prover := prove.Prover{Reader: reader, Concurrency: 4, Options: o}
	for p, err := range prover.Range(ctx, span, chain.Optional[evidence.Predecessor]{}) {
		require.NoError(t, err)
		require.Empty(t, p.Report.Findings, "block %d", p.Block.Number)
		require.Empty(t, p.Report.Unanswered, "block %d", p.Block.Number)
		e, err := ledger.NewEntry(p.Block, p.Report)
		require.NoError(t, err)
		require.NoError(t, b.Write(ctx, []*ledger.Entry{e}))
		text, err := json.Marshal(p.Report.Transactions)
		require.NoError(t, err)
		fees = append(fees, fmt.Sprintf("%d %+v %s", p.Block.Number, p.Report.Totals, text))
		tallies.Add(p.Report.Tallies)
	}
	_, err = b.Seal(ctx)
	require.NoError(t, err)
	period, err := b.Sealed(ctx)
	require.NoError(t, err)
	sum, err := b.SealOf(ctx, period, span)
	require.NoError(t, err)
	return sum.String(), fees, tallies
}

// Each fee and verdict, and the period's seal, are the same from the gateway and from the node, over HTTP and
// a WebSocket. The node proves more: the hashes of extrinsics, and the length part of native fees.
func TestNodeIsProved(t *testing.T) {
	const head = 400
	c := chaingen.New(chaingen.Options{Seed: 1, Head: head, Upgrade: 150, Signed: true})
	gateway := httptest.NewServer(c.Handler())
	defer gateway.Close()
	node, url := served(t, c)
	span, o := chain.Heights{First: 1, Last: head}, evidence.Options{Signatures: true}
	seal, fees, tallies := book(t, open(t, gateway.URL), span, o)
	requireMade(t, tallies, "block.dust", "block.treasury", "extrinsic.hash", "native.formula", "native.signature", "gateway.same", "account.balance")
	require.Len(t, fees, head)
	for _, place := range []string{url, socket(url)} {
		if testing.Short() && place == url {
			continue
		}
		sameSeal, same, tallies := book(t, open(t, place), span, o)
		require.Equal(t, fees, same, place)
		require.Equal(t, seal, sameSeal, place)
		requireMade(t, tallies, "block.dust", "block.treasury", "gateway.same", "account.balance")
	}
	require.Zero(t, node.Asked()["state_getStorage"])
}

// A header's hash is that of its encoding, and the next one's parent; an extrinsic's is that of its bytes; the
// extrinsics root matches the block's extrinsics.
func TestNodeHashes(t *testing.T) {
	for _, rooted := range []bool{false, true} {
		c := chaingen.New(chaingen.Options{Seed: 4, Head: 1100, Rooted: rooted})
		_, url := served(t, c)
		node, err := rpc.New(url, httpclient.Options{})
		require.NoError(t, err)
		roots := map[chain.Hash]bool{}
		for height := uint64(990); height < 1010; height++ {
			b, err := node.Block(t.Context(), chain.Some(c.Hash(height)))
			require.NoError(t, err)
			h := &b.Header
			require.Equal(t, height, h.Number)
			require.Equal(t, c.Hash(height-1), h.ParentHash)
			encoded := append([]byte(nil), h.ParentHash[:]...)
			encoded = append(encoded, byte(height<<2|1), byte(height>>6)) // compact, in two bytes
			encoded = append(append(encoded, h.StateRoot[:]...), h.ExtrinsicsRoot[:]...)
			encoded = append(encoded, byte(len(h.Logs)<<2))
			for _, log := range h.Logs {
				encoded = append(encoded, log...)
			}
			require.Equal(t, c.Hash(height), chain.Hash(blake2b.Sum256(encoded)))
			block := decoded(t, c, height)
			for i, x := range b.Extrinsics {
				require.Equal(t, block.Extrinsics[i].Hash, chain.Hash(blake2b.Sum256(x)))
			}
			require.Equal(t, h.ExtrinsicsRoot, chain.Hash(trie.ListRoot(b.Extrinsics, trie.Layout0)))
			require.False(t, roots[h.StateRoot] || roots[h.ExtrinsicsRoot])
			roots[h.StateRoot], roots[h.ExtrinsicsRoot] = true, true
		}
	}
}

func hexBytes(t testing.TB, text string) []byte {
	bytes, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	require.NoError(t, err)
	return bytes
}

// askNode sends a node one message.
func askNode(t testing.TB, url, message string) string {
	r, err := http.Post(url, "application/json", strings.NewReader(message))
	require.NoError(t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return string(text)
}

// The state of a block contains its time, number, parent and weight; for other items there is an error.
func TestNodeState(t *testing.T) {
	c := chaingen.New(chaingen.Options{Seed: 5, Head: 20, Upgrade: 10})
	_, url := served(t, c)
	node, err := rpc.New(url, httpclient.Options{})
	require.NoError(t, err)
	key := func(text string) []byte { return hexBytes(t, text) }
	number := key("26aa394eea5630e07c48ae0c9558cef702a5c1b19ab7a04f536c519aca4983ac")
	parent := key("26aa394eea5630e07c48ae0c9558cef78a42f33323cb5ced3b44dd825fda9fcc")
	now := key("f0c365c3cf59d671eb72da0e7a4113c49f1f0515f462cdcf84e0f1d6045dfcbb")
	upgraded := key("26aa394eea5630e07c48ae0c9558cef7f9cce9c888469bb1a0dceaa129672ef8")
	multiplier := key("3f1467a096bcd71a5b6a0c8155e208103f2edf3bdf381debe331ab7446addfdc")
	for height := uint64(0); height <= 20; height++ {
		stored, err := node.Storage(t.Context(), c.Hash(height), number, parent, now, upgraded, multiplier)
		require.NoError(t, err)
		r := scale.NewReader(stored[0])
		require.EqualValues(t, height, r.U32())
		require.NoError(t, r.End())
		if height == 0 {
			require.Nil(t, stored[2])
			continue
		}
		hash := c.Hash(height - 1)
		require.Equal(t, hash[:], stored[1])
		block := decoded(t, c, height)
		at, err := block.Time()
		require.NoError(t, err)
		when, _ := at.Get()
		require.EqualValues(t, when.Std().UnixMilli(), scale.NewReader(stored[2]).U64())
		want := uint64(chaingen.FirstRuntime)
		if height > 10 { // the block that brings it does not note it yet
			want = chaingen.SecondRuntime
		}
		require.Equal(t, want, scale.NewReader(stored[3]).CompactUint())
		_, err = node.Storage(t.Context(), c.Hash(height), []byte{1, 2, 3})
		require.ErrorContains(t, err, "chaingen does not know")
	}
	_, err = node.Storage(t.Context(), c.Hash(21), number)
	require.ErrorContains(t, err, "UnknownBlock")
	_, err = node.Block(t.Context(), chain.Some(c.Hash(21)))
	require.ErrorIs(t, err, chain.ErrNoBlock)
	hashes, err := node.Hashes(t.Context(), []uint64{20, 21, 0})
	require.NoError(t, err)
	require.Equal(t, []chain.Optional[chain.Hash]{chain.Some(c.Hash(20)), {}, chain.Some(c.Hash(0))}, hashes)
	methods, err := node.Methods(t.Context())
	require.NoError(t, err)
	require.Contains(t, methods, "state_queryStorageAt")
}

// The heads are announced from the newest on, and each as it arrives.
func TestNodeHeads(t *testing.T) {
	c := chaingen.New(chaingen.Options{Seed: 7, Head: 5})
	_, url := served(t, c)
	node, err := rpc.New(socket(url), httpclient.Options{})
	require.NoError(t, err)
	defer node.Close()
	ctx, leave := context.WithTimeout(t.Context(), time.Minute)
	defer leave()
	want := uint64(5)
	for h, err := range node.SubscribeFinalizedHeads(ctx) {
		require.NoError(t, err)
		require.Equal(t, want, h.Number)
		require.Equal(t, chain.Some(c.Hash(want)), h.Hash)
		if want++; want == 9 {
			break
		}
		c.SetHead(want)
	}
	require.EqualValues(t, 9, want)
}

// A node of a custom network names it, also in its metadata, and rejects requests for a parameter whose pallet
// these lack.
func TestNodeOfANetworkOfItsOwn(t *testing.T) {
	for _, name := range []string{"own", "a-network-with-a-name-of-forty-nine-letters-at-most"} {
		n := chaingen.Moonbeam()
		n.SpecName, n.Symbol, n.ParameterKey = name, "OWN", "0x0107"
		c := chaingen.New(chaingen.Options{Seed: 8, Head: 9, Upgrade: 5, Network: &n})
		_, url := served(t, c)
		src := open(t, url)
		for _, at := range []uint64{4, 5, 6} {
			runtime, err := src.Runtime(t.Context(), at)
			require.NoError(t, err)
			require.Equal(t, chain.Runtime{SpecName: name, SpecVersion: c.RuntimeAt(at), Token: chain.Token{Symbol: "OWN", Decimals: chain.Some(uint64(18))}}, runtime.Value)
			have, err := src.Block(t.Context(), at)
			require.NoError(t, err)
			blocktest.RequireSame(t, decoded(t, c, at), have)
			_, err = src.(source.TreasuryProportions).FeesTreasuryProportion(t.Context(), "0x0107", at)
			require.ErrorIs(t, err, chain.ErrUnsupported)
		}
	}
}
