package balances_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

var who = chain.Address20([20]byte{19: 7})

// world is an account's movements on a chain, and its reported balances.
type world struct {
	mu     sync.Mutex
	moved  []*ledger.Movement       // rising
	had    map[uint64][2]int64      // free and reserved at each height
	lacks  func(height uint64) bool // nil: nothing
	broken error                    // of the movements
	asked  []uint64                 // heights
}

func (w *world) Balance(_ context.Context, account chain.Address, height uint64) (chain.Balance, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, height)
	if have, ok := w.had[height]; ok && account == who && (w.lacks == nil || !w.lacks(height)) {
		return chain.Balance{Free: chain.NewWei(uint64(have[0])), Reserved: chain.NewWei(uint64(have[1]))}, nil
	}
	return chain.Balance{}, fmt.Errorf("%w %d", errUnknownBalance, height)
}

func (w *world) movements(_ context.Context, span chain.Heights) iter.Seq2[*ledger.Movement, error] {
	return func(yield func(*ledger.Movement, error) bool) {
		for _, m := range w.moved {
			if m.Height >= span.First && m.Height <= span.Last && !yield(m, nil) {
				return
			}
		}
		if w.broken != nil {
			yield(nil, w.broken)
		}
	}
}

var errUnknownBalance = errors.New("not known")

func signed(n int64) chain.SignedWei {
	w := chain.NewWei(uint64(max(n, -n))).Signed()
	if n < 0 {
		return w.Negated()
	}
	return w
}

func by(free, reserved int64) balances.Change {
	return balances.Change{Free: signed(free), Reserved: signed(reserved)}
}

func move(height uint64, free, reserved int64) *ledger.Movement {
	return &ledger.Movement{Height: height, Movement: movement.Movement{
		Account: who, Event: "balances.Deposit", Kind: movement.KindDeposit, Free: chain.Some(signed(free)), Reserved: chain.Some(signed(reserved)),
	}}
}

// slash is a movement whose event does not state which balance it reduced.
func slash(height, amount uint64) *ledger.Movement {
	return &ledger.Movement{Height: height, Movement: movement.Movement{Account: who, Event: "balances.Slashed", Kind: movement.KindSlash, Amount: chain.NewWei(amount)}}
}

func set(height uint64, kind movement.Kind, amount uint64) *ledger.Movement {
	m := &ledger.Movement{Height: height, Movement: movement.Movement{Account: who, Event: "balances.BalanceSet", Kind: kind, Amount: chain.NewWei(amount)}}
	zero := chain.Some(chain.SignedWei{})
	if kind == movement.KindFreeSet {
		m.Reserved = zero
	} else {
		m.Free = zero
	}
	return m
}

// steady is an account with a constant balance up to a height.
func steady(free, reserved int64, last uint64) *world {
	w := &world{had: map[uint64][2]int64{}}
	for h := uint64(0); h <= last; h++ {
		w.had[h] = [2]int64{free, reserved}
	}
	return w
}

// from adds to the reported balance from a height on.
func (w *world) from(height uint64, free, reserved int64) {
	for h := range w.had {
		if h >= height {
			w.had[h] = [2]int64{w.had[h][0] + free, w.had[h][1] + reserved}
		}
	}
}

func (w *world) prover(span chain.Heights, o balances.Options) *balances.Prover {
	return &balances.Prover{Comparison: &balances.Comparison{}, Reader: w, Account: who, Span: span, Movements: w.movements, Options: o}
}

// prove performs the steps of a statement or a journal.
func prove(t testing.TB, p *balances.Prover) error {
	t.Helper()
	ctx := context.Background()
	if err := p.Ends(ctx); err != nil {
		return err
	}
	r := balances.From(p.Opening)
	var unknown []uint64
	for m, err := range p.Movements(ctx, p.Span) {
		if err != nil {
			return err
		}
		if balances.IsUnknown(&m.Movement) {
			unknown = append(unknown, m.Height)
		}
		if _, _, err := r.Add(&m.Movement); err != nil {
			return err
		}
	}
	if err := p.Close(r); err != nil {
		return err
	}
	return p.Prove(ctx, unknown)
}

