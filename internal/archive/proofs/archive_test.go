package proofs

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/crashtest"
)

func TestIs(t *testing.T) {
	made := rooted(60)
	client := served(t, made.Node())
	directory := recorded(t, FromNode(client), RecordOptions{First: 1, Last: 20})
	require.True(t, Is(directory))
	require.False(t, Is(filepath.Join(directory, "blocks")))
	other := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(other, archive.ManifestPath), []byte(`{"format":"another"}`), 0o644))
	require.False(t, Is(other))
	stopped := t.TempDir()
	require.False(t, Is(stopped))
	require.NoError(t, os.CopyFS(stopped, os.DirFS(directory)))
	require.NoError(t, os.Remove(filepath.Join(stopped, archive.ManifestPath)))
	require.True(t, Is(stopped))
	_, err := Open(stopped, chain.Optional[chain.Anchor]{})
	require.ErrorContains(t, err, "If a recording was interrupted, continue it with")

	a, err := Open(directory, chain.Optional[chain.Anchor]{})
	require.NoError(t, err)
	require.False(t, a.Proved().Known())
	m := a.manifest
	total := int64(0)
	for path, text := range crashtest.Tree(t, directory) {
		if path != archive.ManifestPath {
			total += int64(len(text))
		}
	}
	require.Equal(t, total, m.Bytes())
	want, err := client.Extrinsics(t.Context(), made.Hash(7))
	require.NoError(t, err)
	have, err := a.Extrinsics(t.Context(), made.Hash(7))
	require.NoError(t, err)
	require.Equal(t, want, have)
	_, err = a.Extrinsics(t.Context(), made.Hash(21))
	require.ErrorIs(t, err, chain.ErrNoBlock)

	_, err = Open(directory, anchorAt(made, 21))
	require.ErrorContains(t, err, "checkpoint block 21 is not in the archive. Take one of blocks 1 to 20")
	_, err = Open(directory, chain.Some(chain.Anchor{Height: 3, Hash: made.Hash(4)}))
	require.ErrorContains(t, err, "block 3: header: its hash is "+made.Hash(3).String())
	_, err = Open(t.TempDir(), chain.Optional[chain.Anchor]{})
	require.ErrorContains(t, err, "no manifest.json. If a recording was interrupted, continue it with")
}

// What the last block left behind is its own runtime, or the one that it brought. The parent of the lowest block left
// behind the runtime that executed that. Every block of such an archive can be read.
func TestRuntimesAtTheEnds(t *testing.T) {
	made := rooted(60)
	client := served(t, made.Node())
	for _, last := range []uint64{upgrade - 1, upgrade, upgrade + 1} {
		directory := recorded(t, FromNode(client), RecordOptions{First: 5, Last: last})
		a, err := Open(directory, anchorAt(made, last))
		require.NoError(t, err)
		for _, height := range []uint64{3, 4, upgrade - 2, last} {
			metadata, err := a.Metadata(t.Context(), made.Hash(height))
			require.NoError(t, err)
			want, err := client.Metadata(t.Context(), made.Hash(height))
			require.NoError(t, err)
			require.Equal(t, want, metadata)
		}
		_, err = a.Metadata(t.Context(), made.Hash(2))
		require.ErrorIs(t, err, chain.ErrNoBlock)
		require.Equal(t, last == upgrade, a.manifest.After != nil)
		_, err = Verify(t.Context(), directory, anchorAt(made, last), nil)
		require.NoError(t, err)
		requireAnswers(t, a, last-3, last, "")
	}
}

// requireAnswers requests the blocks of a range and the multipliers after them from an archive. The error for the
// runtime after the last block contains lacks, if that is not empty.
func requireAnswers(t *testing.T, a *Archive, first, last uint64, lacks string) {
	g, err := a.Gateway()
	require.NoError(t, err)
	for height := last; height >= first; height-- {
		for _, question := range []string{"/blocks/%d", "/runtime/spec?at=%d", "/pallets/transactionPayment/storage/nextFeeMultiplier?at=%d"} {
			_, err := g.Get(t.Context(), fmt.Sprintf(question, height))
			if height == last && lacks != "" && question == "/runtime/spec?at=%d" {
				require.ErrorContains(t, err, lacks, question)
				continue
			}
			require.NoError(t, err, "%s at %d", question, height)
		}
	}
}

