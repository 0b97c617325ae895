package deposits_test

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/deposits"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

var contract, alice, bob, carol = chain.Address20([20]byte{1}), chain.Address20([20]byte{2}), chain.Address20([20]byte{3}), chain.Address20([20]byte{4})

var names = map[chain.Address]string{contract: "contract", alice: "alice", bob: "bob", carol: "carol"}

func nameOf(o chain.Optional[chain.Address]) string {
	if a, known := o.Get(); known {
		return names[a]
	}
	return "unknown"
}

// block returns a block with one transaction of a payer, which takes an amount for the contract, or clears its storage.
func block(height uint64, payer chain.Address, amount int64) *ledger.Content {
	size := chain.NewWei(uint64(max(amount, -amount)))
	none, less, more := chain.Some(chain.SignedWei{}), chain.Some(size.Signed().Negated()), chain.Some(size.Signed())
	reason := chain.Some(chain.HoldReason("revive.StorageDepositReserve"))
	list := []movement.Movement{
		{Kind: movement.KindDeposit, Account: contract, Amount: size, Free: more, Reserved: none},
		{Kind: movement.KindReserve, Account: contract, Amount: size, Free: less, Reserved: more, Reason: reason},
	}
	if amount < 0 {
		list = []movement.Movement{
			{Kind: movement.KindUnreserve, Account: contract, Amount: size, Free: more, Reserved: less, Reason: reason},
			{Kind: movement.KindWithdrawal, Account: contract, Amount: size, Free: less, Reserved: none},
		}
	}
	c := &ledger.Content{Block: &ledger.Block{Height: height}, Transactions: []ledger.Transaction{{Cost: ledger.Cost{Index: 2, Payer: chain.Some(payer)}}}}
	for i := range list {
		list[i].Where, list[i].EventIndex = 2, i
		c.Movements = append(c.Movements, ledger.Movement{Movement: list[i]})
	}
	return c
}

// What an account gets back are its own deposits, then those of others, the last one first.
func TestGivenBack(t *testing.T) {
	var changes []string
	d := deposits.Deposits{Each: func(c *deposits.Change) error {
		taken := "unknown"
		if at, known := c.Taken.Get(); known {
			taken = at.String()
		}
		changes = append(changes, fmt.Sprintf("%v: %v of %s to %s, taken at %s, passed %v", c.At, c.Amount, nameOf(c.Payer), nameOf(c.To), taken, c.Passed()))
		return nil
	}}
	for i, x := range []struct {
		payer  chain.Address
		amount int64
	}{{alice, 5}, {bob, 3}, {alice, 2}, {bob, -4}, {alice, -1}} {
		require.NoError(t, d.Add(block(uint64(i+1), x.payer, x.amount)))
	}
	require.Equal(t, []string{
		"1-2: 5 of alice to unknown, taken at 1-2, passed false",
		"2-2: 3 of bob to unknown, taken at 2-2, passed false",
		"3-2: 2 of alice to unknown, taken at 3-2, passed false",
		"4-2: -3 of bob to bob, taken at 2-2, passed false",
		"4-2: -1 of alice to bob, taken at 3-2, passed true",
		"5-2: -1 of alice to alice, taken at 3-2, passed false",
	}, changes)
	open := d.Open()
	require.Len(t, open, 1)
	require.Equal(t, chain.NewWei(5), open[0].Amount)
	require.Equal(t, "1-2", open[0].Taken.String())

	// More than the ledger has.
	changes = nil
	require.NoError(t, d.Add(block(6, bob, -12)))
	require.Equal(t, []string{
		"6-2: -5 of alice to bob, taken at 1-2, passed true",
		"6-2: -7 of unknown to bob, taken at unknown, passed false",
	}, changes)
	require.Empty(t, d.Open())
}

// A movement whose event does not state what is held is counted, and not taken for 0.
func TestUnstated(t *testing.T) {
	var d deposits.Deposits
	c := block(1, alice, 5)
	c.Movements[1].Kind, c.Movements[1].Reserved = movement.KindSlash, chain.Optional[chain.SignedWei]{}
	require.NoError(t, d.Add(c))
	require.EqualValues(t, 1, d.Unstated)
	require.Empty(t, d.Open())
}

// simple is a plain implementation of the convention: it goes through all open deposits.
type simple struct {
	open []simpleDeposit
	said []string
}

type simpleDeposit struct {
	payer          chain.Address
	amount, height uint64
}

func (s *simple) add(height uint64, payer chain.Address, amount int64) {
	if amount > 0 {
		s.open = append(s.open, simpleDeposit{payer, uint64(amount), height})
		s.said = append(s.said, fmt.Sprintf("%d: %d of %s, taken at %d-2", height, amount, names[payer], height))
		return
	}
	rest := uint64(-amount)
	for _, own := range []bool{true, false} {
		for i := len(s.open) - 1; i >= 0 && rest > 0; i-- {
			x := &s.open[i]
			if (x.payer == payer) != own {
				continue
			}
			part := min(x.amount, rest)
			rest -= part
			s.said = append(s.said, fmt.Sprintf("%d: -%d of %s, taken at %d-2", height, part, names[x.payer], x.height))
			if x.amount -= part; x.amount == 0 {
				s.open = slices.Delete(s.open, i, i+1)
			}
		}
	}
	if rest > 0 {
		s.said = append(s.said, fmt.Sprintf("%d: -%d of unknown, taken at unknown", height, rest))
	}
}

