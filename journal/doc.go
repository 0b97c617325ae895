// Package journal writes what accounting software takes without a correction by hand:
// the fees that accounts paid, or every movement of their native balances, as double
// entry for hledger, Beancount and Ledger, as a plain list, or as Koinly's CSV.
//
//		ledger.Book ─► Find ─► Payments ─► FeeJournal                 ─► Journal ─► Write (a Program)
//		                          │   └──► MovementJournal (balances) ─► Journal ─► Write
//		                          └──────► List, WriteKoinly
//
//	 1. [Find] reads what the accounts paid in a period. What a payer paid is what the
//	    chain charged; where that is not known, what the rules say.
//	 2. [FeeJournal] makes an entry of each fee. [MovementJournal] makes one of all that an
//	    extrinsic or a hook did to the accounts' balances, opens with the balances before,
//	    and asserts those after.
//	 3. [Journal.Write] writes the entries for one program, each amount with all of its 18
//	    decimals. What a program cannot hold exactly is refused.
//
// Nothing is rounded, plugged or left out: a fee that nobody knows is in
// [Payments.Undetermined], and movements that do not lead from the opening to the closing
// balance are a [DifferenceError]. The same book and the same options give the same bytes.
//
// No payment, movement or entry is held for long, however many there are. They are read
// from the book once to find out what must be known before the first entry is written,
// which is something of each account and of each day, and once more to be written. A
// reading that is not like the first is [ErrChanged]: the book was changed meanwhile.
//
// Everything stands in the order of the chain, even where the time of a block goes
// backwards.
package journal
