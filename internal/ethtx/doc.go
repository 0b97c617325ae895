// Package ethtx encodes and parses Ethereum transactions: their wire encoding, the digest that senders sign,
// their hash, and their signer. It supports the types legacy, eip2930, eip1559 and eip7702.
//
//	legacy   RLP of [nonce, gasPrice, gasLimit, to, value, data, v, r, s]
//	others   the type's byte, and RLP of [chainId, nonce, …, accessList, …, yParity, r, s]
//	hash     keccak-256 of all that (specification, client library, rule 9; EIP-2718)
//	digest   keccak-256 of the same without v, r and s; a legacy one that is for one chain has
//	         [chainId, 0, 0] in their place (EIP-155)
//
// Parsing is strict: an accepted transaction encodes to the same bytes.
package ethtx
