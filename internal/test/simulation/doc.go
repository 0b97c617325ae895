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
package simulation
