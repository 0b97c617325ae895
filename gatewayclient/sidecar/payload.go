package sidecar

import (
	"errors"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
)

// DecodePayload decodes the arguments of an ethereum.transact extrinsic, as [DecodeBlock] does.
func DecodePayload(args string) (*chain.Payload, error) {
	v, err := jsonscan.Parse(args)
	if err != nil {
		return nil, err
	}
	return readPayload(v)
}

// readPayload decodes args.transaction of an ethereum.transact extrinsic: an object with one member, named after the
// transaction type. Runtimes before typed transactions (before 1200) have the fields of a legacy transaction there
// instead. An error names the field.
func readPayload(args jsonscan.Value) (*chain.Payload, error) {
	s := args.Scanner()
	for s.Object(); s.Member(); s.Skip() {
		if s.Key() != "transaction" {
			continue
		}
		if p, ok := readTyped(&s); ok {
			return p, nil
		}
		return readOther(args.Member("transaction"))
	}
	return nil, fmt.Errorf("args.transaction: %w", chain.ErrMissing)
}

// readTyped decodes a typed transaction in one pass. If not ok, readOther decodes it or reports the error.
func readTyped(s *jsonscan.Scanner) (*chain.Payload, bool) {
	if !s.IsObject() {
		return nil, false
	}
	s.Object()
	if !s.Member() || typeNamed(s.Key()) == "" || !s.IsObject() {
		return nil, false
	}
	p := &chain.Payload{Type: typeNamed(s.Key())}
	if readPayloadFields(p, s) != nil {
		return nil, false
	}
	return p, !s.Member()
}

// readOther decodes a transaction without a type, or reports the error in a typed one.
func readOther(transaction jsonscan.Value) (*chain.Payload, error) {
	name, fields, one := transaction.Only()
	p := &chain.Payload{Type: typeNamed(name)}
	where := "args.transaction." + name
	switch untyped := transaction.Member("gasPrice").Kind() != jsonscan.Absent; {
	case untyped:
		p.Type, p.Untyped, fields, where = chain.Legacy, true, transaction, "args.transaction"
	case !one:
		return nil, errors.New("args.transaction: want an object with one member, named after the transaction's type")
	case p.Type == "":
		return nil, fmt.Errorf("args.transaction: unknown transaction type %q", jsonscan.Excerpt(name))
	case fields.Kind() != jsonscan.Object:
		return nil, fmt.Errorf("%s: want an object, have %v", where, fields.Kind())
	}
	s := fields.Scanner()
	if err := readPayloadFields(p, &s); err != nil {
		return nil, fmt.Errorf("%s.%w", where, err)
	}
	return p, nil
}

func typeNamed(name string) chain.TransactionType {
	switch t := chain.TransactionType(name); t {
	case chain.Legacy, chain.EIP2930, chain.EIP1559, chain.EIP7702:
		return t
	}
	return ""
}

// signedFields are the fields that no fee needs.
type signedFields struct {
	action, destination, input, data, chainID, accessList, authorizations jsonscan.Value
	own, signature                                                        point // in the transaction itself, and in its member signature
	separate                                                              bool  // there is a member signature
}

// readPayloadFields decodes the fields of a transaction. Each type requires its own price fields.
func readPayloadFields(p *chain.Payload, s *jsonscan.Scanner) error {
	var seen struct{ nonce, gasPrice, maxFee, maxPriority, gasLimit, value bool }
	var rest signedFields
	for s.Object(); s.Member(); {
		var err error
		switch key := s.Key(); key {
		case "nonce":
			p.Nonce, err = next(s, chain.NewNonce, jsonread.Nonce)
			seen.nonce = true
		case "gasPrice":
			p.LegacyGasPrice, err = next(s, chain.NewGasPrice, jsonread.GasPrice)
			seen.gasPrice = true
		case "maxFeePerGas":
			p.MaxFeePerGas, err = next(s, chain.NewGasPrice, jsonread.GasPrice)
			seen.maxFee = true
		case "maxPriorityFeePerGas":
			p.MaxPriorityFeePerGas, err = next(s, chain.NewGasPrice, jsonread.GasPrice)
			seen.maxPriority = true
		case "gasLimit":
			p.GasLimit, err = next(s, chain.NewGas, jsonread.Gas)
			seen.gasLimit = true
		case "value":
			p.Value, err = next(s, chain.NewWei, jsonread.Wei)
			seen.value = true
		default:
			rest.take(key, s)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.Key(), err)
		}
	}
	dynamic := p.Type.DynamicFee()
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
	rest.read(p)
	return nil
}

