package main

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/reconcile"
)

// options are what the flags say, and the period that they name.
func (f *reconcileFlags) options(args []string) (o reconcile.Options, asked period, err error) {
	if err := f.output.check(); err != nil {
		return o, asked, err
	}
	if f.format == "xlsx" && f.output.file == "" {
		return o, asked, errors.New("--format xlsx is a file: name it with -o")
	}
	if asked, err = f.periodFlags.parse(args); err != nil {
		return o, asked, err
	}
	o = reconcile.Options{Sheet: f.sheet, Unit: reconcile.Unit(f.unit), DateFormat: f.dateFormat, Zone: asked.zone, Partial: f.partial}
	if !asked.all {
		o.Period = chain.Some(asked.asked)
	}
	if o.Separator, err = parseSeparator(f.separator); err != nil {
		return o, asked, err
	}
	if o.Decimal, err = oneCharacter("--decimal", f.decimal); err != nil {
		return o, asked, err
	}
	if f.thousands != "" {
		if o.Thousands, err = oneCharacter("--thousands", f.thousands); err != nil {
			return o, asked, err
		}
	}
	if o.Columns, err = parseColumns(f.columns); err != nil {
		return o, asked, err
	}
	if o.Tolerance, err = chain.ParseWei(f.tolerance); err != nil {
		return o, asked, fmt.Errorf("--tolerance: %w", err)
	}
	o.Accounts, err = readAccounts(f.accounts)
	return o, asked, err
}

func parseSeparator(text string) (rune, error) {
	switch text {
	case "":
		return 0, nil
	case ",", "comma":
		return ',', nil
	case ";", "semicolon":
		return ';', nil
	case "\t", "tab", `\t`:
		return '\t', nil
	}
	return 0, fmt.Errorf("--separator %q: want comma, semicolon or tab", text)
}

func oneCharacter(flag, text string) (rune, error) {
	r, size := utf8.DecodeRuneInString(text)
	if size == 0 || size != len(text) {
		return 0, fmt.Errorf("%s %q: want one character", flag, text)
	}
	return r, nil
}

// parseColumns reads FIELD=NAME, one for each.
func parseColumns(list []string) (map[reconcile.Field]string, error) {
	columns := map[reconcile.Field]string{}
	for _, text := range list {
		field, name, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--map %q: want a field and the name of its column, such as fee=Cost", text)
		}
		key := reconcile.Field(strings.TrimSpace(field))
		if _, twice := columns[key]; twice {
			return nil, fmt.Errorf("--map: %s is there twice", key)
		}
		columns[key] = name
	}
	return columns, nil
}
