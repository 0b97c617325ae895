package rollforward_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/ledger"
)

// A line of a statement without a movement is a fee.
func TestLinesOf(t *testing.T) {
	c := rollforward.Classifier{}
	line, err := c.LinesOf(nil)(t.Context(), &statement.Line{})
	require.NoError(t, err)
	require.Equal(t, rollforward.Fees, line)
	for _, name := range rollforward.Selections() {
		s, err := rollforward.ParseSelection(name)
		require.NoError(t, err)
		require.Equal(t, name, s.String())
	}
}

// The lines of an account's statement add up to the account's column of a rollforward, and its movements outside of fees
// have the classes of that column, as often.
func TestLinesOfStatements(t *testing.T) {
	for _, name := range recordings {
		t.Run(name, func(t *testing.T) {
			ctx, book := t.Context(), recorded(t, name)
			span := chain.Heights{Last: heightOf(t, directoryOf(t, name))}
			c := rollforward.Classifier{Treasury: chain.Some(address(t, treasuryOf(name)))}
			r := made(t, book, rollforward.Request{Periods: []rollforward.Period{{Name: "all", Span: span}}, Accounts: accountsOf(t, name), Classifier: c})
			lines, compared := c.LinesOf(book), 0
			for i := range r.Columns {
				column := &r.Columns[i]
				account, single := column.Account.Get()
				if !single {
					continue
				}
				want, have := map[rollforward.Line]*big.Int{}, map[rollforward.Line]*big.Int{}
				add := func(sums map[rollforward.Line]*big.Int, line rollforward.Line, parts ...chain.Optional[chain.SignedWei]) {
					if sums[line] == nil {
						sums[line] = new(big.Int)
					}
					for _, part := range parts {
						wei, known := part.Get()
						require.True(t, known)
						sums[line].Add(sums[line], number(t, wei.String()))
					}
				}
				wantOf, haveOf := map[rollforward.Class]uint64{}, map[rollforward.Class]uint64{}
				for _, s := range column.Sums {
					if add(want, s.Line, s.Free, s.Reserved); s.Line != rollforward.Fees {
						wantOf[s.Class] += s.Count
					}
				}
				s, err := statement.Make(ctx, book, nil, account, span, statement.Options{Lines: func() statement.LineOf {
					of := c.LinesOf(book)
					return func(ctx context.Context, l *statement.Line) (string, error) {
						line, err := of(ctx, l)
						return string(line), err
					}
				}})
				require.NoError(t, err)
				summed := map[rollforward.Line]*big.Int{}
				for line, sum := range s.ByLine {
					require.Zero(t, sum.Unknown)
					add(summed, rollforward.Line(line), chain.Some(sum.Free), chain.Some(sum.Reserved))
				}
				require.Equal(t, fmt.Sprint(want), fmt.Sprint(summed), "%v", account)
				require.NoError(t, s.EachFee(ctx, func(l *statement.Line) error {
					line, err := lines(ctx, l)
					add(have, line, l.Free, l.Reserved)
					return err
				}))
				require.NoError(t, s.Each(ctx, func(l *statement.Line) error {
					if l.OfFee || l.Movement == nil {
						return nil
					}
					class, err := c.ClassOf(ctx, book, &ledger.Movement{Height: l.Height, Time: l.Time, Movement: *l.Movement}, l.Cause)
					haveOf[class]++
					return err
				}))
				require.Equal(t, want, have, "%v", account)
				require.Equal(t, wantOf, haveOf, "%v", account)
				compared += len(have)
			}
			require.Positive(t, compared)
		})
	}
}
