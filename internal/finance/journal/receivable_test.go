package journal_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/deposits"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

// owing are receivables of Alith before and after block 7.
func owing(t testing.TB, opening, closing string) map[chain.Address]deposits.Receivable {
	signed := func(text string) (amount chain.SignedWei) {
		require.NoError(t, amount.UnmarshalText([]byte(text)))
		return amount
	}
	return map[chain.Address]deposits.Receivable{address(t, alith): {Opening: signed(opening), Closing: signed(closing)}}
}

// Deposits that were open before the period open their account, or are asserted if the journal continues; those after it are
// asserted. They may be those that the account holds for others.
func TestReceivables(t *testing.T) {
	m := moved(t, 3, movement.KindTransferIn, "5", more(t, "5"))
	m.Reason, m.Counterparty = chain.Some(chain.HoldReason("revive.StorageDepositReserve")), chain.Some(address(t, baltathar))
	balances := recorded{address(t, alith): {6: {Free: wei(t, "1000")}, 7: {Free: wei(t, "1005")}}}
	text := func(s journal.Request, list []movement.Kind, as journal.Format) (string, error) {
		book := &made{}
		if len(list) > 0 {
			book.movements = append(book.movements, m)
		}
		have := balances
		if len(list) == 0 {
			have = recorded{address(t, alith): {6: {Free: wei(t, "1000")}, 7: {Free: wei(t, "1000")}}}
		}
		j, err := journal.MovementJournal(t.Context(), found(t, book), have, s)
		if err != nil {
			return "", err
		}
		return written(t, j, as), nil
	}
	given := []movement.Kind{m.Kind}
	const amount = "0.00000000000000000"
	for name, c := range map[string]struct {
		opening, closing string
		moved            []movement.Kind
		continues        bool
		as               journal.Format
		want, lacks      []string
	}{
		"given back": {"8", "3", given, false, journal.HLedger, []string{
			"2026-03-31 * balance of Assets:Deposits after block 6\n    Assets:Deposits  " + amount + "8 GLMR\n    Equity:Opening  -" + amount + "8 GLMR\n",
			"    Assets:Deposits  -" + amount + "5 GLMR = " + amount + "3 GLMR\n", "account Equity:Opening\n"}, nil},
		"continued": {"8", "3", given, true, journal.Ledger, []string{
			"balance of Assets:Deposits after block 6\n    Assets:Deposits  " + amount + "0 GLMR = " + amount + "8 GLMR\n", "  -" + amount + "5 GLMR = " + amount + "3 GLMR\n"}, []string{"Equity:Opening"}},
		"held for others": {"-8", "-13", given, false, journal.HLedger, []string{
			"    Assets:Deposits  -" + amount + "8 GLMR\n", "  -" + amount + "5 GLMR = -0.000000000000000013 GLMR\n"}, nil},
		"unchanged": {"8", "8", nil, false, journal.HLedger, []string{"    Assets:Deposits  " + amount + "8 GLMR = " + amount + "8 GLMR\n"}, nil},
		"none":      {"0", "0", nil, false, journal.HLedger, nil, []string{"Assets:Deposits"}},
		"beancount": {"8", "3", given, false, journal.Beancount, []string{
			"2026-03-31 open Assets:Deposits\n", "  Assets:Deposits  " + amount + "8 GLMR\n", "\n2026-04-01 balance Assets:Deposits  " + amount + "3 ~ 0 GLMR\n"}, nil},
		"beancount continued": {"8", "3", given, true, journal.Beancount, []string{
			"\n2026-03-31 balance Assets:Deposits  " + amount + "8 ~ 0 GLMR\n", "\n2026-04-01 balance Assets:Deposits  " + amount + "3 ~ 0 GLMR\n"}, []string{"Equity:Opening", "open Assets:Deposits"}},
	} {
		s := style()
		s.Receivables, s.Continues = owing(t, c.opening, c.closing), c.continues
		have, err := text(s, c.moved, c.as)
		require.NoError(t, err, name)
		for _, want := range c.want {
			require.Contains(t, have, want, name)
		}
		for _, lacks := range c.lacks {
			require.NotContains(t, have, lacks, name)
		}
	}

	// The entries must lead from one to the other.
	s := style()
	s.Receivables = owing(t, "8", "4")
	_, err := text(s, given, journal.HLedger)
	require.ErrorIs(t, err, journal.ErrUnknown)
	require.EqualError(t, err, "a change of a balance is not known: the deposits on Assets:Deposits change by -4 wei, and the entries by -5 wei")

	// No account of an address can be that of deposits, or be below it.
	for _, asset := range []string{"Assets:Deposits", "Assets:Deposits:Alith"} {
		s.Receivables = owing(t, "8", "3")
		s.Names, err = namesOf("address,label,account\n" + alith + ",Alith," + asset + "\n")
		require.NoError(t, err)
		_, err = text(s, given, journal.HLedger)
		require.EqualError(t, err, "the account Assets:Deposits is for deposits; rename "+asset+", the account of an address")
	}
	s.Names = nil

	// Beancount would round a sum.
	s.Receivables = owing(t, strings.Repeat("9", 29), strings.Repeat("9", 28)+"4")
	_, err = text(s, given, journal.HLedger)
	require.NoError(t, err)
	j, err := journal.MovementJournal(t.Context(), found(t, &made{movements: nil}), recorded{address(t, alith): {6: {}, 7: {}}}, style())
	require.NoError(t, err)
	require.NotContains(t, written(t, j, journal.HLedger), "Deposits")
	s.Receivables = owing(t, strings.Repeat("9", 29), strings.Repeat("9", 29))
	j, err = journal.MovementJournal(t.Context(), found(t, &made{}), recorded{address(t, alith): {6: {}, 7: {}}}, s)
	require.NoError(t, err)
	require.ErrorContains(t, j.Write(t.Context(), &strings.Builder{}, journal.Beancount), "Assets:Deposits: a number has 29 digits")
}

