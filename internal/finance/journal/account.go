package journal

import (
	"errors"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/movement"
)

// Account is an account of the accounting books: its parts, joined by colons.
type Account string

// Accounts that do not belong to one address.
const (
	openingBalances Account = "Equity:Opening"
	rewards         Account = "Income:Rewards"       // deposited by a hook
	deposited       Account = "Income:Deposits"      // within an extrinsic
	withdrawals     Account = "Expenses:Withdrawals" // other than fees
	onHold          Account = "Assets:Deposits"      // paid with a fee, and held by others: not an expense
	suspended       Account = "Equity:Suspended"
	unmatched       Account = "Equity:Unmatched" // deposits given back, whose payer is not known

	// Accounts for the destinations of fees.
	networkFees     Account = "Equity:Network:Fees"
	networkBurned   Account = "Equity:Network:Burned"
	networkTreasury Account = "Equity:Network:Treasury"
	networkAuthor   Account = "Equity:Network:Author"
	networkMinted   Account = "Equity:Network:Minted" // the author's amount in addition to the fee
)

// feeAccount returns the expense account of a layer's fees.
func feeAccount(layer fee.Layer) Account {
	if layer == fee.EVM {
		return "Expenses:Fees:EVM"
	}
	return "Expenses:Fees:Native"
}

// reserved returns the part of an asset account that its owner cannot spend.
func reserved(asset Account) Account { return asset + ":Reserved" }

// kindAccounts are the contra accounts of movements within an extrinsic; those of a transfer are by the other account.
var kindAccounts = map[movement.Kind]Account{
	movement.KindDeposit:     deposited,
	movement.KindWithdrawal:  withdrawals,
	movement.KindReserve:     withdrawals, // nothing more to enter
	movement.KindUnreserve:   withdrawals,
	movement.KindMint:        "Income:Minted",
	movement.KindBurn:        "Expenses:Burned",
	movement.KindDust:        "Expenses:Dust",
	movement.KindSuspension:  suspended,
	movement.KindRestoration: suspended,

	movement.KindDepositUnmatchedIn:  unmatched,
	movement.KindDepositUnmatchedOut: unmatched,
}

// assets returns the asset accounts of addresses. It fails if two are equal or one is below another, because
// their balances could not be distinguished.
func assets(names *Names, addresses []chain.Address) (map[chain.Address]Account, error) {
	var wrong []error
	found := map[chain.Address]Account{}
	owners := map[Account]chain.Address{}
	for _, a := range addresses {
		if _, twice := found[a]; twice {
			continue
		}
		asset := names.Asset(a)
		if other, taken := owners[asset]; taken {
			wrong = append(wrong, fmt.Errorf("%v and %v would share the account %s", other, a, asset))
		}
		found[a], owners[asset] = asset, a
	}
	for _, a := range addresses {
		for above := parent(found[a]); above != ""; above = parent(above) {
			if other, taken := owners[above]; taken {
				wrong = append(wrong, fmt.Errorf("the account of %v, %s, is below that of %v", a, found[a], other))
			}
		}
	}
	return found, errors.Join(wrong...)
}

// parent returns the account above, or "".
func parent(a Account) Account {
	return a[:max(0, strings.LastIndexByte(string(a), ':'))]
}
