// Package schema lists the values that rules read of a block: of which events and calls, and with which types. The
// decoders of a block decode these and no others.
package schema

import (
	"errors"
	"strings"
)

// Type is the type of a value.
type Type uint8

// The types of values.
const (
	Unread  Type = iota // no rule reads it
	Account             // of 20 or 32 bytes
	Maybe               // an account, or a value that no rule reads
	Number              // of 64 bits
	Amount              // of 128 bits
	Word                // of 256 bits
	Hash
	Text        // a value of any type, in Sidecar's JSON, of at most MaxText bytes
	Exit        // why the EVM stopped
	Destination // of a ReserveRepatriated: 1 if the amount arrives reserved, otherwise 0
	HoldReason  // or a value that no rule reads
)

// MaxText is the size in bytes of a longest Text: the ID of an asset is a location, far shorter.
const MaxText = 2 << 10

// ErrLongText means that a Text is longer.
var ErrLongText = errors.New("the value is too long: want at most 2048 bytes")

// Event describes the data of an event.
type Event struct {
	Types []Type
	Rest  Type // of the values after these
	Whole bool // the number of values matters
}

// Read reports whether a rule reads any of the values.
func (e *Event) Read() bool { return e.Types != nil || e.Whole }

// Some of the values of the balances pallet name an account that no rule knows of: a sum of the movements of that
// account is then unknown.
func balances(types ...Type) Event { return Event{types, Maybe, true} }

func values(types ...Type) Event { return Event{Types: types} }

// The events system.ExtrinsicSuccess, system.ExtrinsicFailed and evm.Log. Of names them only; their data are decoded elsewhere.
var Success, Failure, Log Event

// The data of the other events that are read.
var (
	nothing         = Event{}
	account         = values(Account)
	amount          = values(Amount)
	twoAmounts      = values(Amount, Amount)
	feePaid         = values(Account, Amount, Amount)
	assetFeePaid    = values(Account, Word, Amount, Text)
	swapped         = values(Word, Word, Text)
	assetMoved      = values(Text, Account, Word)
	executed        = values(Account, Account, Hash, Exit)
	newPrice        = values(Word)
	accountAmount   = balances(Account, Amount)
	balanceSet      = balances(Account, Amount, Amount)
	transfer        = balances(Account, Account, Amount)
	repatriated     = balances(Account, Account, Amount, Destination)
	reasonAccount   = balances(HoldReason, Account, Amount)
	reasonTransfer  = balances(HoldReason, Account, Account, Amount)
	unknownBalances = balances()
)

// Of returns the description of an event.
func Of(pallet, name string) *Event {
	switch pallet {
	case "system":
		switch name {
		case "NewAccount", "KilledAccount":
			return &account
		case "ExtrinsicSuccess":
			return &Success
		case "ExtrinsicFailed":
			return &Failure
		}
		return &nothing
	case "balances":
		return ofBalances(name)
	case "transactionPayment":
		if name == "TransactionFeePaid" {
			return &feePaid
		}
	case "assetTxPayment":
		if name == "AssetTxFeePaid" {
			return &assetFeePaid
		}
	case "assetConversion":
		if name == "SwapCreditExecuted" {
			return &swapped
		}
	case "assets", "foreignAssets", "poolAssets":
		switch name {
		case "Withdrawn", "Deposited":
			return &assetMoved
		}
	case "evm":
		if name == "Log" {
			return &Log
		}
	case "ethereum":
		if name == "Executed" {
			return &executed
		}
	case "treasury":
		switch name {
		case "Deposit":
			return &amount
		case "UpdatedInactive":
			return &twoAmounts
		}
	}
	if strings.HasPrefix(name, "New") { // a network's table names the pallet and the item
		return &newPrice
	}
	return &nothing
}

func ofBalances(name string) *Event {
	switch name {
	case "Deposit", "Withdraw", "Minted", "Burned", "Suspended", "Restored", "Reserved", "Unreserved", "Slashed", "DustLost", "Endowed":
		return &accountAmount
	case "Transfer":
		return &transfer
	case "ReserveRepatriated":
		return &repatriated
	case "BalanceSet":
		return &balanceSet
	case "Held", "Released", "BurnedHeld":
		return &reasonAccount
	case "TransferAndHold", "TransferOnHold":
		return &reasonTransfer
	case "BurnedDebt", "Rescinded", "Issued", "MintedCredit":
		return &amount
	case "Upgraded", "Locked", "Unlocked", "Frozen", "Thawed", "TotalIssuanceForced":
		return &nothing
	}
	return &unknownBalances
}

// MaxValues is the number of values of an event that are decoded.
const MaxValues = 8

// Call describes the arguments of a call, by name.
type Call []Argument

// Argument is an argument that a rule reads.
type Argument struct {
	Name string
	Type Type
}

var (
	timestampSet     = Call{{"now", Number}}
	balancesTransfer = Call{{"dest", Account}, {"value", Amount}}
	evmCall          = Call{{"source", Account}}
)

// OfCall returns the arguments of a call that are read, besides those of ethereum.transact.
func OfCall(pallet, name string) Call {
	switch pallet {
	case "timestamp":
		if name == "set" {
			return timestampSet
		}
	case "balances":
		switch name {
		case "transfer", "transferAllowDeath", "transferKeepAlive":
			return balancesTransfer
		}
	case "evm":
		switch name {
		case "call", "create", "create2":
			return evmCall
		}
	}
	return nil
}

// Transfer is the first topic of an ERC-20 transfer: keccak256("Transfer(address,address,uint256)"). An evm.Log is read
// if it has three topics, this one first, and a word of data. Its values are the contract, the other two topics and the
// word.
const Transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
