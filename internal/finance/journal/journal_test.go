package journal_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/test/ledgertest"
)

const (
	alith     = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"
	baltathar = "0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0"
	charleth  = "0x798d4Ba9baf0064Ec19eB4F0a1a45785ae9D6DFc"
)

// made is a ledger filled by a test, mostly in block 7.
type made struct {
	payments  []*ledger.Transaction
	unpaid    []*ledger.Transaction
	movements []ledger.Movement
}

// pass yields the matching items of a list.
func pass[T any](list []*T, q ledger.Query, height func(*T) uint64, matches func(*T) bool) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for _, x := range list {
			if h := height(x); h >= q.Span.First && h <= q.Span.Last && matches(x) && !yield(x, nil) {
				return
			}
		}
	}
}

func heightOf(t *ledger.Transaction) uint64 { return t.Height }

func anyOf(*ledger.Transaction) bool { return true }

func (b *made) WithoutPayer(_ context.Context, q ledger.Query) iter.Seq2[*ledger.Transaction, error] {
	return pass(b.unpaid, q, heightOf, anyOf)
}

func (b *made) Transactions(_ context.Context, q ledger.Query) iter.Seq2[*ledger.Transaction, error] {
	if len(q.Accounts) == 0 {
		return pass(slices.Concat(b.payments, b.unpaid), q, heightOf, anyOf)
	}
	return pass(b.payments, q, heightOf, func(t *ledger.Transaction) bool {
		payer, ok := t.Payer.Get()
		return ok && slices.Contains(q.Accounts, payer)
	})
}

func (b *made) TransactionAt(_ context.Context, at ledger.Place) (*ledger.Transaction, error) {
	for _, t := range b.payments {
		if t.Height == at.Height && t.Index == at.Row {
			return t, nil
		}
	}
	return nil, nil
}

func (b *made) Movements(_ context.Context, q ledger.Query) iter.Seq2[*ledger.Movement, error] {
	var list []*ledger.Movement
	for i := range b.movements {
		list = append(list, &b.movements[i])
	}
	return pass(list, q, func(m *ledger.Movement) uint64 { return m.Height }, func(m *ledger.Movement) bool {
		return len(q.Accounts) == 0 || slices.Contains(q.Accounts, m.Account)
	})
}

func (b *made) Blocks(_ context.Context, q ledger.Query) iter.Seq2[*ledger.Block, error] {
	return oneBlock(q)
}

func oneBlock(q ledger.Query) iter.Seq2[*ledger.Block, error] {
	return func(yield func(*ledger.Block, error) bool) {
		yield(&ledger.Block{Height: q.Span.First, Time: noon()}, nil)
	}
}

func noon() chain.Optional[chain.Time] {
	at, err := chain.TimeAt(uint64(time.Date(2026, 3, 31, 23, 30, 0, 0, time.UTC).UnixMilli()))
	if err != nil {
		panic(err)
	}
	return chain.Some(at)
}

// paid is a transaction of Alith's with a fee and a charge; "" means unknown.
func paid(t testing.TB, index int, charge, charged string) *ledger.Transaction {
	x := &ledger.Transaction{
		Cost: ledger.Cost{
			Height: 7, Time: noon(), Index: index, Kind: ledger.Kind{Layer: fee.EVM, Call: "ethereum.transact"}, Payer: chain.Some(address(t, alith)), Verdict: evidence.Match,
		},
		Hash: chain.Hash{byte(index)}, Sender: chain.Some(address(t, alith)),
	}
	if charge != "" {
		x.Fee = chain.Some(wei(t, charge))
	}
	if charged != "" {
		x.Charged = chain.Some(wei(t, charged))
	}
	return x
}

func found(t testing.TB, b journal.Book) *journal.Payments {
	payments, err := journal.Find(context.Background(), b, question([]chain.Address{address(t, alith)}, 7, 7))
	require.NoError(t, err)
	return payments
}

