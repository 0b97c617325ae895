package report

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
)

// By is the grouping of a report.
type By string

// The groupings. Hours, days and months are in the report's time zone and use the block's own time. A contract
// is the one called by an EVM transaction; native transactions are grouped by call instead. A label and a
// group are those of the payer: an account without a label stands for itself, and accounts without a group are
// in [NoGroup].
const (
	Block    By = "block"
	Hour     By = "hour"
	Day      By = "day"
	Month    By = "month"
	Account  By = "account"
	Label    By = "label"
	InGroup  By = "group"
	Layer    By = "layer"
	Status   By = "status" // by outcome
	Type     By = "type"
	Call     By = "call"
	Contract By = "contract"
)

// NoGroup is the group of the accounts that belong to no group of the address book.
const NoGroup = "(no group)"

// Groupings returns all groupings.
func Groupings() []By {
	return []By{Block, Hour, Day, Month, Account, Label, InGroup, Layer, Status, Type, Call, Contract}
}

// Labelled reports whether the grouping requires an address book.
func (b By) Labelled() bool { return b == Label || b == InGroup }

// OfTime reports whether the groups are periods of time, in chronological order. Other groups are ordered
// by fee.
func (b By) OfTime() bool { return b == Block || b == Hour || b == Day || b == Month }

// Key identifies a group. Fields that do not belong to the grouping, or whose value is not known, are
// empty.
type Key struct {
	Block    chain.Optional[uint64]
	Time     chain.Optional[chain.Time] // of the block
	Hour     chain.Optional[string]     // its start, in RFC 3339 with the zone's UTC offset
	Day      chain.Optional[string]     // such as 2026-01-31
	Month    chain.Optional[string]     // such as 2026-01
	Account  chain.Optional[chain.Address]
	Label    chain.Optional[string] // of the account or the contract, like the next field
	InGroup  chain.Optional[string]
	Layer    chain.Optional[string]
	Outcome  chain.Optional[string] // such as succeeded
	Type     chain.Optional[string]
	Call     chain.Optional[string]
	Contract chain.Optional[chain.Address]
	Mark     chain.Optional[string] // tag or account code
	Others   chain.Optional[uint64] // number of groups that are combined in this one
	through  chain.Optional[string] // name of the last of several groups of time that the ledger lacks, shown as one
	start    int64                  // start of the hour, day or month, for sorting
}

// subject contains the properties that groups are made by, of a transaction or of one of the ledger's totals.
type subject struct {
	block             uint64
	time              chain.Optional[chain.Time]
	layer             fee.Layer
	outcome           fee.Outcome // "" if not known
	kind, call        string
	contract, account chain.Optional[chain.Address]
	label, group      chain.Optional[string] // of the account, if the grouping needs them
	mark              chain.Optional[string] // if the grouping needs it
}

func ofCost(c *ledger.Cost) subject {
	s := subject{block: c.Height, time: c.Time, layer: c.Layer, outcome: c.Outcome, kind: c.Type, call: c.Call, account: c.Payer}
	if isEVM(c) {
		s.contract = c.Recipient
	}
	return s
}

func ofTotal(t *ledger.Total) subject {
	return subject{time: t.Start, layer: t.Layer, call: t.Call, contract: t.Contract, account: t.Account}
}

// id identifies a group, like a key, but is small and fast to look up.
type id struct {
	number           int64 // a block's height, or the start of an hour, day or month
	words            int32 // of [words]; 0 for none
	timed, addressed bool
	address          chain.Address // of a payer or a contract
}

// words are the texts of a group that its id names by their number: a label or a group of the address book, a mark, or a
// layer with an outcome, a type or a call.
type words struct {
	numbers map[[2]string]int32
	list    [][2]string // from 1
}

// number returns the number of texts, 0 of empty ones.
func (w *words) number(first, second string) int32 {
	texts := [2]string{first, second}
	if texts == [2]string{} {
		return 0
	}
	n, found := w.numbers[texts]
	if !found {
		w.list = append(w.list, texts)
		n = int32(len(w.list))
		w.numbers[texts] = n
	}
	return n
}

// at returns the texts of a number.
func (w *words) at(n int32) (first, second string) {
	if n == 0 {
		return "", ""
	}
	return w.list[n-1][0], w.list[n-1][1]
}

// id returns the id of a subject's group.
func (b By) id(s *subject, zone *time.Location, w *words) (i id) {
	switch b {
	case Block:
		return id{number: int64(s.block), timed: true}
	case Hour, Day, Month:
		if at, ok := s.time.Get(); ok {
			i.number, i.timed = b.timeKey(at.Std().In(zone)).start, true
		}
	case Account:
		i.address, i.addressed = s.account.Get()
	case Label:
		if name, ok := s.label.Get(); ok {
			return id{words: w.number(name, "")}
		}
		i.address, i.addressed = s.account.Get()
	case InGroup:
		name, _ := s.group.Get()
		i.words = w.number(name, "")
	case Tag, AccountCode:
		name, _ := s.mark.Get()
		i.words = w.number(name, "")
	case Layer:
		i.words = w.number(string(s.layer), "")
	case Status:
		i.words = w.number(string(s.layer), string(s.outcome))
	case Type:
		i.words = w.number(string(s.layer), s.kind)
	case Call:
		i.words = w.number(string(s.layer), s.call)
	case Contract:
		i.words = w.number(string(s.layer), s.call)
		i.address, i.addressed = s.contract.Get()
	}
	return i
}

