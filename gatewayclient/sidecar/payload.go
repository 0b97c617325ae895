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
	const path = "args.transaction"
	transaction := args.Member("transaction")
	name, fields, one := transaction.Only()
	p := &chain.Payload{Type: typeNamed(name)}
	where := path + "." + name
	switch untyped := transaction.Member("gasPrice").Kind() != jsonscan.Absent; {
	case transaction.Kind() == jsonscan.Absent:
		return nil, inField(path, chain.ErrMissing)
	case untyped:
		p.Type, p.Untyped, fields, where = chain.Legacy, true, transaction, path
	case !one:
		return nil, inField(path, errors.New("want an object with one member, named after the transaction's type"))
	case p.Type == "":
		return nil, inField(path, fmt.Errorf("unknown transaction type %q", jsonscan.Excerpt(name)))
	case fields.Kind() != jsonscan.Object:
		return nil, inField(where, unwanted("an object", fields))
	}
	s := fields.Scanner()
	if err := readPayloadFields(p, &s, false); err != nil {
		return nil, inField(where, err)
	}
	return p, nil
}

// typeNamed returns the type with a name. Sidecar's successor writes some in another case, such as eIP1559.
func typeNamed(name string) chain.TransactionType {
	if name == string(chain.Legacy) {
		return chain.Legacy
	}
	for _, t := range [...]chain.TransactionType{chain.EIP1559, chain.EIP2930, chain.EIP7702} {
		if strings.EqualFold(name, string(t)) {
			return t
		}
	}
	return ""
}

// signedFields are the fields that no fee needs.
type signedFields struct {
	action, destination, input, data, chainID, accessList, authorizations jsonscan.Value
	point                                                                 point
	separate                                                              bool // point is the member signature, not fields of the transaction itself
}

// readPayloadFields decodes the fields of a transaction. Each type requires its own price fields. The numbers are limbs
// if the gas limit is.
func readPayloadFields(p *chain.Payload, s *jsonscan.Scanner, limbs bool) (err error) {
	start := s.Mark()
	var fields firstError
	var seen struct{ nonce, gasPrice, maxFee, maxPriority, gasLimit, value bool }
	var rest signedFields
	for s.Object(); s.Member(); {
		switch key := s.Key(); key {
		case "nonce":
			p.Nonce, err = next(s, limbs, chain.NewNonce, jsonread.Nonce)
			seen.nonce = true
			fields.at(key, err)
		case "gasPrice":
			p.LegacyGasPrice, err = next(s, limbs, chain.NewGasPrice, jsonread.GasPrice)
			seen.gasPrice = true
			fields.at(key, err)
		case "maxFeePerGas":
			p.MaxFeePerGas, err = next(s, limbs, chain.NewGasPrice, jsonread.GasPrice)
			seen.maxFee = true
			fields.at(key, err)
		case "maxPriorityFeePerGas":
			p.MaxPriorityFeePerGas, err = next(s, limbs, chain.NewGasPrice, jsonread.GasPrice)
			seen.maxPriority = true
			fields.at(key, err)
		case "gasLimit":
			if !limbs && s.IsArray() {
				s.Back(start)
				return readPayloadFields(p, s, true)
			}
			p.GasLimit, err = next(s, limbs, chain.NewGas, jsonread.Gas)
			seen.gasLimit = true
			fields.at(key, err)
		case "value":
			p.Value, err = next(s, limbs, chain.NewWei, jsonread.Wei)
			seen.value = true
			fields.at(key, err)
		default:
			fields.at(key, rest.take(p.Type, key, s))
		}
	}
	dynamic := p.Type.DynamicFee()
	fields.need("nonce", seen.nonce)
	fields.need("gasPrice", seen.gasPrice || dynamic)
	fields.need("maxFeePerGas", seen.maxFee || !dynamic)
	fields.need("maxPriorityFeePerGas", seen.maxPriority || !dynamic)
	fields.need("gasLimit", seen.gasLimit)
	fields.need("value", seen.value)
	if fields.err != nil {
		return fields.err
	}
	return rest.read(p, limbs)
}

