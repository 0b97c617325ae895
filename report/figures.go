package report

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/ledger"
)

// Figures are what transactions add up to. A fee that is not determined is in no sum:
// Undetermined counts those. Another sum is not known where what it adds up is not known
// of one of the transactions, of those with a fee for PriorityFee.
type Figures struct {
	EVM, Native       uint64 // transactions
	fee.OutcomeCounts        // of them
	Undetermined      uint64 // of them: no rule gives their fee
	Fee               chain.Wei
	EVMFee            chain.Wei
	NativeFee         chain.Wei
	PriorityFee       chain.Optional[chain.Wei] // part of EVMFee
	Tip               chain.Wei                 // part of NativeFee
	Charged           chain.Optional[chain.Wei] // by the chain
	Burned            chain.Optional[chain.Wei] // of what was charged, as are the next two
	Treasury          chain.Optional[chain.Wei]
	Author            chain.Optional[chain.Wei]
	Gas               chain.Gas

	// AveragePrice is what a unit of gas cost on average, in wei, rounded down:
	//
	//	floor(Σ gas price × gas / Σ gas)
	//
	// over the EVM transactions whose fee is known. Not known where they used no gas.
	AveragePrice chain.Optional[chain.GasPrice]
	// Price10, Price50 and Price90 are percentiles of the gas price by the number of EVM
	// transactions, by the nearest rank: the lowest price that so many percent of them
	// paid at most. Each is a price that was paid.
	Price10, Price50, Price90 chain.Optional[chain.GasPrice]
}

// sums are figures in the making.
type sums struct {
	Figures
	paid   chain.Wei // Σ gas price × gas
	used   chain.Gas // Σ gas, of the same transactions
	prices prices

	priority, charged, burned, treasury, author partial
}

// partial is a sum of which a part may not be known.
type partial struct {
	sum     chain.Wei
	unknown bool
}

func (p *partial) add(value chain.Optional[chain.Wei]) error {
	amount, known := value.Get()
	if !known {
		p.unknown = true
		return nil
	}
	return addTo(&p.sum, amount)
}

func (p *partial) addAll(x *partial) error {
	p.unknown = p.unknown || x.unknown
	return addTo(&p.sum, x.sum)
}

// whole is the sum, where all of it is known.
func (p *partial) whole() (none chain.Optional[chain.Wei]) {
	if p.unknown {
		return none
	}
	return chain.Some(p.sum)
}

func isEVM(t *ledger.Cost) bool { return t.Layer == fee.EVM }

// add adds a transaction. It is chain.ErrOverflow where a sum is more than a balance,
// or gas, can be.
func (s *sums) add(t *ledger.Cost) error {
	layerFee := &s.NativeFee
	if isEVM(t) {
		layerFee = &s.EVMFee
		s.EVM++
	} else {
		s.Native++
	}
	s.CountOutcome(t.Layer, t.Outcome)
	if !t.Fee.Known() {
		s.Undetermined++
	}
	for _, part := range [...]struct {
		to    *chain.Wei
		value *chain.Optional[chain.Wei]
	}{
		{&s.Fee, &t.Fee}, {layerFee, &t.Fee}, {&s.Tip, &t.Tip},
	} {
		if value, ok := part.value.Get(); ok {
			if err := addTo(part.to, value); err != nil {
				return err
			}
		}
	}
	if isEVM(t) && t.Fee.Known() {
		if err := s.priority.add(t.PriorityFee); err != nil {
			return err
		}
	}
	for _, part := range [...]struct {
		to    *partial
		value *chain.Optional[chain.Wei]
	}{{&s.charged, &t.Charged}, {&s.burned, &t.Burned}, {&s.treasury, &t.Treasury}, {&s.author, &t.Author}} {
		if err := part.to.add(*part.value); err != nil {
			return err
		}
	}
	return s.addGas(t)
}

func addTo(to *chain.Wei, value chain.Wei) error {
	sum, err := to.Add(value)
	if err != nil {
		return fmt.Errorf("the sum: %w", err)
	}
	*to = sum
	return nil
}

