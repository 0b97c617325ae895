package reconcile

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
)

// rowForm is how a record writes its rows, learned from those that were compared. It writes rows and amounts in the same
// form, and keeps only what the record's reader reads as meant.
type rowForm struct {
	reader  *rowReader
	samples map[Field]cell // the first of each field
	only    []required
	styles  []string // of a workbook's columns
}

// placedCell is a cell of a column, the first 1.
type placedCell struct {
	place int
	cell
}

// required is a condition of a profile, with a cell that meets it.
type required struct {
	placedCondition
	cell placedCell
	seen bool // the cell is one of the record's
}

// newRowForm returns the form of rows below a header.
func newRowForm(header *record, t *fileTable, o *Options) (*rowForm, error) {
	kept, _ := header.held()
	r := &fileReader{file: &File{}, table: t, options: o, above: []*record{kept}}
	if err := r.begin(kept); err != nil {
		return nil, ErrChanged // it could be read before
	}
	f := &rowForm{reader: r.rows, samples: map[Field]cell{}, styles: make([]string, maxColumns)}
	if p := r.rows.profile; p != nil {
		for _, c := range p.only {
			if len(c.places) == 0 || len(c.values) == 0 {
				continue // no row meets it
			}
			f.only = append(f.only, required{c, placedCell{c.places[0], cell{text: c.values[0].text}}, false})
		}
	}
	return f, nil
}

// copied returns a record whose cells can be changed, with as many as the header has.
func (f *rowForm) copied(rec *record) *record {
	own := *rec
	own.cells = slices.Clone(rec.cells)
	f.reader.fit(&own)
	return &own
}

// places returns the columns of a row's fee and its asset, the first 1.
func (f *rowForm) places(rec *record) (fee, asset int) {
	fee, asset = f.reader.place(Fee), f.reader.place(Asset)
	moves := []feeRow{f.reader.feeRow}
	if p := f.reader.profile; p != nil {
		moves = append(moves, p.feeRow)
	}
	for _, m := range moves {
		if m.isFee != nil && m.amount > 0 && m.asset > 0 && asset > 0 && isNothing(rec.value(fee)) && m.isFee(rec) {
			return m.amount, m.asset
		}
	}
	return fee, asset
}

// learn takes the samples that a compared row has.
func (f *rowForm) learn(rec *record) {
	fee, asset := f.places(rec)
	for _, c := range f.reader.columns {
		place := c.Place
		switch c.Field {
		case Fee:
			place = fee
		case Asset:
			place = asset
		}
		if _, known := f.samples[c.Field]; !known && rec.value(place) != "" {
			f.samples[c.Field] = rec.cells[place-1]
		}
	}
	for i := range f.only {
		c := &f.only[i]
		if c.seen {
			continue
		}
		for _, place := range c.places {
			if one := (placedCondition{places: []int{place}, values: c.values}); one.isMet(rec) {
				c.cell, c.seen = placedCell{place, rec.cells[place-1]}, true
				break
			}
		}
	}
}

// added returns the cells of a new row for a transaction that has none; false if no row can say it.
func (f *rowForm) added(i *Item) (cells []cell, ok bool) {
	t, _ := i.Transaction.Get()
	paid, known := i.Chain.Get()
	if !known || i.mayBeNamed {
		return nil, false
	}
	cells = make([]cell, len(f.reader.header))
	for i := range f.only {
		cells[f.only[i].cell.place-1] = f.only[i].cell.cell
	}
	for _, c := range f.reader.columns {
		cells[c.Place-1] = f.of(c.Field, &t)
	}
	fee, asset := f.reader.place(Fee), cell{}
	if place := f.reader.place(Asset); place > 0 {
		asset = cells[place-1]
	}
	sample := f.samples[Fee]
	for _, amount := range f.amounts(&sample, asset.value(), paid) {
		cells[fee-1] = amount
		row, ok := f.read(cells)
		if ok && f.states(row, paid) && row.names(&t) {
			return cells, true
		}
	}
	return nil, false
}

// read returns how the reader reads a row.
func (f *rowForm) read(cells []cell) (*Row, bool) {
	row, problem := f.reader.row(&record{cells: slices.Clone(cells)})
	return &row, problem == nil && (row.LeftOut == "" || row.LeftOut == noFee && row.Fee.IsZero())
}

// states reports whether a row's fee is an amount, with the decimals that the record keeps.
func (f *rowForm) states(row *Row, wei chain.Wei) bool {
	o := f.reader.options
	return row.Fee == wei || o.CutDecimals > 0 && o.isCut(row.Fee, wei, o.CutDecimals)
}

// names reports whether the row's identifiers are the transaction's.
func (r *Row) names(t *Transaction) bool {
	same := func(hash chain.Optional[chain.Hash], is ...chain.Hash) bool {
		h, known := hash.Get()
		return !known || slices.Contains(is, h)
	}
	named := r.Hash.Known() || r.EVMHash.Known() || r.ExtrinsicHash.Known() || r.Place.Known()
	return named && same(r.Hash, t.NameHash()) && same(r.EVMHash, t.NameHash()) && same(r.ExtrinsicHash, t.Hash) && or(r.Place, t.Place) == t.Place
}

