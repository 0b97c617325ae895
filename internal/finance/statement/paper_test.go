package statement_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/finance/deposits"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/test/ledgertest"
)

// On paper, each movement and each fee of a statement is a row whose hashes and accounts are short, and the annex has them
// in full. Without balances, no column states one.
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

// refusing is a file that cannot be written.
type refusing struct{ err error }

func (r refusing) Write([]byte) (int, error) { return 0, r.err }
