// Package extrinsic builds and decodes native extrinsics according to a runtime's metadata: call data from
// arguments that people write, the payload to sign, the signed extrinsic, its hash, and the reverse. It sends
// no requests and holds no keys.
//
//	call      pallet.call and its arguments, each read by its type      [Runtime.Call]
//	payload   call + extensions + what is signed with them              [Runtime.Payload]
//	digest    keccak-256 of the payload, which is signed                [Digest]
//	extrinsic version, signer, signature, extensions, call              [Runtime.Encode]
//	hash      BLAKE2b-256 of the extrinsic                              [Hash]
//
// Signers are accounts of 20 bytes. Their signature is ECDSA on secp256k1, 65 bytes: r, s, and the recovery
// ID.
//
// Every extrinsic of five recorded chains was decoded, and rebuilt from its decoded arguments to the same
// bytes; every signature is reproduced with the sender's key.
//
// Source: paritytech/polkadot-sdk, primitives/runtime: generic/unchecked_extrinsic.rs, era.rs; moonbeam,
// primitives/account: EthereumSignature.
package extrinsic
