package statement

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/feeledger/fees/chain"
)

// Labels are names for addresses.
type Labels map[chain.Address]string

// What a file of labels may have.
const (
	mostLabelBytes = 200
	mostLabels     = 1_000_000
	mostErrors     = 100 // are told
)

// ReadLabels reads a CSV of lines address,label. A first line "address,label", empty
// lines, and lines that begin with # are passed over. All that is wrong is told at
// once, each with its line. A label may hold anything that is text: what writes it has
// to make it safe.
func ReadLabels(r io.Reader) (Labels, error) {
	labels := Labels{}
	lineOf := map[chain.Address]int{}
	var wrong []error
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		line := bytes.TrimPrefix(bytes.TrimSpace(lines.Bytes()), []byte("\ufeff"))
		if len(line) == 0 || line[0] == '#' || number == 1 && strings.EqualFold(string(line), "address,label") {
			continue
		}
		account, label, err := readLabel(line)
		if before, known := lineOf[account]; err == nil && known && labels[account] != label {
			err = fmt.Errorf("%v is %q in line %d", account, labels[account], before)
		}
		if err != nil {
			if wrong = append(wrong, fmt.Errorf("line %d: %w", number, err)); len(wrong) == mostErrors {
				return nil, errors.Join(append(wrong, errors.New("and perhaps more"))...)
			}
			continue
		}
		labels[account], lineOf[account] = label, number
		if len(labels) > mostLabels {
			return nil, fmt.Errorf("line %d: more than %d labels", number, mostLabels)
		}
	}
	if err := lines.Err(); err != nil {
		wrong = append(wrong, err)
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return labels, nil
}

// readLabel reads a line. A quoted label does not go on in the next line.
func readLabel(line []byte) (account chain.Address, label string, err error) {
	reader := csv.NewReader(bytes.NewReader(line))
	reader.FieldsPerRecord, reader.TrimLeadingSpace = -1, true
	fields, err := reader.Read()
	var form *csv.ParseError
	switch {
	case errors.As(err, &form):
		return account, "", form.Err
	case err != nil:
		return account, "", err
	case len(fields) != 2:
		return account, "", fmt.Errorf("have %d fields, want address,label", len(fields))
	}
	if account, err = chain.ParseAddress(strings.TrimSpace(fields[0])); err != nil {
		return account, "", err
	}
	switch label = strings.TrimSpace(fields[1]); {
	case label == "":
		return account, "", errors.New("the label is empty")
	case len(label) > mostLabelBytes:
		return account, "", fmt.Errorf("the label has %d bytes, want at most %d", len(label), mostLabelBytes)
	case !utf8.ValidString(label):
		return account, "", errors.New("the label is no UTF-8")
	}
	return account, label, nil
}

// of is an address's label, where there is one.
func (l Labels) of(account chain.Address) (none chain.Optional[string]) {
	if label, ok := l[account]; ok {
		return chain.Some(label)
	}
	return none
}
