package answers_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/archive/demo"
	"github.com/feeledger/fees/internal/httpclient"
)

const recordings = "../../../testdata/recordings"

// The demo has what the recordings have, byte for byte.
func TestDemo(t *testing.T) {
	ctx := context.Background()
	directory, err := answers.OpenDirectory(filepath.Join(recordings, "moonbeam-2100"))
	require.NoError(t, err)
	for height := range uint64(28) {
		want, err := directory.Block(ctx, height)
		require.NoError(t, err)
		got, err := demo.Open().Block(ctx, height)
		require.NoError(t, err)
		require.Equal(t, want, got)
		wantMultiplier, err := directory.Multiplier(ctx, height)
		require.NoError(t, err)
		multiplier, err := demo.Open().Multiplier(ctx, height)
		require.NoError(t, err)
		require.Equal(t, wantMultiplier, multiplier)
	}
	runtime, err := demo.Open().Runtime(ctx, 3)
	require.NoError(t, err)
	require.Equal(t, "moonbeam", runtime.Value.SpecName)
	require.Equal(t, uint32(2100), runtime.Value.SpecVersion)
	node, err := demo.Open().NodeVersion(ctx)
	require.NoError(t, err)
	require.Equal(t, "moonbeam", node.ClientImplName)
}

func TestHeadAndHash(t *testing.T) {
	ctx := context.Background()
	head, err := demo.Open().Head(ctx, false)
	require.NoError(t, err)
	require.Equal(t, uint64(27), head.Number)
	b, err := demo.Open().BlockByHash(ctx, head.ParentHash)
	require.NoError(t, err)
	require.Equal(t, uint64(26), b.Number)
	_, err = demo.Open().BlockByHash(ctx, chain.Hash{})
	require.ErrorIs(t, err, answers.ErrLacks)
	stopped, stop := context.WithCancel(ctx)
	stop()
	_, err = demo.Open().BlockByHash(stopped, chain.Hash{})
	require.ErrorIs(t, err, context.Canceled)
}

const (
	hash1 = `"0x1111111111111111111111111111111111111111111111111111111111111111"`
	block = `{"number":"7","hash":` + hash1 + `,"parentHash":` + hash1 + `,"extrinsics":[]}`
)

func with(files map[string]string) *answers.Archive {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return answers.New("test", all)
}

