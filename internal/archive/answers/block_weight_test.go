package answers_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/test/crashtest"
	"github.com/feeledger/fees/internal/test/pairs"
)

// weightOf is the answer for what the chain counted for a block: its height, of class
// Normal.
func weightOf(n uint64) string {
	return fmt.Sprintf(` {"at":{"hash":"%s","height":"%d"},"pallet":"system","palletIndex":"0","storageItem":"blockWeight","keys":[],"value":`+
		`{"normal":{"refTime":"%d","proofSize":"3"},"operational":{"refTime":"0","proofSize":"0"},"mandatory":{"refTime":"6040553077","proofSize":"52517"}}} `, hashOf(n), n, n)
}

// counting is a chain whose gateway returns each block's weight. It notes what it
// is asked.
type counting struct {
	synthetic
	refuses map[uint64]error // by height
	*asked
}

// newCounting has runtimes 2 and 3 from heights 5 and 9 on, and 4 from 15 on.
func newCounting(last uint64) counting {
	g := counting{chainTo(last, map[uint64]int{0: 1, 5: 2, 9: 3, 15: 4}), map[uint64]error{}, &asked{}}
	for n := range last + 1 {
		g.synthetic[sidecar.BlockWeightPath(n)] = weightOf(n)
	}
	return g
}

func (g counting) Get(ctx context.Context, path string) (string, error) {
	g.add(path)
	for at, err := range g.refuses {
		if path == sidecar.BlockWeightPath(at) {
			return "", err
		}
	}
	return g.synthetic.Get(ctx, path)
}

// weights are the requests for block weights, without the first skipped ones.
func (g counting) weights(after int) []string {
	return slices.DeleteFunc(slices.Clone(g.paths[after:]), func(path string) bool { return !strings.Contains(path, "blockWeight") })
}

// wanting wants the weight of the blocks that runtimes 2 and 3 executed.
func wanting(r chain.AtBlock[chain.Runtime]) bool {
	return r.Value.SpecVersion == 2 || r.Value.SpecVersion == 3
}

func weightPaths(first, last uint64) (paths []string) {
	for n := first; n <= last; n++ {
		paths = append(paths, fmt.Sprintf("block-weight/%d.json", n))
	}
	slices.Sort(paths)
	return paths
}

// An archive keeps the weights of the blocks that a runtime executed that wants them, in
// plain files and in segments, and answers for them, also when it is served again. The
// runtime that a block left behind executed the next one.
func TestBlockWeights(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		options     answers.RecordOptions
		first, last uint64 // of those that are wanted
	}{
		"plain":              {answers.RecordOptions{First: 4, Last: 22}, 6, 15},
		"segments":           {answers.WithSegments(answers.RecordOptions{First: 4, Last: 22}, 10), 6, 15},
		"from its middle":    {answers.RecordOptions{First: 8, Last: 22}, 8, 15},
		"from its beginning": {answers.WithSegments(answers.RecordOptions{First: 6, Last: 9}, 3), 6, 9},
		"up to its last":     {answers.RecordOptions{First: 3, Last: 15}, 6, 15},
		"one":                {answers.RecordOptions{First: 15, Last: 15}, 15, 15},
	} {
		t.Run(name, func(t *testing.T) {
			gateway := newCounting(23)
			c.options.BlockWeight = wanting
			directory := recordedWith(t, gateway, c.options)
			manifest, err := answers.Verify(ctx, directory, nil)
			require.NoError(t, err)
			require.Equal(t, []chain.Heights{{First: c.first, Last: c.last}}, manifest.BlockWeights)
			require.Contains(t, crashtest.Tree(t, directory)["manifest.json"], fmt.Sprintf("\"block_weights\": [\n  {\n   \"first\": %d,\n   \"last\": %d\n  }\n ]", c.first, c.last))
			require.Len(t, gateway.weights(0), int(c.last-c.first+1), "no other heights are asked for")
			slices.Sort(gateway.paths)
			require.Equal(t, slices.Compact(slices.Clone(gateway.paths)), gateway.paths, "nothing is asked twice")

			a := opened(t, directory)
			client, _ := served(t, a)
			for at := max(c.options.First, 1) - 1; at <= c.options.Last; at++ {
				path := sidecar.BlockWeightPath(at)
				kept, err := a.BlockWeight(ctx, at)
				told, fromClient := client.BlockWeight(ctx, at)
				if at < c.first || at > c.last {
					require.ErrorIs(t, err, answers.ErrLacks)
					require.ErrorIs(t, fromClient, chain.ErrUnsupported)
					continue
				}
				require.NoError(t, err)
				require.NoError(t, fromClient)
				require.Equal(t, kept, told)
				hash, _ := kept.AtHash.Get()
				require.Equal(t, []string{hashOf(at), fmt.Sprint(at)}, []string{hash.String(), kept.Value.Normal.RefTime.String()})
				require.Equal(t, weightOf(at), body(t, get(a, http.MethodGet, path)))
				require.Equal(t, weightOf(at), body(t, get(a, http.MethodGet, strings.Replace(path, fmt.Sprint("=", at), "="+hashOf(at), 1))))
			}
			if !c.options.Segments {
				require.Equal(t, weightPaths(c.first, c.last), slices.Sorted(maps.Keys(only(crashtest.Tree(t, directory), "block-weight/"))))
			}

			// From its copy: the same. And nothing that is there is asked for again, whatever the
			// tables say by now.
			require.Equal(t, crashtest.Tree(t, directory), crashtest.Tree(t, recordedWith(t, client, c.options)))
			want := crashtest.Tree(t, directory)
			c.options.BlockWeight = func(chain.AtBlock[chain.Runtime]) bool { return false }
			_, err = answers.Record(ctx, gone{}, directory, c.options)
			require.NoError(t, err)
			require.Equal(t, want, crashtest.Tree(t, directory))
		})
	}
}

