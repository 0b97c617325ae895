package ethtx

import (
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/feeledger/fees/chain"
)

// Sender is the account whose key signed. r and s are below the order of the curve, and s may be in its upper half
// ([Transaction.HighS]): runtimes took such signatures.
func (t *Transaction) Sender() (chain.Address, error) {
	s, ok := t.Signature.Get()
	if !ok {
		return chain.Address{}, ErrUnsigned
	}
	odd, err := t.odd(s)
	if err != nil {
		return chain.Address{}, err
	}
	digest, err := t.Digest()
	if err != nil {
		return chain.Address{}, err
	}
	var compact [crypto.SignatureLength]byte
	copy(compact[:32], s.R[:])
	copy(compact[32:64], s.S[:])
	if odd {
		compact[64] = 1
	}
	const homestead = false
	if !crypto.ValidateSignatureValues(compact[64], new(big.Int).SetBytes(s.R[:]), new(big.Int).SetBytes(s.S[:]), homestead) {
		return chain.Address{}, errors.New("r or s is not within the curve's order")
	}
	key, err := crypto.SigToPub(digest[:], compact[:])
	if err != nil {
		return chain.Address{}, errors.New("r and s are no account's signature")
	}
	return chain.Address(crypto.PubkeyToAddress(*key)), nil
}

// HighS reports whether s of the signature is in the upper half of the curve's order. Ethereum refuses such a transaction
// (EIP-2), and so do newer runtimes of Frontier. Older ones take it: their ethereum crate has the bound, and did not
// apply it. There the transaction has a twin, with n − s in place of s and the other parity, that is as valid, has the
// same sender and another hash; its nonce lets one of the two into a block.
//
// Source: rust-ethereum, TransactionSignature::new and is_low_s, and its issue 72; frontier, pull request 1700.
func (t *Transaction) HighS() bool {
	s, ok := t.Signature.Get()
	return ok && new(big.Int).SetBytes(s.S[:]).Cmp(halfOrder) > 0
}

var halfOrder = new(big.Int).Rsh(crypto.S256().Params().N, 1)

// Contract is the contract that a sender's creation with a nonce makes.
func Contract(sender chain.Address, nonce chain.Nonce) chain.Address {
	return chain.Address(crypto.CreateAddress(common.Address(sender), nonce.Uint64()))
}
