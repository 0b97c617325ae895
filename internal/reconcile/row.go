package reconcile

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/ledger"
)

// parsePlace reads a place, such as 25-7.
func parsePlace(text string) (ledger.Place, error) {
	p, ok := ledger.ParsePlace(text)
	if !ok {
		return p, fmt.Errorf("%q is not a height and an index, such as 25-7", jsonscan.Excerpt(text))
	}
	return p, nil
}

// Row is a fee as the company recorded it. At least one of the hashes and the place is
// known.
type Row struct {
	Line          int // of the file, or of the sheet; the first is 1
	Hash          chain.Optional[chain.Hash]
	EVMHash       chain.Optional[chain.Hash]
	ExtrinsicHash chain.Optional[chain.Hash]
	Place         chain.Optional[ledger.Place]
	Fee           chain.Wei
	Digits        int  // of the fee in the file, where it may have been rounded or cut to them; 0 where all are there
	Binary        Unit // in which a spreadsheet keeps the fee as a binary number; "" of text
	Account       chain.Optional[chain.Address]
	Date          chain.Optional[chain.Time]
	LeftOut       string // why the row is not compared, and only its line is known; "" for one that is
}

// AnyHash is the hash that names the transaction, the EVM transaction's first.
func (r *Row) AnyHash() chain.Optional[chain.Hash] {
	for _, hash := range []chain.Optional[chain.Hash]{r.EVMHash, r.Hash, r.ExtrinsicHash} {
		if hash.Known() {
			return hash
		}
	}
	return chain.Optional[chain.Hash]{}
}

// record is a row as the file has it.
type record struct {
	line  int
	cells []cell
	short bool   // it ends before the last column
	raw   []byte // of csv, with the empty lines before it; valid until the next record
}

// header are the cells as the names of columns.
func (r *record) header() header {
	h := make(header, len(r.cells))
	for i := range r.cells {
		h[i] = r.cells[i].text
	}
	return h
}

// held is the record for who needs it after the next one, and how long its texts are.
func (r *record) held() (kept *record, size int) {
	for i := range r.cells {
		size += len(r.cells[i].text)
	}
	return &record{line: r.line, cells: r.cells}, size
}

// names is how many texts are in a row that could name columns.
func (r *record) names() (count int) {
	for i := range r.cells {
		if c := &r.cells[i]; !c.number && c.err == nil && strings.TrimSpace(c.text) != "" {
			count++
		}
	}
	return count
}

// cell is what stands in a place of a row.
type cell struct {
	text   string
	number bool  // kept as a number, by a spreadsheet
	err    error // why it cannot be used
}

// value is the text without the white space, the invisible marks and the wrapping ("=...", an
// apostrophe) by which programs keep a spreadsheet from changing it.
func (c *cell) value() string {
	text := strings.TrimSpace(c.text)
	if rest := strings.TrimFunc(text, isMark); len(rest) < len(text) {
		text = strings.TrimSpace(rest)
	}
	if inner, ok := strings.CutPrefix(text, `="`); ok {
		if inner, ok = strings.CutSuffix(inner, `"`); ok {
			return strings.TrimSpace(inner)
		}
	}
	return strings.TrimPrefix(text, "'")
}

// isMark reports whether a character is invisible: a byte order mark, or one of the direction of
// writing.
func isMark(r rune) bool { return unicode.Is(unicode.Cf, r) }

// withoutMarks returns a text without its invisible characters.
func withoutMarks(text string) string {
	return strings.Map(func(r rune) rune {
		if isMark(r) {
			return -1
		}
		return r
	}, text)
}

// blank tells whether nothing is written in a row.
func (r *record) blank() bool {
	for i := range r.cells {
		if r.cells[i].err != nil || strings.TrimSpace(r.cells[i].text) != "" {
			return false
		}
	}
	return true
}

// rowReader makes rows of records.
type rowReader struct {
	options  *Options
	columns  []Column
	header   header
	workbook bool // in which a row ends with its last cell
	amounts  amountForm
	assets   assets
	feeRow   feeRow
	dates    *dateReader
	worths   worths
	short    []int // the lines that end before the last column
	repeated []int // the lines that have the header once more
}

