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
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
)

// Unit is the unit of the file's amounts.
type Unit string

const (
	Wei   Unit = "wei"   // the token's smallest unit
	Gwei  Unit = "gwei"  // 10^9 wei, of a token with 18 decimals
	Token Unit = "token" // such as 10^18 wei
	// EVMWei is a token's 10^-18, as Ethereum's tools count whatever decimals the token has. What is less than the
	// smallest unit is cut off: no fee contains it.
	EVMWei Unit = "evm-wei"
)

// units are the units that people can name.
var units = []Unit{Wei, Gwei, Token, EVMWei}

// places returns the number of decimals that an amount can have.
func (u Unit) places(token console.Token) int {
	power, _ := u.power()
	switch {
	case u.isToken():
		return token.Places() + power
	case u == Gwei:
		return console.GweiDecimals
	case u == EVMWei:
		return token.Places() - console.TokenDecimals
	}
	return 0
}

// fromEVM returns an amount of [EVMWei] in the token's smallest unit.
func fromEVM(amount chain.Wei, token console.Token) (chain.Wei, error) {
	power := EVMWei.places(token)
	for range max(-power, power) { // a few
		if power < 0 {
			amount = amount.DivFloor(10)
			continue
		}
		var err error
		if amount, err = amount.Times(10); err != nil {
			return amount, err
		}
	}
	return amount, nil
}

// errGwei reports a unit that other tokens lack.
var errGwei = fmt.Errorf("is in gwei, which only tokens with %d decimals have; use wei, the smallest unit, or token", console.TokenDecimals)

// fits reports whether a token has the unit.
func (u Unit) fits(token console.Token) bool {
	return u == EVMWei || u != Gwei && u.places(token) >= 0 || u == Gwei && token.Places() == console.TokenDecimals
}

// Options control how a file is read and what it is compared with. The zero value reads a file that states
// everything itself, and compares its rows with the whole ledger.
type Options struct {
	Separator  rune                   // of csv: comma, semicolon, tab or pipe; 0 detects it
	Encoding   Encoding               // of csv: UTF8 or Windows1252; "" means UTF-16 if the byte order mark says so, otherwise UTF-8
	Sheet      string                 // of xlsx; "" means the first visible sheet
	Columns    map[Field]string       // column names; "" if the file has no such column; other fields are found by their usual names
	HeaderRow  int                    // line of the header; 0 means the first line that names a fee and a transaction
	SkipRows   []int                  // lines to skip
	Unit       Unit                   // of the fees; "" if the column name or each amount states it
	Negative   bool                   // fees are written as negative amounts
	Symbol     string                 // of the network's token, as in "Fee (GLMR)"
	Decimals   int                    // of the network's token; 0 stands for 18
	ShortName  string                 // of the network, before addresses (EIP-3770); "" if unknown
	SS58Prefix chain.Optional[uint16] // of the network's accounts of 32 bytes
	Decimal    rune                   // decimal separator; 0 means the point
	Thousands  rune                   // separator of thousands; 0 means none
	DateFormat string                 // such as dd.mm.yyyy; "" means the usual unambiguous formats
	Zone       *time.Location         // for dates without a zone and for Excel's dates; nil means UTC

	Profile     string     // name of the profile that reads the file; "" recognises it, NoProfile uses none
	Profiles    []*Profile // the user's own profiles, tried before the built-in ones
	CutDecimals int        // decimals of the token after which fees may be cut or rounded; 0 means none

	Labels    *addressbook.Book             // labels of addresses; may be nil
	Accounts  []chain.Address               // the company's accounts, whose payments must be in the file
	RowsOnly  bool                          // do not look for transactions that no row names
	Period    chain.Optional[ledger.Period] // period of the file; everything sealed if unknown
	Dated     chain.Optional[ledger.Period] // period in which rows must be dated, if Period is of heights
	Tolerance chain.Wei                     // differences up to this are WithinTolerance
	Prices    *money.List                   // prices for valuing the amounts; may be nil
	Values    bool                          // the record is in the currency of the prices; see [Options.InCurrency]
	// ToleranceSymbol is the token in which the tolerance was given, "" for wei, Gwei or an unnamed token.
	// It must equal Symbol.
	ToleranceSymbol string
	Accepted        []Acceptance // of differences, each at most once
	Partial         bool         // allow a period that the ledger does not cover

	// Compared, if not nil, is called with the number of rows compared so far. Scanned, if not nil, is called with how many of
	// the period's blocks were scanned for hashes that were not found, and with the number of those blocks.
	Compared func(rows uint64)
	Scanned  func(done, total uint64)

	isHeader     func(names []string) bool // recognises the header; nil is that of a record
	applied      *Profile                  // the profile that reads the file; nil means none
	unread       []string                  // quoted names of sheets with fees that were not read
	plain        bool                      // no row states another asset than the network's token
	alias        string                    // the file's own symbol for the network's token; "" if it is the network's
	fileDecimals int                       // the most frequent number of decimals of a fee in the file
	fileUnit     Unit                      // of the file's fees; "" if each amount states its own
	feeColumn    string                    // how a setting refers to the column of fees; "" without a file
}

