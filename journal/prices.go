package journal

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Prices are what one token cost on the days that a journal has, in a currency.
type Prices struct {
	Fiat string // such as EUR
	days map[string]string
}

var (
	fiatForm  = regexp.MustCompile(`^[A-Z]{3,5}$`)
	priceForm = regexp.MustCompile(`^[0-9]{1,12}(\.[0-9]{1,18})?$`)
)

// ReadPrices reads a CSV file of lines date,price: a day such as 2026-01-31, and what
// one token cost on it. A first line that begins with "date" is its header, and a line
// that begins with # a comment. The error has all that is wrong, with the lines.
func ReadPrices(text []byte, fiat string) (*Prices, error) {
	if !fiatForm.MatchString(fiat) {
		return nil, fmt.Errorf("currency %q: want 3 to 5 capital letters, such as EUR", fiat)
	}
	p := &Prices{fiat, map[string]string{}}
	lines := map[string]int{}
	err := readLines(text, "date", "date,price", 2, 2, func(line int, fields []string) error {
		day, price := fields[0], fields[1]
		if _, err := time.Parse(time.DateOnly, day); err != nil {
			return fmt.Errorf("%q: want a day such as 2026-01-31", day)
		}
		if other, twice := lines[day]; twice {
			return fmt.Errorf("%s is on line %d too", day, other)
		}
		if lines[day] = line; !priceForm.MatchString(price) {
			return fmt.Errorf("%q: want a price such as 0.1234, of at most 18 decimals", price)
		}
		p.days[day] = price
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// mostDaysNamed is how many missing days an error names.
const mostDaysNamed = 40

// check wants a price for each day.
func (p *Prices) check(days []string) error {
	if p == nil {
		return nil
	}
	var missing []string
	for _, day := range days {
		if p.days[day] == "" {
			missing = append(missing, day)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	more := ""
	if len(missing) > mostDaysNamed {
		more = fmt.Sprintf(", and %d more days", len(missing)-mostDaysNamed)
		missing = missing[:mostDaysNamed]
	}
	return errors.New("there is no price for " + strings.Join(missing, ", ") + more)
}
