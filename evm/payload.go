package evm

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Type is the type of an Ethereum transaction, by the gateway's name for it.
type Type string

// The types of transactions. Runtimes 3900 and later of Moonbeam, Moonriver and Moonbase, and 1500 and later
// of DataHaven, have EIP7702.
//
// Its form here is untested against a real gateway: none was recorded. It is the form that Sidecar's own code
// produces from the metadata of runtime 4401 of Moonbeam.
const (
	Legacy  Type = "legacy"
	EIP2930 Type = "eip2930"
	EIP1559 Type = "eip1559"
	EIP7702 Type = "eip7702"
)

// dynamicFee reports whether the price follows the base fee.
func (t Type) dynamicFee() bool { return t == EIP1559 || t == EIP7702 }

// Payload is the Ethereum transaction in the arguments of an ethereum.transact extrinsic. Fields that no fee
// needs are decoded on demand.
type Payload struct {
	Type                 Type
	Nonce                chain.Nonce
	LegacyGasPrice       chain.GasPrice // gasPrice of legacy and eip2930
	MaxFeePerGas         chain.GasPrice // of eip1559 and eip7702
	MaxPriorityFeePerGas chain.GasPrice // of eip1559 and eip7702
	GasLimit             chain.Gas
	Value                chain.Wei
	fields               chain.Value
}

// Capped reports whether the sender limited the price with MaxFeePerGas.
func (p *Payload) Capped() bool { return p.Type.dynamicFee() }

// ParsePayload decodes args.transaction: an object with one member, named after the transaction type. Runtimes
// before typed transactions (before 1200) have the fields of a legacy transaction there instead. An error
// names the field.
func ParsePayload(args chain.Value) (Payload, error) {
	s := args.Scanner()
	for s.Object(); s.Member(); s.Skip() {
		if s.Key() != "transaction" {
			continue
		}
		if p, ok := parseTyped(&s); ok {
			return p, nil
		}
		return parseOther(args.Member("transaction"))
	}
	return Payload{}, fmt.Errorf("args.transaction: %w", chain.ErrMissing)
}

// parseTyped decodes a typed transaction in one pass. If not ok, parseOther decodes it or reports the error.
func parseTyped(s *jsonscan.Scanner) (p Payload, ok bool) {
	if !s.IsObject() {
		return Payload{}, false
	}
	s.Object()
	if !s.Member() || typeNamed(s.Key()) == "" || !s.IsObject() {
		return Payload{}, false
	}
	p.Type = typeNamed(s.Key())
	start := s.Mark()
	if err := p.read(s); err != nil {
		return Payload{}, false
	}
	p.fields = s.Since(start)
	return p, !s.Member()
}

// parseOther decodes a transaction without a type, or reports the error in a typed one.
func parseOther(transaction chain.Value) (Payload, error) {
	name, fields, one := transaction.Only()
	kind := typeNamed(name)
	where := "args.transaction." + name
	switch untyped := transaction.Member("gasPrice").Kind() != jsonscan.Absent; {
	case untyped:
		kind, fields, where = Legacy, transaction, "args.transaction"
	case !one:
		return Payload{}, errors.New("args.transaction: want an object with one member, named after the transaction's type")
	case kind == "":
		return Payload{}, fmt.Errorf("args.transaction: unknown transaction type %q", jsonscan.Excerpt(name))
	case fields.Kind() != jsonscan.Object:
		return Payload{}, fmt.Errorf("%s: want an object, have %v", where, fields.Kind())
	}
	p := Payload{Type: kind, fields: fields}
	s := fields.Scanner()
	if err := p.read(&s); err != nil {
		return Payload{}, fmt.Errorf("%s.%w", where, err)
	}
	return p, nil
}

func typeNamed(name string) Type {
	switch t := Type(name); t {
	case Legacy, EIP2930, EIP1559, EIP7702:
		return t
	}
	return ""
}

