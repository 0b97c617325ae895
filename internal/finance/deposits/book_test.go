package deposits_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/deposits"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/test/ledgertest"
)

// The accounts of 8-5 and 8-6 of the recording: Charleth paid a deposit of 1,480,000,000, Dorothy cleared the slot.
const charleth, dorothy = "5Ep5dBwRE7mhFsH69SLRTSHYJ7yugeTycZHeT8Ez4DPACvqz", "5Em1NEHgVvpXYBEzWeNf9JzuLyvuyyn3ZLifywLQPGdqFVU2"

func recordedBook(t *testing.T, last uint64) *ledger.Book {
	t.Helper()
	return ledgertest.Hub(t, filepath.Join(t.TempDir(), "fees.db"), "stack-template-3", chain.Heights{Last: last})
}

// Deposits that passed are among the movements of either account, last in their extrinsics, and once in its activity: also
// in an extrinsic, and in a block, in which no balance of the account changed.
func TestBook(t *testing.T) {
	plain := recordedBook(t, 20)
	account := func(text string) chain.Address {
		a, err := chain.ParseAccount(text)
		require.NoError(t, err)
		return a
	}
	names := map[chain.Address]string{account(charleth): "charleth", account(dorothy): "dorothy"}
	both := []chain.Address{account(charleth), account(dorothy)}
	book, err := deposits.Read(t.Context(), plain, both, chain.Heights{First: 1, Last: 20})
	require.NoError(t, err)
	text := func(m *ledger.Movement) string {
		counterparty, _ := m.Counterparty.Get()
		other := names[counterparty]
		return fmt.Sprintf("%s %s %v %s", m.Where.In(m.Height), m.Kind, m.Amount, other)
	}
	isPassed := func(m *ledger.Movement) bool {
		return m.Kind == movement.KindDepositPassedOut || m.Kind == movement.KindDepositPassedIn
	}
	passedBy := 0 // transactions that passed a deposit
	for _, accounts := range [][]chain.Address{both, both[:1], both[1:]} {
		for last := range uint64(21) {
			q := ledger.Query{Accounts: accounts, Span: chain.Heights{First: 2, Last: last}}
			var have, want, passed []string
			place := ledger.Place{}
			for m, err := range book.Movements(t.Context(), q) {
				require.NoError(t, err)
				require.GreaterOrEqual(t, m.Height, place.Height)
				if m.Height == place.Height {
					require.GreaterOrEqual(t, int(m.Where), place.Row)
				}
				place = ledger.Place{Height: m.Height, Row: int(m.Where)}
				if isPassed(m) {
					passed = append(passed, text(m))
					require.Equal(t, chain.Some(chain.SignedWei{}), m.Free)
				} else {
					have = append(have, text(m))
				}
			}
			for m, err := range plain.Movements(t.Context(), q) {
				require.NoError(t, err)
				want = append(want, text(m))
			}
			require.Equal(t, want, have)
			if last >= 8 {
				if accounts[0] == both[0] {
					require.Contains(t, passed, "8-6 deposit-passed-out 1480000000 dorothy")
				}
				if accounts[len(accounts)-1] == both[1] {
					require.Contains(t, passed, "8-6 deposit-passed-in 1480000000 charleth")
				}
			}
			if len(accounts) > 1 {
				continue
			}
			var active []string
			height := uint64(0)
			for x, err := range book.Activity(t.Context(), accounts[0], q.Span, ledger.WithCauses) {
				require.NoError(t, err)
				require.Greater(t, x.Height, height, "each block once")
				height = x.Height
				causes := map[int]bool{}
				for _, cause := range slices.Concat(x.Transactions, x.Causes) {
					require.False(t, causes[cause.Index], "each once")
					causes[cause.Index] = true
				}
				require.True(t, slices.IsSortedFunc(x.Causes, func(a, b *ledger.Transaction) int { return a.Index - b.Index }))
				for _, m := range x.Movements {
					require.Equal(t, height, m.Height)
					active = append(active, text(m))
					if index, is := m.Where.Extrinsic(); is {
						cause, err := plain.TransactionAt(t.Context(), ledger.Place{Height: height, Row: index})
						require.NoError(t, err)
						require.Equal(t, cause != nil, causes[index], text(m))
						if isPassed(m) && cause != nil {
							passedBy++
						}
					}
				}
			}
			var all []string
			for m, err := range book.Movements(t.Context(), q) {
				require.NoError(t, err)
				all = append(all, text(m))
			}
			require.Equal(t, all, active)
		}
	}
	require.Positive(t, passedBy)

	// Other accounts have none.
	other, err := deposits.Read(t.Context(), plain, []chain.Address{account("5GbT5TZFpHb8jwt2vL3v879pJBsp7ELUj826KNFXY8EJc6kN")}, chain.Heights{First: 1, Last: 7})
	require.NoError(t, err)
	for m, err := range other.Movements(t.Context(), ledger.Query{Accounts: both, Span: chain.Heights{Last: 20}}) {
		require.NoError(t, err)
		require.False(t, isPassed(m))
	}
}