// next decodes the next number. It is quick for what gateways usually write.
func next[T any](s *jsonscan.Scanner, of func(uint64) T, read func(jsonscan.Value) (T, error)) (T, error) {
	if n, ok := s.Decimal(); ok {
		return of(n), nil
	}
	return read(s.Value())
}

func missing(field string) error { return fmt.Errorf("%s: %w", field, chain.ErrMissing) }

// take reads a field.
func (f *signedFields) take(key string, s *jsonscan.Scanner) {
	switch key {
	case "action":
		f.action = s.Value()
	case "destination":
		f.destination = s.Value()
	case "input":
		f.input = s.Value()
	case "data":
		f.data = s.Value()
	case "chainId":
		f.chainID = s.Value()
	case "accessList":
		f.accessList = s.Value()
	case "authorizationList":
		f.authorizations = s.Value()
	case "signature":
		f.separate = s.IsObject()
		f.signature = nextPoint(s)
	default:
		f.own.take(key, s)
	}
}

// read decodes the fields that no fee needs.
func (f *signedFields) read(p *chain.Payload) {
	action, input := "action", "input" // other names in eip7702 transactions
	if p.Type == chain.EIP7702 {
		action, input, f.action, f.input = "destination", "data", f.destination, f.data
	}
	p.Action = chain.DecodedOf(readAction(action, f.action))
	p.Input = chain.DecodedOf(readInput(input, f.input))
	p.AccessList = chain.DecodedOf(readAccessList(p.Type, f.accessList))
	if p.Type == chain.Legacy {
		p.Signature = chain.DecodedOf(f.signature.legacySignature())
		return
	}
	// The signature is a separate member in runtimes that support eip7702, and part of the transaction itself in earlier
	// ones (metadata of runtimes 4401 and 3702).
	if !f.separate && p.Type != chain.EIP7702 {
		f.signature = f.own
	}
	p.Signature = chain.DecodedOf(f.signature.signature())
	p.ChainID = chain.DecodedOf(inside("chainId", f.chainID, jsonread.Uint64))
	if p.Type == chain.EIP7702 {
		p.Authorizations = chain.DecodedOf(readAuthorizationList(f.authorizations))
	}
}

// inside reads a value, and adds its name to an error.
func inside[T any](name string, v jsonscan.Value, read func(jsonscan.Value) (T, error)) (T, error) {
	value, err := read(v)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return value, err
}

// readAction decodes {"call": address} or {"create": null}.
func readAction(name string, v jsonscan.Value) (chain.Action, error) {
	kind, to, _ := v.Only()
	switch strings.ToLower(kind) {
	case "create":
		return chain.Action{Create: true}, nil
	case "call":
		address, err := inside("call", to, jsonread.EVMAddress)
		if err != nil {
			return chain.Action{}, fmt.Errorf("%s.%w", name, err)
		}
		return chain.Action{To: address}, nil
	}
	return chain.Action{}, fmt.Errorf(`%s: want {"call": address} or {"create": null}`, name)
}

func readInput(name string, v jsonscan.Value) ([]byte, error) {
	text, _ := v.Text()
	input, err := chain.ReadBytes(text)
	if err != nil {
		return nil, fmt.Errorf("%s: want a string of 0x and hex digits", name)
	}
	return input, nil
}

// point is a signature: v of a legacy transaction, oddYParity of a typed one.
type point struct{ v, parity, r, s jsonscan.Value }

// nextPoint reads the next value as a signature, empty if it is not an object.
func nextPoint(s *jsonscan.Scanner) (p point) {
	if !s.IsObject() {
		s.Skip()
		return p
	}
	for s.Object(); s.Member(); {
		p.take(s.Key(), s)
	}
	return p
}

