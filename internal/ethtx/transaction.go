package ethtx

import (
	"cmp"
	"errors"
	"fmt"

	"golang.org/x/crypto/sha3"

	"github.com/feeledger/fees/chain"
)

// Transaction is a transaction, signed or not. To is unset for the creation of a contract.
type Transaction struct {
	Type                 chain.TransactionType
	ChainID              uint64 // 0 for a legacy one that is valid on any chain
	Nonce                chain.Nonce
	GasPrice             chain.GasPrice // legacy and eip2930
	MaxFeePerGas         chain.GasPrice // eip1559 and eip7702
	MaxPriorityFeePerGas chain.GasPrice // eip1559 and eip7702
	GasLimit             chain.Gas
	To                   chain.Optional[chain.Address]
	Value                chain.Wei
	Input                []byte
	AccessList           []chain.AccessEntry   // all but legacy
	Authorizations       []chain.Authorization // eip7702
	Signature            chain.Optional[chain.Signature]
}

// typeBytes are the first bytes of the types' encodings (EIP-2718). A legacy transaction has none.
var typeBytes = map[chain.TransactionType]byte{chain.EIP2930: 1, chain.EIP1559: 2, chain.EIP7702: 4}

// ErrUnsigned means that a transaction has no signature.
var ErrUnsigned = errors.New("the transaction is not signed")

// OfPayload returns the transaction in the argument of an ethereum.transact or a revive.ethTransact extrinsic.
func OfPayload(p *chain.Payload) (*Transaction, error) {
	action, err := p.Action.Get()
	if err != nil {
		return nil, err
	}
	signature, err := p.Signature.Get()
	if err != nil {
		return nil, err
	}
	t := &Transaction{
		Type: p.Type, Nonce: p.Nonce, GasPrice: p.LegacyGasPrice, MaxFeePerGas: p.MaxFeePerGas, MaxPriorityFeePerGas: p.MaxPriorityFeePerGas,
		GasLimit: p.GasLimit, Value: p.Value, Signature: chain.Some(signature),
	}
	if !action.Create {
		t.To = chain.Some(action.To)
	}
	if t.Input, err = p.Input.Get(); err != nil {
		return nil, err
	}
	if p.Type == chain.Legacy {
		t.ChainID, _, err = legacyV(signature.V)
		return t, err
	}
	if t.ChainID, err = p.ChainID.Get(); err != nil {
		return nil, err
	}
	if t.ChainID == 0 {
		return nil, errors.New("chainId: 0 is not a chain ID")
	}
	if t.AccessList, err = p.AccessList.Get(); err != nil {
		return nil, err
	}
	if p.Type == chain.EIP7702 {
		t.Authorizations, err = p.Authorizations.Get()
	}
	return t, err
}

// legacyV decodes v of a legacy transaction, as the chain does: 27 and 28 are signatures for any chain; values
// above 36 contain the chain ID.
func legacyV(v uint64) (chainID uint64, odd bool, err error) {
	switch {
	case v == 27 || v == 28:
		return 0, v == 28, nil
	case v > 36:
		return (v - 35) / 2, (v-35)%2 == 1, nil
	}
	return 0, false, fmt.Errorf("signature.v: want 27, 28 or more than 36, have %d", v)
}

// odd returns which of the two curve points the signature refers to.
func (t *Transaction) odd(s chain.Signature) (bool, error) {
	if t.Type == chain.Legacy {
		_, odd, err := legacyV(s.V)
		return odd, err
	}
	return s.V == 1, nil
}

// Digest returns the hash that the sender signs.
func (t *Transaction) Digest() (chain.Hash, error) {
	fields, err := t.fields()
	if err != nil {
		return chain.Hash{}, err
	}
	if t.Type == chain.Legacy && t.ChainID > 0 {
		fields = fields.uint64(t.ChainID).uint64(0).uint64(0)
	}
	return keccak256(t.encode(fields)), nil
}

