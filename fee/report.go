package fee

import (
	"errors"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
)

// Report contains a block's fees. Its JSON always has every key, null if there is no value; amounts are
// decimal strings in wei.
type Report struct {
	Network string                 `json:"network"`
	Runtime chain.Optional[uint32] `json:"runtime"` // that executed the block
	Rules   string                 `json:"rules"`   // the rules that priced it, see [network.Rules]
	// Certain is false if the rules may not be the chain's: the runtime is newer than the table, the table marks
	// its figures as uncertain, or a weight is not a whole number of gas.
	Certain       bool                                   `json:"certain"`
	Number        uint64                                 `json:"number"`
	Hash          chain.Hash                             `json:"hash"`
	ParentHash    chain.Hash                             `json:"parent_hash"`
	Time          chain.Optional[chain.Time]             `json:"time"`
	Finalized     chain.Optional[bool]                   `json:"finalized"`
	Multiplier    chain.Optional[chain.StoredMultiplier] `json:"multiplier"`
	BaseFeePerGas chain.Optional[chain.GasPrice]         `json:"base_fee_per_gas"`
	Transactions  []Transaction                          `json:"transactions"`         // by index
	AssetFees     AssetTotals                            `json:"asset_fees,omitempty"` // by asset; in no total of Totals
	Totals        Totals                                 `json:"totals"`
	Notes         []string                               `json:"notes"`

	lastBaseFee *chain.Optional[chain.GasPrice] // in force at the end of the block, if other than BaseFeePerGas
}

// Holds reports whether every fee is determined, by rules that are known to apply.
func (r *Report) Holds() bool { return r.Totals.Complete && r.Certain }

// LastBaseFee returns the base fee per gas in force at the end of the block: that of the last event that sets one,
// otherwise the block's.
func (r *Report) LastBaseFee() chain.Optional[chain.GasPrice] {
	if r.lastBaseFee != nil {
		return *r.lastBaseFee
	}
	return r.BaseFeePerGas
}

// BaseFeeOf returns the base fee per gas in force for one of the block's EVM transactions.
func (r *Report) BaseFeeOf(t *Transaction) chain.Optional[chain.GasPrice] {
	if t.BaseFeePerGas != nil {
		return chain.Some(*t.BaseFeePerGas)
	}
	return r.BaseFeePerGas
}

// Transaction is one extrinsic with its fee.
type Transaction struct {
	Index    int                                   `json:"index"` // in the block
	Layer    Layer                                 `json:"layer"`
	Type     chain.Optional[chain.TransactionType] `json:"type"` // EVM only
	Call     string                                `json:"call"` // such as "balances.transfer"
	Hash     chain.Hash                            `json:"hash"` // of the extrinsic
	EVMHash  chain.Optional[chain.Hash]            `json:"evm_hash"`
	From     chain.Optional[chain.Address]         `json:"from"`
	To       chain.Optional[chain.Address]         `json:"to"`    // EVM only; for a creation, the contract
	Payer    chain.Optional[chain.Address]         `json:"payer"` // the account charged
	Nonce    chain.Optional[chain.Nonce]           `json:"nonce"`
	GasPrice chain.Optional[chain.GasPrice]        `json:"gas_price"` // EVM only
	// BaseFeePerGas is nil unless an earlier event in the block set a base fee other than the block's.
	BaseFeePerGas *chain.GasPrice               `json:"base_fee_per_gas,omitempty"`
	Gas           chain.Optional[chain.Gas]     `json:"gas"`    // EVM only
	Weight        chain.Optional[chain.RefTime] `json:"weight"` // as reported by the chain
	Fee           chain.Optional[chain.Wei]     `json:"fee"`    // the whole fee, tip included
	Method        chain.Optional[Method]        `json:"method"`
	// AssetFee is the fee of a native transaction that paid in an asset other than the token; nil for all others. Fee is then
	// 0: its payer paid nothing in the token.
	AssetFee    *AssetFee                 `json:"asset_fee,omitempty"`
	PriorityFee chain.Optional[chain.Wei] `json:"priority_fee"` // EVM only: the part of Fee above the base fee
	Tip         chain.Optional[chain.Wei] `json:"tip"`          // native only: the part of Fee that the sender added
	Success     chain.Optional[bool]      `json:"success"`      // of the extrinsic
	inexact     bool                      // the weight is not a whole number of gas
	Outcome     chain.Optional[Outcome]   `json:"outcome"` // of the transaction
	Status      chain.Optional[string]    `json:"status"`  // EVM only: the exit reason
	Transfers   []evm.Transfer            `json:"transfers"`
	Notes       []string                  `json:"notes"`
	Error       *Error                    `json:"error"` // why Fee is unknown
}

// Layer is one of the chain's two layers, or the kind of inherents.
type Layer string

// The layers. Inherents are not transactions; see [Inherents].
const (
	EVM      Layer = "evm"
	Native   Layer = "native"
	Inherent Layer = "inherent"
)

// Method is the way in which a fee was determined.
type Method string

// ByRule means that a fee was computed by the rules of the specification. ByCash means that it is the
// withdrawal less the refund: native fees of runtimes without a fee event have no rule.
const (
	ByRule Method = "rule"
	ByCash Method = "cash"
)

// Totals sums the known fees. Complete is false if any fee is unknown.
type Totals struct {
	Fee       chain.Wei `json:"fee"`
	EVMFee    chain.Wei `json:"evm_fee"`
	NativeFee chain.Wei `json:"native_fee"`
	EVM       int       `json:"evm"`    // number of transactions, including those with an unknown fee
	Native    int       `json:"native"` // likewise
	OutcomeCounts
	Inherents    int  `json:"inherents"`
	Undetermined int  `json:"undetermined"`
	Complete     bool `json:"complete"`
}

// Error is the reason why an extrinsic cannot be priced. Err names the field or event.
type Error struct {
	Block     uint64
	Extrinsic int
	Err       error
}

func (e *Error) Error() string {
	return fmt.Sprintf("block %d, extrinsic %d: %v", e.Block, e.Extrinsic, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// MarshalText encodes the message.
func (e *Error) MarshalText() ([]byte, error) { return []byte(e.Error()), nil }

// UnmarshalText parses the message. Err then has the text of the reason, but not its type.
func (e *Error) UnmarshalText(text []byte) error {
	place, reason, _ := strings.Cut(string(text), ": ")
	if _, err := fmt.Sscanf(place, "block %d, extrinsic %d", &e.Block, &e.Extrinsic); err != nil {
		return fmt.Errorf("%q does not begin with a block and an extrinsic", place)
	}
	e.Err = errors.New(reason)
	return nil
}
