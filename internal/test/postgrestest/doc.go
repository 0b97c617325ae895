// Package postgrestest provides a real PostgreSQL server for tests, in a temporary directory and on a free port of the
// loopback interface.
//
// Each test binary has one server, and each test its own database. A test may kill the server, as a crash would.
//
// The tests' role is not a superuser and needs no password. The superuser can connect only through a socket in that
// directory, which other users cannot enter. The server and its directory are removed when the test binary ends, even if
// it is killed.
package postgrestest
