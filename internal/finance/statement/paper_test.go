package statement_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/deposits"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/test/ledgertest"
)

// On paper, each movement and each fee of a statement is a row whose accounts are short, and the annex has them in full, with
// the hashes. Without balances, no column states one.
func TestOnPaper(t *testing.T) {
	const name = "moonbeam-2100"
	ctx, book := context.Background(), recorded(t, name)
	for _, account := range []chain.Address{address(t, "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"), address(t, "0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0")} {
		for known, balances := range map[bool]Reader{true: ledgertest.RecordedBalances(t, name), false: nil} {
			s := made(t, book, balances, account, chain.Heights{Last: 27}, false)
			named := func(context.Context, *statement.Line) (string, error) { return "a call", nil }
			rows := 0
			require.NoError(t, s.EachFee(ctx, func(*statement.Line) error { rows++; return nil }))
			movements := style.PaperMovements(ctx, s, named)
			shown := 0
			_, err := movements.Each(func([]table.Cell) error { shown++; return nil })
			require.NoError(t, err)
			require.NotZero(t, rows)
			require.Equal(t, rows, shown)
			require.Equal(t, known, strings.Contains(strings.Join(movements.Headings(), " "), "balance"))
			transfers := 0
			_, err = style.PaperTransfers(ctx, s).Each(func(row []table.Cell) error { transfers++; return nil })
			require.NoError(t, err)
			full := 0
			_, err = style.Annex(ctx, s).Each(func(row []table.Cell) error {
				require.GreaterOrEqual(t, len(row[len(row)-1].Text()), 42, "in full")
				full++
				return nil
			})
			require.NoError(t, err)
			require.GreaterOrEqual(t, full, 1)
			has, err := statement.HasRows(style.PaperMovements(ctx, s, named))
			require.NoError(t, err)
			require.True(t, has)
			require.NotEmpty(t, style.AccountFacts(account))
			s.PassedOut, s.PassedIn = chain.NewWei(5), chain.NewWei(7)
			notes := strings.Join(s.Notes(style.Token), "\n")
			require.Contains(t, notes, "that this account had paid passed to the accounts that cleared them")
			require.Contains(t, notes, "that other accounts had paid were given back to this account")
			s.Unmatched = deposits.Unmatched{In: chain.NewWei(5), Out: chain.NewWei(7)}
			notes = strings.Join(s.Notes(style.Token), "\n")
			require.Contains(t, notes, "0.000000000000000005 GLMR were given back to this account, and who paid them is not known: the ledger does not contain")
			require.Contains(t, notes, "0.000000000000000007 GLMR that this account held were given back, and who paid them is not known")
			require.Contains(t, strings.Join(style.PaperNotes(s), "\n"), "evidence for movements and fees: ")
		}
	}
	inBerlin := style
	inBerlin.Zone = time.FixedZone("Berlin", 3600)
	s := made(t, book, nil, alith, chain.Heights{Last: 27}, false)
	_, err := inBerlin.PaperMovements(ctx, s, func(context.Context, *statement.Line) (string, error) { return "", nil }).Each(func([]table.Cell) error { return nil })
	require.NoError(t, err)
	failing := errors.New("no")
	_, err = inBerlin.PaperMovements(ctx, s, func(context.Context, *statement.Line) (string, error) { return "", failing }).Each(func([]table.Cell) error { return nil })
	require.ErrorIs(t, err, failing)
	require.ErrorIs(t, style.WriteJSONList(ctx, refusing{failing}, []*statement.Statement{s}), failing)
	require.NotEqual(t, statement.LayerName(fee.EVM), statement.LayerName(fee.Native))
	require.Contains(t, style.ShortName(address(t, "0x00000000000000000000000000000000000000ff")), "…")
}

// A row on paper says what a reader must know about it: the verdict, failed checks, and what its change does not show.
func TestRemarksOnPaper(t *testing.T) {
	ctx := context.Background()
	const passed = "INSERT INTO movements (height, position, place, event_index, event, kind, account, counterparty, amount, free, reserved) VALUES (26, %d, 2147483647, %d, 'proxy.X', 'deposit-passed-%s', x'f24ff3a9cf04c71dbc94d0b566f7a27b94566cac', x'0000000000000000000000000000000000000001', '%d', '0', '0')"
	book := recorded(t, "moonbeam-2100",
		`UPDATE main.blocks SET flags = flags | 2, known = '{"findings":[{"check_id":"evm.cash","extrinsic":4,"message":"a"}]}' WHERE height = 25`,
		"UPDATE transactions SET charged = NULL, verdict = 'no_evidence' WHERE height = 25 AND extrinsic = 4",
		fmt.Sprintf(passed, 9000, 3, "out", 5), fmt.Sprintf(passed, 9001, 4, "in", 7),
		"UPDATE transfers SET recipient = sender WHERE height = 26",
	)
	s := made(t, book, nil, alith, chain.Heights{First: 25, Last: 26}, false)
	require.Equal(t, chain.NewWei(5), s.PassedOut)
	require.Equal(t, chain.NewWei(7), s.PassedIn)
	what := map[string][]string{}
	for _, row := range read(t, style.PaperMovements(ctx, s, func(_ context.Context, l *statement.Line) (string, error) { return "as named", nil })) {
		id := row["place"]
		if strings.Contains(row["kind"], "given back") {
			id = "passed"
		}
		what[id] = append(what[id], row["kind"]+" / "+row["counterparty"])
	}
	require.NotEmpty(t, what["25-4"])
	require.Regexp(t, `^as named, EVM: no_evidence, failed checks \(amount charged not known\) / $`, what["25-4"][0])
	require.Equal(t, []string{
		"as named (paid by this account, given back to the counterparty; no balance changed) / 0x0000…0001",
		"as named (paid by the counterparty, given back to this account by another movement) / 0x0000…0001",
	}, what["passed"])
	var directions []string
	for _, row := range read(t, style.PaperTransfers(ctx, s)) {
		directions = append(directions, row["id"][:2]+" "+row["direction"]+" "+row["counterparty"])
	}
	require.Equal(t, []string{"25 out 0x798d…6DFc", "26 self Treasury"}, directions)

	var book2 addressbook.Book
	require.NoError(t, book2.Add(addressbook.Entry{Address: alith, Label: "Hot\x1b", Group: "Alpha\nInc", Account: "1210"}))
	y := style
	y.Labels = &book2
	require.Equal(t, console.Pairs{{Name: "Company", Text: "Alpha Inc"}, {Name: "Account", Text: "Hot"}, {Name: "In the books", Text: "1210"}, {Name: "Address", Text: alith.String()}}, y.AccountFacts(alith))
	require.Equal(t, console.Pairs{{Name: "Address", Text: chain.Address20([20]byte{1}).String()}}, y.AccountFacts(chain.Address20([20]byte{1})))
}

// refusing is a file that cannot be written.
type refusing struct{ err error }

func (r refusing) Write([]byte) (int, error) { return 0, r.err }
