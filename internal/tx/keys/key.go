package keys

import (
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"golang.org/x/crypto/sha3"

	"github.com/feeledger/fees/chain"
)

// Key is a private key of secp256k1. It is not for several goroutines at a time.
type Key struct {
	private *secp256k1.PrivateKey
	address chain.Address
}

// errNotKey does not have what was given: that may be a key with a letter too many.
var errNotKey = errors.New("it is no private key: want 64 hex digits, with or without 0x")

// Of is the key of 32 bytes. They stay with the caller.
func Of(bytes []byte) (*Key, error) {
	if len(bytes) != secp256k1.PrivKeyBytesLen {
		return nil, errNotKey
	}
	var scalar secp256k1.ModNScalar
	defer scalar.Zero()
	if overflow := scalar.SetByteSlice(bytes); overflow || scalar.IsZero() {
		return nil, errors.New("it is no private key: it is 0, or not below the order of the curve")
	}
	private := secp256k1.NewPrivateKey(&scalar)
	return &Key{private, addressOf(private.PubKey())}, nil
}

// ParseHex reads a key of 64 hex digits.
func ParseHex(text []byte) (*Key, error) {
	text = trimmed(text)
	if len(text) >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		text = text[2:]
	}
	var bytes [secp256k1.PrivKeyBytesLen]byte
	defer clear(bytes[:])
	if len(text) != 2*len(bytes) {
		return nil, errNotKey
	}
	if _, err := hex.Decode(bytes[:], text); err != nil {
		return nil, errNotKey
	}
	return Of(bytes[:])
}

// Address is the account of the key.
func (k *Key) Address() chain.Address { return k.address }

// Sign signs a digest: r, s, and which of the two points is meant, 0 or 1. The signature is the
// one of RFC 6979, with s in the lower half.
func (k *Key) Sign(digest chain.Hash) (signature [65]byte, err error) {
	if k.private == nil {
		return signature, errors.New("the key was wiped")
	}
	compact := ecdsa.SignCompact(k.private, digest[:], false)
	copy(signature[:], compact[1:])
	signature[64] = compact[0] - compactMagic
	return signature, nil
}

// compactMagic is what a compact signature of a key that is not compressed begins with, plus
// which point is meant.
const compactMagic = 27

// Wipe overwrites the key.
func (k *Key) Wipe() {
	if k.private != nil {
		k.private.Zero()
		k.private = nil
	}
}

// String, and what other printing asks for, have the account and no key.
func (k *Key) String() string { return "the key of " + k.address.String() }

// Format prints the account, whatever the verb.
func (k *Key) Format(s fmt.State, _ rune) { fmt.Fprint(s, k.String()) }

// LogValue is the account.
func (k *Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// MarshalText is the account.
func (k *Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Signer is the account whose key signed a digest.
func Signer(digest chain.Hash, signature [65]byte) (chain.Address, error) {
	if signature[64] > 1 {
		return chain.Address{}, errors.New("the signature does not say which of two points is meant")
	}
	compact := append([]byte{compactMagic + signature[64]}, signature[:64]...)
	public, _, err := ecdsa.RecoverCompact(compact, digest[:])
	if err != nil {
		return chain.Address{}, errors.New("r and s are no account's signature")
	}
	return addressOf(public), nil
}

// addressOf is the account of a public key: the last 20 bytes of the keccak-256 of its point.
func addressOf(public *secp256k1.PublicKey) chain.Address {
	hash := keccak256(public.SerializeUncompressed()[1:])
	return chain.Address(hash[12:])
}

func keccak256(bytes ...[]byte) []byte {
	h := sha3.NewLegacyKeccak256()
	for _, b := range bytes {
		h.Write(b)
	}
	return h.Sum(nil)
}

// trimmed are bytes without the white space around them. They share the memory.
func trimmed(text []byte) []byte {
	isSpace := func(b byte) bool { return b == ' ' || b == '\n' || b == '\r' || b == '\t' }
	for len(text) > 0 && isSpace(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && isSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}
