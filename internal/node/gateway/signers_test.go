package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/gateway"
	"github.com/feeledger/fees/internal/node/rpc"
	chainheader "github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/test/realmetadata"
	"github.com/feeledger/fees/internal/tx/extrinsic"
	"github.com/feeledger/fees/internal/tx/keys"
)

// Every native signature of the recorded chains is made by the key of the account that Sidecar names.
func TestSignersOfPairs(t *testing.T) {
	sum := 0
	for _, name := range []string{"moonbeam-1701", "moonbeam-2100", "moonbeam-2600", "datahaven-100", "datahaven-100m", "vflow-2000"} {
		t.Run(name, func(t *testing.T) {
			g, _ := served(t, name, "http")
			for height := 1; ; height++ {
				text, err := g.Get(t.Context(), fmt.Sprintf("/blocks/%d", height))
				if errors.Is(err, chain.ErrNoBlock) {
					break
				}
				require.NoError(t, err)
				sum += requireSigners(t, g, text)
			}
		})
	}
	require.Greater(t, sum, 150)
	t.Logf("%d signatures", sum)
}

// requireSigners requires the signers of a block that Sidecar's answer names, and returns their number.
func requireSigners(t *testing.T, g *gateway.Gateway, answer string) int {
	t.Helper()
	block, err := jsonscan.Parse(answer)
	require.NoError(t, err)
	hash, err := jsonread.Hash(block.Member("hash"))
	require.NoError(t, err)
	want := []chain.NativeSigner{}
	i := 0
	for x := range block.Member("extrinsics").Elements() {
		signer := x.Member("signature").Member("signer")
		id, signed := signer.Text()
		if !signed {
			id, signed = signer.Member("id").Text()
		}
		if signed {
			account, err := chain.ParseAccount(id)
			require.NoError(t, err)
			want = append(want, chain.NativeSigner{Extrinsic: i, Signer: chain.Some(account)})
		}
		i++
	}
	have, err := g.NativeSigners(t.Context(), hash, chain.Optional[chain.Hash]{})
	require.NoError(t, err)
	require.Equal(t, want, have, "block %v", hash)
	return len(have)
}

// signing is a node of a chain of 80 empty blocks, whose last but one has one native extrinsic.
type signing struct {
	gateway.Node // what is not asked for
	t            *testing.T
	metadata     []byte
	headers      []chainheader.Header
	extrinsic    []byte
	without15    bool // metadata of version 15
	decimals     string
	lowest       uint64 // of the blocks that it has
}

const (
	signedChain = 80
	signedAt    = signedChain - 1
)

func (n *signing) hash(height uint64) chain.Hash { return n.headers[height].Hash() }

func (n *signing) find(hash chain.Hash) *chainheader.Header {
	i := slices.IndexFunc(n.headers, func(h chainheader.Header) bool { return h.Hash() == hash })
	require.GreaterOrEqual(n.t, i, 0)
	return &n.headers[i]
}

func (n *signing) FinalizedHead(context.Context) (chain.Hash, error) { return n.hash(signedChain), nil }

func (n *signing) Hashes(_ context.Context, heights []uint64) (list []chain.Optional[chain.Hash], err error) {
	for _, height := range heights {
		var hash chain.Optional[chain.Hash]
		if n.lowest <= height && height < uint64(len(n.headers)) {
			hash = chain.Some(n.hash(height))
		}
		list = append(list, hash)
	}
	return list, nil
}

func (n *signing) Header(_ context.Context, block chain.Optional[chain.Hash]) (rpc.Header, error) {
	hash, _ := block.Get()
	return rpc.Header{Header: *n.find(hash), Hash: block}, nil
}

func (n *signing) Block(ctx context.Context, block chain.Optional[chain.Hash]) (rpc.Block, error) {
	h, err := n.Header(ctx, block)
	return rpc.Block{Header: h, Extrinsics: [][]byte{{4 << 2, 4, 0, 0, 0}, n.extrinsic}}, err
}

func (n *signing) Metadata(context.Context, chain.Hash) ([]byte, error) { return n.metadata, nil }

func (n *signing) MetadataAt(_ context.Context, _ chain.Hash, version uint32) ([]byte, error) {
	require.Equal(n.t, uint32(15), version)
	if n.without15 {
		return nil, chain.ErrUnsupported
	}
	return n.metadata, nil
}

func (n *signing) Call(_ context.Context, method string, _ ...any) (jsonscan.Value, error) {
	return jsonscan.Parse(map[string]string{
		"state_getRuntimeVersion": `{"specName":"moonbeam","specVersion":4401,"transactionVersion":3}`,
		"system_chainType":        `"Live"`,
		"system_properties":       `{"tokenSymbol":["GLMR","OTHER"],"tokenDecimals":` + n.decimals + `}`,
	}[method])
}

