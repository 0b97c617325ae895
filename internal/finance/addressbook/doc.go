// Package addressbook has what people call addresses.
//
// An address book is one CSV file of address, label, group and account: every list of
// accounts and every file of names that a user gives is one. [Read] is the only reader of
// such files.
//
// A label is what people call one address; two addresses may have the same. A group is what
// several of them belong to, such as a company, a wallet or payroll. An account is that of
// the user's own books, as hledger and Beancount have it.
package addressbook
