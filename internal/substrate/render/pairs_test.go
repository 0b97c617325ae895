package render_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/block"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/render"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
	"github.com/feeledger/fees/internal/test/pairs"
)

// pair is a chain with Sidecar 18.0.0's responses for its blocks, and the node's responses to Sidecar.
type pair struct {
	t       testing.TB
	dir     string
	runtime *render.Runtime
	asked   map[string]map[string]json.RawMessage // by method and parameters
	heights []render.At
}

func eachPair(t *testing.T, test func(t *testing.T, p *pair)) {
	for _, name := range pairs.RealRuntimes {
		t.Run(name, func(t *testing.T) { test(t, openPair(t, name)) })
	}
}

func openPair(t testing.TB, name string) *pair {
	p := &pair{t: t, dir: pairs.Path(t, name), asked: map[string]map[string]json.RawMessage{}}
	text, err := os.ReadFile(filepath.Join(p.dir, "node/metadata.hex"))
	require.NoError(t, err)
	m, err := metadata.Parse(unhex(t, strings.TrimSpace(string(text))))
	require.NoError(t, err)
	p.runtime, err = render.NewRuntime(m)
	require.NoError(t, err)
	text, err = os.ReadFile(filepath.Join(p.dir, "node/heights.json"))
	require.NoError(t, err)
	var raw []struct {
		Height uint64
		Hash   string
	}
	require.NoError(t, json.Unmarshal(text, &raw))
	for _, h := range raw {
		hash, err := chain.ParseHash(h.Hash)
		require.NoError(t, err)
		p.heights = append(p.heights, render.At{Hash: hash, Height: h.Height})
	}
	return p
}

// ask returns the node's response to a request, or nil if it was not requested.
func (p *pair) ask(method string, parameters ...any) json.RawMessage {
	answers, known := p.asked[method]
	if !known {
		text, err := os.ReadFile(filepath.Join(p.dir, "node", method+".json"))
		require.NoError(p.t, err)
		var list map[string]struct{ Result json.RawMessage }
		require.NoError(p.t, json.Unmarshal(text, &list))
		answers = map[string]json.RawMessage{}
		for key, value := range list {
			answers[key] = value.Result
		}
		p.asked[method] = answers
	}
	if parameters == nil {
		parameters = []any{}
	}
	key, err := json.Marshal(parameters)
	require.NoError(p.t, err)
	return answers[string(key)]
}

func (p *pair) json(method string, parameters ...any) jsonscan.Value {
	v, err := jsonscan.Parse(string(p.ask(method, parameters...)))
	require.NoError(p.t, err)
	return v
}

// stored returns the value at a storage key; known reports whether it was requested from the node.
func (p *pair) stored(place []byte, at render.At) (value []byte, known bool) {
	raw := p.ask("state_getStorage", "0x"+hex.EncodeToString(place), at.Hash.String())
	var text *string
	if raw != nil {
		require.NoError(p.t, json.Unmarshal(raw, &text))
	}
	if text == nil {
		return nil, raw != nil
	}
	return unhex(p.t, *text), true
}

// item returns the value of an item of a pallet.
func (p *pair) item(at render.At, pallet, name string, keys ...string) (item *render.Item, value []byte) {
	item, err := p.runtime.Item(pallet, name, keys)
	require.NoError(p.t, err)
	value, known := p.stored(item.Place(), at)
	require.True(p.t, known, "the node was not asked for %s.%s at block %d", pallet, name, at.Height)
	return item, value
}

func (p *pair) block(at render.At) *render.Block {
	v := p.json("chain_getBlock", at.Hash.String()).Member("block")
	b := &render.Block{Hash: at.Hash, Header: readHeader(p.t, v.Member("header")), Finalized: chain.Some(true)}
	for x := range v.Member("extrinsics").Elements() {
		text, _ := x.Text()
		b.Extrinsics = append(b.Extrinsics, unhex(p.t, text))
	}
	_, b.Events = p.item(at, "system", "events")
	if p.runtime.Session() {
		_, b.Validators = p.item(at, "session", "validators")
	}
	return b
}

