package reconcile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/feeledger/fees/internal/jsonscan"
)

// Field is what a column states about a row's transaction.
type Field string

const (
	Hash          Field = "hash"           // of the EVM transaction, otherwise of the extrinsic
	EVMHash       Field = "evm_hash"       // of the EVM transaction
	ExtrinsicHash Field = "extrinsic_hash" // of the extrinsic
	ID            Field = "id"             // transaction ID: height-index, such as 25-7
	Fee           Field = "fee"
	Asset         Field = "asset"   // of the fee
	Account       Field = "account" // the payer
	Date          Field = "date"
)

// fieldName lists the usual column names of a field.
type fieldName struct {
	field Field
	names []string
}

// usual are the recognised column names: in lower case, with a space for anything that is not a letter or
// digit, and without the unit.
var usual = []fieldName{
	{Hash, []string{"hash", "tx hash", "txhash", "txn hash", "transaction hash", "transactionhash", "tx", "transaktionshash", "transaktions hash", "hash de transaction", "hash de la transaction", "hash de transacción", "hash de la transacción", "hash da transação", "hash transazione"}},
	{EVMHash, []string{"evm hash", "evmhash", "evm tx hash", "ethereum hash", "eth hash"}},
	{ExtrinsicHash, []string{"extrinsic hash", "extrinsichash", "substrate hash"}},
	{ID, []string{"extrinsic id", "extrinsicid", "extrinsic", "block index", "extrinsic index", "transaction index"}},
	{Fee, []string{"fee", "fees", "tx fee", "txfee", "txn fee", "txnfee", "transaction fee", "gas fee", "gasfee", "network fee", "fee amount", "feeamount", "used fee", "fee used", "fee paid", "network cost",
		"gebühr", "gebühren", "netzwerkgebühr", "transaktionsgebühr", "frais", "frais de transaction", "frais de réseau", "comisión", "comisión de red", "tarifa", "commissione", "taxa", "taxa de rede"}},
	{Asset, nil}, // next to the fee, see assetColumns
	{Account, []string{"account", "payer", "from", "from address", "sender", "absender", "expéditeur", "remitente", "mittente", "remetente"}},
	{Date, []string{"date", "time", "datetime", "date time", "timestamp", "booking date", "datum", "buchungsdatum", "zeitpunkt", "fecha", "data", "date heure"}},
}

func (f Field) known() bool {
	return slices.ContainsFunc(usual, func(u fieldName) bool { return u.field == f })
}

func fieldNames() string {
	names := make([]string, len(usual))
	for i, u := range usual {
		names[i] = string(u.field)
	}
	return strings.Join(names, ", ")
}

// Column is the position of a field in a file.
type Column struct {
	Field Field
	Name  string // in the header
	Place int    // from 1
}

// header is the list of a file's column names.
type header []string

// columns finds the fields in a header, and the unit of the fees; "" if the column name does not state it. It
// returns a *notHeaderError if the row is not a header.
func (h header) columns(o *Options) (list []Column, unit Unit, err error) {
	unit = o.Unit
	fee := -1
	for _, u := range usual {
		var places []int
		if name, mapped := o.Columns[u.field]; mapped {
			if name == "" {
				continue
			}
			if places, err = h.named(u.field, name); err != nil {
				return nil, "", err
			}
		} else {
			for i, name := range h {
				if u.isNamed(name, o) && !h.mapped(i, o) {
					places = append(places, i)
				}
			}
			if u.field == Asset && fee >= 0 && o.Symbol != "" {
				places = h.assetColumns(fee, o)
			}
		}
		switch places = h.plainest(u.field, places, o); len(places) {
		case 0:
			continue
		case 1:
		default:
			return nil, "", &choiceError{u.field, h, places}
		}
		list = append(list, Column{Field: u.field, Name: h[places[0]], Place: places[0] + 1})
		if u.field == Fee {
			fee = places[0]
			if err := h.otherAssets(places, o); err != nil && o.aliasIn(h[fee]) == "" {
				return nil, "", err
			}
			if more := h.moreFees(fee, o); len(more) > 0 {
				return nil, "", &choiceError{Fee, h, append([]int{fee}, more...)}
			}
			if unit == "" {
				unit = unitOf(h[fee], o.Symbol)
			}
		}
	}
	return list, unit, h.enough(list, o)
}

