// Package ledger is a book of blocks. From some height on it has the fees of one chain's
// blocks, what proves them, every movement of native balances, and totals by quarter of an
// hour, day, month, account and contract. It is a SQLite file, or the current schema of a
// PostgreSQL database. Both have the same tables, the same values, and the same views
// (book_blocks, book_days, …) for whoever asks by SQL.
//
// In PostgreSQL amounts are NUMERIC. A SQLite file has an amount below 2^63 as an integer, and
// a greater one, where SQLite's integers end, as a text of decimal digits. Its SUM over them
// works in floats and is not exact to the wei: ask the tables of totals and the views, which
// are exact. And a file has the texts that come over and over (rules, layer, type, call,
// method, outcome, status, verdict, event and kind) once, in the table words: their rows have
// the number of the word, or a text that is none. The views have the texts. The column costs
// has what a block's transactions repeat once (repeats.go). What follows is said of the values
// that these stand for: they are the same in both engines.
//
// # Texts
//
// A text from a block may hold what PostgreSQL refuses. So a book has U+FFFD in the place of
// each NUL character, and of each run of bytes that is not UTF-8.
//
// # Leaves and digests
//
// The column leaves of a block has a SHA-256 for each of its tables, in this order:
// blocks, transactions, movements, unclassified, transfers, costs, diagnoses, findings,
// unanswered. It begins with one byte for the layout that they were made in, 01, and two
// bytes (most significant first) in which bit i says that there is leaf i: a table without
// rows has none. Bit 15 says that the block is final. Then come the leaves, 32 bytes each.
// Whoever reads rows of one table checks that table's leaf, and needs no other.
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
// them: the byte of the layout, the two bytes with the bits of those six, and each leaf. So
// it says what the chain recorded and what the rules make of it. How well that is known
// stands outside of it: diagnoses, findings and unanswered questions may change, and the
// digest stays the same, whatever source the rows are from. The leaf of blocks leaves out
// three columns: costs, final and leaves.
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
// A book grows at both ends. Blocks below its first height wait as those above the sealed ones do:
// no question and no total has them. When they lead up to the first height without a gap, and
// the block there says that the highest of them is its parent, they are sealed, many at once, and
// the same change has the book begin with the lowest of them. The day and the month that they
// share with blocks above them have their seal made anew of all digests, and their totals'
// leaves of all totals (below.go). So the book is then what one is that was begun there.
//
// The table seals has the seal of the sealed blocks of each day and each month of UTC, by
// the blocks' own time. The seal of a whole book is likewise a sum over its months: of the
// SHA-256 of each month's number, count of blocks, and seal.
//
// A row of seals says, too, how many of its blocks have rows in findings, unclassified and
// unanswered, and by which rules its transactions were priced.
//
// Which blocks are proved, and by which trusted block, is in the table proved, outside of all
// digests but that of its own rows: in spans, each with one trusted block. It is of the same
// change as the blocks: what takes them out takes their proof, too.
//
// What is sealed is in the totals, and what is not is not. Once a later day (or month) has
// begun, its row in seals has the leaves of its totals, behind the byte of the layout: of
// quarter_hours, days, contract_days and sixteen of account_days, by the first hex digit of
// the account (of a month: of contract_months, sixteen of account_months, and months). Such a leaf
// is over the table's name, the number of its rows, and all columns of them, in the order of
// their keys' encodings. Whoever reads totals checks their leaf; the totals of the day that
// still grows are added up from its blocks instead.
//
// # Look-ups
//
// The table account_blocks names the sealed blocks that have rows of an account, and by the
// bits of tables which rows: 1 of transactions that it paid for, 2 of movements, 4 of
// transfers. The table hash_blocks names those that have a transaction of a hash, by the
// first 8 bytes of the extrinsic's or of the EVM transaction's; who finds a block compares
// the whole hash. Both are ordered by era first, which is the height divided by 65536.
//
// They cover the sealed blocks. What is above is looked through, by height. Sealing extends them
// in the same change, in sorted runs that touch one era alone: it costs the same however long the
// chain is. So nothing drops them, and nobody waits for them.
//
// The table account_days counts an account's rows, which shows that the look-up names all of
// them: one that has lost a block is damage, and not a smaller sum. Blocks without a time are
// in no day, and all of them are read. No total counts hashes: whether nothing has a hash is
// known by looking through the transactions. A verification makes all look-ups again.
//
// A block that is lost above the sealed ones looks as if it was never stored. It is fetched
// again.
//
// # Partitions
//
// In PostgreSQL the tables with the rows of blocks are cut into partitions by height
// (partition.go), so that a part of a book is vacuumed, backed up and dropped by itself.
// Whoever stores blocks makes the partitions that are missing, before.
//
// Detach takes what is before a month out of a book (detach.go). When the file with it is on
// the disk, one change has the book begin later: its row, its totals and seals, and a row of
// the table removal, which says that rows below the book's first height are left. Whoever
// reads leaves them out. They are removed portion by portion, and the last change takes the row
// of removal away, too.
//
// # Before you change it
//
// A column is said once, in the list of fields beside the Go type that it is a part of, such
// as blockFields and transactionFields. Its mark says whether it is a fact, a judgement, or a
// state that is outside of the digest; cell.go says how each Go type stands in a cell.
// Inserts, digests, packed costs, verification, comparison and backup go by those lists. Only
// the migrations name the columns again, with what the two engines write differently as a
// template. An amount is a string between the two, so that the digests agree.
//
// What differs between the engines is a dialect and an engine. Tests run on both.
//
// Blocks are stored, then sealed. A block's rows are one transaction, and blocks come in any
// order of heights. Sealing goes over them in order, many at once: it adds the totals, and
// adds the digests to the seals of their days and months (stretch.go). So workers share
// nothing while they store, and whoever holds the sealer's lock seals for all. Sealing
// changes no row of a block. A worker stores with each block what it adds beyond its
// transactions' costs (unsealed.go), with a digest that is over the block's, too. So who seals
// reads a block's own row and that one, and not the rows of its tables; where it is missing or
// was altered, it reads those. It goes when the block is sealed.
//
// What is sealed does not depend on who asks. What depends on neighbours, on how far a source
// could answer, or on where a book begins (findings, diagnoses, unanswered questions) is in a
// table from firstOutside on: it has a leaf, so that nobody can alter it unseen, and is in no
// digest. So kills, workers, archives and a quiet run all give the same seals.
//
// Sealing below the book changes the day and the month that it begins in, once they have ended,
// too. Who took them as they were before looks through their blocks instead, which do not change.
// A verification, and a copy that is made moment by moment, end with ErrExtended.
//
// A question checks what it reads. Rows come as an iter.Seq2 that answers a [Query]. They are
// read by walk (a span) and walkHeights (the blocks that a look-up named), or, for rows of
// accounts, by the search in account.go, which also counts them against the totals of their
// days, where it has not done so before (counted.go). [Book.Costs] reads the packed costs. Each
// of these reads a portion, compares its leaves, and hands it on while it holds no connection.
// So questions within questions never wait for each other.
//
// A question about a period cuts it into pieces (calendar.go): whole months, whole days, and what
// is left, which is looked through. So it takes as long as the period is, and not the chain. That
// nothing is missing is seen by sums: the months have all sealed blocks, and a month's days all of
// its blocks. Totals are read by totalsOf alone, which compares their leaves. What nobody is
// known to have paid for has no fee, or it is no entry: so days tell, by how many have none, where
// such transactions are looked for.
//
// Each block's row has its transactions' costs once more, packed (packed.go), because a
// database takes most of its time to hand over rows and columns. Reports read them there. A
// verification makes them again from the rows.
//
// Who reads a whole book does so at many moments (moments.go), for a snapshot of hours keeps a
// database from clearing away what was changed. What is sealed does not change, so that it need
// not be of one moment.
//
// Once a version is published, its layout is for ever: migrations/1_book.sql never changes then.
// A later layout adds a file. Digests and the leaves of totals name their layout.
//
// Whoever writes holds a lock that goes with the process. In SQLite it is a lock of the file
// …-writer; in PostgreSQL it is an advisory lock on the connection that writes. Layouts change
// under it too.
package ledger
