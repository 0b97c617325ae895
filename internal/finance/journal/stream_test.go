package journal_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/test/ledgertest"
)

// company is a company with the given number of accounts.
func company(n int) (accounts []chain.Address) {
	for i := range n {
		var a [chain.AddressSize]byte
		binary.BigEndian.PutUint32(a[:], uint32(i+1))
		accounts = append(accounts, chain.Address20(a))
	}
	return accounts
}

// places are the positions of payments, in order.
func places(t testing.TB, b journal.Book, q journal.Selection) (list []string) {
	payments, err := journal.Find(context.Background(), b, q)
	require.NoError(t, err)
	for _, p := range all(t, payments) {
		list = append(list, p.Place())
	}
	return list
}

// For any number of accounts and any distribution of their payments, each payment is read once, in order. Payments
// without a known payer come between the others, and both ends of the span have some.
func TestOrderOfTheChain(t *testing.T) {
	const last = 2_000
	inOrder := func(list []*ledger.Transaction) {
		slices.SortFunc(list, func(a, b *ledger.Transaction) int {
			return cmp.Or(cmp.Compare(a.Height, b.Height), cmp.Compare(a.Index, b.Index))
		})
	}
	for _, accounts := range []int{1, 7, 1500} {
		random := rand.New(rand.NewPCG(1, uint64(accounts)))
		who, book := company(accounts), &made{}
		var own []*ledger.Transaction
		for index := range 12_000 {
			x := paid(t, index, "1", "1")
			x.Height, x.Payer = []uint64{0, last, random.Uint64N(last), random.Uint64N(last)}[random.IntN(4)], chain.Some(who[random.IntN(len(who))])
			switch random.IntN(10) {
			case 0:
				x.Payer = chain.Some(address(t, baltathar)) // of somebody else
				book.payments = append(book.payments, x)
				continue
			case 1:
				x.Payer, x.Sender = chain.Optional[chain.Address]{}, x.Payer
				book.unpaid = append(book.unpaid, x)
			default:
				book.payments = append(book.payments, x)
			}
			own = append(own, x)
		}
		inOrder(book.payments)
		inOrder(book.unpaid)
		inOrder(own)
		var expected []string
		for _, x := range own {
			expected = append(expected, x.Place().String())
		}
		require.True(t, slices.Equal(expected, places(t, book, question(append(who, who[0]), 0, last))), "%d accounts", accounts)
	}
}

// endless is a ledger that generates its records while it is read: one transaction per block, paid by the accounts in
// turn, with a withdrawal of 3 as its fee.
type endless struct {
	journal.Book
	accounts []chain.Address
	peak     uint64 // bytes that were in use when a record was read
	read     int
}

// look samples the memory in use.
func (b *endless) look() {
	if b.read++; b.read%10_000 != 0 {
		return
	}
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	b.peak = max(b.peak, now.HeapAlloc)
}

func (b *endless) payer(height uint64) chain.Address {
	return b.accounts[height%uint64(len(b.accounts))]
}

func (b *endless) transaction(height uint64) *ledger.Transaction {
	b.look()
	x := &ledger.Transaction{Cost: ledger.Cost{Height: height, Time: noon(), Index: 1, Kind: ledger.Kind{Call: strings.Repeat("c", 100)}, Payer: chain.Some(b.payer(height)), Charged: chain.Some(chain.NewWei(3))}}
	binary.BigEndian.PutUint64(x.Hash[:], height)
	return x
}

func (b *endless) Transactions(_ context.Context, q ledger.Query) iter.Seq2[*ledger.Transaction, error] {
	return inTurn(b, q, b.transaction)
}

// inTurn generates the rows of the queried accounts.
func inTurn[T any](b *endless, q ledger.Query, of func(height uint64) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for h := q.Span.First; h <= q.Span.Last; h++ {
			if slices.Contains(q.Accounts, b.payer(h)) && !yield(of(h), nil) {
				return
			}
		}
	}
}

func (b *endless) WithoutPayer(context.Context, ledger.Query) iter.Seq2[*ledger.Transaction, error] {
	return func(func(*ledger.Transaction, error) bool) {}
}

