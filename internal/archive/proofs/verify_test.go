package proofs

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/trie"
	"github.com/feeledger/fees/internal/test/crashtest"
	"github.com/feeledger/fees/internal/test/tier"
)

// bundle is an archive in memory that can be changed, and written anew by somebody who can do
// all but break hashes: with right sums and a manifest that fits.
type bundle struct {
	manifest Manifest
	headers  [][][]byte
	segments []*segment
	files    map[string][]byte // of the runtimes, unpacked
}

func bundleOf(t testing.TB, directory string) *bundle {
	t.Helper()
	a, err := open(directory, os.DirFS(directory))
	require.NoError(t, err)
	return bundleFrom(t, a)
}

func bundleFrom(t testing.TB, a *Archive) *bundle {
	b := &bundle{manifest: *a.manifest, files: map[string][]byte{}}
	b.manifest.Segments = slices.Clone(b.manifest.Segments)
	b.manifest.Runtimes = slices.Clone(b.manifest.Runtimes)
	for i := range b.manifest.Segments {
		headers, err := a.encodedHeaders(&b.manifest.Segments[i])
		require.NoError(t, err)
		s, err := a.readSegment(&b.manifest.Segments[i])
		require.NoError(t, err)
		b.headers, b.segments = append(b.headers, headers), append(b.segments, s)
	}
	for i := range b.manifest.Runtimes {
		r := &b.manifest.Runtimes[i]
		pieces := []archive.Piece{r.Metadata}
		if r.Code != nil {
			code := *r.Code
			r.Code = &code
			pieces = append(pieces, code.Proof)
		}
		for _, p := range pieces {
			bytes, err := a.piece(p, maxRuntime)
			require.NoError(t, err)
			b.files[p.Path] = bytes
		}
	}
	return b
}

// packedBefore is what was packed before: most of an archive is as it was.
var packedBefore = map[string][]byte{}

// made is the files of the archive.
func (b *bundle) made(t testing.TB) fstest.MapFS {
	files := fstest.MapFS{}
	put := func(p *archive.Piece, bytes []byte) {
		packed, known := packedBefore[string(bytes)]
		if !known {
			packed = pack(bytes)
			packedBefore[string(bytes)] = packed
		}
		*p = archive.PieceOf(p.Path, packed)
		files[p.Path] = &fstest.MapFile{Data: packed}
	}
	for i := range b.manifest.Segments {
		s := &b.manifest.Segments[i]
		put(&s.Headers, appendList(nil, b.headers[i]))
		put(&s.Blocks, b.segments[i].encode())
	}
	for i := range b.manifest.Runtimes {
		r := &b.manifest.Runtimes[i]
		put(&r.Metadata, b.files[r.Metadata.Path])
		if r.Code != nil {
			put(&r.Code.Proof, b.files[r.Code.Proof.Path])
		}
	}
	text, err := b.manifest.seal()
	require.NoError(t, err)
	files[archive.ManifestPath] = &fstest.MapFile{Data: []byte(text)}
	return files
}

func (b *bundle) write(t testing.TB, directory string) {
	for path, file := range b.made(t) {
		require.NoError(t, os.WriteFile(filepath.Join(directory, path), file.Data, 0o644))
	}
}

// changeManifest changes an archive's manifest, which stays well formed.
func changeManifest(t testing.TB, directory string, change func(*Manifest)) {
	path := filepath.Join(directory, archive.ManifestPath)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	m, err := readManifest(string(text))
	require.NoError(t, err)
	change(m)
	sealed, err := m.seal()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(sealed), 0o644))
}

