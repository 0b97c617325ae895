package reconcile

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/plain"
)

// parsePlace parses a transaction ID, such as 25-7.
func parsePlace(text string) (ledger.Place, error) {
	p, ok := ledger.ParsePlace(text)
	if found := placeIn.FindAllStringSubmatch(text, 2); !ok && len(found) > 0 {
		if len(found) > 1 {
			return p, fmt.Errorf("two IDs, %s and %s: leave the one of the row's transaction in the cell", found[0][1], found[1][1])
		}
		p, ok = ledger.ParsePlace(found[0][1])
	}
	if !ok {
		return p, fmt.Errorf("%q is not a transaction ID such as 25-7", jsonscan.Excerpt(text))
	}
	return p, nil
}

// Row is a fee as the company recorded it. Without a hash or a transaction ID, it names no transaction.
type Row struct {
	File          string // the record's name, if several are compared; otherwise ""
	Line          int    // of the file or sheet, from 1
	Hash          chain.Optional[chain.Hash]
	EVMHash       chain.Optional[chain.Hash]
	ExtrinsicHash chain.Optional[chain.Hash]
	Place         chain.Optional[ledger.Place]
	Fee           chain.Wei
	Digits        int                       // digits that the fee may have been rounded or cut to; 0 if it is complete
	Binary        Unit                      // unit of a fee that a spreadsheet stores as a binary number; "" for text
	Written       Unit                      // unit of a text with 15 to 17 digits, as programs write binary numbers; "" for others
	Listing       listing                   // what else a row of a view lists
	Above         chain.Optional[chain.Wei] // of a total row whose figure, in Fee, is not the sum of the rows above: that sum
	Account       chain.Optional[chain.Address]
	Payer         string // the payer by a label of the address book; "" if the row names an address or none
	Date          chain.Optional[chain.Time]
	Other         OtherAsset // of the fee, if the row states another than the network's token
	LeftOut       string     // why the row is not compared
}

// rowAt is where a row is: its record, "" if only one is compared, and its line.
type rowAt struct {
	file string
	line int
}

func (r *Row) at() rowAt { return rowAt{r.File, r.Line} }

// String names the row for people: line 5, or line 5 of b.csv.
func (at rowAt) String() string {
	if at.file == "" {
		return fmt.Sprintf("line %d", at.line)
	}
	return fmt.Sprintf("line %d of %s", at.line, plain.Line(at.file))
}

// hasFee reports whether the row states a fee in the network's token.
func (r *Row) hasFee() bool { return r.LeftOut == "" && !r.Above.Known() }

// AnyHash returns a hash that names the transaction, preferably the EVM hash.
func (r *Row) AnyHash() chain.Optional[chain.Hash] {
	for _, hash := range []chain.Optional[chain.Hash]{r.EVMHash, r.Hash, r.ExtrinsicHash} {
		if hash.Known() {
			return hash
		}
	}
	return chain.Optional[chain.Hash]{}
}

// record is a row of the file.
type record struct {
	line  int
	cells []cell
	short bool   // it ends before the last column
	raw   []byte // csv text with the empty lines before it; valid until the next record
}

// header returns the cells as column names.
func (r *record) header() header {
	h := make(header, len(r.cells))
	for i := range r.cells {
		h[i] = r.cells[i].text
	}
	return h
}

// held returns a copy that stays valid after the next record, and the length of its texts.
func (r *record) held() (kept *record, size int) {
	for i := range r.cells {
		size += len(r.cells[i].text)
	}
	return &record{line: r.line, cells: r.cells}, size
}

// names returns the number of texts that could name columns.
func (r *record) names() (count int) {
	for i := range r.cells {
		if c := &r.cells[i]; !c.number && c.err == nil && strings.TrimSpace(c.text) != "" {
			count++
		}
	}
	return count
}

// cell is a cell of a row.
type cell struct {
	text   string
	number bool  // stored as a number by a spreadsheet
	err    error // why it cannot be used
}

// value returns the text without white space, invisible characters and the wrappers (="...", an apostrophe) that
// keep spreadsheets from changing it.
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

// isMark reports whether a character is invisible: a byte order mark or a direction mark.
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

// blank reports whether all cells of a row are empty.
func (r *record) blank() bool {
	for i := range r.cells {
		if r.cells[i].err != nil || strings.TrimSpace(r.cells[i].text) != "" {
			return false
		}
	}
	return true
}

// rowReader converts records to rows.
type rowReader struct {
	options  *Options
	columns  []Column
	header   header
	own      int  // columns of the company, before those that a copy adds
	workbook bool // rows end with their last cell
	amounts  amountForm
	assets   assets
	feeRow   feeRow
	profile  *profileRows // nil without one
	labels   payerLabels
	decimals decimals // of the fees in the token
	dates    *dateReader
	worths   worths
	short    []int // lines that end before the last column
	repeated []int // lines that repeat the header
}