// Runtimes that want it and do not want it by turns; and the first block of all, which was
// executed by what it left behind itself.
func TestBlockWeightsByTurns(t *testing.T) {
	gateway := newCounting(23)
	odd := func(r chain.AtBlock[chain.Runtime]) bool { return r.Value.SpecVersion%2 == 1 }
	directory := recordedWith(t, gateway, answers.RecordOptions{First: 0, Last: 20, BlockWeight: odd})
	manifest, err := answers.Verify(context.Background(), directory, nil)
	require.NoError(t, err)
	require.Equal(t, []chain.Heights{{First: 0, Last: 5}, {First: 10, Last: 15}}, manifest.BlockWeights)
	require.Equal(t, slices.Sorted(slices.Values(append(weightPaths(0, 5), weightPaths(10, 15)...))),
		slices.Sorted(maps.Keys(only(crashtest.Tree(t, directory), "block-weight/"))))

	// The runtime that the last block left behind executed none of them.
	fourth := func(r chain.AtBlock[chain.Runtime]) bool { return r.Value.SpecVersion == 4 }
	directory = recordedWith(t, gateway, answers.RecordOptions{First: 6, Last: 15, BlockWeight: fourth})
	require.NotContains(t, crashtest.Tree(t, directory)["manifest.json"], "block_weights")

	directory = recordedWith(t, gateway, answers.RecordOptions{First: 0, Last: 0, BlockWeight: odd})
	require.Equal(t, weightPaths(0, 0), slices.Sorted(maps.Keys(only(crashtest.Tree(t, directory), "block-weight/"))))
}

// A long range takes four questions a block and few for the runtimes.
func TestBlockWeightsAskLittle(t *testing.T) {
	chained := chainTo(1100, map[uint64]int{0: 1, 777: 2})
	for n := range uint64(1101) {
		chained[sidecar.BlockWeightPath(n)] = weightOf(n)
	}
	gateway := &counted{Answers: chained}
	recordedWith(t, gateway, answers.RecordOptions{First: 600, Last: 1099, Concurrency: 16, BlockWeight: wanting})
	require.LessOrEqual(t, gateway.asked.Load(), int64(3*500+(1099-777)+25))
}

// One byte that changed is found by verify and by readers, and repaired.
func TestBlockWeightThatChanged(t *testing.T) {
	ctx := context.Background()
	gateway := newCounting(9)
	plain := answers.RecordOptions{First: 6, Last: 9, BlockWeight: wanting}
	for file, options := range map[string]answers.RecordOptions{"block-weight/8.json": plain, "segments/6-9.zip": answers.WithSegments(plain, 10)} {
		directory := recordedWith(t, gateway, options)
		want := crashtest.Tree(t, directory)
		place := strings.Index(want[file], "6040553077") // of a plain file
		if place < 0 {
			place = strings.Index(want[file], "block-weight/8.json") + len("block-weight/8.json") + 10 // in its frame
		}
		changed := []byte(want[file])
		changed[place] ^= 1
		require.NoError(t, os.WriteFile(filepath.Join(directory, file), changed, 0o644))
		_, err := answers.Verify(ctx, directory, nil)
		require.ErrorIs(t, err, answers.ErrDamaged)
		require.ErrorContains(t, err, file)
		a := opened(t, directory)
		_, err = a.BlockWeight(ctx, 8)
		require.ErrorIs(t, err, answers.ErrDamaged)
		require.ErrorContains(t, err, "block-weight/8.json: the archive is damaged")
		client, _ := served(t, a)
		_, err = client.BlockWeight(ctx, 8)
		require.ErrorContains(t, err, "block-weight/8.json: the archive is damaged")
		_, err = answers.Record(ctx, gateway, directory, options)
		require.NoError(t, err)
		require.Equal(t, want, crashtest.Tree(t, directory))
	}
}

