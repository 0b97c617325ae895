package variance

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
)

// Call is what transactions called.
type Call struct {
	Layer    fee.Layer
	Name     string                        // such as balances.transfer_keep_alive
	Contract chain.Optional[chain.Address] // of an EVM transaction, unless it is not known
}

// callOf returns what a transaction called.
func callOf(t *ledger.Transaction) Call {
	c := Call{Layer: t.Layer, Name: t.Call}
	if t.Layer == fee.EVM {
		c.Contract = t.Recipient
	}
	return c
}

// compare orders calls: by layer, name and contract.
func (c *Call) compare(x *Call) int {
	a, _ := c.Contract.Get()
	b, _ := x.Contract.Get()
	return cmp.Or(strings.Compare(string(c.Layer), string(x.Layer)), strings.Compare(c.Name, x.Name), flag(c.Contract.Known())-flag(x.Contract.Known()), a.Compare(b))
}

// Sums are the sums of some transactions of a period.
type Sums struct {
	Transactions uint64    // with a known fee in the token
	Fee          chain.Wei // theirs
	Apart        chain.Wei // priority fees and tips, which are part of Fee
	Gas          uint64    // of EVM transactions
	Failed       uint64    // failed transactions, which are among them
	FailedFee    chain.Wei // part of Fee
	Drifts       uint64    // fees that differ from what the chain charged
	Undetermined uint64    // other transactions, whose fee is not known
	InAssets     uint64    // other transactions, whose fee was paid in an asset

	apartUnknown, gasUnknown uint64 // transactions
}

// has reports whether there were any transactions, with or without a fee.
func (s *Sums) has() bool { return s.Transactions+s.Undetermined+s.InAssets > 0 }

// byGas reports whether gas and prices explain the fee.
func (s *Sums) byGas() bool { return s.Gas > 0 && s.gasUnknown+s.apartUnknown == 0 }

// isApart reports whether priority fees or tips are known.
func (s *Sums) isApart() bool { return s.apartUnknown == 0 }

// add adds a transaction.
func (s *Sums) add(t *ledger.Transaction) error {
	paid, known := t.Fee.Get()
	switch {
	case t.InAsset():
		s.InAssets++
		return nil
	case !known:
		s.Undetermined++
		return nil
	}
	one := Sums{Transactions: 1, Fee: paid, Drifts: uint64(flag(t.Verdict == evidence.Drift))}
	if t.Outcome != "" && t.Outcome != fee.Succeeded {
		one.Failed, one.FailedFee = 1, paid
	}
	part, gas := t.Tip, chain.Optional[chain.Gas]{}
	if t.Layer == fee.EVM {
		part, gas = t.PriorityFee, t.Gas
	}
	one.Apart, known = part.Get()
	one.apartUnknown = uint64(flag(!known))
	used, known := gas.Get()
	one.Gas, one.gasUnknown = used.Uint64(), uint64(flag(!known))
	return s.plus(&one)
}

// plus adds other sums.
func (s *Sums) plus(x *Sums) (err error) {
	if s.Gas > math.MaxUint64-x.Gas {
		return fmt.Errorf("the sum of gas: %w", chain.ErrOverflow)
	}
	for _, pair := range [][2]*chain.Wei{{&s.Fee, &x.Fee}, {&s.Apart, &x.Apart}, {&s.FailedFee, &x.FailedFee}} {
		if *pair[0], err = pair[0].Add(*pair[1]); err != nil {
			return fmt.Errorf("the sum of fees: %w", err)
		}
	}
	for _, pair := range [][2]*uint64{
		{&s.Transactions, &x.Transactions}, {&s.Gas, &x.Gas}, {&s.Failed, &x.Failed}, {&s.Drifts, &x.Drifts}, {&s.Undetermined, &x.Undetermined},
		{&s.InAssets, &x.InAssets}, {&s.apartUnknown, &x.apartUnknown}, {&s.gasUnknown, &x.gasUnknown},
	} {
		*pair[0] += *pair[1]
	}
	return nil
}

// Period contains the sums of a period by call.
type Period struct {
	// WithoutPayer counts transactions without a known payer, which the selected accounts may have paid for. Their fees
	// are not known either.
	WithoutPayer uint64

	calls map[Call]*Sums
}

// maxCalls limits the memory of a period: each call takes half a kilobyte.
var maxCalls = 1_000_000

// ErrTooManyCalls reports that a period has more different calls than can be compared.
var ErrTooManyCalls = failure.New(failure.NotUnderstood, "too many different calls")

// Add adds a transaction of the period.
func (p *Period) Add(t *ledger.Transaction) error {
	c := callOf(t)
	s := p.calls[c]
	if s == nil {
		if len(p.calls) == maxCalls {
			return fmt.Errorf("%w: more than %d; choose shorter periods, or accounts", ErrTooManyCalls, maxCalls)
		}
		if p.calls == nil {
			p.calls = map[Call]*Sums{}
		}
		s = new(Sums)
		p.calls[c] = s
	}
	if err := s.add(t); err != nil {
		return fmt.Errorf("transaction %v: %w", t.Place(), err)
	}
	return nil
}

func flag(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
