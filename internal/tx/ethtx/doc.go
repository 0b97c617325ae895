// Package ethtx is Ethereum transactions as they are sent: their encoding, what their senders
// sign, their hash, and who signed. It knows the types legacy, eip2930, eip1559 and eip7702.
//
//	legacy   RLP of [nonce, gasPrice, gasLimit, to, value, data, v, r, s]
//	others   the type's byte, and RLP of [chainId, nonce, …, accessList, …, yParity, r, s]
//	hash     keccak-256 of all that (specification, client library, rule 9; EIP-2718)
//	digest   keccak-256 of the same without v, r and s; a legacy one that is for one chain has
//	         [chainId, 0, 0] in their place (EIP-155)
//
// They are read strictly: what is read is encoded again to the same bytes.
package ethtx
