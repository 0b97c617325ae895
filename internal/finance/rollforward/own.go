package rollforward

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/sys/csvlist"
)

// OwnRules are a user's own, which come before those of rules.txt that are not about the
// parts of a fee.
type OwnRules struct{ rules []rule }

// list is empty for none.
func (o *OwnRules) list() []rule {
	if o == nil {
		return nil
	}
	return o.rules
}

// ownColumns are those of a user's file.
var ownColumns = []string{"pallet", "method", "direction", "class"}

const (
	maxOwnRules  = 10_000
	maxOwnErrors = 100
)

var ownName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,99}$`)

// ownSeparators are those between the columns of a user's file.
const ownSeparators = ",;\t"

// ReadOwnRules reads a CSV file whose first line is pallet,method,direction,class, with commas,
// semicolons or tabs between. The first line that fits a movement is its class.
//
// A method that begins with a capital letter is an event, of the pallet balances; any other
// is the call of the extrinsic, * all calls of the pallet, and with * as the pallet inherent,
// onInitialize or onFinalize. The direction is in or out, or empty for both. Lines that
// begin with # are passed over.
//
// All that is wrong is told at once, each with its line.
func ReadOwnRules(text []byte) (*OwnRules, error) {
	text, err := csvlist.Text(text)
	if err != nil {
		return nil, err
	}
	separator := cmp.Or(csvlist.Separator(csvlist.FirstLine(text), ownSeparators), ',')
	o := &OwnRules{}
	headed := false
	var wrong []error
	for row, err := range csvlist.Rows(text, separator) {
		fields := row.Cut(len(ownColumns))
		switch {
		case err != nil:
			return nil, errors.Join(append(wrong, err)...)
		case !headed && !slices.Equal(fields, ownColumns):
			return nil, fmt.Errorf("line %d: want the columns %s", row.Line, strings.Join(ownColumns, ","))
		case !headed:
			headed = true
			continue
		case len(o.rules) == maxOwnRules:
			return nil, fmt.Errorf("line %d: more than %d rules", row.Line, maxOwnRules)
		}
		r, err := parseOwnRule(fields)
		if err != nil {
			if wrong = append(wrong, fmt.Errorf("line %d: %w", row.Line, err)); len(wrong) == maxOwnErrors {
				break
			}
		}
		o.rules = append(o.rules, r)
	}
	if !headed {
		return nil, fmt.Errorf("line 1: want the columns %s", strings.Join(ownColumns, ","))
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return o, nil
}

func parseOwnRule(fields []string) (r rule, err error) {
	if len(fields) != len(ownColumns) {
		return r, fmt.Errorf("%d fields, want %s", len(fields), strings.Join(ownColumns, ","))
	}
	all := alternatives{anything}
	r = rule{event: all, direction: all, call: all, part: alternatives{nothing}, account: all, counterparty: all, besides: all, class: Class(fields[3])}
	if err := r.name(fields[0], fields[1]); err != nil {
		return r, err
	}
	switch d := Direction(fields[2]); d {
	case In, Out:
		r.direction = alternatives{string(d)}
	case "", anything:
	default:
		return r, fmt.Errorf("direction %q: want in or out, or nothing for both", fields[2])
	}
	return r, r.checkClass()
}

// name takes the event or the call that the rule is for.
func (r *rule) name(pallet, method string) error {
	switch {
	case pallet == anything && slices.Contains([]string{callInherent, "onInitialize", "onFinalize"}, method):
		r.call = alternatives{method}
	case !ownName.MatchString(pallet):
		return fmt.Errorf("pallet %q: want a pallet such as proxy; * is for the methods inherent, onInitialize and onFinalize", pallet)
	case method == anything:
		r.call = alternatives{pallet + ".*"}
	case !ownName.MatchString(method):
		return fmt.Errorf("method %q: want a call such as addProxy, an event such as Deposit, or *", method)
	case method[0] > 'Z':
		r.call = alternatives{pallet + "." + method}
	case pallet != "balances":
		return fmt.Errorf("%s.%s is an event: a ledger has those of the pallet balances alone; name the call", pallet, method)
	default:
		r.event = alternatives{pallet + "." + method}
	}
	return nil
}

// checkClass wants a class that may be given in all of the rule's directions.
func (r *rule) checkClass() error {
	x, known := r.class.find()
	switch {
	case !known:
		return fmt.Errorf("class %q: want %s", r.class, strings.Join(ownClasses(), ", "))
	case r.class.isOfFee():
		return fmt.Errorf("class %s: what is a part of a fee follows from what the chain charged; want %s", r.class, strings.Join(ownClasses(), ", "))
	}
	for _, d := range []Direction{In, Out} {
		if r.direction.has(string(d)) && x.line(d) == "" {
			return fmt.Errorf("class %s: there is none with the direction %s; name the other direction", r.class, d)
		}
	}
	return nil
}

// ownClasses are those that a user's file can name.
func ownClasses() (names []string) {
	for _, x := range classes {
		if !x.Class.isOfFee() {
			names = append(names, string(x.Class))
		}
	}
	return names
}
