package chain

import "golang.org/x/crypto/blake2b"

// Hashed returns the account of 32 bytes that stands for an EVM address on chains with such accounts: blake2b-256 of
// "evm:" and the address's bytes.
//
// Source: frontier, pallet evm, HashedAddressMapping.
func (a Address) Hashed() Address {
	return Address32(blake2b.Sum256(append([]byte("evm:"), a.Bytes()...)))
}

// Is reports whether both are the same account: they are equal, or one is the other's [Address.Hashed].
func (a Address) Is(b Address) bool {
	switch {
	case a.long == b.long:
		return a == b
	case a.long:
		return a == b.Hashed()
	}
	return a.Hashed() == b
}
