package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/ledger"
)

// Whatever cell of a book is edited by plain SQL, each question gives the answer that the
// whole book gives, or says that the ledger is damaged, and where.
func TestAnEditedCellIsNoAnswer(t *testing.T) {
	const last = 11
	entries := monthsOfBlocks(last+1, 5*24*time.Hour) // until January
	asked := questions(last)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, entries)
		require.NoError(t, book.BuildLookups(ctx, func(string) {}))
		verified(t, book)
		whole := answers(t, book, asked)
		db := openSQL(t, place)
		for _, table := range db.names(t, "table") {
			if slices.Contains(notVerified, table) {
				continue
			}
			x := tampered{database: db, book: book, table: table, columns: db.columns(t, table)}
			_, x.rows = db.table(t, "SELECT * FROM "+table)
			require.NotEmpty(t, x.rows, table)
			refused := 0
			for i, c := range x.columns {
				if c.name == "one" || testing.Short() && i%3 > 0 { // the layout takes one row
					continue
				}
				r := x.rows[(len(x.rows)-1)/3]
				edited := slices.Clone(r)
				edited[i] = other(r[i], c)
				x.deleteRow(t, r)
				x.insertRow(t, edited)
				for _, q := range asked {
					answer, err := q.ask(book)
					what := fmt.Sprintf("%s, when %s.%s is %v, not %v, in %v", q.name, table, c.name, edited[i], r[i], r[0])
					switch {
					case err != nil:
						refused++
						require.ErrorIs(t, err, ledger.ErrDamaged, what)
						require.Regexp(t, x.placed(r, edited), err, what)
					case q.name == "TransactionsByHash" && answer == "": // no total tells how many there are
					default:
						require.Equal(t, whole[q.name], answer, what)
					}
				}
				if len(damages(t, book)) == 0 {
					require.Fail(t, "not verified", "%s.%s", table, c.name)
				}
				x.deleteRow(t, edited)
				x.insertRow(t, r)
			}
			if table != "account_months" && table != "unanswered" { // which no question reads but Verify
				require.NotZero(t, refused, table)
			}
		}
		verified(t, book)
		require.Equal(t, whole, answers(t, book, asked))
	})
}

// placed is what an error must say of where a row is.
func (x *tampered) placed(before, after []any) string {
	switch {
	case slices.Contains(ofBlocks, x.table):
		return fmt.Sprintf("block (%v|%v),", before[0], after[0])
	case strings.Contains("book proved seals", x.table):
		return "table " + x.table
	}
	return `table ` + x.table + `: the totals of \d{4}-\d\d`
}