// repeats takes a row that is the header once more, as where files were put together.
func (r *rowReader) repeats(rec *record) bool {
	for i := range rec.cells {
		c := &rec.cells[i]
		if c.number || c.err != nil || i < len(r.header) && c.text != r.header[i] || i >= len(r.header) && c.value() != "" {
			return false
		}
	}
	if slices.ContainsFunc(r.columns, func(c Column) bool { return c.Place > len(rec.cells) }) {
		return false
	}
	r.repeated = append(r.repeated, rec.line)
	return true
}

// worths are the amounts in a currency that stand beside fees.
type worths struct {
	count   int
	example string
}

// fit gives a row as many cells as the header has. Empty cells behind the last column hold nothing,
// and are dropped. A row can end early, as Excel ends rows of csv, where no field is behind its end;
// the last line of csv without an end may be broken off, and stays as it is.
func (r *rowReader) fit(rec *record) {
	width := len(r.header)
	for last := len(rec.cells) - 1; last >= width && rec.cells[last].err == nil && rec.cells[last].value() == ""; last-- {
		rec.cells = rec.cells[:last]
	}
	if !r.workbook && len(rec.cells) < width {
		if !bytes.HasSuffix(rec.raw, []byte("\n")) || slices.ContainsFunc(r.columns, func(c Column) bool { return c.Place > len(rec.cells) }) {
			return
		}
		rec.short = slices.ContainsFunc(r.header[len(rec.cells):], func(name string) bool { return name != "" })
	}
	for len(rec.cells) < width {
		rec.cells = append(rec.cells, cell{})
	}
}

// add counts what stands beside a fee.
func (w *worths) add(text string) {
	if text == "" {
		return
	}
	if w.count++; w.count == 1 {
		w.example = text
	}
}

// tell says of the rows what people must know.
func (r *rowReader) tell(f *File) {
	if len(r.repeated) > 0 {
		f.Notes = append(f.Notes, lines(r.repeated, " repeats", " repeat")+" the header.")
	}
	if len(r.short) > 0 {
		f.Notes = append(f.Notes, lines(r.short, " ends", " end")+" before the last column: what is missing there is taken as empty.")
	}
	if w := r.worths; w.count > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%s an amount in a currency beside it, such as %q, which is not compared.", console.Counted(w.count, "fee")+console.Verb(w.count, " has", " have"), w.example))
	}
}

// place is that of a field's column, the first 1; 0 where there is none.
func (r *rowReader) place(of Field) int {
	for _, c := range r.columns {
		if c.Field == of {
			return c.Place
		}
	}
	return 0
}

// fieldAt is the field of a column, "" where it has none.
func (r *rowReader) fieldAt(place int) Field {
	for _, c := range r.columns {
		if c.Place == place {
			return c.Field
		}
	}
	return ""
}

// looksLikeTransaction tells whether something in a row begins like a hash or a place.
func (r *rowReader) looksLikeTransaction(rec *record) bool {
	for _, c := range r.columns {
		switch c.Field {
		case Hash, EVMHash, ExtrinsicHash, ID:
		default:
			continue
		}
		if c.Place > len(rec.cells) {
			continue
		}
		if text := rec.cells[c.Place-1].value(); text != "" && (text[0] >= '0' && text[0] <= '9' || hashIn.MatchString(text)) {
			return true
		}
	}
	return false
}

// figure is what stands in the column of fees.
func (r *rowReader) figure(rec *record) (amount, error) {
	place := r.place(Fee)
	if place > len(rec.cells) {
		return amount{}, errors.New("nothing stands in the column of fees")
	}
	return readFee(&rec.cells[place-1], r.amounts)
}

// maxAmount is more bytes than any way to write an amount has.
const maxAmount = 8 << 10

func readFee(c *cell, form amountForm) (amount, error) {
	text := c.value()
	switch {
	case c.err != nil:
		return amount{}, c.err
	case !utf8.ValidString(text):
		return amount{}, fmt.Errorf("it is %w", errNotUTF8)
	case len(text) > maxAmount:
		return amount{}, fmt.Errorf("%q is not an amount: it has %d characters", jsonscan.Excerpt(text), utf8.RuneCountInString(text))
	case c.number:
		return form.readNumber(text)
	}
	return form.read(text)
}

