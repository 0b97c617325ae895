package app

import (
	"fmt"

	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/sys/disk"
	"github.com/feeledger/fees/network"
)

// Size limits for user files.
const (
	maxTableBytes = 1 << 20 // far more than a table of every runtime needs
	maxListBytes  = 16 << 20
)

// inFile adds the field and the path of a file to an error.
func inFile(field Field, path string, err error) error {
	if plain := failure.PathText(err); plain != "" {
		return notUnderstood("%v: %s", field, plain)
	}
	return notUnderstood("%v %s: %v", field, path, err)
}

// ReadTables returns the built-in tables plus those in a user's file; "" means no file. Errors are of type
// [InputError].
func ReadTables(path string) (network.Tables, error) {
	tables := network.BuiltIn()
	if path == "" {
		return tables, nil
	}
	content, err := disk.ReadSmall(path, maxTableBytes)
	if err != nil {
		return tables, inFile(FieldNetworkFile, path, err)
	}
	if tables, err = tables.With(path, content); err != nil {
		return tables, inFile(FieldNetworkFile, path, fmt.Errorf("%w; for the format, see \"fees networks --format json\"", err))
	}
	return tables, nil
}

// ReadNames reads a file of account names for a journal; it returns nil for "". Errors are of type [InputError].
func ReadNames(path string) (*journal.Names, error) {
	if path == "" {
		return nil, nil
	}
	var names *journal.Names
	book, _, err := readBook(path)
	if err == nil {
		names, err = journal.NewNames(book)
	}
	if err != nil {
		return nil, inFile(FieldNames, path, err)
	}
	return names, nil
}

// readList reads and parses a user's file; text is its content.
func readList[L any](field Field, path string, read func([]byte) (*L, error)) (list *L, text []byte, err error) {
	if text, err = disk.ReadSmall(path, maxListBytes); err == nil {
		list, err = read(text)
	}
	if err != nil {
		return nil, nil, inFile(field, path, err)
	}
	return list, text, nil
}