func (b *endless) Movements(_ context.Context, q ledger.Query) iter.Seq2[*ledger.Movement, error] {
	return inTurn(b, q, func(h uint64) *ledger.Movement {
		b.look()
		change := chain.Some(chain.NewWei(3).Signed().Negated())
		return &ledger.Movement{Height: h, Time: noon(), Movement: movement.Movement{
			Where: 1, Event: "balances.Withdraw", Kind: movement.KindWithdrawal, Account: b.payer(h), Amount: chain.NewWei(3), Free: change, Reserved: chain.Some(chain.SignedWei{}),
		}}
	})
}

func (b *endless) Blocks(_ context.Context, q ledger.Query) iter.Seq2[*ledger.Block, error] {
	return oneBlock(q)
}

// Balance returns an account's balance after a block, starting at a million wei.
func (b *endless) Balance(_ context.Context, account chain.Address, height uint64) (chain.Balance, error) {
	left := uint64(1_000_000)
	for h := uint64(1); h <= height; h++ {
		if b.payer(h) == account {
			left -= 3
		}
	}
	return chain.Balance{Free: chain.NewWei(left)}, nil
}

// Three times as many payments need no more memory.
func TestMemoryIsFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about size")
	}
	ctx := context.Background()
	inBooks := func(p journal.Format, makeJournal func(*endless, *journal.Payments) (*journal.Journal, error)) func(*endless, *journal.Payments, io.Writer) error {
		return func(b *endless, payments *journal.Payments, w io.Writer) error {
			j, err := makeJournal(b, payments)
			if err != nil {
				return err
			}
			return j.Write(context.Background(), w, p)
		}
	}
	listed := func(write func(io.Writer, ...*table.Sheet) error) func(*endless, *journal.Payments, io.Writer) error {
		return func(_ *endless, payments *journal.Payments, w io.Writer) error {
			return write(w, journal.List(ctx, payments, style()))
		}
	}
	fees := func(_ *endless, payments *journal.Payments) (*journal.Journal, error) {
		return journal.FeeJournal(ctx, payments, style())
	}
	movements := func(b *endless, payments *journal.Payments) (*journal.Journal, error) {
		return journal.MovementJournal(ctx, payments, b, style())
	}
	for name, write := range map[string]func(*endless, *journal.Payments, io.Writer) error{
		"hledger":                 inBooks(journal.HLedger, fees),
		"movements for beancount": inBooks(journal.Beancount, movements),
		"csv":                     listed(table.WriteCSV),
		"parquet":                 listed(table.WriteParquet),
		"xlsx":                    listed(table.WriteXLSX),
		"koinly": func(_ *endless, payments *journal.Payments, w io.Writer) error {
			return journal.WriteKoinly(ctx, w, payments, style())
		},
	} {
		t.Run(name, func(t *testing.T) {
			peak := func(payments uint64) uint64 {
				b := &endless{accounts: company(3)}
				found, err := journal.Find(ctx, b, question(b.accounts, 1, payments))
				require.NoError(t, err)
				require.NoError(t, write(b, found, io.Discard))
				require.GreaterOrEqual(t, b.read, 2*int(payments))
				return b.peak
			}
			few, many := peak(20_000), peak(60_000)
			t.Logf("%d and %d KB", few>>10, many>>10)
			require.Less(t, many, few+(8<<20), "40,000 more payments, of which each takes some hundred bytes where it is held")
		})
	}
}

