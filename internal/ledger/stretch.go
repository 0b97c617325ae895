package ledger

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
)

// unit is a kind of period with totals and a seal: a day or a month.
type unit int

const (
	daily   unit = iota // UTC days, numbered from 1970
	monthly             // UTC months, likewise
	unitCount
)

// unitNames are the names of the units in the table stretches.
var unitNames = [unitCount]string{daily: "day", monthly: "month"}

func unitOf(name string) (unit, error) {
	u := slices.Index(unitNames[:], name)
	if u < 0 {
		return 0, errCell
	}
	return unit(u), nil
}

// noTime is the number for the blocks without a time: block 0.
const noTime = -1

// numberOf returns the number of a block's day or month.
func (u unit) numberOf(at chain.Optional[chain.Time]) int64 {
	t, timed := at.Get()
	if !timed {
		return noTime
	}
	return u.number(t.Std().UnixMilli())
}

// number returns the number of the day or month of a time in milliseconds.
func (u unit) number(ms int64) int64 {
	if u == daily {
		return ms / dayMS
	}
	t := time.UnixMilli(ms).UTC()
	return int64(t.Year()-1970)*12 + int64(t.Month()) - 1
}

// name formats a day or month for people.
func (u unit) name(number int64) string {
	if number == noTime {
		return "the blocks without a time"
	}
	begin, _ := u.times(number)
	return begin.Format([...]string{daily: time.DateOnly, monthly: "2006-01"}[u])
}

// stretch is a UTC day or month: the sealed blocks whose time is in it, their sums and their seal.
type stretch struct {
	unit        unit
	number      int64  // noTime for the blocks without a time
	first, last uint64 // the lowest and highest height; a block in between may belong to another stretch
	seal        Seal
	flagged     [len(fewFlags)]uint64 // number of blocks by flag
	rules       nullable              // the rules that priced its transactions, one per line, sorted
	sums        Sums
	merged      bool   // of a day: its hashes are in its month's parts
	leaves      []byte // SHA-256 of each part; nil until the stretch has ended and they are written
}

var stretchFields = slices.Concat([]field[stretch]{
	{"unit", fact, func(s *stretch) any { return &s.unit }},
	{"number", fact, func(s *stretch) any { return &s.number }},
	{"first", fact, func(s *stretch) any { return &s.first }},
	{"last", fact, func(s *stretch) any { return &s.last }},
	{"seal", fact, func(s *stretch) any { return &s.seal }},
	{"findings", fact, func(s *stretch) any { return &s.flagged[0] }},
	{"unclassified", fact, func(s *stretch) any { return &s.flagged[1] }},
	{"unanswered", fact, func(s *stretch) any { return &s.flagged[2] }},
	{"asset_fees", fact, func(s *stretch) any { return &s.flagged[3] }},
	{"rules", fact, func(s *stretch) any { return &s.rules }},
	{"merged", fact, func(s *stretch) any { return &s.merged }},
	{"leaves", fact, func(s *stretch) any { return &s.leaves }},
}, sumsOfStretch())

func sumsOfStretch() (list []field[stretch]) {
	for _, f := range partSums {
		list = append(list, field[stretch]{f.name, fact, func(s *stretch) any { return f.at(&s.sums) }})
	}
	return list
}

var stretchColumns = signedColumns(stretchFields)

// name returns the stretch's name for people.
func (s *stretch) name() string { return s.unit.name(s.number) }

// ended reports whether the stretch has ended and has its parts.
func (s *stretch) ended() bool { return s.leaves != nil }

// heights returns the range of its blocks.
func (s *stretch) heights() chain.Heights { return chain.Heights{First: s.first, Last: s.last} }

// condition selects the stretch's blocks.
func (s *stretch) condition() (where string, arguments []any) {
	where, arguments = "height >= ? AND height <= ? AND ", bounds(s.heights())
	if s.number == noTime {
		return where + "time_ms IS NULL", arguments
	}
	begin, end := s.unit.times(s.number)
	return where + "time_ms >= ? AND time_ms < ?", append(arguments, begin.UnixMilli(), end.UnixMilli())
}

// digest returns the row's digest.
func (s *stretch) digest() Digest { return digestOf(stretchFields, s) }

// add adds the next block. A month's seal is computed from its days.
func (s *stretch) add(c *Content, f flags) error {
	s.last = max(s.last, c.Height)
	if s.unit == daily {
		s.seal = s.seal.After(c.Digest)
	}
	for i, few := range fewFlags {
		s.flagged[i] += flag(f&few.flag != 0)
	}
	if len(c.Transactions) > 0 {
		s.addRules(c.Rules)
	}
	return s.sums.Add(&c.sums)
}

// merge adds the counts, rules and sums of other blocks of the same stretch.
func (s *stretch) merge(x *stretch) error {
	for i, n := range x.flagged {
		s.flagged[i] += n
	}
	s.addRules(string(x.rules))
	return s.sums.Add(&x.sums)
}

// addRules adds names, one per line.
func (s *stretch) addRules(names string) {
	if names == "" || string(s.rules) == names {
		return
	}
	all := slices.Concat(lines(string(s.rules)), lines(names))
	slices.Sort(all)
	s.rules = nullable(strings.Join(slices.Compact(all), "\n"))
}

// uncertain reports whether uncertain rules priced a transaction; their names end in "?". A block without transactions
// is certain.
func (s *stretch) uncertain() bool {
	return slices.ContainsFunc(lines(string(s.rules)), func(name string) bool { return strings.HasSuffix(name, "?") })
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// readStretches reads the stretches of a unit that match a condition, in order, and checks their digests.
func readStretches(ctx context.Context, q querier, u unit, where string, arguments ...any) (found []*stretch, err error) {
	err = list(ctx, q, stretchColumns, func(r row) error {
		s := &stretch{}
		if err := readSigned(stretchFields, r, s); err != nil {
			return damaged("table stretches: the %s %s was altered: %v", unitNames[u], s.name(), err)
		}
		if s.unit != u || len(found) > 0 && s.number <= found[len(found)-1].number {
			return damaged("table stretches: the %s %s is out of order", unitNames[u], s.name())
		}
		found = append(found, s)
		return nil
	}, selectFrom("stretches", stretchColumns)+" WHERE unit = ? AND "+where+" ORDER BY number", append([]any{unitNames[u]}, arguments...)...)
	return found, err
}

// keep writes the row.
func (s *stretch) keep(ctx context.Context, tx transaction) error {
	if err := tx.exec(ctx, "DELETE FROM stretches WHERE unit = ? AND number = ?", unitNames[s.unit], s.number); err != nil {
		return err
	}
	return tx.insert(ctx, "stretches", stretchColumns, []row{signedRow(stretchFields, s)})
}

// daysAt returns the days of a month.
func daysAt(ctx context.Context, q querier, month int64) ([]*stretch, error) {
	if month == noTime {
		return readStretches(ctx, q, daily, "number = ?", int64(noTime))
	}
	begin, end := monthly.times(month)
	return readStretches(ctx, q, daily, "number >= ? AND number < ?", daily.number(begin.UnixMilli()), daily.number(end.UnixMilli()))
}

// stretchAt reads the stretch with a number, nil if there is none.
func stretchAt(ctx context.Context, q querier, u unit, number int64) (*stretch, error) {
	found, err := readStretches(ctx, q, u, "number = ?", number)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}