// row reads a record. The problem is that of its first cell that cannot be read.
func (r *rowReader) row(rec *record) (row Row, problem *Problem) {
	row.Line = rec.line
	switch {
	case len(rec.cells) > len(r.header):
		return row, &Problem{Line: rec.line, Err: fmt.Errorf("it has %d columns, and the header has %d: a separator inside of a value must be quoted; --skip-rows passes over a row that is no transaction", len(rec.cells), len(r.header))}
	case len(rec.cells) < len(r.header):
		return row, &Problem{Line: rec.line, Err: fmt.Errorf("it ends after %s, and the header has %d: the file may be broken off; --skip-rows passes over a row that is no transaction", console.Counted(len(rec.cells), "column"), len(r.header))}
	}
	fee := r.place(Fee)
	r.feeRow.move(rec, fee, r.place(Asset))
	form, leftOut, err := r.assets.read(rec, &rec.cells[fee-1], r.amounts)
	if err != nil {
		return row, &Problem{Line: rec.line, Column: fee, Name: r.header[fee-1], Value: rec.cells[fee-1].value(), Err: err}
	}
	if row.LeftOut = leftOut; leftOut != "" {
		return row, nil
	}
	for i := range r.columns {
		c := &r.columns[i]
		if err := r.read(&row, c.Field, &rec.cells[c.Place-1], form); err != nil {
			return row, &Problem{Line: rec.line, Column: c.Place, Name: c.Name, Value: rec.cells[c.Place-1].value(), Err: err}
		}
	}
	if !row.Hash.Known() && !row.EVMHash.Known() && !row.ExtrinsicHash.Known() && !row.Place.Known() {
		return row, &Problem{Line: rec.line, Err: errors.New("nothing names its transaction: the columns of hash and place are empty; --skip-rows passes over a row that is no transaction")}
	}
	if rec.short {
		r.short = append(r.short, rec.line)
	}
	return row, nil
}

func (r *rowReader) read(row *Row, field Field, c *cell, form amountForm) (err error) {
	text := c.value()
	switch {
	case c.err != nil:
		return c.err
	case !utf8.ValidString(text):
		return fmt.Errorf("it is %w", errNotUTF8)
	case field == Fee:
		fee, err := readFee(c, form)
		row.Fee, row.Digits, row.Binary = fee.wei, fee.digits, fee.binary
		r.worths.add(fee.worth)
		return err
	case text == "", field == Asset:
		return nil
	case field == Date && c.number:
		return known(&row.Date, func() (chain.Time, error) { return r.dates.cell(text) })
	case field == Date:
		return known(&row.Date, func() (chain.Time, error) { return r.dates.text(text) })
	case c.number:
		return fmt.Errorf("%q is kept as a number or a date: store it as text", jsonscan.Excerpt(text))
	case field == Account:
		return known(&row.Account, func() (chain.Address, error) { return chain.ParseAddress(text) })
	case field == ID:
		return known(&row.Place, func() (ledger.Place, error) { return parsePlace(text) })
	}
	into := map[Field]*chain.Optional[chain.Hash]{Hash: &row.Hash, EVMHash: &row.EVMHash, ExtrinsicHash: &row.ExtrinsicHash}[field]
	return known(into, func() (chain.Hash, error) { return parseHash(text) })
}

// hashIn finds hashes in a text: in the address of an explorer's page, in brackets.
var hashIn = regexp.MustCompile(`\b(?:0x)?[0-9a-fA-F]{64}\b`)

// parseHash reads a hash, or the only one in a text, with 0x or without.
func parseHash(text string) (chain.Hash, error) {
	hash, err := chain.ParseHash(text)
	if err == nil {
		return hash, nil
	}
	found := hashIn.FindAllString(text, 2)
	if len(found) == 0 {
		return hash, err
	}
	if len(found) > 1 && !strings.EqualFold(found[0], found[1]) {
		return chain.Hash{}, fmt.Errorf("%q has more than one hash", jsonscan.Excerpt(text))
	}
	return chain.ParseHash("0x" + strings.ToLower(strings.TrimPrefix(found[0], "0x")))
}

// known sets a value that could be read.
func known[T any](into *chain.Optional[T], read func() (T, error)) error {
	v, err := read()
	if err == nil {
		*into = chain.Some(v)
	}
	return err
}
