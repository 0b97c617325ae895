// Package users reads who may log in to fees serve: a text file with a line NAME:HASH for each,
// as Apache's htpasswd -B writes it.
//
// A hash is bcrypt's, which is slow on purpose. A name that is not there takes as long as one that
// is, so nobody finds names by a clock. No error has a hash or a password.
package users
