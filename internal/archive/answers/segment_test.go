package answers_test

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/test/crashtest"
	"github.com/feeledger/fees/internal/test/tier"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/httpclient"
)

// recordedWith records from a gateway into a new directory.
func recordedWith(t testing.TB, gateway answers.Answers, o answers.RecordOptions) string {
	directory := t.TempDir()
	_, err := answers.Record(context.Background(), gateway, directory, o)
	require.NoError(t, err)
	return directory
}

func opened(t testing.TB, directory string) *answers.Archive {
	a, err := answers.OpenDirectory(directory)
	require.NoError(t, err)
	return a
}

// unzipped is what a zip program finds in a segment, in its order.
func unzipped(t testing.TB, path string) (names []string, texts map[string]string) {
	r, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer r.Close()
	r.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor())
	texts = map[string]string{}
	for _, f := range r.File {
		content, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(content) // checks its CRC
		require.NoError(t, err)
		names = append(names, f.Name)
		texts[f.Name] = string(text)
	}
	return names, texts
}

// An archive in segments answers what the same archive in plain files answers, to
// the byte, errors too; and any zip program that has zstd finds the same files.
func TestSegmentsAreThePlainArchive(t *testing.T) {
	ctx := context.Background()
	gateway, _ := served(t, moonbeam(t))
	for _, c := range []struct {
		first, last, size uint64
		files             []string
	}{
		{0, 27, 1000, []string{"segments/0-27.zip"}},
		{3, 27, 10, []string{"segments/10-19.zip", "segments/20-27.zip", "segments/3-9.zip"}},
		{10, 20, 10, []string{"segments/10-19.zip", "segments/20-20.zip"}},
		{7, 7, 1, []string{"segments/7-7.zip"}},
	} {
		if c.first > 3 && testing.Short() {
			continue
		}
		t.Run(fmt.Sprintf("%d-%d by %d", c.first, c.last, c.size), func(t *testing.T) {
			options := answers.RecordOptions{First: c.first, Last: c.last, Accounts: []chain.Address{account(t)}}
			plain := recordedWith(t, gateway, options)
			segments := recordedWith(t, gateway, answers.WithSegments(options, c.size))
			kept, want := crashtest.Tree(t, segments), crashtest.Tree(t, plain)
			require.Equal(t, append(c.files, "manifest.json", "node-version.json"),
				slices.SortedFunc(maps.Keys(kept), func(a, b string) int { // the segments first
					return strings.Compare(strings.ReplaceAll(a, "segments", ""), strings.ReplaceAll(b, "segments", ""))
				}))
			require.Equal(t, want["node-version.json"], kept["node-version.json"])

			inside := map[string]string{}
			for _, file := range c.files {
				names, texts := unzipped(t, filepath.Join(segments, file))
				require.Equal(t, "pieces.json", names[len(names)-1])
				var listed []answers.Entry
				require.NoError(t, json.Unmarshal([]byte(texts["pieces.json"]), &listed))
				require.Len(t, listed, len(names)-1)
				for i, e := range listed {
					require.Equal(t, names[i], e.Path)
					require.Equal(t, int64(len(texts[e.Path])), e.Size)
				}
				delete(texts, "pieces.json")
				maps.Copy(inside, texts)
			}
			delete(want, "manifest.json")
			delete(want, "node-version.json")
			require.Equal(t, want, inside)

			a, b := opened(t, plain), opened(t, segments)
			paths := []string{"/", "/node/version", "/blocks/head", "/blocks/head/header", "/runtime/spec", "/blocks/0x" + strings.Repeat("12", 32)}
			for at := max(c.first, 2) - 2; at <= c.last+1; at++ {
				paths = append(paths, fmt.Sprintf("/blocks/%d", at), fmt.Sprintf("/blocks/%d/header", at), fmt.Sprintf("/runtime/spec?at=%d", at),
					fmt.Sprintf("/pallets/transaction-payment/storage/nextFeeMultiplier?at=%d", at),
					fmt.Sprintf("/accounts/%s/balance-info?at=%d", payer, at))
				if block, err := a.Block(ctx, at); err == nil {
					paths = append(paths, "/blocks/"+block.Hash.String())
				}
			}
			for _, path := range paths {
				want, have := get(a, http.MethodGet, path), get(b, http.MethodGet, path)
				require.Equal(t, want.StatusCode, have.StatusCode, path)
				require.Equal(t, body(t, want), body(t, have), path)
			}
			_, err := b.Block(ctx, c.last+1)
			require.ErrorIs(t, err, answers.ErrLacks)
			require.ErrorContains(t, err, fmt.Sprintf("it contains blocks %d to %d", c.first, c.last))

			// From its own copy, one question at a time: the same bytes.
			copied, _ := served(t, b)
			again := answers.WithSegments(options, c.size)
			again.Concurrency = 1
			require.Equal(t, kept, crashtest.Tree(t, recordedWith(t, copied, again)))
		})
	}
}

