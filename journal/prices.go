package journal

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
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
	in := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	in.FieldsPerRecord, in.Comment, in.TrimLeadingSpace, in.ReuseRecord = -1, '#', true, true
	var wrong wrongLines
	for first, enough := true, false; !enough; first = false {
		fields, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil { // it names the line, and what follows cannot be told apart
			wrong = append(wrong, err)
			break
		}
		if line, _ := in.FieldPos(0); !first || !strings.EqualFold(strings.TrimSpace(fields[0]), "date") {
			enough = wrong.add(line, p.add(line, fields, lines))
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return p, nil
}

// add takes a line. The lines are those of the days so far.
func (p *Prices) add(line int, fields []string, lines map[string]int) error {
	if len(fields) != 2 {
		return fmt.Errorf("%d fields, want date,price", len(fields))
	}
	day, price := strings.TrimSpace(fields[0]), strings.TrimSpace(fields[1])
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
}

// maxDaysNamed is how many missing days an error names.
const maxDaysNamed = 40

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
	if len(missing) > maxDaysNamed {
		more = fmt.Sprintf(", and %d more days", len(missing)-maxDaysNamed)
		missing = missing[:maxDaysNamed]
	}
	return errors.New("there is no price for " + strings.Join(missing, ", ") + more)
}
