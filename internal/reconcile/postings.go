package reconcile

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/jsonscan"
)

// A general ledger states no transactions, only postings to accounts. The postings of one account in a period add up to
// its total.

// Postings are what an export of a general ledger posts to some accounts, and to their sub-accounts.
type Postings struct {
	Sum     chain.SignedWei // debits minus credits of the period
	Count   int             // postings dated in the period
	Outside int             // postings dated outside it, which are not in Sum
	SHA256  [sha256.Size]byte
}

// ReadPostings reads the postings to accounts from an export of a general ledger, csv or xlsx: a list with a column of
// accounts, such as the Journal report or the journal import of QuickBooks, a report with a section for each account, such
// as its General Ledger, or a Buchungsstapel of DATEV. Amounts are in the token or the currency of the options. An account
// is named as in the file, or by the number before its name. Only postings whose date in satisfies are summed up.
func ReadPostings(ctx context.Context, r io.Reader, accounts []string, in func(chain.Time) bool, o Options) (*Postings, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	from := bounded(ctx, io.TeeReader(r, sum))
	isBatch := false
	start, _ := from.Peek(8) // openTable reports the error
	if text, hasMark := bytes.CutPrefix(start, []byte(marks[0].mark)); isDATEV(strings.Trim(string(text[:min(len(text), 5)]), `";,`)) {
		isBatch = true
		o.Separator, o.Decimal, o.Thousands = ';', ',', 0
		if o.Encoding == "" && !hasMark {
			o.Encoding = Windows1252
		}
	} else if o.Thousands == 0 && o.Decimal == '.' {
		o.Thousands = ',' // reports of QuickBooks
	}
	o.isHeader = func(fields []string) bool { return isBatch || postingColumnsOf(fields) != nil }
	t, err := openTable(ctx, from, &o)
	if err != nil {
		return nil, err
	}
	defer t.close()
	p := &postings{accounts: accounts, found: map[string]bool{}, in: in, options: &o, form: amountForm{unit: Token, token: o.Token(), decimal: o.Decimal, thousands: o.Thousands}}
	if p.dates, err = newDateReader(o.DateFormat, o.Zone); err != nil {
		return nil, err
	}
	p.dates.from1904 = t.from1904
	for rec, err := range t.records {
		if err == nil {
			err = p.take(rec)
		}
		if err != nil {
			return nil, err
		}
	}
	if _, err = io.Copy(io.Discard, from); err == nil {
		err = p.end()
	}
	sum.Sum(p.SHA256[:0])
	return &p.Postings, err
}

// postingColumns are the places of the columns; 0 where there is none.
type postingColumns struct {
	account, contra, date, amount, side, debit, credit int
	currency, base, baseCurrency                       int
	taxKey, reversal                                   int
}

// postingColumnsOf returns the columns of a header of postings; nil if it is another row.
func postingColumnsOf(names []string) *postingColumns {
	place := func(of ...string) int {
		return 1 + slices.IndexFunc(names, func(name string) bool {
			return slices.Contains(of, strings.ToLower(strings.Trim(strings.TrimSpace(name), "*")))
		})
	}
	c := &postingColumns{
		account: place("account", "accountname", "account name", "accountcode", "account code", "account no.", "g/l account", "full account name", "distribution account", "konto"),
		contra:  place("gegenkonto (ohne bu-schlüssel)", "gegenkonto"),
		date:    place("date", "journaldate", "posting date", "transaction date", "belegdatum"),
		amount:  place("amount", "umsatz (ohne soll/haben-kz)"), side: place("soll/haben-kennzeichen"),
		debit: place("debit", "debits", "soll"), credit: place("credit", "credits", "haben"),
		currency: place("currency", "wkz umsatz"), base: place("basis-umsatz"), baseCurrency: place("wkz basis-umsatz"),
		taxKey: place("bu-schlüssel"), reversal: place("generalumkehr (gu)"),
	}
	if c.date == 0 || c.amount == 0 && (c.debit == 0 || c.credit == 0) {
		return nil
	}
	return c
}

// postings reads the rows of an export.
type postings struct {
	Postings
	accounts []string
	in       func(chain.Time) bool
	options  *Options
	form     amountForm
	dates    *dateReader
	columns  *postingColumns
	batch    batch
	rows     int
	date     chain.Optional[chain.Time] // of the entry
	seen     []string                   // some accounts of the file
	found    map[string]bool            // the accounts that it has

	// Of a report whose accounts are not a column.
	path     []string        // the open sections
	isParent bool            // the last one has sections
	section  chain.SignedWei // its postings
}

const (
	// maxSeen limits the accounts that are remembered for a message.
	maxSeen = 100
	// maxDepth limits the sections inside each other.
	maxDepth = 20
)