// An account of the chart takes all parts of a deposit: its opening, what is given back, and what passed. It may have other
// postings, so nothing is asserted of it, and a journal that continues leaves its opening to the one before.
func TestReceivablesOfChart(t *testing.T) {
	reason := chain.Some(chain.HoldReason("revive.StorageDepositReserve"))
	given, passed := moved(t, 3, movement.KindTransferIn, "5", more(t, "5")), moved(t, 4, movement.KindDepositPassedOut, "2", more(t, "0"))
	given.Reason, given.Counterparty = reason, chain.Some(address(t, baltathar))
	passed.Reason, passed.Counterparty = reason, chain.Some(address(t, charleth))
	book := &made{movements: []ledger.Movement{given, passed}}
	balances := recorded{address(t, alith): {6: {Free: wei(t, "1000")}, 7: {Free: wei(t, "1005")}}}
	for _, continues := range []bool{false, true} {
		s := charted(t, bookOf(t, "moonbeam-2100"), "kind,account\ndeposit,Assets:Receivable\ndeposit-passed,Expenses:Lost\n")
		s.Receivables, s.Continues = owing(t, "8", "1"), continues
		j, err := journal.MovementJournal(t.Context(), found(t, book), balances, s)
		require.NoError(t, err)
		text := written(t, j, journal.HLedger)
		require.NotContains(t, text, "Assets:Deposits")
		require.Contains(t, text, "    Assets:Receivable  -0.000000000000000005 GLMR\n")
		require.Contains(t, text, "    Assets:Receivable  -0.000000000000000002 GLMR\n    Expenses:Lost  0.000000000000000002 GLMR\n")
		require.Equal(t, !continues, strings.Contains(text, "    Assets:Receivable  0.000000000000000008 GLMR\n    Equity:Opening  -0.000000000000000008 GLMR\n"))
	}

	// Another kind on the account for deposits: the sum of deposits is still right, and not asserted.
	fee := moved(t, 5, movement.KindBurn, "1", less(t, "1"))
	book.movements = append(book.movements, fee)
	balances = recorded{address(t, alith): {6: {Free: wei(t, "1000")}, 7: {Free: wei(t, "1004")}}}
	s := charted(t, bookOf(t, "moonbeam-2100"), "kind,account\nissuance|unclassified,Assets:Deposits\n")
	s.Receivables = owing(t, "8", "1")
	j, err := journal.MovementJournal(t.Context(), found(t, book), balances, s)
	require.NoError(t, err)
	text := written(t, j, journal.HLedger)
	require.Contains(t, text, "    Assets:Deposits  0.000000000000000001 GLMR\n")
	require.NotRegexp(t, "Assets:Deposits .*=", text)
}