// More than 300 blocks are kept in segments, and fewer are not.
func TestFormOfRange(t *testing.T) {
	gateway := chainTo(1001, map[uint64]int{0: 1})
	small := crashtest.Tree(t, recordedWith(t, gateway, answers.RecordOptions{First: 1, Last: 300}))
	require.Contains(t, small, "blocks/300.json")
	large := crashtest.Tree(t, recordedWith(t, gateway, answers.RecordOptions{First: 701, Last: 1001}))
	require.Len(t, large, 4)
	require.Contains(t, large, "segments/701-999.zip")
	require.Contains(t, large, "segments/1000-1001.zip")
}

// counted counts what is asked.
type counted struct {
	answers.Answers
	asked atomic.Int64
}

func (c *counted) Get(ctx context.Context, path string) (string, error) {
	c.asked.Add(1)
	return c.Answers.Get(ctx, path)
}

// A block takes three questions, its header's one of them; the runtimes take few.
func TestRecordAsksLittle(t *testing.T) {
	for name, runtimes := range map[string]map[uint64]int{"no upgrade": {0: 1}, "one upgrade": {0: 1, 777: 2}} {
		gateway := &counted{Answers: chainTo(1100, runtimes)}
		recordedWith(t, gateway, answers.RecordOptions{First: 600, Last: 1099, Concurrency: 16})
		require.LessOrEqual(t, gateway.asked.Load(), int64(3*500+20), name)
	}
}

// The runtimes are found where they change, in whichever segment, and read again
// without a look into the others.
func TestRuntimesInSegments(t *testing.T) {
	ctx := context.Background()
	gateway := chainTo(60, map[uint64]int{0: 1, 14: 2, 15: 3, 29: 4, 30: 5, 51: 6})
	options := answers.RecordOptions{First: 3, Last: 55}
	directory := recordedWith(t, gateway, answers.WithSegments(options, 10))
	manifest, err := answers.Verify(ctx, directory, nil)
	require.NoError(t, err)
	var found [][]uint64
	for _, s := range manifest.Segments {
		found = append(found, s.Runtimes)
	}
	require.Equal(t, [][]uint64{{2}, {14, 15}, {29}, {30}, nil, {51}}, found)
	plain := opened(t, recordedWith(t, gateway, options))
	for a := opened(t, directory); ; a = plain {
		for at := uint64(2); at <= 55; at++ {
			r, err := a.Runtime(ctx, at)
			require.NoError(t, err)
			text := gateway[fmt.Sprintf("/runtime/spec?at=%d", at)]
			require.Contains(t, text, fmt.Sprintf(`"specVersion":"%d"`, r.Value.SpecVersion))
		}
		if a == plain {
			break
		}
	}
	// Each segment that is lost comes back as it was, from what is left.
	want := crashtest.Tree(t, directory)
	for _, s := range manifest.Segments {
		require.NoError(t, os.Remove(filepath.Join(directory, s.Path)))
		gateway := &counted{Answers: gateway}
		_, err := answers.Record(ctx, gateway, directory, answers.WithSegments(options, 10))
		require.NoError(t, err)
		require.Equal(t, want, crashtest.Tree(t, directory))
		require.LessOrEqual(t, gateway.asked.Load(), int64(3*10+12))
	}
}

