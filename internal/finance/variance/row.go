package variance

import (
	"github.com/feeledger/fees/chain"
)

// row is a call's share of a step, or that of all calls after the Top ones. Rows without both stand for a step of 0.
type row struct {
	*Line
	call        *Call  // nil for none
	others      uint64 // calls
	amount      chain.Optional[chain.SignedWei]
	now, before Sums
}

// rows returns the rows of a step: at most top calls, and one row for all others.
func (l *Line) rows(top int) (list []row, err error) {
	if len(l.Shares) == 0 {
		return []row{{Line: l, amount: l.Amount}}, nil
	}
	top = min(top, len(l.Shares))
	for _, s := range l.Shares[:top] {
		list = append(list, row{Line: l, call: &s.Call, amount: s.Amount, now: s.Now, before: s.Before})
	}
	if top == len(l.Shares) {
		return list, nil
	}
	rest := row{Line: l, others: uint64(len(l.Shares) - top), amount: chain.Some(chain.SignedWei{})}
	for _, s := range l.Shares[top:] {
		if err == nil {
			rest.amount, err = sum(rest.amount, s.Amount)
		}
		for _, side := range [][2]*Sums{{&rest.now, &s.Now}, {&rest.before, &s.Before}} {
			if err == nil {
				err = side[0].plus(side[1])
			}
		}
	}
	return append(list, rest), err
}

// rows returns the rows of all steps.
func (r *Report) rows(top int) ([]row, error) { return r.rowsOf(r.Steps, top) }

func (r *Report) rowsOf(lines []*Line, top int) (list []row, err error) {
	if n, limited := r.Top.Get(); limited {
		top = n
	}
	for _, l := range lines {
		of, err := l.rows(top)
		if err != nil {
			return nil, err
		}
		list = append(list, of...)
	}
	return list, nil
}