func readHeader(t testing.TB, v jsonscan.Value) (h render.Header) {
	var err error
	h.Number, err = jsonread.Uint64(v.Member("number"))
	require.NoError(t, err)
	h.ParentHash, err = jsonread.Hash(v.Member("parentHash"))
	require.NoError(t, err)
	h.StateRoot, err = jsonread.Hash(v.Member("stateRoot"))
	require.NoError(t, err)
	h.ExtrinsicsRoot, err = jsonread.Hash(v.Member("extrinsicsRoot"))
	require.NoError(t, err)
	for log := range v.Member("digest").Member("logs").Elements() {
		text, _ := log.Text()
		h.Logs = append(h.Logs, unhex(t, text))
	}
	return h
}

// said requires a text to equal Sidecar's response, if there is one.
func (p *pair) said(path string, have []byte) bool {
	want, err := os.ReadFile(filepath.Join(p.dir, "gateway", path))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	require.NoError(p.t, err)
	require.Equal(p.t, string(want), string(have), path)
	return true
}

func unhex(t testing.TB, text string) []byte {
	bytes, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	require.NoError(t, err)
	return bytes
}

func file(dir string, at render.At) string { return fmt.Sprintf("%s/%d.json", dir, at.Height) }

// A block from SCALE is written as Sidecar's, and has the values of Sidecar's.
func TestBlocksAreSidecars(t *testing.T) {
	compare := func(t *testing.T, p *pair) {
		decoder, err := p.runtime.Decoder()
		require.NoError(t, err)
		assets := map[string]int{}
		compared := 0
		for _, at := range p.heights {
			b := p.block(at)
			text, err := p.runtime.AppendBlock(nil, b)
			require.NoError(t, err)
			if p.said(file("blocks", at), text) {
				compared++
			}
			want, err := sidecar.DecodeBlock(string(text))
			require.NoError(t, err)
			have, err := decoder.Decode(&block.Encoded{Hash: b.Hash, Header: header.Header(b.Header), Extrinsics: b.Extrinsics, Events: b.Events, Finalized: b.Finalized})
			require.NoError(t, err)
			for i := range have.Extrinsics {
				if s := have.Extrinsics[i].Signed; s != nil {
					if asset, known := s.Asset.Get(); known {
						assets[asset]++
					}
					s.Asset = chain.Optional[string]{} // unknown from Sidecar
				}
			}
			have.Size, have.Encoded, want.Size, want.Reported = 0, nil, 0, nil
			require.Equal(t, fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", have))
		}
		wantAll(t, p, "blocks", compared)
		want := map[string]int{}
		if strings.HasSuffix(p.dir, "passet-1019002") {
			want[""] = 22 // native transactions in sent.json up to block 31, the last that the node recorded
		}
		require.Equal(t, want, assets)
	}
	eachPair(t, compare)
	for _, name := range []string{"passet-1019002", "stack-template-3"} {
		t.Run(name, func(t *testing.T) { compare(t, openPair(t, name)) })
	}
}

// wantAll requires every recorded response of a kind to have been compared, for the heights that the node recorded.
func wantAll(t *testing.T, p *pair, dir string, compared int) {
	list, err := filepath.Glob(filepath.Join(p.dir, "gateway", dir, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, list, "no answers were recorded")
	list = slices.DeleteFunc(list, func(path string) bool {
		height, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(path), ".json"))
		return err != nil || height >= len(p.heights)
	})
	require.Equal(t, len(list), compared, "recorded answers that nothing was compared with")
	t.Logf("%d of %d %s are equal", compared, len(list), dir)
}

func TestHeadersAreSidecars(t *testing.T) {
	eachPair(t, func(t *testing.T, p *pair) {
		compared := 0
		for _, at := range p.heights {
			h := readHeader(t, p.json("chain_getBlock", at.Hash.String()).Member("block").Member("header"))
			text, err := h.Answer()
			require.NoError(t, err)
			if p.said(file("headers", at), text) {
				compared++
			}
		}
		wantAll(t, p, "headers", compared)
	})
}

func TestStorageIsSidecars(t *testing.T) {
	items := []struct {
		dir, pallet, name string
		keys              []string
		in                string // the pairs with this response
	}{
		{"multiplier", "transaction-payment", "nextFeeMultiplier", nil, ""},
		{"block-weight", "system", "blockWeight", nil, "moonbeam-2600"},
		{"parameters", "parameters", "parameters", []string{"0x0004"}, "datahaven"},
	}
	for _, item := range items {
		t.Run(item.dir, func(t *testing.T) {
			eachPair(t, func(t *testing.T, p *pair) {
				if !strings.Contains(p.dir, item.in) {
					return
				}
				compared := 0
				for _, at := range p.heights {
					i, stored := p.item(at, item.pallet, item.name, item.keys...)
					text, err := i.Answer(at, stored)
					require.NoError(t, err)
					if p.said(file(item.dir, at), text) {
						compared++
					}
				}
				wantAll(t, p, item.dir, compared)
			})
		})
	}
}