// An archive without the runtime after its last block, which upgrades, is not whole. All blocks can be
// read, but not that runtime.
func TestRuntimeAfterTheLastBlockMissing(t *testing.T) {
	made := rooted(60)
	directory := recorded(t, FromNode(served(t, made.Node())), RecordOptions{First: 5, Last: upgrade})
	path := filepath.Join(directory, "manifest.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	rewrite := func(change func(*Manifest)) {
		m, err := readManifest(string(text))
		require.NoError(t, err)
		change(m)
		changed, err := m.seal()
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, []byte(changed), 0o600))
	}
	rewrite(func(m *Manifest) {
		require.NoError(t, os.Remove(filepath.Join(directory, m.After.Metadata.Path)))
		m.After = nil
	})
	_, err = Verify(t.Context(), directory, anchorAt(made, upgrade), nil)
	require.ErrorIs(t, err, ErrDamaged)
	require.ErrorContains(t, err, fmt.Sprintf("block %d: runtime: it upgrades the runtime, but the archive lacks the runtime after it", upgrade))
	a, err := Open(directory, anchorAt(made, upgrade))
	require.NoError(t, err)
	requireAnswers(t, a, upgrade-4, upgrade, "not stored")

	rewrite(func(m *Manifest) { m.After.SpecVersion++ })
	_, err = Open(directory, anchorAt(made, upgrade))
	require.ErrorContains(t, err, "invalid runtime")
}

// Many blocks are found by their hashes, in any order.
func TestFind(t *testing.T) {
	a, files, _ := whole(t)
	hashes, err := a.Hashes(t.Context(), []uint64{200, 0, 100, 3, 160})
	require.NoError(t, err)
	fresh, err := open("archive", files) // which has returned no hash yet
	require.NoError(t, err)
	for i, height := range []uint64{200, 0, 100, 3, 160} {
		hash, _ := hashes[i].Get()
		for _, of := range []*Archive{a, fresh} {
			h, err := of.Header(t.Context(), chain.Some(hash))
			require.NoError(t, err)
			require.Equal(t, height, h.Number)
		}
	}
	var known heights
	for i := range uint64(3 * manyHeights) {
		known.add(chain.Hash{byte(i), byte(i >> 8), byte(i >> 16)}, i)
	}
	require.LessOrEqual(t, len(known.young)+len(known.old), 2*manyHeights)
	_, found := known.of(chain.Hash{0, 0, 0})
	require.False(t, found)
	for i := uint64(2 * manyHeights); i < 3*manyHeights; i++ {
		height, found := known.of(chain.Hash{byte(i), byte(i >> 8), byte(i >> 16)})
		require.True(t, found)
		require.Equal(t, i, height)
	}
}