func feesIn(t testing.TB, b *made, s journal.Request) *journal.Journal {
	j, err := journal.FeeJournal(context.Background(), found(t, b), s)
	require.NoError(t, err)
	return j
}

// The amount paid is the charge. Remarks on an amount are next to it.
func TestWhatWasPaid(t *testing.T) {
	drift := paid(t, 2, "100", "130")
	drift.Verdict, drift.Class = evidence.Drift, evidence.ZeroedPayer
	unpriced := paid(t, 3, "", "50")
	unpriced.Error = "event evm.X: missing\n; 2026-01-01 * evil"
	book := &made{payments: []*ledger.Transaction{paid(t, 1, "100", "100"), drift, unpriced, paid(t, 4, "70", ""), paid(t, 5, "", "")}}
	text := written(t, feesIn(t, book, style()), journal.HLedger)
	require.Equal(t, `
2026-03-31 * (0x0100000000000000000000000000000000000000000000000000000000000000) block 7-1 ethereum.transact
    ; time: 2026-03-31T23:30:00Z
    Expenses:Fees:EVM  0.000000000000000100 GLMR
    Assets:0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac  -0.000000000000000100 GLMR

2026-03-31 * (0x0200000000000000000000000000000000000000000000000000000000000000) block 7-2 ethereum.transact
    ; time: 2026-03-31T23:30:00Z
    ; remark: fee by the rules 0.000000000000000100, charged on chain 0.000000000000000130 (zeroed_payer)
    Expenses:Fees:EVM  0.000000000000000130 GLMR
    Assets:0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac  -0.000000000000000130 GLMR

2026-03-31 * (0x0300000000000000000000000000000000000000000000000000000000000000) block 7-3 ethereum.transact
    ; time: 2026-03-31T23:30:00Z
    ; remark: the rules do not determine this fee (event evm.X missing 2026-01-01 evil), the amount is the charge on chain
    Expenses:Fees:EVM  0.000000000000000050 GLMR
    Assets:0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac  -0.000000000000000050 GLMR

2026-03-31 * (0x0400000000000000000000000000000000000000000000000000000000000000) block 7-4 ethereum.transact
    ; time: 2026-03-31T23:30:00Z
    ; remark: the chain recorded no charge, the amount is the fee by the rules
    Expenses:Fees:EVM  0.000000000000000070 GLMR
    Assets:0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac  -0.000000000000000070 GLMR
`, text[strings.Index(text, "\n2026"):])
	count, undetermined := found(t, book).Undetermined()
	require.EqualValues(t, 1, count)
	require.Len(t, undetermined, 1)
	require.Equal(t, "7-5", undetermined[0].Place())
	for _, p := range accountings {
		passes(t, p, written(t, feesIn(t, book, style()), p.Format))
	}
}

// A fee with unknown payer is undetermined if one of the accounts may have paid it.
func TestPayerUnknown(t *testing.T) {
	mine, others, unknown := paid(t, 1, "", ""), paid(t, 2, "", ""), paid(t, 3, "5", "5")
	for _, x := range []*ledger.Transaction{mine, others, unknown} {
		x.Payer = chain.Optional[chain.Address]{}
	}
	others.Sender, unknown.Sender = chain.Some(address(t, baltathar)), chain.Optional[chain.Address]{}
	payments := found(t, &made{unpaid: []*ledger.Transaction{mine, others, unknown}})
	require.Len(t, all(t, payments), 2)
	count, _ := payments.Undetermined()
	require.EqualValues(t, 2, count)
	j, err := journal.FeeJournal(context.Background(), payments, style())
	require.NoError(t, err)
	require.NotContains(t, written(t, j, journal.Ledger), "block 7")
}

