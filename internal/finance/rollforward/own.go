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

// OwnRules are a user's own rules. They precede the rules of rules.txt except those for the
// parts of a fee.
type OwnRules struct{ rules []rule }

// list returns nil for nil.
func (o *OwnRules) list() []rule {
	if o == nil {
		return nil
	}
	return o.rules
}

// ownColumns are the columns of a user's file.
var ownColumns = []string{"pallet", "method", "direction", "class"}

const (
	maxOwnRules  = 10_000
	maxOwnErrors = 100
)

var ownName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,99}$`)

// ownSeparators are the possible column separators of a user's file.
const ownSeparators = ",;\t"

// ReadOwnRules parses a CSV file whose first line is pallet,method,direction,class, separated by commas,
// semicolons or tabs. The first line that matches a movement decides its class.
//
// A method that starts with a capital letter is an event of the pallet balances. Any other is the
// extrinsic's call; * stands for all calls of the pallet, and the pallet * is for the methods inherent,
// onInitialize and onFinalize. The direction is in, out, or empty for both. Lines that start with # are
// ignored.
//
// The error lists all problems with their lines.
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
			return nil, fmt.Errorf("line %d: expected the columns %s", row.Line, strings.Join(ownColumns, ","))
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
		return nil, fmt.Errorf("line 1: expected the columns %s", strings.Join(ownColumns, ","))
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return o, nil
}

func parseOwnRule(fields []string) (r rule, err error) {
	if len(fields) != len(ownColumns) {
		return r, fmt.Errorf("%d fields; expected %s", len(fields), strings.Join(ownColumns, ","))
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
		return r, fmt.Errorf("direction %q is not valid; use in, out, or nothing for both", fields[2])
	}
	return r, r.checkClass()
}

// name sets the event or the call of the rule.
func (r *rule) name(pallet, method string) error {
	switch {
	case pallet == anything && slices.Contains([]string{callInherent, "onInitialize", "onFinalize"}, method):
		r.call = alternatives{method}
	case !ownName.MatchString(pallet):
		return fmt.Errorf("pallet %q is not valid; use one such as proxy, or * for the methods inherent, onInitialize and onFinalize", pallet)
	case method == anything:
		r.call = alternatives{pallet + ".*"}
	case !ownName.MatchString(method):
		return fmt.Errorf("method %q is not valid; use a call such as addProxy, an event such as Deposit, or *", method)
	case method[0] > 'Z':
		r.call = alternatives{pallet + "." + method}
	case pallet != "balances":
		return fmt.Errorf("%s.%s is an event, but a ledger contains only events of the pallet balances; use the call", pallet, method)
	default:
		r.event = alternatives{pallet + "." + method}
	}
	return nil
}

// checkClass verifies that the class can be assigned in all of the rule's directions.
func (r *rule) checkClass() error {
	x, known := r.class.find()
	switch {
	case !known:
		return fmt.Errorf("class %q is not valid; use one of %s", r.class, strings.Join(ownClasses(), ", "))
	case r.class.isFixed():
		return fmt.Errorf("class %s is assigned by the chain's charges and holds only; use one of %s", r.class, strings.Join(ownClasses(), ", "))
	}
	for _, d := range []Direction{In, Out} {
		if r.direction.has(string(d)) && x.line(d) == "" {
			return fmt.Errorf("class %s does not exist with the direction %s; use the other direction", r.class, d)
		}
	}
	return nil
}

// ownClasses returns the classes that a user's file can assign.
func ownClasses() (names []string) {
	for _, x := range classes {
		if !x.Class.isFixed() {
			names = append(names, string(x.Class))
		}
	}
	return names
}
