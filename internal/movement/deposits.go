package movement

import "github.com/feeledger/fees/chain"

// Deposit is a change of what an account holds or reserves. It is not a fee: who paid it has a receivable.
type Deposit struct {
	At     int                              // index of its movement
	Holder chain.Address                    // whose balance is held: of a contract's storage, the contract
	Reason chain.Optional[chain.HoldReason] // none for a reserve
	Amount chain.SignedWei                  // above 0 if it was taken, below 0 if it was given back
	// Party paid what was taken, or got what was given back; unknown if it was burned.
	Party chain.Optional[chain.Address]
}

// DepositsAmong returns the deposits of an extrinsic or a hook, as far as the movements state them. Payer is the account
// that pays the extrinsic's fee.
//
// Pallet revive takes storage deposits from what it withdrew from the payer at first: a deposit to the contract, then a hold
// of the same amount. It gives them back likewise: a release, then a withdrawal from the contract, and the payer of the
// extrinsic's fee gets it, even if another account paid the deposit. Other holds are of the account's own balance, or of
// one that the event names.
//
// Source: polkadot-sdk, frame/revive/src/evm/fees.rs and deposit_payment.rs.
func DepositsAmong(movements int, at func(int) *Movement, payer chain.Optional[chain.Address]) (list []Deposit) {
	next := func(i int, kind Kind, m *Movement) bool {
		if i < 0 || i >= movements {
			return false
		}
		reason, held := m.Reason.Get()
		x := at(i)
		return held && refunds(reason.Pallet()) && x.Kind == kind && x.Account == m.Account && x.Amount == m.Amount
	}
	for i := range movements {
		m := at(i)
		change, known := m.Reserved.Get()
		if !known || change.Sign() == 0 {
			continue
		}
		d := Deposit{i, m.Account, m.Reason, change, chain.Some(m.Account)}
		switch m.Kind {
		case KindReserve:
			if next(i-1, KindDeposit, m) {
				d.Party = payer
			}
		case KindUnreserve:
			if next(i+1, KindWithdrawal, m) {
				d.Party = payer
			}
		case KindTransferOut:
			d.Party = m.Counterparty
		case KindTransferIn:
			if m.Event == eventNames["TransferAndHold"] { // otherwise a reserve has passed to the account
				d.Party = m.Counterparty
			}
		case KindBurn:
			d.Party = chain.Optional[chain.Address]{}
		}
		list = append(list, d)
	}
	return list
}

// Outlay is what left an account's free balance in an extrinsic whose fee it paid. Cash is the sum of all other parts.
type Outlay struct {
	Cash     chain.SignedWei
	Fee      chain.Wei
	Deposits chain.SignedWei // taken from it, less what it got back
	// Endowed are the existential deposits that an Ethereum transaction of pallet revive gave to new accounts, out of what it
	// withdrew from the payer.
	Endowed   chain.Wei
	Burned    chain.Wei       // the rounding of the Ethereum receipt, and the part of a value below the smallest unit
	Dust      chain.Wei       // was too little to keep the account
	Transfers chain.SignedWei // sent, less received
	// Other is what the call itself withdrew or deposited, such as a swap: 0 for an Ethereum transaction.
	Other chain.SignedWei
}

// Payment is what an [Outlay] is computed for.
type Payment struct {
	Payer    chain.Address
	Fee      chain.Wei                     // with the tip
	Revive   bool                          // it is an Ethereum transaction of pallet revive
	Receiver chain.Optional[chain.Address] // of fees; none if they are burned
}

// OutlayAmong returns what a payment's extrinsic took from the payer's free balance. It is unknown if an event does not
// state the change, and an error if a sum overflows.
func OutlayAmong(movements int, at func(int) *Movement, p Payment) (none chain.Optional[Outlay], err error) {
	o := Outlay{Fee: p.Fee}
	add := func(to *chain.SignedWei, amount chain.SignedWei) {
		if err == nil {
			*to, err = to.Add(amount)
		}
	}
	deposits := DepositsAmong(movements, at, chain.Some(p.Payer))
	held := map[int]bool{} // the deposits to accounts that hold them, and what was put on hold or given back
	for _, d := range deposits {
		held[d.At] = true
		if d.Party == chain.Some(p.Payer) {
			add(&o.Deposits, d.Amount)
			if m := at(d.At); m.Kind == KindReserve && m.Account != p.Payer {
				held[d.At-1] = true
			}
		}
	}
	for i := range movements {
		m := at(i)
		free, known := m.Free.Get()
		switch {
		case m.Account != p.Payer:
			if m.Kind == KindDeposit && p.Revive && !held[i] && p.Receiver != chain.Some(m.Account) && err == nil {
				o.Endowed, err = o.Endowed.Add(m.Amount)
			}
			continue
		case !known:
			return none, nil
		}
		add(&o.Cash, free.Negated())
		switch {
		case m.Kind == KindBurn && free.Sign() < 0 && err == nil:
			o.Burned, err = o.Burned.Add(m.Amount)
		case m.Kind == KindDust && err == nil:
			o.Dust, err = o.Dust.Add(m.Amount)
		case m.Event == eventNames["Transfer"]:
			add(&o.Transfers, free.Negated())
		}
	}
	o.Other = o.Cash
	for _, part := range []chain.SignedWei{o.Fee.Signed(), o.Deposits, o.Endowed.Signed(), o.Burned.Signed(), o.Dust.Signed(), o.Transfers} {
		add(&o.Other, part.Negated())
	}
	if err != nil {
		return none, err
	}
	return chain.Some(o), nil
}
