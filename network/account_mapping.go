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
	// ClaimedAccount means that native accounts have 32 bytes and can claim addresses of the EVM, as on Astar, NeuroWeb and
	// peaq. Only the event that withdraws a fee says which account pays for an address.
	ClaimedAccount AccountMapping = "claimed"
	// PaddedAccount means that native accounts have 32 bytes, and that an EVM address with a key of its own is that address
	// with twelve 0xEE: pallet revive.
	PaddedAccount AccountMapping = "padded"
)

func (m AccountMapping) check() error {
	switch m {
	case SameAccount, HashedAccount, ClaimedAccount, PaddedAccount:
		return nil
	}
	return fmt.Errorf("account_mapping %q: want %q, %q or %q, or nothing if accounts have 20 bytes", string(m), string(HashedAccount), string(ClaimedAccount), string(PaddedAccount))
}

// MappingOf returns the usual mapping to native accounts of a size in bytes.
func MappingOf(size int) AccountMapping {
	if size == chain.LongAddressSize {
		return HashedAccount
	}
	return SameAccount
}

// Size returns the size of native accounts in bytes.
func (m AccountMapping) Size() int {
	if m == SameAccount {
		return chain.AddressSize
	}
	return chain.LongAddressSize
}

// CheckSize returns an error if the accounts of a network have another size than this one. The error says how to name the
// account instead.
func (m AccountMapping) CheckSize(account chain.Address, network string) error {
	have, want := account.Size(), m.Size()
	switch {
	case have == want:
		return nil
	case want == chain.AddressSize:
		return fmt.Errorf("%v has %d bytes, and accounts of %s have %d. Name an EVM address: 0x and 40 hex digits", account, have, network, want)
	}
	return fmt.Errorf("%v has %d bytes, and accounts of %s have %d. Name the account in SS58", account, have, network, want)
}

// MayBeClaimed reports whether an address is one of the EVM that an account can have claimed.
func (m AccountMapping) MayBeClaimed(address chain.Address) bool {
	return m == ClaimedAccount && address.Size() == chain.AddressSize
}

// Of returns the native account of an address of the EVM. Native accounts are returned unchanged, and so are addresses that
// an account can have claimed.
func (m AccountMapping) Of(address chain.Address) chain.Address {
	switch {
	case address.Size() != chain.AddressSize:
	case m == HashedAccount:
		return address.Hashed()
	case m == PaddedAccount:
		return address.Padded()
	}
	return address
}
