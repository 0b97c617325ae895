// Package app has the questions that people ask about fees, each once: what the fees of a
// period add up to, what became of a balance, whether a company's record fits, what an
// accounting program takes, a month's package, how one fee came about, and how a ledger is
// filled. A front, such as a command line or a page, asks here and shows the answer.
//
// A [Desk] is a ledger with the tables of its network. A question takes a [Period], finds
// what the ledger holds of it, and refuses with a [NotHeldError] where a part is missing and
// the question does not allow for that. Whatever goes wrong, [KindOf] says what the error
// means to the person who asked: not understood, not found, not covered, busy, damaged and
// so on.
//
// # Before you change it
//
// A front holds no logic about blocks, rows or money. It reads flags or a form into one of
// the questions here, writes the answer, and maps [KindOf] to an exit code or a status. It
// asks [InputError.Naming] for a message in its own words, such as the names of its flags.
// What questions about a period share stands in [Question]: a new part of all belongs there.
//
// A period is a set of blocks: heights, or the blocks whose own time lies in it.
// [PeriodInput.Parse] is the one place that reads a period from text. [Desk.Held] asks
// ledger.Book.Cover, the one place that knows whether the book has all of it.
//
// A month's package is a function of its inputs. [Desk.MakePackage] makes every file from
// the options in the manifest, the files under inputs/, the sealed blocks of the month, and
// the balances. Nothing in it may depend on a clock, on a path, or on what else the ledger
// has. So [CheckPackage] can make it again and compare the bytes. A new file that needs the
// gateway belongs to those that are left out where no gateway is reachable.
//
// Filling a ledger judges blocks while others are written. The bytes that wait between the
// two are bounded.
package app
