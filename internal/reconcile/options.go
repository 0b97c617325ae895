package reconcile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
)

// Unit is what the file's amounts count.
type Unit string

const (
	Wei   Unit = "wei"
	Gwei  Unit = "gwei"  // of 10^9 wei
	Token Unit = "token" // of 10^18 wei
)

// places is how many decimals an amount can have.
func (u Unit) places() int {
	switch u {
	case Token:
		return 18
	case Gwei:
		return 9
	}
	return 0
}

// Options say how a file is read, and what it is compared with. The zero value reads
// a file that says all of it itself, and compares its rows with the whole ledger.
type Options struct {
	Separator  rune             // of csv: a comma, semicolon, tab or pipe; 0 where the header tells
	Encoding   Encoding         // of csv: UTF8 or Windows1252; "" is UTF-16 where the file's mark says so, or else UTF-8
	Sheet      string           // of xlsx; "" is the first that is visible
	Columns    map[Field]string // names of columns; "" where the file has none; fields that are not here are found by their usual names
	HeaderRow  int              // the line of the header; 0 is the first that names a fee and a transaction
	SkipRows   []int            // lines that are passed over, whatever is in them
	Unit       Unit             // of the fees; "" where the column's name says it, or each amount
	Negative   bool             // fees are written as negative amounts
	Symbol     string           // of the network's token, as in "Fee (GLMR)"
	Decimal    rune             // the decimal separator; 0 is the point
	Thousands  rune             // 0 is none
	DateFormat string           // such as dd.mm.yyyy; "" is RFC 3339 or 2006-01-02, with a time of day after a space or without
	Zone       *time.Location   // of dates without one, and of Excel's; nil is UTC

	Labels    *addressbook.Book             // what addresses are called; nil is not known
	Accounts  []chain.Address               // the company's: what they paid for is looked for in the file
	RowsOnly  bool                          // what no row names is not looked for
	Period    chain.Optional[ledger.Period] // that the file is of; all that is sealed where it is not known
	Tolerance chain.Wei                     // differences up to this are WithinTolerance
	Prices    *money.List                   // what the amounts were worth; nil values nothing
	// ToleranceSymbol is the token in which the tolerance was named, "" where it was wei, Gwei or
	// just the token. It must be the Symbol.
	ToleranceSymbol string
	Partial         bool // also where the ledger does not cover the period
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
	case o.Unit != "" && o.Unit != Wei && o.Unit != Gwei && o.Unit != Token:
		return o, fmt.Errorf("--unit %q: want wei, gwei or token", o.Unit)
	case o.Encoding != "" && o.Encoding != UTF8 && o.Encoding != Windows1252:
		return o, fmt.Errorf("--encoding %q: want utf-8 or windows-1252; UTF-16 is known by its mark", o.Encoding)
	case o.HeaderRow < 0 || o.HeaderRow > mostRows:
		return o, fmt.Errorf("--header-row %d: rows are counted from 1 to %d", o.HeaderRow, mostRows)
	case len(o.SkipRows) > mostSkipped:
		return o, fmt.Errorf("--skip-rows: %d rows, and %d at most can be passed over", len(o.SkipRows), mostSkipped)
	case o.HeaderRow > 0 && slices.Contains(o.SkipRows, o.HeaderRow):
		return o, fmt.Errorf("--header-row %d is among those of --skip-rows", o.HeaderRow)
	case o.ToleranceSymbol != "" && o.Symbol != "" && !strings.EqualFold(o.ToleranceSymbol, o.Symbol):
		return o, fmt.Errorf("--tolerance is in %s, and the token is %s", shownName(o.ToleranceSymbol), o.Symbol)
	case o.Separator != 0 && !strings.ContainsRune(separators, o.Separator):
		return o, fmt.Errorf("--separator %q: want a comma, a semicolon, a tab or a pipe", o.Separator)
	case o.Decimal != '.' && o.Decimal != ',':
		return o, fmt.Errorf("--decimal %q: want a point or a comma", o.Decimal)
	case o.Thousands == o.Decimal:
		return o, errors.New("--decimal and --thousands are the same")
	case unicode.IsDigit(o.Thousands) || unicode.IsLetter(o.Thousands) || o.Thousands == '-' || o.Thousands == '+' || o.Thousands == utf8.RuneError:
		return o, fmt.Errorf("--thousands %q: want a comma, a point, an apostrophe or a space", o.Thousands)
	}
	for field := range o.Columns {
		if !field.known() {
			return o, fmt.Errorf("--map: no field %q: there are %s", field, fieldNames())
		}
	}
	for _, n := range o.SkipRows {
		if n < 1 || n > mostRows+1 {
			return o, fmt.Errorf("--skip-rows %d: rows are counted from 1 to %d", n, mostRows+1)
		}
	}
	_, err := newDateReader(o.DateFormat, o.Zone)
	return o, err
}

// mostSkipped is how many rows can be named as those that are passed over.
const mostSkipped = 1000
