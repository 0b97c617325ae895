package ledger_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

// The ledger's sums by day, account and contract match the reports.
func TestSums(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		both(t, func(t *testing.T, r *recording) {
			book := written(t, newPlace(), r.id, r.entries)
			sealAll(t, book)
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
			for _, by := range []ledger.TotalsBy{ledger.ByQuarterHour, ledger.ByDay, ledger.ByMonth} {
				times, _, err := totalled(book, ever, by)
				require.NoError(t, err)
				sum := chain.Wei{}
				for _, x := range times {
					sum = add(sum, x.Fee)
				}
				require.Equal(t, total, sum, by)
			}
			calls, payers := map[string]chain.Wei{}, map[chain.Address]chain.Wei{}
			_, err := book.Totals(ctx, ever, chain.Heights{Last: r.last}, ledger.ByContract, func(x *ledger.Total) error {
				calls[x.Call] = add(calls[x.Call], x.Fee)
				require.Equal(t, x.Layer == fee.Native, x.Native > 0)
				return nil
			}, func(uint64) {})
			require.NoError(t, err)
			require.Equal(t, byCall, calls)
			_, err = book.Totals(ctx, ever, chain.Heights{Last: r.last}, ledger.ByAccount, func(x *ledger.Total) error {
				payer, _ := x.Account.Get()
				payers[payer] = add(payers[payer], x.Fee)
				return nil
			}, func(uint64) {})
			require.NoError(t, err)
			require.Equal(t, byPayer, payers)
			for account, want := range transfers {
				found := 0
				require.NoError(t, each(book.Transfers(ctx, in(chain.Heights{Last: r.last}, account)), func(x *ledger.Transfer) error {
					require.True(t, x.Sender == account || x.Recipient == account)
					found++
					return nil
				}))
				require.Equal(t, want, found)
			}
		})
	})
}

// An account's activity has what its blocks contain of it: the transactions that it paid for and its ERC-20 transfers, by
// the reports, and its movements, by the events, with the transactions of others that caused them. Without transfers, a
// block that has nothing else is left out.
func TestActivity(t *testing.T) {
	type rows struct {
		time         chain.Optional[chain.Time]
		transactions []int
		movements    []movement.Movement
		transfers    []evm.Transfer
		causes       []string
	}
	engines(t, func(t *testing.T, newPlace func() string) {
		moves, caused := 0, 0
		both(t, func(t *testing.T, r *recording) {
			book := written(t, newPlace(), r.id, r.entries)
			sealAll(t, book)
			want := map[chain.Address]map[uint64]*rows{}
			for _, p := range r.proved {
				of := func(a chain.Address) *rows {
					if want[a] == nil {
						want[a] = map[uint64]*rows{}
					}
					if want[a][p.Block.Number] == nil {
						want[a][p.Block.Number] = &rows{time: p.Report.Time}
					}
					return want[a][p.Block.Number]
				}
				for _, x := range p.Report.Transactions {
					payer, _ := x.Payer.Get()
					of(payer).transactions = append(of(payer).transactions, x.Index)
					for _, transfer := range x.Transfers {
						moves++
						of(transfer.From).transfers = append(of(transfer.From).transfers, transfer)
						if transfer.To != transfer.From {
							of(transfer.To).transfers = append(of(transfer.To).transfers, transfer)
						}
					}
				}
				moved, _ := movement.Of(p.Block, chain.AddressSize)
				for _, m := range moved {
					x := of(m.Account)
					x.movements = append(x.movements, m)
					for _, cause := range p.Report.Transactions {
						payer, _ := cause.Payer.Get()
						if hash := cause.Hash.String(); movement.Where(cause.Index) == m.Where && payer != m.Account && !slices.Contains(x.causes, hash) {
							x.causes = append(x.causes, hash)
							caused++
						}
					}
				}
			}
			require.NotEmpty(t, want)
			for account, blocks := range want {
				for _, with := range []ledger.Addition{ledger.WithTransfers, ledger.WithCauses, 0} {
					have, last := map[uint64]*rows{}, chain.Optional[uint64]{}
					require.NoError(t, each(book.Activity(ctx, account, chain.Heights{Last: r.last}, with), func(a *ledger.Activity) error {
						before, some := last.Get()
						require.True(t, !some || before < a.Height)
						last = chain.Some(a.Height)
						x := &rows{time: a.Time}
						for _, t := range a.Transactions {
							x.transactions = append(x.transactions, t.Index)
						}
						for _, m := range a.Movements {
							x.movements = append(x.movements, m.Movement)
						}
						for _, m := range a.Transfers {
							x.transfers = append(x.transfers, evm.Transfer{Token: m.Token, From: m.Sender, To: m.Recipient, Amount: m.Amount})
						}
						for _, t := range a.Causes {
							x.causes = append(x.causes, t.Hash.String())
						}
						have[a.Height] = x
						return nil
					}))
					wanted := map[uint64]*rows{}
					for height, x := range blocks {
						some := *x
						if with != ledger.WithTransfers {
							some.transfers = nil
						}
						if with != ledger.WithCauses {
							some.causes = nil
						}
						if len(some.transactions)+len(some.movements)+len(some.transfers) > 0 {
							wanted[height] = &some
						}
					}
					require.Equal(t, wanted, have, account)
				}
			}
		})
		require.Positive(t, moves)
		require.Positive(t, caused)
	})
}

// An unrecognised balances event is stored with the reason.
func TestUnclassified(t *testing.T) {
	m := makeBlock(5, hashOf(5, 0), hashOf(4, 0), "1").event("balances", "Minced", `["0x00",1]`)
	engines(t, func(t *testing.T, newPlace func() string) {
		book := writer(t, newPlace())
		require.NoError(t, book.Begin(ctx, madeUpChain, 5))
		require.NoError(t, book.Write(ctx, []*ledger.Entry{m.entry(t)}))
		var found []*ledger.Unclassified
		require.NoError(t, each(book.Unclassified(ctx, in(chain.Heights{First: 5, Last: 5})), func(u *ledger.Unclassified) error {
			found = append(found, u)
			return nil
		}))
		require.Len(t, found, 1)
		require.Equal(t, "balances.Minced", found[0].Event)
		require.Equal(t, `["0x00",1]`, found[0].Data)
		require.Equal(t, movement.ErrUnknownEvent.Error(), found[0].Reason)
	})
}

// Heads are the blocks without their sums.
func TestHeads(t *testing.T) {
	const last = 20
	entries := monthsOfBlocks(last, 16*time.Hour)
	enginesInTurn(t, func(t *testing.T, newPlace func() string) {
		book := written(t, newPlace(), madeUpChain, entries)
		var want, have []ledger.Block
		require.NoError(t, each(book.Blocks(ctx, in(chain.Heights{First: 2, Last: last})), func(b *ledger.Block) error {
			b.EVM, b.Native, b.Undetermined, b.Fee, b.EVMFee, b.NativeFee = 0, 0, 0, chain.Wei{}, chain.Wei{}, chain.Wei{}
			b.Charged, b.Burned, b.Treasury, b.Author = chain.Optional[chain.Wei]{}, chain.Optional[chain.Wei]{}, chain.Optional[chain.Wei]{}, chain.Optional[chain.Wei]{}
			want = append(want, *b)
			return nil
		}))
		require.NoError(t, each(book.Heads(ctx, chain.Heights{First: 2, Last: last}), func(b *ledger.Block) error { have = append(have, *b); return nil }))
		require.Equal(t, want, have)
		require.NotEmpty(t, have)
	})
}
