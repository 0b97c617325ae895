package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/sys/plain"
)

// By is the grouping of fees into the entries of a summary.
type By string

// An entry has the fees of one transaction, of one day, or of one month.
const (
	ByTransaction By = "transaction"
	ByDay         By = "day"
	ByMonth       By = "month"
)

// advice returns how larger entries, whose amounts do not round to zero, are made.
func (b By) advice() string {
	switch b {
	case ByTransaction:
		return ". Book them together with --summarise day or --summarise month"
	case ByDay:
		return ". Book them together with --summarise month"
	}
	return ""
}

// SettingPrefix is the setting of what entry numbers begin with: two exports to the same books
// need different ones.
const SettingPrefix = "number prefix"

const defaultPrefix = "FEE-"

var prefixForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,29}$`)

// maxKeys bounds the memory of a summary by day or month: the postings of all its entries.
var maxKeys = 1_000_000

// Summary is the fees in the currency of the books, placed by the company's chart of accounts. Its entries are made
// again on each pass.
type Summary struct {
	composer
	Tie
	Files []*File // of the request's format

	layout     *layout
	priceNotes []string // on the prices, and on days without one
}

// Summarise reads the fees, checks that each can be booked, and finds which files the request's format needs.
func Summarise(ctx context.Context, payments *Payments, r Request) (s *Summary, err error) {
	s = &Summary{composer: composer{Request: r, payments: payments, verbatim: true}}
	s.NetworkSide = false // it has the company's side only
	own := settings{&r}
	switch prefix := own.get(SettingPrefix); {
	case r.Prices == nil:
		return nil, errors.New("a journal in the currency of the books needs prices")
	case r.Format.open == nil:
		return nil, fmt.Errorf("%q is not the format of an accounting system", r.Format.Name)
	case prefix != "" && !prefixForm.MatchString(prefix):
		return nil, own.wrong(SettingPrefix, "want at most 30 letters, digits, points, slashes and hyphens")
	}
	if err = own.check(); err == nil {
		s.layout, err = r.Format.open(own)
	}
	if err != nil {
		return nil, fmt.Errorf("--as %s: %w", r.Format.Name, err)
	}
	if r.After != nil {
		s.Files = slices.Clone(r.After.Files)
	}
	p := s.pass()
	for e, err := range p.entries(ctx) {
		if err == nil {
			err = p.tie.add(e)
		}
		if err == nil {
			err = s.plan(e)
		}
		if err != nil {
			return nil, err
		}
	}
	p.tie.finish()
	s.Tie, s.priceNotes = *p.tie, p.valuer.Sourced()
	return s, nil
}

// Each yields the entries: in the order of the chain, or of the days. The rounding entry is
// the last, and is there only if something was rounded.
func (s *Summary) Each(ctx context.Context) iter.Seq2[*Entry, error] { return s.pass().entries(ctx) }

// laidOut is an entry with the layout of its chain.
type laidOut struct {
	entry *Entry
	by    *layout
}

// all yields the entries of the files: those of the chains before, too.
func (s *Summary) all(ctx context.Context) iter.Seq2[laidOut, error] {
	return func(yield func(laidOut, error) bool) {
		if s.After != nil {
			for e, err := range s.After.all(ctx) {
				if !yield(e, err) {
					return
				}
			}
		}
		for e, err := range s.Each(ctx) {
			if !yield(laidOut{e, s.layout}, err) {
				return
			}
		}
	}
}

// pass is one reading of all fees.
type pass struct {
	*Summary
	tie    *Tie
	valuer *money.Valuer
	groups map[time.Time]map[Key]*Posting // by day, or by the last day of a month
	keys   int                            // in them
	assets map[Account]*assetSum
	last   time.Time // of the last entry
}

func (s *Summary) pass() *pass {
	return &pass{Summary: s, tie: newTie(s.Prices.Currency), valuer: s.Prices.Valuer(), groups: map[time.Time]map[Key]*Posting{}, assets: map[Account]*assetSum{}}
}

// assetSum is the sum of the entries on an asset account, exact and rounded.
type assetSum struct{ exact, posted decimal.Decimal }

func (p *pass) decimals() int32 { return int32(p.Prices.Currency.Decimals()) }

func (p *pass) entries(ctx context.Context) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		made := func(e *Entry) bool {
			e.round(p.decimals())
			p.count(e)
			return yield(e, nil)
		}
		for x, err := range p.payments.All(ctx) {
			var e *Entry
			if err == nil {
				e, err = p.book(ctx, x)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if e != nil && !made(e) {
				return
			}
		}
		for _, date := range slices.SortedFunc(maps.Keys(p.groups), time.Time.Compare) {
			if !made(p.grouped(date)) {
				return
			}
		}
		if err := p.valuer.Check(p.Partial); err != nil {
			yield(nil, err)
			return
		}
		if e := p.rounding(); e != nil {
			yield(e, nil)
		}
	}
}

// book values and places a fee. It returns its entry by transaction; otherwise it adds the fee to its group. A fee
// whose amount, payer or price is not known is only counted.
func (p *pass) book(ctx context.Context, x *Payment) (*Entry, error) {
	if !x.known() {
		p.tie.Undetermined++
		return nil, nil
	}
	at, timed := x.Time.Get()
	if !timed {
		return nil, fmt.Errorf("block %d: %w", x.Height, errNoTime)
	}
	paid, _ := x.Paid.Get()
	value, ok := money.Value(p.valuer, paid, x.Time).Get()
	if !ok {
		return nil, p.tie.Unpriced.plus(1, paid)
	}
	exact, err := decimal.NewFromString(value.Exact())
	if err != nil {
		return nil, err
	}
	e, err := p.composer.fee(ctx, x)
	if err != nil {
		return nil, err
	}
	if err := p.tie.fee(&PlacedFee{x, e.placed}, exact); err != nil {
		return nil, err
	}
	posting := e.Postings[0]
	posting.Exact, posting.Late = exact, value.Late()
	date := dayOf(at.Std().In(p.zone()))
	if p.By != ByTransaction {
		return nil, p.group(date, posting)
	}
	posting.Hash = x.Transaction.LayerHash().String()
	posting.Memo = fmt.Sprintf("fee %s %s of %s", x.Place(), text(x.Call), text(cmp.Or(e.placed.Facts.Label, p.Account(e.placed.Facts.Payer)))) + posting.remark()
	e.Reference, e.Date, e.Memo = p.number(x.Place()), date, fmt.Sprintf("%s transaction fee %s", text(p.Network), x.Place())
	return e, nil
}

// remark returns the end of the memo: whether a price is of an earlier day.
func (p *Posting) remark() string {
	if p.Late {
		return ", last known price"
	}
	return ""
}

// group adds a fee's posting to those of its day or month.
func (p *pass) group(date time.Time, fee *Posting) (err error) {
	if p.By == ByMonth {
		date = time.Date(date.Year(), date.Month()+1, 0, 0, 0, 0, 0, time.UTC)
	}
	if p.groups[date] == nil {
		p.groups[date] = map[Key]*Posting{}
	}
	sum := p.groups[date][fee.Key]
	if sum == nil {
		if p.keys++; p.keys > maxKeys {
			return fmt.Errorf("the journal has more than %d lines; name a shorter period, or fewer accounts and cost centres", maxKeys)
		}
		p.groups[date][fee.Key] = fee
		return nil
	}
	sum.Exact, sum.Late, sum.Fees = sum.Exact.Add(fee.Exact), sum.Late || fee.Late, sum.Fees+fee.Fees
	sum.Wei, err = sum.Wei.Add(fee.Wei)
	return err
}

// grouped is the entry of a day or a month, its postings in the order of their keys.
func (p *pass) grouped(date time.Time) *Entry {
	form, name := time.DateOnly, "20060102"
	if p.By == ByMonth {
		form, name = "2006-01", "200601"
	}
	period := date.Format(form)
	e := &Entry{Date: date, Postings: slices.SortedFunc(maps.Values(p.groups[date]), func(a, b *Posting) int { return a.Key.compare(&b.Key) })}
	e.Reference, e.Memo = p.number(date.Format(name)), fmt.Sprintf("%s transaction fees %s", text(p.Network), period)
	for _, posting := range e.Postings {
		posting.Memo = "fees " + period + posting.remark()
	}
	return e
}

// count adds an entry to the sums of the asset accounts.
func (p *pass) count(e *Entry) {
	if e.Date.After(p.last) {
		p.last = e.Date
	}
	for _, posting := range e.Postings {
		sum := p.assets[posting.Contra]
		if sum == nil {
			sum = &assetSum{}
			p.assets[posting.Contra] = sum
		}
		sum.exact, sum.posted = sum.exact.Add(posting.Exact), sum.posted.Add(posting.Amount)
	}
}

// rounding is the entry with what the asset accounts still need so that each has its exact total,
// rounded, and their sum is the rounded total; nil if they need nothing.
func (p *pass) rounding() *Entry {
	names := slices.Sorted(maps.Keys(p.assets))
	exact := make([]decimal.Decimal, len(names))
	for i, name := range names {
		exact[i] = p.assets[name].exact
	}
	parts := distribute(exact, p.decimals())
	account := Account(p.Chart.Setting(chart.SettingRounding))
	e := &Entry{Date: p.last, Rounding: true}
	e.Reference, e.Memo = p.number(p.last.Format("20060102")+"R"), fmt.Sprintf("%s transaction fees, rounding", text(p.Network))
	for i, name := range names {
		posting := &Posting{Key: Key{Account: account, Contra: name}, Amount: parts[i].Sub(p.assets[name].posted), Memo: "rounding of fees"}
		switch posting.Amount.Sign() {
		case 0:
			continue
		case -1:
			posting.Account, posting.Contra, posting.Amount = name, account, posting.Amount.Neg()
		}
		e.Postings = append(e.Postings, posting)
	}
	if len(e.Postings) == 0 {
		return nil
	}
	return e
}

// number is the number of an entry. The same fees have the same number each time.
func (p *pass) number(name string) string {
	symbol := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return -1
	}, p.Symbol)
	return cmp.Or(settings{&p.Request}.get(SettingPrefix), defaultPrefix) + symbol + "-" + name
}

// dayOf is a day as a date in UTC.
func dayOf(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// maxText is how many characters of a label or a call stand in a memo.
const maxText = 60

// text is a text from outside, in one line and not too long.
func text(outside string) string {
	runes := []rune(strings.Join(strings.Fields(plain.Line(outside)), " "))
	return string(runes[:min(len(runes), maxText)])
}