// whole is the archive that is changed: of 200 blocks, across the upgrade, with the balance of
// an account, and its chain.
func whole(t testing.TB) (*Archive, fstest.MapFS, chain.Optional[chain.Anchor]) {
	made := rooted(210)
	directory := recorded(t, FromNode(served(t, made.Node())), RecordOptions{First: 1, Last: 200, Accounts: made.Accounts()[1:2]})
	files := fstest.MapFS{}
	for path, text := range crashtest.Tree(t, directory) {
		files[path] = &fstest.MapFile{Data: []byte(text)}
	}
	a, err := open("archive", files)
	require.NoError(t, err)
	return a, files, anchorAt(made, 200)
}

// requireFound wants a changed archive to be found out, and the block or the file to be named.
func requireFound(t testing.TB, files fstest.MapFS, trusted chain.Optional[chain.Anchor], wants ...string) {
	t.Helper()
	_, err := verify(t.Context(), "archive", files, trusted, nil)
	require.ErrorIs(t, err, ErrDamaged)
	for _, want := range wants {
		require.ErrorContains(t, err, want)
	}
}

// damagesWanted returns the number of changes of an archive.
func damagesWanted(t *testing.T) int { return tier.Count(t, "FEES_DAMAGES", 25, 100) }

// A byte that is another one, a file that is missing, and one too much: by the sums.
func TestChangedBytesAreFound(t *testing.T) {
	_, files, trusted := whole(t)
	_, err := verify(t.Context(), "archive", files, trusted, nil)
	require.NoError(t, err)
	paths := slices.Sorted(maps.Keys(files))
	of := rand.New(rand.NewPCG(7, 8))
	for i := range damagesWanted(t) * 2 / 5 {
		changed := maps.Clone(files)
		path := paths[i%len(paths)]
		data := slices.Clone(files[path].Data)
		want := path
		switch kind := i / len(paths) % 6; kind {
		case 0: // missing
			if delete(changed, path); path == archive.ManifestPath {
				_, err := verify(t.Context(), "archive", changed, trusted, nil)
				require.ErrorContains(t, err, "is not an archive of a node")
				continue
			}
			requireFound(t, changed, trusted, want, "the file is in the manifest but missing")
			continue
		case 1: // too much
			want = path + "2"
			changed[want] = &fstest.MapFile{Data: data}
			requireFound(t, changed, trusted, want+": not in the manifest")
			continue
		case 2:
			data = data[:of.IntN(len(data))]
		case 3:
			data = append(data, byte(of.Uint32()))
		default:
			data[of.IntN(len(data))] ^= 1 << of.IntN(8)
		}
		changed[path] = &fstest.MapFile{Data: data}
		requireFound(t, changed, trusted, want)
	}
}

// forger changes an archive, and rewrites its checksums and its manifest.
type forger struct {
	*bundle
	*rand.Rand
	archive *Archive
}

// any is a block: its number in its segment, its segment's number and its height.
func (f *forger) any() (b *block, segment, at int, height uint64) {
	segment = f.IntN(len(f.segments))
	s := f.segments[segment]
	at = f.IntN(len(s.blocks))
	return &s.blocks[at], segment, at, s.First + uint64(at)
}

func flip(bytes []byte, at int) []byte {
	changed := slices.Clone(bytes)
	changed[at] ^= 1
	return changed
}

// part changes the part in which the state of a block has a key's value, and tells the lowest
// block of the segment that has the part.
func (f *forger) part(t testing.TB, name string) (owner uint64) {
	_, segment, _, height := f.any()
	s := f.segments[segment]
	h, err := f.archive.headed(height)
	require.NoError(t, err)
	r, err := f.archive.executed(&h, s)
	require.NoError(t, err)
	i := slices.IndexFunc(r.keys, func(k key) bool { return strings.HasPrefix(k.name, name) })
	var last trie.Hash
	require.NoError(t, s.proof.Way(h.StateRoot, r.keys[i].place, true, func(part trie.Hash) { last = part }))
	for i := range s.blocks {
		for j, part := range s.blocks[i].parts {
			if blake2b.Sum256(part) == last {
				s.blocks[i].parts = slices.Clone(s.blocks[i].parts)
				s.blocks[i].parts[j] = flip(part, f.IntN(len(part)))
				return s.First + uint64(i)
			}
		}
	}
	require.Fail(t, "the part is nowhere")
	return 0
}

