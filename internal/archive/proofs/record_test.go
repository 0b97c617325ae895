package proofs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/trie"
	"github.com/feeledger/fees/internal/test/crashtest"
	"github.com/feeledger/fees/internal/test/rpcserver"
	"github.com/feeledger/fees/internal/test/tier"
	"github.com/feeledger/fees/internal/test/trietest"
)

// The same range gives the same bytes, however it was asked for, and whatever else proofs have.
func TestRecordIsDeterministic(t *testing.T) {
	made := rooted(90)
	node := FromNode(served(t, made.Node()))
	accounts := made.Accounts()[:2]
	o := RecordOptions{First: 1, Last: 60, Accounts: accounts}
	want := crashtest.Tree(t, recorded(t, node, o))
	require.Contains(t, want, "blocks/32-47.zst")

	of := rand.New(rand.NewPCG(1, 2))
	other := &telling{Origin: node, given: func(_ uint64, g *Given) {
		g.Proof = append(slices.Clone(g.Proof), []byte("superfluous"), []byte{0}, g.Proof[0])
		of.Shuffle(len(g.Proof), func(i, j int) { g.Proof[i], g.Proof[j] = g.Proof[j], g.Proof[i] })
	}}
	for name, run := range map[string]struct {
		from   Origin
		change func(*RecordOptions)
	}{
		"again":         {node, func(*RecordOptions) {}},
		"one at a time": {other, func(o *RecordOptions) { o.Concurrency = 1 }},
		"other order": {other, func(o *RecordOptions) {
			o.Concurrency = 1
			o.Accounts = []chain.Address{accounts[1], accounts[0], accounts[1]}
		}},
		"trusted end":        {node, func(o *RecordOptions) { o.Trusted = anchorAt(made, 60) }},
		"trusted inside":     {node, func(o *RecordOptions) { o.Trusted = anchorAt(made, 31) }},
		"trusted first":      {node, func(o *RecordOptions) { o.Trusted = anchorAt(made, 1) }},
		"many at a time":     {node, func(o *RecordOptions) { o.Concurrency = 30 }},
		"no parameter's key": {node, func(o *RecordOptions) { o.ParameterKey = func(RuntimeName) string { return "" } }},
	} {
		t.Run(name, func(t *testing.T) {
			o := o
			run.change(&o)
			directory := recorded(t, run.from, o)
			requireSame(t, want, crashtest.Tree(t, directory))
		})
	}
	t.Run("all is there", func(t *testing.T) {
		directory := recorded(t, node, o)
		count := &telling{Origin: node}
		_, err := recordTo(t, count, directory, o)
		require.NoError(t, err)
		require.Zero(t, count.blocks.Load())
		requireSame(t, want, crashtest.Tree(t, directory))
	})
}

func TestRanges(t *testing.T) {
	made := rooted(90)
	node := FromNode(served(t, made.Node()))
	for _, r := range [][2]uint64{{0, 0}, {0, 1}, {1, 1}, {0, 20}, {17, 17}, {16, 31}, {17, 32}, {15, 33}, {28, 28}, {29, 29}, {30, 30}, {31, 31}, {31, 64}} {
		t.Run(fmt.Sprint(r), func(t *testing.T) {
			done := uint64(0)
			directory := recorded(t, node, RecordOptions{First: r[0], Last: r[1], Progress: func(n, total uint64) {
				require.Equal(t, done+1, n)
				require.LessOrEqual(t, n, total)
				done = n
			}})
			require.Equal(t, r[1]-base(r[0])+1, done)
			v, err := Verify(t.Context(), directory, anchorAt(made, r[1]), nil)
			require.NoError(t, err)
			require.Equal(t, r[1]-r[0]+1, v.Proved)
			var names []uint32
			for _, runtime := range v.Manifest.Runtimes {
				names = append(names, runtime.SpecVersion)
			}
			var want []uint32 // the runtime that executed a block is what its parent left behind
			for h := base(r[0]); h <= r[1]; h++ {
				if version := made.RuntimeAt(base(h)); !slices.Contains(want, version) {
					want = append(want, version)
				}
			}
			require.Equal(t, want, names)
			a, err := Open(directory, anchorAt(made, r[1]))
			require.NoError(t, err)
			lowest, err := a.Base()
			require.NoError(t, err)
			require.Equal(t, chain.Anchor{Height: base(r[0]), Hash: made.Hash(base(r[0]))}, lowest)
			require.Equal(t, chain.Heights{First: r[0], Last: r[1]}, a.Kept())
		})
	}
}