// Whole segments are not asked for again, with a manifest or without.
func TestSegmentsGoOn(t *testing.T) {
	ctx := context.Background()
	gateway := chainTo(39, map[uint64]int{0: 1, 14: 2})
	options := answers.WithSegments(answers.RecordOptions{First: 3, Last: 38}, 10)
	directory := recordedWith(t, gateway, options)
	want := crashtest.Tree(t, directory)
	var told []uint64
	options.Progress = func(done, total uint64) { told = append(told, done) }
	_, err := answers.Record(ctx, synthetic{}, directory, options) // which has no answers
	require.NoError(t, err)
	require.Equal(t, []uint64{7, 17, 27, 36}, told)
	require.NoError(t, os.Remove(filepath.Join(directory, "manifest.json")))
	_, err = answers.OpenDirectory(directory)
	require.ErrorIs(t, err, answers.ErrLacks)
	require.ErrorContains(t, err, "the recording is not finished")
	_, err = answers.Record(ctx, synthetic{"/": gateway["/"]}, directory, options)
	require.NoError(t, err)
	require.Equal(t, want, crashtest.Tree(t, directory))

	// Other accounts: other answers. Another chain: not beside this one.
	require.NoError(t, os.Remove(filepath.Join(directory, "manifest.json")))
	fork := maps.Clone(gateway)
	for n := 20; n <= 29; n++ {
		for _, path := range []string{fmt.Sprintf("/blocks/%d", n), fmt.Sprintf("/blocks/%d/header", n)} {
			fork[path] = strings.ReplaceAll(fork[path], hashOf(19), hashOf(77))
		}
	}
	require.NoError(t, os.Remove(filepath.Join(directory, "segments/20-29.zip")))
	_, err = answers.Record(ctx, fork, directory, options)
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	require.ErrorContains(t, err, "block 20: the response is for a different block: its parent is "+hashOf(77))
	options.Accounts = []chain.Address{account(t)}
	_, err = answers.Record(ctx, synthetic{}, directory, options)
	require.ErrorContains(t, err, "/blocks/")
}

// Plain files and segments are not mixed.
func TestOtherForm(t *testing.T) {
	ctx := context.Background()
	gateway := chainTo(9, map[uint64]int{0: 1})
	options := answers.RecordOptions{First: 3, Last: 8}
	for _, finished := range []bool{true, false} {
		plain := recordedWith(t, gateway, options)
		segments := recordedWith(t, gateway, answers.WithSegments(options, 5))
		if !finished {
			require.NoError(t, os.Remove(filepath.Join(plain, "manifest.json")))
			require.NoError(t, os.Remove(filepath.Join(segments, "manifest.json")))
		}
		before, other := crashtest.Tree(t, plain), crashtest.Tree(t, segments)
		_, err := answers.Record(ctx, gateway, plain, answers.WithSegments(options, 5))
		require.ErrorContains(t, err, "contains plain files")
		require.Equal(t, before, crashtest.Tree(t, plain))
		_, err = answers.Record(ctx, gateway, segments, options)
		require.ErrorContains(t, err, "contains segments")
		require.Equal(t, other, crashtest.Tree(t, segments))
	}
}

// changes are a text's bytes changed in turn, some hundred of them.
func changes(text string) map[int]string {
	changed := map[int]string{}
	step := max(1, len(text)/300)
	for at := 0; at < len(text); at += step {
		changed[at] = text[:at] + string(text[at]^0x10) + text[at+1:]
	}
	changed[-1] = text[:len(text)-1]
	changed[-2] = text + "\x00"
	changed[-3] = "\x00" + text
	changed[-4] = ""
	return changed
}

