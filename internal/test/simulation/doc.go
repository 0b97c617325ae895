// Package simulation runs the program in worlds that follow from a seed. It has tests alone.
//
// A world is a chain that grows and whose newest blocks are replaced, a gateway or a node, a clock,
// and a file. The program is what fees sync and fees follow do, all of it, from the HTTP client to
// SQLite: it reads, proves, stores and seals. The seed says when each answer comes and what is
// wrong with it, which commit of the program is its last one or is refused, how long it is down,
// which blocks it is asked for the next time, and whether a row of its file was altered meanwhile.
// In the end all is well, and the book must be the one that a quiet run makes: the same rows of
// all tables, digests and seals. Until then each run ends well, or with an error of a kind that
// fits.
//
// Each history has 200 blocks or more, a crash, and blocks that the program stored and the chain
// replaced. docs/simulation.md says how to run them, and what they have shown.
//
// # Before you change it
//
// A world is a bubble of testing/synctest: hours take no time, and all that waits in it waits for
// it. So the network is made of pipes. What is drawn is drawn by its purpose (see dice), such as
// the third answer to a question in the second run, and not from one stream: goroutines may come
// in any order. One test wants two histories of a seed to be the same to the nanosecond. Those with
// a node are not always: what several want of it at one moment is asked by whoever comes first.
//
// No lie may be one that nobody can tell from the truth: several answers that agree on a block
// which is no block of the chain, or a block of another content under the hash of a true one; of a
// node, another state of a block, or a fork's block that is said to be final. What shows a lie is
// not withheld (mustBeWell).
//
// A node's world has the quiet book of a gateway's: the two ways to read a block prove each other.
//
// A crash is a copy of the file and its log at the moment before a commit. The program goes on
// until it notices, and commits nothing more. What a disk loses or tears is not simulated here.
// Jobs and their workers need PostgreSQL, which waits for a real clock: their schedules are in
// package queue.
//
// A bug that is planted is a patch in testdata/planted, built over the true program. It must be
// found. Where a check stands twice in the program, one bug takes out both: what only one of
// them would find is no loss.
package simulation
