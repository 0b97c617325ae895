// Package journal writes what accounting software takes without a correction by hand: the
// fees that accounts paid, or every movement of their native balances, as double entry for
// hledger, Beancount and Ledger, as a plain list, or as Koinly's CSV.
//
//	ledger.Book ─► Find ─► Payments ─► FeeJournal                 ─► Journal ─► Write (a Program)
//	                          │   └──► MovementJournal (balances) ─► Journal ─► Write
//	                          └──────► List, WriteKoinly
//
// It goes in three steps.
//
//  1. [Find] reads what the accounts paid in a period. What a payer paid is what the chain
//     charged; where that is not known, what the rules say.
//  2. [FeeJournal] makes an entry of each fee. [MovementJournal] makes one entry of all that
//     an extrinsic or a hook did to the accounts' balances. It opens with the balances
//     before, and asserts those after.
//  3. [Journal.Write] writes the entries for one program, each amount with all of its 18
//     decimals. What a program cannot hold exactly is refused.
//
// Nothing is rounded, plugged or left out. A fee that nobody knows is in
// [Payments.Undetermined]. Movements that do not lead from the opening to the closing balance
// are a [DifferenceError]. The same book and the same options give the same bytes.
//
// Everything stands in the order of the chain, even where the time of a block goes backwards.
//
// # Before you change it
//
// Entries are balanced before a program's writer sees them. A [Program] says how accounts and
// entries are written, and what the program cannot hold exactly. Text from outside goes
// through clean and cleanName (text.go), which keep letters, digits, and marks that mean
// nothing to any of the programs. Transfers between accounts that were asked for meet in one
// entry. Tests run the real programs, and change one wei to see that they notice.
//
// A journal is read, not held. Payments are read in parts of some thousand records, as many
// blocks as have them, and anew each time. The first reading finds out what must be known
// before the first byte: accounts, days, the sum and the last posting of each balance that is
// asserted, and a count and hash of what was read (the survey). Whatever else must be known
// beforehand goes there. A later reading that is not like the first is [ErrChanged]: the book
// was changed meanwhile, and two states of it never mix.
package journal
