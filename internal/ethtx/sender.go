package ethtx

import (
	"errors"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ethtx/recovery"
)

// Sender returns the account whose key signed. r and s must be below the order of the curve, but s may be in
// its upper half ([Transaction.HighS]): runtimes accepted such signatures.
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
	if !isScalar(s.R) || !isScalar(s.S) {
		return chain.Address{}, errors.New("r or s is not within the curve's order")
	}
	var compact [65]byte
	copy(compact[:], s.R[:])
	copy(compact[32:], s.S[:])
	if odd {
		compact[64] = 1
	}
	return recovery.Signer(digest, compact)
}

// isScalar reports whether a word is at least 1 and below the order of the curve.
func isScalar(word chain.Hash) bool {
	var n secp256k1.ModNScalar
	overflow := n.SetBytes((*[32]byte)(&word))
	return overflow == 0 && !n.IsZero()
}

// HighS reports whether s of the signature is in the upper half of the curve's order. Ethereum rejects such a
// transaction (EIP-2), and so do newer runtimes of Frontier. Older ones accept it: their ethereum crate
// defines the bound but did not apply it. There the transaction has a twin, with n − s as s and the other
// parity, which is equally valid, with the same sender and a different hash; its nonce admits only one of the
// two to a block.
//
// Source: rust-ethereum, TransactionSignature::new and is_low_s, and its issue 72; frontier, pull request
// 1700.
func (t *Transaction) HighS() bool {
	s, ok := t.Signature.Get()
	var n secp256k1.ModNScalar
	overflow := n.SetBytes((*[32]byte)(&s.S))
	return ok && (overflow != 0 || n.IsOverHalfOrder())
}

// Contract returns the address of the contract that a sender's creation with a nonce makes.
func Contract(sender chain.Address, nonce chain.Nonce) chain.Address {
	hash := keccak256(list{}.list(list{}.bytes(sender.Bytes()).uint64(nonce.Uint64())))
	return chain.Address20([20]byte(hash[12:]))
}
