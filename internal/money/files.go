package money

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/feeledger/fees/internal/sys/csvlist"
)

// File is a price file as a user gives it.
type File struct {
	Name string // without directories; it may state the pair
	Pair Pair   // as the user states it, if at all
	Text []byte
}

// Limits of price files.
const (
	MaxFileBytes = 16 << 20
	MaxFiles     = 20
)

// Options state how price files are read.
type Options struct {
	Fiat      Currency // the currency of the values; "" if the files have prices in only one
	Symbol    string   // of the token, where files have prices of several tokens; "" for the only one
	LastKnown bool     // use the last price of at most seven days before where a day has none
	Columns   []string // of files in no known format: date=NAME, price=NAME, currency=NAME, date-format=FORM
}

// Origin describes a file that prices are from.
type Origin struct {
	File   string `json:"file"`
	Format string `json:"format"` // the product, or "price list" for our own form
	Pair   string `json:"pair"`   // such as GLMR/USD: USD for 1 GLMR
	Day    string `json:"day"`    // what the price of a day is
	SHA256 string `json:"sha256"`
}

// Read reads a price file in our own form for a currency. Prices in other currencies are checked too. The error lists
// everything that is wrong, with line numbers.
func Read(text []byte, currency string) (*List, error) {
	code, err := ParseCurrency(currency)
	if err != nil {
		return nil, err
	}
	return ReadFiles([]File{{Text: text}}, Options{Fiat: code})
}

// FileError is an error in one of several files.
type FileError struct {
	File string
	Err  error
}

func (e *FileError) Error() string { return e.File + ": " + e.Err.Error() }
func (e *FileError) Unwrap() error { return e.Err }

// ReadFiles reads price files: prices of the token, and exchange rates if the prices are in another currency.
func ReadFiles(files []File, o Options) (*List, error) {
	if len(files) == 0 || len(files) > MaxFiles {
		return nil, fmt.Errorf("%d price files; name 1 to %d", len(files), MaxFiles)
	}
	own, err := mapped(o.Columns)
	if err != nil {
		return nil, err
	}
	count, isMapped := 0, false
	var parts []*part
	for _, f := range files {
		p := &part{count: &count, calendar: calendar{Zone: time.UTC}, pairs: map[Pair]series{}, sources: map[Currency]map[string]bool{}}
		if err := p.read(f, own, o.Fiat); err != nil {
			if len(files) > 1 {
				err = &FileError{f.Name, err}
			}
			return nil, err
		}
		isMapped = isMapped || own != nil && p.format == own
		parts = append(parts, p)
	}
	if own != nil && !isMapped {
		return nil, &MapError{Text: strings.Join(o.Columns, ",")}
	}
	if o.Symbol != "" {
		if parts, err = ofToken(parts, o.Symbol, cmp.Or(o.Fiat, "USD")); err != nil {
			return nil, err
		}
	}
	nameToken(parts)
	return combine(parts, o)
}

// ofToken leaves the prices of one token, and the exchange rates. The quote is for an example.
func ofToken(parts []*part, symbol string, quote Currency) (list []*part, err error) {
	some := false
	for _, p := range parts {
		for pair := range p.pairs {
			switch {
			case pair.Base == "":
				return nil, &FileError{p.File, fmt.Errorf("it does not state its token. Name the pair of each file: %s/%s=FILE", symbol, quote)}
			case isMoney(string(pair.Base)):
			case !strings.EqualFold(string(pair.Base), symbol):
				delete(p.pairs, pair)
			default:
				some = true
			}
		}
		if len(p.pairs) > 0 {
			list = append(list, p)
		}
	}
	if !some {
		return nil, fmt.Errorf("they contain no prices of %s. Add a file of them, such as %s/%s=FILE", symbol, symbol, quote)
	}
	return list, nil
}

// read reads a file in any format.
func (p *part) read(f File, own *format, asked Currency) error {
	sum := sha256.Sum256(f.Text)
	p.Origin = &Origin{File: f.Name, Format: "price list", Day: "the price of the day", SHA256: hex.EncodeToString(sum[:])}
	text, err := unzipped(f.Text)
	if err == nil {
		text, err = csvlist.Text(text)
	}
	if err != nil {
		return err
	}
	if r := recognise(f.Name, text, own); r != nil {
		r.part, r.stated, r.asked = p, f.Pair, asked
		if named, ok := pairOfFile(f.Name); ok && r.stated == (Pair{}) && r.base == "" && r.symbol == "" {
			r.stated = named
		}
		p.format, p.Format, p.Day = r.format, r.name, r.day
		if r.mine && r.source != "" {
			p.Format = r.source
		}
		err = r.read(text)
	} else {
		if f.Pair.Quote != "" {
			asked = f.Pair.Quote
		}
		err = (&reader{part: p, asked: asked}).read(text)
		if p.Hourly {
			p.Day = "the price of the hour"
		}
	}
	switch {
	case err != nil:
		return err
	case len(p.pairs) == 0:
		return errNoPrices
	case p.format != nil || f.Pair == Pair{}:
		return nil
	}
	return p.rename(f.Pair)
}

// rename gives the prices of our own form the pair that the user states.
func (p *part) rename(pair Pair) error {
	from := Pair{Quote: pair.Quote}
	if p.pairs[from] == nil {
		return fmt.Errorf("it contains no prices in %s, which %v states", pair.Quote, pair)
	}
	p.pairs = map[Pair]series{pair: p.pairs[from]}
	return nil
}

// listed returns codes for an error.
func listed(codes map[string]bool) string {
	list := slices.Sorted(maps.Keys(codes))
	if len(list) > maxNamed {
		list = append(list[:maxNamed], "…")
	}
	return strings.Join(list, ", ")
}

// pairsOf returns the pairs in all files, sorted: those of the token, and exchange rates.
func pairsOf(parts []*part) (token, rates []Pair, err error) {
	bases := map[string]bool{}
	all := map[Pair]bool{}
	for _, p := range parts {
		for pair := range p.pairs {
			all[pair] = true
		}
	}
	for _, pair := range slices.SortedFunc(maps.Keys(all), func(a, b Pair) int { return strings.Compare(a.String(), b.String()) }) {
		if isMoney(string(pair.Base)) {
			rates = append(rates, pair)
			continue
		}
		token = append(token, pair)
		if pair.Base != "" {
			bases[string(pair.Base)] = true
		}
	}
	if len(bases) > 1 {
		return nil, nil, fmt.Errorf("they contain prices of more than one token: %s", listed(bases))
	}
	return token, rates, nil
}

// nameToken gives prices that do not name the token the symbol that other files name.
func nameToken(parts []*part) {
	var symbol Currency
	for _, p := range parts {
		for pair := range p.pairs {
			if pair.Base != "" && !isMoney(string(pair.Base)) {
				symbol = pair.Base
			}
		}
	}
	for _, p := range parts {
		named := map[Pair]series{}
		for pair, list := range p.pairs {
			if pair.Base == "" {
				pair.Base = symbol
			}
			named[pair] = list
		}
		p.pairs = named
	}
}
