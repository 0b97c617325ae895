package answers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/httpclient"
)

// ErrLacks reports that an archive does not contain the requested data. It wraps [chain.ErrNotKept].
var ErrLacks error = lacks{}

type lacks struct{}

func (lacks) Error() string { return "the archive lacks it" }

func (lacks) Unwrap() error { return chain.ErrNotKept }

// ErrDamaged reports that a file of an archive was altered.
var ErrDamaged = failure.New(failure.Damaged, "the archive is damaged")

// Archive is a read-only set of recorded answers. It makes no requests.
type Archive struct {
	name     string
	files    fs.FS
	start    uint64                   // the lowest height of the range
	manifest *Manifest                // nil without a manifest
	pieces   map[string]archive.Piece // from the manifest, by path
	listed   map[string][]uint64      // the manifest's heights by directory, ascending

	otherNames func() map[chain.Address]string // of directories of balances; see readOtherNames

	turn     sync.Mutex                              // held while using segments
	segments simplelru.LRUCache[string, openSegment] // by path
}

// New returns the archive in files; errors use name.
func New(name string, files fs.FS) *Archive {
	a := &Archive{name: name, files: files, segments: archive.NewRecent[string, openSegment]()}
	a.otherNames = sync.OnceValue(a.readOtherNames)
	return a
}

// StartAt sets the start of the range and returns the archive. Earlier blocks can still be read.
func (a *Archive) StartAt(height uint64) *Archive {
	a.start = height
	return a
}

// OpenDirectory opens the archive in a directory.
func OpenDirectory(path string) (*Archive, error) {
	if err := checkDirectory(path); err != nil {
		return nil, err
	}
	a := New(path, os.DirFS(path))
	manifest, err := a.readManifest()
	if errors.Is(err, ErrLacks) { // recordings without a manifest, or an unfinished recording
		return a, a.hasBlocks()
	}
	if err != nil {
		return nil, err
	}
	a.manifest, a.pieces, a.listed = manifest, manifest.pieces(), manifest.heights()
	return a, nil
}

// hasBlocks returns an error if a directory without a manifest does not contain recordings.
func (a *Archive) hasBlocks() error {
	if info, err := fs.Stat(a.files, blockDirectory); err == nil && info.IsDir() {
		return nil
	}
	if a.has(segmentDirectory) {
		return fmt.Errorf("%s: %w: found segments but no %s; the recording is not finished", a.name, ErrLacks, archive.ManifestPath)
	}
	return &noArchiveError{fmt.Errorf("%s is not a directory of recordings: it contains no directory %s", a.name, blockDirectory)}
}

// Range returns the first and last height with a block, starting no lower than StartAt. Recordings without a manifest may
// have gaps.
func (a *Archive) Range() (first, last uint64, err error) {
	if a.segmented() {
		return a.manifest.First, a.manifest.Last, nil
	}
	heights, err := a.heights()
	if err != nil {
		return 0, 0, err
	}
	return max(heights[0], a.start), heights[len(heights)-1], nil
}

// Kept returns the heights of Range: an archive does not grow.
func (a *Archive) Kept() (h chain.Heights, err error) {
	h.First, h.Last, err = a.Range()
	return h, err
}

// FinalHead returns the block at the highest height.
func (a *Archive) FinalHead(ctx context.Context) (chain.Head, error) {
	b, err := a.Head(ctx, false)
	if err != nil {
		return chain.Head{}, err
	}
	return chain.Head{Number: b.Number, Hash: chain.Some(b.Hash)}, nil
}

// Head returns the block at the highest height. An archive cannot distinguish the newest block from the newest final
// block.
func (a *Archive) Head(ctx context.Context, _ bool) (*chain.Block, error) {
	_, last, err := a.Range()
	if err != nil {
		return nil, err
	}
	return a.Block(ctx, last)
}

