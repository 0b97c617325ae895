package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
)

// monthsOfBlocks are consecutive blocks at a fixed pace from the end of November 2023, with rows in every table.
func monthsOfBlocks(count uint64, pace time.Duration) (list []*ledger.Entry) {
	for _, m := range monthsMade(count, pace) {
		e, err := ledger.NewEntry(m.Block, m.Report)
		must(err)
		list = append(list, e)
	}
	return list
}

// monthsMade are those blocks before they become entries, so that they can be changed.
func monthsMade(count uint64, pace time.Duration) (list []made) {
	begin := time.Date(2023, 11, 24, 22, 0, 0, 0, time.UTC)
	parent := chain.Hash{}
	for h := range count {
		m := makeBlock(h, hashOf(h, 0), parent, fmt.Sprint(1_000_000_007*(h+1))).at(uint64(begin.Add(time.Duration(h) * pace).UnixMilli()))
		m.event("balances", "Deposit", fmt.Sprintf(`["%v","%d"]`, mover, h+1))
		x := &m.Report.Transactions[0]
		charged := x.Fee
		x.Charged, x.Burned, x.Treasury, x.Author = charged, charged, chain.Some(chain.NewWei(0)), chain.Some(chain.NewWei(0))
		if h%3 == 0 {
			x.Transfers = []evm.Transfer{{Token: chain.Address20([20]byte{9}), From: mover, To: chain.Address20([20]byte{19: 0xcc}), Amount: tokenAmount(fmt.Sprint(h + 5))}}
		}
		if h%5 == 0 {
			m.event("balances", "Mystery", fmt.Sprintf(`["%d"]`, h))
			m.Findings = []evidence.Finding{{Check: "made-up", Block: h, Extrinsic: chain.Some(1), Message: fmt.Sprint("finding ", h)}}
			m.Unanswered = []evidence.FailedRequest{{About: "multiplier", At: h, Why: "it was late"}}
			x.Class = chain.Some(evidence.Class("made-up"))
		}
		if h%11 == 10 {
			m.unpaid()
		}
		list, parent = append(list, m), hashOf(h, 0)
	}
	return list
}

func tokenAmount(text string) chain.TokenAmount {
	a, err := chain.ParseTokenAmount(text)
	must(err)
	return a
}

var mover = chain.Address20([20]byte{0xa0, 19: 0xaa})

// question is a query with its whole answer as a text.
type question struct {
	name string
	ask  func(b *ledger.Book) (answer string, err error)
}

