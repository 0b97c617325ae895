// Package ledger is a book of blocks: the fees of one chain's blocks from a height
// on, what proves them, every movement of native balances, and totals by quarter of an
// hour, day, month, account and contract. It is a file of SQLite, or the current
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
// # Leaves and digests
//
// The column leaves of a block has a SHA-256 for each of its tables, in this order:
// blocks, transactions, movements, unclassified, transfers, costs, diagnoses, findings,
// unanswered. It begins with one byte for the layout that they were made in, 01, and two
// bytes (most significant first) in which bit i says that there is leaf i: a table without
// rows has none. Bit 15 says that the block is final. Then come the leaves, 32 bytes each. Whoever reads rows of one table
// checks that table's leaf, and needs no other.
//
// A leaf is over the table's name as a text, the number of the block's rows as an integer,
// and the rows in the order of their key; each row is its columns' values in the order of
// the layout (migrations/1_book.sql), with nothing between them. The leaf of costs, which
// is no table but a column, is over "costs" as a text, the height as an integer, and the
// column as data. A value is a tag of one byte and what follows it:
//
//	null     00
//	integer  01, then 8 bytes: two's complement, most significant first
//	text     02, then the length in bytes (4 bytes, most significant first), then UTF-8;
//	         an amount is a text: decimal digits without leading zeros, after "-" where it is below 0
//	data     03, then the length (as of a text), then the bytes: a hash, an account
//	false    04
//	true     05
//
// The digest of a block is the SHA-256 of the leaves up to that of costs, as the column has
// them: the byte of the layout, the two bytes with the bits of those six, and each. So it
// says what the chain recorded and what the rules make of it. How well that is known stands
// outside of it: diagnoses, findings, and unanswered questions may change while the same
// rows keep the same digest, from whatever source they are. Of a block's row, costs, final
// and leaves are in no leaf of blocks.
//
// A later layout may add columns. A digest stays one of the layout that it names, and is
// over that layout's columns alone.
//
// The row of the table book has a digest of its own: the SHA-256 of network, genesis, first
// and sealed, encoded likewise. So has each row of the table seals, over its other columns.
//
// # Seals
//
// Blocks are sealed in the order of their heights, without a gap, and only when they are
// final. The seal of blocks is a sum over their digests: it begins with 32 zeros, and each
// block makes it SHA-256(seal ‖ digest). It depends on those blocks alone, and not on where
// a book begins: two books that have a period's blocks have the same seal of it, whatever
// engine they are in and in whatever order they were written.
//
// The table seals has the seal of the sealed blocks of each day and each month of UTC, by
// the blocks' own time. The seal of a whole book is likewise a sum over its days: of the
// SHA-256 of each day's number, count of blocks, and seal.
//
// What is sealed is in the totals, and what is not is not. Once a later day (or month) has
// begun, its row in seals has the leaves of its totals, behind the byte of the layout: of
// quarter_hours, days, contract_days and sixteen of account_days, by the first hex digit of
// the account (of a month: of contract_months, and sixteen of account_months). Such a leaf
// is over the table's name, the number of its rows, and all columns of them, in the order of
// their keys' encodings. Whoever reads totals checks their leaf; the totals of the day that
// still grows are added up from its blocks instead.
//
// # Look-ups
//
// Indexes name the blocks that have rows of an account. That they name all is seen by
// account_days, which counts an account's rows: a look-up that has lost one is damage, and
// not a smaller sum. Blocks without a time are in no day, and all of them are read. No total
// counts a hash: that nothing has it is known by looking through the transactions.
//
// What is lost above the sealed blocks looks like what was never stored: it is fetched again.
package ledger