// Any change to any file is found by Verify, and mended by recording again, with
// the manifest or without.
func TestSegmentsChanged(t *testing.T) {
	ctx := context.Background()
	gateway := chainTo(30, map[uint64]int{0: 1, 14: 2})
	options := answers.WithSegments(answers.RecordOptions{First: 3, Last: 25}, 10)
	directory := recordedWith(t, gateway, options)
	want := crashtest.Tree(t, directory)
	manifest := filepath.Join(directory, "manifest.json")
	for path, text := range want {
		target := filepath.Join(directory, path)
		mended := 0
		for at, changed := range changes(text) {
			if changed == text || at%tier.Step(4) > 0 {
				continue
			}
			require.NoError(t, os.WriteFile(target, []byte(changed), 0o644))
			_, err := answers.Verify(ctx, directory, nil)
			require.ErrorIs(t, err, answers.ErrDamaged, "%s at %d", path, at)
			require.ErrorContains(t, err, path)
			if mended++; path != "manifest.json" && mended%10 == 0 {
				if mended%20 == 0 {
					require.NoError(t, os.Remove(manifest))
				}
				_, err = answers.Record(ctx, gateway, directory, options)
				require.NoError(t, err)
				if strings.HasPrefix(path, "segments/") {
					require.Equal(t, want, crashtest.Tree(t, directory), "%s at %d", path, at)
				}
				require.NoError(t, os.WriteFile(manifest, []byte(want["manifest.json"]), 0o644))
			}
		}
		require.NoError(t, os.Remove(target))
		_, err := answers.Verify(ctx, directory, nil)
		if path != "manifest.json" {
			require.ErrorContains(t, err, path+": the file is in the manifest but missing")
		}
		require.NoError(t, os.WriteFile(target, []byte(text), 0o644))
	}
	for _, path := range []string{"blocks.json", "segments/26-30.zip", "segments/3-9.zip.1.tmp", ".hidden"} {
		require.NoError(t, os.WriteFile(filepath.Join(directory, path), nil, 0o644))
		_, err := answers.Verify(ctx, directory, nil)
		require.ErrorContains(t, err, path+": not in the manifest")
		require.NoError(t, os.Remove(filepath.Join(directory, path)))
	}
	_, err := answers.Verify(ctx, directory, nil)
	require.NoError(t, err)
}

// An answer is proved when it is read: what was changed is not answered.
func TestReadChangedSegments(t *testing.T) {
	ctx := context.Background()
	gateway := chainTo(30, map[uint64]int{0: 1})
	directory := recordedWith(t, gateway, answers.WithSegments(answers.RecordOptions{First: 3, Last: 25}, 10))
	path := filepath.Join(directory, "segments/10-19.zip")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	want, err := opened(t, directory).Block(ctx, 15)
	require.NoError(t, err)
	refused := 0
	for at, changed := range changes(string(text)) {
		require.NoError(t, os.WriteFile(path, []byte(changed), 0o644))
		have, err := opened(t, directory).Block(ctx, 15)
		if err == nil { // it was changed elsewhere
			require.Equal(t, want, have, at)
			continue
		}
		refused++
		require.ErrorIs(t, err, answers.ErrDamaged)
		require.ErrorContains(t, err, "segments/10-19.zip")
	}
	require.Greater(t, refused, 3)
	a := opened(t, directory)
	require.NoError(t, os.Remove(path))
	_, err = a.Block(ctx, 15)
	require.ErrorIs(t, err, answers.ErrDamaged)
	require.ErrorContains(t, err, "segments/10-19.zip: the archive is damaged: the file is in the manifest but missing")
	_, err = a.Block(ctx, 25)
	require.NoError(t, err)
}