func TestLacksAndDamaged(t *testing.T) {
	ctx := context.Background()
	blockOf := func(a *answers.Archive) error { _, err := a.Block(ctx, 7); return err }
	headOf := func(a *answers.Archive) error { _, err := a.Head(ctx, false); return err }
	hashOf := func(a *answers.Archive) error { _, err := a.BlockByHash(ctx, chain.Hash{}); return err }
	multiplierOf := func(a *answers.Archive) error { _, err := a.Multiplier(ctx, 7); return err }
	runtimeOf := func(a *answers.Archive) error { _, err := a.Runtime(ctx, 7); return err }
	nodeOf := func(a *answers.Archive) error { _, err := a.NodeVersion(ctx); return err }
	governed := newGoverned(8).synthetic[sidecar.ProportionPath(parameterKey, 8)]
	proportionOf := func(a *answers.Archive) error { _, err := a.FeesTreasuryProportion(ctx, parameterKey, 7); return err }
	weightOf7 := func(a *answers.Archive) error { _, err := a.BlockWeight(ctx, 7); return err }
	for name, c := range map[string]struct {
		files map[string]string
		ask   func(*answers.Archive) error
		want  error
		says  string
	}{
		"no such block":           {map[string]string{"blocks/9.json": block}, blockOf, answers.ErrLacks, "test: blocks/7.json: the archive lacks it; it contains blocks 9 to 9"},
		"no blocks at all":        {map[string]string{"blocks/x.json": block, "blocks/07.json": block, "blocks/8.txt": block}, headOf, answers.ErrLacks, "no <height>.json"},
		"no directory of blocks":  {nil, headOf, answers.ErrDamaged, "test: blocks: "},
		"no hash in no blocks":    {nil, hashOf, answers.ErrDamaged, "test: blocks: "},
		"another block":           {map[string]string{"blocks/7.json": `{"number":"8"` + block[len(`{"number":"7"`):]}, blockOf, answers.ErrDamaged, "blocks/7.json: the archive is damaged: the file contains block 8"},
		"half a block":            {map[string]string{"blocks/7.json": block[:50]}, blockOf, answers.ErrDamaged, "the text ends too early"},
		"damaged while searching": {map[string]string{"blocks/7.json": "x"}, hashOf, answers.ErrDamaged, "blocks/7.json"},
		"no hash, some damaged":   {map[string]string{"blocks/7.json": "x", "blocks/8.json": `{"number":"8"` + block[len(`{"number":"7"`):]}, hashOf, answers.ErrDamaged, "blocks/7.json"},
		"no multiplier":           {nil, multiplierOf, answers.ErrLacks, "multiplier/7.json"},
		"multiplier elsewhere":    {map[string]string{"multiplier/7.json": `{"at":{"height":"8"},"value":"1"}`}, multiplierOf, answers.ErrDamaged, "the answer is for block 8"},
		"no runtime spec":         {nil, runtimeOf, chain.ErrNotOffered, "runtime-spec.json"},
		"runtime of other height": {map[string]string{"runtime-spec/8.json": "{}"}, runtimeOf, answers.ErrLacks, "runtime-spec/7.json"},
		"runtime at other height": {map[string]string{"runtime-spec/7.json": `{"at":{"height":8},"specName":"m","specVersion":1}`}, runtimeOf, answers.ErrDamaged, "the answer is for block 8"},
		"runtime malformed":       {map[string]string{"runtime-spec.json": `{}`}, runtimeOf, answers.ErrDamaged, "at.height: missing"},
		"no node version":         {nil, nodeOf, chain.ErrNotOffered, "node-version.json"},
		"node version malformed":  {map[string]string{"node-version.json": `[]`}, nodeOf, answers.ErrDamaged, "want an object"},
		"a directory for a node":  {map[string]string{"node-version.json/x": ""}, nodeOf, answers.ErrDamaged, "not a regular file"},
		"parameter elsewhere":     {map[string]string{"parameters/7.json": governed}, proportionOf, answers.ErrDamaged, "parameters/7.json: the archive is damaged: the answer is for block 8"},
		"parameter malformed":     {map[string]string{"parameters/7.json": "x"}, proportionOf, answers.ErrDamaged, "parameters/7.json"},
		"no weights at all":       {map[string]string{"blocks/7.json": block}, weightOf7, chain.ErrNotOffered, "test: block-weight/7.json: "},
		"no such weight":          {map[string]string{"block-weight/8.json": weightOf(8)}, weightOf7, answers.ErrLacks, "block-weight/7.json"},
		"weight elsewhere":        {map[string]string{"block-weight/7.json": weightOf(8)}, weightOf7, answers.ErrDamaged, "block-weight/7.json: the archive is damaged: the answer is for block 8"},
		"weight malformed":        {map[string]string{"block-weight/7.json": "x"}, weightOf7, answers.ErrDamaged, "block-weight/7.json"},
		"a directory for a file":  {map[string]string{"blocks/7.json/x": ""}, blockOf, answers.ErrDamaged, "not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.ask(with(c.files))
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestRuntimeForAllHeights(t *testing.T) {
	ctx := context.Background()
	spec := `{"at":{"height":"51"},"specName":"moonbeam","specVersion":"2100"}`
	for _, at := range []uint64{0, 24, 51, 1000} {
		r, err := with(map[string]string{"runtime-spec.json": spec}).Runtime(ctx, at)
		require.NoError(t, err)
		require.Equal(t, uint32(2100), r.Value.SpecVersion)
	}
	// The files by height go before the one for all.
	r, err := with(map[string]string{
		"runtime-spec.json":    spec,
		"runtime-spec/24.json": `{"at":{"height":24},"specName":"moonbeam","specVersion":2201}`,
	}).Runtime(ctx, 24)
	require.NoError(t, err)
	require.Equal(t, uint32(2201), r.Value.SpecVersion)
}

// A damaged block does not keep others from being found.
func TestHashBesideDamage(t *testing.T) {
	hash, err := chain.ParseHash(hash1[1 : len(hash1)-1])
	require.NoError(t, err)
	b, err := with(map[string]string{"blocks/7.json": block, "blocks/8.json": "x"}).BlockByHash(context.Background(), hash)
	require.NoError(t, err)
	require.Equal(t, uint64(7), b.Number)
}

// A runtime spec that is there and cannot be read is not taken for none: another
// table would price the block.
func TestUnreadableRuntime(t *testing.T) {
	directory := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(directory, "blocks"), 0o755))
	loop := filepath.Join(directory, "runtime-spec.json")
	require.NoError(t, os.Symlink(loop, loop))
	a, err := answers.OpenDirectory(directory)
	require.NoError(t, err)
	_, err = a.Runtime(context.Background(), 7)
	require.ErrorIs(t, err, answers.ErrDamaged)
}

// A directory cannot make the program wait or fill its memory.
func TestHostileDirectory(t *testing.T) {
	ctx := context.Background()
	directory := t.TempDir()
	_, err := answers.OpenDirectory(directory)
	require.ErrorIs(t, err, answers.ErrLacks)
	require.NoError(t, os.Mkdir(filepath.Join(directory, "blocks"), 0o755))
	a, err := answers.OpenDirectory(directory)
	require.NoError(t, err)

	require.NoError(t, syscall.Mkfifo(filepath.Join(directory, "blocks", "1.json"), 0o644))
	done := make(chan error, 1)
	go func() { _, err := a.Block(ctx, 1); done <- err }()
	select {
	case err := <-done:
		require.ErrorIs(t, err, answers.ErrDamaged)
	case <-time.After(time.Minute):
		t.Fatal("waits for a pipe")
	}

	huge := filepath.Join(directory, "blocks", "2.json")
	require.NoError(t, os.WriteFile(huge, nil, 0o644))
	require.NoError(t, os.Truncate(huge, httpclient.DefaultMaxAnswer+1))
	_, err = a.Block(ctx, 2)
	require.ErrorIs(t, err, answers.ErrDamaged)
	require.ErrorContains(t, err, "larger than any answer should be")
}

// An answer that is larger than is asked for is not read, in plain files and in segments.
func TestAnswersThatAreTooLarge(t *testing.T) {
	gateway := chainTo(9, map[uint64]int{0: 1})
	for name, o := range map[string]answers.RecordOptions{
		"plain": {First: 2, Last: 8}, "segments": answers.WithSegments(answers.RecordOptions{First: 2, Last: 8}, 4),
	} {
		a := opened(t, recordedWith(t, gateway, o))
		size := len(gateway["/blocks/5"])
		_, err := a.Block(httpclient.WithMaxAnswer(context.Background(), size), 5)
		require.NoError(t, err, name)
		_, err = a.Block(httpclient.WithMaxAnswer(context.Background(), size-1), 5)
		require.ErrorIs(t, err, httpclient.ErrTooLarge, name)
		require.ErrorContains(t, err, "blocks/5.json", name)
		require.NotErrorIs(t, err, answers.ErrDamaged, name)
	}
}

// failing has a file that is there and cannot be read.
type failing struct{ fstest.MapFS }

func (f failing) Open(name string) (fs.File, error) { return nil, errors.New("disk on fire") }

func TestUnreadable(t *testing.T) {
	a := answers.New("test", failing{fstest.MapFS{"blocks/7.json": &fstest.MapFile{Data: []byte(block)}}})
	_, err := a.Block(context.Background(), 7)
	require.ErrorIs(t, err, answers.ErrDamaged)
	require.ErrorContains(t, err, "disk on fire")
}

// A range that begins later than the blocks leaves those before it to be read.
func TestStartAt(t *testing.T) {
	first, last, err := demo.Open().Range()
	require.NoError(t, err)
	require.Equal(t, []uint64{3, 27}, []uint64{first, last})
	kept, err := demo.Open().Kept()
	require.NoError(t, err)
	require.Equal(t, chain.Heights{First: 3, Last: 27}, kept)
	for height := range uint64(3) {
		b, err := demo.Open().Block(t.Context(), height)
		require.NoError(t, err)
		byHash, err := demo.Open().BlockByHash(t.Context(), b.Hash)
		require.NoError(t, err)
		require.Equal(t, height, byHash.Number)
	}
}
