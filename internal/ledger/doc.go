// Package ledger stores priced blocks: the fees of one chain's blocks from a first height on, their evidence,
// every movement of native balances, and totals by day and month. A ledger is a SQLite file or the current
// schema of a PostgreSQL database; both have the same tables, values and views. [Open] opens one for reading,
// [OpenWriter] for writing.
//
// # Records
//
// Each block is one row of the table blocks. Its record contains what the chain recorded and what the rules
// make of it: the version (one byte), the height (8 bytes, big-endian), the block hash, the parent hash,
// then lists of the distinct texts, accounts and amounts, then the values of the block, its transactions,
// movements, transfers and unclassified events, column by column, in the order of blockFields,
// transactionFields and so on (coder.go describes the encoding). Version 2 has further columns: of transactions, the
// assetFields, and of movements the reason of a hold. A block without any has version 1. What may change is stored beside the record:
// whether the block is final and, as JSON in the column known, drift diagnoses, findings and unanswered
// questions. The column sum covers all of this and is checked by every reader.
//
// PostgreSQL rejects some texts that blocks can contain. Each NUL character, and each run of bytes that is
// not UTF-8, is therefore stored as U+FFFD.
//
// # Digests and seals
//
//	digest of a block   SHA-256(record)
//	sum of digests      start with 32 zeros; for each digest, SHA-256(sum ‖ digest)
//	seal of a day       sum of its blocks' digests, in order of height; a block belongs to the UTC day of its own time
//	line of a day       SHA-256(number ‖ count of blocks ‖ seal), both numbers as 8 bytes, big-endian
//	any other seal      sum of the lines of the days that its blocks belong to: for a month, a period, a ledger
//
// Days are numbered from 1970 on; the number of the blocks without a time (block 0) is -1. A seal depends only
// on the blocks: two ledgers with the same blocks have the same seal, whatever the engine, the source or the
// order of writing. Digests do not cover evidence. docs/verify_seal.py computes all of this from the output of
// fees export --as records.
//
// # Sealing
//
// Blocks are stored in any order ([Book.Write]), and sealed in order of height, without gaps, once they are final
// ([Book.Seal]). Blocks below the first height wait until they lead up to it without a gap; they are then sealed, and
// the ledger starts at the lowest of them. One program seals at a time; others can store meanwhile. A writer holds a
// lock that ends with its process. Block times can go backwards: a day or a month is a set of blocks, not a range of
// heights.
//
// # Queries
//
// A query checks what it reads, and that no sealed block is missing. A block lost beside the sealed ones looks as if it
// was never stored, and is fetched again, unless its neighbours show that its height was altered. [Book.Verify]
// recomputes everything from the records. No connection is held while results are delivered, so nested queries do not
// block each other.
//
// # Audit trail
//
// The table trail has a line for each act of a user on the package of a period, on a company's record of fees, or on the
// address book ([Act]). A line's digest covers the line before it, so that no line can be altered, removed or
// moved unnoticed, except at the end; [TrailHead], which each package contains, shows that. [Book.Record] appends within
// one transaction and reads the line back. The trail stays with a ledger when months are detached.
package ledger
