package variance

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/feeledger/fees/chain"
)

// Step is a reason why fees changed.
type Step string

// The steps, in the order in which the factors change.
const (
	NewCalls     Step = "new_calls"    // calls without transactions in the period before
	GoneCalls    Step = "gone_calls"   // calls without transactions now
	Transactions Step = "transactions" // more or fewer of them
	Gas          Step = "gas"          // more or less for each transaction
	BaseFee      Step = "base_fee"     // the chain's price of gas
	FeeEach      Step = "fee_each"     // of a transaction, where gas does not explain it; without tips
	Apart        Step = "priority_fees_and_tips"
	NotKnown     Step = "not_known" // fees that no rule determines

	paidInAssets Step = "paid_in_assets" // no step: names the rows of fees that are in none
)

// steps are those with an amount.
var steps = []Step{NewCalls, GoneCalls, Transactions, Gas, BaseFee, FeeEach, Apart}

// Steps returns all steps in their order.
func Steps() []Step { return append(slices.Clone(steps), NotKnown) }

// amounts are the changes of a call by step.
type amounts [7]chain.SignedWei

// split divides the difference of a call's fees into steps.
func split(now, before *Sums) (parts amounts, err error) {
	terms, divisor := termsOf(now, before)
	return rounded(terms, divisor, before.Fee, now.Fee)
}

// terms are the steps of a call before rounding, times a divisor.
type terms [len(amounts{})]*big.Int

func (t *terms) set(s Step, term *big.Int) { t[slices.Index(steps, s)] = term }

// termsOf returns the steps of a call as fractions with a common divisor.
func termsOf(now, before *Sums) (t terms, divisor *big.Int) {
	for i := range t {
		t[i] = new(big.Int)
	}
	fee0, fee1 := before.Fee.Big(), now.Fee.Big()
	n0, n1 := whole(before.Transactions), whole(now.Transactions)
	switch {
	case !before.has():
		t.set(NewCalls, fee1)
		return t, whole(1)
	case !now.has():
		t.set(GoneCalls, fee0.Neg(fee0))
		return t, whole(1)
	case before.Transactions == 0 || now.Transactions == 0: // no fee of one of the periods is known
		t.set(Transactions, fee1.Sub(fee1, fee0))
		return t, whole(1)
	case !before.byGas() || !now.byGas():
		apart0, apart1 := before.Apart.Big(), now.Apart.Big()
		if !before.isApart() || !now.isApart() {
			apart0, apart1 = new(big.Int), new(big.Int)
		}
		rest0, rest1 := minus(fee0, apart0), minus(fee1, apart1)
		t.set(Transactions, times(minus(n1, n0), fee0))           // (n1 − n0) × fee0/n0
		t.set(FeeEach, minus(times(rest1, n0), times(rest0, n1))) // n1 × (rest1/n1 − rest0/n0)
		t.set(Apart, minus(times(apart1, n0), times(apart0, n1))) // n1 × (apart1/n1 − apart0/n0)
		return t, n0
	}
	gas0, gas1 := whole(before.Gas), whole(now.Gas)
	apart0, apart1 := before.Apart.Big(), now.Apart.Big()
	base0, base1 := minus(fee0, apart0), minus(fee1, apart1)
	t.set(Transactions, times(minus(n1, n0), fee0, gas0))                    // (n1 − n0) × gas0/n0 × fee0/gas0
	t.set(Gas, times(minus(times(gas1, n0), times(gas0, n1)), fee0))         // n1 × (gas1/n1 − gas0/n0) × fee0/gas0
	t.set(BaseFee, times(minus(times(base1, gas0), times(base0, gas1)), n0)) // gas1 × (base1/gas1 − base0/gas0)
	t.set(Apart, times(minus(times(apart1, gas0), times(apart0, gas1)), n0)) // gas1 × (apart1/gas1 − apart0/gas0)
	return t, times(n0, gas0)
}

// rounded divides the terms by their divisor, such that they add up to the difference of two fees.
func rounded(t terms, divisor *big.Int, fee0, fee1 chain.Wei) (parts amounts, err error) {
	left := minus(fee1.Big(), fee0.Big())
	order := make([]int, len(t))
	var remainders terms
	for i, term := range t {
		order[i], remainders[i] = i, new(big.Int)
		t[i] = new(big.Int)
		t[i].DivMod(term, divisor, remainders[i]) // rounds down: no remainder is negative
		left.Sub(left, t[i])
	}
	slices.SortStableFunc(order, func(i, j int) int { return remainders[j].Cmp(remainders[i]) })
	for _, i := range order[:left.Int64()] { // fewer than there are remainders, each of which is less than 1 wei
		t[i].Add(t[i], whole(1))
	}
	for i, part := range t {
		if parts[i], err = chain.ParseSignedWei(part.String()); err != nil {
			return parts, fmt.Errorf("the step %s: %w", steps[i], chain.ErrOverflow)
		}
	}
	return parts, nil
}

func whole(n uint64) *big.Int { return new(big.Int).SetUint64(n) }

func minus(x, y *big.Int) *big.Int { return new(big.Int).Sub(x, y) }

func times(factors ...*big.Int) *big.Int {
	product := whole(1)
	for _, f := range factors {
		product.Mul(product, f)
	}
	return product
}
