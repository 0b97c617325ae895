// Package desk has the questions that people ask about fees, each once: what a period's
// fees add up to, what became of a balance, whether a company's record fits, what an
// accounting program takes, a month's package, how one fee came about, and how a ledger
// is filled. A front, such as a command line or a page, asks here, and shows what it gets.
//
// A [Desk] is a ledger with the tables of its network. A question takes a [Period], finds
// what the ledger holds of it, and refuses with a [NotHeldError] where a part is missing
// and the question does not allow for that. Whatever goes wrong, [KindOf] says what it
// means to who asked: not understood, not found, not covered, busy, damaged and so on.
package desk
