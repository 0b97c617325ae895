package variance_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/finance/variance"
)

// random returns transactions of a few contracts and calls. Factors that fixed names are the same in all of them.
func random(r *rand.Rand, fixed string) (all list) {
	pick := func(of string, n, usual uint64) uint64 {
		if fixed == of {
			return usual
		}
		return r.Uint64N(n)
	}
	for range r.IntN(12) {
		t := evmAt(contracts[r.IntN(len(contracts))], 1+pick("gas", 90_000, 21_000), pick("base", 1_000, 125), pick("priority", 40, 7))
		if r.IntN(3) == 0 {
			paid := pick("fee", 1<<40, 1<<30)
			t = native([]string{"a", "b"}[r.IntN(2)], paid+pick("priority", 40, 7), pick("priority", 40, 7))
			t.Fee = chain.Some(chain.NewWei(paid + or(t.Tip)))
		}
		if r.IntN(5) == 0 {
			t.Outcome = fee.Reverted
		}
		if fixed == "" {
			switch r.IntN(40) {
			case 0:
				unpriced(t)
			case 1:
				t.Gas = chain.Optional[chain.Gas]{}
			case 2:
				t.PriorityFee, t.Tip = chain.Optional[chain.Wei]{}, chain.Optional[chain.Wei]{}
			case 3:
				t.Fee, t.AssetFee.Asset = chain.Some(chain.Wei{}), "1984"
			}
		}
		all = append(all, t)
	}
	return all
}

func or(w chain.Optional[chain.Wei]) uint64 {
	amount, _ := w.Get()
	return amount.Big().Uint64()
}

// total adds up the known fees with other arithmetic than the package.
func total(all list) *big.Int {
	sum := new(big.Int)
	for _, t := range all {
		if !t.InAsset() {
			sum.Add(sum, new(big.Int).SetUint64(or(t.Fee)))
		}
	}
	return sum
}

func number(s chain.SignedWei) *big.Int {
	n := s.Size().Big()
	if s.Sign() < 0 {
		n.Neg(n)
	}
	return n
}

// For any two periods, the steps add up to the difference, and so do the calls of each step. Each amount is less than a
// wei away from the exact fraction.
func TestStepsAddUp(t *testing.T) {
	r, wei := rand.New(rand.NewPCG(56, 6)), big.NewRat(1, 1)
	for range 5_000 {
		now, before := random(r, ""), random(r, "")
		v, back := compared(t, now, before), compared(t, before, now)
		want := new(big.Int).Sub(total(now), total(before))
		sum := new(big.Int)
		for _, l := range v.Steps {
			amount, known := l.Amount.Get()
			require.Equal(t, known, l.Step != variance.NotKnown || v.IsKnown())
			sum.Add(sum, number(amount))
			ofCalls := new(big.Int)
			for _, s := range l.Shares {
				share, _ := s.Amount.Get()
				ofCalls.Add(ofCalls, number(share))
				if l.Step != variance.NotKnown {
					distance := new(big.Rat).Sub(exact(now, before, s.Call, l.Step), new(big.Rat).SetInt(number(share)))
					if distance.Abs(distance).Cmp(wei) >= 0 {
						t.Fatalf("%v of %v is %v away from its fraction", l.Step, s.Call, distance)
					}
				}
			}
			require.Zero(t, ofCalls.Cmp(number(amount)))
		}
		require.Zero(t, sum.Cmp(want), "%v is not %v", sum, want)
		require.Zero(t, number(v.Known()).Cmp(want))
		require.Equal(t, v.Known().Negated(), back.Known())
	}
}

// A factor that is the same in all transactions of both periods makes no step.
func TestStepsOfEqualFactors(t *testing.T) {
	r := rand.New(rand.NewPCG(56, 7))
	for fixed, none := range map[string]variance.Step{"gas": variance.Gas, "base": variance.BaseFee, "fee": variance.FeeEach, "priority": variance.Apart} {
		for range 500 {
			require.NotContains(t, amountsOf(compared(t, random(r, fixed), random(r, fixed))), none)
		}
	}
	for range 500 { // the same calls as often, in another order
		now := random(r, "")
		before := append(list{}, now...)
		r.Shuffle(len(before), func(i, j int) { before[i], before[j] = before[j], before[i] })
		changed := amountsOf(compared(t, now, before))
		delete(changed, variance.NotKnown)
		require.Empty(t, changed)
	}
}

// averages are the factors of a call's transactions in a period: their number, and by transaction fee and the part apart;
// by gas the same.
type averages struct {
	n, gas, fee, apart *big.Rat
	here, byGas, known bool
}

func average(all list, c variance.Call) averages {
	a := averages{new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat), false, true, true}
	for _, t := range all {
		if t.Call != c.Name || t.Layer != c.Layer || t.Layer == fee.EVM && t.Recipient != c.Contract {
			continue
		}
		a.here = true
		if t.InAsset() || !t.Fee.Known() {
			continue
		}
		add := func(to *big.Rat, n uint64) { to.Add(to, new(big.Rat).SetInt(new(big.Int).SetUint64(n))) }
		add(a.n, 1)
		add(a.fee, or(t.Fee))
		apart := t.Tip
		if t.Layer == fee.EVM {
			apart = t.PriorityFee
		}
		add(a.apart, or(apart))
		gas, known := t.Gas.Get()
		add(a.gas, gas.Uint64())
		a.byGas = a.byGas && known && t.Layer == fee.EVM && apart.Known()
		a.known = a.known && apart.Known()
	}
	return a
}

// exact calculates a step of a call from its definition, with fractions.
func exact(now, before list, c variance.Call, s variance.Step) *big.Rat {
	x, y := average(now, c), average(before, c)
	sub := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
	mul := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
	div := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }
	switch {
	case s == variance.NewCalls && !y.here || s == variance.GoneCalls && !x.here:
		return sub(x.fee, y.fee)
	case s == variance.Transactions && (x.n.Sign() == 0 || y.n.Sign() == 0):
		return sub(x.fee, y.fee)
	case s == variance.Transactions:
		return mul(sub(x.n, y.n), div(y.fee, y.n))
	}
	if !x.byGas || !y.byGas {
		if !x.known || !y.known {
			x.apart, y.apart = new(big.Rat), new(big.Rat)
		}
		if s == variance.Apart {
			return mul(x.n, sub(div(x.apart, x.n), div(y.apart, y.n)))
		}
		return mul(x.n, sub(div(sub(x.fee, x.apart), x.n), div(sub(y.fee, y.apart), y.n)))
	}
	switch s {
	case variance.Gas:
		return mul(mul(x.n, sub(div(x.gas, x.n), div(y.gas, y.n))), div(y.fee, y.gas))
	case variance.BaseFee:
		return mul(x.gas, sub(div(sub(x.fee, x.apart), x.gas), div(sub(y.fee, y.apart), y.gas)))
	}
	return mul(x.gas, sub(div(x.apart, x.gas), div(y.apart, y.gas)))
}
