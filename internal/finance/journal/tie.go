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
	FeeSum                   // of the fees that are booked
	Exact    decimal.Decimal // what they were worth
	Total    decimal.Decimal // the same, rounded half up once
	Posted   decimal.Decimal // the sum of the entries, without the rounding entry
	Rounding decimal.Decimal // what the rounding account gets: Total - Posted

	Entries  uint64
	Accounts []*AccountTotal // in the order of their names

	Undetermined uint64 // fees that are not known, and in no entry
	Unpriced     FeeSum // fees without a price, and in no entry

	Suspense  FeeSum       // fees that no rule places
	Suspended []*PlacedFee // the first of them

	// Small are the lines that round to zero: most formats do not have them. Their value is in
	// other lines of their entry, or in the rounding entry.
	Small FeeSum

	// Dimensions are those that some fee has.
	Dimensions map[chart.Target]bool

	accounts map[Account]*AccountTotal
}

// FeeSum is the sum of some fees.
type FeeSum struct {
	Fees uint64
	Wei  chain.Wei
}

func (s *FeeSum) plus(fees uint64, wei chain.Wei) (err error) {
	s.Fees += fees
	s.Wei, err = s.Wei.Add(wei)
	return err
}

// AccountTotal is the sum of the postings to an account.
type AccountTotal struct {
	Account       Account
	Debit, Credit decimal.Decimal
}

// maxSuspended is how many of them are named.
const maxSuspended = 100

func newTie(c money.Currency) *Tie {
	return &Tie{Currency: c, accounts: map[Account]*AccountTotal{}, Dimensions: map[chart.Target]bool{}}
}

// fee counts a fee that is booked.
func (t *Tie) fee(f *PlacedFee, exact decimal.Decimal) error {
	t.Exact = t.Exact.Add(exact)
	for _, target := range dimensions {
		if f.Value(target) != "" {
			t.Dimensions[target] = true
		}
	}
	paid, _ := f.Paid.Get()
	if err := t.plus(1, paid); err != nil || !f.Suspense {
		return err
	}
	if len(t.Suspended) < maxSuspended {
		t.Suspended = append(t.Suspended, f)
	}
	return t.Suspense.plus(1, paid)
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
			if err := t.Small.plus(l.Fees, l.Wei.Size()); err != nil {
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
	all, err := t.Wei.Add(t.Unpriced.Wei)
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

// Lacks returns the dimensions that the summary has and its format does not.
func (s *Summary) Lacks() (names []string) {
	for _, t := range dimensions {
		if s.Dimensions[t] && !slices.Contains(s.layout.carries, t) {
			names = append(names, string(t))
		}
	}
	return names
}

// atDaysPrice warns of books that hold the token at cost.
const atDaysPrice = "the token's accounts are credited at the price of each day, not at cost: if your books hold the token at cost, the difference stays on these accounts until you book the gain or loss, which fees does not compute"

// Remarks returns remarks for the reader: on the prices, and on what is not in the files.
func (s *Summary) Remarks() []string {
	notes := append(slices.Clip(s.priceNotes), atDaysPrice)
	note := func(f *FeeSum, form string) {
		if f.Fees > 0 {
			notes = append(notes, fmt.Sprintf(form, console.Counted(f.Fees, "fee"), s.Tokens(f.Wei), s.Symbol))
		}
	}
	if !s.layout.zeroLines {
		note(&s.Small, "no line for %s, %s %s: the amounts round to zero, and their value is in other lines of the entry or in the rounding entry"+s.By.advice())
	}
	note(&s.Unpriced, "Not valued: %s, %s %s, "+console.Verb(s.Unpriced.Fees, "has no price and is", "have no price and are")+" in no entry")
	note(&s.Suspense, "Suspense: no rule of the chart places %s, %s %s")
	for _, name := range s.Lacks() {
		notes = append(notes, fmt.Sprintf("%s is in the chart, and --as %s has no column for it", name, s.Format.Name))
	}
	return notes
}