// notHeaderError reports a row that is not a header.
type notHeaderError struct{ message string }

func (e *notHeaderError) Error() string { return e.message }

// enough checks that there is a fee, and something that identifies the transaction.
func (h header) enough(list []Column, o *Options) error {
	has := map[Field]bool{}
	for _, c := range list {
		has[c.Field] = true
	}
	isNamed := has[Hash] || has[EVMHash] || has[ExtrinsicHash] || has[ID]
	switch {
	case !has[Fee]:
		if err := h.otherAssets(h.otherFees(o), o); err != nil && isNamed {
			return err
		}
		return &notHeaderError{fmt.Sprintf("none of the columns %s is known as the fee; name it with --map fee=NAME, or use an export that has fees", h.quoted(nil))}
	case !isNamed:
		return &notHeaderError{fmt.Sprintf("none of the columns %s identifies the transaction; name its hash or ID with --map hash=NAME or --map id=NAME", h.quoted(nil))}
	}
	return nil
}

// plainest returns the most explicit of the columns that could all be a field: a fee that a workbook of this program
// states exactly, a fee with its unit, and the account called payer.
func (h header) plainest(field Field, places []int, o *Options) []int {
	says := func(i int) bool {
		return field == Fee && unitOf(h[i], o.Symbol) != "" || field == Account && plainName(h[i]) == "payer"
	}
	if len(places) > 1 && slices.ContainsFunc(places, says) {
		places = slices.DeleteFunc(places, func(i int) bool { return !says(i) })
	}
	if field == Fee && len(places) > 1 && slices.ContainsFunc(places, h.isExact) {
		return slices.DeleteFunc(places, func(i int) bool { return !h.isExact(i) })
	}
	return places
}

// exactly ends the name of an exact amount in a workbook of this program: "Fee, wei, as text" beside "Fee, GLMR".
const exactly = " as text"

// isExact reports whether a column is an exact amount in a workbook of this program.
func (h header) isExact(i int) bool { return strings.HasSuffix(plainName(h[i]), exactly) }

// areTwins reports whether two columns of a workbook of this program state one amount, exactly and as a number.
func (h header) areTwins(i, j int) bool {
	one, _ := splitUnit(h[i])
	other, _ := splitUnit(h[j])
	return one == other && h.isExact(i) != h.isExact(j)
}

// choiceError reports several columns that could be a field.
type choiceError struct {
	field  Field
	header header
	places []int // from 0
}

func (e *choiceError) Error() string {
	return fmt.Sprintf("columns %s could all be the %s; choose one with --map %s=NAME, or --map '%s=#%d' for column %d",
		e.header.quoted(e.places), e.field, e.field, e.field, e.places[0]+1, e.places[0]+1)
}

// maxChoices limits the proposed columns.
const maxChoices = 4

// ways returns one way for each column that can be chosen.
func (e *choiceError) ways() (list []Way) {
	for _, i := range e.places[:min(len(e.places), maxChoices)] {
		list = append(list, Way{fmt.Sprintf("the %s is column %d, %q", e.field, i+1, shownName(e.header[i])), []Setting{{"map", string(e.field) + "=" + e.header.reference(i)}}})
	}
	return list
}

// reference returns how a setting refers to a column: its name, or its number if the name is not unique.
func (h header) reference(place int) string {
	name := strings.TrimSpace(h[place])
	if places, err := h.named("", name); name != "" && err == nil && len(places) == 1 && places[0] == place {
		return name
	}
	return "#" + strconv.Itoa(place+1)
}

