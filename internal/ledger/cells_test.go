package ledger_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/tier"
)

// After any value of a ledger is edited with SQL, each query returns the original answer, or reports the damage and its
// location.
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
		for _, table := range []string{"book", "blocks", "stretches", "parts", "proved"} {
			x := tampered{database: db, book: book, table: table, columns: db.columns(t, table)}
			_, x.rows = db.table(t, "SELECT * FROM "+table)
			require.NotEmpty(t, x.rows, table)
			var reading []question // queries that do not use the table are not affected
			for _, q := range asked {
				if reads(read[q.name], table) {
					reading = append(reading, q)
				}
			}
			refused := 0
			for i, c := range x.columns {
				if c.name == "one" || i%tier.Step(5) > 0 { // the schema allows one row
					continue
				}
				for _, r := range x.edited() {
					edited := slices.Clone(r)
					edited[i] = other(r[i], c)
					x.deleteRow(t, r)
					x.insertRow(t, edited)
					for _, q := range reading {
						answer, err := q.ask(book)
						what := fmt.Sprintf("%s, when %s.%s is %v, not %v, in %v", q.name, table, c.name, edited[i], r[i], r[0])
						if err != nil {
							refused++
							require.ErrorIs(t, err, ledger.ErrDamaged, what)
							require.Regexp(t, x.placed(r, edited), err, what)
						} else {
							require.Equal(t, whole[q.name], answer, what)
						}
					}
					x.deleteRow(t, edited)
					x.insertRow(t, r)
				}
			}
			require.NotZero(t, refused, table)
		}
		for name, queries := range read {
			for _, table := range []string{"transactions", "words", "rejudgements"} { // the first is what Verify compares
				require.False(t, reads(queries, table), "%s asks the table %s", name, table)
			}
		}
		verified(t, book)
		require.Equal(t, whole, answersOf(t, book, asked))
	})
}

// reads reports whether queries name a table.
func reads(queries, table string) bool {
	return regexp.MustCompile(`\b` + table + `\b`).MatchString(queries)
}

// edited are the rows whose values are edited: one of each unit and kind.
func (x *tampered) edited() (list [][]any) {
	seen := map[string]bool{}
	for i, r := range slices.Backward(x.rows) {
		key := ""
		switch x.table {
		case "stretches":
			key = fmt.Sprint(r[0])
		case "parts":
			key = fmt.Sprint(r[0], r[2])
		}
		if !seen[key] && (key != "" || i == (len(x.rows)-1)/3) && len(r) > 0 {
			list, seen[key] = append(list, r), true
		}
	}
	return list
}

// placed is the location that an error must name.
func (x *tampered) placed(before, after []any) string {
	if x.table == "blocks" {
		return fmt.Sprintf("block (%v|%v),", before[0], after[0])
	}
	return "table " + x.table
}