// The day is in the journal's time zone.
func TestZone(t *testing.T) {
	s := style()
	var err error
	s.Zone, err = time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	text := written(t, feesIn(t, &made{payments: []*ledger.Transaction{paid(t, 1, "1", "1")}}, s), journal.Beancount)
	require.Contains(t, text, `2026-04-01 * "block 7-1 ethereum.transact"`)
	require.Contains(t, text, `time: "2026-03-31T23:30:00Z"`)
}

// A day without a price is reported.
func TestPriceMissing(t *testing.T) {
	s := style()
	var err error
	s.Prices, err = money.Read([]byte("# source: X\n2026-03-30,1.5"), "EUR")
	require.NoError(t, err)
	_, err = journal.FeeJournal(context.Background(), found(t, &made{payments: []*ledger.Transaction{paid(t, 1, "1", "1")}}), s)
	require.EqualError(t, err, "no price in EUR for 1 day: 2026-03-31")
	s.Partial = true
	text := written(t, feesIn(t, &made{payments: []*ledger.Transaction{paid(t, 1, "1", "1")}}, s), journal.HLedger)
	require.Contains(t, text, "; Not valued: no price in EUR for 1 day: 2026-03-31. Those amounts are in the token only\n")
	require.NotContains(t, text, " @ ")
}

// The price of an entry is that of its day, or of its hour with hourly prices, regardless of the journal's time
// zone.
func TestPriceOfTheEntrysMoment(t *testing.T) {
	s := style()
	var err error
	s.Zone, err = time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	book := &made{payments: []*ledger.Transaction{paid(t, 1, "1000000000000000", "1000000000000000")}} // at 2026-03-31T23:30Z
	for file, want := range map[string]string{
		"2026-03-31,1.5\n2026-04-01,2.5":                            "GLMR @ 1.5 EUR",
		"# timezone: Europe/Berlin\n2026-03-31,1.5\n2026-04-01,2.5": "GLMR @ 2.5 EUR",
		"2026-03-31T23:00:00Z,3.5":                                  "GLMR @ 3.5 EUR",
	} {
		s.Prices, err = money.Read([]byte("# source: X; Y\n"+file), "EUR")
		require.NoError(t, err)
		for _, p := range accountings {
			text := written(t, feesIn(t, book, s), p.Format)
			require.Contains(t, text, want)
			require.Contains(t, text, s.Prices.SHA256)
			passes(t, p, text)
		}
		var koinly strings.Builder
		payments := found(t, book)
		require.NoError(t, journal.WriteKoinly(t.Context(), &koinly, payments, s))
		require.Contains(t, koinly.String(), ",0.00,EUR,cost,")
		notes, err := s.CheckPrices(t.Context(), payments)
		require.NoError(t, err)
		require.Len(t, notes, 2)
		var list strings.Builder
		require.NoError(t, table.WriteCSV(&list, journal.List(t.Context(), payments, s)))
		require.Contains(t, list.String(), ",fee_eur,charged_eur\n")
		require.Contains(t, list.String(), ",0.00,0.00\n")
	}
	s.Prices, err = money.Read([]byte("# source: X\n2026-01-01,1"), "EUR")
	require.NoError(t, err)
	_, err = s.CheckPrices(t.Context(), found(t, book))
	require.EqualError(t, err, "no price in EUR for 1 day: 2026-03-31")
}

