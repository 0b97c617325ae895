// Package ledger stores priced blocks: the fees of one chain's blocks from a first height on, their evidence,
// every movement of native balances, and totals by day and month. A ledger is a SQLite file or the current
// schema of a PostgreSQL database; both have the same tables, values and views.
//
// # Records
//
// Each block is one row of the table blocks. Its record contains what the chain recorded and what the rules
// make of it: the version (one byte, 1), the height (8 bytes, big-endian), the block hash, the parent hash,
// then lists of the distinct texts, accounts and amounts, then the values of the block, its transactions,
// movements, transfers and unclassified events, column by column, in the order of blockFields,
// transactionFields and so on (coder.go describes the encoding). What may change is stored beside the record:
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
// Blocks are stored in any order, and sealed in order of height, without gaps, once they are final. Sealing
// adds a block to its day and its month in the table stretches, which contains their seals and sums. Blocks
// below the first height wait until they lead up to it without a gap; they are then sealed, and the ledger
// starts at the lowest of them (below.go). One program seals at a time; others can store meanwhile.
//
// When the last sealed block belongs to another day, a day has ended and gets its parts: blobs that contain
// its sums by quarter of an hour, by contract and by account, and the indexes of its blocks by account and by
// hash (part.go, tally.go). The stretch contains the SHA-256 of each. A month's parts are merged from its
// days. Block times can go backwards: a late block discards the parts of its day until they are rebuilt.
// A stretch is therefore a set of blocks, not a range of heights.
//
// # Queries
//
// A query checks what it reads: rows by their sums, stretches by their digests, parts by their leaves, and
// that no sealed block is missing. A block lost beside the sealed ones looks as if it was never stored, and is
// fetched again, unless its neighbours show that its height was altered. A query cuts its period into pieces
// (calendar.go): whole months, whole days, and partial ones whose blocks are scanned. No connection is held
// while results are delivered, so nested queries do not block each other. Verify recomputes everything from
// the records. Operations that read a whole ledger use several short snapshots (moments.go): one long snapshot
// would keep the database from vacuuming.
//
// The table transactions is for SQL users: it repeats parts of the records (projection.go), no query of this
// package reads it, and Verify compares it with them. In a file, an amount below 2^63 is stored as an integer
// and any other as text, and common words are stored as numbers (table words); the views show the texts.
// SQLite's SUM is not exact to the wei; the views are.
//
// # Audit trail
//
// The table trail has a line for each act of a user: who prepared, returned, approved, closed or withdrew the
// package of a period ([Act]). A line's digest covers the line before it, so that no line can be altered, removed or
// moved unnoticed, except at the end; [TrailHead], which each package contains, shows that. Record appends within one
// transaction and reads the line back.
// The trail stays with a ledger when months are detached.
//
// # Changes
//
// Each field is named once, in the list beside its Go type; records, rows, comparisons and digests use that
// list. The field lists of a record, usualTexts and partSums never change once a version is published: a
// change adds a migration (schema version) or a record version.
//
// A writer holds a lock that ends with its process: a lock on the file …-writer, or a PostgreSQL advisory
// lock. It also covers migrations. In PostgreSQL, blocks and transactions are partitioned by height
// (partition.go), so that detached months (detach.go) are dropped at once.
package ledger