// Trouble that can pass ends the recording: it can go on later.
func TestBlockWeightsInTrouble(t *testing.T) {
	for name, trouble := range map[string]error{
		"a status 500 that says nothing": &httpclient.StatusError{Code: http.StatusInternalServerError},
		"a node that lags":               chain.ErrNoBlock,
		"a stop":                         context.Canceled,
	} {
		gateway := newCounting(9)
		gateway.refuses[8] = trouble
		_, err := answers.Record(context.Background(), gateway, t.TempDir(), answers.RecordOptions{First: 6, Last: 9, BlockWeight: wanting})
		require.ErrorIs(t, err, trouble, name)
	}
}

// A gateway that says that it will never answer is believed: the rest is recorded.
func TestBlockWeightsThatAreRefused(t *testing.T) {
	ctx := context.Background()
	notFound := &httpclient.StatusError{Code: http.StatusNotFound}
	for name, refusal := range map[string]error{
		"a pallet that it does not know": fmt.Errorf("%w: status 400", chain.ErrUnsupported),
		"no such path":                   fmt.Errorf("%w: %w", chain.ErrNotOffered, notFound),
		"not found, in JSON":             fmt.Errorf("%w: %w", chain.ErrNoBlock, notFound),
	} {
		plain := answers.RecordOptions{First: 6, Last: 12, BlockWeight: wanting}
		for _, options := range []answers.RecordOptions{plain, answers.WithSegments(plain, 5)} {
			gateway := newCounting(12)
			gateway.refuses[8] = refusal
			directory := recordedWith(t, gateway, options)
			manifest, err := answers.Verify(ctx, directory, nil)
			require.NoError(t, err, name)
			require.Equal(t, []chain.Heights{{First: 6, Last: 12}}, manifest.BlockWeights)
			a := opened(t, directory)
			_, err = a.BlockWeight(ctx, 8)
			require.ErrorIs(t, err, chain.ErrNotKept, name)
			_, err = a.BlockWeight(ctx, 9)
			require.NoError(t, err, name)

			// Without its manifest it continues with the existing files.
			want := crashtest.Tree(t, directory)
			require.NoError(t, os.Remove(filepath.Join(directory, "manifest.json")))
			asked := len(gateway.paths)
			_, err = answers.Record(ctx, gateway, directory, options)
			require.NoError(t, err, name)
			require.Equal(t, want, crashtest.Tree(t, directory), name)
			again := []string{sidecar.BlockWeightPath(8)}
			if options.Segments {
				again = nil
			}
			require.ElementsMatch(t, again, gateway.weights(asked), name)
		}
	}
}

// A segment with the weights of blocks of which none are wanted is not one of these.
func TestBlockWeightsThatNobodyWants(t *testing.T) {
	ctx := context.Background()
	gateway := newCounting(9)
	options := answers.WithSegments(answers.RecordOptions{First: 6, Last: 9, BlockWeight: wanting}, 10)
	directory := recordedWith(t, gateway, options)
	require.NoError(t, os.Remove(filepath.Join(directory, "manifest.json")))
	options.BlockWeight = nil
	manifest, err := answers.Record(ctx, gateway, directory, options)
	require.NoError(t, err)
	require.Empty(t, manifest.BlockWeights)
	require.Equal(t, crashtest.Tree(t, recordedWith(t, gateway, options)), crashtest.Tree(t, directory))
}

// An archive that was made without them stays as it is: it is verified, read, served, and
// recorded again without a question.
func TestArchiveWithoutBlockWeights(t *testing.T) {
	ctx := context.Background()
	gateway := newCounting(9)
	options := answers.RecordOptions{First: 6, Last: 9}
	directory := recordedWith(t, gateway, options)
	want := crashtest.Tree(t, directory)
	require.NotContains(t, want["manifest.json"], "block_weights")
	_, err := answers.Verify(ctx, directory, nil)
	require.NoError(t, err)
	a := opened(t, directory)
	_, err = a.BlockWeight(ctx, 8)
	require.ErrorIs(t, err, chain.ErrNotOffered)
	require.NotErrorIs(t, err, answers.ErrDamaged)
	client, _ := served(t, a)
	_, err = client.BlockWeight(ctx, 8)
	require.ErrorIs(t, err, chain.ErrUnsupported)
	require.ErrorContains(t, err, `"system" was not recognized as a queryable pallet`)
	options.BlockWeight = wanting
	_, err = answers.Record(ctx, gone{}, directory, options)
	require.NoError(t, err)
	require.Equal(t, want, crashtest.Tree(t, directory))
}