// Amounts that Beancount would round are rejected: it keeps 28 digits, not 29.
func TestBeancountDigits(t *testing.T) {
	const digits28, digits29 = "1234567890123456789012345678", "12345678901234567890123456789"
	book := func(charged string) *made {
		return &made{payments: []*ledger.Transaction{paid(t, 1, charged, charged)}}
	}
	passes(t, accountings[2], written(t, feesIn(t, book(digits28), style()), journal.Beancount))
	var out strings.Builder
	err := feesIn(t, book(digits29), style()).Write(context.Background(), &out, journal.Beancount)
	require.EqualError(t, err, "beancount: block 7, extrinsic 1: Expenses:Fees:EVM: a number has 29 digits: Beancount calculates with 28 digits and would round")
	require.Empty(t, out.String())
	for _, p := range accountings[:2] {
		passes(t, p, written(t, feesIn(t, book(digits29), style()), p.Format))
	}
	s := style()
	s.Prices, err = money.Read([]byte("# source: X\n2026-03-31,1.5"), "EUR")
	require.NoError(t, err)
	err = feesIn(t, book(digits28), s).Write(context.Background(), &out, journal.Beancount)
	require.ErrorContains(t, err, "GLMR at 1.5 EUR: a number has 29 digits")
	s.Symbol = "glmr"
	require.ErrorContains(t, feesIn(t, book("1"), s).Write(context.Background(), &out, journal.Beancount), `the symbol "glmr"`)
}

// Unknown or inconsistent destinations of a fee are reported.
func TestNetworkSide(t *testing.T) {
	s := style()
	s.NetworkSide = true
	x := paid(t, 1, "100", "100")
	text := written(t, feesIn(t, &made{payments: []*ledger.Transaction{x}}, s), journal.HLedger)
	require.Contains(t, text, "remark: the destinations of the fee are not known")
	require.NotContains(t, text, "Network")
	x.Burned, x.Treasury, x.Author = chain.Some(wei(t, "80")), chain.Some(wei(t, "20")), chain.Some(wei(t, "0"))
	text = written(t, feesIn(t, &made{payments: []*ledger.Transaction{x}}, s), journal.HLedger)
	require.Contains(t, text, "Equity:Network:Treasury  0.000000000000000020 GLMR")
	x.Treasury = chain.Some(wei(t, "21"))
	_, err := journal.FeeJournal(context.Background(), found(t, &made{payments: []*ledger.Transaction{x}}), s)
	require.EqualError(t, err, "block 7, extrinsic 1: burned, treasury and author add up to 101 wei, but 100 were paid")
}

// Runtimes 1201 to 1599 burned 80 % of a fee, gave 20 % to the treasury, and minted the
// priority fee to the author beside that: it is not part of the payment.
func TestNetworkSideWithAMintedPart(t *testing.T) {
	s := style()
	s.NetworkSide = true
	const e15 = "000000000000000"
	x := paid(t, 1, "100"+e15, "100"+e15)
	x.Burned, x.Treasury, x.Author = chain.Some(wei(t, "80"+e15)), chain.Some(wei(t, "20"+e15)), chain.Some(wei(t, "5"+e15))
	for _, p := range accountings {
		t.Run(p.Name, func(t *testing.T) {
			text := written(t, feesIn(t, &made{payments: []*ledger.Transaction{x}}, s), p.Format)
			require.Contains(t, text, "the author's amount was minted and is not part of the fee")
			passes(t, p, text)
			have := map[string]string{}
			for account, n := range sums(t, p, text) {
				have[account] = n.String()
			}
			require.Equal(t, map[string]string{
				"Expenses:Fees:EVM": "100" + e15, "Assets:" + alith: "-100" + e15, "Equity:Network:Burned": "80" + e15, "Equity:Network:Treasury": "20" + e15,
				"Equity:Network:Author": "5" + e15, "Equity:Network:Minted": "-5" + e15, "Equity:Network:Fees": "-100" + e15,
			}, have)
		})
	}
}

