package relay_test

import (
	"encoding/json"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive/relay"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/finality"
	"github.com/feeledger/fees/internal/test/finalitytest"
	"github.com/feeledger/fees/internal/test/rpcserver"
)

func client(t testing.TB, node *rpcserver.Server) *rpc.Client {
	t.Helper()
	server := httptest.NewServer(node)
	t.Cleanup(server.Close)
	c, err := rpc.New(server.URL, httpclient.Options{RetryWait: time.Millisecond, Total: 10 * time.Second})
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

func anchor(b *finalitytest.Block) chain.Anchor {
	return chain.Anchor{Height: uint64(b.Number), Hash: b.Hash()}
}

func rootOf(t testing.TB, root finalitytest.Root) finality.Root {
	t.Helper()
	text, err := json.Marshal(root)
	require.NoError(t, err)
	r, err := finality.ParseRoot(string(text))
	require.NoError(t, err)
	return r
}

// prove proves collected evidence from a set.
func prove(t testing.TB, evidence []byte, root finality.Root) finality.Result {
	t.Helper()
	e, err := finality.Parse(string(evidence))
	require.NoError(t, err)
	r, err := e.Prove(t.Context(), finality.Options{Root: chain.Some(root)})
	require.NoError(t, err)
	require.True(t, r.Final)
	return r
}

// chains returns a parachain of 60 blocks, whose node knows its ID, and its relay chain, which includes a block of it in
// every second block, hands over ten times, and loses the parachain after block 119.
func chains() (para *finalitytest.Relay, relayed *finalitytest.Relay) {
	para = finalitytest.NewRelay(60, nil, func(int) []byte { return nil })
	relayed = finalitytest.NewRelay(130, []int{7, 19, 20, 33, 48, 60, 77, 90, 101, 113}, func(height int) []byte {
		if height/2 >= len(para.Blocks) {
			return nil
		}
		return para.Blocks[height/2].Encode()
	})
	return para, relayed
}

func nodes(t testing.TB, para, relayed *finalitytest.Relay) (*rpc.Client, *rpc.Client) {
	return client(t, finalitytest.MakeParachain(para.Node())), client(t, relayed.Node())
}

// A solo chain's blocks are proved from the first set, through all hand-offs, and from the set that signs.
func TestSoloChain(t *testing.T) {
	_, solo := chains()
	node, first := client(t, solo.Node()), rootOf(t, solo.Root())
	for height, sets := range map[int]int{1: 1, 7: 1, 8: 2, 20: 3, 77: 7, 113: 10, 114: 11, 129: 11} {
		o := relay.Options{Block: anchor(solo.Blocks[height]), Chain: node, Root: chain.Some(first)}
		evidence, err := relay.Collect(t.Context(), o)
		require.NoError(t, err, "block %d", height)
		r := prove(t, evidence, first)
		require.Len(t, r.Sets, sets, "block %d", height)
		highest, _ := r.Highest(uint64(height)).Get()
		require.Equal(t, o.Block, highest)

		o.Root = chain.Optional[finality.Root]{}
		evidence, err = relay.Collect(t.Context(), o)
		require.NoError(t, err, "block %d", height)
		own, err := finality.ParseRoot(string(evidence))
		require.NoError(t, err)
		require.EqualValues(t, sets-1, own.Set.ID, "block %d", height)
		require.Len(t, prove(t, evidence, own).Sets, 1)
	}
}

// A parachain's block is proved by its relay chain.
func TestParachain(t *testing.T) {
	para, relayed := chains()
	p, r := nodes(t, para, relayed)
	first := rootOf(t, relayed.Root())
	for _, c := range []struct {
		block, at, sets int
	}{{50, 101, 9}, {50, 110, 10}, {59, 119, 11}, {1, 3, 1}, {30, 61, 7}} {
		evidence, err := relay.Collect(t.Context(), relay.Options{Block: anchor(para.Blocks[c.block]), Chain: p, Relay: r, RelayBlock: chain.Some(uint64(c.at)), Root: chain.Some(first)})
		require.NoError(t, err, "%+v", c)
		result := prove(t, evidence, first)
		require.Len(t, result.Sets, c.sets)
		head, _ := result.Head.Get()
		require.EqualValues(t, c.at/2, head.Height)
		highest, _ := result.Highest(uint64(c.block)).Get()
		require.Equal(t, anchor(para.Blocks[c.block]), highest)
	}
	_, err := relay.Collect(t.Context(), relay.Options{Block: anchor(para.Blocks[59]), Chain: p, Relay: r, Root: chain.Some(first)})
	require.ErrorContains(t, err, "parachain 2004 has no head after relay block 129; pass the last relay block with its head with --relay-block")
	relayed.Blocks = relayed.Blocks[:114] // the newest is a set's last
	evidence, err := relay.Collect(t.Context(), relay.Options{Block: anchor(para.Blocks[50]), Chain: p, Relay: r, Root: chain.Some(first)})
	require.NoError(t, err)
	head, _ := prove(t, evidence, first).Head.Get()
	require.EqualValues(t, 56, head.Height)
}

// What a node lacks is named, with what helps.
func TestWhatIsMissing(t *testing.T) {
	para, relayed := chains()
	p, r := nodes(t, para, relayed)
	o := relay.Options{Block: anchor(para.Blocks[50]), Chain: p, Relay: r, RelayBlock: chain.Some(uint64(110))}
	refused := func(want string, change func(*relay.Options)) {
		t.Helper()
		changed := o
		change(&changed)
		_, err := relay.Collect(t.Context(), changed)
		require.ErrorContains(t, err, want)
	}
	refused("relay block 80 includes the parachain up to block 40, not block 50; pass a later relay block", func(o *relay.Options) { o.RelayBlock = chain.Some(uint64(80)) })
	refused("the chain is not a parachain", func(o *relay.Options) { o.Chain = r })
	refused("block 999: ", func(o *relay.Options) { o.RelayBlock = chain.Some(uint64(999)) })
	refused("the response is for a different block: block 50:0x", func(o *relay.Options) { o.Block.Hash[0]++ })

	refused("the evidence up to set 2 is too large; trust a later set", func(o *relay.Options) {
		o.Root, o.MaxBytes = chain.Some(rootOf(t, relayed.Root())), 4000
	})

	relayed.Pruned = 125
	refused("after relay block 110: state_getReadProof: ", func(o *relay.Options) { o.RelayBlock = chain.Some(uint64(110)) })
	refused("use a node that keeps old states (an archive node)", func(o *relay.Options) { o.RelayBlock = chain.Some(uint64(110)) })
	refused("use a node that keeps old states (an archive node)", func(o *relay.Options) {
		o.Root, o.RelayBlock = chain.Some(rootOf(t, relayed.Root())), chain.Some(uint64(110))
	})
	relayed.Pruned = 0

	without := relayed.Node()
	get := without.Methods["chain_getBlock"]
	without.Methods["chain_getBlock"] = func(params []json.RawMessage) ([]byte, error) {
		text, err := get(params)
		var block map[string]any
		json.Unmarshal(text, &block)
		block["justifications"] = nil
		text, _ = json.Marshal(block)
		return text, err
	}
	first := chain.Some(rootOf(t, relayed.Root()))
	_, err := relay.Collect(t.Context(), relay.Options{Block: o.Block, Chain: p, Relay: client(t, without), Root: first, RelayBlock: o.RelayBlock})
	require.NoError(t, err, "grandpa_proveFinality has them too")
	without.Methods["grandpa_proveFinality"] = func([]json.RawMessage) ([]byte, error) { return []byte("null"), nil }
	_, err = relay.Collect(t.Context(), relay.Options{Block: o.Block, Chain: p, Relay: client(t, without), Root: first, RelayBlock: o.RelayBlock})
	require.ErrorContains(t, err, "the node has no justification of block 7; use a node that keeps them")

	stranger := finalitytest.Root{SetID: "0", Authorities: finalitytest.Hex(finalitytest.NewValidators(77, 5).List())}
	refused("not proved final by set 0", func(o *relay.Options) { o.Root = chain.Some(rootOf(t, stranger)) })
	_, other := chains()
	other.Blocks[101].Root[3]++
	_, err = relay.Collect(t.Context(), relay.Options{Block: o.Block, Chain: p, Relay: client(t, other.Node()), Root: first, RelayBlock: o.RelayBlock})
	require.Error(t, err)
}
