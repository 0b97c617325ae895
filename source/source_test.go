package source_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/test/gatewaytest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

const directory = "../testdata/recordings/moonbeam-2100"

// The demo, a directory and a gateway give the same.
func TestSourcesAgree(t *testing.T) {
	server := httptest.NewServer(gatewaytest.Handler(directory))
	t.Cleanup(server.Close)
	var items []source.Item
	for _, place := range []string{"demo", directory, server.URL} {
		src, err := source.Open(place, source.Options{})
		require.NoError(t, err)
		reader := source.Reader{Source: src, Tables: network.BuiltIn()}
		item, err := reader.Read(context.Background(), source.Height(25))
		require.NoError(t, err)
		items = append(items, item)
	}
	require.Equal(t, items[0], items[1])
	require.Equal(t, items[0], items[2])
	require.Equal(t, "moonbeam/2100", items[0].Rules.Name)
	m, _ := items[0].Multiplier.Get()
	require.Equal(t, uint64(24), m.At)
}

func TestOpenErrors(t *testing.T) {
	_, err := source.Open(filepath.Join(directory, "nowhere"), source.Options{})
	require.ErrorIs(t, err, answers.ErrLacks)
	_, err = source.Open("gopher://host", source.Options{})
	require.ErrorContains(t, err, "want http")
	for _, place := range []string{"localhost:8080", "me:secret@localhost", "gateway:8080/"} {
		_, err = source.Open(place, source.Options{})
		require.EqualError(t, err, "a gateway needs a URL, such as http://localhost:8080")
	}
}

func TestParseRef(t *testing.T) {
	hash := "0x8a6106317772a661efcdabc6803822782030b7d040428e9caf4f7dd8beceb75f"
	h, err := chain.ParseHash(hash)
	require.NoError(t, err)
	for text, want := range map[string]source.Ref{
		"0": source.Height(0), "25": source.Height(25), "4294967295": source.Height(4294967295),
		"head": {}, hash: source.ByHash(h),
	} {
		ref, err := source.ParseRef(text)
		require.NoError(t, err, text)
		require.Equal(t, want, ref, text)
	}
	for _, text := range []string{"", "-1", "+1", "1.5", "1e3", "abc", "Head", "4294967296", "0x12", hash + "0", " 25"} {
		_, err := source.ParseRef(text)
		require.ErrorContains(t, err, "want a height from 0 to 4294967295", text)
	}
}

// chainOf returns an archive of empty blocks 0 to 9 whose runtime changes: block n
// left behind the runtime that runtimes[n] gives.
func chainOf(runtimes map[uint64]uint32, finalized string) source.Source {
	files := fstest.MapFS{}
	add := func(name, text string) { files[name] = &fstest.MapFile{Data: []byte(text)} }
	for n := range uint64(10) {
		parent := max(n, 1) - 1
		add(fmt.Sprintf("blocks/%d.json", n), fmt.Sprintf(`{"number":%d,"hash":"0x%064d","parentHash":"0x%064d","extrinsics":[]%s}`, n, n, parent, finalized))
		add(fmt.Sprintf("multiplier/%d.json", n), fmt.Sprintf(`{"at":{"height":%d,"hash":"0x%064d"},"value":"%d"}`, n, n, n))
		if version, ok := runtimes[n]; ok {
			add(fmt.Sprintf("runtime-spec/%d.json", n), fmt.Sprintf(`{"at":{"height":%d},"specName":"moonbeam","specVersion":%d}`, n, version))
		}
	}
	return answers.New("test", files)
}

