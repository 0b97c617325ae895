package reconcile

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/feeledger/fees/internal/jsonscan"
)

// Profile describes how a product writes its exports: the columns by which a file is recognized,
// what each of them holds, and which rows are fees. A profile has no code: profiles.json holds the
// built-in ones, and users write their own in the same form.
//
// A name of a column is compared without case, without spaces around it, and with one space for
// several. One that begins with ~ is a regular expression for the whole name, and "cur.#3" is the
// third column called "cur.".
type Profile struct {
	Name  string `json:"name"`  // as in --profile
	Title string `json:"title"` // what the file is called in the output
	// Kind is [View] or [Bookkeeping]; "" only without fees.
	Kind    RecordKind `json:"kind,omitempty"`
	Headers []string   `json:"headers"`           // columns that the header must have
	Without []string   `json:"without,omitempty"` // columns that it must not have
	// NoFees says that the file has no fees, and which export to take instead. Such a profile
	// needs nothing else.
	NoFees string `json:"no_fees,omitempty"`
	// Columns holds the possible names of each field's column, the best first.
	Columns map[Field][]string `json:"columns,omitempty"`
	// HashIn holds columns in which the hash is looked for if its own column has none.
	HashIn []string `json:"hash_in,omitempty"`
	// Unit is the unit of the fees, if the file does not state it.
	Unit Unit `json:"unit,omitempty"`
	// Receipts reports that the fees are those of Ethereum's receipts.
	Receipts bool `json:"receipts,omitempty"`
	// Symbols are other symbols of the network's token that the product uses, such as ETH. A fee
	// in such a symbol is compared only if the ledger has its transaction.
	Symbols []string `json:"symbols,omitempty"`
	// DateFormats are the forms of dates that do not begin with the year, as in --date-format.
	DateFormats []string `json:"date_formats,omitempty"`
	// Decimals is the smallest number of decimals to which the product cuts or rounds fees; 0 if
	// it keeps all of them.
	Decimals int `json:"decimals,omitempty"`
	// Sign is "negative" if fees are written below 0, and "either" if the sign means nothing.
	Sign string `json:"sign,omitempty"`
	// Only lists conditions that a row must all meet to be a fee, Except those of which none may
	// be met.
	Only   []condition `json:"only,omitempty"`
	Except []condition `json:"except,omitempty"`
	// FeeRows describes rows that are a fee of nothing else, with the fee as their amount.
	FeeRows *feeRows `json:"fee_rows,omitempty"`
	Note    string   `json:"note,omitempty"`   // what users should know of such files
	Source  string   `json:"source,omitempty"` // where the form is described
}

// RecordKind says what the fee beside a row means.
type RecordKind string

const (
	// Bookkeeping is a record in which each row's fee is deducted: of a tax, custody, treasury or wallet product, or a
	// company's own list.
	Bookkeeping RecordKind = "book"
	// View is an explorer's list of transactions, with the fee of each, by any sender. Several lines of a transaction
	// repeat its fee.
	View RecordKind = "view"
)

// isView reports whether the record is a view. Without a profile, it is a book.
func (o *Options) isView() bool { return o.applied != nil && o.applied.Kind == View }

// condition is met by a row in which one of the columns holds one of the values, compared as names
// of columns are.
type condition struct {
	Columns []string `json:"columns"`
	Values  []string `json:"values"`
	Why     string   `json:"why,omitempty"` // of Except: why such a row is left out
}

// feeRows are the rows whose kind is one of the values. The fee is in the column of the amount.
type feeRows struct {
	condition
	Amount []string `json:"amount"`
	Asset  []string `json:"asset"`
}

//go:embed profiles.json
var builtIn []byte

// Profiles returns the built-in profiles, in the order in which they are tried.
func Profiles() []*Profile { return builtInProfiles() }

// builtInProfiles parses them at their first use: most commands read no record.
var builtInProfiles = sync.OnceValue(func() []*Profile {
	list, err := ParseProfiles(builtIn)
	if err != nil {
		panic(err) // a test reads them
	}
	return list
})