// Token returns the network's token.
func (o *Options) Token() console.Token {
	return console.Token{Symbol: o.Symbol, Decimals: o.Decimals, SS58Prefix: o.SS58Prefix}
}

// checked returns the validated options with their defaults.
func (o Options) checked() (Options, error) {
	if o.Decimal == 0 {
		o.Decimal = '.'
	}
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	switch {
	case o.Unit != "" && !slices.Contains(units, o.Unit):
		return o, fmt.Errorf("--unit %q must be wei, gwei, token or evm-wei", o.Unit)
	case !o.Unit.fits(o.Token()):
		return o, fmt.Errorf("--unit %s: %s has %d decimals; use wei, its smallest unit, or token", o.Unit, shownName(o.Symbol), o.Decimals)
	case o.Encoding != "" && o.Encoding != UTF8 && o.Encoding != Windows1252:
		return o, fmt.Errorf("--encoding %q must be utf-8 or windows-1252; UTF-16 is detected", o.Encoding)
	case o.HeaderRow < 0 || o.HeaderRow > maxRows:
		return o, fmt.Errorf("--header-row %d must be between 1 and %d", o.HeaderRow, maxRows)
	case len(o.SkipRows) > maxSkipped:
		return o, fmt.Errorf("--skip-rows lists %d rows; at most %d are allowed", len(o.SkipRows), maxSkipped)
	case o.HeaderRow > 0 && slices.Contains(o.SkipRows, o.HeaderRow):
		return o, fmt.Errorf("--header-row %d is also in --skip-rows", o.HeaderRow)
	case o.ToleranceSymbol != "" && o.Symbol != "" && !strings.EqualFold(o.ToleranceSymbol, o.Symbol):
		return o, fmt.Errorf("--tolerance is in %s, but the token is %s", shownName(o.ToleranceSymbol), o.Symbol)
	case o.CutDecimals < 0 || o.CutDecimals > o.maxCut():
		return o, fmt.Errorf("--cut-decimals %d must be between 1 and %d", o.CutDecimals, o.maxCut())
	case o.Profile != "" && o.Profile != NoProfile && o.findProfile(o.Profile) == nil:
		return o, fmt.Errorf("--profile %q is unknown. List the profiles with \"fees reconcile --profiles\"", o.Profile)
	case o.Separator != 0 && !strings.ContainsRune(separators, o.Separator):
		return o, fmt.Errorf("--separator %q must be a comma, semicolon, tab or pipe", o.Separator)
	case o.Decimal != '.' && o.Decimal != ',':
		return o, fmt.Errorf("--decimal %q must be a point or a comma", o.Decimal)
	case o.Thousands == o.Decimal:
		return o, errors.New("--decimal and --thousands are the same")
	case unicode.IsDigit(o.Thousands) || unicode.IsLetter(o.Thousands) || o.Thousands == '-' || o.Thousands == '+' || o.Thousands == utf8.RuneError:
		return o, fmt.Errorf("--thousands %q must be a comma, point, apostrophe or space", o.Thousands)
	}
	for field := range o.Columns {
		if !field.known() {
			return o, fmt.Errorf("--map: unknown field %q; the fields are %s", field, fieldNames())
		}
	}
	for _, n := range o.SkipRows {
		if n < 1 || n > maxRows+1 {
			return o, fmt.Errorf("--skip-rows %d must be between 1 and %d", n, maxRows+1)
		}
	}
	_, err := newDateReader(o.DateFormat, o.Zone)
	return o, err
}

// maxSkipped is the maximum number of rows in --skip-rows.
const maxSkipped = 1000
