// Package scalejson writes SCALE values as the JSON that Substrate API Sidecar 18.0.0 makes of
// them. A [Codec] knows the types of one runtime. It is compiled once, from the runtime's
// metadata, into functions that read a value and write its text at once: no value is built.
//
// The rules are those of the library that Sidecar stands on, polkadot-js, and of Sidecar's own
// step after it, which writes every integer as a decimal string:
//
//   - Structs are objects. Their keys are camelCase; a few that JavaScript or the library needs
//     for itself end in an underscore ("keys_", "hash_", "size_").
//   - Tuples, sequences and arrays are arrays; bytes in a sequence or an array are hex. A
//     struct of one field without a name is that field.
//   - An enum is {"variant": value}, in camelCase. Where no variant has a value, it is the bare
//     name, as the runtime spells it.
//   - An account of 20 bytes has the checksum of EIP-55, one of 32 bytes is SS58; H160 is lower
//     case. Where a runtime's accounts are H160 (900 of Moonbeam), events have lower case.
//   - A call that is an argument, or an element of one, is {"method", "args"}; deeper down, such
//     as in an Option, it is {"callIndex", "args"}. Names of arguments stay as they are.
//   - An argument of bytes that is named call is written as a call where it reads as one. It
//     may well be meant for another chain: Sidecar takes it for this one's all the same. It
//     also takes one that ends too early, and makes up the rest; here that one stays hex.
//   - Entries of maps and sets stand in the order of their encoding. Sidecar sorts them, as the
//     chain does before it encodes them.
//
// What Sidecar has no form for, or one that depends on what follows, is an error that names the
// type: bits in elements of more than a byte, an index as a MultiAddress, a call as an argument
// in a wrapper of an opaque value. None of 115 metadata files of Moonbeam's and DataHaven's
// networks has them.
//
// An [Encoder] goes the other way: it makes SCALE of such JSON, by the same rules. What Sidecar
// had said of all extrinsics and events of five recorded chains is encoded to what its node had
// said (TestEncodesWhatWasRecorded). It refuses bits, MultiAddress and wrappers of opaque values.
//
// Recorded answers of Sidecar, of Moonbeam's runtimes 1701, 2100 and 2600 and DataHaven's 100,
// have 22 calls and 28 events: of balances, ethereum, evm, system, timestamp, treasury,
// transactionPayment, authorInherent, parachainSystem, randomness, councilCollective, identity,
// parameters, proxy, sudo and utility. Each was equal. All else is written by rule. Of that,
// testdata has what Sidecar's own code made of made-up values of all calls, events, constants and
// storage of one runtime (testdata/oracle.cjs; TestValuesAreSidecars), and TestOracle asks it
// about those of any other metadata: 219,000 values of 113 runtimes were equal. Types that none
// of these runtimes has (bits, MultiAddress, ranges, wrappers) are compared by made-up values
// too (TestRareTypesAreSidecars), and 90 whole metadata by their sums. No block of a real chain
// was compared.
//
// Source: @substrate/api-sidecar 18.0.0, sanitizeNumbers and BlocksService; @polkadot/types,
// PortableRegistry; @polkadot/types-codec.
package scalejson