// next decodes the next number. It is quick for what gateways usually write, which means the same in both forms.
func next[T any](s *jsonscan.Scanner, limbs bool, of func(uint64) T, read func(jsonscan.Value) (T, error)) (none T, err error) {
	if n, ok := s.Decimal(); ok {
		return of(n), nil
	}
	v, err := readU256(s.Value(), limbs)
	if err != nil {
		return none, err
	}
	return read(v)
}

// take reads a field.
func (f *signedFields) take(of chain.TransactionType, key string, s *jsonscan.Scanner) (err error) {
	switch key {
	case "action":
		f.action = s.Value()
	case "destination":
		f.destination = s.Value()
	case "input":
		f.input, err = readBytes(s.Value())
	case "data":
		f.data, err = readBytes(s.Value())
	case "chainId":
		f.chainID = s.Value()
	case "accessList":
		f.accessList = s.Value()
	case "authorizationList":
		f.authorizations = s.Value()
	case "signature":
		if f.separate = s.IsObject(); f.separate {
			f.point = nextPoint(s)
		} else {
			s.Skip()
		}
	default:
		// The signature is a separate member in runtimes that support eip7702, and part of the transaction itself in
		// earlier ones (metadata of runtimes 4401 and 3702).
		if f.separate || of == chain.Legacy || of == chain.EIP7702 {
			s.Skip()
		} else {
			f.point.take(key, s)
		}
	}
	return err
}

// read decodes the fields that no fee needs. A malformed one contains its error.
func (f *signedFields) read(p *chain.Payload, limbs bool) error {
	action, input := "action", "input" // other names in eip7702 transactions
	if p.Type == chain.EIP7702 {
		action, input, f.action, f.input = "destination", "data", f.destination, f.data
	}
	p.Action = chain.DecodedOf(inside(action, f.action, readAction))
	p.Input = chain.DecodedOf(inside(input, f.input, readInput))
	if f.accessList.Kind() == jsonscan.Array || p.Type != chain.Legacy {
		p.AccessList = chain.DecodedOf(inside("accessList", f.accessList, readAccessList))
	} else {
		p.AccessList = chain.DecodedOf[[]chain.AccessEntry](nil, nil)
	}
	if p.Type == chain.Legacy {
		p.Signature = chain.DecodedOf(f.point.legacySignature())
		return nil
	}
	p.Signature = chain.DecodedOf(f.point.signature())
	p.ChainID = chain.DecodedOf(inside("chainId", f.chainID, jsonread.Uint64))
	if p.Type != chain.EIP7702 {
		return nil
	}
	list, err := readAuthorizationList(f.authorizations, limbs)
	err = inField("authorizationList", err)
	p.Authorizations = chain.DecodedOf(list, err)
	return formOnly(err)
}

// inside reads a value, and adds its name to an error.
func inside[T any](name string, v jsonscan.Value, read func(jsonscan.Value) (T, error)) (T, error) {
	value, err := read(v)
	return value, inField(name, err)
}

// readAction decodes {"call": address} or {"create": null}.
func readAction(v jsonscan.Value) (chain.Action, error) {
	if text, usual := strings.CutPrefix(v.Raw(), `{"call":"`); usual && len(text) == usualAddress+2 && text[usualAddress:] == `"}` {
		if to, err := chain.ReadAddress(text[:usualAddress]); err == nil {
			return chain.Action{To: to}, nil
		}
	}
	kind, to, _ := v.Only()
	switch {
	case strings.EqualFold(kind, "create"):
		return chain.Action{Create: true}, nil
	case strings.EqualFold(kind, "call"):
		address, err := inside("call", to, jsonread.EVMAddress)
		return chain.Action{To: address}, err
	}
	return chain.Action{}, errors.New(`want {"call": address} or {"create": null}`)
}

// Lengths of 0x and hex digits.
const (
	usualAddress  = 2 + 2*chain.AddressSize
	usualHashSize = 2 + 2*len(chain.Hash{})
)

func readInput(v jsonscan.Value) ([]byte, error) {
	text, _ := v.Text()
	input, err := chain.ReadBytes(text)
	if err != nil {
		return nil, errors.New("want a string of 0x and hex digits")
	}
	return input, nil
}

