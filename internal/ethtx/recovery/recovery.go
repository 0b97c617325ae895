// Package recovery recovers who signed a digest from a signature of secp256k1. It reads no private keys.
package recovery

import (
	"errors"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"golang.org/x/crypto/sha3"

	"github.com/feeledger/fees/chain"
)

// CompactMagic plus the recovery ID is the first byte of a compact signature of an uncompressed key.
const CompactMagic = 27

// Signer returns the account whose key signed a digest.
func Signer(digest chain.Hash, signature [65]byte) (chain.Address, error) {
	public, err := recovered(digest, signature)
	if err != nil {
		return chain.Address{}, err
	}
	return AddressOf(public), nil
}

// PublicKey returns the key that signed a digest, in its compressed form of 33 bytes.
func PublicKey(digest chain.Hash, signature [65]byte) ([]byte, error) {
	public, err := recovered(digest, signature)
	if err != nil {
		return nil, err
	}
	return public.SerializeCompressed(), nil
}

func recovered(digest chain.Hash, signature [65]byte) (*secp256k1.PublicKey, error) {
	if signature[64] > 1 {
		return nil, errors.New("the signature has an invalid recovery ID")
	}
	compact := append([]byte{CompactMagic + signature[64]}, signature[:64]...)
	public, _, err := ecdsa.RecoverCompact(compact, digest[:])
	if err != nil {
		return nil, errors.New("r and s are not a valid signature")
	}
	return public, nil
}

// AddressOf returns the account of a public key: the last 20 bytes of the keccak-256 of its point.
func AddressOf(public *secp256k1.PublicKey) chain.Address {
	h := sha3.NewLegacyKeccak256()
	h.Write(public.SerializeUncompressed()[1:])
	return chain.Address20([20]byte(h.Sum(nil)[12:]))
}
