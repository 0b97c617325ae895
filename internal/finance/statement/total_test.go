package statement_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/deposits"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/test/ledgertest"
)

// Opening plus the sums of the kinds equals the closing balance.
func TestKindsMakeTheClosing(t *testing.T) {
	for name, last := range recordings {
		book, balances := recorded(t, name), ledgertest.RecordedBalances(t, name)
		for account := range balances {
			s := made(t, book, balances, account, chain.Heights{Last: last}, false)
			sum := of(balances[account][0])
			count := uint64(0)
			lines, refunds := uint64(0), uint64(0) // a fee counts once, whatever was given back
			for l, err := range s.Lines(context.Background()) {
				require.NoError(t, err)
				if lines++; l.OfFee && l.Payment == nil {
					refunds++
				}
			}
			require.Equal(t, s.Count, lines)
			for _, k := range s.Kinds {
				var err error
				sum, err = sum.Plus(k.Change)
				require.NoError(t, err)
				count += k.Movements
			}
			require.Equal(t, of(balances[account][last]), sum)
			require.Equal(t, chain.Some(sum), s.Closes())
			require.Equal(t, lines-refunds, count)
		}
	}
}

// Unexplained differences are in the summary, with their blocks, and not in a sum.
func TestUnexplainedSummary(t *testing.T) {
	const name = "moonbeam-2100"
	book := recorded(t, name, "DELETE FROM movements WHERE height = 25 AND place = 7 AND account = x'f24ff3a9cf04c71dbc94d0b566f7a27b94566cac'",
		"INSERT INTO movements (height, position, place, event_index, event, kind, account, amount, free, reserved) VALUES (24, 9000, -1, 0, 'balances.Slashed', 'slash', x'f24ff3a9cf04c71dbc94d0b566f7a27b94566cac', '5', NULL, NULL)")
	s := made(t, book, ledgertest.RecordedBalances(t, name), alith, chain.Heights{First: 24, Last: 26}, false)
	var text bytes.Buffer
	require.NoError(t, table.WriteTable(&text, statement.Without(style.Summary(s), "account"), 100))
	golden(t, "unexplained.txt", text.String())
	require.True(t, s.Reserves())
	require.False(t, s.Holds())
}

func TestReserves(t *testing.T) {
	const name = "moonbeam-2100"
	none := chain.Address20([20]byte{19: 3})
	for kind, want := range map[string]bool{"reserve": true, "reserved-set": true, "transfer-in": false, "burn": true} {
		reserved := "'0'"
		if kind == "burn" {
			reserved = "'-1'"
		}
		book := recorded(t, name, "INSERT INTO movements (height, position, place, event_index, event, kind, account, amount, free, reserved) VALUES (24, 9000, -1, 0, 'x', '"+kind+"', x'0000000000000000000000000000000000000003', '5', '0', "+reserved+")")
		require.Equal(t, want, made(t, book, nil, none, chain.Heights{First: 24, Last: 26}, false).Reserves(), kind)
	}
	balances := told{none: {}}
	for h := range uint64(28) {
		balances[none][h] = chain.Balance{Reserved: chain.NewWei(1)}
	}
	require.True(t, made(t, recorded(t, name), balances, none, chain.Heights{Last: 27}, false).Reserves())
}

// Sums that exceed the largest balance are errors.
func TestOverflow(t *testing.T) {
	const name = "moonbeam-2100"
	most := chain.SignedWei{}
	most, err := chain.ParseSignedWei("340282366920938463463374607431768211455")
	require.NoError(t, err)
	for _, c := range []Change{{Free: most}, {Reserved: most}} {
		_, err := c.Plus(c)
		require.ErrorIs(t, err, chain.ErrOverflow)
	}
	_, err = Change{Free: most, Reserved: most}.Total()
	require.ErrorIs(t, err, chain.ErrOverflow)

	row := func(event, kind, free, reserved string) string {
		return "INSERT INTO movements (height, position, place, event_index, event, kind, account, amount, free, reserved) VALUES (24, (SELECT 9000 + count(*) FROM movements), -1, 0, '" + event + "', '" + kind + "', x'0000000000000000000000000000000000000003', '340282366920938463463374607431768211455', " + free + ", " + reserved + ")"
	}
	huge := "'340282366920938463463374607431768211455'"
	none := chain.Address20([20]byte{19: 3})
	balances := told{none: {}}
	for h := range uint64(28) {
		balances[none][h] = chain.Balance{Free: most.Size()}
	}
	for what, changes := range map[string][]string{
		"free":     {row("x", "deposit", huge, "'0'")},
		"reserved": {row("x", "deposit", "'0'", huge), row("x", "deposit", "'0'", huge)},
		"said":     {row("x", "transfer-in", "NULL", "NULL"), row("x", "transfer-in", "NULL", "NULL")},
		"set":      {row("x", "deposit", "'-340282366920938463463374607431768211455'", "'0'"), row("x", "deposit", "'-340282366920938463463374607431768211455'", "'0'"), row("x", "free-set", "NULL", "'0'")},
	} {
		for _, everyBlock := range []bool{false, true} {
			_, err := statement.Make(context.Background(), recorded(t, name, changes...), balances, none, chain.Heights{Last: 27}, statement.Options{Options: Options{EveryBlock: everyBlock}})
			require.ErrorIs(t, err, chain.ErrOverflow, what)
			var ours *statement.LedgerError
			require.True(t, errors.As(err, &ours), what)
			require.Equal(t, ours.Err.Error(), err.Error())
		}
	}
}