// The code that executed the highest block of a runtime is what the block's parent left behind.
func TestCodeOfRuntimes(t *testing.T) {
	made := rooted(90)
	client := served(t, made.Node())
	m, err := recordTo(t, FromNode(client), t.TempDir(), RecordOptions{First: 1, Last: 40})
	require.NoError(t, err)
	require.Len(t, m.Runtimes, 2)
	for i, at := range []uint64{upgrade - 1, 39} {
		code := m.Runtimes[i].Code
		require.Equal(t, at, code.At)
		parts, err := client.ReadProof(t.Context(), made.Hash(at), codeKey)
		require.NoError(t, err)
		value, has, err := trie.NewProof(parts).Value(stateRoot(t, client, made.Hash(at)), codeKey)
		require.NoError(t, err)
		require.True(t, has)
		require.Equal(t, chain.Hash(blake2b.Sum256(value)), code.Hash)
	}
	require.NotEqual(t, m.Runtimes[0].Code.Hash, m.Runtimes[1].Code.Hash)
}

func stateRoot(t *testing.T, client *rpc.Client, hash chain.Hash) trie.Hash {
	h, err := client.Header(t.Context(), chain.Some(hash))
	require.NoError(t, err)
	return h.StateRoot
}

// What is kept is what the node has.
func TestKeptIsWhatTheNodeHas(t *testing.T) {
	made := rooted(90)
	client := served(t, made.Node())
	a, err := Open(recorded(t, FromNode(client), RecordOptions{First: 1, Last: 50, Accounts: made.Accounts()[:3]}), anchorAt(made, 50))
	require.NoError(t, err)
	heights := []uint64{0, 1, 15, 16, 28, 29, 30, 31, 50}
	hashes, err := a.Hashes(t.Context(), heights)
	require.NoError(t, err)
	for i, height := range heights {
		hash, known := hashes[i].Get()
		require.True(t, known)
		require.Equal(t, made.Hash(height), hash)
		want, err := client.Block(t.Context(), chain.Some(hash))
		require.NoError(t, err)
		have, err := a.Block(t.Context(), chain.Some(hash))
		require.NoError(t, err)
		if height == 0 { // its lists are empty
			want.Header.Logs, want.Extrinsics = nil, nil
		}
		require.Equal(t, want, have)
		h, err := a.headed(height)
		require.NoError(t, err)
		s, _, err := a.segmentOf(height)
		require.NoError(t, err)
		r, err := a.executed(&h, s)
		require.NoError(t, err)
		stored, err := a.Storage(t.Context(), hash, r.places()...)
		require.NoError(t, err)
		proof, err := client.ReadProof(t.Context(), hash, r.places()...)
		require.NoError(t, err)
		for j, place := range r.places() {
			value, has, err := trie.NewProof(proof).Value(h.StateRoot, place)
			require.NoError(t, err)
			require.Equal(t, has, stored[j] != nil, r.keys[j].name)
			require.Equal(t, string(value), string(stored[j]))
		}
		if height < 50 {
			metadata, err := client.Metadata(t.Context(), hash)
			require.NoError(t, err)
			kept, err := a.Metadata(t.Context(), hash)
			require.NoError(t, err)
			require.Equal(t, metadata, kept)
			version, err := a.Call(t.Context(), runtimeVersion, hash)
			require.NoError(t, err)
			name, err := readVersion(version)
			require.NoError(t, err)
			require.Equal(t, made.RuntimeAt(height), name.SpecVersion)
		}
		_, err = a.Storage(t.Context(), hash, []byte("another key"))
		require.ErrorIs(t, err, chain.ErrNotKept)
	}
	for _, method := range []string{"system_chain", "system_chainType", "system_properties", "system_version"} {
		want, err := client.Call(t.Context(), method)
		require.NoError(t, err)
		have, err := a.Call(t.Context(), method)
		require.NoError(t, err)
		require.JSONEq(t, want.Raw(), have.Raw())
	}
	_, err = a.Call(t.Context(), "system_health")
	require.ErrorIs(t, err, rpc.ErrNoMethod)
	_, err = a.Call(t.Context(), runtimeVersion, 17)
	require.ErrorContains(t, err, "want the hash of a block")
	_, err = a.Hashes(t.Context(), []uint64{51, 52})
	require.ErrorIs(t, err, chain.ErrNotKept)
	_, err = a.Header(t.Context(), chain.Some(made.Hash(51)))
	require.ErrorIs(t, err, chain.ErrNoBlock)
	_, err = a.Metadata(t.Context(), made.Hash(51))
	require.ErrorIs(t, err, chain.ErrNoBlock)
	head, err := a.FinalizedHead(t.Context())
	require.NoError(t, err)
	require.Equal(t, made.Hash(50), head)
	newest, err := a.Block(t.Context(), chain.Optional[chain.Hash]{})
	require.NoError(t, err)
	require.EqualValues(t, 50, newest.Header.Number)
	require.Equal(t, anchorAt(made, 50), a.Proved())
}

