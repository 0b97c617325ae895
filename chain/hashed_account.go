package chain

import (
	"bytes"

	"golang.org/x/crypto/blake2b"
)

// Hashed returns the account of 32 bytes that stands for an EVM address on chains with such accounts: blake2b-256 of
// "evm:" and the address's bytes.
//
// Source: frontier, pallet evm, HashedAddressMapping.
func (a Address) Hashed() Address {
	return Address32(blake2b.Sum256(append([]byte("evm:"), a.Bytes()...)))
}

// Padded returns the account of 32 bytes that stands for an EVM address on chains with pallet revive, unless an account
// with a key of its own has mapped the address: the address's bytes, then twelve 0xEE.
//
// Source: polkadot-sdk, frame/revive/src/address.rs, AccountId32Mapper.
func (a Address) Padded() Address {
	padded := [LongAddressSize]byte(bytes.Repeat([]byte{0xee}, LongAddressSize))
	copy(padded[:], a.bytes[:AddressSize])
	return Address32(padded)
}

// In reports whether a set contains the account, or one that stands for the EVM address.
func (a Address) In(set map[Address]bool) bool {
	return set[a] || !a.long && (set[a.Hashed()] || set[a.Padded()])
}

// Is reports whether both are the same account: they are equal, or one is the other's [Address.Hashed] or
// [Address.Padded].
func (a Address) Is(b Address) bool {
	switch {
	case a.long == b.long:
		return a == b
	case a.long:
		return a == b.Hashed() || a == b.Padded()
	}
	return b.Is(a)
}
