package app

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/network"
)

// What the files of a user may have.
const (
	maxTableBytes = 1 << 20 // far more than a table of every runtime needs
	maxListBytes  = 16 << 20
)

// ReadSmallFile reads a file of at most that many bytes.
func ReadSmallFile(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ReadAtMost(file, path, limit)
}

// ReadAtMost reads all of r, which may be that many bytes.
func ReadAtMost(r io.Reader, name string, limit int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("%s is larger than %d bytes", name, limit)
	}
	return content, err
}

// inFile says of an error that it is of a file that a field of a question names.
func inFile(field Field, path string, err error) error {
	var open *os.PathError
	if errors.As(err, &open) {
		err = open.Err
	}
	return notUnderstood("%v %s: %v", field, path, err)
}

// ReadTables returns the built-in tables, with those of a user's file; "" is none. The
// error is an [InputError].
func ReadTables(path string) (network.Tables, error) {
	tables := network.BuiltIn()
	if path == "" {
		return tables, nil
	}
	content, err := ReadSmallFile(path, maxTableBytes)
	if err != nil {
		return tables, inFile(FieldNetworkFile, path, err)
	}
	if tables, err = tables.With(path, content); err != nil {
		return tables, inFile(FieldNetworkFile, path, fmt.Errorf("%w; fees networks --format json shows the form", err))
	}
	return tables, nil
}

// ReadNames reads a file of names for a journal; "" is none. The error is an [InputError].
func ReadNames(path string) (*journal.Names, error) {
	if path == "" {
		return nil, nil
	}
	var names *journal.Names
	book, err := readBook(path)
	if err == nil {
		names, err = journal.NewNames(book)
	}
	if err != nil {
		return nil, inFile(FieldNames, path, err)
	}
	return names, nil
}

// ReadPrices reads a file of prices in a currency; "" is none. The error is an [InputError].
func ReadPrices(path, fiat string) (*money.List, error) {
	switch {
	case (path == "") != (fiat == ""):
		return nil, notUnderstood("%v and %v: name both, the file and the currency", FieldPrices, FieldFiat)
	case path == "":
		return nil, nil
	}
	if _, err := money.ParseCurrency(fiat); err != nil {
		return nil, notUnderstood("%v: %v", FieldFiat, err)
	}
	list, _, err := readList(FieldPrices, path, func(text []byte) (*money.List, error) { return money.Read(text, fiat) })
	return list, err
}

// readList reads a list of the user's. The text is what was read.
func readList[L any](field Field, path string, read func([]byte) (*L, error)) (list *L, text []byte, err error) {
	if text, err = ReadSmallFile(path, maxListBytes); err == nil {
		list, err = read(text)
	}
	if err != nil {
		return nil, nil, inFile(field, path, err)
	}
	return list, text, nil
}
