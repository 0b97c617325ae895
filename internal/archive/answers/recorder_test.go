package answers_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/test/crashtest"
	"github.com/feeledger/fees/internal/test/tier"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/archive/demo"
	"github.com/feeledger/fees/internal/httpclient"
)

const payer = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"

func account(t testing.TB) chain.Address {
	a, err := chain.ParseAddress(payer)
	require.NoError(t, err)
	return a
}

// served is a client of a gateway over an archive, and the paths it was asked.
func served(t testing.TB, a *answers.Archive) (*gatewayclient.Client, *asked) {
	var seen asked
	handler := answers.Handler(a)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.add(r.URL.RequestURI())
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	client, err := gatewayclient.New(server.URL, gatewayclient.Options{})
	require.NoError(t, err)
	return client, &seen
}

type asked struct {
	sync.Mutex
	paths []string
}

func (a *asked) add(path string) {
	a.Lock()
	defer a.Unlock()
	a.paths = append(a.paths, path)
}

func moonbeam(t testing.TB) *answers.Archive {
	a, err := answers.OpenDirectory(filepath.Join(recordings, "moonbeam-2100"))
	require.NoError(t, err)
	return a
}

// What is recorded from a served archive is what was recorded from the real
// gateway, to the byte, and the same each time.
func TestRecord(t *testing.T) {
	ctx := context.Background()
	gateway, seen := served(t, moonbeam(t))
	directory := t.TempDir()
	var done []uint64
	options := answers.RecordOptions{First: 3, Last: 20, Accounts: []chain.Address{account(t), account(t)}, Progress: func(n, total uint64) {
		require.Equal(t, uint64(18), total)
		done = append(done, n)
	}}
	manifest, err := answers.Record(ctx, gateway, directory, options)
	require.NoError(t, err)
	require.Len(t, done, 18)
	require.True(t, slices.IsSorted(done))
	require.Equal(t, []string{payer}, manifest.Accounts)
	require.Equal(t, "0x6d6f68d649785c7f44d17635e194485a742c0f60af046b90732d1b67f3c1d596", manifest.LastHash)

	files := crashtest.Tree(t, directory)
	require.Len(t, files, 18*4+2+1+1) // with the base's multiplier and runtime, the node and the manifest
	require.Contains(t, files, "runtime-spec/2.json")
	original := crashtest.Tree(t, filepath.Join(recordings, "moonbeam-2100"))
	for path, text := range files {
		if path != "manifest.json" && path != "runtime-spec/2.json" {
			require.Equal(t, original[path], text, path)
		}
	}
	verified, err := answers.Verify(ctx, directory, nil)
	require.NoError(t, err)
	require.Equal(t, manifest, verified)

	// Again: nothing is asked.
	asked := len(seen.paths)
	again, err := answers.Record(ctx, gateway, directory, options)
	require.NoError(t, err)
	require.Equal(t, manifest, again)
	require.Len(t, seen.paths, asked)

	// From its own copy, one block at a time: the same bytes.
	copied, err := answers.OpenDirectory(directory)
	require.NoError(t, err)
	second, _ := served(t, copied)
	other := t.TempDir()
	options.Concurrency = 1
	_, err = answers.Record(ctx, second, other, options)
	require.NoError(t, err)
	require.Equal(t, files, crashtest.Tree(t, other))

	// Of another range or account: not into this directory.
	_, err = answers.Record(ctx, gateway, directory, answers.RecordOptions{First: 3, Last: 21})
	require.ErrorContains(t, err, "already contains blocks 3 to 20 with the balances of 1 accounts. Record into another directory.")
}

