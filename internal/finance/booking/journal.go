package booking

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

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/money"
)

// By is the grouping of fees into entries.
type By string

// An entry has the fees of one transaction, of one day, or of one month.
const (
	ByTransaction By = "transaction"
	ByDay         By = "day"
	ByMonth       By = "month"
)

// Payments are the fees that accounts paid; *[journal.Payments] is one.
type Payments interface {
	All(ctx context.Context) iter.Seq2[*journal.Payment, error]
}

// Question contains the inputs of a journal.
type Question struct {
	Placer
	Prices        *money.List
	Partial       bool // book what has a price
	By            By
	Zone          *time.Location // whose days and months the entries are of
	Network       string
	console.Token // the network's
}

// SettingPrefix is the setting of what entry numbers begin with: two exports to the same books
// need different ones.
const SettingPrefix = "number prefix"

const defaultPrefix = "FEE-"

var prefixForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,29}$`)

// maxKeys bounds the memory of a journal by day or month: the postings of all its entries.
var maxKeys = 1_000_000

// Journal is the entries of a question. They are made again on each pass.
type Journal struct {
	Question
	Tie
	PriceNotes []string // on the prices, and on days without one
	payments   Payments
}

// Make reads the fees, and checks that each can be booked.
func Make(ctx context.Context, payments Payments, q Question) (*Journal, error) {
	if q.Zone == nil {
		q.Zone = time.UTC
	}
	j := &Journal{Question: q, payments: payments}
	if j.Prices == nil {
		return nil, errors.New("a journal in the currency of the books needs prices")
	}
	if prefix := q.Chart.Setting(SettingPrefix); prefix != "" && !prefixForm.MatchString(prefix) {
		return nil, settings{&q}.wrong(SettingPrefix, "want at most 30 letters, digits, points, slashes and hyphens")
	}
	p := pass{Journal: j, tie: newTie(j.Prices.Currency)}
	for e, err := range p.entries(ctx) {
		if err != nil {
			return nil, err
		}
		if err := p.tie.add(e); err != nil {
			return nil, err
		}
	}
	p.tie.finish()
	j.Tie, j.PriceNotes = *p.tie, p.valuer.Sourced()
	return j, nil
}

// Each hands over the entries: by the order of the chain, or of the days. The rounding entry is
// the last, and is there only if something was rounded.
func (j *Journal) Each(ctx context.Context) iter.Seq2[*Entry, error] {
	return (&pass{Journal: j, tie: newTie(j.Prices.Currency)}).entries(ctx)
}

// pass is one reading of all fees.
type pass struct {
	*Journal
	tie    *Tie
	valuer *money.Valuer
	assets map[string]*assetSum
	last   time.Time // of the last entry
}

// assetSum is the sum of the entries on an asset account, exact and rounded.
type assetSum struct{ exact, posted decimal.Decimal }

func (p *pass) decimals() int32 { return int32(p.Prices.Currency.Decimals()) }

func (p *pass) entries(ctx context.Context) iter.Seq2[*Entry, error] {
	p.valuer, p.assets = p.Prices.Valuer(), map[string]*assetSum{}
	return func(yield func(*Entry, error) bool) {
		all := p.grouped
		if p.By == ByTransaction {
			all = p.single
		}
		for e, err := range all(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			e.round(p.decimals())
			p.count(e)
			if !yield(e, nil) {
				return
			}
		}
		if err := p.check(); err != nil {
			yield(nil, err)
			return
		}
		if e := p.rounding(); e != nil {
			yield(e, nil)
		}
	}
}

// booked is a fee that can be booked.
type booked struct {
	*journal.Payment
	key    Key
	at     time.Time // in the zone
	exact  decimal.Decimal
	paid   chain.Wei
	placed *Placed
	late   bool // valued at the last known price of an earlier day
}

// fees are those that can be booked. The others are counted.
func (p *pass) fees(ctx context.Context) iter.Seq2[*booked, error] {
	return func(yield func(*booked, error) bool) {
		for x, err := range p.payments.All(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			b, err := p.book(ctx, x)
			if (err != nil || b != nil) && !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// book values and places a fee; nil where its amount, payer or price is not known.
func (p *pass) book(ctx context.Context, x *journal.Payment) (*booked, error) {
	paid, known := x.Paid.Get()
	if !known || !x.Payer.Known() {
		p.tie.Undetermined++
		return nil, nil
	}
	at, ok := x.Time.Get()
	if !ok {
		return nil, fmt.Errorf("block %d does not state its time, so its fees have no day: %w", x.Height, chain.ErrMissing)
	}
	value, ok := money.Value(p.valuer, paid, x.Time).Get()
	if !ok {
		return nil, p.tie.unpriced(paid)
	}
	exact, err := decimal.NewFromString(value.Exact())
	if err != nil {
		return nil, err
	}
	placed, err := p.Place(ctx, x)
	if err != nil {
		return nil, err
	}
	key, err := placed.key()
	if err != nil {
		return nil, err
	}
	if err := p.tie.fee(x, paid, exact, placed); err != nil {
		return nil, err
	}
	return &booked{x, key, at.Std().In(p.Zone), exact, paid, placed, value.Late()}, nil
}

// single are entries of one transaction each.
func (p *pass) single(ctx context.Context) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		for b, err := range p.fees(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			hash := b.Hash.String()
			if evm, ok := b.EVMHash.Get(); ok {
				hash = evm.String()
			}
			e := &Entry{
				Number: p.number(b.Place()), Date: dayOf(b.at),
				Memo: fmt.Sprintf("%s transaction fee %s", text(p.Network), b.Place()),
				Postings: []*Posting{{
					Key: b.key, Exact: b.exact, Tokens: Tokens{b.paid, 1}, Hash: hash,
					Memo: fmt.Sprintf("fee %s %s of %s", b.Place(), text(b.Call), text(cmp.Or(b.placed.Facts.Label, p.Account(b.placed.Facts.Payer)))),
					Late: b.late,
				}},
			}
			e.Postings[0].Memo += e.Postings[0].remark()
			if !yield(e, nil) {
				return
			}
		}
	}
}

// grouped are entries of one day or month each, in their order.
func (p *pass) grouped(ctx context.Context) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		groups, err := p.groups(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, date := range slices.SortedFunc(maps.Keys(groups), time.Time.Compare) {
			form, name := time.DateOnly, "20060102"
			if p.By == ByMonth {
				form, name = "2006-01", "200601"
			}
			period := date.Format(form)
			e := &Entry{Number: p.number(date.Format(name)), Date: date, Memo: fmt.Sprintf("%s transaction fees %s", text(p.Network), period)}
			for _, posting := range groups[date] {
				posting.Memo = "fees " + period + posting.remark()
				e.Postings = append(e.Postings, posting)
			}
			e.sort()
			if !yield(e, nil) {
				return
			}
		}
	}
}

// groups are the postings of each day, or of each month by its last day.
func (p *pass) groups(ctx context.Context) (map[time.Time]map[Key]*Posting, error) {
	groups, keys := map[time.Time]map[Key]*Posting{}, 0
	for b, err := range p.fees(ctx) {
		if err != nil {
			return nil, err
		}
		date := dayOf(b.at)
		if p.By == ByMonth {
			date = time.Date(date.Year(), date.Month()+1, 0, 0, 0, 0, 0, time.UTC)
		}
		if groups[date] == nil {
			groups[date] = map[Key]*Posting{}
		}
		posting := groups[date][b.key]
		if posting == nil {
			if keys++; keys > maxKeys {
				return nil, fmt.Errorf("the journal has more than %d lines; name a shorter period, or fewer accounts and cost centres", maxKeys)
			}
			posting = &Posting{Key: b.key}
			groups[date][b.key] = posting
		}
		posting.Exact, posting.Late = posting.Exact.Add(b.exact), posting.Late || b.late
		if posting.Tokens, err = posting.Tokens.plus(Tokens{b.paid, 1}); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// count adds an entry to the sums of the asset accounts.
func (p *pass) count(e *Entry) {
	if e.Date.After(p.last) {
		p.last = e.Date
	}
	for _, posting := range e.Postings {
		sum := p.assets[posting.Credit]
		if sum == nil {
			sum = &assetSum{}
			p.assets[posting.Credit] = sum
		}
		sum.exact, sum.posted = sum.exact.Add(posting.Exact), sum.posted.Add(posting.Amount)
	}
}

// check requires all prices, unless a part of them is enough.
func (p *pass) check() error { return p.valuer.Check(p.Partial) }

// rounding is the entry with what the asset accounts still need so that each has its exact total,
// rounded, and all together have the rounded total; nil if they need nothing.
func (p *pass) rounding() *Entry {
	names := slices.Sorted(maps.Keys(p.assets))
	exact := make([]decimal.Decimal, len(names))
	for i, name := range names {
		exact[i] = p.assets[name].exact
	}
	parts, _ := distribute(exact, p.decimals())
	account := p.Chart.Setting(chart.SettingRounding)
	e := &Entry{Number: p.number(p.last.Format("20060102") + "R"), Date: p.last, Memo: fmt.Sprintf("%s transaction fees, rounding", text(p.Network)), Rounding: true}
	for i, name := range names {
		rest := parts[i].Sub(p.assets[name].posted)
		posting := &Posting{Key: Key{Debit: account, Credit: name}, Amount: rest, Memo: "rounding of fees"}
		switch rest.Sign() {
		case 0:
			continue
		case -1:
			posting.Debit, posting.Credit, posting.Amount = name, account, rest.Neg()
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
	return cmp.Or(p.Chart.Setting(SettingPrefix), defaultPrefix) + symbol + "-" + name
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
	runes := []rune(strings.Join(strings.Fields(console.Printable(outside)), " "))
	return string(runes[:min(len(runes), maxText)])
}