// questions are all queries about the blocks up to a height: about all of them, and about days and months that begin and
// end among them.
func questions(last uint64) (list []question) {
	all := chain.Heights{Last: last}
	some := chain.Heights{First: last / 4, Last: last - last/3}
	month := ledger.Period{From: timeOf(time.Date(2023, 11, 27, 7, 0, 0, 0, time.UTC)), To: timeOf(time.Date(2023, 12, 9, 0, 0, 0, 0, time.UTC))}
	payer := chain.Address20([20]byte{19: 1})
	ask := func(name string, do func(b *ledger.Book, out *strings.Builder) error) {
		list = append(list, question{name, func(b *ledger.Book) (string, error) {
			var out strings.Builder
			err := do(b, &out)
			return out.String(), err
		}})
	}
	ask("Blocks", func(b *ledger.Book, out *strings.Builder) error {
		return each(b.Blocks(ctx, in(all)), told[*ledger.Block](out))
	})
	ask("Transactions", func(b *ledger.Book, out *strings.Builder) error {
		return each(b.Transactions(ctx, in(all)), told[*ledger.Transaction](out))
	})
	ask("Kinds", func(b *ledger.Book, out *strings.Builder) error {
		return each(b.Transactions(ctx, ofKinds(all, ledger.Kinds{Outcome: chain.Some(fee.Reverted)})), told[*ledger.Transaction](out))
	})
	ask("Movements", func(b *ledger.Book, out *strings.Builder) error {
		return each(b.Movements(ctx, in(all, mover)), told[*ledger.Movement](out))
	})
	ask("Transfers", func(b *ledger.Book, out *strings.Builder) error {
		return each(b.Transfers(ctx, in(all, mover)), told[*ledger.Transfer](out))
	})
	ask("PaymentsOfTwo", func(b *ledger.Book, out *strings.Builder) error {
		return each(b.Transactions(ctx, in(all, payer, chain.Address20([20]byte{19: 2}))), told[*ledger.Transaction](out))
	})
	for name, span := range map[string]chain.Heights{"": all, " of some": some} {
		ask("Payments"+name, func(b *ledger.Book, out *strings.Builder) error {
			return each(b.Transactions(ctx, in(span, payer)), told[*ledger.Transaction](out))
		})
		ask("Evidence"+name, func(b *ledger.Book, out *strings.Builder) error {
			e, err := b.Evidence(ctx, span)
			return answered(out, e, err)
		})
		ask("SealOf"+name, func(b *ledger.Book, out *strings.Builder) error {
			seal, err := b.SealOf(ctx, heights(span.First, span.Last), span)
			return answered(out, seal, err)
		})
	}
	ask("WithoutPayer", func(b *ledger.Book, out *strings.Builder) error {
		return each(b.WithoutPayer(ctx, in(all)), told[*ledger.Transaction](out))
	})
	ask("Unmatched", func(b *ledger.Book, out *strings.Builder) error {
		return each(b.Unmatched(ctx, in(all)), told[*ledger.Transaction](out))
	})
	ask("Doubtful", func(b *ledger.Book, out *strings.Builder) error {
		return each(b.Doubtful(ctx, all), told[*ledger.Block](out))
	})
	ask("TransactionsByHash", func(b *ledger.Book, out *strings.Builder) error {
		return each(b.TransactionsByHash(ctx, hashOfTransaction(last/3)), told[*ledger.Transaction](out))
	})
	ask("TransactionsByHash of many", func(b *ledger.Book, out *strings.Builder) error {
		hashes := []chain.Hash{{1}}
		for h := range last + 2 {
			hashes = append(hashes, hashOfTransaction(h))
		}
		return each(b.TransactionsByHash(ctx, hashes...), told[*ledger.Transaction](out))
	})
	ask("TransactionsAt", func(b *ledger.Book, out *strings.Builder) error {
		var places []ledger.Place
		for h := uint64(0); h < last+2; h += 3 {
			places = append(places, ledger.Place{Height: h, Row: 1}, ledger.Place{Height: h, Row: 7})
		}
		return each(b.TransactionsAt(ctx, places...), told[*ledger.Transaction](out))
	})
	ask("TransactionAt", func(b *ledger.Book, out *strings.Builder) error {
		for _, h := range []uint64{0, last / 3, last} {
			if err := at(b, h, 1, told[*ledger.Transaction](out)); err != nil {
				return err
			}
		}
		return nil
	})
	ask("AllMovements", func(b *ledger.Book, out *strings.Builder) error {
		return each(b.Movements(ctx, in(all)), told[*ledger.Movement](out))
	})
	ask("Findings", func(b *ledger.Book, out *strings.Builder) error {
		return each(b.Findings(ctx, in(all)), told[*ledger.Finding](out))
	})
	ask("Unclassified", func(b *ledger.Book, out *strings.Builder) error {
		return each(b.Unclassified(ctx, in(all)), told[*ledger.Unclassified](out))
	})
	ask("Cover", func(b *ledger.Book, out *strings.Builder) error {
		c, err := b.Cover(ctx, month)
		return answered(out, c, err)
	})
	ask("Outside", func(b *ledger.Book, out *strings.Builder) error {
		o, err := b.Outside(ctx, month, some)
		return answered(out, o, err)
	})
	ask("Status", func(b *ledger.Book, out *strings.Builder) error {
		s, err := b.Status(ctx)
		return answered(out, s, err)
	})
	for name, kinds := range map[string][]ledger.TotalsBy{
		"": {ledger.ByQuarterHour, ledger.ByMonth, ledger.ByContract, ledger.ByAccount}, " of some time": {ledger.ByDay}, " of some heights": {ledger.ByContract, ledger.ByAccount},
	} {
		p := map[string]ledger.Period{"": ever, " of some time": month, " of some heights": {Heights: chain.Some(chain.Heights{Last: last / 3})}}[name]
		ask("Totals"+name, func(b *ledger.Book, out *strings.Builder) error {
			for _, by := range kinds {
				found, rules, err := totalled(b, p, by)
				if err := answered(out, fmt.Sprint(found, rules), err); err != nil {
					return err
				}
			}
			return nil
		})
	}
	ask("Predecessor", func(b *ledger.Book, out *strings.Builder) error {
		for _, h := range []uint64{0, last / 3, last} {
			p, err := b.Predecessor(ctx, h)
			if err := answered(out, p, err); err != nil {
				return err
			}
		}
		return nil
	})
	slices.SortFunc(list, func(a, b question) int { return strings.Compare(a.name, b.name) })
	return list
}

func timeOf(at time.Time) chain.Time {
	t, err := chain.TimeAt(uint64(at.UnixMilli()))
	must(err)
	return t
}

// told writes the results of a query one by one.
func told[T any](out *strings.Builder) func(T) error {
	return func(v T) error {
		fmt.Fprintf(out, "%+v\n", v)
		return nil
	}
}

func answered(out *strings.Builder, v any, err error) error {
	if err == nil {
		fmt.Fprintf(out, "%+v\n", v)
	}
	return err
}

// hashOfTransaction returns the hash of the transaction in a sample block.
func hashOfTransaction(height uint64) chain.Hash {
	return makeBlock(height, hashOf(height, 0), chain.Hash{}, "0").Report.Transactions[0].Hash
}

// answers returns the answers of an undamaged ledger.
func answersOf(t testing.TB, book *ledger.Book, list []question) map[string]string {
	whole := map[string]string{}
	for _, q := range list {
		answer, err := q.ask(book)
		require.NoError(t, err, q.name)
		require.NotEmpty(t, answer, q.name)
		whole[q.name] = answer
	}
	return whole
}

// sent is a query that a ledger sends to its database.
type sent struct {
	text      string
	arguments []any
}

// queriesOf returns the queries sent for an answer.
func queriesOf(t testing.TB, book *ledger.Book, ask func(*ledger.Book) (string, error)) (list []sent) {
	t.Helper()
	var mu sync.Mutex // rows are read ahead
	mend := book.Asked(func(text string, arguments []any) {
		mu.Lock()
		defer mu.Unlock()
		list = append(list, sent{text, arguments})
	})
	defer mend()
	answer, err := ask(book)
	require.NoError(t, err, answer)
	require.NotEmpty(t, list)
	return list
}
