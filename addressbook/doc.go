// Package addressbook has what people call addresses.
//
// Every list of accounts and every file of names that a user gives is one CSV file of
// address, label and account. [Read] is the only reader of such files.
package addressbook
