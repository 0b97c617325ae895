package proofs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	machine "runtime"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/trie"
	"github.com/feeledger/fees/internal/sys/inorder"
)

// Verified is what was found of an archive.
type Verified struct {
	Manifest *Manifest
	// Trusted is the block by which all up to it is proved. Where none was named, all is
	// proved by the archive's last block, which nobody trusts yet.
	Trusted chain.Optional[chain.Anchor]
	// Proved is how many blocks of the range are proved by the trusted block: those above it are not.
	Proved uint64
}

// maxShown is how many findings an error names.
const maxShown = 10

// Verify proves an archive: each header by the one above, and by the trusted block, the
// extrinsics and the state of each block by its header, each runtime's name and code by the
// state. And each file is to be the one that was recorded, with none besides. An error is
// [ErrDamaged], and names each block that does not prove and what of it does not fit.
// Progress is told, if not nil, how many blocks were looked at.
func Verify(ctx context.Context, directory string, trusted chain.Optional[chain.Anchor], progress func(done, total uint64)) (*Verified, error) {
	return verify(ctx, directory, os.DirFS(directory), trusted, progress)
}

func verify(ctx context.Context, name string, files fs.FS, trusted chain.Optional[chain.Anchor], progress func(done, total uint64)) (*Verified, error) {
	a, err := open(name, files)
	if err != nil {
		return nil, err
	}
	m := a.manifest
	v := &verification{archive: a, trusted: trusted, progress: progress, total: m.Last - m.base() + 1, highest: map[RuntimeName]uint64{}}
	if t, any := trusted.Get(); any && (t.Height < m.base() || t.Height > m.Last) {
		return nil, a.trust(trusted)
	}
	if err := v.files(); err != nil {
		return nil, err
	}
	if err := v.blocks(ctx); err != nil {
		return nil, err
	}
	v.runtimes()
	if len(v.found) > 0 {
		more := ""
		if v.count > len(v.found) {
			more = fmt.Sprintf("; and %d more", v.count-len(v.found))
		}
		return nil, fmt.Errorf("%s: %w: %s%s", name, ErrDamaged, strings.Join(v.found, "; "), more)
	}
	return &Verified{Manifest: m, Trusted: trusted, Proved: m.ProvedBy(trusted)}, nil
}

// verification is an archive that is verified.
type verification struct {
	archive  *Archive
	trusted  chain.Optional[chain.Anchor]
	progress func(done, total uint64)
	done     uint64
	total    uint64
	highest  map[RuntimeName]uint64 // the highest block that a runtime executed
	found    []string               // at most maxShown
	count    int                    // of all that was found
}

func (v *verification) find(err error) {
	if v.count++; len(v.found) < maxShown {
		v.found = append(v.found, strings.TrimPrefix(strings.TrimPrefix(err.Error(), v.archive.name+": "), ErrDamaged.Error()+": "))
	}
}

// files looks for files that are none of the archive's.
func (v *verification) files() error {
	listed := v.archive.manifest.listed()
	return fs.WalkDir(v.archive.files, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || entry.IsDir():
			return err
		case !listed[path]:
			v.find(fmt.Errorf("%s: it is not in the manifest", path))
		case !entry.Type().IsRegular():
			v.find(fmt.Errorf("%s: it is not a regular file", path))
		}
		return nil
	})
}

// looked is what was found of a segment.
type looked struct {
	*Segment
	top, below chain.Hash // of its last block, and of the block below it
	headers    bool       // could be read
	heads      []headed
	executed   []RuntimeName
	findings   []error
}

// blocks proves all blocks: each segment by its own last header, and that by the segment
// above it.
func (v *verification) blocks(ctx context.Context) error {
	m := v.archive.manifest
	segments := iter.Seq[*Segment](func(yield func(*Segment) bool) {
		for i := len(m.Segments) - 1; i >= 0; i-- {
			if !yield(&m.Segments[i]) {
				return
			}
		}
	})
	want := chain.Some(m.LastHash)
	for l := range inorder.Map(ctx, segments, machine.GOMAXPROCS(0), v.look) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, err := range l.findings {
			v.find(err)
		}
		top, known := want.Get()
		switch {
		case !l.headers: // what is below is not proved by what is above
			want = chain.Optional[chain.Hash]{}
			v.find(fmt.Errorf("%s: the blocks below block %d are not proved by those above", l.Headers.Path, l.First))
		case known && l.top != top:
			v.find(fmt.Errorf("block %d: header: its hash is %v, and the block above, or the manifest, has %v", l.Last, l.top, top))
			fallthrough
		default:
			want = chain.Some(l.below)
		}
		v.trust(&l)
		for i := len(l.executed) - 1; i >= 0; i-- {
			if _, known := v.highest[l.executed[i]]; !known {
				v.highest[l.executed[i]] = l.First + uint64(i)
			}
		}
		if v.done += l.Last - l.First + 1; v.progress != nil {
			v.progress(v.done, v.total)
		}
	}
	return ctx.Err()
}