// A later pass gives the same as the first, or an error, never a mix.
func TestChangedMeanwhile(t *testing.T) {
	ctx := context.Background()
	book := func() *made {
		return &made{payments: []*ledger.Transaction{paid(t, 1, "5", "5"), paid(t, 2, "5", "5")}, movements: []ledger.Movement{
			moved(t, 1, "withdrawal", "5", less(t, "5")), moved(t, 2, "withdrawal", "5", less(t, "5")),
		}}
	}
	for name, change := range map[string]func(*made){
		"one less":       func(b *made) { b.payments = b.payments[1:] },
		"one more":       func(b *made) { b.payments = append(b.payments, paid(t, 3, "", "")) },
		"another charge": func(b *made) { b.payments[0] = paid(t, 1, "5", "6") },
		"another place":  func(b *made) { b.payments[0] = paid(t, 3, "5", "5") },
	} {
		t.Run(name, func(t *testing.T) {
			b := book()
			payments := found(t, b)
			j, err := journal.FeeJournal(ctx, payments, style())
			require.NoError(t, err)
			change(b)
			for _, err := range []error{
				j.Write(context.Background(), io.Discard, journal.HLedger),
				j.Write(context.Background(), io.Discard, journal.Beancount),
				table.WriteCSV(io.Discard, journal.List(ctx, payments, style())),
				journal.WriteKoinly(ctx, io.Discard, payments, style()),
			} {
				require.ErrorIs(t, err, journal.ErrChanged)
				var ours *journal.LedgerError
				require.ErrorAs(t, err, &ours)
			}
			_, err = journal.FeeJournal(ctx, payments, style())
			require.ErrorIs(t, err, journal.ErrChanged)
		})
	}
	t.Run("movements", func(t *testing.T) {
		b := book()
		j, err := movementsIn(t, b, "990")
		require.NoError(t, err)
		before := written(t, j, journal.Ledger)
		b.movements[1].Event = "balances.Other" // what is written has no events
		require.Equal(t, before, written(t, j, journal.Ledger))
		b.movements = append(b.movements, moved(t, 9, "mint", "1", more(t, "1")))
		require.ErrorIs(t, j.Write(context.Background(), io.Discard, journal.Ledger), journal.ErrChanged)
	})
	t.Run("between movements", func(t *testing.T) {
		one, six := moved(t, 2, "mint", "1", more(t, "1")), moved(t, 3, "mint", "6", more(t, "6"))
		b := &made{movements: []ledger.Movement{one, six}}
		j, err := movementsIn(t, b, "1007")
		require.NoError(t, err)
		one.Where, six.Where = six.Where, one.Where
		b.movements = []ledger.Movement{six, one} // which add up to the same
		require.ErrorIs(t, j.Write(context.Background(), io.Discard, journal.Ledger), journal.ErrChanged)
	})
}

// hasty is a ledger whose movements differ in the second pass.
type hasty struct {
	*made
	read int
}

func (b *hasty) Movements(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Movement, error] {
	if b.read++; b.read > 1 {
		b.movements = b.movements[1:]
	}
	return b.made.Movements(ctx, q)
}

// The movements entered are those that were proved.
func TestProvedIsEntered(t *testing.T) {
	b := &hasty{made: &made{movements: []ledger.Movement{moved(t, 2, "mint", "5", more(t, "5")), moved(t, 3, "mint", "1", more(t, "1"))}}}
	balances := recorded{address(t, alith): {6: {Free: wei(t, "1000")}, 7: {Free: wei(t, "1006")}}}
	_, err := journal.MovementJournal(context.Background(), found(t, b), balances, style())
	require.ErrorIs(t, err, journal.ErrChanged)
}

// later is a ledger that fails in a later pass.
type later struct {
	*made
	broken bool
}

func (b *later) Transactions(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Transaction, error] {
	if b.broken {
		return func(yield func(*ledger.Transaction, error) bool) { yield(nil, errBroken) }
	}
	return b.made.Transactions(ctx, q)
}

func (b *later) Movements(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Movement, error] {
	if b.broken {
		return func(yield func(*ledger.Movement, error) bool) { yield(nil, errBroken) }
	}
	return b.made.Movements(ctx, q)
}

func TestBookFailsLater(t *testing.T) {
	ctx := context.Background()
	b := &later{made: &made{payments: []*ledger.Transaction{paid(t, 1, "5", "5")}}}
	payments := found(t, b)
	j, err := journal.FeeJournal(ctx, payments, style())
	require.NoError(t, err)
	b.broken = true
	for _, err := range []error{
		j.Write(context.Background(), io.Discard, journal.Ledger),
		table.WriteJSONLines(io.Discard, journal.List(ctx, payments, style())),
		journal.WriteKoinly(ctx, io.Discard, payments, style()),
	} {
		require.ErrorIs(t, err, errBroken)
	}
	_, err = journal.FeeJournal(ctx, payments, style())
	require.ErrorIs(t, err, errBroken)
	_, err = journal.MovementJournal(ctx, payments, nothing{}, style())
	require.ErrorIs(t, err, errBroken)
	_, err = journal.Find(ctx, b, question([]chain.Address{{}}, 1, 2))
	require.ErrorIs(t, err, errBroken)
}

// full fails every write.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errBroken }

