package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/feeledger/fees/chain"
)

const (
	// accountsUsage is what --accounts takes, after who they are.
	accountsUsage = ": addresses, or files with one at the beginning of each line; with commas between, or once for each"
	// mostListBytes is what a list of the user's may have.
	mostListBytes = 16 << 20
	// mostAccounts is how many accounts are asked about at most: each is a question to
	// the ledger.
	mostAccounts = 10_000
	// mostWrongAccounts is how many of those that are none are told: more do not help.
	mostWrongAccounts = 100
)

// accountList collects accounts, each once, and what is none.
type accountList struct {
	accounts []chain.Address
	seen     map[chain.Address]bool
	wrong    []error
}

// readAccounts reads what --accounts says: addresses, and files of them.
func readAccounts(flag []string) ([]chain.Address, error) {
	var l accountList
	l.addFlag(flag)
	return l.all()
}

func (l *accountList) addFlag(flag []string) {
	for _, text := range flag {
		if text = strings.TrimSpace(text); isAddress(text) {
			l.add("--accounts: ", text)
		} else if err := l.addFile(text); err != nil {
			l.wrong = append(l.wrong, fmt.Errorf("--accounts: %w", err))
		}
	}
}

// isAddress tells whether a text is meant to be an address, and not a file's name.
func isAddress(text string) bool { return strings.HasPrefix(text, "0x") }

func (l *accountList) add(where, text string) {
	account, err := chain.ParseAddress(text)
	switch {
	case err != nil:
		l.wrong = append(l.wrong, fmt.Errorf("%s%w", where, err))
	case !l.seen[account]:
		if l.seen == nil {
			l.seen = map[chain.Address]bool{}
		}
		l.seen[account] = true
		l.accounts = append(l.accounts, account)
	}
}

// addFile adds what stands in a file at the beginning of each line, before a comma, so
// that a file of names is one of accounts too. A first line "address" is its header, and
// a line that begins with # a remark.
func (l *accountList) addFile(path string) error {
	content, err := readSmallFile(path, mostListBytes)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s is neither an address of 0x and 40 hex digits nor a file", path)
	}
	if err != nil {
		return err
	}
	line, empty := 0, true
	for text := range strings.Lines(strings.TrimPrefix(string(content), "\ufeff")) {
		line++
		field, _, _ := strings.Cut(text, ",")
		field = strings.TrimSpace(field)
		if field == "" || field[0] == '#' || line == 1 && strings.EqualFold(field, "address") {
			continue
		}
		l.add(fmt.Sprintf("--accounts %s, line %d: ", path, line), field)
		empty = false
	}
	if empty {
		return fmt.Errorf("%s has no address", path)
	}
	return nil
}

// all are the accounts, or all that is wrong.
func (l *accountList) all() ([]chain.Address, error) {
	switch {
	case len(l.wrong) > 0:
		return nil, errors.Join(l.wrong[:min(len(l.wrong), mostWrongAccounts)]...)
	case len(l.accounts) > mostAccounts:
		return nil, fmt.Errorf("%d accounts: want at most %d", len(l.accounts), mostAccounts)
	}
	return l.accounts, nil
}
