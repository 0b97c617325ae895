package journal

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
)

// receivable is an account for the deposits that others hold, with its balances before and after the period.
type receivable struct {
	account          Account
	opening, closing chain.SignedWei
	asserted         bool // no other postings are on the account
}

// depositClass is the class of what is held by another account, or given back.
const depositClass = "deposit"

// receivable returns the account for the deposits that others hold for an account: the chart's, if a rule names one.
func (c *composer) receivable(a chain.Address) (Account, error) {
	if c.Chart != nil {
		if account := c.placeClass(a, depositClass); account != "" {
			return parseAccount(account)
		}
	}
	return onHold, nil
}

// owed returns the receivables of the selected accounts.
func (j *Journal) owed() (list []receivable, err error) {
	if j.Receivables == nil {
		return nil, nil
	}
	for _, a := range j.payments.accounts {
		account, err := j.receivable(a)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(list, func(r receivable) bool { return r.account == account })
		if i < 0 {
			i, list = len(list), append(list, receivable{account: account})
		}
		r := &list[i]
		its, has := j.Receivables[a]
		for _, other := range j.payments.accounts {
			asset := j.assets[other]
			if owned := string(asset) + ":"; has && (reserved(asset) == account || strings.HasPrefix(owned, string(account)+":")) {
				return nil, fmt.Errorf("the account %s is for deposits; rename %s, the account of an address", account, asset)
			}
		}
		if r.opening, err = r.opening.Add(its.Opening); err == nil {
			r.closing, err = r.closing.Add(its.Closing)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", account, err)
		}
	}
	return list, nil
}

// owing sums up the postings to a receivable.
type owing struct {
	posted
	deposits chain.SignedWei // those of deposits
	mixed    bool            // there are others
}

// sums returns the sums of all postings; nil for nil.
func (o *owing) sums() *posted {
	if o == nil {
		return nil
	}
	return &o.posted
}

// count adds an entry's postings.
func (o *owing) count(account Account, e *Entry) (err error) {
	for _, p := range e.Postings {
		switch {
		case p.Account == account && p.owed:
			if o.deposits, err = o.deposits.Add(p.Wei); err != nil {
				return err
			}
		case p.Account == account, p.Contra == account:
			o.mixed = true
		}
	}
	return nil
}

// settle requires that the entries lead from the deposits open before the period to those after it, and keeps the receivables
// that are used. An account of the chart may have further postings, so its balance is not asserted; nor is one that would
// contain accounts below.
func (j *Journal) settle(found map[Account]*owing) error {
	used := j.receivables[:0]
	for _, r := range j.receivables {
		o := found[r.account]
		if by, err := r.closing.Add(r.opening.Negated()); err != nil || by != o.deposits {
			return errors.Join(err, fmt.Errorf("%w: the deposits on %s change by %v wei, and the entries by %v wei", ErrUnknown, r.account, by, o.deposits))
		}
		if r.opening.Sign() == 0 && o.last == 0 {
			continue
		}
		if j.accounts[r.account] = true; !j.Continues {
			j.accounts[openingBalances] = true
		}
		used = append(used, r)
	}
	j.receivables = used
	for i := range used {
		r := &used[i]
		isBelow := func(a Account) bool { return strings.HasPrefix(string(a), string(r.account)+":") }
		if o := found[r.account]; r.account == onHold && !o.mixed && !slices.ContainsFunc(slices.Collect(maps.Keys(j.accounts)), isBelow) {
			r.asserted, j.asserted[r.account] = true, &o.posted
		}
	}
	return nil
}
