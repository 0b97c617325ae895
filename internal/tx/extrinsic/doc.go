// Package extrinsic makes native extrinsics by what a runtime says of itself, and reads them:
// call data from arguments that people write, the payload that is signed, the signed extrinsic,
// its hash, and all of it back. It asks nobody and holds no key.
//
//	call      pallet.call and its arguments, each read by its type      [Runtime.Call]
//	payload   call + extensions + what is signed with them              [Runtime.Payload]
//	digest    keccak-256 of the payload, which is signed                [Digest]
//	extrinsic version, signer, signature, extensions, call              [Runtime.Encode]
//	hash      BLAKE2b-256 of the extrinsic                              [Hash]
//
// Signers are accounts of 20 bytes. Their signature is ECDSA on secp256k1, 65 bytes: r, s, and
// which of the two points is meant.
//
// Every extrinsic of five recorded chains was decoded, and rebuilt from its decoded arguments to
// the same bytes; every signature is the one that the sender's key makes
// (TestRecordedExtrinsics).
//
// Source: paritytech/polkadot-sdk, primitives/runtime: generic/unchecked_extrinsic.rs, era.rs;
// moonbeam, primitives/account: EthereumSignature.
package extrinsic
