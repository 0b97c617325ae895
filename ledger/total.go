package ledger

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
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
	name    string
	unit    unit
	parts   int64 // how many of the first key are in a unit
	keys    []column
	sums    []column                // integers and amounts
	leading func(s *Sums) []*uint64 // the counts that this table has before those of feeSums
	later   map[string]byte         // the columns that a later layout than the first brought, with that layout
}

// columns are all, in the order of the layout.
func (t *total) columns() []column { return slices.Concat(t.keys, t.sums) }

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
	totalCount
)

// Times are divided by the quarter of an hour because every time zone's days
// begin at one.
var totals = [totalCount]total{
	quarterHours:   {"quarter_hours", daily, dayMS / quarterHourMS, []column{{"quarter_hour", integer, state}}, blockSums, blockCounts, nil},
	days:           {"days", daily, 1, dayKey, blockSums, blockCounts, nil},
	contractDays:   {"contract_days", daily, 1, slices.Concat(dayKey, contractKey), feeSums, noCounts, nil},
	accountDays:    {"account_days", daily, 1, slices.Concat(dayKey, accountKey), accountSums, accountCounts, nil},
	contractMonths: {"contract_months", monthly, 1, slices.Concat(monthKey, contractKey), feeSums, noCounts, nil},
	accountMonths:  {"account_months", monthly, 1, slices.Concat(monthKey, accountKey), feeSums, noCounts, nil},
}

var (
	dayKey      = []column{{"day", integer, state}}
	monthKey    = []column{{"month", integer, state}}
	accountKey  = []column{{"account", data, state}}
	contractKey = []column{{"layer", text, state}, {"call", text, state}, {"contract", data, state}}
)

// feeSums are the sums over transactions.
var feeSums = []column{
	{"evm", integer, state},
	{"native", integer, state},
	{"evm_failed", integer, state},
	{"native_failed", integer, state},
	{"outcome_unknown", integer, state},
	{"undetermined", integer, state},
	{"uncharged", integer, state},
	{"unaccounted", integer, state},
	{"gas", integer, state},
	{"fee", amount, state},
	{"evm_fee", amount, state},
	{"native_fee", amount, state},
	{"priority_fee", amount, state},
	{"tip", amount, state},
	{"charged", amount, state},
	{"burned", amount, state},
	{"treasury", amount, state},
	{"author", amount, state},
}

// What some tables have before them.
var (
	blockSums   = append([]column{{"blocks", integer, state}, {"inherents", integer, state}}, feeSums...)
	accountSums = append([]column{{"movements", integer, state}, {"transfers", integer, state}}, feeSums...)

	blockCounts   = func(s *Sums) []*uint64 { return []*uint64{&s.Blocks, &s.Inherents} }
	accountCounts = func(s *Sums) []*uint64 { return []*uint64{&s.Movements, &s.Transfers} }
	noCounts      = func(*Sums) []*uint64 { return nil }
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
}

// counts and amounts are the sums in the order of feeSums.
func (s *Sums) counts() []*uint64 {
	return []*uint64{&s.EVM, &s.Native, &s.EVMFailed, &s.NativeFailed, &s.OutcomeUnknown, &s.Undetermined, &s.Uncharged, &s.Unaccounted, &s.Gas}
}

func (s *Sums) amounts() []*chain.Wei {
	return []*chain.Wei{&s.Fee, &s.EVMFee, &s.NativeFee, &s.PriorityFee, &s.Tip, &s.Charged, &s.Burned, &s.Treasury, &s.Author}
}

// add adds other sums. It is chain.ErrOverflow where one is more than a balance
// can be, or gas is more than a column holds.
func (s *Sums) add(x *Sums) error {
	s.Blocks += x.Blocks
	s.Inherents += x.Inherents
	s.Movements += x.Movements
	s.Transfers += x.Transfers
	if x.Gas > math.MaxInt64-s.Gas {
		return fmt.Errorf("the sum of gas: %w", chain.ErrOverflow)
	}
	for i, n := range x.counts() {
		*s.counts()[i] += *n
	}
	for i, n := range x.amounts() {
		sum, err := s.amounts()[i].Add(*n)
		if err != nil {
			return fmt.Errorf("the sum of %s: %w", feeSums[len(s.counts())+i].name, err)
		}
		*s.amounts()[i] = sum
	}
	return nil
}