func at(height uint64) string { return fmt.Sprintf("block %d: ", height) }

// forgeries are what somebody can do who writes the sums and the manifest anew. Each tells what
// is to be named.
var forgeries = map[string]func(t testing.TB, f *forger) []string{
	"header": func(_ testing.TB, f *forger) []string {
		_, s, i, height := f.any()
		f.headers[s][i] = flip(f.headers[s][i], f.IntN(len(f.headers[s][i])))
		if height == f.manifest.Last { // it says so in the manifest
			if h, err := header.Read(f.headers[s][i]); err == nil {
				f.manifest.LastHash = h.Hash()
			}
		}
		return []string{at(height) + "header: "}
	},
	"header cut": func(_ testing.TB, f *forger) []string {
		_, s, i, height := f.any()
		f.headers[s][i] = f.headers[s][i][:f.IntN(len(f.headers[s][i])-1)+1]
		return []string{at(height) + "header: "}
	},
	"extrinsic": func(_ testing.TB, f *forger) []string {
		b, _, _, height := f.any()
		if len(b.extrinsics) == 0 {
			b.extrinsics = [][]byte{{4, 1}}
			return []string{at(height) + "extrinsics: "}
		}
		i := f.IntN(len(b.extrinsics))
		x := b.extrinsics[i]
		b.extrinsics = slices.Clone(b.extrinsics)
		b.extrinsics[i] = flip(x, len(x)-1)
		return []string{at(height) + "extrinsics: "}
	},
	"an extrinsic less": func(_ testing.TB, f *forger) []string {
		b, _, _, height := f.any()
		if len(b.extrinsics) == 0 {
			b.extrinsics = [][]byte{{4, 1}}
		} else {
			b.extrinsics = b.extrinsics[1:]
		}
		return []string{at(height) + "extrinsics: "}
	},
	"the order of extrinsics": func(_ testing.TB, f *forger) []string {
		b, _, _, height := f.any()
		for len(b.extrinsics) < 2 {
			b, _, _, height = f.any()
		}
		b.extrinsics = slices.Clone(b.extrinsics)
		slices.Reverse(b.extrinsics)
		return []string{at(height) + "extrinsics: "}
	},
	"events": func(t testing.TB, f *forger) []string {
		return []string{at(f.part(t, "System.Events")), "not in the proof"}
	},
	"multiplier": func(t testing.TB, f *forger) []string {
		return []string{at(f.part(t, "TransactionPayment.NextFeeMultiplier"))}
	},
	"balance": func(t testing.TB, f *forger) []string { return []string{at(f.part(t, "System.Account"))} },
	"time":    func(t testing.TB, f *forger) []string { return []string{at(f.part(t, "Timestamp.Now"))} },
	"a node": func(_ testing.TB, f *forger) []string {
		b, _, _, height := f.any()
		i := f.IntN(len(b.parts))
		b.parts = slices.Clone(b.parts)
		b.parts[i] = flip(b.parts[i], f.IntN(len(b.parts[i])))
		return []string{at(height), "not in the proof"}
	},
	"a node less": func(_ testing.TB, f *forger) []string {
		b, _, _, height := f.any()
		i := f.IntN(len(b.parts))
		b.parts = slices.Delete(slices.Clone(b.parts), i, i+1)
		return []string{at(height), "not in the proof"}
	},
	"a node more": func(_ testing.TB, f *forger) []string {
		b, _, _, height := f.any()
		b.parts = append(slices.Clone(b.parts), []byte("another"))
		return []string{at(height) + "proof: its nodes are not those"}
	},
	"a node twice": func(_ testing.TB, f *forger) []string {
		b, _, _, height := f.any()
		b.parts = append(slices.Clone(b.parts), b.parts[f.IntN(len(b.parts))])
		return []string{at(height) + "proof: its nodes are not those"}
	},
	"the order of nodes": func(_ testing.TB, f *forger) []string {
		b, _, _, height := f.any()
		i := f.IntN(len(b.parts) - 1)
		b.parts = slices.Clone(b.parts)
		b.parts[i], b.parts[i+1] = b.parts[i+1], b.parts[i]
		return []string{at(height) + "proof: its nodes are not those"}
	},
	"the order of headers": func(_ testing.TB, f *forger) []string {
		s, i := f.IntN(len(f.headers)-1), f.IntN(15)
		f.headers[s][i], f.headers[s][i+1] = f.headers[s][i+1], f.headers[s][i]
		height := f.segments[s].First + uint64(i)
		return []string{at(height) + fmt.Sprintf("header: it is the header of block %d", height+1)}
	},
	"the order of blocks": func(_ testing.TB, f *forger) []string {
		s, i := f.IntN(len(f.headers)-1), f.IntN(15)
		blocks := f.segments[s].blocks
		f.headers[s][i], f.headers[s][i+1] = f.headers[s][i+1], f.headers[s][i]
		blocks[i], blocks[i+1] = blocks[i+1], blocks[i]
		return []string{at(f.segments[s].First+uint64(i)) + "header: "}
	},
	"the order of what is in blocks": func(_ testing.TB, f *forger) []string {
		s, i := f.IntN(len(f.headers)-1), f.IntN(15)
		blocks := f.segments[s].blocks
		blocks[i], blocks[i+1] = blocks[i+1], blocks[i]
		return []string{at(f.segments[s].First + uint64(i))}
	},
	"a missing block": func(_ testing.TB, f *forger) []string {
		s, i := f.IntN(len(f.headers)-1), f.IntN(16)
		f.headers[s] = slices.Delete(f.headers[s], i, i+1)
		f.segments[s].blocks = slices.Delete(slices.Clone(f.segments[s].blocks), i, i+1)
		return []string{f.manifest.Segments[s].Headers.Path + ": got 15 headers, want 16"}
	},
	"a missing body": func(_ testing.TB, f *forger) []string {
		s, i := f.IntN(len(f.headers)-1), f.IntN(16)
		f.segments[s].blocks = slices.Delete(slices.Clone(f.segments[s].blocks), i, i+1)
		return []string{f.manifest.Segments[s].Blocks.Path + ": block "}
	},
	"a missing segment": func(_ testing.TB, f *forger) []string {
		s := f.IntN(len(f.headers))
		f.headers, f.segments = slices.Delete(f.headers, s, s+1), slices.Delete(f.segments, s, s+1)
		f.manifest.Segments = slices.Delete(f.manifest.Segments, s, s+1)
		return []string{"manifest.json: its segments do not match its range"}
	},
	"segments swapped": func(_ testing.TB, f *forger) []string {
		s := f.IntN(len(f.headers) - 2)
		f.headers[s], f.headers[s+1] = f.headers[s+1], f.headers[s]
		f.segments[s], f.segments[s+1] = f.segments[s+1], f.segments[s]
		return []string{at(f.manifest.Segments[s].First) + "header: it is the header of block"}
	},
	"all headers anew": func(t testing.TB, f *forger) []string { // from a block with another root of its extrinsics up
		b, from, first, _ := f.any()
		b.extrinsics = append(slices.Clone(b.extrinsics), []byte{4, 1})
		var below chain.Hash
		for s := range f.headers {
			for i := range f.headers[s] {
				if s < from || s == from && i < first {
					continue
				}
				h, err := header.Read(f.headers[s][i])
				require.NoError(t, err)
				if s == from && i == first {
					h.ExtrinsicsRoot = trie.ListRoot(b.extrinsics, trie.Layout0)
				} else {
					h.ParentHash = below
				}
				f.headers[s][i], below = h.Encode(), h.Hash()
			}
		}
		f.manifest.LastHash = below
		return []string{at(200) + "header: its hash is " + below.String() + ", but the checkpoint has"}
	},
	"another runtime's metadata": func(_ testing.TB, f *forger) []string {
		one, other := &f.manifest.Runtimes[0], &f.manifest.Runtimes[1]
		if f.IntN(2) == 0 {
			one, other = other, one
		}
		f.files[one.Metadata.Path] = f.files[other.Metadata.Path]
		return []string{one.Metadata.Path + ": runtime " + one.String() + ": metadata: they belong to runtime " + other.String()}
	},
	"metadata cut": func(_ testing.TB, f *forger) []string {
		path := f.manifest.Runtimes[f.IntN(2)].Metadata.Path
		f.files[path] = f.files[path][:f.IntN(len(f.files[path]))]
		return []string{path}
	},
	"the code's proof": func(_ testing.TB, f *forger) []string {
		code := f.manifest.Runtimes[f.IntN(2)].Code
		bytes := f.files[code.Proof.Path]
		f.files[code.Proof.Path] = flip(bytes, 1+f.IntN(len(bytes)-1))
		return []string{code.Proof.Path}
	},
	"more in the code's proof": func(t testing.TB, f *forger) []string {
		code := f.manifest.Runtimes[f.IntN(2)].Code
		parts, err := readParts(f.files[code.Proof.Path])
		require.NoError(t, err)
		f.files[code.Proof.Path] = appendList(nil, append(parts, []byte("another")))
		return []string{code.Proof.Path + ": " + at(code.At) + ":code: its nodes are not those"}
	},
	"the code's hash": func(_ testing.TB, f *forger) []string {
		code := f.manifest.Runtimes[f.IntN(2)].Code
		code.Hash[3] ^= 1
		return []string{code.Proof.Path + ": " + at(code.At) + ":code: its hash is"}
	},
	"the code's block": func(_ testing.TB, f *forger) []string {
		code := f.manifest.Runtimes[f.IntN(2)].Code
		code.At--
		return []string{fmt.Sprintf("is from block %d, but block %d is the last that it executed", code.At, code.At+2)}
	},
	"the last block's hash": func(_ testing.TB, f *forger) []string {
		f.manifest.LastHash[f.IntN(32)] ^= 1
		return []string{at(200) + "header: its hash is"}
	},
	"an account": func(_ testing.TB, f *forger) []string {
		a := [20]byte(f.archive.accounts[0].Bytes())
		a[f.IntN(20)] ^= 1
		f.manifest.Accounts = []string{chain.Address20(a).String()}
		return []string{at(192)} // the lowest of the segment that is looked at first
	},
	"an account less": func(_ testing.TB, f *forger) []string {
		f.manifest.Accounts = []string{}
		return []string{at(192) + "proof: its nodes are not those"}
	},
	"a runtime's name": func(_ testing.TB, f *forger) []string {
		f.manifest.Runtimes[f.IntN(2)].SpecVersion++
		return []string{"manifest.json: invalid runtime moonbeam/"}
	},
	"a runtime less": func(_ testing.TB, f *forger) []string {
		i := f.IntN(2)
		name := f.manifest.Runtimes[i].RuntimeName
		f.manifest.Runtimes = slices.Delete(f.manifest.Runtimes, i, i+1)
		return []string{"it lacks the runtime " + name.String()}
	},
	"a runtime twice": func(_ testing.TB, f *forger) []string {
		f.manifest.Runtimes = append(f.manifest.Runtimes, f.manifest.Runtimes[0])
		return []string{"manifest.json: invalid runtime moonbeam/2302"}
	},
	"the order of runtimes": func(_ testing.TB, f *forger) []string {
		slices.Reverse(f.manifest.Runtimes)
		return []string{"manifest.json: runtime moonbeam/2302 is out of order"}
	},
	"a parameter's key": func(_ testing.TB, f *forger) []string {
		f.manifest.Runtimes[0].ParameterKey = "0x0b00"
		return []string{"runtime moonbeam/2302: metadata: "}
	},
	"the first block": func(_ testing.TB, f *forger) []string {
		f.manifest.First++
		return []string{"manifest.json: its segments do not match its range"}
	},
	"the format": func(_ testing.TB, f *forger) []string {
		f.manifest.Format = "fees node archive 2"
		return []string{`manifest.json: unsupported format "fees node archive 2"; this program reads "fees node archive 1"`}
	},
}