// Block returns the block at a height.
func (a *Archive) Block(ctx context.Context, height uint64) (*chain.Block, error) {
	path := blockPath(height)
	text, err := a.readUpTo(path, httpclient.MaxAnswer(ctx, httpclient.DefaultMaxAnswer))
	if errors.Is(err, ErrLacks) {
		if first, last, none := a.Range(); none == nil {
			return nil, fmt.Errorf("%w; it contains blocks %d to %d", err, first, last)
		}
	}
	if err != nil {
		return nil, err
	}
	b, err := sidecar.DecodeBlock(text)
	if err != nil {
		return nil, a.damaged(path, err)
	}
	if b.Number != height {
		return nil, a.damaged(path, fmt.Errorf("the file contains block %d", b.Number))
	}
	return b, nil
}

// BlockByHash searches the blocks for a hash.
func (a *Archive) BlockByHash(ctx context.Context, hash chain.Hash) (*chain.Block, error) {
	heights, err := a.downwards()
	if err != nil {
		return nil, err
	}
	var damaged error // the damaged block may be the one
	for height := range heights {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		switch b, err := a.Block(ctx, height); {
		case err != nil:
			damaged = err
		case b.Hash == hash:
			return b, nil
		}
	}
	if damaged != nil {
		return nil, damaged
	}
	return nil, fmt.Errorf("%s: block %v: %w", a.name, hash, ErrLacks)
}

// Multiplier returns the fee multiplier after the block at a height.
func (a *Archive) Multiplier(_ context.Context, at uint64) (chain.AtBlock[chain.Multiplier], error) {
	return readAt(a, multiplierPath(at), at, sidecar.DecodeMultiplier)
}

// readAt reads an answer that must describe the state at a height.
func readAt[T any](a *Archive, path string, at uint64, decode func(string) (chain.AtBlock[T], error)) (none chain.AtBlock[T], err error) {
	text, err := a.read(path)
	if err != nil {
		return none, err
	}
	v, err := decode(text)
	if err == nil && v.At != at {
		err = fmt.Errorf("the answer is for block %d", v.At)
	}
	if err != nil {
		return none, a.damaged(path, err)
	}
	return v, nil
}

// Runtime returns the runtime after the block at a height. An archive without any runtime spec returns
// [chain.ErrNotOffered], as its gateway would have.
func (a *Archive) Runtime(_ context.Context, at uint64) (chain.AtBlock[chain.Runtime], error) {
	path, text, err := a.runtimeText(at)
	if err != nil {
		return chain.AtBlock[chain.Runtime]{}, err
	}
	r, err := sidecar.DecodeRuntime(text)
	if err == nil && path != runtimeForAll && path != runtimePath(r.At) {
		err = fmt.Errorf("the answer is for block %d", r.At)
	}
	if err != nil {
		return chain.AtBlock[chain.Runtime]{}, a.damaged(path, err)
	}
	if r.At != at { // recorded at another height with the same runtime
		r.At, r.AtHash = at, chain.Optional[chain.Hash]{}
	}
	return r, nil
}

// runtimeText returns the file with the runtime at a height.
func (a *Archive) runtimeText(at uint64) (path, text string, err error) {
	path = a.runtimeFile(at)
	if text, err = a.read(path); path == runtimeForAll && errors.Is(err, ErrLacks) {
		err = fmt.Errorf("%s: %s: %w", a.name, path, chain.ErrNotOffered)
	}
	return path, text, err
}

// runtimeFile returns the path of the file with the runtime at a height. With a manifest, it is the file with the
// highest height up to at: the recorder stored each change. Without a manifest, changes may be missing.
func (a *Archive) runtimeFile(at uint64) string {
	kept := a.listed[runtimeDirectory]
	if a.manifest == nil && !a.has(runtimeDirectory) || a.manifest != nil && len(kept) == 0 {
		return runtimeForAll
	}
	if a.manifest == nil || at > a.manifest.Last {
		return runtimePath(at)
	}
	after, exact := slices.BinarySearch(kept, at)
	if exact || after == 0 {
		return runtimePath(at)
	}
	return runtimePath(kept[after-1])
}

