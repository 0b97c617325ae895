package ledger_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/tier"
)

// ofKinds returns a query for the transactions of some kinds.
func ofKinds(span chain.Heights, k ledger.Kinds) ledger.Query {
	return ledger.Query{Span: span, Kinds: k}
}

// blocksOfKinds are blocks of two months, in disorder, with none to three transactions of random kinds each.
func blocksOfKinds(t testing.TB) (list []*ledger.Entry) {
	random := rand.New(rand.NewPCG(5, 5))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	contract := func() chain.Optional[chain.Address] {
		if random.IntN(5) == 0 {
			return chain.Optional[chain.Address]{}
		}
		return chain.Some(chain.Address20([20]byte{7 * byte(random.IntN(4)), 19: 1})) // which also pay and are paid
	}
	for _, m := range disordered() {
		if len(m.Report.Transactions) > 0 && random.IntN(6) > 0 {
			first := *m.Report.Transactions[0].Transaction
			m.Report.Transactions, m.Report.Totals = nil, evidence.Totals{}
			for i := range random.IntN(4) {
				x := first
				x.Index, x.To, x.Call, x.Layer = i+1, contract(), "ethereum.transact", fee.EVM
				x.Type = chain.Some(chain.TransactionType(pick("legacy", "eip1559")))
				x.Outcome = chain.Some(fee.Outcome(pick("succeeded", "succeeded", "succeeded", "reverted", "failed")))
				if random.IntN(3) == 0 {
					x.Layer, x.Type, x.Call = fee.Native, chain.Optional[chain.TransactionType]{}, pick("tasK.ſend", "Task.Send", "balances.transfer", "balances.\xfftransfer")
				}
				if random.IntN(9) == 0 {
					x.Outcome = chain.Optional[fee.Outcome]{}
				}
				m.Report.Transactions = append(m.Report.Transactions, evidence.Transaction{Transaction: &x})
			}
		}
		list = append(list, m.entry(t))
	}
	return list
}

// randomKinds returns conditions of which some are those of a transaction.
func randomKinds(random *rand.Rand, x *ledger.Kind) (k ledger.Kinds) {
	asked := func() bool { return random.IntN(3) == 0 }
	if asked() {
		k.Layer = chain.Some(x.Layer)
	}
	if asked() {
		k.Outcome = chain.Some([]fee.Outcome{x.Outcome, fee.Succeeded, fee.Reverted, fee.OutOfGas}[random.IntN(4)])
	}
	if asked() {
		k.Type = chain.Some([]chain.TransactionType{chain.TransactionType(x.Type), chain.EIP1559, chain.EIP7702}[random.IntN(3)])
	}
	if asked() {
		k.Call = chain.Some([]string{x.Call, strings.ToUpper(x.Call), strings.ToLower(x.Call), "TAS\u212a.send", "no.call"}[random.IntN(5)])
	}
	if asked() {
		k.Contract = x.Recipient // also of a native transaction
	}
	return k
}

// selects is what a query's conditions mean: a transaction of an unknown outcome may have any.
func selects(k ledger.Kinds, x *ledger.Kind) bool {
	if layer, asked := k.Layer.Get(); asked && x.Layer != layer {
		return false
	}
	if outcome, asked := k.Outcome.Get(); asked && x.Outcome != outcome && x.Outcome != "" {
		return false
	}
	if of, asked := k.Type.Get(); asked && x.Type != string(of) {
		return false
	}
	if call, asked := k.Call.Get(); asked && !strings.EqualFold(x.Call, call) {
		return false
	}
	if contract, asked := k.Contract.Get(); asked {
		to, known := x.Recipient.Get()
		return known && to == contract && x.Layer == fee.EVM
	}
	return true
}

