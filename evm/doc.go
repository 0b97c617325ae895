// Package evm holds the rules of the EVM layer: the Ethereum transaction inside
// an ethereum.transact extrinsic, its gas price (wei per gas), its gas and its fee
// (wei), what the chain recorded of its execution, and the token transfers in its logs.
//
// Each fee rule of the specification is one function:
//
//	rule 2  Fee
//	rule 3  GasPrice (legacy, eip2930)
//	rule 4  GasPrice (eip1559)
//	rule 5  Weight
//	rule 6  BaseFeePerGas
//
// An eip7702 transaction is read in the form that Sidecar's own code gives it by
// a runtime's metadata. That is untested against a real gateway's answer. Hash and
// sender of a real one, taken from Ethereum's form of its block, recompute.
package evm
