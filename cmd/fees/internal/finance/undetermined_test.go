package finance

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/ledger"
)

// nobodys is a book of one block's transactions, of which nobody knows anything.
type nobodys struct {
	journal.Book
	count int
}

func (b nobodys) WithoutPayer(_ context.Context, q ledger.Query) iter.Seq2[*ledger.Transaction, error] {
	return func(yield func(*ledger.Transaction, error) bool) {
		for i := range b.count {
			if !yield(&ledger.Transaction{Cost: ledger.Cost{Height: q.Span.First, Index: i}, Error: "no rule"}, nil) {
				return
			}
		}
	}
}

// Of very many fees that nobody knows, the first are listed, and how many more there are.
func TestExportManyUndetermined(t *testing.T) {
	span := chain.Heights{First: 3, Last: 3}
	q := journal.Question{Period: ledger.Period{Heights: chain.Some(span)}, Span: chain.Some(span)}
	payments, err := journal.Find(t.Context(), nobodys{count: 1234}, q)
	require.NoError(t, err)
	var told strings.Builder
	require.ErrorIs(t, tellUndetermined(&told, payments), cli.ErrFinding)
	lines := strings.Split(told.String(), "\n")
	require.Len(t, lines, 1+100+2)
	require.Equal(t, "fees: 1234 fees are not known, and are in no sum:", lines[0])
	require.Equal(t, "  3-99 of somebody unknown: no rule", lines[100])
	require.Equal(t, "  and 1134 more", lines[101])
}
