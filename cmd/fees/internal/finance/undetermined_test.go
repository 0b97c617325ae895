package finance

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/ledger"
)

// withoutPayers is a ledger of one block whose transactions have neither payer nor fee.
type withoutPayers struct {
	journal.Book
	count int
}

func (withoutPayers) Transactions(context.Context, ledger.Query) iter.Seq2[*ledger.Transaction, error] {
	return func(func(*ledger.Transaction, error) bool) {}
}

func (b withoutPayers) WithoutPayer(_ context.Context, q ledger.Query) iter.Seq2[*ledger.Transaction, error] {
	return func(yield func(*ledger.Transaction, error) bool) {
		for i := range b.count {
			if !yield(&ledger.Transaction{Cost: ledger.Cost{Height: q.Span.First, Index: i}, Error: "no rule"}, nil) {
				return
			}
		}
	}
}

// Of many undetermined fees, the first are listed and the rest counted.
func TestExportManyUndetermined(t *testing.T) {
	span := chain.Heights{First: 3, Last: 3}
	q := journal.Selection{Period: ledger.Period{Heights: chain.Some(span)}, Span: chain.Some(span)}
	payments, err := journal.Find(t.Context(), withoutPayers{count: 1234}, q)
	require.NoError(t, err)
	var stderr strings.Builder
	require.ErrorIs(t, writeUndetermined(&stderr, &app.Export{Payments: payments}), cli.ErrFinding)
	lines := strings.Split(stderr.String(), "\n")
	require.Len(t, lines, 1+100+2)
	require.Equal(t, "fees: 1,234 fees are undetermined and not in any total:", lines[0])
	require.Equal(t, "  3-99, unknown payer: no rule", lines[100])
	require.Equal(t, "  and 1134 more", lines[101])
}