// A manifest whose own sum holds can still lie; nothing it says makes the program
// crash, fill its memory, or answer.
func TestHostileSegments(t *testing.T) {
	ctx := context.Background()
	gateway := chainTo(30, map[uint64]int{0: 1})
	directory := recordedWith(t, gateway, answers.WithSegments(answers.RecordOptions{First: 3, Last: 25}, 10))
	manifest, err := answers.Verify(ctx, directory, nil)
	require.NoError(t, err)
	bomb, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	zeros := bomb.EncodeAll(make([]byte, httpclient.DefaultMaxAnswer+1), nil)
	require.NoError(t, os.WriteFile(filepath.Join(directory, "segments/10-19.zip"), zeros, 0o644))
	for name, change := range map[string]func(s []answers.Segment) []answers.Segment{
		"offset":      func(s []answers.Segment) []answers.Segment { s[1].Listing.Offset = 1 << 62; return s },
		"before":      func(s []answers.Segment) []answers.Segment { s[1].Listing.Offset = -1; return s },
		"packed":      func(s []answers.Segment) []answers.Segment { s[1].Listing.Packed = -1; return s },
		"huge packed": func(s []answers.Segment) []answers.Segment { s[1].Listing.Packed = 1 << 62; return s },
		"huge":        func(s []answers.Segment) []answers.Segment { s[1].Listing.Size = 1 << 62; return s },
		"negative":    func(s []answers.Segment) []answers.Segment { s[1].Listing.Size = -1; return s },
		"a bomb": func(s []answers.Segment) []answers.Segment {
			s[1].Listing.Offset, s[1].Listing.Packed = 0, int64(len(zeros))
			return s
		},
		"a gap":         func(s []answers.Segment) []answers.Segment { return append(s[:1], s[2]) },
		"the end":       func(s []answers.Segment) []answers.Segment { return s[:2] },
		"the beginning": func(s []answers.Segment) []answers.Segment { return s[1:] },
		"twice":         func(s []answers.Segment) []answers.Segment { return []answers.Segment{s[0], s[1], s[1], s[2]} },
		"elsewhere":     func(s []answers.Segment) []answers.Segment { s[1].Path = "../secret"; return s },
		"backwards":     func(s []answers.Segment) []answers.Segment { s[1].First, s[1].Last = 10, 9; return s },
	} {
		t.Run(name, func(t *testing.T) {
			m := *manifest
			m.Segments = change(slices.Clone(m.Segments))
			text, err := answers.Seal(m)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(directory, "manifest.json"), []byte(text), 0o644))
			a, err := answers.OpenDirectory(directory)
			if err == nil {
				_, err = a.Block(ctx, 15)
			}
			require.ErrorIs(t, err, answers.ErrDamaged)
			_, err = answers.Verify(ctx, directory, nil)
			require.ErrorIs(t, err, answers.ErrDamaged)
			_, err = answers.Record(ctx, errorsOnly{}, directory, answers.WithSegments(answers.RecordOptions{First: 3, Last: 25}, 10))
			require.ErrorIs(t, err, errKilled)
		})
	}
}

// errorsOnly is a gateway that gives no answer.
type errorsOnly struct{}

func (errorsOnly) Get(context.Context, string) (string, error) { return "", errKilled }

// empty is a chain of empty blocks that is made while it is asked for.
type empty struct{}

func (empty) Get(_ context.Context, path string) (string, error) {
	switch path {
	case "/":
		return `{"version":"18.0.0"}`, nil
	case "/node/version":
		return `{"chain":"moonbeam"}`, nil
	}
	var n uint64
	for _, form := range []string{"/blocks/%d", "/pallets/transaction-payment/storage/nextFeeMultiplier?at=%d", "/runtime/spec?at=%d"} {
		if _, err := fmt.Sscanf(path, form, &n); err == nil {
			break
		}
	}
	if strings.HasPrefix(path, "/runtime") {
		return fmt.Sprintf(`{"at":{"height":"%d","hash":"%s"},"specName":"moonbeam","specVersion":"1"}`, n, hashOf(n)), nil
	}
	parent := hashOf(max(n, 1) - 1)
	switch {
	case strings.HasSuffix(path, "/header"):
		return fmt.Sprintf(`{"number":"%d","parentHash":"%s","stateRoot":"%s","extrinsicsRoot":"%s"}`, n, parent, parent, parent), nil
	case strings.HasPrefix(path, "/blocks/"):
		return fmt.Sprintf(`{"number":"%d","hash":"%s","parentHash":"%s","extrinsics":[],"finalized":true}`, n, hashOf(n), parent), nil
	case strings.HasPrefix(path, "/pallets"):
		return fmt.Sprintf(`{"at":{"height":"%d","hash":"%s"},"value":"%d"}`, n, hashOf(n), n), nil
	}
	return "", chain.ErrNotOffered
}