// A difference of one wei is reported with its block, and no journal is created.
func TestBalanceDiffers(t *testing.T) {
	ctx, book, balances := context.Background(), bookOf(t, "moonbeam-2100"), ledgertest.RecordedBalances(t, "moonbeam-2100")
	who := address(t, charleth)
	for height := uint64(13); height <= 27; height++ {
		more := balances[who][height]
		one, err := more.Free.Add(chain.NewWei(1))
		require.NoError(t, err)
		more.Free = one
		balances[who][height] = more
	}
	payments, err := journal.Find(ctx, book, question(accountsOf(balances), 0, 27))
	require.NoError(t, err)
	j, err := journal.MovementJournal(ctx, payments, balances, style())
	require.Nil(t, j)
	var differs *journal.DifferenceError
	require.ErrorAs(t, err, &differs)
	require.EqualError(t, err, "block 13: the balance of 0x798d4Ba9baf0064Ec19eB4F0a1a45785ae9D6DFc exceeds its movements by 1 wei free and 0 wei reserved")
	require.Equal(t, who, differs.Account)

	// It reads no more balances than it needs: the ends of each account, and of this one the middle
	// of 27, 13, 7, 4 and 2 blocks. Where that is not kept, the narrowest span is named.
	counted := &counting{recorded: balances}
	_, err = journal.MovementJournal(ctx, payments, counted, style())
	require.ErrorAs(t, err, &differs)
	require.LessOrEqual(t, counted.reads.Load(), int64(2*len(balances)+5))
	counted.lacks = 11
	_, err = journal.MovementJournal(ctx, payments, counted, style())
	require.EqualError(t, err, "blocks 10..13: the balance of 0x798d4Ba9baf0064Ec19eB4F0a1a45785ae9D6DFc exceeds its movements by 1 wei free and 0 wei reserved")
}

// counting counts balance queries and lacks the balances at a height.
type counting struct {
	recorded
	reads atomic.Int64
	lacks uint64
}

func (c *counting) Balance(ctx context.Context, account chain.Address, height uint64) (chain.Balance, error) {
	c.reads.Add(1)
	if height > 0 && height == c.lacks {
		return chain.Balance{}, errBroken
	}
	return c.recorded.Balance(ctx, account, height)
}

type nothing struct{}

func (nothing) Balance(context.Context, chain.Address, uint64) (chain.Balance, error) {
	return chain.Balance{}, nil
}

// A change that the chain does not state is an error with its block.
func TestUnknownMovement(t *testing.T) {
	slash := ledger.Movement{Height: 7, Time: noon(), Movement: movement.Movement{
		Where: 3, Event: "balances.Slashed", Kind: movement.KindSlash, Account: address(t, alith), Amount: wei(t, "5"),
	}}
	_, err := journal.MovementJournal(context.Background(), found(t, &made{movements: []ledger.Movement{slash}}), nothing{}, style())
	require.ErrorIs(t, err, journal.ErrUnknown)
	require.EqualError(t, err, "a change of a balance is not known: block 7, extrinsic 3, balances.Slashed of "+alith)
}

// Kinds that the recordings lack: a reward, reserving and releasing, and a transfer between two of the
// accounts, which is one entry.
func TestMovementKinds(t *testing.T) {
	var position int
	move := func(where movement.Where, kind movement.Kind, who, other, amount string, free, held int) ledger.Movement {
		position++
		m := ledger.Movement{Height: 7, Time: noon(), Position: position, Movement: movement.Movement{
			Where: where, Event: "balances.Some", Kind: kind, Account: address(t, who), Amount: wei(t, amount),
		}}
		if other != "" {
			m.Counterparty = chain.Some(address(t, other))
		}
		by := func(n int) chain.Optional[chain.SignedWei] {
			switch n {
			case 1:
				return chain.Some(m.Amount.Signed())
			case -1:
				return chain.Some(m.Amount.Signed().Negated())
			}
			return chain.Some(chain.SignedWei{})
		}
		m.Free, m.Reserved = by(free), by(held)
		return m
	}
	book := &made{movements: []ledger.Movement{
		move(movement.OnInitialize, movement.KindDeposit, alith, "", "1000", 1, 0),
		move(1, movement.KindReserve, alith, "", "300", -1, 1),
		move(2, movement.KindUnreserve, alith, "", "100", 1, -1),
		move(3, movement.KindTransferOut, alith, baltathar, "50", -1, 0),
		move(3, movement.KindTransferIn, baltathar, alith, "50", 1, 0),
		move(4, movement.KindTransferOut, baltathar, charleth, "20", -1, 0),
		move(5, movement.KindBurn, alith, "", "5", -1, 0),
	}}
	balances := recorded{
		address(t, alith):     {6: {}, 7: {Free: wei(t, "745"), Reserved: wei(t, "200")}},
		address(t, baltathar): {6: {}, 7: {Free: wei(t, "30")}},
	}
	names, err := namesOf(alith + ",Hot wallet\n" + baltathar + ",Cold,Assets:Vault:Cold\n" + charleth + ",\"Shop; \"\"x\"\"\"\n")
	require.NoError(t, err)
	s := style()
	s.Names = names
	q := question([]chain.Address{address(t, alith), address(t, baltathar)}, 7, 7)
	payments, err := journal.Find(context.Background(), book, q)
	require.NoError(t, err)
	j, err := journal.MovementJournal(context.Background(), payments, balances, s)
	require.NoError(t, err)
	for _, p := range accountings {
		golden(t, "kinds."+p.Name, written(t, j, p.Format))
		passes(t, p, written(t, j, p.Format))
	}
}