// Whatever the movements and wherever a reported balance is wrong: exactly those blocks are reported, with the exact
// difference. The expected figures are computed with math/big.
func TestEveryWrongBlockIsNamed(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 13))
	for range 200 {
		last := 1 + random.Uint64N(200)
		first := 1 + random.Uint64N(last)
		w := steady(1_000_000_000, 1_000_000_000, last)
		for h := uint64(1); h <= last; h++ {
			for range random.IntN(3) {
				free, reserved := random.Int64N(2001)-1000, random.Int64N(2001)-1000
				w.moved = append(w.moved, move(h, free, reserved))
				w.from(h, free, reserved)
			}
		}
		wrong := map[uint64][2]int64{}
		for range random.IntN(4) {
			h := first + random.Uint64N(last-first+1)
			wrong[h] = [2]int64{random.Int64N(5), 1 + random.Int64N(5)} // of one sign: they never cancel out
		}
		total := [2]*big.Int{new(big.Int), new(big.Int)}
		var want []balances.Difference
		for h := first; h <= last; h++ {
			if x, is := wrong[h]; is {
				w.from(h, x[0], x[1])
				total[0].Add(total[0], big.NewInt(x[0]))
				total[1].Add(total[1], big.NewInt(x[1]))
				want = append(want, balances.Difference{Height: h, Change: by(x[0], x[1])})
			}
		}
		span := chain.Heights{First: first, Last: last}
		for _, o := range []balances.Options{{}, {EveryBlock: true, Concurrency: 3}, {FirstOnly: true}} {
			w.asked = nil
			p := w.prover(span, o)
			require.NoError(t, prove(t, p))
			unexplained, _ := p.Unexplained.Get()
			require.Equal(t, total[0].String()+" "+total[1].String(), fmt.Sprint(unexplained.Free, " ", unexplained.Reserved))
			require.Equal(t, len(want) == 0, p.Holds())
			if o.FirstOnly && len(want) > 0 {
				require.Equal(t, want[:1], p.Differences)
				require.LessOrEqual(t, len(w.asked), 2+bits.Len64(span.Blocks()-1))
				continue
			}
			require.Equal(t, want, p.Differences)
			if o.EveryBlock {
				require.EqualValues(t, span.Blocks()-uint64(len(want)), p.Proved)
				require.Len(t, w.asked, int(span.Blocks())+2)
			}
			if len(want) == 0 && !o.EveryBlock {
				require.Len(t, w.asked, 2)
				require.EqualValues(t, 1, p.Proved)
			}
		}
	}
}

// If balances in between are not available, the first difference is located as narrowly as the others allow;
// requesting all differences is an error.
func TestBalancesInBetweenAreLacking(t *testing.T) {
	for name, test := range map[string]struct {
		lacks func(uint64) bool
		want  balances.Difference
		asked []uint64
	}{
		"none":     {nil, balances.Difference{Height: 23, Change: by(5, 0)}, []uint64{9, 41, 25, 17, 21, 23, 22}},
		"all":      {func(h uint64) bool { return h != 9 && h != 41 }, balances.Difference{Height: 41, Before: 31, Change: by(7, 0)}, []uint64{9, 41, 25}},
		"odd ones": {func(h uint64) bool { return h == 17 }, balances.Difference{Height: 25, Before: 15, Change: by(5, 0)}, []uint64{9, 41, 25, 17}},
		"almost":   {func(h uint64) bool { return h == 22 }, balances.Difference{Height: 23, Before: 1, Change: by(5, 0)}, []uint64{9, 41, 25, 17, 21, 23, 22}},
	} {
		t.Run(name, func(t *testing.T) {
			w := steady(100, 0, 41)
			w.moved = []*ledger.Movement{move(12, 1, 0), move(24, 1, 0)}
			w.from(12, 1, 0)
			w.from(24, 1, 0)
			w.from(23, 5, 0)
			w.from(39, 2, 0)
			w.lacks = test.lacks
			p := w.prover(chain.Heights{First: 10, Last: 41}, balances.Options{FirstOnly: true, Concurrency: 1})
			require.NoError(t, prove(t, p))
			require.Equal(t, []balances.Difference{test.want}, p.Differences)
			require.Equal(t, test.asked, w.asked)

			p = w.prover(chain.Heights{First: 10, Last: 41}, balances.Options{})
			err := prove(t, p)
			if test.lacks == nil {
				require.NoError(t, err)
				require.Equal(t, []balances.Difference{test.want, {Height: 39, Change: by(2, 0)}}, p.Differences)
				return
			}
			var unread *balances.ReadError
			require.ErrorAs(t, err, &unread)
			require.Equal(t, who, unread.Account)
			require.True(t, test.lacks(unread.Height))
		})
	}
}

