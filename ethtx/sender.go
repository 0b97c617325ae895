package ethtx

import (
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/feeledger/fees/chain"
)

// Sender is the account whose key signed. As on the chain (rust ethereum,
// TransactionSignature), r and s are below the order of the curve, and s may be in its upper
// half: the runtimes do not have that rule of Homestead (EIP-2). Such a twin of a signature has
// the same sender, and another hash.
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

// Contract is the contract that a sender's creation with a nonce makes.
func Contract(sender chain.Address, nonce chain.Nonce) chain.Address {
	return chain.Address(crypto.CreateAddress(common.Address(sender), nonce.Uint64()))
}
