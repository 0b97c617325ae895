package app

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/sys/disk"
)

// PricesInput names price files and states how they are read.
type PricesInput struct {
	Files     []string // FILE, or PAIR=FILE such as GLMR/USD=history.csv; none for no amounts in a currency
	Fiat      string   // the currency of the values; "" if the files allow only one
	LastKnown bool     // use the last price of at most seven days before where a day has none
	Columns   []string // FIELD=NAME, for files in no known format
	symbol    string   // of the token, where the files have prices of several; "" for the only one
	stored    []string // the files as the user named them, where a package stores them under other names
}

// ReadPrices reads price files; it returns nil for none. Errors are of type [InputError].
func ReadPrices(in PricesInput) (*money.List, error) {
	list, _, err := in.read()
	return list, err
}

// ReadPricesOf reads the prices of several tokens, all in one currency; nil for none. A token that is not known, the zero
// value, has none, and may be that of any file. Errors are of type [InputError].
func ReadPricesOf(in PricesInput, tokens []console.Token) (lists []*money.List, err error) {
	used, known := map[money.Origin]bool{}, true
	var first *money.List
	for _, token := range tokens {
		if token == (console.Token{}) {
			lists, known = append(lists, nil), false
			continue
		}
		in.symbol = token.Symbol
		list, err := ReadPrices(in)
		if err != nil {
			return nil, err
		}
		if lists = append(lists, list); list == nil {
			continue
		}
		if first == nil {
			first = list
		}
		if list.Currency != first.Currency {
			return nil, notUnderstood("%v: values can be in %s and in %s. Choose one with %v", FieldPrices, first.Currency, list.Currency, FieldFiat)
		}
		for _, f := range list.Files {
			used[money.Origin{File: f.File, SHA256: f.SHA256}] = true
		}
	}
	if known && first != nil && len(used) < len(in.Files) {
		return nil, notUnderstood("%v: %d of %d files contain nothing that these tokens need. Leave them out", FieldPrices, len(in.Files)-len(used), len(in.Files))
	}
	return lists, nil
}

// Of returns the files of the input that a list is from; none for nil. Files in several directories may have the same name.
func (in *PricesInput) Of(list *money.List) (files []string, err error) {
	if list == nil {
		return nil, nil
	}
	for _, text := range in.Files {
		path, pair := SplitPair(text)
		sum, err := disk.Sum(path)
		if err != nil {
			return nil, inFile(FieldPrices, path, err)
		}
		if slices.ContainsFunc(list.Files, func(f *money.Origin) bool {
			return f.File == filepath.Base(path) && f.SHA256 == sum && (pair == money.Pair{} || f.Pair == pair.String())
		}) {
			files = append(files, text)
		}
	}
	return files, nil
}

// read returns the files, too.
func (in *PricesInput) read() (*money.List, []money.File, error) {
	if len(in.Files) == 0 {
		switch {
		case in.Fiat != "":
			return nil, nil, notUnderstood("%v and %v must be given together", FieldPrices, FieldFiat)
		case in.LastKnown:
			return nil, nil, notUnderstood("%v needs %v", FieldLastKnown, FieldPrices)
		case len(in.Columns) > 0:
			return nil, nil, notUnderstood("%v needs %v", FieldPriceMap, FieldPrices)
		}
		return nil, nil, nil
	}
	o := money.Options{Fiat: money.Currency(in.Fiat), Symbol: in.symbol, LastKnown: in.LastKnown, Columns: in.Columns}
	if in.Fiat != "" {
		if _, err := money.ParseCurrency(in.Fiat); err != nil {
			return nil, nil, notUnderstood("%v: %v", FieldFiat, err)
		}
	}
	var files []money.File
	for i, text := range in.Files {
		path, pair := SplitPair(text)
		name := path
		if in.stored != nil {
			name, pair = SplitPair(in.stored[i])
		}
		content, err := disk.ReadSmall(path, money.MaxFileBytes)
		if err != nil {
			return nil, nil, inFile(FieldPrices, path, err)
		}
		files = append(files, money.File{Name: filepath.Base(name), Pair: pair, Text: content})
	}
	list, err := money.ReadFiles(files, o)
	var one *money.FileError
	var mapped *money.MapError
	switch {
	case errors.As(err, &mapped):
		return nil, nil, notUnderstood("%v: %v", FieldPriceMap, mapped)
	case errors.As(err, &one):
		return nil, nil, inFile(FieldPrices, one.File, one.Err)
	case err != nil:
		return nil, nil, inFile(FieldPrices, strings.Join(in.Files, ","), err)
	}
	return list, files, nil
}

// SplitPair separates the pair in PAIR=FILE; without one, path is text.
func SplitPair(text string) (path string, pair money.Pair) {
	if stated, rest, ok := strings.Cut(text, "="); ok {
		if pair, err := money.ParsePair(stated); err == nil {
			return rest, pair
		}
	}
	return text, money.Pair{}
}

// pricesOf returns a list as the prices of the network's token. It rejects those of another token.
func pricesOf(token console.Token, list *money.List) (*money.List, error) {
	if list == nil {
		return nil, nil
	}
	symbol := token.Symbol
	if list.Token == "" || symbol == "" || strings.EqualFold(list.Token, symbol) {
		of := *list
		of.Unit = token
		return &of, nil
	}
	return nil, notUnderstood("%v: prices of %s, but the network's token is %s. If they are its prices, say so: %s/%s=FILE", FieldPrices, list.Token, symbol, symbol, list.Currency)
}

// kept returns what a manifest states about the files.
func (in *PricesInput) kept() *closing.Prices {
	if len(in.Files) == 0 {
		return nil
	}
	p := &closing.Prices{Currency: in.Fiat, LastKnown: in.LastKnown, Columns: in.Columns}
	for i, text := range in.Files {
		path, pair := SplitPair(text)
		name := filepath.Base(path)
		if pair != (money.Pair{}) {
			name = pair.String() + "=" + name
		}
		if i == 0 {
			p.Name = name
		} else {
			p.More = append(p.More, name)
		}
	}
	return p
}

// storedPrices returns the price files of a package; in returns the path of a file in it.
func storedPrices(p *closing.Prices, in func(string) string) PricesInput {
	input := PricesInput{Fiat: p.Currency, LastKnown: p.LastKnown, Columns: p.Columns, stored: append([]string{p.Name}, p.More...)}
	for i, name := range input.stored {
		input.Files = append(input.Files, in(priceFile(i, name)))
	}
	return input
}

// priceFile returns the path of a price file within a package.
func priceFile(i int, name string) string {
	end := ".csv"
	if strings.EqualFold(filepath.Ext(name), ".zip") {
		end = ".zip"
	}
	if i == 0 {
		return inputPrices + end
	}
	return fmt.Sprintf("%s-%d%s", inputPrices, i+1, end)
}

// makePrices stores the price files, as given, and reads them.
func (x *maker) makePrices() error {
	if x.manifest.Options.Prices == nil {
		return nil
	}
	list, files, err := x.inputs.Prices.read()
	if err != nil {
		return err
	}
	x.prices = list
	for i, f := range files {
		if err := x.addText(priceFile(i, f.Name), f.Text); err != nil {
			return err
		}
	}
	return nil
}
