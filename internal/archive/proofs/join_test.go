package proofs

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/test/crashtest"
	"github.com/feeledger/fees/internal/test/tier"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/test/chaingen"
)

func joinTo(t testing.TB, directories []string, o JoinOptions) (string, *Manifest, error) {
	t.Helper()
	o.segmentSize = 16
	output := filepath.Join(t.TempDir(), "joined")
	m, err := Join(t.Context(), directories, output, o)
	return output, m, err
}

// Parts become what recording all of it at once is, to the byte.
func TestJoin(t *testing.T) {
	made := rooted(110)
	node := FromNode(served(t, made.Node()))
	of := rand.New(rand.NewPCG(5, 6))
	for _, accounts := range [][]chain.Address{nil, made.Accounts()[:2]} {
		parts := map[[2]uint64]string{}
		part := func(first, last uint64) string {
			span := [2]uint64{first, last}
			if _, ok := parts[span]; !ok {
				parts[span] = recorded(t, node, RecordOptions{First: first, Last: last, Accounts: accounts})
			}
			return parts[span]
		}
		for whole, splits := range map[[2]uint64][][][2]uint64{
			{1, 70}: {
				{{1, 40}, {41, 70}},               // inside of a segment
				{{1, 47}, {48, 70}},               // at a segment's end
				{{1, 48}, {49, 70}},               //
				{{1, upgrade}, {upgrade + 1, 70}}, // across the upgrade
				{{1, upgrade - 1}, {upgrade, 70}},
				{{1, upgrade + 1}, {upgrade + 2, 70}},
				{{1, 50}, {20, 70}}, // overlapping
				{{1, 70}, {20, 30}}, // one in the other
				{{1, 70}},           // one
				{{1, 10}, {11, 11}, {12, 70}},
				{{1, 69}, {70, 70}},
				{{1, 1}, {2, 30}, {31, 70}},
			},
			{0, 40}:  {{{0, 0}, {1, 40}}, {{0, upgrade}, {upgrade + 1, 40}}, {{0, 39}, {40, 40}}},
			{20, 33}: {{{20, 29}, {30, 33}}, {{20, 28}, {29, 30}, {31, 33}}},
		} {
			want := crashtest.Tree(t, part(whole[0], whole[1]))
			for i, split := range splits {
				if accounts != nil && i > 3 {
					break
				}
				if i%tier.Step(6) > 0 {
					continue
				}
				t.Run(fmt.Sprint(len(accounts), whole, split), func(t *testing.T) {
					var directories []string
					for _, p := range split {
						directories = append(directories, part(p[0], p[1]))
					}
					of.Shuffle(len(directories), func(i, j int) { directories[i], directories[j] = directories[j], directories[i] })
					output, m, err := joinTo(t, directories, JoinOptions{Trusted: anchorAt(made, whole[1])})
					require.NoError(t, err)
					require.Equal(t, made.Hash(whole[1]), m.LastHash)
					requireSame(t, want, crashtest.Tree(t, output))
				})
			}
		}
	}
}

// Words that nothing proves are those of the part that goes highest.
func TestJoinOfOtherWords(t *testing.T) {
	made := rooted(110)
	node := FromNode(served(t, made.Node()))
	other := &telling{Origin: node, word: func(method string, v jsonscan.Value) jsonscan.Value {
		if method == "system_version" {
			return jsonscan.OfText("another")
		}
		return v
	}}
	low := recorded(t, node, RecordOptions{First: 1, Last: 40})
	high := recorded(t, other, RecordOptions{First: 41, Last: 70})
	output, _, err := joinTo(t, []string{low, high}, JoinOptions{})
	require.NoError(t, err)
	requireSame(t, crashtest.Tree(t, recorded(t, other, RecordOptions{First: 1, Last: 70})), crashtest.Tree(t, output))
}