// golden compares with a file. The programs' tests verify the figures.
func golden(t testing.TB, name, have string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(have), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), have, "run the test with -update if the change is meant")
}

func TestGolden(t *testing.T) {
	s := style()
	s.NetworkSide = true
	for _, p := range accountings {
		golden(t, "fees."+p.Name, written(t, feesOf(t, "moonbeam-1701", s), p.Format))
		again := written(t, feesOf(t, "moonbeam-1701", s), p.Format)
		require.Equal(t, again, written(t, feesOf(t, "moonbeam-1701", s), p.Format))
	}
}

var errBroken = errors.New("broken")

// moved is a movement of Alith's in block 7.
func moved(t testing.TB, where movement.Where, kind movement.Kind, amount string, change chain.Optional[chain.SignedWei]) ledger.Movement {
	return ledger.Movement{Height: 7, Time: noon(), Movement: movement.Movement{
		Where: where, Event: "balances.Some", Kind: kind, Account: address(t, alith), Amount: wei(t, amount),
		Free: change, Reserved: chain.Some(chain.SignedWei{}),
	}}
}

func more(t testing.TB, n string) chain.Optional[chain.SignedWei] {
	return chain.Some(wei(t, n).Signed())
}

func less(t testing.TB, n string) chain.Optional[chain.SignedWei] {
	return chain.Some(wei(t, n).Signed().Negated())
}

// movementsIn creates a journal of Alith's movements, who had 1000 wei and has the given balance
// afterwards.
func movementsIn(t testing.TB, b *made, closing string) (*journal.Journal, error) {
	balances := recorded{address(t, alith): {6: {Free: wei(t, "1000")}, 7: {Free: wei(t, closing)}}}
	return journal.MovementJournal(context.Background(), found(t, b), balances, style())
}

// A fee is the withdrawal minus the refund; other deposits in the extrinsic are not part of it.
func TestFeeAmongMovements(t *testing.T) {
	book := &made{payments: []*ledger.Transaction{paid(t, 3, "60", "60")}, movements: []ledger.Movement{
		moved(t, 3, movement.KindWithdrawal, "100", less(t, "100")),
		moved(t, 3, movement.KindDeposit, "7", more(t, "7")),
		moved(t, 3, movement.KindDeposit, "40", more(t, "40")),
	}}
	j, err := movementsIn(t, book, "947")
	require.NoError(t, err)
	text := written(t, j, journal.HLedger)
	require.Contains(t, text, "    Assets:"+alith+"  -0.000000000000000053 GLMR = 0.000000000000000947 GLMR\n")
	require.Contains(t, text, "    Income:Deposits  -0.000000000000000007 GLMR\n    Expenses:Fees:EVM  0.000000000000000060 GLMR\n")
	require.NotContains(t, text, "Withdrawals")

	book.movements = book.movements[1:] // the withdrawal is not there
	_, err = movementsIn(t, book, "1047")
	require.ErrorContains(t, err, "block 7, extrinsic 3: "+alith+" paid 60 wei, but nothing was withdrawn")
	book.movements = []ledger.Movement{moved(t, 3, movement.KindWithdrawal, "50", less(t, "50"))}
	_, err = movementsIn(t, book, "950")
	require.ErrorContains(t, err, "block 7, extrinsic 3: only 50 wei were withdrawn for a charge of 60: overflow")
}

