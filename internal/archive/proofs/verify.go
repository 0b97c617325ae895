package proofs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	machine "runtime"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/substrate/trie"
	"github.com/feeledger/fees/internal/sys/inorder"
)

// Verified is the result of verifying an archive.
type Verified struct {
	Manifest *Manifest
	// Trusted is the block that proves everything up to it. If none was named, the archive's last block proves everything, but
	// that block is not confirmed.
	Trusted chain.Optional[chain.Anchor]
	// Proved is how many blocks of the range the trusted block proves: those above it are not proved.
	Proved uint64
}

// Verify proves an archive: each header by the one above and by the trusted block, the extrinsics and the state of each block
// by its header, and each runtime's name and code by the state. Each file must match its checksum, and there must be no
// other file. The error is [ErrDamaged], and names each block that fails and why. Progress, if not nil, receives the number
// of blocks verified.
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
	if t, given := trusted.Get(); given && (t.Height < m.base() || t.Height > m.Last) {
		return nil, a.trust(trusted)
	}
	listed := m.listed()
	if err := v.found.AddStrangers(files, func(path string) bool { return listed[path] }); err != nil {
		return nil, err
	}
	if err := v.blocks(ctx); err != nil {
		return nil, err
	}
	v.runtimes()
	if err := v.found.Err(name, ErrDamaged); err != nil {
		return nil, err
	}
	return &Verified{Manifest: m, Trusted: trusted, Proved: m.ProvedBy(trusted)}, nil
}

// verification is a verification in progress.
type verification struct {
	archive  *Archive
	trusted  chain.Optional[chain.Anchor]
	progress func(done, total uint64)
	done     uint64
	total    uint64
	highest  map[RuntimeName]uint64 // the highest block that a runtime executed
	found    archive.Findings
}

func (v *verification) find(err error) {
	v.found.Add(strings.TrimPrefix(strings.TrimPrefix(err.Error(), v.archive.name+": "), ErrDamaged.Error()+": "))
}

// looked is the result of verifying a segment.
type looked struct {
	*Segment
	top, below chain.Hash // hashes of its last block, and of the block below it
	headers    bool       // could be read
	heads      []headed
	executed   []RuntimeName
	findings   []error
}

// blocks proves all blocks: each segment by its own last header, which the segment above proves.
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
		case !l.headers: // the blocks above do not prove those below
			want = chain.Optional[chain.Hash]{}
			v.find(fmt.Errorf("%s: the blocks above do not prove those below block %d", l.Headers.Path, l.First))
		case known && l.top != top:
			v.find(fmt.Errorf("block %d: header: its hash is %v, but the block above, or the manifest, has %v", l.Last, l.top, top))
			fallthrough
		default:
			want = chain.Some(l.below)
		}
		v.trust(&l)
		if l.headers && l.Last == m.Last {
			v.after(&l.heads[len(l.heads)-1])
		}
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

// trust compares the trusted block, if it is in the segment.
func (v *verification) trust(l *looked) {
	t, given := v.trusted.Get()
	if !given || t.Height < l.First || t.Height > l.Last || !l.headers {
		return
	}
	if have := l.heads[t.Height-l.First].hash; have != t.Hash {
		v.find(&BlockError{t.Height, "header", fmt.Errorf("its hash is %v, but the checkpoint has %v", have, t.Hash)})
	}
}

// after checks that the archive contains the runtime after the last block. Without it, the state that the last block left
// cannot be decoded.
func (v *verification) after(last *headed) {
	m := v.archive.manifest
	switch {
	case last.upgrades() && m.After == nil:
		v.find(&BlockError{last.Number, "runtime", errors.New("it upgrades the runtime, but the archive lacks the runtime after it. Record the archive again")})
	case !last.upgrades() && m.After != nil:
		v.find(fmt.Errorf("%s: it lists a runtime after block %d, which does not upgrade", archive.ManifestPath, last.Number))
	case m.After != nil:
		if _, err := v.archive.runtime(m.After.RuntimeName); err != nil {
			v.find(err)
		}
	}
}

// look reads a segment and proves its contents.
func (v *verification) look(ctx context.Context, s *Segment) (l looked) {
	l.Segment = s
	encoded, err := v.archive.encodedHeaders(s)
	if err != nil {
		l.findings = append(l.findings, err)
		return l
	}
	l.heads, l.top, l.below, l.findings = linked(encoded, s.Heights)
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
			if !errors.Is(err, errOtherNodes) { // the blocks above need not contain what this one does
				for _, part := range read.blocks[i].parts {
					seen[trie.HashOf(part)] = true
				}
			}
		}
		l.executed = append(l.executed, name)
	}
	return l
}

// linked parses the headers of a range, each of which must be the parent of the next. It reads all of them, so that every
// wrong one is named.
func linked(encoded [][]byte, s chain.Heights) (heads []headed, top, below chain.Hash, findings []error) {
	heads = make([]headed, len(encoded))
	for i := range encoded {
		h, err := readHead(encoded[i], s.First+uint64(i))
		if err != nil {
			return nil, top, below, []error{err}
		}
		if i > 0 && h.ParentHash != heads[i-1].hash {
			findings = append(findings, &BlockError{h.Number - 1, "header", fmt.Errorf("its hash is %v, but block %d has %v", heads[i-1].hash, h.Number, h.ParentHash)})
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

// runtimes proves the code of the runtimes, and that each executed blocks above those of the previous one.
func (v *verification) runtimes() {
	m := v.archive.manifest
	whole := v.found.None() // otherwise the runtimes of some blocks are unknown
	next := m.base()
	for name := range v.highest {
		if !slices.ContainsFunc(m.Runtimes, func(r Runtime) bool { return r.RuntimeName == name }) {
			v.find(fmt.Errorf("%s: it lacks the runtime %v", archive.ManifestPath, name))
		}
	}
	for i := range m.Runtimes {
		r := &m.Runtimes[i]
		if _, err := v.archive.runtime(r.RuntimeName); err != nil {
			v.find(err)
		}
		highest, used := v.highest[r.RuntimeName]
		switch {
		case !whole:
		case !used:
			v.find(fmt.Errorf("%s: runtime %v executed no block", archive.ManifestPath, r.RuntimeName))
		case highest < next:
			v.find(fmt.Errorf("%s: runtime %v is out of order: block %d is the last that it executed", archive.ManifestPath, r.RuntimeName, highest))
		}
		next = highest + 1
		if r.Code == nil {
			continue
		}
		if whole && r.Code.At+1 != highest {
			v.find(fmt.Errorf("%s: the code of runtime %v is from block %d, but block %d is the last that it executed", archive.ManifestPath, r.RuntimeName, r.Code.At, highest))
		}
		if _, err := v.archive.code(r); err != nil {
			v.find(err)
		}
	}
}
