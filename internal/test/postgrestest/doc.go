// Package postgrestest is a real PostgreSQL for tests: a server of its own in a temporary
// directory, on a free port of the loopback interface.
//
// There is one server for each test binary, and one database for each test. A test may kill
// the server, as a crash would.
//
// The role of the tests is no superuser and needs no password. The superuser is reached only
// through a socket in that directory, which nobody else may enter. The server and its
// directory are gone when the test binary is, however it ended.
package postgrestest