// FeesTreasuryProportion returns that parameter after the block at a height, or [chain.ErrNotKept] if it was not
// recorded.
func (a *Archive) FeesTreasuryProportion(_ context.Context, key string, at uint64) (none chain.AtBlock[chain.Optional[chain.Perbill]], err error) {
	path := parameterPath(at)
	if m := a.manifest; m != nil && m.ParameterKey != key {
		if _, err := a.read(path); err != nil {
			return none, err
		}
		return none, fmt.Errorf("%s: %s: %w: recorded with key %s, not %s", a.name, path, ErrLacks, m.ParameterKey, key)
	}
	return readAt(a, path, at, func(text string) (chain.AtBlock[chain.Optional[chain.Perbill]], error) {
		return sidecar.DecodeProportion(text, key)
	})
}

// requested reports whether a kind of answer was requested when the archive was made: as the manifest states, or else if it
// has a directory.
func (a *Archive) requested(directory string, stated func(*Manifest) bool) bool {
	if a.manifest != nil {
		return stated(a.manifest)
	}
	return a.has(directory)
}

func (a *Archive) hasParameters() bool {
	return a.requested(parameterDirectory, func(m *Manifest) bool { return m.ParameterKey != "" })
}

func (a *Archive) hasBlockWeights() bool {
	return a.requested(weightDirectory, func(m *Manifest) bool { return len(m.BlockWeights) > 0 })
}

func (a *Archive) hasBaseFees() bool {
	return a.requested(baseFeeDirectory, func(m *Manifest) bool { return m.BaseFeeItem != "" })
}

// BlockWeight returns the weight that the chain counted for the block at a height, by class. It returns
// [chain.ErrNotKept] if it was not recorded, and [chain.ErrNotOffered] if the archive contains no weights.
func (a *Archive) BlockWeight(_ context.Context, at uint64) (none chain.AtBlock[chain.ClassWeights], err error) {
	path := weightPath(at)
	if !a.hasBlockWeights() {
		return none, fmt.Errorf("%s: %s: %w", a.name, path, chain.ErrNotOffered)
	}
	return readAt(a, path, at, sidecar.DecodeBlockWeight)
}

// Balance returns an account's balance after the block at a height, if the account's balances were recorded.
func (a *Archive) Balance(_ context.Context, account chain.Address, at chain.Optional[uint64]) (chain.AtBlock[chain.Account], error) {
	height, ok := at.Get()
	if !ok {
		_, last, err := a.Range()
		if err != nil {
			return chain.AtBlock[chain.Account]{}, err
		}
		height = last
	}
	return readAt(a, balancePath(a.nameOf(account), height), height, sidecar.DecodeBalance)
}

// nameOf returns the name of an account's directory. Without a manifest, people name it: in any form of the account.
func (a *Archive) nameOf(account chain.Address) string {
	if a.manifest == nil {
		if name, other := a.otherNames()[account]; other {
			return name
		}
	}
	return account.Plain()
}

// readOtherNames returns the accounts whose directories do not have the usual names.
func (a *Archive) readOtherNames() map[chain.Address]string {
	names := map[chain.Address]string{}
	list, _ := fs.ReadDir(a.files, balanceDirectory) // without it, there are no balances
	for _, entry := range list {
		if account, err := chain.ParseAccount(entry.Name()); err == nil {
			names[account] = entry.Name()
		}
	}
	for _, entry := range list {
		if account, err := chain.ParseAccount(entry.Name()); err == nil && entry.Name() == account.Plain() {
			delete(names, account)
		}
	}
	return names
}

// NodeVersion returns the version of the node behind the gateway.
func (a *Archive) NodeVersion(context.Context) (chain.NodeVersion, error) {
	const path = nodePath
	text, err := a.read(path)
	if errors.Is(err, ErrLacks) {
		return chain.NodeVersion{}, fmt.Errorf("%s: %s: %w", a.name, path, chain.ErrNotOffered)
	}
	if err != nil {
		return chain.NodeVersion{}, err
	}
	n, err := sidecar.DecodeNodeVersion(text)
	if err != nil {
		return chain.NodeVersion{}, a.damaged(path, err)
	}
	return n, nil
}

