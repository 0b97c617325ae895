package keys

import (
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ethtx/recovery"
)

// Key is a private key of secp256k1. It is not safe for concurrent use.
type Key struct {
	private *secp256k1.PrivateKey
	address chain.Address
}

// errNotKey does not contain the input, which may be a key with one character too many.
var errNotKey = errors.New("not a private key: want 64 hex digits, with or without 0x")

// Of returns the key of 32 bytes. The caller keeps them.
func Of(bytes []byte) (*Key, error) {
	if len(bytes) != secp256k1.PrivKeyBytesLen {
		return nil, errNotKey
	}
	var scalar secp256k1.ModNScalar
	defer scalar.Zero()
	if overflow := scalar.SetByteSlice(bytes); overflow || scalar.IsZero() {
		return nil, errors.New("not a private key: it is 0, or not below the order of the curve")
	}
	private := secp256k1.NewPrivateKey(&scalar)
	return &Key{private, recovery.AddressOf(private.PubKey())}, nil
}

// ParseHex parses a key of 64 hex digits.
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

// Address returns the account of the key.
func (k *Key) Address() chain.Address { return k.address }

// Sign signs a digest: r, s, and the recovery ID, 0 or 1. The signature follows RFC 6979, with s in the lower
// half.
func (k *Key) Sign(digest chain.Hash) (signature [65]byte, err error) {
	if k.private == nil {
		return signature, errors.New("the key was wiped")
	}
	compact := ecdsa.SignCompact(k.private, digest[:], false)
	copy(signature[:], compact[1:])
	signature[64] = compact[0] - recovery.CompactMagic
	return signature, nil
}

// Wipe overwrites the key.
func (k *Key) Wipe() {
	if k.private != nil {
		k.private.Zero()
		k.private = nil
	}
}

// String, like every other form of printing, shows the account and not the key.
func (k *Key) String() string { return "the key of " + k.address.String() }

// Format prints the account, whatever the verb.
func (k *Key) Format(s fmt.State, _ rune) { fmt.Fprint(s, k.String()) }

// LogValue returns the account.
func (k *Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// MarshalText encodes the account.
func (k *Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// trimmed returns bytes without surrounding white space. It shares the memory.
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