// repeats notes a row that repeats the header, as in concatenated files.
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

// worths counts the amounts in a currency beside fees.
type worths struct {
	count   int
	example string
}

// fit gives a row as many cells as the header. Empty cells after the last column are dropped. Excel may end csv rows
// early; that is accepted if no field is missing. A last csv line without a line end may be truncated and is not
// extended.
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

// add counts an amount beside a fee.
func (w *worths) add(text string) {
	if text == "" {
		return
	}
	if w.count++; w.count == 1 {
		w.example = text
	}
}

// addNotes adds notes about the rows.
func (r *rowReader) addNotes(f *File) {
	if len(r.repeated) > 0 {
		f.Notes = append(f.Notes, lines(r.repeated, " repeats", " repeat")+" the header.")
	}
	if len(r.short) > 0 {
		f.Notes = append(f.Notes, lines(r.short, " ends", " end")+" before the last column; missing cells count as empty.")
	}
	if w := r.worths; w.count > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%s an amount in a currency, such as %q, which is not compared.", console.Counted(w.count, "fee")+console.Verb(w.count, " has", " have"), w.example))
	}
}

// place returns the number of a field's column, from 1; 0 if there is none.
func (r *rowReader) place(of Field) int { return placeOf(r.columns, of) }

// placeOf returns the number of a field's column among some, from 1; 0 if there is none.
func placeOf(columns []Column, of Field) int {
	for _, c := range columns {
		if c.Field == of {
			return c.Place
		}
	}
	return 0
}

// fieldAt returns the field of a column, or "".
func (r *rowReader) fieldAt(place int) Field {
	for _, c := range r.columns {
		if c.Place == place {
			return c.Field
		}
	}
	return ""
}

// looksLikeTransaction reports whether a cell of a row starts like a hash or a transaction ID.
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

// figure returns the amount in the fee column.
func (r *rowReader) figure(rec *record) (amount, error) {
	place := r.place(Fee)
	if place > len(rec.cells) {
		return amount{}, errors.New("the fee column is empty")
	}
	form := r.amounts
	if form.unit == "" && r.assets.place > 0 {
		form.unit = Token // as the rows that state the asset
	}
	return readFee(&rec.cells[place-1], form)
}

// maxAmount exceeds the length of any amount, in bytes.
const maxAmount = 8 << 10

func readFee(c *cell, form amountForm) (amount, error) {
	text := c.value()
	switch {
	case c.err != nil:
		return amount{}, c.err
	case !utf8.ValidString(text):
		return amount{}, fmt.Errorf("it is %w", errNotUTF8)
	case len(text) > maxAmount:
		return amount{}, fmt.Errorf("%q is not an amount; it has %d characters", jsonscan.Excerpt(text), utf8.RuneCountInString(text))
	case c.number:
		return form.readNumber(text)
	}
	return form.read(text)
}

// row converts a record. The problem is that of the first unreadable cell.
func (r *rowReader) row(rec *record) (row Row, problem *Problem) {
	row.Line = rec.line
	switch {
	case len(rec.cells) > len(r.header):
		return row, &Problem{Line: rec.line, Err: fmt.Errorf("it has %d columns, but the header has %d; quote values that contain a separator, or use --skip-rows if the row is not a transaction", len(rec.cells), len(r.header))}
	case len(rec.cells) < len(r.header):
		return row, &Problem{Line: rec.line, Err: fmt.Errorf("it ends after %s, but the header has %d; the file may be truncated. Use --skip-rows if the row is not a transaction", console.Counted(len(rec.cells), "column"), len(r.header))}
	}
	fee := r.place(Fee)
	r.feeRow.move(rec, fee, r.place(Asset))
	if r.profile != nil {
		if row.LeftOut = r.profile.prepare(rec, &r.labels); row.LeftOut != "" {
			return row, nil
		}
	}
	form, leftOut, other, err := r.assets.read(rec, &rec.cells[fee-1], r.amounts)
	if err != nil {
		return row, &Problem{Line: rec.line, Column: fee, Name: r.header[fee-1], Value: rec.cells[fee-1].value(), Err: err}
	}
	if row.Other = other; other.Name != "" && other.Name != r.assets.alias {
		r.readOther(&row, rec, form)
		return row, nil
	}
	if row.LeftOut = leftOut; leftOut != "" {
		return row, nil
	}
	if r.profile != nil {
		r.profile.dropOtherNames(rec)
	}
	for i := range r.columns {
		c := &r.columns[i]
		if err := r.read(&row, c.Field, &rec.cells[c.Place-1], form); err != nil {
			return row, &Problem{Line: rec.line, Column: c.Place, Name: c.Name, Value: rec.cells[c.Place-1].value(), Err: err}
		}
	}
	if _, named := row.key(); !named && row.Fee.IsZero() {
		row.LeftOut = noFee
	}
	if r.options.isView() {
		row.Listing = r.listing(rec)
	}
	if rec.short {
		r.short = append(r.short, rec.line)
	}
	return row, nil
}

