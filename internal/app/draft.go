package app

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ethtx"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/sys/disk"
)

// Draft is an unsigned transaction. Its signer needs no node. Nothing in it is trusted: [Prepare] reads what is signed
// back from the bytes.
type Draft struct {
	Signer chain.Address `json:"signer"`
	Native *NativeDraft  `json:"native,omitempty"`
	EVM    *EVMDraft     `json:"evm,omitempty"`
}

// NativeDraft is an unsigned native extrinsic.
type NativeDraft struct {
	CallData           HexBytes    `json:"call_data"`
	Nonce              chain.Nonce `json:"nonce"`
	Tip                chain.Wei   `json:"tip"`
	EraPeriod          uint64      `json:"era_period"` // in blocks, 0 for an immortal extrinsic
	EraPhase           uint64      `json:"era_phase"`
	BirthHeader        HexBytes    `json:"birth_header"` // header of the era's first block, SCALE; empty for an immortal extrinsic
	Genesis            chain.Hash  `json:"genesis"`
	SpecVersion        uint32      `json:"spec_version"`
	TransactionVersion uint32      `json:"transaction_version"`
	Metadata           []byte      `json:"metadata_gzip"` // of the runtime
}

// EVMDraft is an unsigned EVM transaction.
type EVMDraft struct {
	Type                 chain.TransactionType          `json:"type"`
	ChainID              uint64                         `json:"chain_id"`
	Nonce                chain.Nonce                    `json:"nonce"`
	GasPrice             chain.Optional[chain.GasPrice] `json:"gas_price"`                // for legacy and eip2930
	MaxFeePerGas         chain.Optional[chain.GasPrice] `json:"max_fee_per_gas"`          // for eip1559
	MaxPriorityFeePerGas chain.Optional[chain.GasPrice] `json:"max_priority_fee_per_gas"` // for eip1559
	GasLimit             uint64                         `json:"gas_limit"`
	To                   chain.Optional[chain.Address]  `json:"to"` // null to create a contract
	Value                chain.Wei                      `json:"value"`
	Input                HexBytes                       `json:"input"`
	AccessList           []chain.AccessEntry            `json:"access_list"`
}

// HexBytes are bytes written in JSON as 0x and hex digits.
type HexBytes []byte

// MarshalText writes 0x and hex digits.
func (b HexBytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// String returns 0x and hex digits.
func (b HexBytes) String() string { return "0x" + hex.EncodeToString(b) }

// UnmarshalText parses 0x and hex digits.
func (b *HexBytes) UnmarshalText(text []byte) (err error) {
	digits, found := strings.CutPrefix(string(text), "0x")
	if !found {
		return errors.New("want 0x and hex digits")
	}
	*b, err = hex.DecodeString(digits)
	return err
}

// SignedTransaction is a transaction ready to send.
type SignedTransaction struct {
	Layer   string                     `json:"layer"` // native or evm
	Signer  chain.Address              `json:"signer"`
	Hash    chain.Hash                 `json:"hash"`
	Genesis chain.Optional[chain.Hash] `json:"genesis"` // of the chain, for native transactions; the bytes of an EVM transaction contain its chain ID
	Dies    chain.Optional[uint64]     `json:"dies"`    // the first block after its era; null if it does not expire
	Raw     HexBytes                   `json:"raw"`
}

// The layers of a transaction.
const (
	NativeLayer = "native"
	EVMLayer    = "evm"
)

// MaxDraft limits the size of a draft file, and of the metadata in it, in bytes.
const MaxDraft = 16 << 20

// ParseDraft parses a draft and checks that it is either native or EVM.
func ParseDraft(text []byte) (*Draft, error) {
	d := &Draft{}
	if err := parseStrictly(text, d); err != nil {
		return nil, fmt.Errorf("not a transaction draft: %w", err)
	}
	if (d.Native == nil) == (d.EVM == nil) {
		return nil, errors.New("not a transaction draft: want either native or evm")
	}
	return d, nil
}

// ParseSigned parses a signed transaction.
func ParseSigned(text []byte) (*SignedTransaction, error) {
	s := &SignedTransaction{}
	if err := parseStrictly(text, s); err != nil {
		return nil, fmt.Errorf("not a signed transaction: %w", err)
	}
	return s, nil
}

// parseStrictly parses JSON that contains exactly the members that fees writes. A missing one is never a zero.
func parseStrictly(text []byte, to any) error {
	if err := jsonscan.Unmarshal(text, to); err != nil {
		return err
	}
	again, err := json.Marshal(to)
	if err != nil {
		return err
	}
	have, err := jsonscan.Parse(string(text))
	if err != nil {
		return err
	}
	want, err := jsonscan.Parse(string(again))
	if err != nil {
		return err
	}
	return checkMembers("", have, want)
}

// checkMembers rejects a value that lacks members of want, or has null instead.
func checkMembers(path string, have, want jsonscan.Value) error {
	switch kind := have.Kind(); {
	case kind == jsonscan.Absent:
		return fmt.Errorf("%s is missing. Build the draft again", path)
	case kind == jsonscan.Null && want.Kind() != jsonscan.Null:
		return fmt.Errorf("%s is null. Build the draft again", path)
	}
	for name, member := range want.Members() {
		if err := checkMembers(strings.TrimPrefix(path+"."+name, "."), have.Member(name), member); err != nil {
			return err
		}
	}
	next, stop := iter.Pull(have.Elements())
	defer stop()
	i := 0
	for element := range want.Elements() {
		beside, _ := next()
		if err := checkMembers(fmt.Sprintf("%s[%d]", path, i), beside, element); err != nil {
			return err
		}
		i++
	}
	return nil
}

// metadata unpacks the metadata.
func (d *NativeDraft) metadata() ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(d.Metadata))
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	plain, err := disk.ReadAtMost(r, "it", MaxDraft)
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	return plain, nil
}

// transaction returns the unsigned EVM transaction.
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
		{"gas_price", d.GasPrice, d.Type != chain.EIP1559, &t.GasPrice},
		{"max_fee_per_gas", d.MaxFeePerGas, d.Type == chain.EIP1559, &t.MaxFeePerGas},
		{"max_priority_fee_per_gas", d.MaxPriorityFeePerGas, d.Type == chain.EIP1559, &t.MaxPriorityFeePerGas},
	} {
		price, known := p.has.Get()
		if known && !p.wants {
			return nil, fmt.Errorf("%s: not allowed in a transaction of type %s", p.name, d.Type)
		}
		if !known && p.wants {
			return nil, fmt.Errorf("%s: required in a transaction of type %s", p.name, d.Type)
		}
		*p.to = price
	}
	if d.Type != chain.Legacy && d.Type != chain.EIP2930 && d.Type != chain.EIP1559 {
		return nil, fmt.Errorf("transaction type %q: want legacy, eip2930 or eip1559", d.Type)
	}
	if d.Type == chain.Legacy && len(d.AccessList) > 0 {
		return nil, errors.New("a legacy transaction cannot have an access list")
	}
	return t, nil
}