// take reads a part of the signature, or skips another field.
func (p *point) take(key string, s *jsonscan.Scanner) {
	switch key {
	case "v":
		p.v = s.Value()
	case "oddYParity":
		p.parity = s.Value()
	case "r":
		p.r = s.Value()
	case "s":
		p.s = s.Value()
	default:
		s.Skip()
	}
}

func (p *point) legacySignature() (chain.Signature, error) {
	v, err := inside("signature.v", p.v, jsonread.Uint64)
	if err != nil {
		return chain.Signature{}, err
	}
	signature, err := p.integers(v)
	if err != nil {
		return chain.Signature{}, fmt.Errorf("signature.%w", err)
	}
	return signature, nil
}

// signature decodes oddYParity, r and s.
func (p *point) signature() (chain.Signature, error) {
	parity, err := inside("oddYParity", p.parity, readParity)
	if err != nil {
		return chain.Signature{}, err
	}
	return p.integers(parity)
}

// readParity decodes oddYParity, which gateways write as a bool or as 0 and 1.
func readParity(v jsonscan.Value) (uint64, error) {
	if odd, ok := v.Bool(); ok {
		if odd {
			return 1, nil
		}
		return 0, nil
	}
	n, err := jsonread.Uint64(v)
	if err == nil && n > 1 {
		return 0, fmt.Errorf("want 0 or 1, have %d", n)
	}
	return n, err
}

// integers decodes r and s, and returns the signature.
func (p *point) integers(v uint64) (signature chain.Signature, err error) {
	signature.V = v
	if signature.R, err = inside("r", p.r, jsonread.Hash); err == nil {
		signature.S, err = inside("s", p.s, jsonread.Hash)
	}
	if err != nil {
		return chain.Signature{}, err
	}
	return signature, nil
}

func readAccessList(of chain.TransactionType, v jsonscan.Value) ([]chain.AccessEntry, error) {
	if v.Kind() != jsonscan.Array {
		if of == chain.Legacy {
			return nil, nil
		}
		return nil, fmt.Errorf("accessList: want an array, have %v", v.Kind())
	}
	var list []chain.AccessEntry
	for element := range v.Elements() {
		address, err := jsonread.EVMAddress(element.Member("address"))
		if err != nil {
			return nil, fmt.Errorf("accessList[%d].address: %w", len(list), err)
		}
		entry := chain.AccessEntry{Address: address}
		for key := range element.Member("storageKeys").Elements() {
			hash, err := jsonread.Hash(key)
			if err != nil {
				return nil, fmt.Errorf("accessList[%d].storageKeys[%d]: %w", len(list), len(entry.StorageKeys), err)
			}
			entry.StorageKeys = append(entry.StorageKeys, hash)
		}
		list = append(list, entry)
	}
	return list, nil
}

func readAuthorizationList(v jsonscan.Value) ([]chain.Authorization, error) {
	if v.Kind() != jsonscan.Array {
		return nil, fmt.Errorf("authorizationList: want an array, have %v", v.Kind())
	}
	var list []chain.Authorization
	for element := range v.Elements() {
		a, err := readAuthorization(element)
		if err != nil {
			return nil, fmt.Errorf("authorizationList[%d].%w", len(list), err)
		}
		list = append(list, a)
	}
	return list, nil
}

func readAuthorization(v jsonscan.Value) (a chain.Authorization, err error) {
	if a.ChainID, err = inside("chainId", v.Member("chainId"), jsonread.Uint64); err != nil {
		return chain.Authorization{}, err
	}
	if a.Address, err = inside("address", v.Member("address"), jsonread.EVMAddress); err != nil {
		return chain.Authorization{}, err
	}
	if a.Nonce, err = inside("nonce", v.Member("nonce"), jsonread.AuthorizationNonce); err != nil {
		return chain.Authorization{}, err
	}
	s := v.Member("signature").Scanner()
	signature := nextPoint(&s)
	if a.Signature, err = signature.signature(); err != nil {
		return chain.Authorization{}, fmt.Errorf("signature.%w", err)
	}
	return a, nil
}
