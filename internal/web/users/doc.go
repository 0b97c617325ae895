// Package users reads the users of fees serve from a text file with one line NAME:HASH per user,
// as written by Apache's htpasswd -B. Roles may follow: NAME:HASH:preparer,reviewer.
//
// Hashes are bcrypt, which is slow on purpose. Unknown names take as long as known ones, so that timing
// reveals no names. Errors contain neither hashes nor passwords.
package users