// maxProfiles limits the profiles of a file.
const maxProfiles = 1000

// ParseProfiles parses profiles in JSON: one object, or a list of them.
func ParseProfiles(text []byte) (list []*Profile, err error) {
	if text := strings.TrimSpace(string(text)); strings.HasPrefix(text, "{") {
		return ParseProfiles([]byte("[" + text + "]"))
	}
	if err := jsonscan.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("not a list of profiles: %w", err)
	}
	if len(list) == 0 || len(list) > maxProfiles {
		return nil, fmt.Errorf("%d profiles: want 1 to %d", len(list), maxProfiles)
	}
	names := map[string]bool{}
	for _, p := range list {
		if p == nil {
			return nil, errors.New("a profile is null")
		}
		if err := p.check(); err != nil {
			return nil, fmt.Errorf("profile %q: %w", p.Name, err)
		}
		if names[p.Name] {
			return nil, fmt.Errorf("profile %q occurs twice", p.Name)
		}
		names[p.Name] = true
	}
	return list, nil
}

// isProfileName matches the name of a profile.
var isProfileName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// check reports what a profile lacks.
func (p *Profile) check() error {
	names := slices.Concat(p.Headers, p.Without, p.HashIn)
	for field, list := range p.Columns {
		if !field.known() {
			return fmt.Errorf("no field is called %q: use %s", field, fieldNames())
		}
		names = append(names, list...)
	}
	for _, c := range slices.Concat(p.Only, p.Except) {
		names = slices.Concat(names, c.Columns, c.Values)
	}
	if p.FeeRows != nil {
		names = slices.Concat(names, p.FeeRows.Columns, p.FeeRows.Values, p.FeeRows.Amount, p.FeeRows.Asset)
	}
	for _, name := range names {
		if _, err := parsePattern(name); err != nil {
			return err
		}
	}
	for _, format := range p.DateFormats {
		if _, err := newDateReader(format, nil); err != nil {
			return err
		}
	}
	switch {
	case !isProfileName.MatchString(p.Name):
		return errors.New("a name has small letters, digits and hyphens, such as my-export")
	case p.Title == "":
		return errors.New("it has no title")
	case len(p.Headers) == 0:
		return errors.New("it has no headers, the columns by which a file is recognized")
	case p.NoFees != "":
		return nil
	case len(p.Columns[Fee]) == 0:
		return errors.New(`its columns have no "fee"`)
	case len(p.Columns[Hash])+len(p.Columns[EVMHash])+len(p.Columns[ExtrinsicHash])+len(p.Columns[ID]) == 0:
		return errors.New(`its columns have no "hash" and no "id"`)
	case p.Kind != Bookkeeping && p.Kind != View:
		return fmt.Errorf(`kind %q: write "book" if the fee of each row is deducted, "view" if rows only list what the chain shows`, p.Kind)
	case p.Unit != "" && !slices.Contains(units, p.Unit):
		return fmt.Errorf("unit %q: use wei, gwei, token or evm-wei", p.Unit)
	case !slices.Contains([]string{"", "negative", "either"}, p.Sign):
		return fmt.Errorf(`sign %q: use "negative" or "either"`, p.Sign)
	case p.Decimals < 0 || p.Decimals > maxCutDecimals:
		return fmt.Errorf("decimals %d: use 1 to %d", p.Decimals, maxCutDecimals)
	}
	return nil
}

// namePattern matches the name of a column.
type namePattern struct {
	text  string         // "" of a regular expression
	match *regexp.Regexp // nil of a text
	count int            // which of the columns with the name, the first 1
}

// parsePattern parses the name of a column in a profile.
func parsePattern(name string) (c namePattern, err error) {
	c.count = 1
	if base, count, found := strings.Cut(name, "#"); found {
		if c.count, err = strconv.Atoi(count); err != nil || c.count < 1 {
			return c, fmt.Errorf("column %q: write the number of the column with this name after #, such as cur.#3", name)
		}
		name = base
	}
	if expression, is := strings.CutPrefix(name, "~"); is {
		c.match, err = regexp.Compile("^(?:" + expression + ")$")
		return c, err
	}
	c.text = foldedName(name)
	return c, nil
}

