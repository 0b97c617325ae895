package ledger

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
)

// unit is a stretch of time that has totals, and a seal of its own.
type unit int

const (
	daily   unit = iota // of UTC, counted from 1970
	monthly             // likewise
	unitCount
)

// unitNames are the units in the table seals.
var unitNames = [unitCount]string{daily: "day", monthly: "month"}

// noTime is the number of a unit for the blocks without a time.
const noTime = -1

// number tells which one a time in milliseconds is in.
func (u unit) number(ms int64) int64 {
	if u == daily {
		return ms / dayMS
	}
	t := time.UnixMilli(ms).UTC()
	return int64(t.Year()-1970)*12 + int64(t.Month()) - 1
}

// name is a unit of a number for people.
func (u unit) name(number int64) string {
	switch {
	case number == noTime:
		return "the blocks without a time"
	case u == daily:
		return Day(number).String()
	}
	return time.Date(1970, time.Month(1+number), 1, 0, 0, 0, 0, time.UTC).Format("2006-01")
}

// total is a table of sums over the sealed blocks. Its key comes first, and begins with the
// number of a unit, or of a part of one.
type total struct {
	name  string
	unit  unit
	parts int64 // how many of the first key are in a unit
	keys  []column
	sums  []field[Sums] // first those that not every table has
}

// columns are all, in the order of the layout.
func (t *total) columns() []column { return totalColumns[t.name] }

// totalColumns are made once, for every question of a stretch needs them.
var totalColumns = func() map[string][]column {
	list := map[string][]column{}
	for _, t := range totals {
		list[t.name] = slices.Concat(t.keys, columnsOf(t.sums))
	}
	return list
}()

// leading are the sums that come before those over transactions.
func (t *total) leading() []field[Sums] { return t.sums[:len(t.sums)-len(feeSums)] }

// byAccount tells whether its key names an account: it has a leaf for each first digit of
// one then, so that who asks for an account reads and checks a part.
func (t *total) byAccount() bool { return len(t.keys) == 2 && t.keys[1].name == "account" }

// The tables of totals.
const (
	quarterHours = iota
	days
	contractDays
	accountDays
	contractMonths
	accountMonths
	months
	totalCount
)

// Times are divided by the quarter of an hour because every time zone's days
// begin at one.
var totals = [totalCount]total{
	quarterHours:   {"quarter_hours", daily, dayMS / quarterHourMS, []column{{"quarter_hour", integer, state}}, blockSums},
	days:           {"days", daily, 1, dayKey, blockSums},
	contractDays:   {"contract_days", daily, 1, slices.Concat(dayKey, contractKey), feeSums},
	accountDays:    {"account_days", daily, 1, slices.Concat(dayKey, accountKey), accountSums},
	contractMonths: {"contract_months", monthly, 1, slices.Concat(monthKey, contractKey), feeSums},
	accountMonths:  {"account_months", monthly, 1, slices.Concat(monthKey, accountKey), feeSums},
	months:         {"months", monthly, 1, monthKey, blockSums},
}

var (
	dayKey      = []column{{"day", integer, state}}
	monthKey    = []column{{"month", integer, state}}
	accountKey  = []column{{"account", data, state}}
	contractKey = []column{{"layer", text, state}, {"call", text, state}, {"contract", data, state}}
)

