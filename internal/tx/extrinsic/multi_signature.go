package extrinsic

import (
	"crypto/ed25519"
	"errors"
	"fmt"

	"github.com/oasisprotocol/curve25519-voi/primitives/sr25519"
	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ethtx/recovery"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// signers is the form in which a runtime's extrinsics contain their signers.
type signers int

const (
	signers20    signers = iota // an account of 20 bytes
	signers32                   // an account of 32 bytes
	signersMulti                // a MultiAddress of 32 bytes
)

// signersOf returns the form of a runtime's signers.
func signersOf(m *metadata.Metadata) (signers, error) {
	multi := m.Types[m.Extrinsic.Address].Name() == "MultiAddress"
	switch size := m.AccountSize(); {
	case size == chain.AddressSize && !multi:
		return signers20, nil
	case size == chain.LongAddressSize && m.Types[m.Extrinsic.Signature].Name() == "MultiSignature":
		if multi {
			return signersMulti, nil
		}
		return signers32, nil
	}
	return 0, errors.New("accounts of this runtime are not of 20 or 32 bytes: " + m.Describe(m.Extrinsic.Address))
}

// Scheme is the kind of a MultiSignature: the index of its variant.
type Scheme byte

// The schemes.
const (
	Ed25519 Scheme = iota
	Sr25519
	ECDSA // on secp256k1
	Eth   // the same over keccak-256, by the account that pallet revive gives the key's Ethereum address
)

// MultiSignature is a signature of one of several schemes. Those on secp256k1 have 65 bytes, the others 64.
type MultiSignature struct {
	Scheme Scheme
	Bytes  [SignatureLength]byte
}

// The variants of MultiAddress that contain an account of 32 bytes: Id and Address32.
const (
	addressID = 0
	address32 = 3
)

// read decodes a signer of 32 bytes and its signature.
func (s signers) read(reader *scale.Reader, x *Extrinsic) error {
	if s == signersMulti {
		if kind := reader.U8(); reader.Err() == nil && kind != addressID && kind != address32 {
			return fmt.Errorf("its signer is variant %d of MultiAddress, which is not an account", kind)
		}
	}
	if bytes := reader.Bytes(chain.LongAddressSize); bytes != nil {
		x.Signer = chain.Address32([chain.LongAddressSize]byte(bytes))
	}
	x.Multi.Scheme = Scheme(reader.U8())
	size := SignatureLength
	switch {
	case reader.Err() != nil:
	case x.Multi.Scheme == Ed25519 || x.Multi.Scheme == Sr25519:
		size = ed25519.SignatureSize
	case x.Multi.Scheme != ECDSA && x.Multi.Scheme != Eth:
		return fmt.Errorf("its signature is of the unknown kind %d", x.Multi.Scheme)
	}
	copy(x.Multi.Bytes[:], reader.Bytes(size))
	return nil
}

// SignedBy returns the account whose key signed a payload with the extrinsic's signature. Of schemes that do not reveal
// the key, that can only be the extrinsic's signer: any other key is an error.
func (x *Extrinsic) SignedBy(payload []byte) (chain.Address, error) {
	if x.Signer.Size() == chain.AddressSize {
		return x.Signature.Signer(payload)
	}
	return x.Multi.signer(x.Signer, payload)
}

var errNotItsKey = errors.New("the signature is not of the signer's key")

// substrateContext is the context in which Substrate signs with sr25519.
var substrateContext = sr25519.NewSigningContext([]byte("substrate"))

// signer returns the account that signed a payload.
//
// Source: polkadot-sdk, primitives/runtime: MultiSignature::verify, MultiSigner::Eth; schnorrkel's signing context is
// "substrate".
func (m *MultiSignature) signer(claimed chain.Address, payload []byte) (none chain.Address, err error) {
	message := shortened(payload)
	switch m.Scheme {
	case ECDSA:
		public, err := recovery.PublicKey(blake2b.Sum256(message), m.Bytes)
		if err != nil {
			return none, err
		}
		return chain.Address32(blake2b.Sum256(public)), nil
	case Eth:
		address, err := Signature(m.Bytes).Signer(payload)
		if err != nil {
			return none, err
		}
		return address.Padded(), nil
	case Ed25519:
		if !ed25519.Verify(claimed.Bytes(), message, m.Bytes[:ed25519.SignatureSize]) {
			return none, errNotItsKey
		}
		return claimed, nil
	}
	public, err := sr25519.NewPublicKeyFromBytes(claimed.Bytes())
	if err != nil {
		return none, fmt.Errorf("the signer is not a key: %w", err)
	}
	signature, err := sr25519.NewSignatureFromBytes(m.Bytes[:sr25519.SignatureSize])
	if err != nil {
		return none, fmt.Errorf("the signature cannot be decoded: %w", err)
	}
	if !public.Verify(substrateContext.NewTranscriptBytes(message), signature) {
		return none, errNotItsKey
	}
	return claimed, nil
}