// matches reports whether a folded name is the column's.
func (c *namePattern) matches(name string) bool {
	if c.match != nil {
		return c.match.MatchString(name)
	}
	return name == c.text
}

// foldedName returns a name in lower case, without marks and with single spaces.
func foldedName(name string) string {
	return strings.ToLower(strings.Join(strings.Fields(withoutMarks(name)), " "))
}

// place returns the column of the first of some names that the header has, the first column 1; 0 if
// it has none. A column in a currency, such as "Fee (USD)", is none of them.
func (h header) place(names []string) int {
	for _, name := range names {
		c, err := parsePattern(name)
		if err != nil {
			continue
		}
		count := 0
		for i := range h {
			folded := foldedName(h[i])
			if !c.matches(folded) || c.match != nil && isInCurrency(folded) {
				continue
			}
			if count++; count == c.count {
				return i + 1
			}
		}
	}
	return 0
}

// isInCurrency reports whether a folded name ends with the code of a currency in brackets.
func isInCurrency(name string) bool {
	rest, closed := strings.CutSuffix(name, ")")
	at := strings.LastIndexByte(rest, '(')
	return closed && at >= 0 && slices.Contains(currencyCodes, strings.ToUpper(rest[at+1:]))
}

// fits reports whether a header is of the profile's form.
func (p *Profile) fits(h header) bool {
	has := func(name string) bool { return h.place([]string{name}) > 0 }
	return !slices.ContainsFunc(p.Headers, func(name string) bool { return !has(name) }) && !slices.ContainsFunc(p.Without, has) &&
		(p.NoFees != "" || h.place(p.Columns[Fee]) > 0)
}

// NoProfile is the name under which a file is read without a profile.
const NoProfile = "none"

// profileOf returns the profile of a header, nil if it has none.
func (o *Options) profileOf(h header) *Profile {
	return o.firstProfile(func(p *Profile) bool { return (o.Profile == "" || o.Profile == p.Name) && p.fits(h) })
}

// findProfile returns the profile with a name.
func (o *Options) findProfile(name string) *Profile {
	return o.firstProfile(func(p *Profile) bool { return p.Name == name })
}

// firstProfile returns the first of the user's and the built-in profiles that is wanted; nil if none
// is.
func (o *Options) firstProfile(wanted func(*Profile) bool) *Profile {
	list := slices.Concat(o.Profiles, Profiles())
	if i := slices.IndexFunc(list, wanted); i >= 0 {
		return list[i]
	}
	return nil
}

// noFeesError reports that a file has no fees.
type noFeesError struct{ profile *Profile }

func (e *noFeesError) Error() string {
	return fmt.Sprintf("this is the %s, which %s", e.profile.Title, e.profile.NoFees)
}

// apply returns the options by which a file with the header is read. What the user has set stays.
func (p *Profile) apply(h header, o *Options) *Options {
	as := *o
	as.Columns = maps.Clone(o.Columns)
	if as.Columns == nil {
		as.Columns = map[Field]string{}
	}
	for _, u := range usual {
		if _, isSet := as.Columns[u.field]; isSet {
			continue
		}
		as.Columns[u.field] = "" // a column of another meaning may have the field's usual name
		if place := h.place(p.Columns[u.field]); place > 0 {
			as.Columns[u.field] = h.reference(place - 1)
		}
	}
	if as.Unit == "" {
		as.Unit = p.Unit
	}
	if as.Unit == EVMWei && EVMWei.places(o.Token()) == 0 {
		as.Unit = Wei
	}
	as.Negative = o.Negative || p.Sign == "negative"
	as.applied = p
	return &as
}

// anyProfile reports whether a file may be read without the profile that the user has named.
func (o *Options) anyProfile() bool { return o.Profile == "" || o.Profile == NoProfile }

// ProfileNames returns the names of the built-in profiles.
func ProfileNames() (names []string) {
	for _, p := range Profiles() {
		names = append(names, p.Name)
	}
	return names
}