// An archive answers as its source does.
func TestReadRecorded(t *testing.T) {
	ctx := context.Background()
	gateway, _ := served(t, moonbeam(t))
	directory := t.TempDir()
	_, err := answers.Record(ctx, gateway, directory, answers.RecordOptions{First: 3, Last: 6})
	require.NoError(t, err)
	a, err := answers.OpenDirectory(directory)
	require.NoError(t, err)
	first, last, err := a.Range()
	require.NoError(t, err)
	require.Equal(t, []uint64{3, 6}, []uint64{first, last})
	for at := uint64(2); at <= 6; at++ {
		r, err := a.Runtime(ctx, at)
		require.NoError(t, err)
		require.Equal(t, []any{uint32(2100), at}, []any{r.Value.SpecVersion, r.At})
		m, err := a.Multiplier(ctx, at)
		require.NoError(t, err)
		require.Equal(t, at, m.At)
	}
	for _, at := range []uint64{1, 7} {
		_, err = a.Runtime(ctx, at)
		require.ErrorIs(t, err, answers.ErrLacks)
	}
	head, err := a.Head(ctx, false)
	require.NoError(t, err)
	require.Equal(t, uint64(6), head.Number)

	// What the manifest does not list is not there, and what was changed is damaged.
	require.NoError(t, os.WriteFile(filepath.Join(directory, "multiplier/1.json"), []byte("{}"), 0o644))
	_, err = a.Multiplier(ctx, 1)
	require.ErrorIs(t, err, answers.ErrLacks)
	path := filepath.Join(directory, "multiplier/5.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), `"value":"99`, `"value":"98`, 1)), 0o644))
	_, err = a.Multiplier(ctx, 5)
	require.ErrorIs(t, err, answers.ErrDamaged)
	require.ErrorContains(t, err, "multiplier/5.json")
	require.NoError(t, os.Remove(path))
	_, err = a.Multiplier(ctx, 5)
	require.ErrorIs(t, err, answers.ErrDamaged)
	require.ErrorContains(t, err, "the file is in the manifest but missing")
	require.NoError(t, os.Mkdir(path, 0o755))
	_, err = a.Multiplier(ctx, 5)
	require.ErrorContains(t, err, "not a regular file")
	require.NoError(t, os.WriteFile(filepath.Join(directory, "manifest.json"), []byte("{}"), 0o644))
	_, err = answers.OpenDirectory(directory)
	require.ErrorIs(t, err, answers.ErrDamaged)
}

// synthetic is a gateway with the answers of a chain of empty blocks.
type synthetic map[string]string

func (s synthetic) Get(_ context.Context, path string) (string, error) {
	if text, ok := s[path]; ok {
		return text, nil
	}
	if strings.HasPrefix(path, "/blocks/") {
		return "", chain.ErrNoBlock
	}
	return "", chain.ErrNotOffered
}

// partial is a chain whose gateway does not know the pallets of the answers that it lacks.
type partial struct{ synthetic }

func (p partial) Get(ctx context.Context, path string) (string, error) {
	text, err := p.synthetic.Get(ctx, path)
	if errors.Is(err, chain.ErrNotOffered) && strings.HasPrefix(path, "/pallets/") {
		err = fmt.Errorf("%w: status 400", chain.ErrUnsupported)
	}
	return text, err
}

func hashOf(n uint64) string { return fmt.Sprintf("0x%064d", n+1) }

// chainTo has blocks 0 to last; from each height in runtimes on, that runtime.
func chainTo(last uint64, runtimes map[uint64]int) synthetic {
	s := synthetic{"/node/version": `{"chain":"moonbeam"}`, "/": `{"version":"18.0.0"}`}
	version := 0
	for n := range last + 1 {
		parent := hashOf(max(n, 1) - 1)
		at := fmt.Sprintf(`{"height":"%d","hash":"%s"}`, n, hashOf(n))
		s[fmt.Sprintf("/blocks/%d", n)] = fmt.Sprintf(` {"number":"%d","hash":"%s","parentHash":"%s","extrinsics":[],"finalized":true} `, n, hashOf(n), parent)
		s[fmt.Sprintf("/blocks/%d/header", n)] = fmt.Sprintf(`{"number":"%d","parentHash":"%s","stateRoot":"%s","extrinsicsRoot":"%s"}`, n, parent, parent, parent)
		s[fmt.Sprintf("/pallets/transaction-payment/storage/nextFeeMultiplier?at=%d", n)] = fmt.Sprintf(`{"at":%s,"value":"%d"}`, at, n)
		if v, ok := runtimes[n]; ok {
			version = v
		}
		if len(runtimes) > 0 {
			s[fmt.Sprintf("/runtime/spec?at=%d", n)] = fmt.Sprintf(`{"at":%s,"specName":"moonbeam","specVersion":"%d"}`, at, version)
		}
	}
	return s
}

func TestRuntimeChanges(t *testing.T) {
	ctx := context.Background()
	gateway := chainTo(9, map[uint64]int{0: 1, 4: 2, 7: 3})
	directory := t.TempDir()
	manifest, err := answers.Record(ctx, gateway, directory, answers.RecordOptions{First: 2, Last: 8})
	require.NoError(t, err)
	require.Equal(t, "18.0.0", manifest.GatewayVersion)
	files := crashtest.Tree(t, directory)
	require.Equal(t, []string{"runtime-spec/1.json", "runtime-spec/4.json", "runtime-spec/7.json"},
		slices.Sorted(maps.Keys(only(files, "runtime-spec/"))))
	require.Equal(t, gateway["/blocks/5"], files["blocks/5.json"]) // its white space too
	a, err := answers.OpenDirectory(directory)
	require.NoError(t, err)
	for at, want := range map[uint64]uint32{1: 1, 2: 1, 3: 1, 4: 2, 6: 2, 7: 3, 8: 3} {
		r, err := a.Runtime(ctx, at)
		require.NoError(t, err)
		require.Equal(t, want, r.Value.SpecVersion, at)
	}

	// From a copy that is served: the same.
	client, _ := served(t, a)
	other := t.TempDir()
	_, err = answers.Record(ctx, client, other, answers.RecordOptions{First: 2, Last: 8})
	require.NoError(t, err)
	require.Equal(t, files, crashtest.Tree(t, other))

	// A runtime that is lost is found again.
	require.NoError(t, os.Remove(filepath.Join(directory, "runtime-spec/4.json")))
	_, err = answers.Record(ctx, gateway, directory, answers.RecordOptions{First: 2, Last: 8})
	require.NoError(t, err)
	require.Equal(t, files, crashtest.Tree(t, directory))

	// One too many is not taken, with a manifest or without.
	require.NoError(t, os.WriteFile(filepath.Join(directory, "runtime-spec/5.json"), []byte(gateway["/runtime/spec?at=5"]), 0o644))
	_, err = answers.Record(ctx, gateway, directory, answers.RecordOptions{First: 2, Last: 8})
	require.ErrorContains(t, err, "runtime-spec/5.json does not belong to an archive of these blocks")
	require.NoError(t, os.Remove(filepath.Join(directory, "manifest.json")))
	_, err = answers.Record(ctx, gateway, directory, answers.RecordOptions{First: 2, Last: 8})
	require.ErrorContains(t, err, "runtime-spec/5.json does not belong to an archive of these blocks")
}

// Where the gateway cannot tell the runtime of a height between two others, it is not known
// where the runtime changed: nothing is made of that.
func TestARuntimeThatCannotBeFound(t *testing.T) {
	gateway := chainTo(9, map[uint64]int{0: 1, 4: 2})
	path := "/runtime/spec?at=4" // between 1 and 8
	delete(gateway, path)
	_, err := answers.Record(context.Background(), gateway, t.TempDir(), answers.RecordOptions{First: 2, Last: 8})
	require.ErrorIs(t, err, chain.ErrNotOffered)
	require.ErrorContains(t, err, path)
}

func only(files map[string]string, prefix string) map[string]string {
	files = maps.Clone(files)
	maps.DeleteFunc(files, func(path, _ string) bool { return !strings.HasPrefix(path, prefix) })
	return files
}

// From block 0, which has no parent; and of a gateway with fewer endpoints.
func TestRecordFromTheFirstBlock(t *testing.T) {
	ctx := context.Background()
	for name, gateway := range map[string]synthetic{"all": chainTo(3, map[uint64]int{0: 1}), "few": chainTo(3, nil)} {
		if name == "few" {
			delete(gateway, "/node/version")
			delete(gateway, "/")
		}
		directory := t.TempDir()
		_, err := answers.Record(ctx, gateway, directory, answers.RecordOptions{First: 0, Last: 3})
		require.NoError(t, err)
		a, err := answers.OpenDirectory(directory)
		require.NoError(t, err)
		_, noRuntime := a.Runtime(ctx, 0)
		_, noNode := a.NodeVersion(ctx)
		if name == "few" {
			require.ErrorIs(t, noRuntime, chain.ErrNotOffered)
			require.ErrorIs(t, noNode, chain.ErrNotOffered)
			client, _ := served(t, a)
			_, err = client.Runtime(ctx, 1)
			require.ErrorIs(t, err, chain.ErrNotOffered)
			_, err = client.NodeVersion(ctx)
			require.ErrorIs(t, err, chain.ErrNotOffered)
		} else {
			require.NoError(t, noRuntime)
			require.NoError(t, noNode)
		}
	}
}

// What does not hold is not kept, and the error names it.
func TestRecordRefuses(t *testing.T) {
	multiplier := "/pallets/transaction-payment/storage/nextFeeMultiplier?at="
	balance := fmt.Sprintf("/accounts/%s/balance-info?at=5", strings.ToLower(payer))
	otherHash := strings.NewReplacer(hashOf(8), hashOf(97), hashOf(5), hashOf(99), hashOf(4), hashOf(98))
	for name, c := range map[string]struct {
		change func(synthetic)
		want   error
		says   string
	}{
		"a broken chain": {func(s synthetic) {
			s["/blocks/5"] = strings.ReplaceAll(s["/blocks/5"], hashOf(4), hashOf(77))
			s["/blocks/5/header"] = strings.Replace(s["/blocks/5/header"], hashOf(4), hashOf(77), 1)
		}, chain.ErrWrongBlock, "block 5: the response is for a different block: its parent is " + hashOf(77)},
		"another block":   {func(s synthetic) { s["/blocks/5"] = s["/blocks/4"] }, chain.ErrWrongBlock, "/blocks/5: the response is for a different block: got block 4, want 5"},
		"perhaps final":   {func(s synthetic) { s["/blocks/5"] = strings.Replace(s["/blocks/5"], `,"finalized":true`, "", 1) }, archive.ErrFinalityUnknown, "/blocks/5"},
		"not final":       {func(s synthetic) { s["/blocks/5"] = strings.Replace(s["/blocks/5"], "true", "false", 1) }, archive.ErrNotFinal, "/blocks/5"},
		"not a block":     {func(s synthetic) { s["/blocks/5"] = "{}" }, nil, "malformed block"},
		"no such block":   {func(s synthetic) { delete(s, "/blocks/5") }, chain.ErrNoBlock, "/blocks/5: no such block"},
		"other header":    {func(s synthetic) { s["/blocks/5/header"] = s["/blocks/4/header"] }, chain.ErrWrongBlock, "/blocks/5/header"},
		"no header":       {func(s synthetic) { delete(s, "/blocks/5/header") }, chain.ErrNoBlock, "/blocks/5/header"},
		"multiplier":      {func(s synthetic) { s[multiplier+"5"] = otherHash.Replace(s[multiplier+"5"]) }, chain.ErrWrongBlock, multiplier + "5"},
		"base multiplier": {func(s synthetic) { s[multiplier+"2"] = s[multiplier+"3"] }, chain.ErrWrongBlock, multiplier + "2"},
		"runtime":         {func(s synthetic) { s["/runtime/spec?at=8"] = otherHash.Replace(s["/runtime/spec?at=8"]) }, chain.ErrWrongBlock, "/runtime/spec?at=8"},
		"base runtime": {func(s synthetic) {
			s["/runtime/spec?at=2"] = strings.Replace(s["/runtime/spec?at=2"], hashOf(2), hashOf(77), 1)
		}, chain.ErrWrongBlock, "/runtime/spec?at=2"},
		"bad base runtime": {func(s synthetic) { s["/runtime/spec?at=2"] = "{}" }, nil, "/runtime/spec?at=2: malformed runtime spec"},
		"lost runtime":     {func(s synthetic) { delete(s, "/runtime/spec?at=8") }, chain.ErrNotOffered, "/runtime/spec?at=8"},
		"changed runtime": {func(s synthetic) {
			for n := 5; n <= 8; n++ {
				path := fmt.Sprintf("/runtime/spec?at=%d", n)
				s[path] = strings.Replace(s[path], `"specVersion":"1"`, `"specVersion":"2"`, 1)
			}
			s["/runtime/spec?at=5"] = otherHash.Replace(s["/runtime/spec?at=5"])
		}, chain.ErrWrongBlock, "/runtime/spec?at=5"},
		"lost in between": {func(s synthetic) {
			s["/runtime/spec?at=8"] = strings.Replace(s["/runtime/spec?at=8"], `"specVersion":"1"`, `"specVersion":"2"`, 1)
			delete(s, "/runtime/spec?at=5")
		}, chain.ErrNotOffered, "/runtime/spec?at=5"},
		"no balance": {func(s synthetic) { delete(s, balance) }, chain.ErrNotOffered, balance},
		"balance of a fork": {func(s synthetic) {
			s[balance] = strings.Replace(s[balance], hashOf(5), hashOf(99), 1)
		}, chain.ErrWrongBlock, balance + ": the response is for a different block: got block " + hashOf(99) + ", want " + hashOf(5)},
		"balance of a height": {func(s synthetic) {
			s[balance] = strings.Replace(s[balance], `"height":5`, `"height":4`, 1)
		}, chain.ErrWrongBlock, balance + ": the response is for a different block: got block 4, want 5"},
		"node": {func(s synthetic) { s["/node/version"] = "[]" }, nil, "/node/version: malformed node version"},
	} {
		t.Run(name, func(t *testing.T) {
			gateway := chainTo(9, map[uint64]int{0: 1})
			for n := range 10 {
				gateway[fmt.Sprintf("/accounts/%s/balance-info?at=%d", strings.ToLower(payer), n)] = fmt.Sprintf(`{"at":{"height":%d,"hash":"%s"},"nonce":"1","free":"2","reserved":"0"}`, n, hashOf(uint64(n)))
			}
			c.change(gateway)
			directory := t.TempDir()
			options := answers.RecordOptions{First: 3, Last: 8, Accounts: []chain.Address{account(t)}}
			_, err := answers.Record(context.Background(), gateway, directory, options)
			require.ErrorContains(t, err, c.says)
			if c.want != nil {
				require.ErrorIs(t, err, c.want)
			}
			require.NotContains(t, err.Error(), "\n")
			require.NoFileExists(t, filepath.Join(directory, "manifest.json"))
			require.NoDirExists(t, filepath.Join(directory, "runtime-spec"))
			if !strings.Contains(name, "runtime") && name != "lost in between" {
				require.NoFileExists(t, filepath.Join(directory, "blocks/5.json"))
			}
			segments := t.TempDir()
			_, other := answers.Record(context.Background(), gateway, segments, answers.WithSegments(options, 10))
			require.EqualError(t, other, err.Error())
			require.Empty(t, only(crashtest.Tree(t, segments), "manifest"))
			for path := range only(crashtest.Tree(t, segments), "segments/") {
				require.True(t, strings.HasSuffix(path, ".tmp"), path)
			}
		})
	}
}

// unreachable has no root.
type unreachable struct{ synthetic }

func (u unreachable) Get(ctx context.Context, path string) (string, error) {
	if path == "/" {
		return "", &httpclient.UnreachableError{Place: httpclient.Place{What: httpclient.Gateway, Address: "http://localhost"}, Err: errors.New("gone")}
	}
	return u.synthetic.Get(ctx, path)
}

func TestRecordStops(t *testing.T) {
	gateway := chainTo(9, nil)
	_, err := answers.Record(context.Background(), unreachable{gateway}, t.TempDir(), answers.RecordOptions{First: 3, Last: 8})
	require.ErrorContains(t, err, "gone")
	ctx, stop := context.WithCancel(context.Background())
	_, err = answers.Record(ctx, gateway, t.TempDir(), answers.RecordOptions{First: 1, Last: 9, Concurrency: 2, Progress: func(done, _ uint64) {
		if done == 3 {
			stop()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	_, err = answers.Record(context.Background(), gateway, t.TempDir(), answers.RecordOptions{First: 3, Last: 2})
	require.ErrorContains(t, err, "ends before it begins")
	_, err = answers.Record(context.Background(), gateway, t.TempDir(), answers.RecordOptions{First: 0, Last: 1<<64 - 1})
	require.ErrorContains(t, err, "exceed the limit of 50000 segments in an archive; record 49999000 blocks at a time")
	_, err = answers.Record(context.Background(), gateway, t.TempDir(), answers.RecordOptions{First: 999, Last: 50_000_000})
	require.ErrorContains(t, err, "record 49999000 blocks at a time")
	accounts := make([]chain.Address, 101)
	for i := range accounts {
		accounts[i] = chain.Address20([20]byte{byte(i)})
	}
	_, err = answers.Record(context.Background(), gateway, t.TempDir(), answers.RecordOptions{First: 0, Last: 3, Accounts: accounts})
	require.ErrorContains(t, err, "101 accounts exceed the limit of 100")
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	_, err = answers.Record(context.Background(), gateway, file, answers.RecordOptions{First: 3, Last: 4})
	require.Error(t, err)
}

// A directory with anything else in it stays unchanged.
func TestRecordBesideOthers(t *testing.T) {
	for _, path := range []string{"notes.txt", "blocks/9.json", "blocks/3.json.tmp", "runtime-spec.json"} {
		directory := t.TempDir()
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(directory, path)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(directory, path), []byte("mine"), 0o644))
		_, err := answers.Record(context.Background(), chainTo(9, nil), directory, answers.RecordOptions{First: 3, Last: 8})
		require.ErrorContains(t, err, path+" does not belong to an archive of these blocks and accounts")
		require.Equal(t, map[string]string{path: "mine"}, crashtest.Tree(t, directory))
	}
}

var errKilled = errors.New("killed")

// A recorder that is killed at any step, and started again, leaves the archive that it would have left; also when it is
// killed again.
func TestRecordKilled(t *testing.T) {
	ctx := context.Background()
	segments := answers.WithSegments
	plain := answers.RecordOptions{First: 3, Last: 5, Concurrency: 2}
	longer := answers.RecordOptions{First: 3, Last: 8, Concurrency: 2}
	parameters := answers.RecordOptions{First: 6, Last: 9, Concurrency: 2, ParameterKey: withKey}
	weights := answers.RecordOptions{First: 4, Last: 8, Concurrency: 2, BlockWeight: wanting}
	for name, c := range map[string]struct {
		gateway answers.Answers
		options answers.RecordOptions
		every   int // which steps
	}{
		"plain":                  {chainTo(9, map[uint64]int{0: 1, 4: 2}), plain, tier.Step(3)},
		"segments":               {chainTo(9, map[uint64]int{0: 1, 4: 2}), segments(longer, 3), 1},
		"parameters":             {newGoverned(9), parameters, 7},
		"parameters in segments": {newGoverned(9), segments(parameters, 2), 7},
		"weights":                {newCounting(9), weights, 5},
		"weights in segments":    {newCounting(9), segments(weights, 2), 5},
	} {
		t.Run(name, func(t *testing.T) {
			whole, steps := t.TempDir(), 0
			_, err := answers.RecordWith(ctx, func(string) error { steps++; return nil }, c.gateway, whole, c.options)
			require.NoError(t, err)
			want := crashtest.Tree(t, whole)
			require.Equal(t, 4*len(want), steps)
			for kill := 0; kill < steps; kill += c.every {
				directory := t.TempDir()
				for _, after := range []int{kill, 3} {
					_, err = answers.RecordWith(ctx, killedAfter(after), c.gateway, directory, c.options)
					if err != nil {
						require.ErrorIs(t, err, errKilled)
						require.NoFileExists(t, filepath.Join(directory, "manifest.json"))
					}
				}
				_, err = answers.Record(ctx, c.gateway, directory, c.options)
				require.NoError(t, err)
				require.Equal(t, want, crashtest.Tree(t, directory), "killed after step %d", kill)
			}
		})
	}
}

// killedAfter permits a number of steps, and none after.
func killedAfter(steps int) func(string) error {
	made := 0
	return func(string) error {
		if made++; made > steps {
			return errKilled
		}
		return nil
	}
}

// An optional answer that is not the one that was requested is not kept.
func TestOptionalAnswersThatAreRefused(t *testing.T) {
	options := answers.RecordOptions{First: 6, Last: 9, ParameterKey: withKey, BlockWeight: wanting, BaseFeeItem: withItem}
	another := func(old, now string) func(string) string {
		return func(text string) string { return strings.Replace(text, old, now, 1) }
	}
	changes := map[string]func(text string) string{
		"another height":   another(`"height":"8"`, `"height":"7"`),
		"another fork":     another(hashOf(8), hashOf(99)),
		"nothing":          func(string) string { return "" },
		"parameters key":   another("0x0004", "0x0003"),
		"parameters field": another("feesTreasuryProportion", "other"),
		"weights class":    another("operational", "other"),
		"weights null":     func(string) string { return `{"at":{"height":"8"},"value":null}` },
	}
	for kind, c := range map[string]struct {
		gateway func() synthetic
		path    string
	}{
		"parameters": {func() synthetic { return newGoverned(9).synthetic }, sidecar.ProportionPath(parameterKey, 8)},
		"weights":    {func() synthetic { return newCounting(9).synthetic }, sidecar.BlockWeightPath(8)},
		"base fees":  {func() synthetic { return newStoring(9).synthetic }, sidecar.BaseFeePath(baseFeeItem, 8)},
	} {
		for name, change := range changes {
			if of, _, found := strings.Cut(name, " "); found && of != "another" && of != kind {
				continue
			}
			gateway := partial{c.gateway()}
			gateway.synthetic[c.path] = change(gateway.synthetic[c.path])
			_, err := answers.Record(context.Background(), gateway, t.TempDir(), options)
			require.ErrorContains(t, err, c.path, "%s, %s", kind, name)
		}
	}
}

// A continued recorder requests only what is missing.
func TestRecordGoesOn(t *testing.T) {
	ctx := context.Background()
	gateway, _ := served(t, demo.Open())
	directory := t.TempDir()
	options := answers.RecordOptions{First: 3, Last: 8, Concurrency: 1}
	_, err := answers.RecordWith(ctx, func(step string) error {
		if strings.HasPrefix(step, "create multiplier/7") {
			return errKilled
		}
		return nil
	}, gateway, directory, options)
	require.ErrorIs(t, err, errKilled)
	gateway, seen := served(t, demo.Open()) // the first may still be answering
	_, err = answers.Record(ctx, gateway, directory, options)
	require.NoError(t, err)
	const multiplier = "/pallets/transaction-payment/storage/nextFeeMultiplier?at="
	require.ElementsMatch(t, []string{
		"/blocks/7", multiplier + "7",
		"/blocks/8", "/blocks/8/header", multiplier + "8",
		"/runtime/spec?at=2", "/runtime/spec?at=8",
		"/",
	}, slices.DeleteFunc(seen.paths, func(path string) bool { return path == "/v1/" }))
}
