package reconcile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/sys/plain"
)

// profileRows reads the rows of a file by a profile.
type profileRows struct {
	*Profile
	only, except []placedCondition
	feeRow       feeRow
	hash         int   // its column, the first 1; 0 where the file has none
	hashIn       []int // columns that may have it instead
	account      int
	fee, asset   int
	sign         int // of the fees so far, where the file's sign means nothing: -1 below 0; 0 before the first
	other        int // rows that are left out, for they are of another kind
	noHash       int // and those that name no transaction
	dates        []*dateReader
}

// placedCondition is a condition with its columns.
type placedCondition struct {
	places []int // the first is 1
	values []namePattern
	why    string
}

// place finds the columns of conditions in a header.
func place(h header, list []condition) (placed []placedCondition) {
	for _, c := range list {
		p := placedCondition{why: c.Why}
		for _, name := range c.Columns {
			if at := h.place([]string{name}); at > 0 {
				p.places = append(p.places, at)
			}
		}
		for _, value := range c.Values {
			name, err := parsePattern(value)
			if err == nil {
				p.values = append(p.values, name)
			}
		}
		placed = append(placed, p)
	}
	return placed
}

// isMet reports whether a row meets a condition. One without its columns is met by none.
func (c *placedCondition) isMet(rec *record) bool {
	return slices.ContainsFunc(c.places, func(at int) bool {
		text := foldedName(rec.value(at))
		return slices.ContainsFunc(c.values, func(v namePattern) bool { return v.matches(text) })
	})
}

// value returns the text of a column, the first 1; "" where the row has none.
func (r *record) value(column int) string {
	if column < 1 || column > len(r.cells) {
		return ""
	}
	return r.cells[column-1].value()
}

// newProfileRows returns the reader of rows below a header; nil without a profile.
func newProfileRows(h header, columns []Column, o *Options) *profileRows {
	p := o.applied
	if p == nil {
		return nil
	}
	r := &profileRows{Profile: p, only: place(h, p.Only), except: place(h, p.Except)}
	r.account, r.fee, r.asset = placeOf(columns, Account), placeOf(columns, Fee), placeOf(columns, Asset)
	r.hash = cmp.Or(placeOf(columns, Hash), placeOf(columns, EVMHash), placeOf(columns, ExtrinsicHash), placeOf(columns, ID))
	for _, name := range p.HashIn {
		if at := h.place([]string{name}); at > 0 {
			r.hashIn = append(r.hashIn, at)
		}
	}
	if f := p.FeeRows; f != nil {
		r.feeRow = feeRow{place(h, []condition{f.condition})[0].isMet, h.place(f.Amount), h.place(f.Asset)}
	}
	for _, format := range append([]string{""}, p.DateFormats...) {
		if d, err := newDateReader(format, o.Zone); err == nil {
			r.dates = append(r.dates, d)
		}
	}
	return r
}

// prepare puts the hash, the account and the amount of a row where they are read, and returns why
// the row is left out; "" for a row with a fee of the company's.
func (r *profileRows) prepare(rec *record, labels *payerLabels) (leftOut string) {
	r.feeRow.move(rec, r.fee, r.asset)
	for i := range r.except {
		if c := &r.except[i]; c.isMet(rec) {
			return leaveOut(&r.other, c.why)
		}
	}
	for i := range r.only {
		if !r.only[i].isMet(rec) {
			return leaveOut(&r.other, "the row is not a network fee")
		}
	}
	r.findHash(rec)
	if account := rec.value(r.account); account != "" && !strings.HasPrefix(account, "0x") {
		if _, _, err := addressbook.ParseAccount(account); err != nil && labels.find(account) == "" { // the name of a wallet
			rec.cells[r.account-1] = cell{}
		}
	}
	if fee := rec.value(r.fee); r.Sign != "" {
		switch rest, below := unsigned(fee); {
		case r.Sign == "either" && !isNothing(fee):
			sign := 1
			if below {
				sign, rec.cells[r.fee-1].text = -1, rest
			}
			if r.sign = cmp.Or(r.sign, sign); r.sign != sign {
				rec.cells[r.fee-1].err = errOtherSign
			}
		case r.Sign == "negative" && !below && !isNothing(fee):
			return leaveOut(&r.other, "the amount was received, not paid")
		}
	}
	return ""
}

// errOtherSign reports a fee with another sign than the fees above it.
var errOtherSign = errors.New("its sign is not that of the fees above it; a fee and a refund are not told apart here, so correct the sign, or skip the row with --skip-rows")

// findHash looks for the hash of a row in other columns where its own has none.
func (r *profileRows) findHash(rec *record) {
	if r.hash == 0 || r.hash > len(rec.cells) || hashIn.MatchString(rec.value(r.hash)) {
		return
	}
	for _, at := range r.hashIn {
		if text := rec.value(at); hashIn.MatchString(text) {
			rec.cells[r.hash-1] = cell{text: text}
			return
		}
	}
}

// dropOtherNames empties the cell of a row's hash if it has neither a hash nor an ID, such as the name of an order.
func (r *profileRows) dropOtherNames(rec *record) {
	text := rec.value(r.hash)
	if r.hash > 0 && r.hash <= len(rec.cells) && !hashIn.MatchString(text) && !placeIn.MatchString(text) {
		rec.cells[r.hash-1] = cell{}
		r.noHash++
	}
}

// leaveOut counts a row that is left out.
func leaveOut(count *int, why string) string {
	*count++
	return why
}

// date reads a date in one of the profile's forms. One that none of them reads is not known: it is
// only shown.
func (r *profileRows) date(c *cell) (at chain.Optional[chain.Time]) {
	for _, d := range r.dates {
		read := d.text
		if c.number {
			read = d.cell
		}
		if t, err := read(c.value()); err == nil {
			return chain.Some(t)
		}
	}
	return at
}

// profileCounts are the rows of a file by kind.
type profileCounts struct {
	title, symbol        string
	fees                 int // with those in other assets
	noFee, other, noHash int
}

// counts returns the rows by kind.
func (r *profileRows) counts(a *assets) *profileCounts {
	c := &profileCounts{title: r.Title, symbol: a.symbol, fees: a.own - r.noHash, noFee: a.noFee, other: r.other, noHash: r.noHash}
	c.fees += a.left.sum()
	return c
}

// Summary returns the number of rows by kind: "Koinly bulk export, 412 rows: 396 fees of GLMR, 3 of
// other assets, 13 without a fee". incoming is the number of rows that other accounts sent, and
// otherAssets that of rows left out for their asset. It is "" for a file that no profile reads.
func (f *File) Summary(incoming, otherAssets int) string {
	c := f.counts
	if c == nil {
		return ""
	}
	text := fmt.Sprintf("%s, %s: %s of %s", jsonscan.Excerpt(c.title), console.Counted(f.Count, "row"), console.Counted(c.fees-incoming-otherAssets, "fee"), plain.Line(c.symbol))
	for _, kind := range []struct {
		count int
		name  string
	}{{otherAssets, "of other assets"}, {c.noFee, "without a fee"}, {incoming, "paid by another sender"}, {c.other, "of another kind"}, {c.noHash, "without a hash"}} {
		if kind.count > 0 {
			text += fmt.Sprintf(", %d %s", kind.count, kind.name)
		}
	}
	return text
}

// errTwoHashes reports the hashes of a cell that has several.
func errTwoHashes(a, b string) error {
	return fmt.Errorf("two hashes, %s and %s: leave the one of the row's transaction in the cell", a, b)
}