// Whatever is taken and given back, the changes and what is open are those of the plain implementation.
func TestGivenBackAsByThePlainImplementation(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		var want simple
		var have []string
		d := deposits.Deposits{Each: func(c *deposits.Change) error {
			taken := "unknown"
			if at, known := c.Taken.Get(); known {
				taken = at.String()
			}
			have = append(have, fmt.Sprintf("%d: %v of %s, taken at %s", c.At.Height, c.Amount, nameOf(c.Payer), taken))
			return nil
		}}
		for height := range uint64(100) {
			payer := []chain.Address{alice, bob, carol}[random.IntN(3)]
			amount := random.Int64N(20) + 1
			if random.IntN(int(2+seed%3)) > 0 {
				amount = -random.Int64N(5+int64(seed%40)) - 1
			}
			want.add(height, payer, amount)
			require.NoError(t, d.Add(block(height, payer, amount)))
		}
		require.Equal(t, want.said, have, "seed %d", seed)
		open := d.Open()
		require.Len(t, open, len(want.open))
		for i, x := range open {
			o := want.open[i]
			require.Equal(t, fmt.Sprint(o.amount, names[o.payer], o.height), fmt.Sprint(x.Amount, nameOf(x.Payer), x.Taken.Height))
		}
	}
}

// blocksOf returns blocks in the form of a ledger.
func blocksOf(list []*ledger.Content) iter.Seq2[*ledger.Content, error] {
	return func(yield func(*ledger.Content, error) bool) {
		for _, c := range list {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// at returns a block whose deposit is held by another contract.
func at(holder chain.Address, c *ledger.Content) *ledger.Content {
	for i := range c.Movements {
		c.Movements[i].Account = holder
	}
	return c
}

// However many deposits a chain has, those that concern some accounts are found, and are the same as among all of the chain.
func TestDepositsOfAccounts(t *testing.T) {
	contracts := make([]chain.Address, 8)
	for i := range contracts {
		contracts[i] = chain.Address20([20]byte{9, byte(i)})
	}
	payers := []chain.Address{alice, bob, carol}
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 2))
		var blocks []*ledger.Content
		for height := range uint64(100) {
			i := random.IntN(len(contracts))
			amount := random.Int64N(20) + 1
			if random.IntN(3) == 0 {
				amount = -amount
			}
			blocks = append(blocks, at(contracts[i], block(height, payers[random.IntN(1+i%3)], amount))) // alice pays for all contracts, carol for some
		}
		changes := func(accounts []chain.Address, wanted []chain.Address) (list []string, open []deposits.Deposit) {
			d, err := deposits.Of(blocksOf(blocks), accounts)
			require.NoError(t, err)
			of := func(list ...chain.Optional[chain.Address]) bool {
				return slices.ContainsFunc(list, func(o chain.Optional[chain.Address]) bool {
					a, known := o.Get()
					return known && slices.Contains(wanted, a)
				})
			}
			d.Each = func(c *deposits.Change) error {
				if of(chain.Some(c.Holder), c.Payer, c.To) {
					list = append(list, fmt.Sprintf("%v %v %v %v %v %v", c.At, c.Holder, c.Amount, c.Payer, c.To, c.Taken))
				}
				return nil
			}
			for _, c := range blocks {
				require.NoError(t, d.Add(c))
			}
			for _, x := range d.Open() {
				if of(chain.Some(x.Holder), x.Payer) {
					open = append(open, x)
				}
			}
			return list, open
		}
		for _, accounts := range [][]chain.Address{{bob}, {carol}, {contracts[4]}, {bob, contracts[0]}} {
			want, wantOpen := changes(nil, accounts)
			have, open := changes(accounts, accounts)
			require.NotEmpty(t, have)
			require.Equal(t, want, have)
			require.Equal(t, wantOpen, open)
		}
	}
}

// Only the open deposits of places that concern the accounts count against the limit.
func TestTooMany(t *testing.T) {
	defer deposits.LimitOpen(3)()
	var blocks []*ledger.Content
	for i := range uint64(10) {
		blocks = append(blocks, at(chain.Address20([20]byte{9, byte(i)}), block(i, bob, 1)))
	}
	blocks = append(blocks, block(10, alice, 1), block(11, alice, -1), block(12, alice, 1), block(13, bob, 1))
	read := func(blocks []*ledger.Content, accounts ...chain.Address) error {
		d, err := deposits.Of(blocksOf(blocks), accounts)
		for i := 0; i < len(blocks) && err == nil; i++ {
			err = d.Add(blocks[i])
		}
		return err
	}
	require.NoError(t, read(blocks, alice))
	require.NoError(t, read(blocks, contract, carol))
	require.ErrorIs(t, read(blocks), deposits.ErrTooMany)
	require.ErrorIs(t, read(blocks, bob), deposits.ErrTooMany, "too many places")
	require.ErrorIs(t, read(append(blocks, block(14, bob, 1), block(15, bob, 1)), alice), deposits.ErrTooMany, "alice may get back any of these")

	unread := errors.New("unread")
	_, err := deposits.Of(func(yield func(*ledger.Content, error) bool) { yield(nil, unread) }, []chain.Address{alice})
	require.ErrorIs(t, err, unread)
}

// One account clears its own deposits, which are below those of another, and then those.
func BenchmarkGiveBack(b *testing.B) {
	const count = 20_000
	var blocks []*ledger.Content
	for height := range uint64(4 * count) {
		switch {
		case height < count:
			blocks = append(blocks, block(height, bob, 2))
		case height < 2*count:
			blocks = append(blocks, block(height, alice, 2))
		default:
			blocks = append(blocks, block(height, bob, -2))
		}
	}
	for b.Loop() {
		var d deposits.Deposits
		for _, c := range blocks {
			if err := d.Add(c); err != nil {
				b.Fatal(err)
			}
		}
		if open := d.Open(); len(open) > 0 {
			b.Fatal(open)
		}
	}
}
