package report

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
)

// Figures are sums over transactions. Undetermined fees are excluded and counted in Undetermined. Any other sum
// is unknown if its value is unknown for one of the transactions; PriorityFee, Tip and Gas consider only those
// with a known fee.
type Figures struct {
	EVM, Native       uint64 // transactions
	fee.OutcomeCounts        // of the transactions
	Undetermined      uint64 // fees that no rule determines
	Fee               chain.Wei
	EVMFee            chain.Wei
	NativeFee         chain.Wei
	PriorityFee       chain.Optional[chain.Wei] // part of EVMFee
	Tip               chain.Optional[chain.Wei] // part of NativeFee
	Charged           chain.Optional[chain.Wei] // charged on chain
	Burned            chain.Optional[chain.Wei] // part of Charged, like the next two
	Treasury          chain.Optional[chain.Wei]
	Author            chain.Optional[chain.Wei]
	Gas               chain.Optional[chain.Gas] // unknown with transactions of pallet revive: their fees do not follow from gas

	// AveragePrice is the average price of a unit of gas in wei, rounded down:
	//
	//	floor(Σ gas price × gas / Σ gas)
	//
	// over the EVM transactions with a known fee. It is unknown if they used no gas.
	AveragePrice chain.Optional[chain.GasPrice]
	// Price10, Price50 and Price90 are percentiles of the gas price by number of EVM transactions, using
	// the nearest rank: the lowest price that at least that percentage of transactions did not exceed. Each
	// is a price that was paid. They are unknown unless they were requested.
	Price10, Price50, Price90 chain.Optional[chain.GasPrice]

	// FeeWorth and ChargedWorth are the values of Fee and Charged in the currency of the request's prices. They
	// are unknown without prices, or if a price is missing.
	FeeWorth, ChargedWorth chain.Optional[money.Amount]
}

// figuresOf converts sums to figures, as far as they are known.
func figuresOf(s *ledger.Sums) Figures {
	f := Figures{
		EVM: s.EVM, Native: s.Native, OutcomeCounts: s.OutcomeCounts, Undetermined: s.Undetermined,
		Fee: s.Fee, EVMFee: s.EVMFee, NativeFee: s.NativeFee,
		PriorityFee: known(s.PriorityFee, s.PriorityUnknown), Tip: known(s.Tip, s.TipUnknown), Gas: known(chain.NewGas(s.Gas), s.GasUnknown), Charged: known(s.Charged, s.Uncharged),
		Burned: known(s.Burned, s.BurnedUnknown), Treasury: known(s.Treasury, s.TreasuryUnknown), Author: known(s.Author, s.AuthorUnknown),
	}
	if s.PricedGas > 0 {
		price, _ := s.Priced.PricePer(chain.NewGas(s.PricedGas))
		f.AveragePrice = chain.Some(price)
	}
	return f
}

// with adds percentiles of the gas price.
func (f Figures) with(p percentiles) Figures {
	f.Price10, f.Price50, f.Price90 = p[0], p[1], p[2]
	return f
}

// known returns a sum unless some of its parts are unknown.
func known[T any](sum T, parts uint64) (none chain.Optional[T]) {
	if parts > 0 {
		return none
	}
	return chain.Some(sum)
}

func isEVM(t *ledger.Cost) bool { return t.Layer == fee.EVM }