// listing returns a checksum of what a row of a view lists: the company's own cells, in any case, except those that name
// the transaction or number the rows.
func (r *rowReader) listing(rec *record) (l listing) {
	sum := sha256.New()
	for i := range rec.cells[:min(r.own, len(rec.cells))] {
		named := slices.Contains([]Field{Hash, EVMHash, ExtrinsicHash, ID}, r.fieldAt(i+1))
		if !named && !slices.Contains(numberNames, plainName(r.header[i])) {
			fmt.Fprintf(sum, "%q,", strings.ToLower(rec.cells[i].value()))
		}
	}
	copy(l[:], sum.Sum(nil))
	return l
}

// numberNames are names of columns that number the rows.
var numberNames = []string{"", "no", "nr", "number", "row", "line", "index"}

// readOther reads a row that states another asset, which may be of another chain: what cannot be read is unknown.
func (r *rowReader) readOther(row *Row, rec *record, form amountForm) {
	decimals, worths := maps.Clone(r.decimals), r.worths
	for _, c := range r.columns {
		if err := r.read(row, c.Field, &rec.cells[c.Place-1], form); err != nil && c.Field == Fee {
			row.Other.Unread = err.Error()
		}
	}
	r.decimals, r.worths = decimals, worths
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
		row.Fee, row.Digits, row.Binary, row.Written = fee.wei, fee.digits, fee.binary, fee.written
		r.decimals[max(fee.decimals, r.options.decimalsOf(fee.wei))]++
		r.worths.add(fee.worth)
		return err
	case text == "", field == Asset:
		return nil
	case field == Date && r.profile != nil && r.options.DateFormat == "":
		row.Date = r.profile.date(c)
		return nil
	case field == Date && c.number:
		return known(&row.Date, func() (chain.Time, error) { return r.dates.cell(text) })
	case field == Date:
		return known(&row.Date, func() (chain.Time, error) { return r.dates.text(text) })
	case c.number:
		return fmt.Errorf("%q is stored as a number or a date; store it as text", jsonscan.Excerpt(text))
	case field == Account && r.labels.find(text) != "":
		row.Payer = r.labels.find(text)
		return nil
	case field == Account:
		return known(&row.Account, func() (chain.Address, error) { return r.parseAccount(text) })
	case field == ID:
		return known(&row.Place, func() (ledger.Place, error) { return parsePlace(text) })
	}
	into := map[Field]*chain.Optional[chain.Hash]{Hash: &row.Hash, EVMHash: &row.EVMHash, ExtrinsicHash: &row.ExtrinsicHash}[field]
	return known(into, func() (chain.Hash, error) { return parseHash(text) })
}

// maxHashes limits the hashes that are compared in a cell.
const maxHashes = 100

// bareHash returns the digits of a hash.
func bareHash(text string) string { return strings.TrimPrefix(strings.ToLower(text), "0x") }

// placeIn finds transaction IDs in a text, such as 25-7, but not dates.
var placeIn = regexp.MustCompile(`(?:^|[^0-9\-])([0-9]{1,10}-[0-9]{1,6})(?:$|[^0-9\-])`)

// hashIn finds hashes in a text, such as an explorer's URL.
var hashIn = regexp.MustCompile(`\b(?:0[xX])?[0-9a-fA-F]{64}\b`)

// asDigits replaces the letters that are mistaken for digits.
var asDigits = strings.NewReplacer("l", "1", "I", "1", "o", "0", "O", "0")

var errLetters = errors.New("the value has letters for digits: with 1 for l or I, and 0 for o or O, it is a hash")

// parseHash parses a hash, or the only one in a text, with or without 0x.
func parseHash(text string) (chain.Hash, error) {
	hash, err := chain.ParseHash(text)
	if err == nil {
		return hash, nil
	}
	found := hashIn.FindAllString(text, maxHashes)
	if len(found) == 0 {
		if _, typed := chain.ParseHash(asDigits.Replace(text)); typed == nil {
			err = errLetters
		}
		return hash, err
	}
	for _, other := range found[1:] {
		if !strings.EqualFold(bareHash(found[0]), bareHash(other)) {
			return chain.Hash{}, errTwoHashes(found[0], other)
		}
	}
	return chain.ParseHash("0x" + bareHash(found[0]))
}

// known sets a value if it can be read.
func known[T any](into *chain.Optional[T], read func() (T, error)) error {
	v, err := read()
	if err == nil {
		*into = chain.Some(v)
	}
	return err
}

// parseAccount parses an account that may name its chain.
func (r *rowReader) parseAccount(text string) (chain.Address, error) {
	short, a, err := addressbook.ParseAccount(text)
	if err == nil {
		err = addressbook.CheckChain(short, r.options.ShortName)
	}
	return a, err
}