// leading are the counts that a table of totals has before the sums over transactions.
func (s *Sums) leading(t *total) row {
	r := make(row, 0, len(t.sums))
	for _, n := range t.leading(s) {
		r = append(r, int64(*n))
	}
	return r
}

// values are the sums as the columns of a table of totals have them.
func (s *Sums) values(t *total) row {
	r := s.leading(t)
	for _, n := range s.counts() {
		r = append(r, int64(*n))
	}
	for _, n := range s.amounts() {
		r = append(r, n.String())
	}
	return r
}

// sumsOf reads the columns of a table of totals.
func sumsOf(t *total, r row) (s Sums, err error) {
	counts := append(t.leading(&s), s.counts()...)
	for i, n := range counts {
		v, ok := r[i].(int64)
		if !ok || v < 0 {
			return s, fmt.Errorf("%s.%s: want a count, not %v", t.name, t.sums[i].name, r[i])
		}
		*n = uint64(v)
	}
	for i, n := range s.amounts() {
		c := len(counts) + i
		v, _ := r[c].(string)
		if *n, err = chain.ParseWei(v); err != nil {
			return s, fmt.Errorf("%s.%s: %w", t.name, t.sums[c].name, err)
		}
	}
	return s, nil
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
	return x.paid.add(sums)
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

var (
	timeColumn      = tables[blocks].of("time_ms")
	rulesColumn     = tables[blocks].of("rules")
	leavesColumn    = tables[blocks].of("leaves")
	inherentsColumn = tables[blocks].of("inherents")
)

// block adds a block's rows, with the sums of its transactions. A block without a time is
// in no total.
func (t *tally) block(rows *[tableCount][]row, sums []Sums) error {
	b := rows[blocks][0]
	ms, ok := b[timeColumn].(int64)
	if !ok {
		return nil
	}
	inherents, ok := b[inherentsColumn].(int64)
	if !ok || ms < 0 || inherents < 0 || len(sums) != len(rows[transactions]) {
		return errCell
	}
	var quarterHour, day, month value = ms / quarterHourMS, daily.number(ms), monthly.number(ms)
	whole := Sums{Blocks: 1, Inherents: uint64(inherents)}
	var err error
	add := func(table int, x *Sums, key ...value) {
		if err == nil {
			err = t.add(table, x, key...)
		}
	}
	for i, r := range rows[transactions] {
		x := &sums[i]
		var contract value = noContract
		if x.EVM > 0 && r[recipientColumn] != nil {
			contract = r[recipientColumn]
		}
		add(contractDays, x, day, r[layerColumn], r[callColumn], contract)
		add(contractMonths, x, month, r[layerColumn], r[callColumn], contract)
		if payer := r[payerColumn]; payer != nil {
			add(accountDays, x, day, payer)
			add(accountMonths, x, month, payer)
		}
		if err == nil {
			err = whole.add(x)
		}
	}
	for _, r := range rows[movements] {
		t.of(accountDays, day, r[movedColumn]).movements++
	}
	for _, r := range rows[transfers] {
		for _, account := range partiesOf(r) {
			t.of(accountDays, day, account).transfers++
		}
	}
	add(quarterHours, &whole, quarterHour)
	add(days, &whole, day)
	return err
}

// partiesOf are the sender of a transfer and, where it is another one, the recipient.
func partiesOf(r row) []value {
	sender, recipient := r[senderColumn], r[receiverColumn]
	if equal(sender, recipient) {
		return []value{sender}
	}
	return []value{sender, recipient}
}

// Where a movement and a transfer have whom they are of.
var (
	movedColumn    = tables[movements].of("account")
	senderColumn   = tables[transfers].of("sender")
	receiverColumn = tables[transfers].of("recipient")
)

// Where a transaction's row has what the totals need.
var (
	layerColumn     = tables[transactions].of("layer")
	callColumn      = tables[transactions].of("call")
	recipientColumn = tables[transactions].of("recipient")
	payerColumn     = tables[transactions].of("payer")
	feeColumn       = tables[transactions].of("fee")
	outcomeColumn   = tables[transactions].of("outcome")
	gasColumn       = tables[transactions].of("gas")
	addedColumns    = []int{ // for each amount of the sums; the layers' fees are not columns
		feeColumn, -1, -1,
		tables[transactions].of("priority_fee"), tables[transactions].of("tip"), chargedColumn, burnedColumn, treasuryColumn, authorColumn,
	}
	chargedColumn  = tables[transactions].of("charged")
	burnedColumn   = tables[transactions].of("burned")
	treasuryColumn = tables[transactions].of("treasury")
	authorColumn   = tables[transactions].of("author")
)

// sumsOfAll are those of each transaction.
func sumsOfAll(list []row) (sums []Sums, err error) {
	sums = make([]Sums, len(list))
	for i, r := range list {
		if sums[i], err = sumsOfTransaction(r); err != nil {
			return nil, fmt.Errorf("extrinsic %v: %w", r[1], err)
		}
	}
	return sums, nil
}

// sumsOfTransaction are those of one.
func sumsOfTransaction(r row) (s Sums, err error) {
	for i, n := range s.amounts() {
		c := addedColumns[i]
		if c < 0 || r[c] == nil {
			continue
		}
		amount, ok := r[c].(string)
		if !ok {
			return s, errCell
		}
		if *n, err = chain.ParseWei(amount); err != nil {
			return s, err
		}
	}
	if gas, ok := r[gasColumn].(string); ok {
		if s.Gas, err = strconv.ParseUint(gas, 10, 63); err != nil {
			return s, fmt.Errorf("gas: %w", chain.ErrOverflow)
		}
	}
	if r[feeColumn] == nil {
		s.Undetermined = 1
	}
	switch {
	case r[chargedColumn] == nil:
		s.Uncharged = 1
	case r[burnedColumn] == nil || r[treasuryColumn] == nil || r[authorColumn] == nil:
		s.Unaccounted = 1
	}
	layer, _ := r[layerColumn].(string)
	outcome, _ := r[outcomeColumn].(string)
	s.CountOutcome(fee.Layer(layer), fee.Outcome(outcome))
	if r[layerColumn] == string(fee.EVM) {
		s.EVM, s.EVMFee = 1, s.Fee
	} else {
		s.Native, s.NativeFee = 1, s.Fee
	}
	return s, nil
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
	keys := make([]string, 0, len(t.sums[table]))
	for k := range t.sums[table] {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	list := make([]*tallied, len(keys))
	for i, k := range keys {
		list[i] = t.sums[table][k]
	}
	return list
}

// upsert is the statement that adds sums under a key: some of the table's, and nothing to
// the others. Plus is how an engine adds two amounts.
func (t *total) upsert(plus func(a, b string) string, sums []column) string {
	var set []string
	for _, c := range sums {
		old, added := t.name+"."+c.name, "excluded."+c.name
		if c.kind == amount {
			set = append(set, c.name+" = "+plus(old, added))
		} else {
			set = append(set, c.name+" = "+old+" + "+added)
		}
	}
	places := strings.Repeat("?, ", len(t.keys)+len(sums)) + strings.Repeat("'0', ", len(t.sums)-len(sums))
	return insertInto(t.name, t.columns()) + "(" + strings.TrimSuffix(places, ", ") + ")" +
		" ON CONFLICT (" + columnList(t.keys) + ") DO UPDATE SET " + strings.Join(set, ", ")
}