// Each kind has its account.
func TestKindsHaveAccounts(t *testing.T) {
	for _, test := range []struct {
		where   movement.Where
		kind    movement.Kind
		change  chain.Optional[chain.SignedWei]
		closing string
		posting string
	}{
		{2, movement.KindMint, more(t, "5"), "1005", "Income:Minted  -0.000000000000000005"},
		{2, movement.KindDust, less(t, "5"), "995", "Expenses:Dust  0.000000000000000005"},
		{2, movement.KindSuspension, less(t, "5"), "995", "Equity:Suspended  0.000000000000000005"},
		{2, movement.KindRestoration, more(t, "5"), "1005", "Equity:Suspended  -0.000000000000000005"},
		{2, movement.KindDeposit, more(t, "5"), "1005", "Income:Deposits  -0.000000000000000005"},
		{movement.OnFinalize, movement.KindDeposit, more(t, "5"), "1005", "Income:Rewards  -0.000000000000000005"},
		{movement.OnFinalize, movement.KindWithdrawal, less(t, "5"), "995", "Expenses:Withdrawals  0.000000000000000005"},
	} {
		j, err := movementsIn(t, &made{movements: []ledger.Movement{moved(t, test.where, test.kind, "5", test.change)}}, test.closing)
		require.NoError(t, err)
		require.Contains(t, written(t, j, journal.HLedger), "    "+test.posting+" GLMR\n")
	}
	for kind, reason := range map[movement.Kind]string{
		"unheard of":               `block 7, extrinsic 2: a change of a balance is not known: balances.Some has the movement kind "unheard of"`,
		movement.KindTransferIn:    "block 7, extrinsic 2: balances.Some: counterparty: missing",
		movement.KindReservedSet:   "a change of a balance is not known: block 7, extrinsic 2, balances.Some of " + alith,
		movement.Kind("x\n; evil"): `"x evil"`,
	} {
		_, err := movementsIn(t, &made{movements: []ledger.Movement{moved(t, 2, kind, "5", more(t, "5"))}}, "1005")
		require.ErrorContains(t, err, reason)
	}
}

// A symbol with a digit is quoted where a program requires it.
func TestSymbolWithDigit(t *testing.T) {
	s := style()
	s.Symbol = "DEV2"
	for _, p := range accountings {
		passes(t, p, written(t, feesIn(t, &made{payments: []*ledger.Transaction{paid(t, 1, "1", "1")}}, s), p.Format))
	}
}

// A period without blocks queries no balances; unavailable balances are an error.
func TestNoBlockAndNoBalance(t *testing.T) {
	ctx, who := context.Background(), []chain.Address{address(t, alith)}
	payments, err := journal.Find(ctx, &made{}, journal.Selection{Accounts: who})
	require.NoError(t, err)
	require.Empty(t, all(t, payments))
	j, err := journal.FeeJournal(context.Background(), payments, style())
	require.NoError(t, err)
	for _, p := range accountings {
		passes(t, p, written(t, j, p.Format))
	}
	_, err = journal.MovementJournal(ctx, payments, recorded{}, style())
	require.ErrorContains(t, err, "the period contains no blocks")
	_, err = journal.MovementJournal(ctx, found(t, &made{}), recorded{}, style())
	require.EqualError(t, err, "balance of "+alith+" at block 6: no balance of "+alith+" at block 6")
	short := recorded{who[0]: {6: {}}}
	_, err = journal.MovementJournal(ctx, found(t, &made{}), short, style())
	require.ErrorContains(t, err, "at block 7: no balance")
	timeless := paid(t, 1, "1", "1")
	timeless.Time = chain.Optional[chain.Time]{}
	_, err = journal.FeeJournal(context.Background(), found(t, &made{payments: []*ledger.Transaction{timeless}}), style())
	require.ErrorContains(t, err, "block 7, extrinsic 1: the block has no timestamp")
}

