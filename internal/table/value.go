package table

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
)

// The converted values of a row are nil or: string, Worded or worth (Text), integer,
// chain.SignedWei (Wei and SignedWei), chain.TokenAmount, chain.GasPrice,
// chain.Time, date, chain.Hash, account, bool, money.Amount, unknownAmount, percent.

// unknownAmount is an unknown amount of a currency, which makes the total unknown.
type unknownAmount struct{}

// String returns "".
func (unknownAmount) String() string { return "" }

// worth is an amount of a currency that another column names: a number in XLSX only.
type worth struct{ money.Amount }

// percentDecimals is the number of decimals of a percentage.
const percentDecimals = 2

// percent is a decimal number with percentDecimals decimals.
type percent string

var percentForm = regexp.MustCompile(`^-?[0-9]+\.[0-9]{2}$`)

// integer is a whole number in decimal digits, with an optional minus.
type integer string

// int64 returns the number, and whether it fits in an int64.
func (n integer) int64() (int64, bool) {
	value, err := strconv.ParseInt(string(n), 10, 64)
	return value, err == nil
}

// date is the start of a UTC day.
type date struct{ start time.Time }

func (d date) String() string { return d.start.Format(time.DateOnly) }

// account is the text of an account, in the form of its network.
type account string

func (a account) String() string { return string(a) }

// value converts a value of a column.
func (s *Sheet) value(k Kind, value any) (any, error) {
	read, err := k.read(value)
	if a, ok := read.(chain.Address); ok {
		return account(s.Account(a)), err
	}
	return read, err
}

// read converts a value of the kind.
func (k Kind) read(value any) (any, error) {
	if amount, ok := value.(chain.Optional[money.Amount]); ok && k == Fiat && !amount.Known() {
		return unknownAmount{}, nil
	}
	value, known := unwrap(value)
	if !known {
		return nil, nil
	}
	fits := false // as it is
	switch v := value.(type) {
	case string:
		switch k {
		case Text:
			return v, nil
		case Date:
			return readDate(v)
		case Percent:
			if percentForm.MatchString(v) {
				return percent(v), nil
			}
		}
	case chain.Time:
		if k == Date {
			return date{v.Std().Truncate(24 * time.Hour)}, nil
		}
		fits = k == Time
	case chain.Wei:
		if k == Wei || k == SignedWei {
			return v.Signed(), nil
		}
	case Worded:
		if k == Text && v.String() == "" {
			return nil, nil
		}
		fits = k == Text
	case int, int64, uint64, chain.Gas, chain.Nonce, chain.RefTime:
		if k == Integer {
			return integer(exact(v)), nil
		}
	case money.Amount:
		if k == Text {
			return worth{v}, nil
		}
		fits = k == Fiat
	case chain.SignedWei:
		fits = k == SignedWei
	case chain.TokenAmount:
		fits = k == TokenAmount
	case chain.GasPrice:
		fits = k == GasPrice
	case chain.Hash:
		fits = k == Hash
	case chain.Address:
		fits = k == Address
	case bool:
		fits = k == Boolean
	}
	if fits {
		return value, nil
	}
	return nil, fmt.Errorf("a value of type %T is not of kind %v", value, k)
}

// OrNull returns a cell with text, or an empty one.
func OrNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// Worded is text of a fixed vocabulary that people read in other words. String returns it for programs.
type Worded interface {
	fmt.Stringer
	Words() string
}

// unwrap returns the value of an Optional, or the value itself, and whether there is one.
func unwrap(value any) (any, bool) {
	switch v := value.(type) {
	case nil:
		return nil, false
	case chain.Optional[string]:
		return v.Get()
	case chain.Optional[int]:
		return v.Get()
	case chain.Optional[int64]:
		return v.Get()
	case chain.Optional[uint64]:
		return v.Get()
	case chain.Optional[chain.Gas]:
		return v.Get()
	case chain.Optional[chain.Nonce]:
		return v.Get()
	case chain.Optional[chain.RefTime]:
		return v.Get()
	case chain.Optional[chain.Wei]:
		return v.Get()
	case chain.Optional[chain.SignedWei]:
		return v.Get()
	case chain.Optional[chain.TokenAmount]:
		return v.Get()
	case chain.Optional[chain.GasPrice]:
		return v.Get()
	case chain.Optional[chain.Time]:
		return v.Get()
	case chain.Optional[chain.Hash]:
		return v.Get()
	case chain.Optional[chain.Address]:
		return v.Get()
	case chain.Optional[bool]:
		return v.Get()
	case chain.Optional[money.Amount]:
		return v.Get()
	}
	return value, true
}

func readDate(text string) (any, error) {
	start, err := time.Parse(time.DateOnly, text)
	if err != nil || start.Year() < 1970 {
		return nil, fmt.Errorf("%q is not a date such as 2024-01-31, from 1970 on", text)
	}
	return date{start}, nil
}

// exact returns a value as exact text: amounts in their smallest unit, times in RFC 3339, text unchanged.
func exact(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case integer:
		return string(v)
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case uint64:
		return strconv.FormatUint(v, 10)
	case fmt.Stringer:
		return v.String()
	}
	return fmt.Sprint(value)
}