func TestSpecsAndVersionsAreSidecars(t *testing.T) {
	eachPair(t, func(t *testing.T, p *pair) {
		compared := 0
		var version jsonscan.Value
		for _, at := range p.heights {
			raw := p.ask("state_getRuntimeVersion", at.Hash.String())
			if raw == nil {
				raw = p.ask("state_getRuntimeVersion")
			}
			var err error
			version, err = jsonscan.Parse(string(raw))
			require.NoError(t, err)
			text, err := render.Spec(at, version, p.json("system_chainType"), p.json("system_properties"))
			require.NoError(t, err)
			if p.said(file("runtime-spec", at), text) {
				compared++
			}
		}
		wantAll(t, p, "runtime-spec", compared)
		client, _ := p.json("system_version").Text()
		name, _ := version.Member("implName").Text()
		network, _ := p.json("system_chain").Text()
		require.True(t, p.said("node-version.json", render.Version(client, name, network)))
	})
}

func TestBalancesAreSidecars(t *testing.T) {
	eachPair(t, func(t *testing.T, p *pair) {
		token, _ := p.json("system_properties").Member("tokenSymbol").Text()
		list, err := filepath.Glob(filepath.Join(p.dir, "gateway/balance-info/*/*.json"))
		require.NoError(t, err)
		require.NotEmpty(t, list)
		for _, path := range list {
			address, err := chain.ParseAddress(filepath.Base(filepath.Dir(path)))
			require.NoError(t, err)
			height, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(path), ".json"))
			require.NoError(t, err)
			b, err := p.runtime.Balance(address)
			require.NoError(t, err)
			at := p.heights[height]
			account, locks := b.Places()
			has, known := p.stored(account, at)
			require.True(t, known, "the node was not asked for %v at block %d", address, height)
			locked, _ := p.stored(locks, at)
			text, err := b.Answer(at, token, has, chain.Some(locked))
			require.NoError(t, err)
			relative, err := filepath.Rel(filepath.Join(p.dir, "gateway"), path)
			require.NoError(t, err)
			require.True(t, p.said(relative, text))
		}
		t.Logf("%d of %d balances are equal", len(list), len(list))
	})
}

// Each recorded value of the state decodes to its last byte.
func TestStoredValuesAreReadToTheirEnd(t *testing.T) {
	eachPair(t, func(t *testing.T, p *pair) {
		text, err := os.ReadFile(filepath.Join(p.dir, "node/metadata.hex"))
		require.NoError(t, err)
		m, err := metadata.Parse(unhex(t, strings.TrimSpace(string(text))))
		require.NoError(t, err)
		codec := scalejson.New(m)
		text, err = os.ReadFile(filepath.Join(p.dir, "node/keys.json"))
		require.NoError(t, err)
		var keys map[string]string
		require.NoError(t, json.Unmarshal(text, &keys))
		read, items := 0, 0
		for name, key := range keys {
			pallet, rest, _ := strings.Cut(name, ".")
			entry, _, _ := strings.Cut(rest, " ")
			if m.Pallet(pallet) == nil || m.Pallet(pallet).Entry(entry) == nil {
				t.Logf("this runtime has no %s", name)
				continue
			}
			items++
			for _, at := range p.heights {
				value, _ := p.stored(unhex(t, key), at)
				if value == nil {
					continue
				}
				w := &scalejson.Writer{Reader: scale.NewReader(value)}
				codec.Value(w, m.Pallet(pallet).Entry(entry).Value)
				require.NoError(t, w.End(), "%s at block %d", name, at.Height)
				require.True(t, json.Valid(w.Text))
				read++
			}
		}
		require.Greater(t, read, 20*items)
		t.Logf("%d values of %d items", read, items)
	})
}

func TestMetadataAreSidecars(t *testing.T) {
	eachPair(t, func(t *testing.T, p *pair) {
		text, err := os.ReadFile(filepath.Join(p.dir, "node/metadata.hex"))
		require.NoError(t, err)
		text, err = p.runtime.Metadata(unhex(t, strings.TrimSpace(string(text))))
		require.NoError(t, err)
		require.True(t, p.said("runtime-metadata.json", text))
	})
}