// A manifest that no recorder writes is rejected, also with a new checksum.
func TestManifestsRefused(t *testing.T) {
	a, files, _ := whole(t)
	for name, test := range map[string]struct {
		change func(m *Manifest)
		want   string
	}{
		"no segments":             {func(m *Manifest) { m.Segments = nil }, "its segments do not match its range"},
		"no runtimes":             {func(m *Manifest) { m.Runtimes = nil }, "invalid number of runtimes: 0"},
		"too many runtimes":       {func(m *Manifest) { m.Runtimes = make([]Runtime, maxRuntimes+1) }, "invalid number of runtimes: 1001"},
		"a range that ends early": {func(m *Manifest) { m.Last = 0 }, "invalid range 1 to 0"},
		"heights of 64 bits":      {func(m *Manifest) { m.Last = 1 << 63 }, "invalid range 1 to 9223372036854775808"},
		"all heights":             {func(m *Manifest) { m.First, m.Last = 0, 1<<64-1 }, "invalid range 0 to 18446744073709551615"},
		"a segment above the range": {func(m *Manifest) {
			m.Segments = slices.Clone(m.Segments)
			last := &m.Segments[len(m.Segments)-1]
			last.Last += 2
			last.Headers.Path, last.Blocks.Path = headersPath(last.Heights), blocksPath(last.Heights)
		}, "its segments do not match its range"},
		"a path outside": {func(m *Manifest) {
			m.Segments = slices.Clone(m.Segments)
			m.Segments[3].Blocks.Path = "../../etc/passwd"
		}, "its segments do not match its range"},
		"a path of a runtime": {func(m *Manifest) { m.Runtimes[0].Metadata.Path = "/etc/passwd" }, "invalid runtime moonbeam/2302"},
		"a name of a runtime": {func(m *Manifest) {
			m.Runtimes[0].SpecName = "../x"
			m.Runtimes[0].Version = []byte(`{"specName":"../x","specVersion":2302}`)
			m.Runtimes[0].Metadata.Path = m.Runtimes[0].metadataPath()
		}, "invalid runtime ../x/2302"},
		"no version":           {func(m *Manifest) { m.Runtimes[0].Version = nil }, "invalid runtime moonbeam/2302"},
		"a code that is above": {func(m *Manifest) { m.Runtimes[0].Code = &Code{At: 201, Proof: m.Runtimes[0].Code.Proof} }, "invalid runtime moonbeam/2302"},
		"an account twice":     {func(m *Manifest) { m.Accounts = append(m.Accounts, m.Accounts...) }, "its accounts are not in the order and form that fees writes"},
		"no account":           {func(m *Manifest) { m.Accounts = []string{"0x12"} }, "0x12"},
		"small letters":        {func(m *Manifest) { m.Accounts = []string{strings.ToLower(m.Accounts[0])} }, "its accounts are not in the order and form that fees writes"},
		"too many accounts": {func(m *Manifest) {
			m.Accounts = nil
			for i := range 101 {
				m.Accounts = append(m.Accounts, chain.Address20([20]byte{byte(i)}).String())
			}
		}, "101 accounts exceed the limit of 100"},
	} {
		t.Run(name, func(t *testing.T) {
			m := bundleFrom(t, a).manifest
			test.change(&m)
			text, err := m.seal()
			require.NoError(t, err)
			changed := maps.Clone(files)
			changed[archive.ManifestPath] = &fstest.MapFile{Data: []byte(text)}
			_, err = open("archive", changed)
			require.ErrorIs(t, err, ErrDamaged)
			require.ErrorContains(t, err, test.want)
		})
	}
	for name, text := range map[string]string{"empty": "", "no object": "[]", "of another program": `{"format":"another"}`} {
		changed := maps.Clone(files)
		changed[archive.ManifestPath] = &fstest.MapFile{Data: []byte(text)}
		_, err := open("archive", changed)
		require.ErrorIs(t, err, ErrDamaged, name)
	}
	changed := maps.Clone(files)
	changed[archive.ManifestPath] = &fstest.MapFile{Data: make([]byte, maxManifest+2)}
	_, err := open("archive", changed)
	require.ErrorContains(t, err, "it has more than 67108864 bytes")
}

// A file that says that it holds much more than one of an archive does is not unpacked.
func TestBombs(t *testing.T) {
	bomb := pack(make([]byte, maxRuntime+1))
	require.Less(t, len(bomb), 1<<16)
	_, err := archive.Unpack(bomb, maxRuntime)
	require.ErrorContains(t, err, "larger than 67108864 bytes")
	for _, size := range []int{0, 1, 255, 256, 257, 1 << 16, maxRuntime} {
		packed := pack(make([]byte, size))
		bytes, err := archive.Unpack(packed, maxRuntime)
		require.NoError(t, err)
		require.Len(t, bytes, size)
		_, err = archive.Unpack(append(packed, packed...), maxRuntime)
		if size > 255 {
			require.Error(t, err, "two frames")
		}
	}
	_, err = readSegment(append([]byte{0xfe, 0xff, 0xff, 0xff}, make([]byte, 1<<20)...), chain.Heights{First: 0, Last: 0}) // 2^30-1 of them
	require.ErrorContains(t, err, "block 0: ")
	_, err = readSegment(append([]byte{0x02, 0x00, 0x04, 0x00}, make([]byte, 1<<20)...), chain.Heights{First: 0, Last: 0}) // 65,536
	require.ErrorContains(t, err, "a list of 65536, want at most 16384")
	_, err = readSegment(append([]byte{0, 8}, make([]byte, 9)...), chain.Heights{First: 0, Last: 0})
	require.ErrorContains(t, err, "a list with an empty item")
	_, err = readHeaders([]byte{0}, chain.Heights{First: 0, Last: 0})
	require.ErrorContains(t, err, "got 0 headers, want 1")
}