// of returns the cell of a field other than the fee.
func (f *rowForm) of(field Field, t *Transaction) (c cell) {
	sample := f.samples[field]
	like := sample.value()
	switch field {
	case Hash:
		c.text = hashLike(like, chain.Some(t.NameHash()))
	case EVMHash:
		c.text = hashLike(like, t.EVMHash)
	case ExtrinsicHash:
		c.text = hashLike(like, chain.Some(t.Hash))
	case ID:
		c.text = t.Place.String()
	case Account:
		if payer, known := t.Payer.Get(); known {
			c.text = f.reader.options.Token().Account(payer)
			if like != "" && like == strings.ToLower(like) && strings.HasPrefix(c.text, "0x") {
				c.text = strings.ToLower(c.text)
			}
		}
	case Asset:
		c.text = cmp.Or(sample.text, f.reader.options.alias, f.reader.options.Symbol)
	case Date:
		return f.date(&sample, t)
	}
	return c
}

// hashLike writes a hash as an example does: with or without 0x.
func hashLike(example string, hash chain.Optional[chain.Hash]) string {
	h, known := hash.Get()
	if !known {
		return ""
	}
	if len(example) == 2*len(h) && hashIn.MatchString(example) {
		return bareHash(h.String())
	}
	return h.String()
}

// date returns the time of a transaction as the sample is written; an empty cell if it is unknown.
func (f *rowForm) date(sample *cell, t *Transaction) (c cell) {
	at, known := t.Time.Get()
	if !known {
		return c
	}
	readers := []*dateReader{f.reader.dates}
	if p := f.reader.profile; p != nil && f.reader.options.DateFormat == "" {
		readers = p.dates
	}
	for _, r := range readers {
		if form, ok := r.formOf(sample); ok {
			return cell{text: form.text(at.Std()), number: sample.number}
		}
	}
	return c
}

// amounts returns the ways to write an amount, that of the sample first. If the record keeps fewer decimals, so does the
// first: an amount with all of them would say that the others are not cut.
func (f *rowForm) amounts(sample *cell, asset string, wei chain.Wei) (list []cell) {
	form := f.reader.amounts
	stated, below := Unit(""), f.reader.options.Negative
	text := sample.value()
	if !sample.number {
		if outer, _, both := splitPair(text); both {
			text = outer
		}
		_, isBelow, unit, err := form.split(text)
		if err == nil {
			stated, below = unit, below || isBelow
		}
	}
	below = below || sample.number && strings.HasPrefix(text, "-")
	sign := ""
	if below && !wei.IsZero() {
		sign = "-"
	}
	unit := cmp.Or(stated, form.unit, unitNamed(asset, form.token.Symbol), Token)
	exact := console.Plain(console.Scaled(wei, unit.places(form.token)))
	plains := []string{exact}
	if o := f.reader.options; o.CutDecimals > 0 && unit == Token && console.Decimals(exact) > o.CutDecimals {
		plains = []string{console.WithDecimals(exact, o.CutDecimals), exact}
	}
	for _, plain := range plains {
		if sample.number {
			list = append(list, cell{text: sign + plain, number: true})
		}
		own := cell{text: sign + form.written(plain)}
		named := cell{text: own.text + " " + string(unit)}
		if stated != "" {
			named.text = own.text + " " + strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
			own, named = named, own
		}
		list = append(list, own, named)
	}
	return list
}

// written returns a plain number with the form's separators.
func (f amountForm) written(plain string) string {
	whole, fraction, hasFraction := strings.Cut(plain, ".")
	if f.thousands != 0 {
		for at := len(whole) - 3; at > 0; at -= 3 {
			whole = whole[:at] + string(f.thousands) + whole[at:]
		}
	}
	if hasFraction {
		return whole + string(f.decimal) + fraction
	}
	return whole
}

// corrected returns the cell of a row's fee with another amount, its column, and the fee that is read there; false if it
// cannot be written.
func (f *rowForm) corrected(rec *record, wei chain.Wei) (c placedCell, read chain.Wei, ok bool) {
	own := f.copied(rec)
	fee, asset := f.places(own)
	for _, amount := range f.amounts(&own.cells[fee-1], own.value(asset), wei) {
		own.cells[fee-1] = amount
		if row, ok := f.read(own.cells); ok && f.states(row, wei) {
			return placedCell{fee, amount}, row.Fee, true
		}
	}
	return c, read, false
}

// total returns the figure of a total row with another amount.
func (f *rowForm) total(rec *record, wei chain.Wei) (c placedCell, ok bool) {
	fee := f.reader.place(Fee)
	for _, figure := range f.amounts(&rec.cells[fee-1], rec.value(f.reader.place(Asset)), wei) {
		if read, err := readFee(&figure, f.reader.amounts); err == nil && read.wei == wei {
			return placedCell{fee, figure}, true
		}
	}
	return c, false
}
