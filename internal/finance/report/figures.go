package report

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
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
	// paid at most. Each is a price that was paid. They are not known where the question
	// does not ask for them.
	Price10, Price50, Price90 chain.Optional[chain.GasPrice]

	// FeeWorth and ChargedWorth are what Fee and Charged were worth in the currency of the
	// question's prices. They are not known without prices, or where one is missing.
	FeeWorth, ChargedWorth chain.Optional[money.Amount]
}

// figuresOf are what sums say, as far as they are known.
func figuresOf(s *ledger.Sums) Figures {
	f := Figures{
		EVM: s.EVM, Native: s.Native, OutcomeCounts: s.OutcomeCounts, Undetermined: s.Undetermined,
		Fee: s.Fee, EVMFee: s.EVMFee, NativeFee: s.NativeFee, Tip: s.Tip, Gas: chain.NewGas(s.Gas),
		PriorityFee: known(s.PriorityFee, s.PriorityUnknown), Charged: known(s.Charged, s.Uncharged),
		Burned: known(s.Burned, s.BurnedUnknown), Treasury: known(s.Treasury, s.TreasuryUnknown), Author: known(s.Author, s.AuthorUnknown),
	}
	if s.PricedGas > 0 {
		price, _ := s.Priced.PricePer(chain.NewGas(s.PricedGas))
		f.AveragePrice = chain.Some(price)
	}
	return f
}

// with has percentiles of the gas price, too.
func (f Figures) with(p percentiles) Figures {
	f.Price10, f.Price50, f.Price90 = p[0], p[1], p[2]
	return f
}

// known is a sum of which so many parts are not known.
func known(sum chain.Wei, parts uint64) (none chain.Optional[chain.Wei]) {
	if parts > 0 {
		return none
	}
	return chain.Some(sum)
}

func isEVM(t *ledger.Cost) bool { return t.Layer == fee.EVM }
