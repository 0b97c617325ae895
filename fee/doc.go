// Package fee gives the exact fees of a block, in wei.
//
// [Price] works in these steps, each a rule of the specification:
//
//  1. The base fee per gas, once for each block (rule 6, [evm.BaseFeePerGas]).
//  2. Each extrinsic is classified: ethereum.transact is an EVM transaction, any other
//     that is signed or has paid a fee is a native one, and the rest are inherents, which
//     pay nothing.
//  3. An EVM transaction: its gas price by type (rules 3 and 4), its weight (rule 5), and
//     its fee (rule 2).
//  4. A native transaction: what the chain says it paid, tip included (rule 1).
//  5. The totals (rule 8).
//
// [Suggest] goes the other way: it says what to bid in the next block, by its base fee and
// by what recent blocks paid above theirs ([PriorityFees]).
//
// A transaction that no rule can price is listed with its reason, an [Error]. It has no fee,
// and stays out of the sums, which then say that they are incomplete. Its fee is never taken
// as zero.
//
// # Before you change it
//
// One rule is one function, with the specification's number in its comment. Its test vectors
// are text files in testdata/vectors. Nobody needs Go to read them.
//
// A fee is priced without its evidence. This package does not look at the cash that the
// chain moved, except for native fees of runtimes that had no fee event. Package evidence
// compares the two later.
package fee
