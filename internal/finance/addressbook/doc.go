// Package addressbook reads address books, which label addresses.
//
// An address book is a CSV file of address, label, group and account. Every list of accounts and every file of
// names that a user provides has this format, and [Read] is its only reader.
//
// A label is the name of an address; two addresses may have the same label. A group joins several addresses,
// such as a company, a wallet or payroll. An account is one of the user's own accounting books, in the form
// of hledger and Beancount.
package addressbook
