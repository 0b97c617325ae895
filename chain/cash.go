package chain

import "fmt"

// Cash is the money that moved for an extrinsic's fee, according to its events. The chain withdraws the
// highest possible fee before the extrinsic runs. Afterwards it refunds the excess and credits the recipients
// of the fee.
//
// Source: pallet transaction-payment, OnChargeTransaction (native); frontier, OnChargeEVMTransaction (EVM).
// The event Withdraw exists since runtime 1201.
type Cash struct {
	Payer     Address // the account that the fee was withdrawn from
	Withdrawn Wei
	At        int // index of the withdrawal in the events or movements read
	// Deposits are the balances.Deposit events after the extrinsic ran, in order: the refund, then the credits.
	// The extrinsic's own last deposits can precede them.
	Deposits []Deposit
	// PayerRemoved reports that the payer's account was left empty. The native layer does not refund such an
	// account.
	PayerRemoved bool
}

// Deposit is an amount added to an account's balance.
type Deposit struct {
	Account Address
	Amount  Wei
	At      int // as [Cash.At]
}

// ErrNoWithdraw means that no fee was withdrawn for an extrinsic. It wraps [ErrMissing].
var ErrNoWithdraw = fmt.Errorf("event balances.Withdraw: %w", ErrMissing)

// FindCash returns the money that moved for the extrinsic's fee. It returns [ErrNoWithdraw] if the events
// contain no balances.Withdraw.
func FindCash(x *Extrinsic) (Cash, error) {
	withdraw := -1
	for i := range x.Events {
		if x.Events[i].Is("balances", "Withdraw") {
			withdraw = i
			break
		}
	}
	if withdraw < 0 {
		return Cash{}, ErrNoWithdraw
	}
	c := Cash{At: withdraw}
	var err error
	if c.Payer, c.Withdrawn, err = readBalanceEvent(&x.Events[withdraw]); err != nil {
		return Cash{}, err
	}
	after := x.Events[withdraw+1:]
	for i := lastSteps(after); i < len(after); i++ {
		if !after[i].Is("balances", "Deposit") {
			continue
		}
		account, amount, err := readBalanceEvent(&after[i])
		if err != nil {
			return Cash{}, err
		}
		c.Deposits = append(c.Deposits, Deposit{account, amount, withdraw + 1 + i})
	}
	for i := range after {
		if after[i].Is("system", "KilledAccount") {
			who, err := after[i].Data.At(0).Account()
			c.PayerRemoved = c.PayerRemoved || err == nil && who == c.Payer
		}
	}
	return c, nil
}

// Refund returns the deposit that refunded the excess over a charge: the last deposit of exactly that amount,
// because the extrinsic itself may have made an earlier one. If the whole withdrawal was charged, some
// runtimes deposit 0 and others deposit nothing.
func (c *Cash) Refund(charged Wei) (refund Optional[Deposit], err error) {
	back, err := c.Withdrawn.Sub(charged)
	if err != nil {
		return refund, fmt.Errorf("only %v wei were withdrawn for a charge of %v: %w", c.Withdrawn, charged, err)
	}
	for i := len(c.Deposits) - 1; i >= 0; i-- {
		if d := c.Deposits[i]; d.Account == c.Payer && d.Amount == back {
			return Some(d), nil
		}
	}
	if back.IsZero() {
		return refund, nil
	}
	return refund, fmt.Errorf("a deposit of %v wei, the refund from %v: %w", back, c.Withdrawn, ErrMissing)
}

// lastSteps returns the index of the first event that ends an extrinsic: deposits and the events that report
// them or the outcome, uninterrupted by a step of the extrinsic itself. The very last event is the outcome.
func lastSteps(events []Event) int {
	outcome := len(events) - 1
	for i := outcome; i >= 0; i-- {
		if events[i].Is("system", "ExtrinsicSuccess") || events[i].Is("system", "ExtrinsicFailed") {
			outcome = i
			break
		}
	}
	for i := outcome; i >= 0; i-- {
		if !isLastStep(&events[i]) {
			return i + 1
		}
	}
	return 0
}

func isLastStep(e *Event) bool {
	switch e.Pallet {
	case "balances": // the last four do not name an account: they concern the issuance
		switch e.Name {
		case "Deposit", "Endowed", "Upgraded", "Issued", "Rescinded", "MintedCredit", "BurnedDebt":
			return true
		}
	case "system":
		switch e.Name {
		case "ExtrinsicSuccess", "ExtrinsicFailed", "NewAccount":
			return true
		}
	case "treasury":
		return e.Name == "Deposit"
	case "transactionPayment":
		return e.Name == "TransactionFeePaid"
	case "ethereum":
		return e.Name == "Executed"
	case "evm":
		return e.Name == "Log" // emitted when the transaction is done
	}
	return false
}

// readBalanceEvent decodes data[0] and data[1], an account and an amount.
func readBalanceEvent(e *Event) (account Address, amount Wei, err error) {
	if account, err = e.Data.At(0).Account(); err != nil {
		return account, amount, fmt.Errorf("event %s.%s: data[0]: %w", e.Pallet, e.Name, err)
	}
	if amount, err = e.Data.At(1).Wei(); err != nil {
		return account, amount, fmt.Errorf("event %s.%s: data[1]: %w", e.Pallet, e.Name, err)
	}
	return account, amount, nil
}

// Settle separates the refund from the credits: the last deposit to the payer is the refund, and the deposits
// after it are the credits. The payer can be the block's author. If authorPaid, the author receives part of
// this fee, and a final deposit to the payer is that part.
func (c *Cash) Settle(authorPaid bool) (refund Wei, credits []Deposit) {
	last := len(c.Deposits) - 1
	if authorPaid && last >= 0 && c.Deposits[last].Account == c.Payer {
		last--
	}
	for i := last; i >= 0; i-- {
		if c.Deposits[i].Account == c.Payer {
			return c.Deposits[i].Amount, c.Deposits[i+1:]
		}
	}
	return Wei{}, c.Deposits
}

// Charged returns the fee that the payer was charged: the withdrawal less the refund. It returns ErrOverflow
// if more was refunded than withdrawn.
func (c *Cash) Charged(refund Wei) (Wei, error) {
	charged, err := c.Withdrawn.Sub(refund)
	if err != nil {
		return Wei{}, fmt.Errorf("%v wei withdrawn but %v refunded: %w", c.Withdrawn, refund, err)
	}
	return charged, nil
}
