package proofs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/sys/disk"
)

// ErrDamaged reports that part of an archive was altered.
var ErrDamaged = failure.New(failure.Damaged, "damaged")

// unfinishedError reports that a directory is not an archive, or not complete. It wraps [ErrDamaged].
type unfinishedError struct {
	name string
	err  error // why the directory cannot be used; nil if it can
}

func (e *unfinishedError) Error() string {
	if e.err != nil {
		return e.err.Error()
	}
	return fmt.Sprintf("%s is not an archive of a node: no %s. If a recording was interrupted, continue it with \"fees archive record RANGE -o DIR\".", e.name, archive.ManifestPath)
}

func (e *unfinishedError) Unwrap() error { return ErrDamaged }

// Archive is an archive opened for reading. It is safe for concurrent use. Everything it returns about a block is
// proved when it is read, by the hash of the archive's last block and, if there is one, of the trusted block.
type Archive struct {
	name     string
	files    fs.FS
	manifest *Manifest
	accounts []chain.Address
	trusted  chain.Optional[chain.Anchor]

	turn     sync.Mutex // held while reading
	tops     []chain.Optional[chain.Hash]
	chains   simplelru.LRUCache[int, []headed]
	segments simplelru.LRUCache[int, *segment]
	heights  heights
	runtimes map[RuntimeName]readRuntime
}

// readRuntime is a runtime that was read, or the error.
type readRuntime struct {
	*runtime
	err error
}

// Is reports whether a directory claims to be such an archive, or contains an interrupted recording.
func Is(directory string) bool {
	file, err := os.Open(filepath.Join(directory, archive.ManifestPath))
	if errors.Is(err, fs.ErrNotExist) {
		begun, err := os.ReadDir(filepath.Join(directory, "headers"))
		return err == nil && len(begun) > 0 && filepath.Ext(begun[0].Name()) == ".zst"
	}
	if err != nil {
		return false
	}
	defer file.Close()
	begin := make([]byte, 256)
	n, _ := io.ReadFull(file, begin)
	return strings.Contains(string(begin[:n]), `"format": "fees node archive`)
}