// each asks an archive for all that it has of a block.
func each(t *testing.T, a *Archive, height uint64) (failed []error) {
	fail := func(err error) {
		if err != nil {
			failed = append(failed, err)
		}
	}
	p := &parts{list: []*Archive{a}, first: a.manifest.First}
	hashes, err := a.Hashes(t.Context(), []uint64{height})
	if fail(err); err != nil {
		return failed
	}
	hash, _ := hashes[0].Get()
	at := chain.Anchor{Height: height, Hash: hash}
	_, err = a.Header(t.Context(), chain.Some(hash))
	fail(err)
	_, err = a.Block(t.Context(), chain.Some(hash))
	fail(err)
	_, err = a.Extrinsics(t.Context(), hash)
	fail(err)
	_, err = a.Storage(t.Context(), hash, lastUpgradeKey)
	fail(err)
	_, err = a.Metadata(t.Context(), hash)
	fail(err)
	_, err = a.Call(t.Context(), runtimeVersion, hash)
	fail(err)
	_, err = p.Given(t.Context(), []chain.Anchor{at}, nil)
	fail(err)
	_, err = p.Proof(t.Context(), at, lastUpgradeKey)
	fail(err)
	_, err = p.Version(t.Context(), at)
	fail(err)
	_, err = p.Metadata(t.Context(), at)
	fail(err)
	if height == 28 {
		_, err = p.Proof(t.Context(), at, codeKey)
		fail(err)
	}
	return failed
}

// What is damaged is never answered from, and what is not still is.
func TestDamagedIsNotRead(t *testing.T) {
	whole, files, _ := whole(t)
	require.Empty(t, each(t, whole, 28))
	for path := range files {
		if path == archive.ManifestPath {
			continue
		}
		for kind, data := range map[string][]byte{"missing": nil, "cut": files[path].Data[:20], "longer": append(slices.Clone(files[path].Data), 0)} {
			changed := maps.Clone(files)
			if changed[path] = (&fstest.MapFile{Data: data}); data == nil {
				delete(changed, path)
			}
			a, err := open("archive", changed)
			require.NoError(t, err)
			failed := append(each(t, a, 28), each(t, a, 190)...)
			for _, err := range failed {
				require.ErrorIs(t, err, ErrDamaged)
				require.ErrorContains(t, err, path)
			}
			var needed bool // by these blocks
			for _, of := range []string{"headers/", "runtimes/moonbeam-2302", "runtimes/moonbeam-2600.metadata", "blocks/16-31", "blocks/176-191"} {
				needed = needed || strings.HasPrefix(path, of)
			}
			low := strings.HasPrefix(path, "headers/0-15.")
			require.Equal(t, needed && !low, len(failed) > 0, "%s is %s", path, kind)
		}
	}
	for kind, change := range map[string]func(b *bundle, s, i int){
		"extrinsics": func(b *bundle, s, i int) { b.segments[s].blocks[i].extrinsics = nil },
		"parts":      func(b *bundle, s, i int) { b.segments[s].blocks[i].parts = nil },
		"blocks":     func(b *bundle, s, i int) { b.segments[s].blocks = b.segments[s].blocks[:3] },
		"headers":    func(b *bundle, s, i int) { b.headers[s] = b.headers[s][:3] },
		"a header":   func(b *bundle, s, i int) { b.headers[s][i] = flip(b.headers[s][i], 70) },
		"metadata":   func(b *bundle, s, i int) { b.files["runtimes/moonbeam-2302.metadata.zst"] = []byte("meta") },
		"a code":     func(b *bundle, s, i int) { b.files["runtimes/moonbeam-2302.code.zst"] = []byte{4} },
		"no code":    func(b *bundle, s, i int) { b.files["runtimes/moonbeam-2302.code.zst"] = []byte{0} },
	} {
		b := bundleFrom(t, whole)
		change(b, 1, 12)
		a, err := open("archive", b.made(t))
		require.NoError(t, err)
		failed := each(t, a, 28)
		require.NotEmpty(t, failed, kind)
		for _, err := range failed {
			require.ErrorIs(t, err, ErrDamaged)
		}
	}
}