// A deposit is an asset: also when another account holds it, gives it back, or got what this one had paid.
func TestDeposits(t *testing.T) {
	reason := chain.Some(chain.HoldReason("revive.StorageDepositReserve"))
	for _, c := range []struct {
		kind    movement.Kind
		reason  chain.Optional[chain.HoldReason]
		closing string
		want    []string // postings besides the account's
		remark  string
	}{
		{movement.KindTransferOut, reason, "995", []string{"Assets:Deposits  0.000000000000000005"}, ""},
		{movement.KindTransferIn, reason, "1005", []string{"Assets:Deposits  -0.000000000000000005"}, ""},
		{movement.KindTransferOut, chain.Optional[chain.HoldReason]{}, "995", []string{"Equity:Transfers:" + baltathar + "  0.000000000000000005"}, ""},
		{movement.KindDepositPassedOut, reason, "1000", []string{"Assets:Deposits  -0.000000000000000005", "Equity:Transfers:" + baltathar + "  0.000000000000000005"},
			"a deposit of 0.000000000000000005 GLMR that " + alith + " paid passed to " + baltathar},
		{movement.KindDepositPassedIn, reason, "1000", []string{"Assets:Deposits  0.000000000000000005", "Equity:Transfers:" + baltathar + "  -0.000000000000000005"},
			alith + " got a deposit of 0.000000000000000005 GLMR that " + baltathar + " had paid"},
		{movement.KindDepositUnmatchedOut, reason, "1000", []string{"Assets:Deposits  -0.000000000000000005", "Equity:Unmatched  0.000000000000000005"},
			baltathar + " got a deposit of 0.000000000000000005 GLMR from " + alith + ", and who paid it is not known: the ledger does not contain the transaction that took it"},
		{movement.KindDepositUnmatchedIn, reason, "1000", []string{"Assets:Deposits  0.000000000000000005", "Equity:Unmatched  -0.000000000000000005"},
			alith + " got a deposit of 0.000000000000000005 GLMR from " + baltathar + ", and who paid it is not known: the ledger does not contain the transaction that took it"},
	} {
		change := map[string]chain.Optional[chain.SignedWei]{"995": less(t, "5"), "1005": more(t, "5"), "1000": chain.Some(chain.SignedWei{})}[c.closing]
		m := moved(t, 3, c.kind, "5", change)
		m.Reason, m.Counterparty = c.reason, chain.Some(address(t, baltathar))
		j, err := movementsIn(t, &made{movements: []ledger.Movement{m}}, c.closing)
		require.NoError(t, err)
		text := written(t, j, journal.HLedger)
		_, entry, found := strings.Cut(text, "block 7 extrinsic 3\n")
		require.True(t, found, text)
		var postings []string
		for line := range strings.Lines(entry) {
			if posting := strings.TrimSpace(line); !strings.HasPrefix(posting, ";") && posting != "" && !strings.HasPrefix(posting, "Assets:"+alith) {
				postings = append(postings, strings.TrimSuffix(posting, " GLMR"))
			}
		}
		require.Equal(t, c.want, postings, c.kind)
		require.Equal(t, c.remark != "", strings.Contains(entry, "remark: "))
		require.Contains(t, entry, c.remark)
	}
}
