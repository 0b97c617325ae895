package network

import (
	"fmt"

	"github.com/feeledger/fees/chain"
)

// AccountMapping says which native account pays for an address of the EVM.
type AccountMapping string

const (
	// SameAccount means that accounts have 20 bytes on both layers.
	SameAccount AccountMapping = ""
	// HashedAccount means that native accounts have 32 bytes: blake2b-256 of "evm:" and the 20 bytes.
	HashedAccount AccountMapping = "hashed"
)

func (m AccountMapping) check() error {
	if m != SameAccount && m != HashedAccount {
		return fmt.Errorf("account_mapping %q: want %q, or nothing if accounts have 20 bytes", string(m), string(HashedAccount))
	}
	return nil
}

// Size returns the size of native accounts in bytes.
func (m AccountMapping) Size() int {
	if m == HashedAccount {
		return chain.LongAddressSize
	}
	return chain.AddressSize
}

// Of returns the native account of an address of the EVM. Native accounts are returned unchanged.
func (m AccountMapping) Of(address chain.Address) chain.Address {
	if m != HashedAccount || address.Size() != chain.AddressSize {
		return address
	}
	return address.Hashed()
}