// Open opens the archive in a directory. A trusted block must be in the archive; the blocks above it are then not
// proved, only recorded.
func Open(directory string, trusted chain.Optional[chain.Anchor]) (*Archive, error) {
	if err := disk.CheckDirectory(directory); err != nil {
		return nil, &unfinishedError{directory, err}
	}
	a, err := open(directory, os.DirFS(directory))
	if err == nil {
		err = a.trust(trusted)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

func open(name string, files fs.FS) (*Archive, error) {
	a := &Archive{
		name: name, files: files, runtimes: map[RuntimeName]readRuntime{},
		chains: archive.NewRecent[int, []headed](), segments: archive.NewRecent[int, *segment](),
	}
	text, err := a.read(archive.ManifestPath, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &unfinishedError{name: name}
	}
	if err != nil {
		return nil, err
	}
	if a.manifest, err = readManifest(string(text)); err != nil {
		return nil, a.damaged(archive.ManifestPath, err)
	}
	a.accounts, _ = a.manifest.accounts() // checked
	a.tops = make([]chain.Optional[chain.Hash], len(a.manifest.Segments))
	a.tops[len(a.tops)-1] = chain.Some(a.manifest.LastHash)
	return a, nil
}

// trust checks that the archive contains a block, which then proves everything below it.
func (a *Archive) trust(trusted chain.Optional[chain.Anchor]) error {
	t, given := trusted.Get()
	if !given {
		return nil
	}
	m := a.manifest
	if t.Height < m.base() || t.Height > m.Last {
		return fmt.Errorf("%s: checkpoint block %d is not in the archive. Take one of blocks %d to %d from an explorer.", a.name, t.Height, m.First, m.Last)
	}
	h, err := a.headed(t.Height)
	if err != nil {
		return err
	}
	if h.hash != t.Hash {
		return a.damaged(a.manifest.Segments[a.manifest.segmentOf(t.Height)].Headers.Path,
			&BlockError{t.Height, "header", fmt.Errorf("its hash is %v, but the checkpoint has %v", h.hash, t.Hash)})
	}
	a.trusted = trusted
	return nil
}

// TrustOneOf trusts the highest block in the archive of those known for its chain, given the chain's specName, if there is
// any.
func (a *Archive) TrustOneOf(known func(specName string) []chain.Anchor) error {
	m := a.manifest
	var best chain.Optional[chain.Anchor]
	for _, anchor := range known(m.Runtimes[len(m.Runtimes)-1].SpecName) {
		if highest, found := best.Get(); anchor.Height >= m.base() && anchor.Height <= m.Last && (!found || anchor.Height > highest.Height) {
			best = chain.Some(anchor)
		}
	}
	return a.trust(best)
}

// Kept returns the heights of the range.
func (a *Archive) Kept() chain.Heights {
	return chain.Heights{First: a.manifest.First, Last: a.manifest.Last}
}

// Proved returns the trusted block, which proves all blocks up to it.
func (a *Archive) Proved() chain.Optional[chain.Anchor] { return a.trusted }

// Base returns the block below the range, which is included for the state it left.
func (a *Archive) Base() (chain.Anchor, error) {
	h, err := a.headed(a.manifest.base())
	return h.at(), err
}

func (a *Archive) damaged(path string, err error) error {
	return fmt.Errorf("%s: %w: %s: %w", a.name, ErrDamaged, path, err)
}

const maxManifest = 64 << 20

// read reads a file up to a size limit.
func (a *Archive) read(path string, limit int64) ([]byte, error) {
	bytes, err := archive.Read(a.files, path, limit)
	if errors.Is(err, disk.ErrNotRegular) || errors.As(err, new(*archive.LargeError)) {
		err = a.damaged(path, err)
	}
	return bytes, err
}

// piece returns the content of a file of the archive, up to a size limit.
func (a *Archive) piece(p archive.Piece, limit int) ([]byte, error) {
	bytes, err := p.Read(a.files, int64(limit))
	if errors.As(err, new(*fs.PathError)) { // of this machine
		return nil, err
	}
	if err == nil {
		bytes, err = archive.Unpack(bytes, limit)
	}
	if err != nil {
		return nil, a.damaged(p.Path, err)
	}
	return bytes, nil
}

// headed returns the header of a block, proved by those above it.
func (a *Archive) headed(height uint64) (headed, error) {
	a.turn.Lock()
	defer a.turn.Unlock()
	chain, err := a.chainOf(a.manifest.segmentOf(height))
	if err != nil {
		return headed{}, err
	}
	return chain[height-chain[0].Number], nil
}

// chainOf returns the proved headers of a segment. The caller holds turn.
func (a *Archive) chainOf(i int) ([]headed, error) {
	if list, known := a.chains.Get(i); known {
		return list, nil
	}
	from := i // the nearest segment above with a proved last block
	for !a.tops[from].Known() {
		from++
	}
	for ; ; from-- {
		top, _ := a.tops[from].Get()
		list, below, err := a.readChain(&a.manifest.Segments[from], top)
		if err != nil {
			return nil, err
		}
		if from > 0 {
			a.tops[from-1] = chain.Some(below)
		}
		if from == i {
			a.chains.Add(i, list)
			return list, nil
		}
	}
}

// readChain reads the headers of a segment and proves them with the hash of its last block.
func (a *Archive) readChain(s *Segment, top chain.Hash) (list []headed, below chain.Hash, err error) {
	encoded, err := a.encodedHeaders(s)
	if err != nil {
		return nil, below, err
	}
	list, below, err = proveChain(encoded, s.Heights, top)
	if err != nil {
		return nil, below, a.damaged(s.Headers.Path, err)
	}
	for i := range list {
		a.heights.add(list[i].hash, list[i].Number)
	}
	return list, below, nil
}

func (a *Archive) encodedHeaders(s *Segment) ([][]byte, error) {
	bytes, err := a.piece(s.Headers, maxHeaders)
	if err != nil {
		return nil, err
	}
	headers, err := readHeaders(bytes, s.Heights)
	if err != nil {
		return nil, a.damaged(s.Headers.Path, err)
	}
	return headers, nil
}

// proveChain proves the headers of a range from its last block down.
func proveChain(encoded [][]byte, s chain.Heights, top chain.Hash) (list []headed, below chain.Hash, err error) {
	list = make([]headed, len(encoded))
	at := chain.Anchor{Height: s.Last, Hash: top}
	for i := len(encoded) - 1; i >= 0; i-- {
		h, parent, err := proveHeader(encoded[i], at)
		if err != nil {
			return nil, below, err
		}
		list[i] = h
		at, _ = parent.Get()
	}
	return list, list[0].ParentHash, nil
}

// segmentOf returns the segment that contains a height, and its headers, both proved. The contents of the blocks are proved
// when they are read.
func (a *Archive) segmentOf(height uint64) (*segment, []headed, error) {
	a.turn.Lock()
	defer a.turn.Unlock()
	i := a.manifest.segmentOf(height)
	list, err := a.chainOf(i)
	if err != nil {
		return nil, nil, err
	}
	if s, known := a.segments.Get(i); known {
		return s, list, nil
	}
	s, err := a.readSegment(&a.manifest.Segments[i])
	if err != nil {
		return nil, nil, err
	}
	a.segments.Add(i, s)
	return s, list, nil
}

func (a *Archive) readSegment(s *Segment) (*segment, error) {
	bytes, err := a.piece(s.Blocks, maxBlocks)
	if err != nil {
		return nil, err
	}
	read, err := readSegment(bytes, s.Heights)
	if err != nil {
		return nil, a.damaged(s.Blocks.Path, err)
	}
	return read, nil
}

// runtime returns a runtime of the archive, with the keys recorded for its blocks.
func (a *Archive) runtime(name RuntimeName) (*runtime, error) {
	a.turn.Lock()
	defer a.turn.Unlock()
	if known, found := a.runtimes[name]; found {
		return known.runtime, known.err
	}
	listed := a.manifest.runtime(name)
	if listed == nil {
		return nil, a.damaged(archive.ManifestPath, fmt.Errorf("it lacks the runtime %v", name))
	}
	bytes, err := a.piece(listed.Metadata, maxRuntime)
	var r *runtime
	if err == nil {
		if r, err = newRuntime(listed, bytes, a.accounts); err != nil {
			err = a.damaged(listed.Metadata.Path, err)
		}
	}
	a.runtimes[name] = readRuntime{r, err}
	return r, err
}

// MetadataOf returns the metadata of a runtime as the node supplied them. The chain does not prove them.
func (a *Archive) MetadataOf(r *Runtime) ([]byte, error) { return a.piece(r.Metadata, maxRuntime) }

// code returns the proof of a runtime's code.
func (a *Archive) code(r *Runtime) ([][]byte, error) {
	piece := r.Code.Proof
	bytes, err := a.piece(piece, maxRuntime)
	if err != nil {
		return nil, err
	}
	parts, err := readParts(bytes)
	if err != nil {
		return nil, a.damaged(piece.Path, err)
	}
	h, err := a.headed(r.Code.At)
	if err != nil {
		return nil, err
	}
	hash, needed, err := proveCode(&h, parts)
	switch {
	case err != nil:
		return nil, a.damaged(piece.Path, err)
	case hash != r.Code.Hash:
		return nil, a.damaged(piece.Path, &BlockError{h.Number, ":code", fmt.Errorf("its hash is %v, but the manifest has %v", hash, r.Code.Hash)})
	case !slices.EqualFunc(parts, needed, slices.Equal):
		return nil, a.damaged(piece.Path, &BlockError{h.Number, ":code", errOtherNodes})
	}
	return parts, nil
}