// A part that is damaged is not joined.
func TestJoinOfDamaged(t *testing.T) {
	made := rooted(60)
	node := FromNode(served(t, made.Node()))
	low, high := recorded(t, node, RecordOptions{First: 1, Last: 30}), recorded(t, node, RecordOptions{First: 31, Last: 50})
	for _, directory := range []string{low, high} {
		for path, text := range crashtest.Tree(t, directory) {
			if path == archive.ManifestPath {
				continue
			}
			require.NoError(t, os.Remove(filepath.Join(directory, path)))
			output, _, err := joinTo(t, []string{low, high}, JoinOptions{})
			switch {
			case directory == low && strings.Contains(path, "2600"): // that of the other part counts
			case directory == high && strings.Contains(path, "2302"):
			default:
				require.ErrorIs(t, err, ErrDamaged, path)
				require.ErrorContains(t, err, path)
				require.NoFileExists(t, filepath.Join(output, archive.ManifestPath))
			}
			require.NoError(t, os.WriteFile(filepath.Join(directory, path), []byte(text), 0o644))
		}
	}
	require.NoError(t, os.RemoveAll(filepath.Join(low, "blocks")))
	_, _, err := joinTo(t, []string{low, high}, JoinOptions{Trusted: anchorAt(made, 50)})
	require.ErrorIs(t, err, ErrDamaged)
}

func TestNames(t *testing.T) {
	require.Equal(t, fmt.Sprintf("moonbeam/%d", chaingen.FirstRuntime), RuntimeName{"moonbeam", chaingen.FirstRuntime}.String())
	for _, stored := range []string{"", "\x04", "\x04\x08x", "\x0b\x00\x00\x00\x00\x00\x01\x04x", "\x04\x04xx"} {
		_, err := readLastUpgrade([]byte(stored))
		require.ErrorContains(t, err, "SCALE at byte", "%q", stored)
	}
	n, err := readLastUpgrade([]byte("\xa1\x0f\x20moonbeam"))
	require.NoError(t, err)
	require.Equal(t, RuntimeName{"moonbeam", 1000}, n)
}

// Of the blocks that are known of the chain, the highest is trusted that the archive has.
func TestTrustOneOf(t *testing.T) {
	a, _, trusted := whole(t)
	last, _ := trusted.Get()
	h, err := a.headed(100)
	require.NoError(t, err)
	known := func(list ...chain.Anchor) func(string) []chain.Anchor {
		return func(specName string) []chain.Anchor {
			require.Equal(t, "moonbeam", specName)
			return list
		}
	}
	require.NoError(t, a.TrustOneOf(known()))
	require.False(t, a.Proved().Known())
	require.NoError(t, a.TrustOneOf(known(chain.Anchor{Height: 201, Hash: last.Hash})))
	require.False(t, a.Proved().Known())
	require.NoError(t, a.TrustOneOf(known(h.at(), last, chain.Anchor{Height: 5000})))
	require.Equal(t, trusted, a.Proved())
	require.ErrorIs(t, a.TrustOneOf(known(h.at(), chain.Anchor{Height: 150})), ErrDamaged)
}

// The archive answers as Sidecar does, and says what it lacks without telling where it is.
func TestHandler(t *testing.T) {
	made := rooted(60)
	directory := recorded(t, FromNode(served(t, made.Node())), RecordOptions{First: 11, Last: 50})
	a, err := Open(directory, anchorAt(made, 50))
	require.NoError(t, err)
	handler, err := a.Handler()
	require.NoError(t, err)
	get := func(path string) (int, string) {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Code, w.Body.String()
	}
	status, text := get("/blocks/20/header")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, text, made.Hash(19).String())
	require.NoError(t, os.RemoveAll(filepath.Join(directory, "blocks")))
	status, text = get("/blocks/45")
	require.Equal(t, http.StatusInternalServerError, status)
	require.Contains(t, text, "blocks/32-47.zst: the file is in the manifest but missing")
	require.NotContains(t, text, directory)
	require.NoError(t, os.RemoveAll(filepath.Join(directory, "headers")))
	again, err := Open(directory, chain.Optional[chain.Anchor]{})
	require.NoError(t, err)
	_, err = again.Handler()
	require.ErrorIs(t, err, ErrDamaged)
}