// Rewritten checksums and manifests are detected by the roots and the trusted hash.
func TestForgeriesAreFound(t *testing.T) {
	a, _, trusted := whole(t)
	names := slices.Sorted(maps.Keys(forgeries))
	for i := range max(damagesWanted(t)*3/5, len(names)) { // each at least once
		name := names[i%len(names)]
		f := &forger{bundleFrom(t, a), rand.New(rand.NewPCG(uint64(i), 9)), a}
		wants := forgeries[name](t, f)
		t.Run(fmt.Sprintf("%s %d", name, i/len(names)), func(t *testing.T) {
			requireFound(t, f.made(t), trusted, wants...)
		})
	}
}

// What can be changed undetected by rewriting the checksums: the words of the node,
// and metadata that name the same runtime.
func TestWhatIsNotProved(t *testing.T) {
	a, _, trusted := whole(t)
	for name, change := range map[string]func(b *bundle){
		"the node's words":    func(b *bundle) { b.manifest.Node.Chain = "another" },
		"a runtime's version": func(b *bundle) { b.manifest.Runtimes[0].Version = []byte(`{"specName":"moonbeam","specVersion":2302}`) },
		"no code":             func(b *bundle) { b.manifest.Runtimes[0].Code = nil },
		"metadata": func(b *bundle) {
			path := b.manifest.Runtimes[0].Metadata.Path
			changed := strings.Replace(string(b.files[path]), "TransactionFeePaid", "TransactionFeePaiD", 1)
			require.NotEqual(t, string(b.files[path]), changed)
			b.files[path] = []byte(changed)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := bundleFrom(t, a)
			change(b)
			v, err := verify(t.Context(), "archive", b.made(t), trusted, nil)
			require.NoError(t, err)
			require.EqualValues(t, 200, v.Proved)
		})
	}
}