// Changes that no event states are settled by the balances around their blocks, if these agree with the events; a
// balance that was set counts from there on.
func TestSettledByBalances(t *testing.T) {
	for name, test := range map[string]struct {
		moved       []*ledger.Movement
		from        map[uint64][2]int64
		settled     []balances.Difference
		differences []balances.Difference
		unexplained balances.Change
	}{
		"a slash":    {[]*ledger.Movement{move(5, 3, 0), slash(5, 4)}, map[uint64][2]int64{5: {0, -1}}, []balances.Difference{{Height: 5, Change: by(-3, -1), UnknownChange: true}}, nil, by(0, 0)},
		"of nothing": {[]*ledger.Movement{slash(5, 4)}, nil, []balances.Difference{{Height: 5, UnknownChange: true}}, nil, by(0, 0)},
		"of another": {[]*ledger.Movement{slash(5, 4)}, map[uint64][2]int64{5: {-5, 0}}, nil, []balances.Difference{{Height: 5, Change: by(-5, 0), UnknownChange: true}}, by(-5, 0)},
		"and wrong":  {[]*ledger.Movement{slash(5, 4)}, map[uint64][2]int64{5: {0, -4}, 8: {0, 2}}, []balances.Difference{{Height: 5, Change: by(0, -4), UnknownChange: true}}, []balances.Difference{{Height: 8, Change: by(0, 2)}}, by(0, 2)},
		"in the first and the last": {[]*ledger.Movement{slash(1, 4), slash(9, 1)}, map[uint64][2]int64{1: {0, -4}, 9: {-1, 0}},
			[]balances.Difference{{Height: 1, Change: by(0, -4), UnknownChange: true}, {Height: 9, Change: by(-1, 0), UnknownChange: true}}, nil, by(0, 0)},
		"set": {[]*ledger.Movement{set(5, movement.KindFreeSet, 70), set(5, movement.KindReservedSet, 2)}, map[uint64][2]int64{5: {-30, -98}}, nil, nil, by(0, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, o := range []balances.Options{{}, {EveryBlock: true}} {
				w := steady(100, 100, 9)
				w.moved = test.moved
				for h, x := range test.from {
					w.from(h, x[0], x[1])
				}
				p := w.prover(chain.Heights{First: 1, Last: 9}, o)
				require.NoError(t, prove(t, p))
				require.Equal(t, test.settled, zeroed(p.Settled))
				require.Equal(t, test.differences, zeroed(p.Differences))

				// A balance that is followed once more knows it.
				r := balances.From(p.Opening)
				for _, m := range test.moved {
					_, _, err := r.Add(&m.Movement)
					require.NoError(t, err)
					known := !balances.IsUnknown(&m.Movement)
					require.Equal(t, known, r.Free().Known() && r.Reserved().Known())
					if m == test.moved[len(test.moved)-1] || !known {
						require.NoError(t, r.Settle(p.Comparison, m.Height))
						require.True(t, r.Free().Known() && r.Reserved().Known())
					}
				}
				require.NoError(t, p.Close(r))
				unexplained, _ := p.Unexplained.Get()
				difference, err := unexplained.Minus(test.unexplained)
				require.NoError(t, err)
				require.True(t, difference.IsZero(), "%v", unexplained)
				closes, _ := p.Closes().Get()
				end, err := closes.Plus(unexplained)
				require.NoError(t, err)
				closing, _ := p.Closing.Get()
				require.Equal(t, balances.Of(closing).Free.String(), end.Free.String())
			}
		})
	}
}

// zeroed returns differences with zeros in canonical form.
func zeroed(list []balances.Difference) (same []balances.Difference) {
	for _, d := range list {
		if d.IsZero() {
			d.Change = balances.Change{}
		}
		same = append(same, d)
	}
	return same
}