// feeSums are the sums over transactions.
var feeSums = []field[Sums]{
	{name: "evm", mark: state, at: func(s *Sums) any { return &s.EVM }},
	{name: "native", mark: state, at: func(s *Sums) any { return &s.Native }},
	{name: "evm_failed", mark: state, at: func(s *Sums) any { return &s.EVMFailed }},
	{name: "native_failed", mark: state, at: func(s *Sums) any { return &s.NativeFailed }},
	{name: "outcome_unknown", mark: state, at: func(s *Sums) any { return &s.OutcomeUnknown }},
	{name: "undetermined", mark: state, at: func(s *Sums) any { return &s.Undetermined }},
	{name: "uncharged", mark: state, at: func(s *Sums) any { return &s.Uncharged }},
	{name: "unaccounted", mark: state, at: func(s *Sums) any { return &s.Unaccounted }},
	{name: "gas", mark: state, at: func(s *Sums) any { return &s.Gas }},
	{name: "fee", mark: state, at: func(s *Sums) any { return &s.Fee }},
	{name: "evm_fee", mark: state, at: func(s *Sums) any { return &s.EVMFee }},
	{name: "native_fee", mark: state, at: func(s *Sums) any { return &s.NativeFee }},
	{name: "priority_fee", mark: state, at: func(s *Sums) any { return &s.PriorityFee }},
	{name: "tip", mark: state, at: func(s *Sums) any { return &s.Tip }},
	{name: "charged", mark: state, at: func(s *Sums) any { return &s.Charged }},
	{name: "burned", mark: state, at: func(s *Sums) any { return &s.Burned }},
	{name: "treasury", mark: state, at: func(s *Sums) any { return &s.Treasury }},
	{name: "author", mark: state, at: func(s *Sums) any { return &s.Author }},
	{name: "drifts", mark: state, at: func(s *Sums) any { return &s.Drifts }},
	{name: "priority_unknown", mark: state, at: func(s *Sums) any { return &s.PriorityUnknown }},
	{name: "burned_unknown", mark: state, at: func(s *Sums) any { return &s.BurnedUnknown }},
	{name: "treasury_unknown", mark: state, at: func(s *Sums) any { return &s.TreasuryUnknown }},
	{name: "author_unknown", mark: state, at: func(s *Sums) any { return &s.AuthorUnknown }},
	{name: "priced_gas", mark: state, at: func(s *Sums) any { return &s.PricedGas }},
	{name: "priced", mark: state, at: func(s *Sums) any { return &s.Priced }},
}

// What some tables have before them.
var (
	blockSums = append([]field[Sums]{
		{name: "blocks", mark: state, at: func(s *Sums) any { return &s.Blocks }},
		{name: "inherents", mark: state, at: func(s *Sums) any { return &s.Inherents }},
	}, feeSums...)
	accountSums = append([]field[Sums]{
		{name: "movements", mark: state, at: func(s *Sums) any { return &s.Movements }},
		{name: "transfers", mark: state, at: func(s *Sums) any { return &s.Transfers }},
	}, feeSums...)
	everySum = slices.Concat(blockSums[:2], accountSums)
)

// Sums are what transactions add up to. An amount that is not known adds nothing, and is
// counted: where a count is not 0, the sum is not known.
type Sums struct {
	Blocks, Inherents uint64 // 0 in sums by account or contract
	// Movements and Transfers are an account's rows of the tables of these names; 0 in
	// other sums. A transfer to oneself is one.
	Movements, Transfers uint64
	EVM, Native          uint64 // transactions
	fee.OutcomeCounts           // of them
	Undetermined         uint64 // without a fee
	Uncharged            uint64 // of which it is not known what the chain charged
	Unaccounted          uint64 // of which it is known what they were charged, and not where all of that went
	Gas                  uint64
	Fee                  chain.Wei
	EVMFee               chain.Wei
	NativeFee            chain.Wei
	PriorityFee          chain.Wei
	Tip                  chain.Wei
	Charged              chain.Wei
	Burned               chain.Wei
	Treasury             chain.Wei
	Author               chain.Wei
	Drifts               uint64 // transactions whose fee is not what the chain charged
	PriorityUnknown      uint64 // EVM transactions with a fee of which it is not known how much is priority fee
	// Of so many transactions it is not known how much was burned, or went to treasury or author.
	BurnedUnknown, TreasuryUnknown, AuthorUnknown uint64
	// PricedGas is the gas of the EVM transactions whose gas price and fee are known, and
	// Priced is Σ gas price × gas of them.
	PricedGas uint64
	Priced    chain.Wei
}

