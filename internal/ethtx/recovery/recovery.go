// Package recovery recovers who signed a digest from a signature of secp256k1. It reads no private keys.
package recovery

import (
	"errors"

	curve "github.com/consensys/gnark-crypto/ecc/secp256k1"
	"github.com/consensys/gnark-crypto/ecc/secp256k1/fp"
	"github.com/consensys/gnark-crypto/ecc/secp256k1/fr"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
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

// recovered returns the key (s·R − digest·G) / r, where R is the point with r as x and the parity as in the recovery ID.
//
// Source: SEC 1, section 4.1.6.
func recovered(digest chain.Hash, signature [65]byte) (*secp256k1.PublicKey, error) {
	if signature[64] > 1 {
		return nil, errors.New("the signature has an invalid recovery ID")
	}
	var r, s, e fr.Element
	var point curve.G1Affine
	badR, badS := r.SetBytesCanonical(signature[:32]), s.SetBytesCanonical(signature[32:64])
	if badR != nil || badS != nil || r.IsZero() || s.IsZero() || !onCurve(&point, signature[:32], signature[64] == 1) {
		return nil, errInvalid
	}
	e.SetBytes(digest[:])
	r.Inverse(&r)
	key := sum(e.Mul(&e, &r).Neg(&e), s.Mul(&s, &r), &point)
	if key.IsInfinity() {
		return nil, errInvalid
	}
	var x, y secp256k1.FieldVal
	x.SetBytes(new(key.X.Bytes()))
	y.SetBytes(new(key.Y.Bytes()))
	return secp256k1.NewPublicKey(&x, &y), nil
}

var errInvalid = errors.New("r and s are not a valid signature")

// onCurve sets a point of the curve y² = x³ + 7 by its x and the parity of its y. It reports whether there is one.
func onCurve(p *curve.G1Affine, x []byte, odd bool) bool {
	_, seven := curve.CurveCoefficients()
	p.X.SetBytes(x)
	p.Y.Square(&p.X).Mul(&p.Y, &p.X).Add(&p.Y, &seven)
	if p.Y.Sqrt(&p.Y) == nil {
		return false
	}
	if isOdd := p.Y.Bytes()[fp.Bytes-1]&1 == 1; isOdd != odd {
		p.Y.Neg(&p.Y)
	}
	return true
}

// AddressOf returns the account of a public key: the last 20 bytes of the keccak-256 of its point.
func AddressOf(public *secp256k1.PublicKey) chain.Address {
	h := sha3.NewLegacyKeccak256()
	h.Write(public.SerializeUncompressed()[1:])
	return chain.Address20([20]byte(h.Sum(nil)[12:]))
}