// timed returns the key of a subject's group of time.
func (b By) timed(s *subject, zone *time.Location) Key {
	if b == Block {
		return Key{Block: chain.Some(s.block), Time: s.time}
	}
	if at, ok := s.time.Get(); ok {
		return b.timeKey(at.Std().In(zone))
	}
	return Key{} // without a time
}

// key returns the key of a group that is not of time.
func (b By) key(i *id, w *words) (k Key) {
	first, second := w.at(i.words)
	text := func(s string) (none chain.Optional[string]) {
		if s == "" {
			return none
		}
		return chain.Some(s)
	}
	address := chain.Optional[chain.Address]{}
	if i.addressed {
		address = chain.Some(i.address)
	}
	switch b {
	case Account:
		return Key{Account: address}
	case Label:
		return Key{Label: text(first), Account: address}
	case InGroup:
		return Key{InGroup: text(first)}
	case Tag, AccountCode:
		return Key{Mark: text(first)}
	}
	k.Layer = chain.Some(first)
	switch b {
	case Status:
		k.Outcome = text(second)
	case Type:
		k.Type = text(second)
	case Call, Contract:
		k.Call, k.Contract = chain.Some(second), address
	}
	return k
}

// timeKey returns the hour, day or month of a time. An hour repeated when clocks go back makes two groups with
// different UTC offsets.
func (b By) timeKey(at time.Time) Key {
	year, month, day := at.Date()
	_, offset := at.Zone()
	wall := time.FixedZone("", offset)
	switch b {
	case Hour:
		start := time.Date(year, month, day, at.Hour(), 0, 0, 0, wall)
		return Key{Hour: chain.Some(start.Format("2006-01-02T15:04:05-07:00")), start: start.Unix()}
	case Day:
		start := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
		return Key{Day: chain.Some(start.Format(time.DateOnly)), start: start.Unix()}
	}
	start := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	return Key{Month: chain.Some(start.Format("2006-01")), start: start.Unix()}
}

// compare orders groups: by time, those without a time first; otherwise by fee, highest first, then by
// name.
func (b By) compare(x, y *Group) int {
	if b.OfTime() {
		xBlock, _ := x.Block.Get()
		yBlock, _ := y.Block.Get()
		return cmp.Or(order(x.timed())-order(y.timed()), cmp.Compare(xBlock, yBlock), cmp.Compare(x.start, y.start))
	}
	if order := y.Fee.Cmp(x.Fee); order != 0 {
		return order
	}
	return cmp.Or(compareText(x.Label, y.Label), compareText(x.InGroup, y.InGroup), compareText(x.Mark, y.Mark), compareText(x.Layer, y.Layer), compareText(x.Outcome, y.Outcome), compareText(x.Type, y.Type), compareText(x.Call, y.Call),
		compareAddress(x.Account, y.Account), compareAddress(x.Contract, y.Contract))
}

func compareText(x, y chain.Optional[string]) int {
	a, _ := x.Get()
	b, _ := y.Get()
	return strings.Compare(a, b)
}

// compareAddress sorts missing addresses first.
func compareAddress(x, y chain.Optional[chain.Address]) int {
	a, isA := x.Get()
	b, isB := y.Get()
	return cmp.Or(order(isA)-order(isB), a.Compare(b))
}

// order sorts unknown values first.
func order(known bool) int {
	if known {
		return 1
	}
	return 0
}

// timed reports whether the group's time is known.
func (k *Key) timed() bool {
	return k.Block.Known() || k.Hour.Known() || k.Day.Known() || k.Month.Known()
}

// Name returns the group's display name, which is unique. Accounts have the form of the token's network.
func (k *Key) Name(token console.Token) string {
	if n, ok := k.Others.Get(); ok {
		return console.Grouped(n) + " others"
	}
	if height, ok := k.Block.Get(); ok {
		return strconv.FormatUint(height, 10)
	}
	for _, text := range []chain.Optional[string]{k.Hour, k.Day, k.Month, k.Mark} {
		if name, ok := text.Get(); ok {
			if last, several := k.through.Get(); several {
				name += " to " + last
			}
			return name
		}
	}
	if account, ok := k.Account.Get(); ok {
		return k.called(token, account)
	}
	for _, text := range []chain.Optional[string]{k.Label, k.InGroup} {
		if name, ok := text.Get(); ok && !k.Layer.Known() {
			return name
		}
	}
	name, ok := k.Layer.Get()
	if !ok {
		return "not known"
	}
	for _, part := range []chain.Optional[string]{k.Outcome, k.Type} {
		if text, ok := part.Get(); ok {
			name += " " + text
		}
	}
	if call, ok := k.Call.Get(); ok {
		name += " " + call
	}
	if contract, ok := k.Contract.Get(); ok {
		name += " " + k.called(token, contract)
	}
	return name
}

// called returns an address with its label.
func (k *Key) called(token console.Token, address chain.Address) string {
	if label, ok := k.Label.Get(); ok {
		return label + " " + token.Account(address)
	}
	return token.Account(address)
}