// A block is priced by the runtime that its parent left behind, also where it
// was upgraded, and by the multiplier of that parent.
func TestExecutingRuntime(t *testing.T) {
	src := chainOf(map[uint64]uint32{0: 2201, 4: 2201, 5: 2302, 6: 2302}, `,"finalized":true`)
	reader := source.Reader{Source: src, Tables: network.BuiltIn()}
	for height, want := range map[uint64]uint32{1: 2201, 5: 2201, 6: 2302, 7: 2302} {
		item, err := reader.Read(context.Background(), source.Height(height))
		require.NoError(t, err)
		runtime, _ := item.Rules.Runtime.Get()
		require.Equal(t, want, runtime, "block %d", height)
		m, _ := item.Multiplier.Get()
		require.Equal(t, height-1, m.At)
		require.Equal(t, chain.NewMultiplier(height-1), m.Value)
	}
	// Nothing executed block 0.
	item, err := reader.Read(context.Background(), source.Height(0))
	require.NoError(t, err)
	require.False(t, item.Multiplier.Known())
	// The height that the archive lacks is named.
	_, err = reader.Read(context.Background(), source.Height(9))
	require.ErrorIs(t, err, answers.ErrLacks)
	require.ErrorContains(t, err, "runtime-spec/8.json")
}

func TestMultiplierAt(t *testing.T) {
	src := chainOf(map[uint64]uint32{0: 2302, 6: 2302}, `,"finalized":true`)
	for at, want := range map[network.MultiplierAt]uint64{"": 6, network.AtParent: 6, network.AtBlock: 7} {
		reader := source.Reader{Source: src, Tables: network.BuiltIn(), MultiplierAt: at}
		item, err := reader.Read(context.Background(), source.Height(7))
		require.NoError(t, err)
		m, _ := item.Multiplier.Get()
		require.Equal(t, want, m.At, at)
	}
	// Nothing was executed in block 0.
	reader := source.Reader{Source: src, Tables: network.BuiltIn(), MultiplierAt: network.AtBlock}
	item, err := reader.Read(context.Background(), source.Height(0))
	require.NoError(t, err)
	require.False(t, item.Multiplier.Known())
}

// A runtime or a multiplier of a block that was replaced is rejected.
func TestOfAnotherFork(t *testing.T) {
	read := func(file, text string) error {
		files := fstest.MapFS{
			"blocks/7.json":       {Data: []byte(fmt.Sprintf(`{"number":7,"hash":"0x%064d","parentHash":"0x%064d","extrinsics":[],"finalized":true}`, 7, 6))},
			"multiplier/6.json":   {Data: []byte(fmt.Sprintf(`{"at":{"height":6,"hash":"0x%064d"},"value":"1"}`, 6))},
			"runtime-spec/6.json": {Data: []byte(fmt.Sprintf(`{"at":{"height":6,"hash":"0x%064d"},"specName":"moonbeam","specVersion":2302}`, 6))},
		}
		if file != "" {
			files[file] = &fstest.MapFile{Data: []byte(text)}
		}
		reader := source.Reader{Source: answers.New("test", files), Tables: network.BuiltIn()}
		_, err := reader.Read(context.Background(), source.Height(7))
		return err
	}
	require.NoError(t, read("", ""))
	err := read("multiplier/6.json", fmt.Sprintf(`{"at":{"height":6,"hash":"0x%064d"},"value":"1"}`, 66))
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	require.ErrorContains(t, err, "multiplier at block 6")
	err = read("runtime-spec/6.json", fmt.Sprintf(`{"at":{"height":6,"hash":"0x%064d"},"specName":"moonbeam","specVersion":2302}`, 66))
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	require.ErrorContains(t, err, "runtime at block 6")
}

// A static base fee needs no multiplier, a dynamic one does.
func TestMultiplierNotKept(t *testing.T) {
	read := func(version int) (source.Item, error) {
		reader := source.Reader{Tables: network.BuiltIn(), Source: answers.New("test", fstest.MapFS{
			"blocks/7.json":     {Data: []byte(fmt.Sprintf(`{"number":7,"hash":"0x%064d","parentHash":"0x%064d","extrinsics":[],"finalized":true}`, 7, 6))},
			"runtime-spec.json": {Data: []byte(fmt.Sprintf(`{"at":{"height":6},"specName":"moonbeam","specVersion":%d}`, version))},
		})}
		return reader.Read(context.Background(), source.Height(7))
	}
	item, err := read(2100)
	require.NoError(t, err)
	require.False(t, item.Multiplier.Known())
	require.Equal(t, []string{"the multiplier is not stored, and not needed: the base fee is static"}, item.Rules.Notes)
	_, err = read(2302)
	require.ErrorIs(t, err, answers.ErrLacks)
	require.ErrorContains(t, err, "multiplier/6.json")
}