// point is a signature: v of a legacy transaction, oddYParity of a typed one.
type point struct {
	v, parity jsonscan.Value
	r, s      chain.Decoded[chain.Hash]
}

// nextPoint reads the next value as a signature.
func nextPoint(s *jsonscan.Scanner) (p point) {
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
		p.r = nextHash(s)
	case "s":
		p.s = nextHash(s)
	default:
		s.Skip()
	}
}

func nextHash(s *jsonscan.Scanner) chain.Decoded[chain.Hash] {
	if hash, usual := usualHash(s); usual {
		return chain.DecodedOf(hash, nil)
	}
	return chain.DecodedOf(jsonread.Hash(s.Value()))
}

func (p *point) legacySignature() (signature chain.Signature, err error) {
	if signature.V, err = inside("v", p.v, jsonread.Uint64); err == nil {
		err = p.integers(&signature)
	}
	return signature, inField("signature", err)
}

// signature decodes oddYParity, r and s.
func (p *point) signature() (signature chain.Signature, err error) {
	if signature.V, err = inside("oddYParity", p.parity, readParity); err == nil {
		err = p.integers(&signature)
	}
	return signature, err
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

// integers decodes r and s. The signature is zero after an error.
func (p *point) integers(signature *chain.Signature) (err error) {
	var fields firstError
	signature.R, err = p.r.Get()
	fields.at("r", err)
	signature.S, err = p.s.Get()
	fields.at("s", err)
	if fields.err != nil {
		*signature = chain.Signature{}
	}
	return fields.err
}

func readAccessList(v jsonscan.Value) (list []chain.AccessEntry, err error) {
	switch {
	case v.Raw() == "[]":
		return nil, nil
	case v.Kind() != jsonscan.Array:
		return nil, unwanted("an array", v)
	}
	s := v.Scanner()
	for s.Array(); s.Element(); {
		entry, err := readAccessEntry(s.Value())
		if err != nil {
			return nil, inField(fmt.Sprintf("[%d]", len(list)), err)
		}
		list = append(list, entry)
	}
	return list, nil
}

func readAccessEntry(v jsonscan.Value) (entry chain.AccessEntry, err error) {
	if entry.Address, err = inside("address", v.Member("address"), jsonread.EVMAddress); err != nil {
		return chain.AccessEntry{}, err
	}
	for key := range v.Member("storageKeys").Elements() {
		hash, err := jsonread.Hash(key)
		if err != nil {
			return chain.AccessEntry{}, inField(fmt.Sprintf("storageKeys[%d]", len(entry.StorageKeys)), err)
		}
		entry.StorageKeys = append(entry.StorageKeys, hash)
	}
	return entry, nil
}

func readAuthorizationList(v jsonscan.Value, limbs bool) (list []chain.Authorization, err error) {
	if v.Kind() != jsonscan.Array {
		return nil, unwanted("an array", v)
	}
	for element := range v.Elements() {
		a, err := readAuthorization(element, limbs)
		if err != nil {
			return nil, inField(fmt.Sprintf("[%d]", len(list)), err)
		}
		list = append(list, a)
	}
	return list, nil
}

func readAuthorization(v jsonscan.Value, limbs bool) (a chain.Authorization, err error) {
	if a.ChainID, err = inside("chainId", v.Member("chainId"), jsonread.Uint64); err != nil {
		return chain.Authorization{}, err
	}
	if a.Address, err = inside("address", v.Member("address"), jsonread.EVMAddress); err != nil {
		return chain.Authorization{}, err
	}
	nonce, err := readU256(v.Member("nonce"), limbs)
	if err == nil {
		a.Nonce, err = jsonread.AuthorizationNonce(nonce)
	}
	if err != nil {
		return chain.Authorization{}, inField("nonce", err)
	}
	s := v.Member("signature").Scanner()
	signature := nextPoint(&s)
	if a.Signature, err = signature.signature(); err != nil {
		return chain.Authorization{}, inField("signature", err)
	}
	return a, nil
}