func TestRefused(t *testing.T) {
	made := rooted(60)
	node := FromNode(served(t, made.Node()))
	for name, test := range map[string]struct {
		o    RecordOptions
		want string
	}{
		"ends before it begins":                      {RecordOptions{First: 5, Last: 4}, "the range ends before it begins"},
		"not final":                                  {RecordOptions{First: 5, Last: 61}, "block 61: not final yet; the newest final block is 60"},
		"trusted, and not there":                     {RecordOptions{First: 5, Last: 61, Trusted: anchorAt(made, 61)}, "block 61: no such block"},
		"trusted above":                              {RecordOptions{First: 5, Last: 10, Trusted: anchorAt(made, 11)}, "checkpoint block 11 is above the range"},
		"trusted below":                              {RecordOptions{First: 5, Last: 10, Trusted: anchorAt(made, 4)}, "checkpoint block 4 is below the range"},
		"another hash at the end":                    {RecordOptions{First: 5, Last: 10, Trusted: chain.Some(chain.Anchor{Height: 10, Hash: made.Hash(11)})}, "block 10: the response is for a different block: its header has the hash " + made.Hash(10).String()},
		"another hash inside":                        {RecordOptions{First: 5, Last: 10, Trusted: chain.Some(chain.Anchor{Height: 7, Hash: made.Hash(11)})}, "block 7: header: its hash is " + made.Hash(7).String() + ", but the checkpoint has " + made.Hash(11).String()},
		"too many accounts":                          {RecordOptions{First: 5, Last: 10, Accounts: manyAccounts(101)}, "101 accounts exceed the limit of 100"},
		"a parameter that the runtime does not have": {RecordOptions{First: 5, Last: 10, ParameterKey: func(RuntimeName) string { return "0x00" }}, "block 9: runtime moonbeam/2302: metadata: "},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := recordTo(t, node, t.TempDir(), test.o)
			require.ErrorContains(t, err, test.want)
		})
	}
	t.Run("a directory with other blocks", func(t *testing.T) {
		directory := recorded(t, node, RecordOptions{First: 5, Last: 40})
		_, err := recordTo(t, node, directory, RecordOptions{First: 5, Last: 41})
		require.ErrorContains(t, err, "already contains blocks 5 to 40 with the balances of 0 accounts. Record into another directory.")
		_, err = recordTo(t, node, directory, RecordOptions{First: 5, Last: 40, Accounts: made.Accounts()[:1]})
		require.ErrorContains(t, err, "Record into another directory")
		other := rooted(60)
		_, err = recordTo(t, &telling{Origin: FromNode(served(t, other.Node())), hash: func(uint64, chain.Hash) chain.Hash { return chain.Hash{1} }}, directory, RecordOptions{First: 5, Last: 40})
		require.ErrorContains(t, err, "of another chain, with the last block "+made.Hash(40).String())
	})
}

func manyAccounts(count int) (list []chain.Address) {
	for i := range count {
		list = append(list, chain.Address20([20]byte{byte(i)}))
	}
	return list
}