// named returns the columns with a name given by the user: an exact match, otherwise ignoring case. #3 is the third
// column, unless a column has this name.
func (h header) named(field Field, name string) (places []int, err error) {
	same := []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold}
	for _, equal := range same {
		for i := range h {
			if equal(strings.TrimSpace(h[i]), strings.TrimSpace(name)) {
				places = append(places, i)
			}
		}
		if len(places) > 0 {
			break
		}
	}
	if place, ok := strings.CutPrefix(strings.TrimSpace(name), "#"); ok && len(places) == 0 {
		if n, err := strconv.Atoi(place); err == nil && n >= 1 && n <= len(h) {
			places = []int{n - 1}
		}
	}
	switch len(places) {
	case 0:
		return nil, &notHeaderError{fmt.Sprintf("no column %q; the columns are %s", shownName(name), h.quoted(nil))}
	case 1:
		return places, nil
	}
	return nil, &choiceError{field, h, places}
}

// mapped reports whether the user gave a column another meaning.
func (h header) mapped(place int, o *Options) bool {
	for field, name := range o.Columns {
		if places, err := h.named(field, name); name != "" && err == nil && slices.Contains(places, place) {
			return true
		}
	}
	return false
}

func (h header) quoted(places []int) string {
	const limit = 30
	if places == nil {
		for i := range h {
			places = append(places, i)
		}
	}
	var names []string
	for _, i := range places[:min(len(places), limit)] {
		names = append(names, strconv.Quote(shownName(h[i])))
	}
	if len(places) > limit {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

// isNamed reports whether a column has one of the field's usual names. A fee's name can end with its unit, and a
// date's with UTC.
func (u *fieldName) isNamed(name string, o *Options) bool {
	if slices.Contains(u.names, plainName(name)) {
		return true
	}
	base, unit := splitUnit(name)
	if !slices.Contains(u.names, base) {
		return false
	}
	switch u.field {
	case Fee:
		counts := unitOf(name, o.Symbol)
		return counts != "" && (o.Unit == "" || o.Unit == counts)
	case Date:
		return unit == "utc" && o.Zone.String() == "UTC"
	}
	return false
}

// unitOf returns the unit that a column name states, or "".
func unitOf(name, symbol string) Unit {
	_, unit := splitUnit(name)
	if with := prefixIn(name, symbol); with != "" {
		return with
	}
	switch {
	case unit == "wei", isPlanck(unit):
		return Wei
	case unit == "gwei":
		return Gwei
	case unit == "token", symbol != "" && unit == plainName(symbol):
		return Token
	}
	return ""
}

// prefixIn returns the unit with a prefix at the end of a column name: Fee (mGLMR), fee_mglmr, Fee in milli GLMR.
func prefixIn(name, symbol string) Unit {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	last := len(words) - 1
	if last < 1 {
		return ""
	}
	return cmp.Or(prefixed(words[last-1]+" "+words[last], symbol), prefixed(words[last], symbol))
}

// splitUnit separates the unit at the end of a name: Fee (GLMR), fee_wei.
func splitUnit(name string) (base, unit string) {
	plain := strings.TrimSuffix(plainName(name), exactly)
	if i := strings.IndexAny(name, "(["); i > 0 {
		return plainName(name[:i]), plainName(name[i:])
	}
	if i := strings.LastIndexByte(plain, ' '); i > 0 {
		return plain[:i], plain[i+1:]
	}
	return plain, ""
}

// plainName returns a name in lower case, with a space for anything that is not a letter or digit.
func plainName(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}

func shownName(name string) string { return jsonscan.Excerpt(strings.TrimSpace(name)) }

// maxColumns exceeds the columns of any record of fees.
const maxColumns = 1000

// checked returns an error if the header cannot be used.
func (h header) checked() error {
	if len(h) > maxColumns {
		return fmt.Errorf("it has %d columns; at most %d can be read", len(h), maxColumns)
	}
	for i, name := range h {
		switch {
		case strings.ContainsRune(name, '\r'):
			return errors.New("its lines end with carriage returns only; save it with line feeds")
		case !utf8.ValidString(name):
			return fmt.Errorf("the name of column %d is %w", i+1, errNotUTF8)
		}
	}
	return nil
}
