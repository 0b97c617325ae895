package report

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/ledger"
)

// By is what a report groups transactions by.
type By string

// The groupings. Hours, days and months are those of a time zone, in which a block is
// at its own time; a contract is what an EVM transaction called, beside the calls of
// the native layer. A label and a group are those of who paid: an account without a label
// stands for itself, and those without a group are [NoGroup].
const (
	Block    By = "block"
	Hour     By = "hour"
	Day      By = "day"
	Month    By = "month"
	Account  By = "account"
	Label    By = "label"
	InGroup  By = "group"
	Layer    By = "layer"
	Status   By = "status" // what came of the transactions
	Type     By = "type"
	Call     By = "call"
	Contract By = "contract"
)

// NoGroup is the group of the accounts that the address book has in none.
const NoGroup = "(no group)"

// Groupings are all of them.
func Groupings() []By {
	return []By{Block, Hour, Day, Month, Account, Label, InGroup, Layer, Status, Type, Call, Contract}
}

// Labelled tells whether the groups are those of an address book, without which there are none.
func (b By) Labelled() bool { return b == Label || b == InGroup }

// ofTime tells whether the groups come one after the other in time. Others stand in
// the order of their fees.
func (b By) ofTime() bool { return b == Block || b == Hour || b == Day || b == Month }

// Key is what the transactions of a group have in common. What does not belong to the
// grouping, or is not known, holds nothing.
type Key struct {
	Block    chain.Optional[uint64]
	Time     chain.Optional[chain.Time] // of the block
	Hour     chain.Optional[string]     // when it begins, in RFC 3339 with the zone's distance from UTC
	Day      chain.Optional[string]     // such as 2026-01-31
	Month    chain.Optional[string]     // such as 2026-01
	Account  chain.Optional[chain.Address]
	Label    chain.Optional[string] // of the account or the contract, as is the next
	InGroup  chain.Optional[string]
	Layer    chain.Optional[string]
	Outcome  chain.Optional[string] // such as succeeded
	Type     chain.Optional[string]
	Call     chain.Optional[string]
	Contract chain.Optional[chain.Address]
	Others   chain.Optional[uint64] // of how many groups it is that are not told one by one
	start    int64                  // of an hour, day or month, so that they can be ordered
}

// id tells groups apart, as a key does, and takes less time to look for.
type id struct {
	number           int64 // of a block, or when an hour, day or month begins
	layer            fee.Layer
	kind, call, name string        // the name is a label, or what the address book calls a group
	address          chain.Address // of a payer or a contract
	timed, addressed bool
}

// subject is what a group is found by: of a transaction, or of one of the ledger's totals.
type subject struct {
	block             uint64
	time              chain.Optional[chain.Time]
	layer             fee.Layer
	outcome           fee.Outcome // "" where it is not known
	kind, call        string
	contract, account chain.Optional[chain.Address]
	label, group      chain.Optional[string] // of the account, where the groups are made by them
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

func (b By) id(s *subject, zone *time.Location) (i id) {
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
			return id{name: name}
		}
		i.address, i.addressed = s.account.Get()
	case InGroup:
		i.name, _ = s.group.Get()
	case Layer:
		return id{layer: s.layer}
	case Status:
		return id{layer: s.layer, kind: string(s.outcome)}
	case Type:
		return id{layer: s.layer, kind: s.kind}
	case Call:
		return id{layer: s.layer, call: s.call}
	case Contract:
		i = id{layer: s.layer, call: s.call}
		i.address, i.addressed = s.contract.Get()
	}
	return i
}

// key is the group of a subject.
func (b By) key(s *subject, zone *time.Location) (k Key) {
	switch b {
	case Block:
		return Key{Block: chain.Some(s.block), Time: s.time}
	case Hour, Day, Month:
		if at, ok := s.time.Get(); ok {
			return b.timeKey(at.Std().In(zone))
		}
		return Key{} // without a time
	case Account:
		return Key{Account: s.account}
	case Label:
		if s.label.Known() {
			return Key{Label: s.label}
		}
		return Key{Account: s.account}
	case InGroup:
		return Key{InGroup: s.group}
	}
	k.Layer = chain.Some(string(s.layer))
	switch b {
	case Status:
		if s.outcome != "" {
			k.Outcome = chain.Some(string(s.outcome))
		}
	case Type:
		if s.kind != "" {
			k.Type = chain.Some(s.kind)
		}
	case Call, Contract:
		k.Call = chain.Some(s.call)
		if b == Contract {
			k.Contract = s.contract
		}
	}
	return k
}

// timeKey is the hour, day or month of a time. An hour that the clocks go through
// twice is two, which differ in their distance from UTC.
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

// compare orders groups: those of time by time, what has none first; others by their
// fees, the greatest first, then by what they are called.
func (b By) compare(x, y *Group) int {
	if b.ofTime() {
		xBlock, _ := x.Block.Get()
		yBlock, _ := y.Block.Get()
		return cmp.Or(order(x.timed())-order(y.timed()), cmp.Compare(xBlock, yBlock), cmp.Compare(x.start, y.start))
	}
	if order := y.Fee.Cmp(x.Fee); order != 0 {
		return order
	}
	return cmp.Or(compareText(x.Label, y.Label), compareText(x.InGroup, y.InGroup), compareText(x.Layer, y.Layer), compareText(x.Outcome, y.Outcome), compareText(x.Type, y.Type), compareText(x.Call, y.Call),
		compareAddress(x.Account, y.Account), compareAddress(x.Contract, y.Contract))
}

// compareFees orders groups of time by their fees, too: the greatest first, then as they stand
// without that.
func (b By) compareFees(x, y *Group) int { return cmp.Or(y.Fee.Cmp(x.Fee), b.compare(x, y)) }

func compareText(x, y chain.Optional[string]) int {
	a, _ := x.Get()
	b, _ := y.Get()
	return strings.Compare(a, b)
}

// compareAddress has none first.
func compareAddress(x, y chain.Optional[chain.Address]) int {
	a, isA := x.Get()
	b, isB := y.Get()
	return cmp.Or(order(isA)-order(isB), bytes.Compare(a[:], b[:]))
}

// order has what is not known first.
func order(known bool) int {
	if known {
		return 1
	}
	return 0
}

// timed tells whether it is known when the group is.
func (k *Key) timed() bool {
	return k.Block.Known() || k.Hour.Known() || k.Day.Known() || k.Month.Known()
}

// Name is what the group is called, for people. It is not the same for two groups.
func (k *Key) Name() string {
	if n, ok := k.Others.Get(); ok {
		return "the other " + grouped(n)
	}
	if height, ok := k.Block.Get(); ok {
		return strconv.FormatUint(height, 10)
	}
	for _, text := range []chain.Optional[string]{k.Hour, k.Day, k.Month} {
		if name, ok := text.Get(); ok {
			return name
		}
	}
	if account, ok := k.Account.Get(); ok {
		return k.called(account)
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
		name += " " + k.called(contract)
	}
	return name
}

// grouped is a number with commas between thousands, for people.
func grouped(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// called is an address with its label.
func (k *Key) called(address chain.Address) string {
	if label, ok := k.Label.Get(); ok {
		return label + " " + address.String()
	}
	return address.String()
}
