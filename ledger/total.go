package ledger

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
)

// total is a table of sums over the sealed blocks. Its key comes first.
type total struct {
	name string
	keys []column
	sums []column // integers and amounts
}

// columns are all, in the order of the layout.
func (t *total) columns() []column { return slices.Concat(t.keys, t.sums) }

// The tables of totals.
const (
	quarterHours = iota
	days
	accountDays
	contractDays
	accounts
	contracts
	totalCount
)

// Times are divided by the quarter of an hour because every time zone's days
// begin at one.
var totals = [totalCount]total{
	quarterHours: {"quarter_hours", []column{{"quarter_hour", integer, state}}, blockSums},
	days:         {"days", dayKey, blockSums},
	accountDays:  {"account_days", slices.Concat(dayKey, accountKey), feeSums},
	contractDays: {"contract_days", slices.Concat(dayKey, contractKey), feeSums},
	accounts:     {"accounts", accountKey, feeSums},
	contracts:    {"contracts", contractKey, feeSums},
}

var (
	dayKey      = []column{{"day", integer, state}}
	accountKey  = []column{{"account", data, state}}
	contractKey = []column{{"layer", text, state}, {"call", text, state}, {"contract", data, state}}
)

// wholes are the totals over all days that there are by day too. Those who ask for all
// days read some rows then, instead of one for each day.
var wholes = []struct{ all, byDay int }{{accounts, accountDays}, {contracts, contractDays}}

func isByDay(table int) bool {
	for _, w := range wholes {
		if w.byDay == table {
			return true
		}
	}
	return false
}