// take reads a row.
func (p *postings) take(rec *record) error {
	if p.rows++; p.rows > maxRows {
		return errRows
	}
	switch {
	case p.columns == nil && isDATEV(rec.value(1)):
		return p.batch.read(rec)
	case p.columns == nil:
		p.columns = postingColumnsOf(rec.header())
		return nil
	case p.columns.account == 0:
		return p.sectionRow(rec)
	}
	account, contra := rec.value(p.columns.account), rec.value(p.columns.contra)
	if account == "" { // a total of the report
		return nil
	}
	p.see(account)
	if contra != "" {
		p.see(contra)
	}
	if rec.value(p.columns.date) != "" { // the other rows of an entry may leave it out
		p.date = p.readDate(rec)
	}
	isOwn := p.named(account)
	if isOwn == p.named(contra) {
		return nil
	}
	amount, err := p.amountOf(rec)
	if err != nil {
		return inLine(rec, err)
	}
	if !isOwn {
		amount = amount.Negated()
	}
	return p.add(rec, amount)
}

// sectionRow reads a row of a report with a section for each account: a line with its name, postings, a total.
func (p *postings) sectionRow(rec *record) error {
	title := rec.value(1)
	if total, is := strings.CutPrefix(title, "Total "); is {
		return p.endSection(rec, strings.TrimPrefix(total, "for "))
	}
	p.date = p.readDate(rec)
	amount, err := p.amountOf(rec)
	isOwn := p.isOwn()
	switch {
	case errors.Is(err, errNoPosting) && !p.date.Known():
		if title != "" && title != "Beginning Balance" {
			if len(p.path) == maxDepth {
				return p.errOpen()
			}
			p.path, p.isParent, p.section = append(p.path, title), false, chain.SignedWei{}
			p.see(strings.Join(p.path, ":"))
		}
		return nil
	case !isOwn:
		return nil
	case err != nil:
		return inLine(rec, err)
	}
	if p.section, err = p.section.Add(amount); err != nil {
		return err
	}
	return p.add(rec, amount)
}

// isOwn reports whether the open sections are those of the accounts.
func (p *postings) isOwn() bool {
	return slices.ContainsFunc(p.path, p.named) || p.named(strings.Join(p.path, ":"))
}

// endSection compares the report's total of a section with its postings.
func (p *postings) endSection(rec *record, name string) error {
	name, isWhole := strings.CutSuffix(name, " with sub-accounts")
	last := len(p.path) - 1
	switch at := slices.Index(p.path, name); {
	case at < 0 && isWhole && p.named(name): // its own postings have ended before
		return fmt.Errorf("line %d: the account %s has sub-accounts. Name one of them, or give the sum as the total", rec.line, shownName(name))
	case at < 0:
		return nil // of the whole report
	case at < last:
		return p.errOpen()
	}
	if p.isOwn() && !p.isParent {
		total, err := p.amountOf(rec)
		if err == nil && total != p.section {
			err = fmt.Errorf("line %d: the report's total of %s is %s, but its postings add up to %s. Export the report again", rec.line, shownName(name), p.shown(total), p.shown(p.section))
		}
		if err != nil {
			return inLine(rec, err)
		}
	}
	p.path, p.isParent = p.path[:last], true
	return nil
}

// errOpen reports a section whose end is unknown, and so are its postings.
func (p *postings) errOpen() error {
	return fmt.Errorf("the section %s has no total. Export the report with its totals", shownName(p.path[len(p.path)-1]))
}

func (p *postings) shown(amount chain.SignedWei) string {
	return console.Plain(p.form.token.Tokens(amount)) + " " + p.form.token.Symbol
}

// named reports whether a name in the file is one of the accounts or a sub-account.
func (p *postings) named(name string) bool { return p.account(name) != "" }

// account returns the account that a name in the file is, or whose sub-account it is; "" if none.
func (p *postings) account(name string) string {
	name = strings.ToLower(name)
	i := slices.IndexFunc(p.accounts, func(account string) bool {
		rest, ok := strings.CutPrefix(name, strings.ToLower(account))
		return ok && (rest == "" || rest[0] == ':' || rest[0] == ' ' && allDigits(account))
	})
	if i < 0 {
		return ""
	}
	return p.accounts[i]
}

// see keeps the name of an account for a message.
func (p *postings) see(name string) {
	p.found[p.account(name)] = true
	if len(p.seen) < maxSeen && !slices.Contains(p.seen, name) {
		p.seen = append(p.seen, name)
	}
}

// add adds a posting if it is dated in the period.
func (p *postings) add(rec *record, amount chain.SignedWei) (err error) {
	date, dated := p.date.Get()
	switch {
	case !dated:
		return &Problem{Line: rec.line, Column: p.columns.date, Name: "date", Err: fmt.Errorf("%q is not a date of the usual form. Name its form, such as --date-format mm/dd/yyyy or dd/mm/yyyy", jsonscan.Excerpt(rec.value(p.columns.date)))}
	case !p.in(date):
		p.Outside++
		return nil
	}
	p.Count++
	p.Sum, err = p.Sum.Add(amount)
	return err
}