// A node that lies is refused, by the block and what of it does not fit.
func TestLies(t *testing.T) {
	made := rooted(60)
	node := FromNode(served(t, made.Node()))

	change := func(bytes []byte, at int) []byte {
		changed := slices.Clone(bytes)
		changed[(at+len(changed))%len(changed)] ^= 1
		return changed
	}
	at := func(height uint64, lie func(*Given)) func(uint64, *Given) {
		return func(h uint64, g *Given) {
			if h == height {
				lie(g)
			}
		}
	}
	without := func(drop func(part []byte) bool) func(*Given) {
		return func(g *Given) { g.Proof = slices.DeleteFunc(slices.Clone(g.Proof), drop) }
	}
	largest := func(parts [][]byte) (at int) {
		for i := range parts {
			if len(parts[i]) > len(parts[at]) {
				at = i
			}
		}
		return at
	}
	for name, test := range map[string]struct {
		lie   *telling
		wants []string
	}{
		"the parent in a header":  {&telling{given: at(33, func(g *Given) { g.Header = change(g.Header, 3) })}, []string{"block 33: the response is for a different block: its header has the hash"}},
		"the number in a header":  {&telling{given: at(33, func(g *Given) { g.Header = change(g.Header, 32) })}, []string{"block 33: "}},
		"the state's root":        {&telling{given: at(20, func(g *Given) { g.Header = change(g.Header, 40) })}, []string{"block 20: the response is for a different block"}},
		"the end of a header":     {&telling{given: at(20, func(g *Given) { g.Header = g.Header[:50] })}, []string{"block 20: header: "}},
		"another block":           {&telling{given: at(20, func(g *Given) { g.Header = make([]byte, 0) })}, []string{"block 20: header: "}},
		"an extrinsic":            {&telling{given: at(21, func(g *Given) { g.Extrinsics[0] = change(g.Extrinsics[0], -1) })}, []string{"block 21: extrinsics: their root is"}},
		"an extrinsic's length":   {&telling{given: at(21, func(g *Given) { g.Extrinsics[0] = change(g.Extrinsics[0], 0) })}, []string{"block 21: extrinsics: extrinsic 0 does not have its stated length"}},
		"an extrinsic too few":    {&telling{given: at(21, func(g *Given) { g.Extrinsics = g.Extrinsics[1:] })}, []string{"block 21: extrinsics: their root is"}},
		"extrinsics swapped":      {&telling{given: at(21, func(g *Given) { g.Extrinsics[0], g.Extrinsics[1] = g.Extrinsics[1], g.Extrinsics[0] })}, []string{"block 21: extrinsics: their root is"}},
		"a value by its hash":     {&telling{given: at(34, func(g *Given) { i := largest(g.Proof); g.Proof[i] = change(g.Proof[i], 9) })}, []string{"block 34: ", "not in the proof"}},
		"a value, layout 0":       {&telling{given: at(14, func(g *Given) { i := largest(g.Proof); g.Proof[i] = change(g.Proof[i], 9) })}, []string{"block 14: ", "not in the proof"}},
		"no proof":                {&telling{given: at(34, func(g *Given) { g.Proof = nil })}, []string{"block 34: System.LastRuntimeUpgrade: the node with the hash", "not in the proof"}},
		"a part is missing":       {&telling{given: at(34, without(func(part []byte) bool { return len(part) > 400 }))}, []string{"block 34: ", "not in the proof"}},
		"another block's proof":   {&telling{many: func(list []Given) []Given { list[3].Proof = list[4].Proof; return list }}, []string{"block ", "System.LastRuntimeUpgrade: the node with the hash"}},
		"blocks in another order": {&telling{many: func(list []Given) []Given { slices.Reverse(list); return list }}, []string{"block 40: the response is for a different block"}},
		"fewer blocks":            {&telling{many: func(list []Given) []Given { return list[1:] }}, []string{"blocks 32 to 40: got 8 blocks"}},
		"more blocks":             {&telling{many: func(list []Given) []Given { return append(list, list[0]) }}, []string{"blocks 32 to 40: got 10 blocks"}},
		"the last block's hash": {&telling{hash: func(height uint64, h chain.Hash) chain.Hash {
			return map[bool]chain.Hash{true: made.Hash(39), false: h}[height == 40]
		}}, []string{"block 40: the response is for a different block: the header of " + made.Hash(39).String() + " is for block 39"}},
		"hashes": {&telling{hash: func(height uint64, h chain.Hash) chain.Hash {
			return map[bool]chain.Hash{true: made.Hash(7), false: h}[height == 25]
		}}, []string{"block 25: the response is for a different block"}},
		"a runtime that is not its metadata's": {&telling{version: func(_ uint64, v jsonscan.Value) jsonscan.Value {
			return edited(v, `"specVersion":2302`, `"specVersion":2303`)
		}}, []string{"block 28: runtime moonbeam/2303: metadata: they belong to runtime moonbeam/2302"}},
		"another runtime": {&telling{version: func(_ uint64, v jsonscan.Value) jsonscan.Value {
			return edited(v, `"specVersion":2302`, `"specVersion":2600`)
		}}, []string{"block 28: the response is for a different block: the node reports runtime moonbeam/2600 after it, but the next block's state names moonbeam/2302"}},
		"a runtime of any name": {&telling{version: func(at uint64, v jsonscan.Value) jsonscan.Value { return edited(v, `"moonbeam"`, `"../moonbeam"`) }}, []string{"block 39: malformed runtime version"}},
		"metadata of another":   {&telling{metadata: func(uint64, []byte) []byte { return metadataOf(t, node, made.Hash(1)) }}, []string{"block 39: runtime moonbeam/2600: metadata: they belong to runtime moonbeam/2302"}},
		"metadata cut":          {&telling{metadata: func(_ uint64, b []byte) []byte { return b[:len(b)/2] }}, []string{"block 39: runtime moonbeam/2600: metadata: "}},
		"no metadata":           {&telling{metadata: func(_ uint64, b []byte) []byte { return nil }}, []string{"block 39: runtime moonbeam/2600: metadata: "}},
		"no multiplier":         {&telling{metadata: renamed("NextFeeMultiplier")}, []string{"block 39: runtime moonbeam/2600: metadata: they lack TransactionPayment.NextFeeMultiplier"}},
		"endless metadata":      {&telling{metadata: func(uint64, []byte) []byte { return make([]byte, maxRuntime+1) }}, []string{"block 39: metadata of 67108865 bytes, want at most 67108864"}},
		"fewer hashes":          {&telling{hashes: func(list []chain.Optional[chain.Hash]) []chain.Optional[chain.Hash] { return list[1:] }}, []string{"blocks 39 to 40: got 1 hashes"}},
		"another code":          {&telling{code: func([][]byte) ([][]byte, error) { return [][]byte{{0}}, nil }}, []string{"block 39: :code: the node with the hash"}},
		"the chain's name":      {&telling{word: func(method string, v jsonscan.Value) jsonscan.Value { return jsonscan.OfNull() }}, []string{"system_chain: the node answers null, want a text"}},
		"endless words": {&telling{word: func(method string, v jsonscan.Value) jsonscan.Value {
			return jsonscan.OfText(strings.Repeat("x", 1<<20))
		}}, []string{"system_chain: an answer of"}},
	} {
		t.Run(name, func(t *testing.T) {
			test.lie.Origin = node
			directory := t.TempDir()
			_, err := recordTo(t, test.lie, directory, RecordOptions{First: 1, Last: 40, Concurrency: 2})
			require.Error(t, err)
			for _, want := range test.wants {
				require.ErrorContains(t, err, want)
			}

			// What it said is not in the archive that is then recorded of a node that does not lie.
			if !tier.Takes(name) {
				return
			}
			_, err = recordTo(t, node, directory, RecordOptions{First: 1, Last: 40})
			require.NoError(t, err)
			_, err = Verify(t.Context(), directory, anchorAt(made, 40), nil)
			require.NoError(t, err)
		})
	}
}

