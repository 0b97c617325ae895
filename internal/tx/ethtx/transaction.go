package ethtx

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
)

// Transaction is one, signed or not. A creation of a contract has no To.
type Transaction struct {
	Type                 evm.Type
	ChainID              uint64 // 0 of a legacy one that any chain takes
	Nonce                chain.Nonce
	GasPrice             chain.GasPrice // of legacy and eip2930
	MaxFeePerGas         chain.GasPrice // of eip1559 and eip7702
	MaxPriorityFeePerGas chain.GasPrice // of eip1559 and eip7702
	GasLimit             chain.Gas
	To                   chain.Optional[chain.Address]
	Value                chain.Wei
	Input                []byte
	AccessList           []evm.AccessEntry   // of all but legacy
	Authorizations       []evm.Authorization // of eip7702
	Signature            chain.Optional[evm.Signature]
}

// typeBytes are what the encodings of types begin with (EIP-2718). A legacy one has none.
var typeBytes = map[evm.Type]byte{evm.EIP2930: 1, evm.EIP1559: 2, evm.EIP7702: 4}

// ErrUnsigned says that nobody has signed a transaction.
var ErrUnsigned = errors.New("the transaction is not signed")

// OfPayload is the transaction that an ethereum.transact extrinsic has as its argument.
func OfPayload(p *evm.Payload) (*Transaction, error) {
	action, err := p.Action()
	if err != nil {
		return nil, err
	}
	signature, err := p.Signature()
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
	if t.Input, err = p.Input(); err != nil {
		return nil, err
	}
	if p.Type == evm.Legacy {
		t.ChainID, _, err = legacyV(signature.V)
		return t, err
	}
	if t.ChainID, err = p.ChainID(); err != nil {
		return nil, err
	}
	if t.ChainID == 0 {
		return nil, errors.New("chainId: 0 is no chain")
	}
	if t.AccessList, err = p.AccessList(); err != nil {
		return nil, err
	}
	if p.Type == evm.EIP7702 {
		t.Authorizations, err = p.Authorizations()
	}
	return t, err
}

// legacyV reads v of a legacy transaction, as the chain does: 27 and 28 are signatures for any
// chain; what is above 36 names its chain.
func legacyV(v uint64) (chainID uint64, odd bool, err error) {
	switch {
	case v == 27 || v == 28:
		return 0, v == 28, nil
	case v > 36:
		return (v - 35) / 2, (v-35)%2 == 1, nil
	}
	return 0, false, fmt.Errorf("signature.v: want 27, 28 or more than 36, have %d", v)
}

// odd tells which of the two points of a signature is meant.
func (t *Transaction) odd(s evm.Signature) (bool, error) {
	if t.Type == evm.Legacy {
		_, odd, err := legacyV(s.V)
		return odd, err
	}
	return s.V == 1, nil
}

// Digest is what the sender signs.
func (t *Transaction) Digest() (chain.Hash, error) {
	fields, err := t.fields()
	if err != nil {
		return chain.Hash{}, err
	}
	if t.Type == evm.Legacy && t.ChainID > 0 {
		fields = append(fields, t.ChainID, uint(0), uint(0))
	}
	return t.hash(fields)
}

// Sign sets the signature of the digest: r, s, and which of the two points is meant, 0 or 1.
func (t *Transaction) Sign(signature [65]byte) {
	s := evm.Signature{V: uint64(signature[64]), R: chain.Hash(signature[:32]), S: chain.Hash(signature[32:64])}
	switch {
	case t.Type != evm.Legacy:
	case t.ChainID > 0:
		s.V += 35 + 2*t.ChainID
	default:
		s.V += 27
	}
	t.Signature = chain.Some(s)
}

// signed are all fields, as they are sent.
func (t *Transaction) signed() ([]any, error) {
	s, ok := t.Signature.Get()
	if !ok {
		return nil, ErrUnsigned
	}
	fields, err := t.fields()
	return append(fields, s.V, minimal(s.R[:]), minimal(s.S[:])), err
}

// Encode is the transaction as it is sent (eth_sendRawTransaction).
func (t *Transaction) Encode() ([]byte, error) {
	fields, err := t.signed()
	if err != nil {
		return nil, err
	}
	return t.encode(fields)
}

// Hash is the hash of the signed transaction.
func (t *Transaction) Hash() (chain.Hash, error) {
	fields, err := t.signed()
	if err != nil {
		return chain.Hash{}, err
	}
	return t.hash(fields)
}

func (t *Transaction) hash(fields []any) (chain.Hash, error) {
	encoded, err := t.encode(fields)
	return chain.Hash(crypto.Keccak256Hash(encoded)), err
}

func (t *Transaction) encode(fields []any) ([]byte, error) {
	encoded, err := rlp.EncodeToBytes(fields)
	if err != nil {
		return nil, err
	}
	if kind, typed := typeBytes[t.Type]; typed {
		return append([]byte{kind}, encoded...), nil
	}
	return encoded, nil
}

// fields are those that are signed, in the order in which they are encoded.
func (t *Transaction) fields() ([]any, error) {
	legacyPrice, maxFee, maxPriority := integer(t.GasPrice), integer(t.MaxFeePerGas), integer(t.MaxPriorityFeePerGas)
	nonce, gas, value := t.Nonce.Uint64(), t.GasLimit.Uint64(), integer(t.Value)
	switch t.Type {
	case evm.Legacy:
		return []any{nonce, legacyPrice, gas, t.to(), value, t.Input}, nil
	case evm.EIP2930:
		return []any{t.ChainID, nonce, legacyPrice, gas, t.to(), value, t.Input, t.access()}, nil
	case evm.EIP1559:
		return []any{t.ChainID, nonce, maxPriority, maxFee, gas, t.to(), value, t.Input, t.access()}, nil
	case evm.EIP7702:
		return []any{t.ChainID, nonce, maxPriority, maxFee, gas, t.to(), value, t.Input, t.access(), t.authorizations()}, nil
	}
	return nil, fmt.Errorf("transactions of type %q are not known", t.Type)
}

// to is whom it calls, no bytes for a creation.
func (t *Transaction) to() []byte {
	if to, calls := t.To.Get(); calls {
		return to[:]
	}
	return nil
}

// access and authorization are as they are encoded.
type access struct {
	Address chain.Address
	Keys    []chain.Hash
}

type authorization struct {
	ChainID uint64
	Address chain.Address
	Nonce   []byte // of more than 64 bits: the runtimes take it, where Ethereum does not
	V       uint64
	R, S    []byte
}

func (t *Transaction) access() []access {
	list := make([]access, len(t.AccessList))
	for i, e := range t.AccessList {
		list[i] = access{e.Address, e.StorageKeys}
	}
	return list
}

func (t *Transaction) authorizations() []authorization {
	list := make([]authorization, len(t.Authorizations))
	for i, a := range t.Authorizations {
		s := a.Signature
		list[i] = authorization{a.ChainID, a.Address, a.Nonce.Big().Bytes(), s.V, minimal(s.R[:]), minimal(s.S[:])}
	}
	return list
}

// integer is an amount or a price without the zeros before it: RLP has integers as such bytes.
func integer[N chain.Wei | chain.GasPrice](n N) []byte {
	switch n := any(n).(type) {
	case chain.Wei:
		return n.Big().Bytes()
	case chain.GasPrice:
		return n.Big().Bytes()
	}
	return nil
}

// minimal is an integer without the zeros before it.
func minimal(bytes []byte) []byte {
	for len(bytes) > 0 && bytes[0] == 0 {
		bytes = bytes[1:]
	}
	return bytes
}