// Whatever kinds of transactions are asked for, the index finds those that a scan of all blocks finds: of sealed blocks and
// others, and however the ledger grew. Progress gets the height of each block with rows, in order.
func TestKindsFollowFromTheBlocks(t *testing.T) {
	made := blocksOfKinds(t)
	middle := len(made) / 2
	ledgers := map[string]func(t *testing.T, place string) *ledger.Book{
		"sealed": func(t *testing.T, place string) *ledger.Book { return written(t, place, madeUpChain, made) },
		"not all sealed": func(t *testing.T, place string) *ledger.Book {
			book := written(t, place, madeUpChain, made[:middle])
			require.NoError(t, book.Write(ctx, made[middle+9:]))
			require.Equal(t, chain.Some(uint64(middle-1)), statusOf(t, book).Sealed)
			return book
		},
		"extended below": func(t *testing.T, place string) *ledger.Book {
			book := written(t, place, madeUpChain, made[middle:])
			require.NoError(t, book.Write(ctx, made[:middle]))
			require.EqualValues(t, middle, sealAll(t, book))
			return book
		},
		"accounts of 32 bytes": func(t *testing.T, place string) *ledger.Book {
			return written(t, place, ledger.Identity{Network: "any"}, longEntries(t, 26))
		},
		"recorded": func(t *testing.T, place string) *ledger.Book {
			return written(t, place, recording1701().id, recording1701().entries)
		},
	}
	engines(t, func(t *testing.T, newPlace func() string) {
		for name, fill := range ledgers {
			book := fill(t, newPlace())
			all := listOf(t, book.Transactions(ctx, in(chain.Heights{Last: 1 << 20})))
			random := rand.New(rand.NewPCG(1, uint64(len(all))))
			found := 0
			for range 120 / tier.Step(2) {
				k := randomKinds(random, &all[random.IntN(len(all))].Kind)
				q := ofKinds(chain.Heights{First: all[random.IntN(len(all))].Height / 2, Last: all[random.IntN(len(all))].Height}, k)
				if random.IntN(3) == 0 {
					q.After = chain.Some(all[random.IntN(len(all))].Place())
				}
				if random.IntN(3) == 0 {
					q.Limit = 1 + random.IntN(9)
				}
				if random.IntN(9) == 0 {
					q.Accounts = append(q.Accounts, chain.Address20([20]byte{19: 1}))
				}
				var told, with []uint64
				q.Progress = func(height uint64) { told = append(told, height) }
				want := []ledger.Transaction{}
				after, paged := q.After.Get()
				for _, x := range all {
					payer, _ := x.Payer.Get()
					if x.Height < q.Span.First || x.Height > q.Span.Last || paged && x.Place().Compare(after) <= 0 || !selects(k, &x.Kind) || q.Accounts != nil && payer != q.Accounts[0] {
						continue
					}
					want, with = append(want, x), append(with, x.Height)
					if len(want) == q.Limit {
						break
					}
				}
				have := listOf(t, book.Transactions(ctx, q))
				require.Equal(t, fmt.Sprint(want), fmt.Sprint(have), "%s: %+v", name, q)
				require.True(t, slices.IsSorted(told))
				require.Subset(t, told, with)
				found += len(want)
			}
			require.Greater(t, found, 100, name)
		}
	})
}

// What leaves a transaction of an unknown outcome untold is that only its outcome is in doubt.
func TestUntoldKinds(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	told, untold := 0, 0
	for range 2_000 {
		x := ledger.Kind{
			Layer: []fee.Layer{fee.EVM, fee.Native}[random.IntN(2)], Type: []string{"legacy", "eip1559"}[random.IntN(2)], Call: []string{"a.b", "A.c"}[random.IntN(2)],
			Recipient: chain.Some(chain.Address20([20]byte{byte(random.IntN(2))})), Outcome: []fee.Outcome{"", fee.Reverted}[random.IntN(2)],
		}
		other := x
		other.Call, other.Recipient = "A.B", chain.Some(chain.Address20([20]byte{1}))
		k := randomKinds(random, &other)
		require.Equal(t, selects(k, &x), k.Has(&x) || k.Untold(&x))
		if k.Has(&x) {
			told++
			require.False(t, k.Untold(&x) && x.Outcome != "")
		} else if k.Untold(&x) {
			untold++
			require.True(t, k.Outcome.Known() && x.Outcome == "")
		}
	}
	require.Positive(t, told)
	require.Positive(t, untold)
}
