package chain

import "fmt"

// Cash is the money that moved for an extrinsic's fee, as its events have it. The
// chain withdraws the most that the extrinsic may cost before it runs; when it
// has run, it gives back what is too much, and then credits those who get the fee.
//
// Source: pallet transaction-payment, OnChargeTransaction (native); frontier,
// OnChargeEVMTransaction (EVM). The event Withdraw came with runtime 1201.
type Cash struct {
	Payer     Address // whose balance the fee was withdrawn from
	Withdrawn Wei
	At        int // of the withdrawal among the events or movements that were read
	// Deposits are the balances.Deposit events after the extrinsic ran, in order:
	// the refund, then the credits. What the extrinsic itself deposited last can
	// stand before them.
	Deposits []Deposit
	// PayerRemoved says that the payer's account was left empty. The native layer
	// does not give anything back to such an account.
	PayerRemoved bool
}

// Deposit is an amount added to an account's balance.
type Deposit struct {
	Account Address
	Amount  Wei
	At      int // as [Cash.At]
}

// ErrNoWithdraw says that nothing was withdrawn for an extrinsic. It is an
// [ErrMissing].
var ErrNoWithdraw = fmt.Errorf("event balances.Withdraw: %w", ErrMissing)

// FindCash reads the extrinsic's events. It is [ErrNoWithdraw] where no
// balances.Withdraw is among them.
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
			who, err := Read[Address](after[i].Data.Index(0))
			c.PayerRemoved = c.PayerRemoved || err == nil && who == c.Payer
		}
	}
	return c, nil
}

// Refund finds the deposit that gave back what is too much for a charge: the last one of
// just that amount, for the extrinsic itself may have made another before. Where all that
// was withdrawn was charged, some runtimes deposit 0, and others nothing.
func (c *Cash) Refund(charged Wei) (refund Optional[Deposit], err error) {
	back, err := c.Withdrawn.Sub(charged)
	if err != nil {
		return refund, fmt.Errorf("%v wei were withdrawn for a charge of %v: %w", c.Withdrawn, charged, err)
	}
	for i := len(c.Deposits) - 1; i >= 0; i-- {
		if d := c.Deposits[i]; d.Account == c.Payer && d.Amount == back {
			return Some(d), nil
		}
	}
	if back.IsZero() {
		return refund, nil
	}
	return refund, fmt.Errorf("a deposit of %v wei, given back of %v: %w", back, c.Withdrawn, ErrMissing)
}

// lastSteps is where the events that end an extrinsic begin: deposits, and what
// tells of them or of the end, without a step of the extrinsic itself between. The
// very last is its outcome.
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
	case "balances": // the last four name no account: they are about the issuance
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
		return e.Name == "Log" // written when the transaction is done
	}
	return false
}

// readBalanceEvent reads data[0] and data[1], an account and an amount.
func readBalanceEvent(e *Event) (account Address, amount Wei, err error) {
	if account, err = Read[Address](e.Data.Index(0)); err != nil {
		return account, amount, fmt.Errorf("event %s.%s: data[0]: %w", e.Pallet, e.Name, err)
	}
	if amount, err = Read[Wei](e.Data.Index(1)); err != nil {
		return account, amount, fmt.Errorf("event %s.%s: data[1]: %w", e.Pallet, e.Name, err)
	}
	return account, amount, nil
}

// Settle tells the refund from the credits: it is the last deposit to the payer,
// and what follows are the credits. The payer can be the author of the block. If
// the author gets a part of this fee, authorPaid, a last deposit to the payer is
// that part.
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

// Charged is what the payer paid in the end: withdrawn less refund. It is
// ErrOverflow where more was given back than withdrawn.
func (c *Cash) Charged(refund Wei) (Wei, error) {
	charged, err := c.Withdrawn.Sub(refund)
	if err != nil {
		return Wei{}, fmt.Errorf("withdrawn %v wei, given back %v: %w", c.Withdrawn, refund, err)
	}
	return charged, nil
}
