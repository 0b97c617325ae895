package fee

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/native"
)

// AssetFee is a fee that was paid in an asset other than the token. The chain swaps the asset for the token, and credits the
// token to the receiver of its fees.
type AssetFee struct {
	Asset  string            `json:"asset"`  // its ID, as the gateway writes it in JSON
	Amount chain.TokenAmount `json:"amount"` // the whole fee, in the asset's smallest units
	Tip    chain.Wei         `json:"tip"`    // the part that the sender added, in the token's smallest units
	// Equivalent is what the chain credited to the receiver of its fees, or burned, in the token's smallest units.
	Equivalent chain.Optional[chain.Wei] `json:"equivalent"`
}

// AssetTotal sums fees that were paid in one asset.
type AssetTotal struct {
	Asset        string                    `json:"asset"`
	Transactions int                       `json:"transactions"`
	Amount       chain.TokenAmount         `json:"amount"`
	Equivalent   chain.Optional[chain.Wei] `json:"equivalent"` // unknown if any part is
}

// AssetTotals are totals by asset, in order.
type AssetTotals []AssetTotal

// Text describes the fee. inToken formats the equivalent.
func (f *AssetFee) Text(inToken func(chain.Wei) string) string {
	credited := "the equivalent is not known"
	if amount, known := f.Equivalent.Get(); known {
		credited = inToken(amount) + " were credited for it"
	}
	return fmt.Sprintf("%v of the asset %s; %s", f.Amount, f.Asset, credited)
}

// Notes describes the totals, one line for each asset.
func (l AssetTotals) Notes(inToken func(chain.Wei) string) (notes []string) {
	for _, t := range l {
		count := "1 fee was"
		if t.Transactions > 1 {
			count = fmt.Sprintf("%d fees were", t.Transactions)
		}
		notes = append(notes, fmt.Sprintf("%s paid in an asset, and in no total: %s", count, t.sum().Text(inToken)))
	}
	return notes
}

// priceAsset sets the fee of a transaction that paid in an asset.
func (t *Transaction) priceAsset(x *chain.Extrinsic) error {
	paid, err := native.ReadAssetFeePaid(x)
	if err != nil {
		return err
	}
	t.Payer = chain.Some(paid.Payer)
	if inToken(x, paid.Payer) {
		whole, err := chain.WeiOf(paid.Amount.Word())
		if err == nil && paid.Tip.Cmp(whole) > 0 {
			err = fmt.Errorf("a tip of %v wei exceeds the fee of %v wei that includes it", paid.Tip, whole)
		}
		if err != nil {
			return fmt.Errorf("event assetTxPayment.AssetTxFeePaid: %w", err)
		}
		t.Fee, t.Tip, t.Method = chain.Some(whole), chain.Some(paid.Tip), chain.Some(ByRule)
		return nil
	}
	equivalent, err := equivalentOf(x)
	if err != nil {
		return err
	}
	t.Fee, t.Tip, t.Method = chain.Some(chain.Wei{}), chain.Some(chain.Wei{}), chain.Some(ByRule)
	t.AssetFee = &AssetFee{paid.Asset, paid.Amount, paid.Tip, equivalent}
	t.note("the fee was paid in an asset, and is in no total: %s", t.AssetFee.Text(func(amount chain.Wei) string { return amount.String() + " wei" }))
	return nil
}

// inToken reports whether the asset of a fee is the token: nothing is swapped, and the fee is withdrawn from the payer.
func inToken(x *chain.Extrinsic, payer chain.Address) bool {
	for i := range x.Events {
		if e := &x.Events[i]; e.Is("assetConversion", "SwapCreditExecuted") || native.MovesAsset(e) {
			return false
		}
	}
	cash, err := chain.FindCash(x)
	return err == nil && cash.Payer == payer
}

// equivalentOf returns the credits, or the amount burned, directly before the event AssetTxFeePaid; 0 without either if the
// chain waived the fee.
func equivalentOf(x *chain.Extrinsic) (sum chain.Optional[chain.Wei], err error) {
	last := x.FindEvent("assetTxPayment", "AssetTxFeePaid")
	if last > 0 && x.Events[last-1].Is("balances", "BurnedDebt") {
		burned, err := x.Events[last-1].Data.At(0).Wei()
		if err != nil {
			return sum, fmt.Errorf("event balances.BurnedDebt: data[0]: %w", err)
		}
		return chain.Some(burned), nil
	}
	var to chain.Address
	for i := last - 1; i >= 0 && x.Events[i].Is("balances", "Deposit"); i-- {
		account, errAccount := x.Events[i].Data.At(0).Account()
		amount, errAmount := x.Events[i].Data.At(1).Wei()
		if err := errors.Join(errAccount, errAmount); err != nil {
			return chain.Optional[chain.Wei]{}, fmt.Errorf("event balances.Deposit: %w", err)
		}
		credited, more := sum.Get()
		if more && account != to {
			break
		}
		if credited, err = credited.Add(amount); err != nil {
			return chain.Optional[chain.Wei]{}, err
		}
		to, sum = account, chain.Some(credited)
	}
	if outcome, err := x.Outcome(); err == nil && !sum.Known() {
		if pays, err := outcome.PaysFee(); err == nil && !pays {
			return chain.Some(chain.Wei{}), nil
		}
	}
	return sum, nil
}

// Text describes the totals in one line, without the number of fees; "" without any.
func (l AssetTotals) Text(inToken func(chain.Wei) string) string {
	var parts []string
	for _, t := range l {
		parts = append(parts, t.sum().Text(inToken))
	}
	return strings.Join(parts, "; and ")
}

// sum returns the total as one fee, without the tips.
func (t *AssetTotal) sum() *AssetFee {
	return &AssetFee{Asset: t.Asset, Amount: t.Amount, Equivalent: t.Equivalent}
}

// Add adds a fee to the total of its asset.
func (l *AssetTotals) Add(f *AssetFee) error {
	return l.add(&AssetTotal{f.Asset, 1, f.Amount, f.Equivalent})
}

// Join adds other totals.
func (l *AssetTotals) Join(others AssetTotals) error {
	for i := range others {
		if err := l.add(&others[i]); err != nil {
			return err
		}
	}
	return nil
}

func (l *AssetTotals) add(f *AssetTotal) error {
	i, found := slices.BinarySearchFunc(*l, f.Asset, func(t AssetTotal, asset string) int { return strings.Compare(t.Asset, asset) })
	total := AssetTotal{Asset: f.Asset, Equivalent: chain.Some(chain.Wei{})}
	if found {
		total = (*l)[i]
	}
	var err error
	if total.Amount, err = total.Amount.Add(f.Amount); err != nil {
		return fmt.Errorf("total of the fees in the asset %s: %w", f.Asset, err)
	}
	sum, known := total.Equivalent.Get()
	amount, also := f.Equivalent.Get()
	if total.Equivalent = (chain.Optional[chain.Wei]{}); known && also {
		if sum, err = sum.Add(amount); err != nil {
			return fmt.Errorf("total of the fees in the asset %s: %w", f.Asset, err)
		}
		total.Equivalent = chain.Some(sum)
	}
	total.Transactions += f.Transactions
	if !found {
		*l = slices.Insert(*l, i, AssetTotal{})
	}
	(*l)[i] = total
	return nil
}