// Deposits that passed, and those whose payer is not known, are lines without a change, with a remark, and in no sum.
func TestDepositLines(t *testing.T) {
	var changes []string
	for i, kind := range []string{"passed-out", "passed-in", "unmatched-out", "unmatched-in"} {
		changes = append(changes, fmt.Sprintf("INSERT INTO movements (height, position, place, event_index, event, kind, account, counterparty, amount, free, reserved) VALUES (25, %d, 7, 90, 'balances.Released', 'deposit-%s', x'f24ff3a9cf04c71dbc94d0b566f7a27b94566cac', x'7700000000000000000000000000000000000001', '%d', '0', '0')", 9000+i, kind, 5+i))
	}
	s := made(t, recorded(t, "moonbeam-2100", changes...), ledgertest.RecordedBalances(t, "moonbeam-2100"), alith, chain.Heights{First: 24, Last: 26}, false)
	require.True(t, s.Holds())
	require.Equal(t, []chain.Wei{chain.NewWei(5), chain.NewWei(6)}, []chain.Wei{s.PassedOut, s.PassedIn})
	require.Equal(t, deposits.Unmatched{Out: chain.NewWei(7), In: chain.NewWei(8)}, s.Unmatched)
	var text bytes.Buffer
	require.NoError(t, table.WriteCSV(&text, style.Movements(context.Background(), s)))
	for kind, remark := range map[string]string{
		"deposit-passed-out":    "paid by this account, given back to the counterparty; no balance changed",
		"deposit-passed-in":     "paid by the counterparty, given back to this account by another movement",
		"deposit-unmatched-out": "given back by another movement; who paid it is not known",
		"deposit-unmatched-in":  "given back to this account by another movement; who paid it is not known",
	} {
		require.Regexp(t, kind+`,.*,"?`+remark, text.String())
	}
}

// The sums by line are those of the kinds if each line has the name of its kind, whether they are made with the statement or
// read later. What names lines gets all of them, and its error ends the statement.
func TestSumLines(t *testing.T) {
	ctx, book, span := context.Background(), recorded(t, "moonbeam-2100"), chain.Heights{Last: 27}
	byKind := func(_ context.Context, l *statement.Line) (string, error) {
		if l.Movement == nil {
			return "none", nil
		}
		return string(l.Kind()), nil
	}
	s, err := statement.Make(ctx, book, nil, alith, span, statement.Options{Lines: func() statement.LineOf { return byKind }})
	require.NoError(t, err)
	kinds := 0
	for _, k := range s.Kinds {
		require.Equal(t, k.Sum, *s.ByLine[string(k.Kind)], k.Kind)
		kinds++
	}
	require.Greater(t, kinds, 2)
	have, err := s.SumLines(ctx, nil)
	require.NoError(t, err)
	require.Equal(t, s.ByLine, have)
	plain := made(t, book, nil, alith, span, false)
	require.Nil(t, plain.ByLine)
	later, err := plain.SumLines(ctx, byKind)
	require.NoError(t, err)
	require.Equal(t, s.ByLine, later)

	failed := errors.New("no name")
	fails := func(context.Context, *statement.Line) (string, error) { return "", failed }
	_, err = plain.SumLines(ctx, fails)
	require.ErrorIs(t, err, failed)
	_, err = statement.Make(ctx, book, nil, alith, span, statement.Options{Lines: func() statement.LineOf { return fails }})
	require.ErrorIs(t, err, failed)
}
