package app

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/tx/ethtx"
)

// Draft is a transaction before it is signed. Its signer needs no node. Nothing in it is believed: [Prepare] reads what
// is signed back from the bytes.
type Draft struct {
	Signer chain.Address `json:"signer"`
	Native *NativeDraft  `json:"native,omitempty"`
	EVM    *EVMDraft     `json:"evm,omitempty"`
}

// NativeDraft is a native extrinsic before it is signed.
type NativeDraft struct {
	CallData           HexBytes    `json:"call_data"`
	Nonce              chain.Nonce `json:"nonce"`
	Tip                chain.Wei   `json:"tip"`
	EraPeriod          uint64      `json:"era_period"` // in blocks, 0 for an immortal extrinsic
	EraPhase           uint64      `json:"era_phase"`
	BirthHeader        HexBytes    `json:"birth_header"` // of the block that the era begins with, SCALE; empty for an immortal one
	Genesis            chain.Hash  `json:"genesis"`
	SpecVersion        uint32      `json:"spec_version"`
	TransactionVersion uint32      `json:"transaction_version"`
	Metadata           []byte      `json:"metadata_gzip"` // of the runtime
}

// EVMDraft is an EVM transaction before it is signed.
type EVMDraft struct {
	Type                 evm.Type                       `json:"type"`
	ChainID              uint64                         `json:"chain_id"`
	Nonce                chain.Nonce                    `json:"nonce"`
	GasPrice             chain.Optional[chain.GasPrice] `json:"gas_price"`                // of legacy and eip2930
	MaxFeePerGas         chain.Optional[chain.GasPrice] `json:"max_fee_per_gas"`          // of eip1559
	MaxPriorityFeePerGas chain.Optional[chain.GasPrice] `json:"max_priority_fee_per_gas"` // of eip1559
	GasLimit             uint64                         `json:"gas_limit"`
	To                   chain.Optional[chain.Address]  `json:"to"` // null for the creation of a contract
	Value                chain.Wei                      `json:"value"`
	Input                HexBytes                       `json:"input"`
	AccessList           []evm.AccessEntry              `json:"access_list"`
}

// HexBytes are bytes that JSON has as 0x and hex digits.
type HexBytes []byte

// MarshalText writes 0x and hex digits.
func (b HexBytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// String is 0x and hex digits.
func (b HexBytes) String() string { return "0x" + hex.EncodeToString(b) }

// UnmarshalText reads them.
func (b *HexBytes) UnmarshalText(text []byte) (err error) {
	digits, found := strings.CutPrefix(string(text), "0x")
	if !found {
		return errors.New("want 0x and hex digits")
	}
	*b, err = hex.DecodeString(digits)
	return err
}

// SignedTransaction is one that can be sent.
type SignedTransaction struct {
	Layer   string                     `json:"layer"` // native or evm
	Signer  chain.Address              `json:"signer"`
	Hash    chain.Hash                 `json:"hash"`
	Genesis chain.Optional[chain.Hash] `json:"genesis"` // of the chain that a native one is for; the bytes of an EVM one name their chain
	Dies    chain.Optional[uint64]     `json:"dies"`    // the first block that it cannot be in any more; null if it has no end
	Raw     HexBytes                   `json:"raw"`
}

// The layers of a transaction.
const (
	NativeLayer = "native"
	EVMLayer    = "evm"
)

// MaxDraft is the size limit of a draft's file, and of the metadata in it, in bytes.
const MaxDraft = 16 << 20

// ParseDraft reads a draft, and checks that it says what is signed.
func ParseDraft(text []byte) (*Draft, error) {
	d := &Draft{}
	if err := parseStrictly(text, d); err != nil {
		return nil, fmt.Errorf("it is no draft of a transaction: %w", err)
	}
	if (d.Native == nil) == (d.EVM == nil) {
		return nil, errors.New("it is no draft of a transaction: want one of native and evm")
	}
	return d, nil
}

// ParseSigned reads a transaction that was signed.
func ParseSigned(text []byte) (*SignedTransaction, error) {
	s := &SignedTransaction{}
	if err := parseStrictly(text, s); err != nil {
		return nil, fmt.Errorf("it is no signed transaction: %w", err)
	}
	return s, nil
}

// parseStrictly reads JSON of known members, none of them twice, and nothing behind it.
func parseStrictly(text []byte, to any) error {
	if _, err := jsonscan.Parse(string(text)); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(to)
}

// metadata unpacks the metadata.
func (d *NativeDraft) metadata() ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(d.Metadata))
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	plain, err := io.ReadAll(io.LimitReader(r, MaxDraft+1))
	if err == nil && len(plain) > MaxDraft {
		err = fmt.Errorf("they are larger than %d bytes", MaxDraft)
	}
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	return plain, nil
}

// transaction is the EVM transaction, not signed.
func (d *EVMDraft) transaction() (*ethtx.Transaction, error) {
	t := &ethtx.Transaction{
		Type: d.Type, ChainID: d.ChainID, Nonce: d.Nonce, GasLimit: chain.NewGas(d.GasLimit), To: d.To, Value: d.Value, Input: d.Input, AccessList: d.AccessList,
	}
	for _, p := range []struct {
		name  string
		has   chain.Optional[chain.GasPrice]
		wants bool
		to    *chain.GasPrice
	}{
		{"gas_price", d.GasPrice, d.Type != evm.EIP1559, &t.GasPrice},
		{"max_fee_per_gas", d.MaxFeePerGas, d.Type == evm.EIP1559, &t.MaxFeePerGas},
		{"max_priority_fee_per_gas", d.MaxPriorityFeePerGas, d.Type == evm.EIP1559, &t.MaxPriorityFeePerGas},
	} {
		price, known := p.has.Get()
		if known && !p.wants {
			return nil, fmt.Errorf("%s: a transaction of type %s has none", p.name, d.Type)
		}
		if !known && p.wants {
			return nil, fmt.Errorf("%s: a transaction of type %s wants it", p.name, d.Type)
		}
		*p.to = price
	}
	if d.Type != evm.Legacy && d.Type != evm.EIP2930 && d.Type != evm.EIP1559 {
		return nil, fmt.Errorf("transactions of type %q are not made here: want legacy, eip2930 or eip1559", d.Type)
	}
	if d.Type == evm.Legacy && len(d.AccessList) > 0 {
		return nil, errors.New("a legacy transaction has no access list")
	}
	return t, nil
}
