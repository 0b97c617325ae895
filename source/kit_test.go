package source_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	firstRuntime = 2302
	lastBlock    = 2000
)

// synthetic is a source of empty blocks 0 to lastBlock that counts requests.
type synthetic struct {
	upgrades []uint64 // the heights with an upgrade, ascending
	// Each may change a response, or fail instead.
	block      func(*chain.Block) error
	multiplier func(*chain.AtBlock[chain.Multiplier]) error
	baseFee    func(*chain.AtBlock[chain.GasPrice]) error
	runtime    func(*chain.AtBlock[chain.Runtime]) error
	wait       func(context.Context) error // before each answer

	mu      sync.Mutex
	asked   map[string]int // number of requests, by request
	blocks  int            // questions for blocks
	others  int            // for runtimes and the node
	running int            // questions under way
	largest int            // of them at once
}

func hashOf(height uint64) (h chain.Hash) {
	binary.BigEndian.PutUint64(h[:], height+1)
	return h
}

func versionAt(height uint64, upgrades []uint64) uint32 {
	version := uint32(firstRuntime)
	for _, upgrade := range upgrades {
		if upgrade <= height {
			version++
		}
	}
	return version
}

// question counts a request, and waits for its latency.
func (s *synthetic) question(ctx context.Context, what string, at uint64, count *int) error {
	s.mu.Lock()
	if s.asked == nil {
		s.asked = map[string]int{}
	}
	s.asked[fmt.Sprint(what, at)]++
	*count++
	s.running++
	s.largest = max(s.largest, s.running)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.running--
		s.mu.Unlock()
	}()
	if at > lastBlock {
		return fmt.Errorf("%s at %d: %w", what, at, chain.ErrNoBlock)
	}
	if s.wait != nil {
		return s.wait(ctx)
	}
	return nil
}

func (s *synthetic) Block(ctx context.Context, height uint64) (*chain.Block, error) {
	if err := s.question(ctx, "block", height, &s.blocks); err != nil {
		return nil, err
	}
	b := &chain.Block{Number: height, Hash: hashOf(height), Finalized: chain.Some(true)}
	if height > 0 { // block 0 names a parent of zeros
		b.ParentHash = hashOf(height - 1)
	}
	if s.block != nil {
		if err := s.block(b); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (s *synthetic) Multiplier(ctx context.Context, at uint64) (chain.AtBlock[chain.Multiplier], error) {
	var ignored int
	m := chain.AtBlock[chain.Multiplier]{AtHash: chain.Some(hashOf(at))}
	m.At, m.Value = at, chain.NewMultiplier(at)
	err := s.question(ctx, "multiplier", at, &ignored)
	if err == nil && s.multiplier != nil {
		err = s.multiplier(&m)
	}
	return m, err
}

func (s *synthetic) BaseFee(ctx context.Context, item string, at uint64) (chain.AtBlock[chain.GasPrice], error) {
	var ignored int
	b := chain.AtBlock[chain.GasPrice]{At: at, AtHash: chain.Some(hashOf(at)), Value: chain.NewGasPrice(at)}
	err := s.question(ctx, item, at, &ignored)
	if err == nil && s.baseFee != nil {
		err = s.baseFee(&b)
	}
	return b, err
}

func (s *synthetic) Runtime(ctx context.Context, at uint64) (chain.AtBlock[chain.Runtime], error) {
	r := chain.AtBlock[chain.Runtime]{At: at, AtHash: chain.Some(hashOf(at)), Value: chain.Runtime{SpecName: "moonbeam", SpecVersion: versionAt(at, s.upgrades)}}
	err := s.question(ctx, "runtime", at, &s.others)
	if err == nil && s.runtime != nil {
		err = s.runtime(&r)
	}
	return r, err
}

func (s *synthetic) NodeVersion(ctx context.Context) (chain.NodeVersion, error) {
	return chain.NodeVersion{ClientImplName: "moonbeam"}, s.question(ctx, "node", 0, &s.others)
}

func (s *synthetic) FinalHead(context.Context) (chain.Head, error) {
	return chain.Head{Number: lastBlock}, nil
}

func (s *synthetic) Head(ctx context.Context, _ bool) (*chain.Block, error) {
	return s.Block(ctx, lastBlock)
}

func (s *synthetic) BlockByHash(ctx context.Context, hash chain.Hash) (*chain.Block, error) {
	return s.Block(ctx, binary.BigEndian.Uint64(hash[:])-1)
}

func (s *synthetic) reader() *source.Reader {
	return &source.Reader{Source: s, Tables: network.BuiltIn()}
}

// twice returns the requests that were repeated.
func (s *synthetic) twice() []string {
	var twice []string
	for question, times := range s.asked {
		if times > 1 {
			twice = append(twice, question)
		}
	}
	slices.Sort(twice)
	return twice
}

func (s *synthetic) underWay() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running
}

// as returns a source as one that offers more.
func as[T any](t testing.TB, s source.Source) T {
	t.Helper()
	offers, err := source.As[T](s)
	require.NoError(t, err)
	return offers
}
