// Package evm holds the rules of the EVM layer: the Ethereum transaction inside
// an ethereum.transact extrinsic, its gas price, its gas and its fee, what the
// chain recorded of its execution, and the token transfers in its logs.
//
// Each fee rule of the specification is one function:
//
//	rule 2  Fee
//	rule 3  GasPrice (legacy, eip2930)
//	rule 4  GasPrice (eip1559)
//	rule 5  Weight
//	rule 6  BaseFeePerGas
package evm
