// Package archive reads gateway answers that were kept as files: the exact
// bytes, one file an answer.
//
//	blocks/<height>.json        /blocks/<height>
//	multiplier/<height>.json    nextFeeMultiplier?at=<height>
//	runtime-spec/<height>.json  /runtime/spec?at=<height>, or
//	runtime-spec.json           the same for all heights
//	node-version.json           /node/version
//
// Its head is the highest height that has a block.
package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
)

// ErrLacks says that an archive does not have what was asked for.
var ErrLacks = errors.New("the archive lacks it")

// ErrDamaged says that a file of an archive is not what it should be.
var ErrDamaged = errors.New("the archive is damaged")

// Archive is a set of kept answers. It asks nobody and changes nothing.
type Archive struct {
	name  string
	files fs.FS
}

// New returns the archive in files; name stands for it in errors.
func New(name string, files fs.FS) *Archive { return &Archive{name, files} }

// OpenDirectory returns the archive in a directory.
func OpenDirectory(path string) (*Archive, error) {
	a := New(path, os.DirFS(path))
	info, err := fs.Stat(a.files, "blocks")
	if err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s: %w: it has no directory blocks", path, ErrLacks)
	}
	return a, nil
}

// Head is the block at the highest height. An archive cannot tell a newest from
// a newest final one: it has what was kept.
func (a *Archive) Head(ctx context.Context, _ bool) (*chain.Block, error) {
	heights, err := a.heights()
	if err != nil {
		return nil, err
	}
	return a.Block(ctx, heights[len(heights)-1])
}

// Block is the block at a height.
func (a *Archive) Block(_ context.Context, height uint64) (*chain.Block, error) {
	path := fmt.Sprintf("blocks/%d.json", height)
	text, err := a.read(path)
	if errors.Is(err, ErrLacks) {
		if heights, none := a.heights(); none == nil {
			return nil, fmt.Errorf("%w; it has blocks from %d to %d", err, heights[0], heights[len(heights)-1])
		}
	}
	if err != nil {
		return nil, err
	}
	b, err := gatewayclient.DecodeBlock(text)
	if err != nil {
		return nil, a.damaged(path, err)
	}
	if b.Number != height {
		return nil, a.damaged(path, fmt.Errorf("it is block %d", b.Number))
	}
	return b, nil
}

// BlockByHash looks through the blocks for the one with that hash.
func (a *Archive) BlockByHash(ctx context.Context, hash chain.Hash) (*chain.Block, error) {
	heights, err := a.heights()
	if err != nil {
		return nil, err
	}
	var damaged error // it may be the block
	for _, height := range slices.Backward(heights) {
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

// Multiplier is the fee multiplier that the block at a height left behind.
func (a *Archive) Multiplier(_ context.Context, at uint64) (gatewayclient.StoredMultiplier, error) {
	path := fmt.Sprintf("multiplier/%d.json", at)
	text, err := a.read(path)
	if err != nil {
		return gatewayclient.StoredMultiplier{}, err
	}
	m, err := gatewayclient.DecodeMultiplier(text)
	if err == nil && m.At != at {
		err = fmt.Errorf("it is at block %d", m.At)
	}
	if err != nil {
		return gatewayclient.StoredMultiplier{}, a.damaged(path, err)
	}
	return m, nil
}

// Runtime is the runtime that the block at a height left behind. An archive
// without any runtime spec answers [gatewayclient.ErrNoEndpoint], as its gateway
// would have.
func (a *Archive) Runtime(_ context.Context, at uint64) (gatewayclient.Runtime, error) {
	path, forAll := fmt.Sprintf("runtime-spec/%d.json", at), false
	if !a.has("runtime-spec") {
		path, forAll = "runtime-spec.json", true
	}
	text, err := a.read(path)
	if forAll && errors.Is(err, ErrLacks) {
		return gatewayclient.Runtime{}, fmt.Errorf("%s: %s: %w", a.name, path, gatewayclient.ErrNoEndpoint)
	}
	if err != nil {
		return gatewayclient.Runtime{}, err
	}
	r, err := gatewayclient.DecodeRuntime(text)
	switch {
	case err == nil && forAll: // it was asked at any one height
		r.At, r.AtHash = at, chain.Optional[chain.Hash]{}
	case err == nil && r.At != at:
		err = fmt.Errorf("it is at block %d", r.At)
	}
	if err != nil {
		return gatewayclient.Runtime{}, a.damaged(path, err)
	}
	return r, nil
}

// NodeVersion is what the node behind the gateway was.
func (a *Archive) NodeVersion(context.Context) (gatewayclient.NodeVersion, error) {
	const path = "node-version.json"
	text, err := a.read(path)
	if errors.Is(err, ErrLacks) {
		return gatewayclient.NodeVersion{}, fmt.Errorf("%s: %s: %w", a.name, path, gatewayclient.ErrNoEndpoint)
	}
	if err != nil {
		return gatewayclient.NodeVersion{}, err
	}
	n, err := gatewayclient.DecodeNodeVersion(text)
	if err != nil {
		return gatewayclient.NodeVersion{}, a.damaged(path, err)
	}
	return n, nil
}

// heights are those that have a block, rising; there is at least one.
func (a *Archive) heights() ([]uint64, error) {
	entries, err := fs.ReadDir(a.files, "blocks")
	if err != nil {
		return nil, a.damaged("blocks", err)
	}
	var heights []uint64
	for _, entry := range entries {
		digits, isJSON := strings.CutSuffix(entry.Name(), ".json")
		height, err := strconv.ParseUint(digits, 10, 64)
		if isJSON && err == nil && strconv.FormatUint(height, 10) == digits {
			heights = append(heights, height)
		}
	}
	if len(heights) == 0 {
		return nil, fmt.Errorf("%s: blocks: %w: there is no <height>.json", a.name, ErrLacks)
	}
	slices.Sort(heights)
	return heights, nil
}

// has tells whether a path is there, be it readable or not.
func (a *Archive) has(path string) bool {
	_, err := fs.Stat(a.files, path)
	return !errors.Is(err, fs.ErrNotExist)
}

// read returns a file's text. Only regular files of at most an answer's size are
// read: a pipe could make it wait for ever.
func (a *Archive) read(path string) (string, error) {
	info, err := fs.Stat(a.files, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s: %s: %w", a.name, path, ErrLacks)
	case err != nil:
		return "", a.damaged(path, err)
	case !info.Mode().IsRegular():
		return "", a.damaged(path, errors.New("it is not a regular file"))
	}
	file, err := a.files.Open(path)
	if err != nil {
		return "", a.damaged(path, err)
	}
	defer file.Close()
	var text strings.Builder
	n, err := io.Copy(&text, io.LimitReader(file, gatewayclient.DefaultMaxBody+1))
	if err != nil {
		return "", a.damaged(path, err)
	}
	if n > gatewayclient.DefaultMaxBody {
		return "", a.damaged(path, errors.New("it is larger than any answer should be"))
	}
	return text.String(), nil
}

func (a *Archive) damaged(path string, err error) error {
	return fmt.Errorf("%s: %s: %w: %w", a.name, path, ErrDamaged, err)
}