func TestJoinRefused(t *testing.T) {
	made := rooted(110)
	node := FromNode(served(t, made.Node()))
	fork := chaingen.New(chaingen.Options{Seed: 6, Rooted: true, Upgrade: upgrade, Head: 110})
	forked := FromNode(served(t, fork.Node()))
	low := recorded(t, node, RecordOptions{First: 1, Last: 40})
	for name, test := range map[string]struct {
		parts []string
		o     JoinOptions
		want  string
	}{
		"none":  {nil, JoinOptions{}, "no archives given"},
		"a gap": {[]string{low, recorded(t, node, RecordOptions{First: 43, Last: 70})}, JoinOptions{}, "ends with block 40 and "},
		"another chain": {[]string{low, recorded(t, forked, RecordOptions{First: 41, Last: 70})}, JoinOptions{},
			fmt.Sprintf("are on different chains: block 40, the lowest that both contain, is %v in the first and %v in the second", fork.Hash(40), made.Hash(40))},
		"another chain that overlaps": {[]string{low, recorded(t, forked, RecordOptions{First: 21, Last: 70})}, JoinOptions{},
			fmt.Sprintf("are on different chains: block 20, the lowest that both contain, is %v in the first and %v in the second", fork.Hash(20), made.Hash(20))},
		"other accounts": {[]string{low, recorded(t, node, RecordOptions{First: 41, Last: 70, Accounts: made.Accounts()[:1]})}, JoinOptions{},
			"the accounts of "},
		"another hash at the end": {[]string{low, recorded(t, node, RecordOptions{First: 41, Last: 70})}, JoinOptions{Trusted: chain.Some(chain.Anchor{Height: 70, Hash: chain.Hash{1}})}, "block 70: the response is for a different block"},
		"another hash in a part":  {[]string{low, recorded(t, node, RecordOptions{First: 41, Last: 70})}, JoinOptions{Trusted: chain.Some(chain.Anchor{Height: 7, Hash: chain.Hash{1}})}, "block 7: header: its hash is"},
		"no archive":              {[]string{low, t.TempDir()}, JoinOptions{}, "is not an archive of a node"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := joinTo(t, test.parts, test.o)
			require.ErrorContains(t, err, test.want)
		})
	}
	t.Run("other parameters", func(t *testing.T) {
		high := recorded(t, node, RecordOptions{First: 41, Last: 70})
		changeManifest(t, high, func(m *Manifest) {
			m.Runtimes[0].ParameterKey = "0x0b00"
			m.Runtimes[0].RuntimeName.SpecVersion = chaingen.FirstRuntime
			m.Runtimes[0].Metadata.Path = m.Runtimes[0].metadataPath()
			m.Runtimes[0].Code = nil
			m.Runtimes[0].Version = json.RawMessage(`{"specName":"moonbeam","specVersion":2302}`)
		})
		_, _, err := joinTo(t, []string{low, high}, JoinOptions{})
		require.ErrorContains(t, err, `has the parameter "" for runtime moonbeam/2302, but `)
		require.ErrorContains(t, err, `has "0x0b00"`)
	})
	t.Run("a damaged part", func(t *testing.T) {
		high := recorded(t, node, RecordOptions{First: 41, Last: 70})
		b := bundleOf(t, high)
		b.segments[0].blocks[5].extrinsics[0][3] ^= 1
		b.write(t, high)
		_, _, err := joinTo(t, []string{low, high}, JoinOptions{})
		require.ErrorContains(t, err, "block 45: extrinsics: their root is")
	})
}

// A part of an archive's range is what recording that part is.
func TestFromArchive(t *testing.T) {
	made := rooted(60)
	node := FromNode(served(t, made.Node()))
	directory := recorded(t, node, RecordOptions{First: 11, Last: 50, Accounts: made.Accounts()[:2]})
	from, err := FromArchive(t.Context(), directory)
	require.NoError(t, err)
	for _, r := range [][2]uint64{{11, 50}, {20, 40}, {11, 11}, {50, 50}} {
		o := RecordOptions{First: r[0], Last: r[1], Accounts: made.Accounts()[:1]}
		want := crashtest.Tree(t, recorded(t, node, o))
		have := crashtest.Tree(t, recorded(t, from, o))
		for path := range want { // the code is kept at one block of a runtime
			if strings.HasSuffix(path, ".code.zst") && have[path] == "" {
				delete(want, path)
			}
		}
		delete(want, archive.ManifestPath)
		delete(have, archive.ManifestPath)
		requireSame(t, want, have)
	}
	for name, o := range map[string]RecordOptions{
		"above":            {First: 20, Last: 51},
		"above, trusted":   {First: 20, Last: 51, Trusted: anchorAt(made, 51)},
		"below":            {First: 9, Last: 20},
		"all of it below":  {First: 2, Last: 5},
		"another account":  {First: 20, Last: 21, Accounts: made.Accounts()[2:3]},
		"another's hashes": {First: 20, Last: 21, Trusted: chain.Some(chain.Anchor{Height: 21, Hash: made.Hash(3)})},
	} {
		_, err := recordTo(t, from, t.TempDir(), o)
		require.ErrorContains(t, err, "block ", name)
	}
	_, err = FromArchive(t.Context(), t.TempDir())
	require.ErrorContains(t, err, "is not an archive of a node")
}