func TestFinality(t *testing.T) {
	ctx := context.Background()
	runtimes := map[uint64]uint32{6: 2302, 8: 2302}
	open := source.Reader{Source: chainOf(runtimes, `,"finalized":false`), Tables: network.BuiltIn()}
	_, err := open.Read(ctx, source.Height(7))
	require.ErrorIs(t, err, source.ErrNotFinal)
	_, err = open.Read(ctx, source.Ref{})
	require.ErrorIs(t, err, source.ErrNotFinal)
	open.Unfinalized = true
	item, err := open.Read(ctx, source.Ref{})
	require.NoError(t, err)
	require.Equal(t, uint64(9), item.Block.Number)

	silent := source.Reader{Source: chainOf(runtimes, ``), Tables: network.BuiltIn()}
	item, err = silent.Read(ctx, source.Height(7))
	require.NoError(t, err)
	require.Equal(t, []string{"the gateway does not report whether the block is final"}, item.Rules.Notes)
}

// failing is a source whose gateway fails at one question.
type failing struct {
	source.Source
	runtime, node error
}

func (f failing) Unwrap() source.Source { return f.Source }

func (f failing) Runtime(ctx context.Context, at uint64) (chain.AtBlock[chain.Runtime], error) {
	if f.runtime != nil {
		return chain.AtBlock[chain.Runtime]{}, f.runtime
	}
	return f.Source.Runtime(ctx, at)
}

func (f failing) NodeVersion(ctx context.Context) (chain.NodeVersion, error) {
	if f.node != nil {
		return chain.NodeVersion{}, f.node
	}
	return f.Source.(source.NodeVersions).NodeVersion(ctx)
}

// Only a gateway that has no such endpoint is priced by the specification: one
// that fails is an error, or every hiccup would change the price.
func TestUnknownRuntime(t *testing.T) {
	ctx := context.Background()
	demo, err := source.Open("demo", source.Options{})
	require.NoError(t, err)
	down := &httpclient.StatusError{Path: "/runtime/spec", Code: 500}
	none := fmt.Errorf("runtime: %w", chain.ErrNotOffered)
	read := func(f failing, wanted string) (source.Item, error) {
		f.Source = demo
		r := source.Reader{Source: f, Tables: network.BuiltIn(), Network: wanted}
		return r.Read(ctx, source.Height(25))
	}
	_, err = read(failing{runtime: down}, "")
	require.ErrorIs(t, err, down)
	_, err = read(failing{runtime: none, node: down}, "")
	require.ErrorIs(t, err, down)
	_, err = read(failing{runtime: none, node: none}, "")
	require.ErrorIs(t, err, network.ErrUnknownNetwork)

	item, err := read(failing{runtime: none}, "")
	require.NoError(t, err)
	require.Equal(t, "spec/mainnet", item.Rules.Name)
	require.False(t, item.Rules.Runtime.Known())
	m, _ := item.Multiplier.Get()
	require.Equal(t, uint64(25), m.At)

	item, err = read(failing{runtime: none, node: none}, "moonbase")
	require.NoError(t, err)
	require.Equal(t, "spec/testnet", item.Rules.Name)
	require.Contains(t, item.Rules.Notes, "the gateway does not report its network: priced as moonbase because of --network")
	_, err = read(failing{runtime: none}, "moonriver")
	require.ErrorIs(t, err, network.ErrConflict)
}
