package ledger_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feeledger/fees/internal/test/tier"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/ledger"
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
		verified(t, book)
		whole := answersOf(t, book, asked)
		read := map[string]string{}
		for _, q := range asked {
			for _, x := range queriesOf(t, book, q.ask) {
				read[q.name] += x.text + "\n"
			}
		}
		db := openSQL(t, place)
		for _, table := range db.names(t, "table") {
			if slices.Contains(notVerified, table) || table == "words" { // an altered word alters the rows that have it: TestAlteredWords
				continue
			}
			x := tampered{database: db, book: book, table: table, columns: db.columns(t, table)}
			_, x.rows = db.table(t, "SELECT * FROM "+table)
			require.NotEmpty(t, x.rows, table)
			var reading []question // what asks nothing of the table meets nothing else than before
			for _, q := range asked {
				if ok, _ := regexp.MatchString(`\b`+table+`\b`, read[q.name]); ok {
					reading = append(reading, q)
				}
			}
			refused := 0
			for i, c := range x.columns {
				if c.name == "one" || i%tier.Step(5) > 0 { // the layout takes one row
					continue
				}
				if n := slices.Index(totalsTables, table); n >= 0 && i >= 4 && (i+n)%3 > 0 { // all have the same columns: each is edited in two of them
					continue
				}
				r := x.rows[(len(x.rows)-1)/3]
				if table == "account_blocks" { // one that is asked for
					r = x.rows[slices.IndexFunc(x.rows, func(r []any) bool { return bytes.Equal(r[1].([]byte), mover[:]) })]
				}
				edited := slices.Clone(r)
				edited[i] = other(r[i], c)
				x.deleteRow(t, r)
				x.insertRow(t, edited)
				for _, q := range reading {
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
				x.deleteRow(t, edited)
				x.insertRow(t, r)
			}
			if !slices.Contains([]string{"account_months", "unanswered", "hash_blocks"}, table) { // where no question needs what is lost but Verify
				require.NotZero(t, refused, table)
			}
		}
		verified(t, book)
		require.Equal(t, whole, answersOf(t, book, asked))
	})
}

// placed is what an error must say of where a row is.
func (x *tampered) placed(before, after []any) string {
	switch {
	case slices.Contains(ofBlocks, x.table):
		return fmt.Sprintf("block (%v|%v),", before[0], after[0])
	case strings.HasSuffix(x.table, "_blocks"):
		return `block \d+, table`
	case strings.Contains("book proved seals", x.table):
		return "table " + x.table
	}
	return `table ` + x.table + `: the totals of \d{4}-\d\d`
}

// totalsTables are those of sums.
var totalsTables = []string{"quarter_hours", "days", "contract_days", "account_days", "contract_months", "account_months", "months"}
