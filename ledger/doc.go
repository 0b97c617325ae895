// Package ledger is a book of blocks: the fees of one chain's blocks from a height
// on, what proves them, every movement of native balances, and totals by day,
// quarter of an hour, account and contract. It is a file of SQLite, or the current
// schema of a PostgreSQL database, with the same tables, the same values and the
// same views (book_blocks, book_days, …) for whoever asks by SQL.
//
// In SQLite an amount is a text of decimal digits, for its integers end at 2^63.
// SQLite's SUM over amounts works in floats and is not exact to the wei: ask the
// tables of totals and the views, which are. In PostgreSQL amounts are NUMERIC.
//
// # Texts
//
// A text from a block may hold what PostgreSQL refuses. In a book, each NUL
// character stands as U+FFFD, and so does each run of bytes that are no UTF-8.
//
// # Digests
//
// The digest of a block is the SHA-256 of its rows, table after table: blocks,
// transactions, movements, unclassified, transfers, findings. Each table is its
// name as a text, the number of its rows as an integer, and the rows in the order
// of their key; each row is its columns' values in the order of the layout
// (migrations/1_book.sql), with nothing between them. A value is a tag of one byte
// and what follows it:
//
//	null     00
//	integer  01, then 8 bytes: two's complement, most significant first
//	text     02, then the length in bytes (4 bytes, most significant first), then UTF-8;
//	         an amount is a text: decimal digits without leading zeros, after "-" where it is below 0
//	data     03, then the length (as of a text), then the bytes: a hash, an account
//	false    04
//	true     05
//
// What only the book knows of a block is outside of its digest: blocks.final,
// blocks.digest and blocks.seal. So are the totals and blocks.costs, which follow from
// the rows, and the table rejudgements.
//
// The row of the table book has a digest of its own: the SHA-256 of network,
// genesis, first, sealed and seal, encoded likewise.
//
// # Seals
//
// The seal of a block is SHA-256(seal of the block before ‖ digest of the block), 32
// bytes each; before the first block of the book it is 32 zeros. Blocks are sealed in
// the order of their heights, without a gap, and only when they are final. So books
// with the same first height and the same seal have the same rows up to there,
// whatever engine they are in and in whatever order they were written. What is
// sealed is in the totals, and what is not is not.
package ledger