// Sign sets the signature of the digest: r, s, and the recovery ID, 0 or 1.
func (t *Transaction) Sign(signature [65]byte) {
	s := chain.Signature{V: uint64(signature[64]), R: chain.Hash(signature[:32]), S: chain.Hash(signature[32:64])}
	switch {
	case t.Type != chain.Legacy:
	case t.ChainID > 0:
		s.V += 35 + 2*t.ChainID
	default:
		s.V += 27
	}
	t.Signature = chain.Some(s)
}

// Encode returns the wire encoding of the transaction (eth_sendRawTransaction).
func (t *Transaction) Encode() ([]byte, error) {
	s, ok := t.Signature.Get()
	if !ok {
		return nil, ErrUnsigned
	}
	fields, err := t.fields()
	if err != nil {
		return nil, err
	}
	return t.encode(fields.signature(s)), nil
}

// Hash returns the hash of the signed transaction.
func (t *Transaction) Hash() (chain.Hash, error) {
	encoded, err := t.Encode()
	if err != nil {
		return chain.Hash{}, err
	}
	return keccak256(encoded), nil
}

func keccak256(bytes []byte) chain.Hash {
	h := sha3.NewLegacyKeccak256()
	h.Write(bytes)
	return chain.Hash(h.Sum(nil))
}

// encode returns an RLP list, after the type's byte if it has one.
func (t *Transaction) encode(fields list) []byte {
	var encoded list
	if kind, typed := typeBytes[t.Type]; typed {
		encoded = append(encoded, kind)
	}
	return encoded.list(fields)
}

// fields returns the signed fields in the order of their encoding.
func (t *Transaction) fields() (l list, err error) {
	if t.Type != chain.Legacy {
		l = l.uint64(t.ChainID)
	}
	l = l.uint64(t.Nonce.Uint64())
	switch t.Type {
	case chain.Legacy, chain.EIP2930:
		l = l.integer(t.GasPrice.Big().Bytes())
	case chain.EIP1559, chain.EIP7702:
		l = l.integer(t.MaxPriorityFeePerGas.Big().Bytes()).integer(t.MaxFeePerGas.Big().Bytes())
	default:
		return nil, fmt.Errorf("unknown transaction type %q", t.Type)
	}
	l = l.uint64(t.GasLimit.Uint64())
	var errs [3]error
	if to, calls := t.To.Get(); calls {
		l, errs[0] = l.address(to)
	} else { // a creation
		l = l.bytes(nil)
	}
	l = l.integer(t.Value.Big().Bytes()).bytes(t.Input)
	var fields list
	if t.Type != chain.Legacy {
		fields, errs[1] = t.access()
		l = l.list(fields)
	}
	if t.Type == chain.EIP7702 {
		fields, errs[2] = t.authorizations()
		l = l.list(fields)
	}
	return l, cmp.Or(errs[:]...)
}

func (t *Transaction) access() (all list, err error) {
	for _, e := range t.AccessList {
		var keys list
		for _, key := range e.StorageKeys {
			keys = keys.bytes(key[:])
		}
		entry, err := list{}.address(e.Address)
		if err != nil {
			return nil, err
		}
		all = all.list(entry.list(keys))
	}
	return all, nil
}

// authorizations may have a nonce of more than 64 bits: the runtimes accept it, unlike Ethereum.
func (t *Transaction) authorizations() (all list, err error) {
	for _, a := range t.Authorizations {
		fields, err := list{}.uint64(a.ChainID).address(a.Address)
		if err != nil {
			return nil, err
		}
		all = all.list(fields.integer(a.Nonce.Big().Bytes()).signature(a.Signature))
	}
	return all, nil
}

func (l list) address(a chain.Address) (list, error) {
	evm, err := a.EVM()
	return l.bytes(evm[:]), err
}

func (l list) signature(s chain.Signature) list {
	return l.uint64(s.V).integer(s.R[:]).integer(s.S[:])
}