// readDate reads the date of a row.
func (p *postings) readDate(rec *record) (none chain.Optional[chain.Time]) {
	text := rec.value(p.columns.date)
	if text == "" {
		return none
	}
	read := p.dates.text
	switch {
	case p.batch.isSet():
		read = func(text string) (chain.Time, error) { return p.batch.day(text, p.options.Zone) }
	case rec.cells[p.columns.date-1].number:
		read = p.dates.cell
	}
	date, err := read(text)
	if err != nil {
		return none
	}
	return chain.Some(date)
}

// errNoPosting reports a row without an amount.
var errNoPosting = errors.New("the posting has no amount")

// inLine adds the line to an error that lacks it.
func inLine(rec *record, err error) error {
	if errors.Is(err, errNoPosting) {
		return &Problem{Line: rec.line, Err: err}
	}
	return err
}

// amountOf reads a row's amount, positive for a debit. It returns errNoPosting if there is none.
func (p *postings) amountOf(rec *record) (amount chain.SignedWei, err error) {
	c := p.columns
	place := c.amount
	switch currency := cmp.Or(rec.value(c.currency), p.batch.currency); {
	case currency == "" || strings.EqualFold(currency, p.options.Symbol):
	case c.base > 0 && strings.EqualFold(rec.value(c.baseCurrency), p.options.Symbol):
		place = c.base
	default:
		return amount, &Problem{Line: rec.line, Column: c.currency, Name: "currency", Err: fmt.Errorf("the posting is in %s, not %s. Choose the ledger's currency with --fiat, or leave out --prices for the token", shownName(currency), p.options.Symbol)}
	}
	if key := rec.value(c.taxKey); key != "" && key != "0" && key != "40" { // 40: no automatic tax
		return amount, &Problem{Line: rec.line, Column: c.taxKey, Name: "BU-Schlüssel", Err: fmt.Errorf("the tax key %s divides the amount between the account and the tax. Give the account's total instead", shownName(key))}
	}
	if place > 0 {
		if amount, err = p.signed(rec, place); err != nil {
			return amount, err
		}
	} else {
		debit, errDebit := p.signed(rec, c.debit)
		credit, errCredit := p.signed(rec, c.credit)
		isOne := errDebit == nil && errors.Is(errCredit, errNoPosting) || errCredit == nil && errors.Is(errDebit, errNoPosting)
		if err := cmp.Or(errDebit, errCredit); err != nil && !isOne {
			return amount, err
		}
		if amount, err = debit.Add(credit.Negated()); err != nil {
			return amount, err
		}
	}
	switch side := rec.value(c.side); {
	case c.side > 0 && side != "S" && side != "H":
		return amount, &Problem{Line: rec.line, Column: c.side, Name: "Soll/Haben", Err: fmt.Errorf("%s is neither S nor H", shownName(side))}
	case (side == "H") != (strings.Trim(rec.value(c.reversal), "0") != ""):
		amount = amount.Negated()
	}
	return amount, nil
}

// signed reads an amount with its own sign; errNoPosting if there is none.
func (p *postings) signed(rec *record, place int) (chain.SignedWei, error) {
	var none chain.SignedWei
	text := strings.Trim(rec.value(place), "$€£ ")
	if text == "" {
		return none, errNoPosting
	}
	c := &rec.cells[place-1]
	_, isBelow, _, err := p.form.split(text)
	form := p.form
	form.negative = isBelow
	var a amount
	switch {
	case c.err != nil:
		err = c.err
	case err != nil:
	case c.number:
		a, err = form.readNumber(text)
	default:
		a, err = form.read(text)
	}
	if err != nil {
		return none, &Problem{Line: rec.line, Column: place, Name: "amount", Err: err}
	}
	if isBelow {
		return a.wei.Signed().Negated(), nil
	}
	return a.wei.Signed(), nil
}

// end reports what the file lacks.
func (p *postings) end() error {
	switch {
	case p.columns == nil:
		return errors.New("it has no header of a general ledger: a date, and an amount or debit and credit. Give the account's total instead")
	case len(p.seen) == 0:
		return errors.New("it has no postings")
	case len(p.path) > 0:
		return p.errOpen()
	}
	for _, account := range p.accounts {
		if account == "" || !p.found[account] {
			return fmt.Errorf("the account %s is not in it. It has %s", shownName(account), p.others())
		}
	}
	return nil
}

// others lists some accounts of the file.
func (p *postings) others() string {
	slices.Sort(p.seen)
	names := make([]string, len(p.seen))
	for i, name := range p.seen {
		names[i] = shownName(name)
	}
	return firstNames(names)
}