// trust compares the trusted block, where a segment has it.
func (v *verification) trust(l *looked) {
	t, any := v.trusted.Get()
	if !any || t.Height < l.First || t.Height > l.Last || !l.headers {
		return
	}
	if have := l.heads[t.Height-l.First].hash; have != t.Hash {
		v.find(&BlockError{t.Height, "header", fmt.Errorf("its hash is %v, and %v is trusted", have, t.Hash)})
	}
}

// look reads a segment and proves what is in it.
func (v *verification) look(ctx context.Context, s *Segment) (l looked) {
	l.Segment = s
	encoded, err := v.archive.encodedHeaders(s)
	if err != nil {
		l.findings = append(l.findings, err)
		return l
	}
	l.heads, l.top, l.below, l.findings = linked(encoded, s.span())
	if l.heads == nil {
		return l
	}
	l.headers = true
	read, err := v.archive.readSegment(s)
	if err != nil {
		l.findings = append(l.findings, err)
		return l
	}
	seen := map[trie.Hash]bool{}
	for i := range l.heads {
		if ctx.Err() != nil {
			return l
		}
		name, err := v.block(&l.heads[i], &read.blocks[i], read.proof, seen)
		if err != nil {
			l.findings = append(l.findings, err)
			if !errors.Is(err, errOtherNodes) { // what it has, the blocks above need not have
				for _, part := range read.blocks[i].parts {
					seen[trie.HashOf(part)] = true
				}
			}
		}
		l.executed = append(l.executed, name)
	}
	return l
}

// linked reads the headers of a span, each of which is to be the parent of the next. All are
// read, so that each that does not fit is named.
func linked(encoded [][]byte, s span) (heads []headed, top, below chain.Hash, findings []error) {
	heads = make([]headed, len(encoded))
	for i := range encoded {
		h, err := readHead(encoded[i], s.first+uint64(i))
		if err != nil {
			return nil, top, below, []error{err}
		}
		if i > 0 && h.ParentHash != heads[i-1].hash {
			findings = append(findings, &BlockError{h.Number - 1, "header", fmt.Errorf("its hash is %v, and block %d has it as %v", heads[i-1].hash, h.Number, h.ParentHash)})
		}
		heads[i] = h
	}
	return heads, heads[len(heads)-1].hash, heads[0].ParentHash, findings
}

// block proves a block by its header.
func (v *verification) block(h *headed, b *block, proof *trie.Proof, seen map[trie.Hash]bool) (RuntimeName, error) {
	name, err := runtimeOf(h, proof)
	if err != nil {
		return name, err
	}
	r, err := v.archive.runtime(name)
	if err != nil {
		return name, &BlockError{h.Number, "runtime", err}
	}
	return name, proveBlock(h, b, proof, r, seen)
}

// runtimes proves the code of the runtimes, and that each executed blocks above those of the
// one before it.
func (v *verification) runtimes() {
	m := v.archive.manifest
	whole := v.count == 0 // else it is not known of all blocks who executed them
	next := m.base()
	for i := range m.Runtimes {
		r := &m.Runtimes[i]
		if _, err := v.archive.runtime(r.RuntimeName); err != nil {
			v.find(err)
		}
		highest, used := v.highest[r.RuntimeName]
		switch {
		case !whole:
		case !used:
			v.find(fmt.Errorf("%s: no block was executed by the runtime %v", manifestPath, r.RuntimeName))
		case highest < next:
			v.find(fmt.Errorf("%s: the runtime %v is not in its place: block %d is the last that it executed", manifestPath, r.RuntimeName, highest))
		}
		next = highest + 1
		if r.Code == nil {
			continue
		}
		if whole && r.Code.At+1 != highest {
			v.find(fmt.Errorf("%s: the code of the runtime %v is that of block %d, and block %d is the last that it executed", manifestPath, r.RuntimeName, r.Code.At, highest))
		}
		if _, err := v.archive.code(r); err != nil {
			v.find(err)
		}
	}
}