// Verify says how far the trusted block proves.
func TestVerifyTrusted(t *testing.T) {
	a, files, trusted := whole(t)
	last, _ := trusted.Get()
	for height, want := range map[uint64]uint64{0: 0, 1: 1, 15: 15, 16: 16, 100: 100, 200: 200} {
		h, err := a.headed(height)
		require.NoError(t, err)
		var done []uint64
		v, err := verify(t.Context(), "archive", files, chain.Some(h.at()), func(n, total uint64) {
			require.EqualValues(t, 201, total)
			done = append(done, n)
		})
		require.NoError(t, err)
		require.Equal(t, want, v.Proved)
		require.EqualValues(t, 201, done[len(done)-1])
		requireFound(t, files, chain.Some(chain.Anchor{Height: height, Hash: chain.Hash{7}}), at(height)+"header: its hash is "+h.hash.String())
	}
	v, err := verify(t.Context(), "archive", files, chain.Optional[chain.Anchor]{}, nil)
	require.NoError(t, err)
	require.Zero(t, v.Proved)
	_, err = verify(t.Context(), "archive", files, chain.Some(chain.Anchor{Height: 201, Hash: last.Hash}), nil)
	require.ErrorContains(t, err, "checkpoint block 201 is not in the archive. Take one of blocks 1 to 200")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = verify(ctx, "archive", files, trusted, nil)
	require.ErrorIs(t, err, context.Canceled)
}