// read decodes the fields. Each type requires its own price fields.
func (p *Payload) read(s *jsonscan.Scanner) error {
	var seen struct{ nonce, gasPrice, maxFee, maxPriority, gasLimit, value bool }
	for s.Object(); s.Member(); {
		var err error
		switch key := s.Key(); key {
		case "nonce":
			p.Nonce, err = chain.Read[chain.Nonce](s.Value())
			seen.nonce = true
		case "gasPrice":
			p.LegacyGasPrice, err = chain.Read[chain.GasPrice](s.Value())
			seen.gasPrice = true
		case "maxFeePerGas":
			p.MaxFeePerGas, err = chain.Read[chain.GasPrice](s.Value())
			seen.maxFee = true
		case "maxPriorityFeePerGas":
			p.MaxPriorityFeePerGas, err = chain.Read[chain.GasPrice](s.Value())
			seen.maxPriority = true
		case "gasLimit":
			p.GasLimit, err = chain.Read[chain.Gas](s.Value())
			seen.gasLimit = true
		case "value":
			p.Value, err = chain.Read[chain.Wei](s.Value())
			seen.value = true
		default:
			s.Skip()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.Key(), err)
		}
	}
	dynamic := p.Type.dynamicFee()
	switch {
	case !seen.nonce:
		return missing("nonce")
	case !dynamic && !seen.gasPrice:
		return missing("gasPrice")
	case dynamic && !seen.maxFee:
		return missing("maxFeePerGas")
	case dynamic && !seen.maxPriority:
		return missing("maxPriorityFeePerGas")
	case !seen.gasLimit:
		return missing("gasLimit")
	case !seen.value:
		return missing("value")
	}
	return nil
}

func missing(field string) error { return fmt.Errorf("%s: %w", field, chain.ErrMissing) }

// Action is the action of a transaction: a call of To, or the creation of a contract.
type Action struct {
	Create bool
	To     chain.Address // zero if Create
}

// named returns the name of a field, which is different in eip7702 transactions.
func (p *Payload) named(name, inEIP7702 string) string {
	if p.Type == EIP7702 {
		return inEIP7702
	}
	return name
}

// Action decodes {"call": address} or {"create": null}.
func (p *Payload) Action() (Action, error) {
	name := p.named("action", "destination")
	kind, v, _ := p.fields.Member(name).Only()
	switch strings.ToLower(kind) {
	case "create":
		return Action{Create: true}, nil
	case "call":
		to, err := readAddress(v)
		if err != nil {
			return Action{}, fmt.Errorf("%s.call: %w", name, err)
		}
		return Action{To: to}, nil
	}
	return Action{}, fmt.Errorf(`%s: want {"call": address} or {"create": null}`, name)
}

// Input returns the call data, or the init code of a creation.
func (p *Payload) Input() ([]byte, error) {
	name := p.named("input", "data")
	v := p.fields.Member(name)
	text, ok := v.Text()
	if !ok || !strings.HasPrefix(text, "0x") {
		return nil, fmt.Errorf("%s: want a string of 0x and hex digits", name)
	}
	input, err := hex.DecodeString(text[2:])
	if err != nil {
		return nil, fmt.Errorf("%s: want a string of 0x and hex digits", name)
	}
	return input, nil
}

// AccessEntry is one entry of an access list (EIP-2930).
type AccessEntry struct {
	Address     chain.Address `json:"address"`
	StorageKeys []chain.Hash  `json:"storageKeys"`
}

// AccessList returns the transaction's access list, empty for a legacy one.
func (p *Payload) AccessList() ([]AccessEntry, error) {
	v := p.fields.Member("accessList")
	if v.Kind() != jsonscan.Array {
		if p.Type == Legacy {
			return nil, nil
		}
		return nil, fmt.Errorf("accessList: want an array, have %v", v.Kind())
	}
	var list []AccessEntry
	for element := range v.Elements() {
		address, err := readAddress(element.Member("address"))
		if err != nil {
			return nil, fmt.Errorf("accessList[%d].address: %w", len(list), err)
		}
		entry := AccessEntry{Address: address}
		for key := range element.Member("storageKeys").Elements() {
			hash, err := chain.Read[chain.Hash](key)
			if err != nil {
				return nil, fmt.Errorf("accessList[%d].storageKeys[%d]: %w", len(list), len(entry.StorageKeys), err)
			}
			entry.StorageKeys = append(entry.StorageKeys, hash)
		}
		list = append(list, entry)
	}
	return list, nil
}
