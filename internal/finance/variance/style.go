package variance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
)

// Report is a variance with what its readers need to know.
type Report struct {
	*Variance
	Network       string
	console.Token                 // the network's
	Period, Other Side            // the period, and the one that it is compared with
	Part          string          // what is compared of both, such as "to 30 Jan 08:30, 29.4 of 31 days"; "" for all
	Accounts      []chain.Address // the payers; nil for all
	Labels        *addressbook.Book
	Prices        *money.List // nil for no amounts in a currency
	Partial       []string    // what is missing of both periods, shown first
	Notes         []string    // without those
	// Top limits the calls of a step: those with the largest amounts, and one row for all others. Unknown shows all calls,
	// but only the first [shownCalls] in the text for a terminal.
	Top chain.Optional[int]
}

// Side is one of the periods.
type Side struct {
	Name     string
	Length   string // such as "31 days"
	Part     string // what is compared of it, such as "to 30 Jan 08:30, 29.4 of 31 days"; "" for all
	Cover    ledger.Cover
	Evidence evidence.Evidence
	Worth    chain.Optional[money.Amount] // of its fees, each at the price of its day or hour
}

// title returns the period's name for people.
func (s *Side) title() string { return console.PeriodName(s.Name) }

// Order says in which order the factors change.
const Order = "the factors change in this order: calls of one period only; number of transactions, at the gas and prices before; gas per transaction, at the number now and the prices before; " +
	"base fee and priority fees, at the number and gas now; where gas does not explain fees: number of transactions, at the fees before; fee and tip per transaction, at the number now"

// Title returns the title.
func (r *Report) Title() string {
	title := fmt.Sprintf("Why fees of %s changed, %s against %s", r.Network, r.Period.title(), r.Other.title())
	if r.Accounts != nil {
		title += ", for " + console.Counted(len(r.Accounts), "account")
	}
	return title
}

// AllNotes returns all notes, on missing parts first.
func (r *Report) AllNotes() []string {
	notes := slices.Concat(r.Partial, r.limits(), r.Notes, []string{Order})
	for _, s := range []*Side{&r.Period, &r.Other} {
		notes = append(notes, "evidence: "+s.title()+": "+s.Evidence.String())
	}
	return notes
}

// limits returns notes on what the steps do not contain, or explain less well.
func (r *Report) limits() (notes []string) {
	if r.Part == "" && r.Period.Length != r.Other.Length {
		notes = append(notes, fmt.Sprintf("the periods differ in length: %s and %s", r.Period.Length, r.Other.Length))
	}
	if r.WithoutGas > 0 {
		notes = append(notes, "gas or priority fee not known for some transactions of "+console.Counted(r.WithoutGas, "EVM call")+": number and fee of the transactions explain "+console.Verb(r.WithoutGas, "its", "their")+" fees")
	}
	for _, s := range []struct {
		*Side
		of *Sums
	}{{&r.Period, &r.Now}, {&r.Other, &r.Before}} {
		for _, n := range []struct {
			count              uint64
			what, one, several string
		}{
			{s.of.Undetermined, "fee", "is undetermined, and in no step", "are undetermined, and in no step"},
			{s.of.Drifts, "fee", "differs from what the chain charged: the steps explain the fees by the rules", "differ from what the chain charged: the steps explain the fees by the rules"},
			{s.of.InAssets, "fee", "was paid in an asset, and is in no step", "were paid in assets, and are in no step"},
		} {
			if n.count > 0 {
				notes = append(notes, s.title()+": "+console.Counted(n.count, n.what)+" "+console.Verb(n.count, n.one, n.several))
			}
		}
	}
	return notes
}

// Text returns a step's name for readers.
func (s Step) Text() string {
	switch s {
	case FeeEach:
		return "fee per transaction"
	case Gas:
		return "gas per transaction"
	case NotKnown:
		return "not known"
	}
	return strings.ReplaceAll(string(s), "_", " ")
}

// Percent returns the difference in percent of the fees before, rounded half away from zero to two decimals. It is unknown
// if those are 0, or if a fee is not known.
func (r *Report) Percent() (none chain.Optional[string]) {
	difference, known := r.Difference().Get()
	before := decimal.RequireFromString(r.Before.Fee.String())
	if !known || before.IsZero() {
		return none
	}
	return chain.Some(decimal.RequireFromString(difference.String()).Shift(2).DivRound(before, 2).StringFixed(2))
}

// CallName returns a call for readers: its layer and name, and the contract with its label.
func (r *Report) CallName(c *Call) string {
	if c.Layer == "" {
		return "payer not known"
	}
	name := string(c.Layer) + " " + c.Name
	if contract, known := c.Contract.Get(); known {
		name += " " + r.Account(contract)
		if label, labelled := r.Labels.Label(contract); labelled {
			name += " (" + label + ")"
		}
	}
	return name
}

// Signed formats a change in tokens, with its sign.
func (r *Report) Signed(amount chain.SignedWei) string {
	if amount.Sign() > 0 {
		return "+" + r.Tokens(amount)
	}
	return r.Tokens(amount)
}
