// Package prove prices and proves many blocks: those of a range, several at a time and in
// order, or those of a chain as it grows. It also checks what a block shares with its
// neighbours, and asks the source for what the checks need beside the block.
//
// A question that the source does not answer for now is part of the report, as one that can
// be asked again.
package prove
