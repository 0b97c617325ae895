package chain

import (
	"fmt"
	"strings"
)

// TransactionType is the type of an Ethereum transaction, by the gateway's name for it.
type TransactionType string

// The types of transactions. Runtimes 3900 and later of Moonbeam, Moonriver and Moonbase, and 1500 and later
// of DataHaven, have EIP7702.
//
// Its form here is untested against a real gateway: none was recorded. It is the form that Sidecar's own code
// produces from the metadata of runtime 4401 of Moonbeam.
const (
	Legacy  TransactionType = "legacy"
	EIP2930 TransactionType = "eip2930"
	EIP1559 TransactionType = "eip1559"
	EIP7702 TransactionType = "eip7702"
)

// DynamicFee reports whether the price follows the base fee.
func (t TransactionType) DynamicFee() bool { return t == EIP1559 || t == EIP7702 }

// Payload is the signed Ethereum transaction in the arguments of an ethereum.transact extrinsic.
type Payload struct {
	Type                 TransactionType
	Untyped              bool // without a type, as in runtimes before typed transactions
	Nonce                Nonce
	LegacyGasPrice       GasPrice // gasPrice of legacy and eip2930
	MaxFeePerGas         GasPrice // of eip1559 and eip7702
	MaxPriorityFeePerGas GasPrice // of eip1559 and eip7702
	GasLimit             Gas
	Value                Wei

	// The rest is part of what the sender signed, and no fee needs it.
	Action         Decoded[Action]
	Signature      Decoded[Signature]
	Input          Decoded[[]byte]          // the call data, or the init code of a creation
	ChainID        Decoded[uint64]          // of a typed transaction; a legacy one has it in its signature, if at all
	AccessList     Decoded[[]AccessEntry]   // empty for a legacy one
	Authorizations Decoded[[]Authorization] // of eip7702
}

// Capped reports whether the sender limited the price with MaxFeePerGas.
func (p *Payload) Capped() bool { return p.Type.DynamicFee() }

// Offered returns the highest price per gas that the sender accepts: MaxFeePerGas, or LegacyGasPrice.
func (p *Payload) Offered() GasPrice {
	if p.Type.DynamicFee() {
		return p.MaxFeePerGas
	}
	return p.LegacyGasPrice
}

// Action is the action of a transaction: a call of To, or the creation of a contract.
type Action struct {
	Create bool
	To     Address // zero if Create
}

// AccessEntry is one entry of an access list (EIP-2930).
type AccessEntry struct {
	Address     Address `json:"address"`
	StorageKeys []Hash  `json:"storageKeys"`
}

// Signature is the signature in a transaction, decoded but not verified.
type Signature struct {
	// V is 27 or 28 for a legacy transaction, or 35 or 36 plus twice the chain ID (EIP-155); for a typed one it is
	// the parity, 0 or 1.
	V    uint64
	R, S Hash // integers, most significant byte first
}

// Authorization lets an account adopt the code of another (EIP-7702).
type Authorization struct {
	ChainID   uint64 // 0 for every chain
	Address   Address
	Nonce     AuthorizationNonce
	Signature Signature // of any form: the runtimes skip an authorization without a valid signature
}

// Exit is the reason why the EVM stopped.
type Exit struct {
	State  ExitState
	Reason string // such as "Stopped", "Reverted", "outOfGas" or "invalidCode(254)"
}

// ExitState is the kind of an exit.
type ExitState string

// The four exit states. In every state the transaction paid for the gas it used.
const (
	ExitSucceed ExitState = "succeed"
	ExitRevert  ExitState = "revert"
	ExitError   ExitState = "error"
	ExitFatal   ExitState = "fatal"
)

// OutOfGas reports whether the transaction used up its gas limit.
func (e Exit) OutOfGas() bool { return e.State == ExitError && strings.EqualFold(e.Reason, "outOfGas") }

// usualExits are the contents of frequent exits.
var usualExits = func() map[Exit]*content {
	all := map[Exit]*content{}
	for _, e := range []Exit{
		{}, {ExitSucceed, "Stopped"}, {ExitSucceed, "Returned"}, {ExitSucceed, "Suicided"}, {ExitRevert, "Reverted"},
		{ExitError, "OutOfGas"}, {ExitError, "outOfGas"},
	} {
		all[e] = &content{kind: exited, exit: e}
	}
	return all
}()

// ExitValue returns an exit, zero if the source reported none that is known.
func ExitValue(e Exit) Value {
	of := usualExits[e]
	if of == nil {
		of = &content{kind: exited, exit: e}
	}
	return Value{of: of}
}

// Exit returns an exit.
func (v Value) Exit() (Exit, error) {
	if err := v.check(exited); err != nil {
		return Exit{}, err
	}
	return v.of.exit, nil
}

// Ethereum returns the Ethereum transaction of an ethereum.transact extrinsic.
func (x *Extrinsic) Ethereum() (*Payload, error) {
	p, err := x.Payload.Get()
	if err == ErrMissing {
		return nil, fmt.Errorf("args.transaction: %w", ErrMissing)
	}
	return p, err
}
