package evm

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Signature is the signature in a transaction, decoded but not verified.
type Signature struct {
	// V is 27 or 28 for a legacy transaction, or 35 or 36 plus twice the chain ID (EIP-155); for a typed one it is
	// the parity, 0 or 1.
	V    uint64
	R, S chain.Hash // integers, most significant byte first
}

// Signature decodes {"v", "r", "s"} of a legacy transaction, or oddYParity, r and s of a typed one.
func (p *Payload) Signature() (Signature, error) {
	if p.Type != Legacy {
		return readParitySignature(p.signature())
	}
	v := p.fields.Member("signature")
	n, err := chain.ReadUint64(v.Member("v"))
	if err != nil {
		return Signature{}, fmt.Errorf("signature.v: %w", err)
	}
	signature, err := readPoint(v)
	if err != nil {
		return Signature{}, fmt.Errorf("signature.%w", err)
	}
	signature.V = n
	return signature, nil
}

// signature returns the object with oddYParity, r and s of a typed transaction: a separate member in runtimes
// that support eip7702, the transaction itself in earlier ones (metadata of runtimes 4401 and 3702).
func (p *Payload) signature() chain.Value {
	if own := p.fields.Member("signature"); own.Kind() == jsonscan.Object || p.Type == EIP7702 {
		return own
	}
	return p.fields
}

func readParitySignature(v chain.Value) (Signature, error) {
	odd, err := readParity(v)
	if err != nil {
		return Signature{}, err
	}
	signature, err := readPoint(v)
	if err != nil {
		return Signature{}, err
	}
	if odd {
		signature.V = 1
	}
	return signature, nil
}

// readParity decodes oddYParity, which gateways write as a bool or as 0 and 1.
func readParity(v chain.Value) (bool, error) {
	parity := v.Member("oddYParity")
	if odd, ok := parity.Bool(); ok {
		return odd, nil
	}
	n, err := chain.ReadUint64(parity)
	if err == nil && n > 1 {
		err = fmt.Errorf("want 0 or 1, have %d", n)
	}
	if err != nil {
		return false, fmt.Errorf("oddYParity: %w", err)
	}
	return n == 1, nil
}

// readPoint decodes r and s.
func readPoint(v chain.Value) (signature Signature, err error) {
	if signature.R, err = chain.Read[chain.Hash](v.Member("r")); err != nil {
		return Signature{}, fmt.Errorf("r: %w", err)
	}
	if signature.S, err = chain.Read[chain.Hash](v.Member("s")); err != nil {
		return Signature{}, fmt.Errorf("s: %w", err)
	}
	return signature, nil
}

// ChainID returns the chain ID of a typed transaction. A legacy one has it in its signature, if at all.
func (p *Payload) ChainID() (uint64, error) {
	id, err := chain.ReadUint64(p.fields.Member("chainId"))
	if err != nil {
		return 0, fmt.Errorf("chainId: %w", err)
	}
	return id, nil
}

// Authorization lets an account adopt the code of another (EIP-7702).
type Authorization struct {
	ChainID   uint64 // 0 for every chain
	Address   chain.Address
	Nonce     chain.AuthorizationNonce
	Signature Signature // of any form: the runtimes skip an authorization without a valid signature
}

// Authorizations returns the authorization list of an eip7702 transaction.
func (p *Payload) Authorizations() ([]Authorization, error) {
	v := p.fields.Member("authorizationList")
	if v.Kind() != jsonscan.Array {
		return nil, fmt.Errorf("authorizationList: want an array, have %v", v.Kind())
	}
	var list []Authorization
	for element := range v.Elements() {
		a, err := readAuthorization(element)
		if err != nil {
			return nil, fmt.Errorf("authorizationList[%d].%w", len(list), err)
		}
		list = append(list, a)
	}
	return list, nil
}

func readAuthorization(v chain.Value) (a Authorization, err error) {
	if a.ChainID, err = chain.ReadUint64(v.Member("chainId")); err != nil {
		return Authorization{}, fmt.Errorf("chainId: %w", err)
	}
	if a.Address, err = readAddress(v.Member("address")); err != nil {
		return Authorization{}, fmt.Errorf("address: %w", err)
	}
	if a.Nonce, err = chain.Read[chain.AuthorizationNonce](v.Member("nonce")); err != nil {
		return Authorization{}, fmt.Errorf("nonce: %w", err)
	}
	if a.Signature, err = readParitySignature(v.Member("signature")); err != nil {
		return Authorization{}, fmt.Errorf("signature.%w", err)
	}
	return a, nil
}