func TestErrors(t *testing.T) {
	ctx, span := context.Background(), chain.Heights{First: 1, Last: 9}
	w := steady(1, 1, 5)
	err := prove(t, w.prover(span, balances.Options{}))
	require.EqualError(t, err, "balance of "+who.String()+" at block 9: not known 9")
	require.ErrorIs(t, err, errUnknownBalance)

	w = steady(1, 1, 9)
	w.lacks = func(h uint64) bool { return h > 3 && h < 9 }
	err = prove(t, w.prover(span, balances.Options{EveryBlock: true}))
	require.ErrorContains(t, err, "at block 4: not known 4")

	away := errors.New("away")
	for name, o := range map[string]balances.Options{"compare": {EveryBlock: true}, "bisect": {}} {
		w = steady(1, 1, 9)
		p := w.prover(span, o)
		require.NoError(t, p.Ends(ctx))
		require.NoError(t, p.Close(balances.Running{}))
		w.broken = away
		require.ErrorIs(t, p.Prove(ctx, nil), away, name)
	}

	huge, err := chain.ParseWei("340282366920938463463374607431768211455")
	require.NoError(t, err)
	most := move(2, 0, 0)
	most.Free = chain.Some(huge.Signed())
	fell := slash(2, 0)
	fell.Amount = huge
	for name, moved := range map[string][]*ledger.Movement{"changes": {most, most, most}, "what is said": {fell, fell, fell}} {
		for _, o := range []balances.Options{{}, {EveryBlock: true}} {
			w = steady(1, 1, 9)
			w.moved = moved
			p := w.prover(span, o)
			require.NoError(t, p.Ends(ctx))
			require.NoError(t, p.Close(balances.Running{}))
			require.ErrorIs(t, p.Prove(ctx, nil), chain.ErrOverflow, name)
		}
	}
	full := balances.Change{Free: huge.Signed(), Reserved: huge.Signed()}
	for _, x := range []balances.Change{by(1, 0), by(0, 1), full} {
		var r balances.Running
		r.Balance, err = full.Plus(x)
		for n := 0; err == nil && n < 4; n++ {
			r.Balance, err = r.Balance.Plus(x)
			x = r.Balance
		}
		require.ErrorIs(t, err, chain.ErrOverflow)
		require.False(t, r.Free().Known() || r.Reserved().Known())
	}
	none := balances.Comparison{}
	require.NoError(t, none.Close(balances.Running{}))
	require.False(t, none.Unexplained.Known())
	require.True(t, none.Holds())
}

// The number of listed differences is limited; then no more balances are queried.
func TestManyDifferences(t *testing.T) {
	for _, o := range []balances.Options{{}, {EveryBlock: true}} {
		w := steady(1, 1, 1500)
		for h := uint64(1); h <= 1500; h++ {
			w.had[h] = [2]int64{int64(h), 1}
		}
		w.had[0] = [2]int64{0, 1}
		p := w.prover(chain.Heights{First: 1, Last: 1500}, o)
		require.NoError(t, prove(t, p))
		require.Len(t, p.Differences, balances.MaxDifferences)
		require.True(t, p.More)
		require.EqualValues(t, 1, p.Differences[0].Height)
	}
	require.Equal(t, "block 5: free -3 wei, reserved 0 wei, where an event does not state its change",
		balances.Difference{Height: 5, Change: by(-3, 0), UnknownChange: true}.In("wei"))
}

// A runtime without events about holds moves an amount between free and reserved: the difference says so.
func TestSilentHolds(t *testing.T) {
	for want, change := range map[string]balances.Change{
		"block 5: free -3 wei, reserved 3 wei, as if held without an event":                 by(-3, 3),
		"block 5: free 3 wei, reserved -3 wei, as if released from a hold without an event": by(3, -3),
		"block 5: free -3 wei, reserved 2 wei":                                              by(-3, 2),
		"block 5: free 0 wei, reserved 0 wei":                                               by(0, 0),
	} {
		require.Equal(t, want, balances.Difference{Height: 5, Change: change}.In("wei"))
	}
}

// Block 0 has no movements, and nothing to prove by itself.
func TestBlockZeroAlone(t *testing.T) {
	w := steady(5, 0, 3)
	p := w.prover(chain.Heights{First: 1, Last: 0}, balances.Options{})
	require.NoError(t, prove(t, p))
	require.Equal(t, p.Opening, p.Closing)
	require.Zero(t, p.Proved)
	require.True(t, p.Holds())
}

// Progress is reported for each balance queried.
func TestProgress(t *testing.T) {
	var done, total uint64
	w := steady(5, 0, 40)
	w.from(7, 1, 0)
	o := balances.Options{Concurrency: 2, Progress: func(d, n uint64) { done, total = d, n }}
	require.NoError(t, prove(t, w.prover(chain.Heights{First: 1, Last: 40}, o)))
	require.EqualValues(t, len(w.asked), done)
	require.Equal(t, done, total)
}
