// Package simulation tests the program in simulated worlds that are determined by a seed. It contains only tests.
//
// A world consists of a growing chain whose newest blocks are replaced now and then, a gateway or a node, a clock, and a
// file. The program is all of fees sync and fees follow, from the HTTP client to SQLite: it reads, proves, stores and
// seals. The seed determines when each response arrives and what is wrong with it, at which commit the program dies or is
// refused, how long it is down, which blocks it is asked for next, and whether a row of its file is altered meanwhile.
// In the end nothing goes wrong any more, and the ledger must equal the one of a quiet run: the same rows in all tables,
// digests and seals. Until then each run must succeed or fail with an appropriate kind of error.
//
// Each history has at least 200 blocks, a crash, and blocks that the program stored and the chain replaced.
// docs/simulation.md describes how to run them and what they found.
//
// # Before you change it
//
// A world is a bubble of testing/synctest: hours take no time, and everything in it waits on its clock. The network
// therefore consists of pipes. Random values are drawn by purpose (see dice), such as the third response to a request in
// the second run, not from one stream, because goroutines run in any order. One test requires two histories of a seed to
// be identical to the nanosecond. Histories with a node may differ: which of several simultaneous requests is sent first
// is arbitrary.
//
// A lie must be detectable. Excluded are several responses that agree on a block that is not on the chain, other content
// under a true hash and, for a node, another state of a block, or a fork's block reported as final. Responses that reveal
// a lie are not withheld (mustBeWell).
//
// A world with a node must produce the quiet ledger of a gateway's world: the two ways of reading check each other.
//
// A crash is a copy of the file and its log just before a commit. The program continues until it notices, but commits
// nothing more. Lost or torn writes are not simulated here. Jobs and workers need PostgreSQL, which uses a real clock:
// their schedules are tested in package queue.
//
// A planted bug is a patch in testdata/planted, applied with a build overlay. It must be found. Where the program makes a
// check twice, one patch removes both.
package simulation