func edited(v jsonscan.Value, old, replaced string) jsonscan.Value {
	changed, err := jsonscan.Parse(strings.Replace(v.Raw(), old, replaced, 1))
	if err != nil {
		panic(err)
	}
	return changed
}

func metadataOf(t *testing.T, node Origin, hash chain.Hash) []byte {
	bytes, err := node.Metadata(t.Context(), chain.Anchor{Height: 1, Hash: hash})
	require.NoError(t, err)
	return bytes
}

// The error of a node without state_getReadProof states what is needed. One that refuses to prove its code
// gives an archive without it.
func TestNodesThatRefuse(t *testing.T) {
	made := rooted(60)
	node := made.Node()
	delete(node.Methods, "state_getReadProof")
	_, err := recordTo(t, FromNode(served(t, node)), t.TempDir(), RecordOptions{First: 1, Last: 40})
	require.ErrorIs(t, err, rpc.ErrNoMethod)
	require.ErrorContains(t, err, "recording needs a node with state_getReadProof")
	require.ErrorContains(t, err, "block ")

	node = made.Node()
	node.Methods["state_getReadProof"] = func([]json.RawMessage) ([]byte, error) {
		return nil, &rpcserver.Error{Code: 4003, Message: "Client error: Api called for an unknown Block: State already discarded for 0x12"}
	}
	_, err = recordTo(t, FromNode(served(t, node)), t.TempDir(), RecordOptions{First: 1, Last: 40})
	require.ErrorIs(t, err, chain.ErrPruned)
	require.ErrorContains(t, err, ": the node does not keep this block or its state")

	node = made.Node()
	prove := node.Methods["state_getReadProof"]
	node.Methods["state_getReadProof"] = func(params []json.RawMessage) ([]byte, error) {
		if string(params[0]) == `["0x3a636f6465"]` {
			return nil, &rpcserver.Error{Code: -32008, Message: "Response is too big"}
		}
		return prove(params)
	}
	directory := t.TempDir()
	m, err := recordTo(t, FromNode(served(t, node)), directory, RecordOptions{First: 1, Last: 40})
	require.NoError(t, err)
	require.Nil(t, m.Runtimes[0].Code)
	require.NotContains(t, crashtest.Tree(t, directory), "runtimes/moonbeam-2302.code.zst")
	_, err = Verify(t.Context(), directory, anchorAt(made, 40), nil)
	require.NoError(t, err)
}

