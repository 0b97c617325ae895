package journal

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
)

// Names are what addresses are called, and their asset accounts. The zero Names know
// nobody.
type Names struct {
	names  map[chain.Address]string
	assets map[chain.Address]Account
}

// Name is the name of an address, else the address.
func (n *Names) Name(a chain.Address) string {
	if name, ok := n.names[a]; ok {
		return name
	}
	return a.String()
}

// Label is the name of an address, where it has one.
func (n *Names) Label(a chain.Address) (string, bool) {
	name, ok := n.names[a]
	return name, ok
}

// Asset is the asset account of an address: Assets, and its name.
func (n *Names) Asset(a chain.Address) Account {
	if asset, ok := n.assets[a]; ok {
		return asset
	}
	return "Assets:" + Account(n.Name(a))
}

// assetRoots are what an account that has something lies below.
var assetRoots = []string{"Assets", "Liabilities"}

// ReadNames reads a CSV file of lines address,name and, where it is not to be
// Assets:<name>, the asset account. A first line that begins with "address" is its
// header, and a line that begins with # a comment. The error has all that is wrong, with
// the lines.
func ReadNames(text []byte) (*Names, error) {
	n := &Names{map[chain.Address]string{}, map[chain.Address]Account{}}
	addressLines, nameLines := map[chain.Address]int{}, map[string]int{}
	err := readLines(text, "address", "address,name or address,name,asset account", 2, 3, func(line int, fields []string) error {
		address, err := chain.ParseAddress(fields[0])
		if err != nil {
			return err
		}
		if other, twice := addressLines[address]; twice {
			return fmt.Errorf("%v is on line %d too", address, other)
		}
		addressLines[address] = line
		name := cleanName(fields[1])
		if name == "" {
			return fmt.Errorf("%q: a name needs a letter or a digit", fields[1])
		}
		if _, err := chain.ParseAddress(name); err == nil {
			return fmt.Errorf("%q: an address is no name", name)
		}
		if other, twice := nameLines[name]; twice {
			return fmt.Errorf("%q is the name on line %d too", name, other)
		}
		nameLines[name] = line
		n.names[address] = name
		if len(fields) == 3 && fields[2] != "" {
			n.assets[address], err = parseAsset(fields[2])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return n, nil
}

func parseAsset(text string) (Account, error) {
	parts := strings.Split(text, ":")
	if len(parts) < 2 || !slices.Contains(assetRoots, parts[0]) {
		return "", fmt.Errorf("%q: want an account below %s, such as Assets:Wallet", text, strings.Join(assetRoots, " or "))
	}
	for i := range parts {
		if parts[i] = cleanName(parts[i]); parts[i] == "" {
			return "", fmt.Errorf("%q: each part of an account needs a letter or a digit", text)
		}
	}
	return Account(strings.Join(parts, ":")), nil
}

// mostWrongLines is how many lines an error has: more do not help.
const mostWrongLines = 100

// readLines reads the lines of a CSV file, and returns all that is wrong.
func readLines(text []byte, header, want string, least, most int, each func(line int, fields []string) error) error {
	in := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	in.FieldsPerRecord, in.Comment, in.TrimLeadingSpace, in.ReuseRecord = -1, '#', true, true
	var wrong []error
	for first := true; ; first = false {
		fields, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil { // it names the line, and what follows cannot be told apart
			wrong = append(wrong, err)
			break
		}
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		if first && strings.EqualFold(fields[0], header) {
			continue
		}
		line, _ := in.FieldPos(0)
		if len(fields) < least || len(fields) > most {
			err = fmt.Errorf("%d fields, want %s", len(fields), want)
		} else {
			err = each(line, fields)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("line %d: %w", line, err))
		}
		if len(wrong) == mostWrongLines {
			wrong = append(wrong, errors.New("and perhaps more"))
			break
		}
	}
	return errors.Join(wrong...)
}
