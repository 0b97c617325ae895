package ledger_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/ledger"
)

// The ledger's sums by day, account and contract are those of the reports.
func TestSums(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		both(t, func(t *testing.T, r *recording) {
			book := written(t, newPlace(), r.id, r.entries)
			sealAll(t, book)
			from, to := ledger.DayOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), ledger.DayOf(time.Date(2026, 12, 31, 23, 59, 0, 0, time.UTC))
			total, byPayer := chain.Wei{}, map[chain.Address]chain.Wei{}
			byCall := map[string]chain.Wei{}
			transfers := map[chain.Address]int{}
			add := func(a, b chain.Wei) chain.Wei {
				sum, err := a.Add(b)
				require.NoError(t, err)
				return sum
			}
			for _, p := range r.proved {
				for _, x := range p.Report.Transactions {
					paid, _ := x.Fee.Get()
					payer, _ := x.Payer.Get()
					total, byPayer[payer], byCall[x.Call] = add(total, paid), add(byPayer[payer], paid), add(byCall[x.Call], paid)
					for _, m := range x.Transfers {
						transfers[m.From]++
						if m.To != m.From {
							transfers[m.To]++
						}
					}
				}
			}
			for _, name := range []string{"UTC", "Asia/Kathmandu", "America/New_York"} {
				zone, err := time.LoadLocation(name)
				require.NoError(t, err)
				days, err := book.FeesByDay(ctx, zone, from-1, to)
				require.NoError(t, err)
				sum := chain.Wei{}
				for _, d := range days {
					sum = add(sum, d.Fee)
				}
				require.Equal(t, total, sum, name)
			}
			utc, err := book.FeesByDay(ctx, time.UTC, from, from)
			require.NoError(t, err)
			require.Len(t, utc, 1)
			require.Equal(t, "2026-01-01", utc[0].Day.String())

			contracts, err := book.FeesByContract(ctx, from, to)
			require.NoError(t, err)
			have := map[string]chain.Wei{}
			for i, c := range contracts {
				have[c.Call] = add(have[c.Call], c.Fee)
				require.True(t, i == 0 || contracts[i-1].Fee.Cmp(c.Fee) >= 0, "the greatest first")
				require.Equal(t, c.Layer == fee.Native, c.Native > 0)
			}
			require.Equal(t, byCall, have)
			oneDay, err := book.FeesByContract(ctx, from, from) // all transactions, but not all blocks, are of it
			require.NoError(t, err)
			require.Equal(t, contracts, oneDay)

			for payer, want := range byPayer {
				days, err := book.AccountDays(ctx, payer, from, to)
				require.NoError(t, err)
				sum := chain.Wei{}
				for _, d := range days {
					sum = add(sum, d.Fee)
				}
				require.Equal(t, want, sum)
			}
			for account, want := range transfers {
				found := 0
				require.NoError(t, each(book.Transfers(ctx, in(ledger.Span{Last: r.last}, account)), func(x *ledger.Transfer) error {
					require.True(t, x.Sender == account || x.Recipient == account)
					found++
					return nil
				}))
				require.Equal(t, want, found)
			}
		})
	})
}

// A balances event that is not understood is kept, with why.
func TestUnclassified(t *testing.T) {
	m := makeBlock(5, hashOf(5, 0), hashOf(4, 0), "1").event("balances", "Minced", `["0x00",1]`)
	engines(t, func(t *testing.T, newPlace func() string) {
		book := writer(t, newPlace())
		require.NoError(t, book.Begin(ctx, madeUpChain, 5))
		require.NoError(t, book.Write(ctx, []*ledger.Entry{m.entry(t)}))
		var found []*ledger.Unclassified
		require.NoError(t, each(book.Unclassified(ctx, in(ledger.Span{First: 5, Last: 5})), func(u *ledger.Unclassified) error {
			found = append(found, u)
			return nil
		}))
		require.Len(t, found, 1)
		require.Equal(t, "balances.Minced", found[0].Event)
		require.Equal(t, `["0x00",1]`, found[0].Data)
		require.Equal(t, chain.ErrUnknownEvent.Error(), found[0].Reason)
	})
}

func TestDays(t *testing.T) {
	for text, want := range map[string]ledger.Day{"1969-12-31T23:59:59Z": -1, "1970-01-01T00:00:00Z": 0, "1970-01-02T00:00:00Z": 1} {
		at, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		require.Equal(t, want, ledger.DayOf(at), text)
	}
}