// addAll adds other sums, likewise.
func (s *sums) addAll(x *sums) (err error) {
	s.EVM += x.EVM
	s.Native += x.Native
	s.AddOutcomes(x.OutcomeCounts)
	s.Undetermined += x.Undetermined
	for _, part := range []struct {
		to    *chain.Wei
		value chain.Wei
	}{
		{&s.Fee, x.Fee}, {&s.EVMFee, x.EVMFee}, {&s.NativeFee, x.NativeFee}, {&s.Tip, x.Tip}, {&s.paid, x.paid},
	} {
		if err := addTo(part.to, part.value); err != nil {
			return err
		}
	}
	for _, part := range []struct{ to, of *partial }{
		{&s.priority, &x.priority}, {&s.charged, &x.charged}, {&s.burned, &x.burned}, {&s.treasury, &x.treasury}, {&s.author, &x.author},
	} {
		if err := part.to.addAll(part.of); err != nil {
			return err
		}
	}
	if s.Gas, err = plus(s.Gas, x.Gas); err != nil {
		return err
	}
	for price, n := range x.prices.counts {
		s.prices.add(price, n)
	}
	s.used, err = plus(s.used, x.used)
	return err
}

// addGas adds what a transaction used of gas, and what it paid for it.
func (s *sums) addGas(t *ledger.Cost) (err error) {
	price, priced := t.GasPrice.Get()
	if priced && isEVM(t) {
		s.prices.add(price, 1)
	}
	gas, ok := t.Gas.Get()
	if !ok {
		return nil
	}
	if s.Gas, err = plus(s.Gas, gas); err != nil {
		return err
	}
	if !priced || !isEVM(t) || !t.Fee.Known() {
		return nil
	}
	cost, err := price.Times(gas)
	if err == nil {
		s.paid, err = s.paid.Add(cost)
	}
	if err != nil {
		return fmt.Errorf("gas price × gas: %w", err)
	}
	s.used, err = plus(s.used, gas)
	return err
}

func plus(a, b chain.Gas) (chain.Gas, error) {
	sum, carry := bits.Add64(a.Uint64(), b.Uint64(), 0)
	if carry != 0 {
		return a, fmt.Errorf("the sum of gas: %w", chain.ErrOverflow)
	}
	return chain.NewGas(sum), nil
}

// figures are the sums, as far as they are known, with the prices that follow from them.
func (s *sums) figures() Figures {
	f := s.Figures
	f.PriorityFee, f.Charged = s.priority.whole(), s.charged.whole()
	f.Burned, f.Treasury, f.Author = s.burned.whole(), s.treasury.whole(), s.author.whole()
	if s.used.Uint64() > 0 {
		price, _ := s.paid.PricePer(s.used)
		f.AveragePrice = chain.Some(price)
	}
	ranked := s.prices.sorted()
	f.Price10, f.Price50, f.Price90 = ranked.percentile(10), ranked.percentile(50), ranked.percentile(90)
	return f
}

// prices counts the gas prices of transactions.
type prices struct{ counts map[chain.GasPrice]uint64 }

func (p *prices) add(price chain.GasPrice, n uint64) {
	if p.counts == nil {
		p.counts = map[chain.GasPrice]uint64{}
	}
	p.counts[price] += n
}

// ranked are prices with how many transactions paid each or less, the lowest first.
type ranked struct {
	list   []chain.GasPrice
	atMost []uint64
}

func (p *prices) sorted() (r ranked) {
	for price := range p.counts {
		r.list = append(r.list, price)
	}
	slices.SortFunc(r.list, chain.GasPrice.Cmp)
	sum := uint64(0)
	for _, price := range r.list {
		sum += p.counts[price]
		r.atMost = append(r.atMost, sum)
	}
	return r
}

// percentile is that of the nearest rank: the price with the rank ceil(percent × n / 100)
// of n.
func (r ranked) percentile(percent uint64) (none chain.Optional[chain.GasPrice]) {
	if len(r.list) == 0 {
		return none
	}
	n := r.atMost[len(r.atMost)-1]
	high, low := bits.Mul64(n, percent)
	rank, rest := bits.Div64(high, low, 100)
	if rest > 0 {
		rank++
	}
	i, _ := slices.BinarySearch(r.atMost, rank)
	return chain.Some(r.list[i])
}