func TestRecordEnds(t *testing.T) {
	made := rooted(60)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Record(ctx, FromNode(served(t, made.Node())), filepath.Join(t.TempDir(), "a"), RecordOptions{First: 1, Last: 60, segmentSize: 16, Progress: func(done, _ uint64) {
		if done == 30 {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
}

// renamed gives an item of the state another name in metadata.
func renamed(item string) func(uint64, []byte) []byte {
	return func(_ uint64, b []byte) []byte {
		text := func(name string) []byte { return scale.AppendBlob(nil, []byte(name)) }
		changed := bytes.ReplaceAll(b, text(item), text(strings.ToLower(item)))
		if bytes.Equal(changed, b) {
			panic("the metadata have no " + item)
		}
		return changed
	}
}

// Runtimes can have other items: then each block has those of the runtime that executed it.
func TestRuntimesWithOtherKeys(t *testing.T) {
	made := rooted(90)
	for _, before := range []bool{true, false} {
		origin := &telling{Origin: FromNode(served(t, made.Node())), metadata: func(at uint64, b []byte) []byte {
			if at < upgrade == before {
				return renamed("BlockWeight")(at, b)
			}
			return b
		}}
		o := RecordOptions{First: 1, Last: 60}
		directory := recorded(t, origin, o)
		want := crashtest.Tree(t, directory)
		o.Concurrency = 1
		requireSame(t, want, crashtest.Tree(t, recorded(t, origin, o)))
		v, err := Verify(t.Context(), directory, anchorAt(made, 60), nil)
		require.NoError(t, err)
		require.EqualValues(t, 60, v.Proved)
		a, err := Open(directory, anchorAt(made, 60))
		require.NoError(t, err)
		var weight []byte
		for i, r := range v.Manifest.Runtimes {
			read, err := a.runtime(r.RuntimeName)
			require.NoError(t, err)
			at := slices.IndexFunc(read.keys, func(k key) bool { return k.name == "System.BlockWeight" })
			require.Equal(t, (i == 0) == before, at < 0)
			if at >= 0 {
				weight = read.keys[at].place
			}
		}
		for height, kept := range map[uint64]bool{upgrade: !before, upgrade + 1: before} {
			_, err = a.Storage(t.Context(), made.Hash(height), weight)
			require.Equal(t, kept, err == nil, "%d: %v", height, err)
		}
		low := recorded(t, origin, RecordOptions{First: 1, Last: 35})
		high := recorded(t, origin, RecordOptions{First: 36, Last: 60})
		output, _, err := joinTo(t, []string{low, high}, JoinOptions{})
		require.NoError(t, err)
		requireSame(t, want, crashtest.Tree(t, output))

		origin.fails = "Proof"
		_, err = recordTo(t, origin, t.TempDir(), o)
		require.ErrorIs(t, err, errNoAnswer)
	}
}

// No answer ends the recording, whatever was asked.
func TestNoAnswer(t *testing.T) {
	made := rooted(60)
	node := FromNode(served(t, made.Node()))
	for _, method := range []string{"Final", "Hashes", "Given", "Proof", "Version", "Metadata", "Word"} {
		directory := t.TempDir()
		_, err := recordTo(t, &telling{Origin: node, fails: method}, directory, RecordOptions{First: 1, Last: 40})
		require.ErrorIs(t, err, errNoAnswer, method)
		require.NoFileExists(t, filepath.Join(directory, archive.ManifestPath))
	}
	made.SetHead(20)
	_, err := node.Given(t.Context(), []chain.Anchor{{Height: 40, Hash: made.Hash(40)}}, nil)
	require.ErrorContains(t, err, "block 40: ")
	_, err = recordTo(t, node, filepath.Join(t.TempDir(), "\x00"), RecordOptions{First: 1, Last: 10})
	require.Error(t, err)
	full := &recorder{from: node, runtimes: map[RuntimeName]*met{}}
	for i := range uint32(maxRuntimes) {
		full.runtimes[RuntimeName{"another", i}] = &met{}
	}
	_, err = full.meet(t.Context(), chain.Anchor{Height: 3, Hash: made.Hash(3)})
	require.ErrorContains(t, err, "block 3: more than the limit of 1000 runtimes in an archive; record a shorter range")
}

// A state that does not say who executed the block, or has no code, is rejected.
func TestStatesWithout(t *testing.T) {
	state := trietest.New(1)
	state.Set([]byte("a key"), []byte("a value"))
	h := &headed{Header: header.Header{Header: chain.Header{Number: 7, StateRoot: state.Root()}}}
	_, err := runtimeOf(h, trie.NewProof(state.Proof(lastUpgradeKey)))
	require.EqualError(t, err, "block 7: System.LastRuntimeUpgrade: the state does not name the runtime that executed the block")
	_, _, err = proveCode(h, state.Proof(codeKey))
	require.EqualError(t, err, "block 7: :code: not in the state")
	state.Set(lastUpgradeKey, nil)
	h.StateRoot = state.Root()
	_, err = runtimeOf(h, trie.NewProof(state.Proof(lastUpgradeKey)))
	require.ErrorContains(t, err, "block 7: System.LastRuntimeUpgrade: SCALE at byte 0")
}

// More than an archive keeps of a block is not kept: it could not be read again.
func TestTooMuchOfABlock(t *testing.T) {
	state := trietest.New(1)
	state.Set(lastUpgradeKey, []byte("\xa1\x0f\x20moonbeam"))
	b := Given{Extrinsics: slices.Repeat([][]byte{{4, 1}}, maxItems+1), Proof: state.Proof(lastUpgradeKey)}
	h := header.Header{Header: chain.Header{Number: 7, StateRoot: state.Root(), ExtrinsicsRoot: trie.ListRoot(b.Extrinsics, trie.Layout0)}}
	b.Header = h.Encode()
	name := RuntimeName{"moonbeam", 1000}
	r := &recorder{at: chain.Anchor{Height: 7, Hash: h.Hash()}, runtimes: map[RuntimeName]*met{name: {runtime: &runtime{RuntimeName: name}}}}
	err := r.addBlock(t.Context(), newSegment(chain.Heights{First: 0, Last: 15}), &b, nil)
	require.EqualError(t, err, "block 7: extrinsics or proof: 16385 and 0 exceed the limit of 16384 each")
}
