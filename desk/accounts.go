package desk

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/statement"
)

const (
	// maxAccounts is how many accounts are asked about at most: each is a question to
	// the ledger.
	maxAccounts = 10_000
	// maxWrongAccounts is how many of those that are none are told: more do not help.
	maxWrongAccounts = 100
)

// accountList collects accounts, each once, with their labels, and what is none.
type accountList struct {
	accounts []chain.Address
	labels   statement.Labels
	seen     map[chain.Address]bool
	wrong    []error
}

// ReadAccounts reads a list of addresses, and of files of them. A file has an address at the
// beginning of each line, and perhaps its label after a comma. A first line "address" is its
// header, and a line that begins with # a remark.
func ReadAccounts(list []string) ([]chain.Address, statement.Labels, error) {
	l := accountList{labels: statement.Labels{}, seen: map[chain.Address]bool{}}
	for _, text := range list {
		if text = strings.TrimSpace(text); IsAddress(text) {
			l.add("", text, "")
		} else if err := l.addFile(text); err != nil {
			l.wrong = append(l.wrong, at(FieldAccounts, err))
		}
	}
	switch {
	case len(l.wrong) > 0:
		return nil, nil, errors.Join(l.wrong[:min(len(l.wrong), maxWrongAccounts)]...)
	case len(l.accounts) > maxAccounts:
		return nil, nil, notUnderstood("%d accounts: want at most %d", len(l.accounts), maxAccounts)
	}
	return l.accounts, l.labels, nil
}

// IsAddress tells whether a text is meant to be an address, and not a file's name.
func IsAddress(text string) bool { return strings.HasPrefix(text, "0x") }

func (l *accountList) add(where, text, label string) {
	account, err := chain.ParseAddress(text)
	if err != nil {
		l.wrong = append(l.wrong, notUnderstood("%v%s: %v", FieldAccounts, where, err))
		return
	}
	if !l.seen[account] {
		l.seen[account] = true
		l.accounts = append(l.accounts, account)
	}
	if label != "" && l.labels[account] == "" {
		l.labels[account] = label
	}
}

func (l *accountList) addFile(path string) error {
	content, err := ReadSmallFile(path, maxListBytes)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s is neither an address of 0x and 40 hex digits nor a file", path)
	}
	if err != nil {
		return err
	}
	line, empty := 0, true
	for text := range strings.Lines(strings.TrimPrefix(string(content), "\ufeff")) {
		line++
		field, rest, _ := strings.Cut(text, ",")
		field = strings.TrimSpace(field)
		if field == "" || field[0] == '#' || line == 1 && strings.EqualFold(field, "address") {
			continue
		}
		l.add(fmt.Sprintf(" %s, line %d", path, line), field, firstField(rest))
		empty = false
	}
	if empty {
		return fmt.Errorf("%s has no address", path)
	}
	return nil
}

// firstField is the first field of a line of csv, as it may be shown.
func firstField(line string) string {
	fields, err := csv.NewReader(strings.NewReader(line)).Read()
	if err != nil || len(fields) == 0 {
		return ""
	}
	return console.Printable(strings.TrimSpace(fields[0]))
}