// The signature covers all that the chain has a signer sign: with any other byte of the extrinsic, or on another chain,
// another runtime or beside another block, somebody else signed. What was signed and cannot be known is said.
func TestSigners(t *testing.T) {
	n := &signing{t: t, metadata: realmetadata.Named(t, "moonbeam-4401-21c97237"), decimals: "18"}
	var parent chain.Hash
	for height := range uint64(signedChain + 1) {
		h := chainheader.Header{Header: chain.Header{Number: height, ParentHash: parent}}
		parent = h.Hash()
		n.headers = append(n.headers, h)
	}
	m, err := metadata.Parse(n.metadata)
	require.NoError(t, err)
	runtime, err := extrinsic.NewRuntime(m, extrinsic.Token{})
	require.NoError(t, err)
	version, _ := m.RuntimeVersion()
	digest, err := m.Digest("GLMR", 18)
	require.NoError(t, err)
	key, err := keys.ParseHex([]byte("5fb92d6e98884f76de468fa3f6278f8807c48bebc13595d45af5bdc4da702133"))
	require.NoError(t, err)
	call, err := runtime.Call("system.remark", []string{"0x1234"})
	require.NoError(t, err)
	mortal, err := extrinsic.NewEra(64, signedAt-5)
	require.NoError(t, err)
	usual := func() extrinsic.Signing {
		return extrinsic.Signing{Nonce: chain.NewNonce(7), Era: mortal, Birth: n.hash(signedAt - 5), Genesis: n.hash(0),
			SpecVersion: version.SpecVersion, TransactionVersion: version.TransactionVersion}
	}
	// made makes the extrinsic, where one thing that is signed was another.
	made := func(s extrinsic.Signing, signed func(*extrinsic.Signing)) []byte {
		was := s
		if signed != nil {
			signed(&was)
		}
		payload, err := runtime.Payload(call, &was)
		require.NoError(t, err)
		signature, err := key.Sign(extrinsic.Digest(payload))
		require.NoError(t, err)
		encoded, err := runtime.Encode(call, &s, key.Address(), signature)
		require.NoError(t, err)
		return encoded
	}
	signer := func(g *gateway.Gateway, genesis chain.Optional[chain.Hash]) chain.NativeSigner {
		list, err := g.NativeSigners(t.Context(), n.hash(signedAt), genesis)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, 1, list[0].Extrinsic)
		return list[0]
	}
	none := chain.Optional[chain.Hash]{}
	whole := func() *gateway.Gateway {
		return gateway.Of(n, chain.Anchor{Hash: n.hash(0)}, signedChain)
	}
	part := func() *gateway.Gateway { // without block 0, and without the one that the era begins with
		n.lowest = signedAt - 4
		return gateway.Of(n, chain.Anchor{Height: n.lowest, Hash: n.hash(n.lowest)}, signedChain)
	}
	right := chain.NativeSigner{Extrinsic: 1, Signer: chain.Some(key.Address())}
	immortal := usual()
	immortal.Era, immortal.Birth = extrinsic.Era{}, immortal.Genesis
	bound := usual()
	bound.BindsMetadata, bound.MetadataHash = true, digest

	for name, s := range map[string]extrinsic.Signing{"mortal": usual(), "immortal": immortal, "with the metadata's hash": bound} {
		n.extrinsic = made(s, nil)
		require.Equal(t, right, signer(whole(), none), name)
		g := whole()
		require.Equal(t, right, signer(g, chain.Some(n.hash(0))), name)
		for at := 2 + 1 + 20; at < len(n.extrinsic); at += 6 { // behind length, version and signer
			encoded := slices.Clone(n.extrinsic)
			encoded[at] ^= 1
			kept := n.extrinsic
			n.extrinsic = encoded
			have := signer(whole(), none)
			if have.WhyNot == "" {
				require.NotEqual(t, right.Signer, have.Signer, "%s: byte %d", name, at)
			}
			n.extrinsic = kept
		}
	}
	for name, change := range map[string]func(*extrinsic.Signing){
		"genesis":             func(s *extrinsic.Signing) { s.Genesis[3]++ },
		"spec version":        func(s *extrinsic.Signing) { s.SpecVersion-- },
		"transaction version": func(s *extrinsic.Signing) { s.TransactionVersion++ },
		"birth":               func(s *extrinsic.Signing) { s.Birth = n.hash(signedAt - 6) },
		"nonce":               func(s *extrinsic.Signing) { s.Nonce = chain.NewNonce(8) },
		"tip":                 func(s *extrinsic.Signing) { s.Tip = chain.NewWei(1) },
		"metadata":            func(s *extrinsic.Signing) { s.MetadataHash[0]++ },
	} {
		n.extrinsic = made(bound, change)
		have := signer(whole(), none)
		require.Empty(t, have.WhyNot, name)
		require.NotEqual(t, right.Signer, have.Signer, name)
	}

	whyNot := func(g *gateway.Gateway, genesis chain.Optional[chain.Hash], want string) {
		have := signer(g, genesis)
		require.False(t, have.Signer.Known())
		require.Equal(t, want, have.WhyNot)
	}
	n.extrinsic = made(immortal, nil)
	whyNot(part(), none, "the hash of block 0, which was signed, is not known")
	require.Equal(t, right, signer(part(), chain.Some(n.hash(0))), "the genesis is known otherwise")
	n.extrinsic = made(usual(), nil)
	whyNot(part(), chain.Some(n.hash(0)), fmt.Sprintf("its era begins with block %d, whose hash was signed and is not kept", signedAt-5))
	n.extrinsic, n.lowest = made(bound, nil), 0
	n.decimals = "null"
	whyNot(whole(), none, "the hash of the metadata was signed, and the node does not give the token's decimals")
	n.decimals, n.without15 = "18", true
	whyNot(whole(), none, "the hash of the metadata was signed, and the runtime's metadata of version 15 are not known")
	n.extrinsic = append([]byte{8}, 0x84, 1) // cut
	require.Contains(t, signer(whole(), none).WhyNot, "the bytes end too early")
}