// inUse is the memory that is in use, in bytes.
func inUse() int64 {
	runtime.GC()
	runtime.GC() // pools are emptied by the second one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// What a recorder holds, and a reader, does not grow with the range.
func TestMemoryOfLongRanges(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about size")
	}
	const last, more = 11_999, 512 << 10 // 9,000 more blocks; a hash of each would be 300 kB, its pieces megabytes
	ctx := context.Background()
	directory := t.TempDir()
	at := map[uint64]int64{}
	_, err := answers.Record(ctx, empty{}, directory, answers.RecordOptions{First: 0, Last: last, Progress: func(done, _ uint64) {
		if done == 3_000 || done == 12_000 { // at the end of a segment
			at[done] = inUse()
		}
	}})
	require.NoError(t, err)
	require.Less(t, at[12_000]-at[3_000], int64(more))

	a := opened(t, directory)
	for height := uint64(0); height <= last; height++ {
		_, err := a.Block(ctx, height)
		require.NoError(t, err)
		if height == 4_500 || height == last {
			at[height] = inUse()
		}
	}
	require.Less(t, at[last]-at[4_500], int64(more))
	runtime.KeepAlive(a)
}

// huge answers one question with more than any answer may be.
type huge struct{ synthetic }

func (h huge) Get(ctx context.Context, path string) (string, error) {
	if path == "/blocks/4" {
		return strings.Repeat(" ", httpclient.DefaultMaxAnswer+1), nil
	}
	return h.synthetic.Get(ctx, path)
}

func TestRecordRefusesHugeAnswers(t *testing.T) {
	_, err := answers.Record(context.Background(), huge{chainTo(9, nil)}, t.TempDir(), answers.RecordOptions{First: 3, Last: 8})
	require.EqualError(t, err, "/blocks/4: larger than any answer should be")
}

// A segment that is there must follow what is recorded before it.
func TestSegmentsOfAnotherChain(t *testing.T) {
	gateway := chainTo(30, nil)
	options := answers.WithSegments(answers.RecordOptions{First: 0, Last: 29}, 10)
	directory := recordedWith(t, gateway, options)
	require.NoError(t, os.Remove(filepath.Join(directory, "segments/10-19.zip")))
	for path, text := range gateway { // block 19 is another one
		if strings.HasPrefix(path, "/blocks/19") || strings.HasSuffix(path, "at=19") {
			gateway[path] = strings.ReplaceAll(text, `"hash":"`+hashOf(19), `"hash":"`+hashOf(77))
		}
	}
	_, err := answers.Record(context.Background(), gateway, directory, options)
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	require.ErrorContains(t, err, "block 20: the response is for a different block: its parent is "+hashOf(19)+", but block 19 is "+hashOf(77))
	stopped, stop := context.WithCancel(context.Background())
	stop()
	_, err = answers.Record(stopped, gateway, directory, options)
	require.ErrorIs(t, err, context.Canceled)
}

// A list with a valid checksum that is not a list.
func TestHostileList(t *testing.T) {
	ctx := context.Background()
	directory := recordedWith(t, chainTo(9, nil), answers.WithSegments(answers.RecordOptions{First: 3, Last: 8}, 10))
	manifest, err := answers.Verify(ctx, directory, nil)
	require.NoError(t, err)
	s := &manifest.Segments[0]
	var list []answers.Entry
	_, texts := unzipped(t, filepath.Join(directory, s.Path))
	require.NoError(t, json.Unmarshal([]byte(texts["pieces.json"]), &list))
	s.Listing = list[0] // an answer in its place
	sealed, err := answers.Seal(*manifest)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(directory, "manifest.json"), []byte(sealed), 0o644))
	_, err = answers.Verify(ctx, directory, nil)
	require.NoError(t, err) // no byte of the file has changed
	_, err = opened(t, directory).Block(ctx, 5)
	require.ErrorIs(t, err, answers.ErrDamaged)
	require.ErrorContains(t, err, "segments/3-8.zip: multiplier/2.json: the archive is damaged: json: ")
}

