// Package evm implements the rules of the EVM layer: the Ethereum transaction inside an ethereum.transact
// extrinsic, its gas price (wei per gas), gas and fee (wei), the chain's record of its execution, and the
// token transfers in its logs.
//
// Each fee rule of the specification is one function:
//
//	rule 2  Fee
//	rule 3  GasPrice (legacy, eip2930)
//	rule 4  GasPrice (eip1559)
//	rule 5  Weight
//	rule 6  BaseFeePerGas
//
// An eip7702 transaction is decoded in the form that Sidecar's own code produces from a runtime's metadata.
// That is untested against a real gateway's response. The hash and sender of a real one, taken from Ethereum's
// form of its block, recompute.
package evm
