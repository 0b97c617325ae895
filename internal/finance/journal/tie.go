package journal

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/money"
)

// Tie is how a summary ties to the fees that it is made of.
type Tie struct {
	Currency money.Currency
	Fees     uint64          // that are booked
	Wei      chain.Wei       // of them
	Exact    decimal.Decimal // what they were worth
	Total    decimal.Decimal // the same, rounded half up once
	Posted   decimal.Decimal // the sum of the entries, without the rounding entry
	Rounding decimal.Decimal // what the rounding account gets: Total - Posted

	Entries  uint64
	Accounts []*AccountTotal // in the order of their names

	Undetermined uint64    // fees that are not known, and in no entry
	Unpriced     uint64    // fees without a price, and in no entry
	UnpricedWei  chain.Wei // of them

	SuspenseFees uint64 // that no rule places
	SuspenseWei  chain.Wei
	Suspended    []*Suspended // the first of them

	// Small are the lines that round to zero: most formats do not have them. Their value is in
	// other lines of their entry, or in the rounding entry.
	SmallFees uint64
	SmallWei  chain.SignedWei

	// Dimensions are those that some fee has.
	Dimensions map[chart.Target]bool

	accounts map[Account]*AccountTotal
}

// AccountTotal is the sum of the postings to an account.
type AccountTotal struct {
	Account       Account
	Debit, Credit decimal.Decimal
}

// Suspended is a fee that no rule places.
type Suspended struct {
	ID, Call string
	Payer    chain.Address
	Label    string
	Wei      chain.Wei
}

// maxSuspended is how many of them are named.
const maxSuspended = 100

func newTie(c money.Currency) *Tie {
	return &Tie{Currency: c, accounts: map[Account]*AccountTotal{}, Dimensions: map[chart.Target]bool{}}
}

// fee counts a fee that is booked.
func (t *Tie) fee(x *Payment, paid chain.Wei, exact decimal.Decimal, placed *Placed) (err error) {
	t.Fees++
	t.Exact = t.Exact.Add(exact)
	for _, target := range dimensions {
		if placed.Value(target) != "" {
			t.Dimensions[target] = true
		}
	}
	if t.Wei, err = t.Wei.Add(paid); err != nil || !placed.Suspense {
		return err
	}
	t.SuspenseFees++
	if len(t.Suspended) < maxSuspended {
		t.Suspended = append(t.Suspended, &Suspended{x.Place(), x.Call, placed.Facts.Payer, placed.Facts.Label, paid})
	}
	t.SuspenseWei, err = t.SuspenseWei.Add(paid)
	return err
}

// unpriced counts a fee without a price.
func (t *Tie) unpriced(paid chain.Wei) (err error) {
	t.Unpriced++
	t.UnpricedWei, err = t.UnpricedWei.Add(paid)
	return err
}

// add counts an entry.
func (t *Tie) add(e *Entry) error {
	t.Entries++
	if !e.Rounding {
		t.Posted = t.Posted.Add(e.Sum())
	}
	lines, err := e.Lines()
	if err != nil {
		return err
	}
	for _, l := range lines {
		if l.Account == "" {
			return fmt.Errorf(`the entry %s needs a rounding account; add the line "# %s: ACCOUNT" to the chart`, e.Reference, chart.SettingRounding)
		}
		total := t.accounts[l.Account]
		if total == nil {
			total = &AccountTotal{Account: l.Account}
			t.accounts[l.Account] = total
			t.Accounts = append(t.Accounts, total)
		}
		switch {
		case l.Debit && l.Amount.IsZero():
			t.SmallFees += l.Fees
			if t.SmallWei, err = t.SmallWei.Add(l.Wei); err != nil {
				return err
			}
		case l.Debit:
			total.Debit = total.Debit.Add(l.Amount)
		default:
			total.Credit = total.Credit.Add(l.Amount)
		}
	}
	return nil
}

// finish computes what is known when all entries are counted.
func (t *Tie) finish() {
	slices.SortFunc(t.Accounts, func(a, b *AccountTotal) int { return cmp.Compare(a.Account, b.Account) })
	t.Total = t.Exact.Round(int32(t.Currency.Decimals()))
	t.Rounding = t.Total.Sub(t.Posted)
}

// TieError reports that a summary differs from the report on the same fees.
type TieError struct{ Report, Journal string }

// Kind is [failure.DoesNotHold].
func (*TieError) Kind() failure.Kind { return failure.DoesNotHold }

func (e *TieError) Error() string {
	return fmt.Sprintf("the report has %s charged, and the journal %s; nothing is written", e.Report, e.Journal)
}

// Compare compares the summary with what a report on the same fees has charged, and with what that
// was worth where the report knows it.
func (t *Tie) Compare(charged chain.Wei, worth chain.Optional[money.Amount]) error {
	all, err := t.Wei.Add(t.UnpricedWei)
	if err != nil {
		return err
	}
	if charged != all {
		return &TieError{charged.String() + " wei", all.String() + " wei"}
	}
	amount, known := worth.Get()
	if !known {
		return nil
	}
	exact, err := decimal.NewFromString(amount.Exact())
	if err == nil && !exact.Equal(t.Exact) {
		err = &TieError{exact.String() + " " + string(t.Currency), t.Exact.String() + " " + string(t.Currency)}
	}
	return err
}

// Sums are the sums of all debits and of all credits.
func (t *Tie) Sums() (debit, credit decimal.Decimal) {
	for _, a := range t.Accounts {
		debit, credit = debit.Add(a.Debit), credit.Add(a.Credit)
	}
	return debit, credit
}

// Money is an amount with the decimals of the currency.
func (t *Tie) Money(amount decimal.Decimal) string {
	return amount.StringFixed(int32(t.Currency.Decimals()))
}

// Notes returns remarks on a summary in a layout.
func (s *Summary) Notes(l *Layout) (notes []string) {
	note := func(n uint64, wei fmt.Stringer, form string, more ...any) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf(form, append([]any{fmt.Sprintf("%s, %s %s", console.Counted(n, "fee"), s.Tokens(wei), s.Symbol)}, more...)...))
		}
	}
	if !l.zeroLines {
		note(s.SmallFees, s.SmallWei, "no line for %s: the amounts round to zero, and their value is in other lines of the entry or in the rounding entry")
	}
	note(s.Unpriced, s.UnpricedWei, "PARTIAL: %s, %s no price and %s in no entry", console.Verb(s.Unpriced, "has", "have"), console.Verb(s.Unpriced, "is", "are"))
	note(s.SuspenseFees, s.SuspenseWei, "SUSPENSE: no rule of the chart places %s")
	for _, name := range l.Lacks(s) {
		notes = append(notes, fmt.Sprintf("%s is in the chart, and --as %s has no column for it", name, l.Name))
	}
	return notes
}
