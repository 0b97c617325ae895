package reconcile

import (
	"errors"
	"fmt"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/ledger"
)

// Unit is what the file's amounts count.
type Unit string

const (
	Wei   Unit = "wei"
	Token Unit = "token" // of 10^18 wei
)

// places is how many decimals an amount can have.
func (u Unit) places() int {
	if u == Token {
		return 18
	}
	return 0
}

// Options say how a file is read, and what it is compared with. The zero value reads
// a file that says all of it itself, and compares its rows with the whole ledger.
type Options struct {
	Separator  rune             // of csv: a comma, semicolon or tab; 0 where the header tells
	Sheet      string           // of xlsx; "" is the first that is visible
	Columns    map[Field]string // names of columns; "" where the file has none; fields that are not here are found by their usual names
	Unit       Unit             // of the fees; "" where the column's name says it
	Symbol     string           // of the network's token, as in "Fee (GLMR)"
	Decimal    rune             // the decimal separator; 0 is the point
	Thousands  rune             // 0 is none
	DateFormat string           // such as dd.mm.yyyy; "" is RFC 3339 or 2006-01-02, with a time of day after a space or without
	Zone       *time.Location   // of dates without one, and of Excel's; nil is UTC

	Accounts  []chain.Address               // the company's: what they paid for is looked for in the file
	Period    chain.Optional[ledger.Period] // that the file is of; all that is sealed where it is not known
	Tolerance chain.Wei                     // differences up to this are none
	Partial   bool                          // also where the ledger does not cover the period
}

// checked are the options with their defaults.
func (o Options) checked() (Options, error) {
	if o.Decimal == 0 {
		o.Decimal = '.'
	}
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	switch {
	case o.Unit != "" && o.Unit != Wei && o.Unit != Token:
		return o, fmt.Errorf("unit %q: want wei or token", o.Unit)
	case o.Separator != 0 && o.Separator != ',' && o.Separator != ';' && o.Separator != '\t':
		return o, fmt.Errorf("separator %q: want a comma, a semicolon or a tab", o.Separator)
	case o.Decimal != '.' && o.Decimal != ',':
		return o, fmt.Errorf("decimal separator %q: want a point or a comma", o.Decimal)
	case o.Thousands == o.Decimal:
		return o, errors.New("the decimal separator and that of thousands are the same")
	case unicode.IsDigit(o.Thousands) || unicode.IsLetter(o.Thousands) || o.Thousands == '-' || o.Thousands == '+' || o.Thousands == utf8.RuneError:
		return o, fmt.Errorf("separator of thousands %q: want a comma, a point, an apostrophe or a space", o.Thousands)
	}
	for field := range o.Columns {
		if !field.known() {
			return o, fmt.Errorf("no field %q: there are %s", field, fieldNames())
		}
	}
	_, err := dateLayouts(o.DateFormat)
	return o, err
}