// A list of very many pieces that are none, and a segment of more heights than
// anybody could look through, are refused before they take memory or time.
func TestCrowded(t *testing.T) {
	ctx := context.Background()
	directory := recordedWith(t, chainTo(9, nil), answers.WithSegments(answers.RecordOptions{First: 3, Last: 8}, 10))
	manifest, err := answers.Verify(ctx, directory, nil)
	require.NoError(t, err)
	path := filepath.Join(directory, "manifest.json")
	nothings := "[" + strings.Repeat("{},", 10_000) + "{}]"

	const last = 1 << 40
	m := *manifest
	m.Last, m.Segments = last, slices.Clone(m.Segments)
	m.Segments[0].Last, m.Segments[0].Path = last, fmt.Sprintf("segments/3-%d.zip", uint64(last))
	sealed, err := answers.Seal(m)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(sealed), 0o644))
	_, err = answers.OpenDirectory(directory)
	require.ErrorContains(t, err, "its segments do not match its range")

	packer, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	packed := packer.EncodeAll([]byte(nothings), nil)
	digest := sha256.Sum256([]byte(nothings))
	m = *manifest
	m.Segments = slices.Clone(m.Segments)
	m.Segments[0].Size = int64(len(packed))
	m.Segments[0].Listing = answers.Entry{
		Piece:  archive.Piece{Path: "pieces.json", Size: int64(len(nothings)), SHA256: hex.EncodeToString(digest[:])},
		Packed: int64(len(packed)),
	}
	sealed, err = answers.Seal(m)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(sealed), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(directory, "segments/3-8.zip"), packed, 0o644))
	_, err = opened(t, directory).Block(ctx, 5)
	require.ErrorIs(t, err, answers.ErrDamaged)
	require.ErrorContains(t, err, "more pieces than its size allows")

	for _, name := range []string{"pieces", "segments"} {
		require.NoError(t, os.WriteFile(path, []byte(`{"format":1,"`+name+`":`+nothings+`}`), 0o644))
		_, err = answers.OpenDirectory(directory)
		require.ErrorIs(t, err, answers.ErrDamaged)
		require.ErrorContains(t, err, "more pieces than its size allows")
	}
}

// The longest archive at the highest heights, with large segments, a change of the
// runtime in each, and all accounts that it may have, can be read again.
func TestLongestManifest(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about size")
	}
	const size = 1000
	m := answers.Manifest{Format: 1, Tool: "fees", First: 4_200_000_000}
	for i := range uint64(answers.MaxSegments) {
		first := m.First + i*size
		m.Last = first + size - 1
		piece := archive.Piece{Path: fmt.Sprintf("segments/%d-%d.zip", first, m.Last), Size: 1 << 34, SHA256: strings.Repeat("f", 64)}
		list := archive.Piece{Path: "pieces.json", Size: 1 << 24, SHA256: piece.SHA256}
		m.Segments = append(m.Segments, answers.Segment{
			Heights: chain.Heights{First: first, Last: m.Last}, Piece: piece,
			Listing: answers.Entry{Piece: list, Offset: 1 << 34, Packed: 1 << 24}, Runtimes: []uint64{first},
		})
	}
	for range 100 {
		m.Accounts = append(m.Accounts, "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac")
	}
	text, err := answers.Seal(m)
	require.NoError(t, err)
	directory := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(directory, "manifest.json"), []byte(text), 0o644))
	first, last, err := opened(t, directory).Range()
	require.NoError(t, err)
	require.Equal(t, []uint64{m.First, m.Last}, []uint64{first, last})
}