// feeSums are the sums over transactions.
var feeSums = []column{
	{"evm", integer, state},
	{"native", integer, state},
	{"failed", integer, state},
	{"undetermined", integer, state},
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

var blockSums = append([]column{{"blocks", integer, state}, {"inherents", integer, state}}, feeSums...)

// Sums are what transactions add up to. An amount that is not known adds nothing:
// Undetermined counts the transactions without a fee.
type Sums struct {
	Blocks, Inherents uint64 // 0 in sums by account or contract
	EVM, Native       uint64 // transactions
	Failed            uint64 // of them; they pay too
	Undetermined      uint64
	Gas               uint64
	Fee               chain.Wei
	EVMFee            chain.Wei
	NativeFee         chain.Wei
	PriorityFee       chain.Wei
	Tip               chain.Wei
	Charged           chain.Wei
	Burned            chain.Wei
	Treasury          chain.Wei
	Author            chain.Wei
}

// counts and amounts are the sums in the order of feeSums.
func (s *Sums) counts() []*uint64 {
	return []*uint64{&s.EVM, &s.Native, &s.Failed, &s.Undetermined, &s.Gas}
}

func (s *Sums) amounts() []*chain.Wei {
	return []*chain.Wei{&s.Fee, &s.EVMFee, &s.NativeFee, &s.PriorityFee, &s.Tip, &s.Charged, &s.Burned, &s.Treasury, &s.Author}
}

// add adds other sums. It is chain.ErrOverflow where one is more than a balance
// can be, or gas is more than a column holds.
func (s *Sums) add(x *Sums) error {
	s.Blocks += x.Blocks
	s.Inherents += x.Inherents
	if x.Gas > math.MaxInt64-s.Gas {
		return fmt.Errorf("gas: %w", chain.ErrOverflow)
	}
	for i, n := range x.counts() {
		*s.counts()[i] += *n
	}
	for i, n := range x.amounts() {
		sum, err := s.amounts()[i].Add(*n)
		if err != nil {
			return err
		}
		*s.amounts()[i] = sum
	}
	return nil
}

// values are the sums as the columns of a table of totals have them.
func (s *Sums) values(t *total) row {
	r := make(row, 0, len(t.sums))
	if len(t.sums) == len(blockSums) {
		r = append(r, int64(s.Blocks), int64(s.Inherents))
	}
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
	counts := s.counts()
	if len(t.sums) == len(blockSums) {
		counts = append([]*uint64{&s.Blocks, &s.Inherents}, counts...)
	}
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

// tallied are the sums under one key.
type tallied struct {
	key row
	Sums
}

func newTally() *tally {
	var t tally
	for i := range t.sums {
		t.sums[i] = map[string]*tallied{}
	}
	return &t
}

const (
	dayMS         = 86_400_000
	quarterHourMS = dayMS / 96
)

// noContract is the key of transactions that called none, for a key holds no null.
var noContract = []byte{}

var (
	timeColumn      = tables[blocks].of("time_ms")
	inherentsColumn = tables[blocks].of("inherents")
)

// block adds a block's row and those of its transactions, with their sums. A block
// without a time has none and is in no total.
func (t *tally) block(b row, list []row, sums []Sums) error {
	at, ok := b[timeColumn].(int64)
	if !ok {
		return nil
	}
	var day, quarterHour value = at / dayMS, at / quarterHourMS
	whole := Sums{Blocks: 1, Inherents: uint64(b[inherentsColumn].(int64))}
	for i, r := range list {
		x, err := &sums[i], error(nil)
		var payer, contract value = r[payerColumn], noContract
		if x.EVM > 0 && r[recipientColumn] != nil {
			contract = r[recipientColumn]
		}
		err = t.add(contractDays, x, day, r[layerColumn], r[callColumn], contract)
		if err == nil {
			err = t.add(contracts, x, r[layerColumn], r[callColumn], contract)
		}
		if err == nil && payer != nil {
			err = t.add(accountDays, x, day, payer)
		}
		if err == nil && payer != nil {
			err = t.add(accounts, x, payer)
		}
		if err == nil {
			err = whole.add(x)
		}
		if err != nil {
			return err
		}
	}
	if err := t.add(quarterHours, &whole, quarterHour); err != nil {
		return err
	}
	return t.add(days, &whole, day)
}

// Where a transaction's row has what the totals need.
var (
	layerColumn     = tables[transactions].of("layer")
	callColumn      = tables[transactions].of("call")
	recipientColumn = tables[transactions].of("recipient")
	payerColumn     = tables[transactions].of("payer")
	feeColumn       = tables[transactions].of("fee")
	successColumn   = tables[transactions].of("success")
	gasColumn       = tables[transactions].of("gas")
	addedColumns    = []int{ // for each amount of the sums; the layers' fees are not columns
		feeColumn, -1, -1,
		tables[transactions].of("priority_fee"), tables[transactions].of("tip"), tables[transactions].of("charged"),
		tables[transactions].of("burned"), tables[transactions].of("treasury"), tables[transactions].of("author"),
	}
)

// sumsOfAll are those of each transaction.
func sumsOfAll(list []row) (sums []Sums, err error) {
	sums = make([]Sums, len(list))
	for i, r := range list {
		if sums[i], err = sumsOfTransaction(r); err != nil {
			return nil, err
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
		if *n, err = chain.ParseWei(r[c].(string)); err != nil {
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
	if r[successColumn] == false {
		s.Failed = 1
	}
	if r[layerColumn] == string(fee.EVM) {
		s.EVM, s.EVMFee = 1, s.Fee
	} else {
		s.Native, s.NativeFee = 1, s.Fee
	}
	return s, nil
}

func (t *tally) add(table int, x *Sums, key ...value) error {
	t.key.buffer = t.key.buffer[:0]
	for _, v := range key {
		t.key.value(v)
	}
	have := t.sums[table][string(t.key.buffer)]
	if have == nil {
		have = &tallied{key: append(row{}, key...)}
		t.sums[table][string(t.key.buffer)] = have
	}
	return have.add(x)
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

// upsert is the statement that adds sums under a key. Plus is how an engine adds
// two amounts.
func (t *total) upsert(plus func(a, b string) string) string {
	var set []string
	for _, c := range t.sums {
		old, added := t.name+"."+c.name, "excluded."+c.name
		if c.kind == amount {
			set = append(set, c.name+" = "+plus(old, added))
		} else {
			set = append(set, c.name+" = "+old+" + "+added)
		}
	}
	return insertInto(t.name, t.columns()) + placesFor(t.columns()) +
		" ON CONFLICT (" + columnList(t.keys) + ") DO UPDATE SET " + strings.Join(set, ", ")
}
