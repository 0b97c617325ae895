package desk

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/feeledger/fees/journal"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/statement"
)

// What the files of a user may have.
const (
	maxTableBytes = 1 << 20 // far more than a table of every runtime needs
	maxListBytes  = 16 << 20
	maxLabelBytes = 64 << 20
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

// ReadTables returns the built-in tables, with those of a user's file; "" is none.
func ReadTables(path string) (network.Tables, error) {
	tables := network.BuiltIn()
	if path == "" {
		return tables, nil
	}
	content, err := ReadSmallFile(path, maxTableBytes)
	if err != nil {
		return tables, err
	}
	tables, err = tables.With(path, content)
	if err != nil {
		return tables, fmt.Errorf("%s: %w; fees networks --format json shows the form", path, err)
	}
	return tables, nil
}

// ReadNames reads a file of names for a journal; "" is none.
func ReadNames(path string) (*journal.Names, error) {
	if path == "" {
		return nil, nil
	}
	text, err := ReadSmallFile(path, maxListBytes)
	if err != nil {
		return nil, err
	}
	names, err := journal.ReadNames(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return names, nil
}

// ReadPrices reads a file of prices for a journal; "" is none.
func ReadPrices(path, fiat string) (*journal.Prices, error) {
	if path == "" {
		return nil, nil
	}
	text, err := ReadSmallFile(path, maxListBytes)
	if err != nil {
		return nil, err
	}
	prices, err := journal.ReadPrices(text, fiat)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return prices, nil
}

// ReadLabels reads a file of labels; "" is none.
func ReadLabels(path string) (statement.Labels, error) {
	if path == "" {
		return nil, nil
	}
	content, err := ReadSmallFile(path, maxLabelBytes)
	if err != nil {
		return nil, err
	}
	labels, err := statement.ReadLabels(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return labels, nil
}
