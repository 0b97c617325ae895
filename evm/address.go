package evm

import "github.com/feeledger/fees/chain"

// readAddress parses an address of 20 bytes. Chains with native accounts of 32 bytes have it on the EVM too.
func readAddress(v chain.Value) (chain.Address, error) {
	a, err := chain.Read[chain.Address](v)
	if a.Size() != chain.AddressSize {
		_, err = a.EVM()
		return chain.Address{}, err
	}
	return a, err
}