// A change passes a deposit if another account got it back than had paid it, or if it was burned where another held it.
func TestPassing(t *testing.T) {
	reason := chain.HoldReason("revive.StorageDepositReserve")
	for name, c := range map[string]struct {
		change deposits.Change
		want   []string
	}{
		"cleared by another":    {deposits.Change{Holder: contract, Reason: reason, Payer: chain.Some(alice), To: chain.Some(bob)}, []string{"deposit-passed-out alice bob", "deposit-passed-in bob alice"}},
		"cleared by its payer":  {deposits.Change{Holder: contract, Reason: reason, Payer: chain.Some(alice), To: chain.Some(alice)}, nil},
		"left to the holder":    {deposits.Change{Holder: contract, Reason: reason, Payer: chain.Some(alice), To: chain.Some(contract)}, []string{"deposit-passed-out alice contract", "deposit-passed-in contract alice"}},
		"burned":                {deposits.Change{Holder: contract, Reason: reason, Payer: chain.Some(alice)}, []string{"deposit-passed-out alice contract", "deposit-passed-in contract alice"}},
		"the holder's, burned":  {deposits.Change{Holder: alice, Reason: reason, Payer: chain.Some(alice)}, nil},
		"of an unknown payer":   {deposits.Change{Holder: contract, Reason: reason, To: chain.Some(bob)}, []string{"deposit-unmatched-out contract bob", "deposit-unmatched-in bob contract"}},
		"left to its holder":    {deposits.Change{Holder: contract, Reason: reason, To: chain.Some(contract)}, nil},
		"unknown, and burned":   {deposits.Change{Holder: contract, Reason: reason}, nil},
		"a reserve repatriated": {deposits.Change{Holder: alice, Payer: chain.Some(alice), To: chain.Some(bob)}, nil},
	} {
		c.change.Amount = chain.NewWei(5).Signed().Negated()
		var have []string
		for _, m := range deposits.MovementsOf(&c.change) {
			require.Equal(t, chain.NewWei(5), m.Amount)
			have = append(have, fmt.Sprintf("%s %s %s", m.Kind, names[m.Account], nameOf(m.Counterparty)))
		}
		require.Equal(t, c.want, have, name)
		c.change.Amount = chain.NewWei(5).Signed()
		require.Empty(t, deposits.MovementsOf(&c.change), "it was taken")
	}
}

// The receivables before and after each span are those of all open deposits of the chain: what an account paid, less what it
// holds for others.
func TestReceivables(t *testing.T) {
	book := recordedBook(t, 37)
	var all deposits.Deposits
	open := []map[chain.Address]chain.SignedWei{{}} // by height
	accounts := map[chain.Address]bool{}
	for c, err := range book.Contents(t.Context(), chain.Heights{First: 1, Last: 37}) {
		require.NoError(t, err)
		require.NoError(t, all.Add(c))
		sums := map[chain.Address]chain.SignedWei{}
		add := func(a chain.Address, amount chain.SignedWei) {
			accounts[a] = true
			sums[a], err = sums[a].Add(amount)
			require.NoError(t, err)
		}
		for _, x := range all.Open() {
			payer, known := x.Payer.Get()
			require.True(t, known)
			add(payer, x.Amount.Signed())
			add(x.Holder, x.Amount.Signed().Negated())
		}
		open = append(open, sums)
	}
	require.Greater(t, len(accounts), 10)
	list := slices.SortedFunc(maps.Keys(accounts), chain.Address.Compare)
	for _, span := range []chain.Heights{{First: 1, Last: 37}, {First: 7, Last: 7}, {First: 8, Last: 8}, {First: 9, Last: 24}, {First: 25, Last: 37}} {
		for i := range len(list) + 1 {
			selected := list
			if i < len(list) {
				selected = list[i : i+1]
			}
			read, err := deposits.Read(t.Context(), book, selected, span)
			require.NoError(t, err)
			for _, a := range selected {
				require.Equal(t, deposits.Receivable{Opening: open[span.First-1][a], Closing: open[span.Last][a]}, read.Receivables[a], "%v of %v", span, a)
			}
			notes, err := read.Notes(span, chain.Wei.String)
			require.NoError(t, err)
			require.Empty(t, notes, "the ledger has all blocks")
		}
	}
}

// A ledger that begins late knows what was given back, but not who had paid it.
func TestUnmatched(t *testing.T) {
	late := ledgertest.Hub(t, filepath.Join(t.TempDir(), "late.db"), "stack-template-3", chain.Heights{First: 7, Last: 20})
	const baltathar, holder = "5DSSiJevXj8XQ6uKD5ZNQJEimLPWwxuW4MZE9YNcAtRsYgVG", "5Cq1onJs8s8arASiDZTWU7C3cCEdvsq5QcR1Pp4E3A5DsD7n"
	begin := "the ledger begins at block 7: deposits that others hold, and that were taken before it, are not known and in no balance"
	const passed = "deposits passed between accounts: what was given back may be of older deposits, which are not known"
	const unknown = ", and who paid them is not known: the ledger does not contain the transactions that took them"
	for text, want := range map[string]struct {
		kind  movement.Kind
		count int
		notes []string
	}{
		baltathar: {movement.KindDepositUnmatchedIn, 1, []string{"deposits of 3699999998 were given back to the accounts" + unknown, begin, passed}},
		holder:    {movement.KindDepositUnmatchedOut, 4, []string{"deposits of 10359999998 that the accounts held were given back" + unknown, begin}},
	} {
		a, err := chain.ParseAccount(text)
		require.NoError(t, err)
		book, err := deposits.Read(t.Context(), late, []chain.Address{a}, chain.Heights{First: 7, Last: 20})
		require.NoError(t, err)
		count := 0
		for m, err := range book.Movements(t.Context(), ledger.Query{Accounts: []chain.Address{a}, Span: chain.Heights{First: 7, Last: 20}}) {
			require.NoError(t, err)
			if m.Kind == want.kind {
				require.EqualValues(t, 7, m.Height)
				count++
			}
		}
		require.Equal(t, want.count, count)
		notes, err := book.Notes(chain.Heights{First: 7, Last: 20}, chain.Wei.String)
		require.NoError(t, err)
		require.Equal(t, want.notes, notes)
		notes, err = book.Notes(chain.Heights{First: 8, Last: 20}, chain.Wei.String)
		require.NoError(t, err)
		require.Equal(t, want.notes[1:], notes, "they were given back before the span")
	}
}
