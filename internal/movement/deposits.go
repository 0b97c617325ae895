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