// segmented reports whether the answers are in segments.
func (a *Archive) segmented() bool { return a.manifest != nil && len(a.manifest.Segments) > 0 }

// downwards returns the heights with a block, descending.
func (a *Archive) downwards() (iter.Seq[uint64], error) {
	if a.segmented() {
		first, last := a.manifest.First, a.manifest.Last
		return func(yield func(uint64) bool) {
			for left := last - first + 1; left > 0 && yield(first+left-1); left-- {
			}
		}, nil
	}
	heights, err := a.heights()
	return func(yield func(uint64) bool) {
		for _, height := range slices.Backward(heights) {
			if !yield(height) {
				return
			}
		}
	}, err
}

// heights returns the heights with a block, ascending; there is at least one. It requires an archive without
// segments.
func (a *Archive) heights() ([]uint64, error) {
	heights, err := a.heightsIn(blockDirectory)
	if err != nil {
		return nil, err
	}
	if len(heights) == 0 {
		return nil, fmt.Errorf("%s: %s: %w: no <height>.json", a.name, blockDirectory, ErrLacks)
	}
	return heights, nil
}

// heightsIn returns the heights with a file in a directory, ascending. Files that a manifest does not list are
// ignored.
func (a *Archive) heightsIn(directory string) ([]uint64, error) {
	if a.manifest != nil {
		return a.listed[directory], nil
	}
	entries, err := fs.ReadDir(a.files, directory)
	if err != nil {
		return nil, a.damaged(directory, err)
	}
	var heights []uint64
	for _, entry := range entries {
		heights = appendHeight(heights, entry.Name())
	}
	slices.Sort(heights)
	return heights, nil
}

// has reports whether a path exists, readable or not.
func (a *Archive) has(path string) bool {
	_, err := fs.Stat(a.files, path)
	return !errors.Is(err, fs.ErrNotExist)
}

// read returns an answer, checked against the manifest if there is one.
func (a *Archive) read(path string) (string, error) {
	return a.readUpTo(path, httpclient.DefaultMaxAnswer)
}

// readUpTo is read with a size limit. A larger answer is [httpclient.ErrTooLarge], and is not read.
func (a *Archive) readUpTo(path string, maxSize int) (string, error) {
	piece, listed := a.pieces[path]
	switch {
	case a.manifest == nil:
		return a.readFile(path, maxSize)
	case !listed && a.segmented():
		return a.readSegment(path, maxSize)
	case !listed:
		return "", fmt.Errorf("%s: %s: %w", a.name, path, ErrLacks)
	case maxSize < httpclient.DefaultMaxAnswer && piece.Size > int64(maxSize):
		return "", a.tooLarge(path)
	}
	text, err := piece.Read(a.files, httpclient.DefaultMaxAnswer)
	return string(text), a.unread(path, err)
}

// readFile returns a file's text, up to a size limit.
func (a *Archive) readFile(path string, maxSize int) (string, error) {
	text, err := archive.Read(a.files, path, int64(maxSize))
	if errors.As(err, new(*archive.LargeError)) && maxSize < httpclient.DefaultMaxAnswer {
		return "", a.tooLarge(path)
	}
	return string(text), a.unread(path, err)
}

// unread returns the error for a file that could not be read.
func (a *Archive) unread(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %s: %w", a.name, path, ErrLacks)
	case errors.As(err, new(*archive.LargeError)):
		err = errTooLarge
	}
	return a.damaged(path, err)
}

func (a *Archive) tooLarge(path string) error {
	return fmt.Errorf("%s: %s: %w", a.name, path, httpclient.ErrTooLarge)
}

func (a *Archive) damaged(path string, err error) error {
	var refused *sidecar.RefusalError
	if errors.As(err, &refused) { // the gateway's message, as recorded
		return fmt.Errorf("%s: %s: %w: %w", a.name, path, chain.ErrUnsupported, refused)
	}
	return fmt.Errorf("%s: %s: %w: %w", a.name, path, ErrDamaged, err)
}