// Which runtimes executed the blocks has to be known before the first of them is kept.
// Where the gateway has no runtimes at all, it is unknown whether the weights are needed.
func TestBlockWeightsWithoutARuntime(t *testing.T) {
	ctx := context.Background()
	for _, at := range []uint64{9, 7, 5} { // both ends, and one between that tells where it changed
		gateway := newCounting(9)
		path := fmt.Sprintf("/runtime/spec?at=%d", at)
		gateway.synthetic[path] = "x"
		directory := t.TempDir()
		_, err := answers.Record(ctx, gateway, directory, answers.RecordOptions{First: 6, Last: 9, BlockWeight: wanting})
		require.ErrorContains(t, err, path)
		require.Empty(t, crashtest.Tree(t, directory))
	}
	directory := recordedWith(t, chainTo(9, nil), answers.RecordOptions{First: 6, Last: 9, BlockWeight: wanting})
	require.NotContains(t, crashtest.Tree(t, directory)["manifest.json"], "block_weights")
}

// headed is a chain whose gateway says of what is after its head that there is no such
// block.
type headed struct{ counting }

func (h headed) Get(ctx context.Context, path string) (string, error) {
	text, err := h.counting.Get(ctx, path)
	if errors.Is(err, chain.ErrNotOffered) && strings.HasPrefix(path, "/runtime/spec?at=") {
		err = chain.ErrNoBlock
	}
	return text, err
}

// A range that ends after the head cannot be recorded yet. Nothing is kept of it that would
// be taken for whole later: plain files are completed, and segments are not begun.
func TestBlockWeightsAfterTheHead(t *testing.T) {
	ctx := context.Background()
	plain := answers.RecordOptions{First: 6, Last: 12, BlockWeight: wanting, ParameterKey: withKey}
	for _, options := range []answers.RecordOptions{plain, answers.WithSegments(plain, 2)} {
		directory := t.TempDir()
		_, err := answers.Record(ctx, headed{newCounting(10)}, directory, options)
		require.ErrorIs(t, err, chain.ErrNoBlock)
		require.Equal(t, !options.Segments, len(crashtest.Tree(t, directory)) > 0)
		_, err = answers.Record(ctx, headed{newCounting(12)}, directory, options)
		require.NoError(t, err)
		require.Equal(t, crashtest.Tree(t, recordedWith(t, newCounting(12), options)), crashtest.Tree(t, directory))
		_, err = opened(t, directory).BlockWeight(ctx, 6)
		require.NoError(t, err)
	}
}

// The real gateway's answers on a real runtime are read where they lie, served, and kept.
func TestRecordedBlockWeights(t *testing.T) {
	directory := pairs.Path(t, "moonbeam-2600", "gateway")
	ctx := context.Background()
	lie := opened(t, directory)
	gateway, _ := served(t, lie)
	plain := answers.RecordOptions{First: 0, Last: 27, BlockWeight: func(r chain.AtBlock[chain.Runtime]) bool { return r.Value.SpecVersion == 2600 }}
	for _, options := range []answers.RecordOptions{plain, answers.WithSegments(plain, 10)} {
		copied := opened(t, recordedWith(t, gateway, options))
		client, _ := served(t, copied)
		total := uint64(0)
		for at := range uint64(28) {
			text, err := os.ReadFile(filepath.Join(directory, "block-weight", fmt.Sprint(at)+".json"))
			require.NoError(t, err)
			for _, a := range []*answers.Archive{lie, copied} {
				require.Equal(t, string(text), body(t, get(a, http.MethodGet, sidecar.BlockWeightPath(at))))
			}
			want, err := lie.BlockWeight(ctx, at)
			require.NoError(t, err)
			have, err := client.BlockWeight(ctx, at)
			require.NoError(t, err)
			require.Equal(t, want, have)
			total += have.Value.Normal.RefTime.Uint64()
		}
		// Summed up with another program, from the files.
		require.Equal(t, uint64(466_975_811_848), total)
	}
}