// Add adds other sums. It is chain.ErrOverflow where one is more than a column holds.
func (s *Sums) Add(x *Sums) (err error) {
	for _, f := range everySum {
		switch a := f.at(s).(type) {
		case *uint64:
			n := *f.at(x).(*uint64)
			if n > math.MaxInt64-*a {
				err = chain.ErrOverflow
			}
			*a += n
		case *chain.Wei:
			if w := f.at(x).(*chain.Wei); !w.IsZero() {
				*a, err = a.Add(*w)
			}
		}
		if err != nil {
			return fmt.Errorf("the sum of %s: %w", f.name, err)
		}
	}
	return nil
}

// tally adds up the totals of some blocks: for each table, sums by key.
type tally struct {
	sums [totalCount]map[string]*tallied
	key  encoder
}

// tallied are the sums under one key. Most accounts of a block that moves very many paid no
// fee.
type tallied struct {
	key                  row
	movements, transfers uint64
	paid                 *Sums // by transactions, of the rest; nil where there are none
}

// add adds sums of transactions.
func (x *tallied) add(sums *Sums) error {
	if x.paid == nil {
		x.paid = new(Sums)
	}
	return x.paid.Add(sums)
}

// sums are all.
func (x *tallied) sums() (s Sums) {
	if x.paid != nil {
		s = *x.paid
	}
	s.Movements, s.Transfers = x.movements, x.transfers
	return s
}

func newTally() *tally {
	var t tally
	for i := range t.sums {
		t.sums[i] = map[string]*tallied{}
	}
	return &t
}

// size is how many totals there are.
func (t *tally) size() (n int) {
	for _, sums := range t.sums {
		n += len(sums)
	}
	return n
}

const (
	dayMS         = 86_400_000
	quarterHourMS = dayMS / 96
)

// noContract is the key of transactions that called none, for a key holds no null.
var noContract = []byte{}

// Where a block's row has what its leaves need.
var (
	hashColumn   = tables[blocks].of("hash")
	parentColumn = tables[blocks].of("parent_hash")
	timeColumn   = tables[blocks].of("time_ms")
	rulesColumn  = tables[blocks].of("rules")
	finalColumn  = tables[blocks].of("final")
	costsColumn  = tables[blocks].of("costs")
	leavesColumn = tables[blocks].of("leaves")
	payerColumn  = tables[transactions].of("payer")
)

// block adds a block with its transactions, and what it adds beyond their costs. A block
// without a time is in no total.
func (t *tally) block(b *Block, costs []Cost, more *additions) (err error) {
	at, ok := b.Time.Get()
	if !ok {
		return nil
	}
	ms := at.Std().UnixMilli()
	var quarterHour, day, month value = ms / quarterHourMS, daily.number(ms), monthly.number(ms)
	whole := Sums{Blocks: 1, Inherents: b.Inherents}
	add := func(table int, x *Sums, key ...value) {
		if err == nil {
			err = t.add(table, x, key...)
		}
	}
	for i := range costs {
		c := &costs[i]
		x, failed := SumsOf(c)
		if failed != nil {
			return fmt.Errorf("extrinsic %d: %w", c.Index, failed)
		}
		layer, call, contract := encode((*string)(&c.Layer)), encode(&c.Call), value(noContract)
		if to, ok := c.Recipient.Get(); ok && x.EVM > 0 {
			contract = to[:]
		}
		add(contractDays, &x, day, layer, call, contract)
		add(contractMonths, &x, month, layer, call, contract)
		if account, ok := c.Payer.Get(); ok {
			var payer value = account[:]
			add(accountDays, &x, day, payer)
			add(accountMonths, &x, month, payer)
		}
		if err == nil {
			err = whole.Add(&x)
		}
	}
	for i := range more.accounts {
		a := &more.accounts[i]
		x := t.of(accountDays, day, a.account)
		x.movements, x.transfers = x.movements+a.movements, x.transfers+a.transfers
	}
	add(quarterHours, &whole, quarterHour)
	add(days, &whole, day)
	add(months, &whole, month)
	return err
}

