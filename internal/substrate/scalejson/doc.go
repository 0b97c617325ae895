// Package scalejson converts SCALE values to the JSON of Substrate API Sidecar 18.0.0. A [Codec] handles the
// types of one runtime, by its metadata.
//
// The rules are those of polkadot-js, the library that Sidecar uses, and of Sidecar's own post-processing,
// which writes every integer as a decimal string:
//
//   - Structs are objects. Their keys are camelCase; a few that JavaScript or the library reserves
//     end in an underscore ("keys_", "hash_", "size_").
//   - Tuples, sequences and arrays are arrays; bytes in a sequence or an array are hex. A
//     struct of one unnamed field is that field.
//   - An enum is {"variant": value}, in camelCase. If no variant has a value, it is the bare
//     name, as the runtime spells it.
//   - An account of 20 bytes has its EIP-55 checksum, one of 32 bytes is SS58; H160 is lower
//     case. If a runtime's accounts are H160 (900 of Moonbeam), events have lower case.
//   - A call that is an argument, or an element of one, is {"method", "args"}; deeper down, such
//     as in an Option, it is {"callIndex", "args"}. Names of arguments are unchanged.
//   - An argument of bytes named call is written as a call if it decodes as one. It may be meant
//     for another chain; Sidecar decodes it with this chain's types all the same. Sidecar also
//     accepts one that ends too early, and fills in the rest; here that one stays hex.
//   - Entries of maps and sets are in the order of their encoding. Sidecar sorts them, as the
//     chain does before it encodes them.
//
// Values for which Sidecar has no form, or one that depends on the following bytes, are an error that names
// the type: bits in elements of more than a byte, an index as a MultiAddress, a call as an argument in a
// wrapper of an opaque value. None of 115 metadata files of Moonbeam's and DataHaven's networks contains them.
//
// An [Encoder] does the reverse: it converts such JSON to SCALE, by the same rules. Sidecar's responses for
// all extrinsics and events of seven recorded chains encode to the bytes of their nodes. It rejects bits and wrappers of
// opaque values.
//
// Recorded responses of Sidecar, for Moonbeam's runtimes 1701, 2100 and 2600 and DataHaven's 100, contain 22
// calls and 28 events: of balances, ethereum, evm, system, timestamp, treasury, transactionPayment,
// authorInherent, parachainSystem, randomness, councilCollective, identity, parameters, proxy, sudo and
// utility. Each was equal. Everything else follows the rules, and was compared with the output of Sidecar's own
// code for generated values: 219,000 values of 113 runtimes, types that none of them has (bits, MultiAddress,
// ranges, wrappers), and 90 whole metadata were equal. No block of a real chain was compared.
//
// Source: @substrate/api-sidecar 18.0.0, sanitizeNumbers and BlocksService; @polkadot/types, PortableRegistry;
// @polkadot/types-codec.
package scalejson
