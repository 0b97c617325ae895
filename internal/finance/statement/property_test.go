package statement_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/feeledger/fees/internal/test/tier"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/test/chaingen"
)

// summed computes balances from an opening and the events of generated blocks with math/big, except for one
// that is wrong from a block on.
type summed struct {
	heights map[chain.Address]map[uint64][2]*big.Int // by what each block changed free and reserved
	opening *big.Int
	wrongAt uint64
	wrongBy [2]int64
	wrong   chain.Address
}

func (s *summed) Balance(_ context.Context, account chain.Address, at uint64) (chain.Balance, error) {
	sums := [2]*big.Int{new(big.Int).Set(s.opening), new(big.Int).Set(s.opening)}
	for height, changes := range s.heights[account] {
		for i := range sums {
			if height <= at {
				sums[i].Add(sums[i], changes[i])
			}
		}
	}
	if account == s.wrong && at >= s.wrongAt {
		for i := range sums {
			sums[i].Add(sums[i], big.NewInt(s.wrongBy[i]))
		}
	}
	free, err := chain.ParseWei(sums[0].String())
	if err != nil {
		return chain.Balance{}, err
	}
	reserved, err := chain.ParseWei(sums[1].String())
	return chain.Balance{Free: free, Reserved: reserved}, err
}

// add adds the movements of a block.
func (s *summed) add(t *testing.T, b *chain.Block) {
	movements, unclassified := movement.Of(b, chain.AddressSize)
	require.Empty(t, unclassified)
	for i := range movements {
		m := &movements[i]
		if s.heights[m.Account] == nil {
			s.heights[m.Account] = map[uint64][2]*big.Int{}
		}
		at, ok := s.heights[m.Account][b.Number]
		if !ok {
			at = [2]*big.Int{new(big.Int), new(big.Int)}
			s.heights[m.Account][b.Number] = at
		}
		for i, change := range []chain.Optional[chain.SignedWei]{m.Free, m.Reserved} {
			by, known := change.Get()
			require.True(t, known, m.Event)
			n, ok := new(big.Int).SetString(by.String(), 10)
			require.True(t, ok)
			at[i].Add(at[i], n)
		}
	}
}

// In generated blocks a fault at any height is located, and none is reported without one.
func TestMadeUpBlocks(t *testing.T) {
	const first, last = 5000, 5039
	source := chaingen.New(chaingen.Options{Seed: 7, Head: last}).Source()
	path := filepath.Join(t.TempDir(), "fees.db")
	span := chain.Heights{First: first, Last: last}
	fill(t, path, source, span)
	book := open(t, path)
	opening, ok := new(big.Int).SetString("1000000000000000000000000000000", 10)
	require.True(t, ok)
	balances := &summed{heights: map[chain.Address]map[uint64][2]*big.Int{}, opening: opening}
	for height := uint64(first); height <= last; height++ {
		b, err := source.Block(context.Background(), height)
		require.NoError(t, err)
		balances.add(t, b)
	}
	random := rand.New(rand.NewPCG(7, 11))
	var accounts []chain.Address
	for a := range balances.heights {
		accounts = append(accounts, a)
	}
	slices.SortFunc(accounts, chain.Address.Compare)
	random.Shuffle(len(accounts), func(i, j int) { accounts[i], accounts[j] = accounts[j], accounts[i] })
	require.Greater(t, len(accounts), 30)
	busiest := slices.MaxFunc(accounts, func(a, b chain.Address) int { return len(balances.heights[a]) - len(balances.heights[b]) })
	for _, account := range append(accounts[:30/tier.Step(3)], busiest) {
		balances.wrong = chain.Address{}
		require.True(t, made(t, book, balances, account, span, true).Holds())
		balances.wrong = account
		balances.wrongAt = first + random.Uint64N(last-first+1)
		balances.wrongBy = [2]int64{random.Int64N(3) - 1, random.Int64N(1<<40) + 1}
		for _, everyBlock := range []bool{false, true} {
			s := made(t, book, balances, account, span, everyBlock)
			require.Len(t, s.Differences, 1)
			d := s.Differences[0]
			require.Equal(t, balances.wrongAt, d.Height)
			require.Equal(t, big.NewInt(balances.wrongBy[0]).String(), d.Free.String())
			require.Equal(t, big.NewInt(balances.wrongBy[1]).String(), d.Reserved.String())
		}
	}
}

// If no balance matches, the list of differences is limited.
func TestManyDifferences(t *testing.T) {
	book := recorded(t, "moonbeam-2100", "INSERT INTO movements (height, position, place, event_index, event, kind, account, amount, free, reserved) VALUES (9000, 1, -1, 0, 'balances.Deposit', 'deposit', x'0000000000000000000000000000000000000001', '1', '1', '0')")
	for _, everyBlock := range []bool{false, true} {
		s := made(t, book, rising{}, chain.Address20([20]byte{19: 2}), chain.Heights{First: 1, Last: 1200}, everyBlock)
		require.False(t, s.Holds())
		require.Len(t, s.Differences, maxDifferences)
		require.True(t, s.More)
		require.Contains(t, s.Notes(console.Token{}), "Unexplained: more blocks not listed")
	}
}

// rising are balances that grow in each block.
type rising struct{}

func (rising) Balance(_ context.Context, _ chain.Address, at uint64) (chain.Balance, error) {
	return chain.Balance{Free: chain.NewWei(at)}, nil
}
