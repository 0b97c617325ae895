// Package ledger is a book of blocks: the fees of one chain's blocks from a height on, what proves
// them, every movement of native balances, and what days and months add up to. It is a SQLite file,
// or the current schema of a PostgreSQL database, with the same tables, values and views.
//
// # Records
//
// A block is one row of the table blocks. Its record has what the chain recorded and what the rules
// make of it: the version (one byte, 1), the height (8 bytes, most significant first), the block's
// hash, its parent's, and then the lists of texts, accounts and amounts that it names, each once,
// and its values: the fields of the block, of its transactions, movements, transfers and
// unclassified events, column by column, in the order of blockFields, transactionFields and so on
// (coder.go has the encoding). Beside it stands what may change: whether the block is final, and in
// the column known, as JSON, why fees drift, findings, and questions that nobody answered. The
// column sum is over all of that: who reads a block compares it.
//
// A text from a block may hold what PostgreSQL refuses. So a book has U+FFFD in the place of each
// NUL character, and of each run of bytes that is not UTF-8.
//
// # Digests and seals
//
//	digest of a block   SHA-256(record)
//	a sum of digests    32 zeros, and with each digest SHA-256(sum ‖ digest)
//	seal of a day       the sum of its blocks' digests, in the order of heights; a block is of the day (UTC) of its own time
//	line of a day       SHA-256(number ‖ count of blocks ‖ seal), both numbers in 8 bytes, most significant first
//	any other seal      the sum of the lines of the days that its blocks are of: of a month, a period, a book
//
// A day's number counts days from 1970 on; that of the blocks without a time (block 0) is -1. So a seal says what it is of, and nothing else: two books that have the same
// blocks have the same seal of them, whatever engine they are in, whatever filled them, in whatever
// order. How well blocks are known is in no digest. docs/verify_seal.py computes all of this from
// what fees export --as records writes.
//
// # Sealing
//
// Blocks are stored in any order, and sealed in the order of their heights, without a gap, once they
// are final. Sealing adds each to its day and its month in the table stretches, which has their
// seals and sums. Blocks below the first height wait until they lead up to it; then they are sealed
// and the book begins with them (below.go). One program seals at a time; others store meanwhile.
//
// A day that has ended (the last sealed block is of another) gets its parts: runs of bytes with its
// sums by quarter of an hour, by contract and by account, and the look-ups, which name its blocks by
// account and by hash (part.go, tally.go). The stretch has the SHA-256 of each. A month's parts are
// made of its days'. Block times may fall: a late block takes its day's parts away until they are
// made again, so a stretch is a set of blocks and not a run of heights.
//
// # Questions
//
// A question checks what it reads: rows by their sums, stretches by their digests, parts by their
// leaves, and that no sealed block is missing. A block that is lost above the sealed ones looks as if
// it was never stored: it is fetched again. A question cuts its period into pieces (calendar.go): whole
// months, whole days, and what is left, whose blocks are looked through. It holds no connection
// while it hands something over, so questions within questions do not wait for each other. Verify
// computes everything again from the records. Who reads a whole book does so at many moments
// (moments.go): a snapshot of hours would keep the database from clearing away what was changed.
//
// The table transactions is for people who ask by SQL: it repeats what they ask of transactions
// (projection.go), no question of ours reads it, and Verify compares it. In a file, an amount below
// 2^63 is an integer there and any other a text, and words of a few are numbers (table words): the
// views have the texts. SQLite's SUM is not exact to the wei; the views are.
//
// # Changes
//
// A field is named once, in the list beside its Go type: records, rows, comparisons and digests go
// by it. The lists of a record, usualTexts and partSums never change once a version is published: a
// later layout adds a migration, and a later record another version.
//
// Who writes holds a lock that goes with the process: a lock of the file …-writer, or an advisory
// lock of PostgreSQL. Layouts change under it, too. There, blocks and transactions are cut into
// partitions by height (partition.go), so that detached months (detach.go) are dropped at once.
package ledger