// costsOfRows are those of transactions' rows.
func costsOfRows(rows []row) ([]Cost, error) {
	list := make([]Cost, len(rows))
	for i, r := range rows {
		for n, place := range packedColumns {
			if err := decode(costFields[n].at(&list[i]), r[place]); err != nil {
				return nil, fmt.Errorf("extrinsic %v: %w: column %s: %w", r[1], ErrDamaged, costFields[n].name, err)
			}
		}
	}
	return list, nil
}

// SumsOf are those of a transaction. It is chain.ErrOverflow where its gas price × gas is more
// than an amount can be.
func SumsOf(c *Cost) (s Sums, err error) {
	s.Fee, s.PriorityFee, s.Tip, s.Charged = or(c.Fee), or(c.PriorityFee), or(c.Tip), or(c.Charged)
	s.Burned, s.Treasury, s.Author, s.Gas = or(c.Burned), or(c.Treasury), or(c.Author), or(c.Gas).Uint64()
	if !c.Fee.Known() {
		s.Undetermined = 1
	}
	switch {
	case !c.Charged.Known():
		s.Uncharged = 1
	case !c.Burned.Known() || !c.Treasury.Known() || !c.Author.Known():
		s.Unaccounted = 1
	}
	for _, part := range [...]struct {
		known bool
		count *uint64
	}{{c.Burned.Known(), &s.BurnedUnknown}, {c.Treasury.Known(), &s.TreasuryUnknown}, {c.Author.Known(), &s.AuthorUnknown}} {
		if !part.known {
			*part.count = 1
		}
	}
	if c.Verdict == evidence.Drift {
		s.Drifts = 1
	}
	s.CountOutcome(c.Layer, c.Outcome)
	if c.Layer != fee.EVM {
		s.Native, s.NativeFee = 1, s.Fee
		return s, nil
	}
	s.EVM, s.EVMFee = 1, s.Fee
	if c.Fee.Known() && !c.PriorityFee.Known() {
		s.PriorityUnknown = 1
	}
	price, priced := c.GasPrice.Get()
	gas, used := c.Gas.Get()
	if priced && used && c.Fee.Known() {
		s.PricedGas = gas.Uint64()
		if s.Priced, err = price.Times(gas); err != nil {
			err = fmt.Errorf("gas price × gas: %w", err)
		}
	}
	return s, err
}

func (t *tally) add(table int, x *Sums, key ...value) error { return t.of(table, key...).add(x) }

// of are the sums under a key.
func (t *tally) of(table int, key ...value) *tallied {
	t.key.buffer = t.key.buffer[:0]
	for _, v := range key {
		t.key.value(v)
	}
	have := t.sums[table][string(t.key.buffer)]
	if have == nil {
		have = &tallied{key: append(row{}, key...)}
		t.sums[table][string(t.key.buffer)] = have
	}
	return have
}

// keyOf is a key that can be compared and ordered.
func keyOf(key row) string {
	var e encoder
	for _, v := range key {
		e.value(v)
	}
	return string(e.buffer)
}

// sorted are the sums of a table by key, so that the book is written in one order.
func (t *tally) sorted(table int) []*tallied {
	list := make([]*tallied, 0, len(t.sums[table]))
	for _, k := range slices.Sorted(maps.Keys(t.sums[table])) {
		list = append(list, t.sums[table][k])
	}
	return list
}

// upsert is the statement that adds sums under a key: some of the table's, and nothing to
// the others.
func (t *total) upsert(d *dialect, sums []field[Sums]) string {
	var set []string
	for _, c := range sums {
		old, added := t.name+"."+c.name, "excluded."+c.name
		if _, ok := c.at(new(Sums)).(*chain.Wei); ok {
			set = append(set, c.name+" = "+d.plus(old, added))
		} else {
			set = append(set, c.name+" = "+old+" + "+added)
		}
	}
	return "INSERT INTO " + t.name + " (" + columnList(t.columns()) + ") " + d.values(t.columns()[:len(t.keys)+len(sums)], len(t.sums)-len(sums)) +
		" ON CONFLICT (" + columnList(t.keys) + ") DO UPDATE SET " + strings.Join(set, ", ")
}
