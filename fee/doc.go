// Package fee computes the exact fees of a block, in wei.
//
// [Price] works in these steps, each a rule of the specification:
//
//  1. The base fee per gas, once for each block (rule 6, [evm.BaseFeePerGas]).
//  2. Each extrinsic is classified: ethereum.transact is an EVM transaction, any other that is signed or has
//     paid a fee is a native one, and the rest are inherents, which pay nothing.
//  3. An EVM transaction: its gas price by type (rules 3 and 4), its weight (rule 5), and its fee (rule 2).
//  4. A native transaction: the fee that the chain states, tip included (rule 1).
//  5. The totals (rule 8).
//
// A transaction that no rule can price is listed with the reason, an [Error]. Its fee is unknown, never zero,
// and the totals that exclude it are marked incomplete.
//
// Pricing ignores the money that the chain moved, except for native fees of runtimes without a fee event. Package
// evidence compares the two.
package fee