// After a write error nothing more is read.
func TestOutputFails(t *testing.T) {
	for _, p := range []journal.Format{journal.HLedger, journal.Beancount, journal.Ledger} {
		b := &endless{accounts: company(1)}
		payments, err := journal.Find(t.Context(), b, question(b.accounts, 1, 50_000))
		require.NoError(t, err)
		j, err := journal.FeeJournal(t.Context(), payments, style())
		require.NoError(t, err)
		before := b.read
		require.ErrorIs(t, j.Write(context.Background(), full{}, p), errBroken)
		if p.Name != journal.Beancount.Name { // which is checked first
			require.Less(t, b.read, before+25_000)
		}
	}
}

// The first hundred are listed, and all are counted.
func TestManyUndetermined(t *testing.T) {
	book := &made{}
	for i := range 250 {
		book.payments = append(book.payments, paid(t, i, "", ""))
	}
	count, first := found(t, book).Undetermined()
	require.EqualValues(t, 250, count)
	require.Len(t, first, 100)
	require.Equal(t, "7-99", first[99].Place())
}

// A block whose time goes backwards keeps its position on the chain, and each program finds the account's last balance
// where it expects it.
func TestTimeGoesBackwards(t *testing.T) {
	before, err := chain.TimeAt(uint64(time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC).UnixMilli()))
	require.NoError(t, err)
	x, y := moved(t, 1, "mint", "5", more(t, "5")), moved(t, 2, "mint", "7", more(t, "7"))
	y.Height, y.Time = 8, chain.Some(before)
	fee, earlier := paid(t, 1, "1", "1"), paid(t, 1, "1", "1")
	earlier.Height, earlier.Time = 8, chain.Some(before)
	balances := recorded{address(t, alith): {6: {Free: wei(t, "1000")}, 8: {Free: wei(t, "1012")}}}
	q := question([]chain.Address{address(t, alith)}, 7, 8)
	payments, err := journal.Find(context.Background(), &made{movements: []ledger.Movement{x, y}}, q)
	require.NoError(t, err)
	j, err := journal.MovementJournal(context.Background(), payments, balances, style())
	require.NoError(t, err)
	paid, err := journal.Find(context.Background(), &made{payments: []*ledger.Transaction{fee, earlier}}, q)
	require.NoError(t, err)
	fees, err := journal.FeeJournal(context.Background(), paid, style())
	require.NoError(t, err)
	for _, p := range accountings {
		for _, text := range []string{written(t, j, p.Format), written(t, fees, p.Format)} {
			passes(t, p, text)
			require.Less(t, strings.Index(text, "block 7"), strings.Index(text, "block 8"))
		}
		wrong := strings.Replace(written(t, j, p.Format), "000000000000001012 GLMR", "000000000000001013 GLMR", 1)
		wrong = strings.Replace(wrong, "000000000000001012 ~", "000000000000001013 ~", 1)
		require.NotEqual(t, written(t, j, p.Format), wrong)
		out, err := program(t, p.check, save(t, "test.journal", wrong))
		require.Error(t, err, "%s does not look at the balance: %s", p.Name, out)
	}
}

// The journal of many accounts, whose records are read differently, is the same.
func TestFewAndManyAccounts(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about size")
	}
	ctx, book, balances := context.Background(), bookOf(t, "moonbeam-2100"), ledgertest.RecordedBalances(t, "moonbeam-2100")
	accounts := accountsOf(balances)
	for _, a := range company(1200) { // who have nothing
		balances[a] = map[uint64]chain.Balance{0: {}, 27: {}}
	}
	few, err := journal.Find(ctx, book, question(accounts, 0, 27))
	require.NoError(t, err)
	many, err := journal.Find(ctx, book, question(accountsOf(balances), 0, 27))
	require.NoError(t, err)
	var text [2]bytes.Buffer
	for i, payments := range []*journal.Payments{few, many} {
		require.NoError(t, table.WriteCSV(&text[i], journal.List(ctx, payments, style())))
	}
	require.Equal(t, text[0].String(), text[1].String())
	for i, payments := range []*journal.Payments{few, many} {
		j, err := journal.MovementJournal(ctx, payments, balances, style())
		require.NoError(t, err)
		all := written(t, j, journal.HLedger)
		last := strings.LastIndex(all, " * balance of ") // the accounts differ up to there
		_, entries, _ := strings.Cut(all[last:], "\n\n")
		text[i].Reset()
		text[i].WriteString(entries)
	}
	require.Contains(t, text[0].String(), "block 27-")
	require.Equal(t, text[0].String(), text[1].String())
}
