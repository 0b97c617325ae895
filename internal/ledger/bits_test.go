package ledger_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// seedAsked sets the seed of the random changes of TestSingleBits.
const seedAsked = "FEES_BITS_SEED"

// bitsBook is a ledger of several days and months, with unsealed blocks above and below, some of them not final.
func bitsBook(t *testing.T, place string) {
	entries := monthsOfBlocks(112, 3*time.Hour)
	book := written(t, place, madeUpChain, entries[10:100])
	require.NoError(t, book.Write(ctx, entries[102:106]))
	require.NoError(t, book.Write(ctx, branch(t, 106, 2, hashOf(105, 0), 1, false)))
	require.NoError(t, book.Write(ctx, entries[4:7]))
	require.NoError(t, book.Close())
}

// bitsQuestions are all queries.
func bitsQuestions() []question {
	ask := func(name string, do func(b *ledger.Book, out *strings.Builder) error) question {
		return question{name, func(b *ledger.Book) (string, error) {
			var out strings.Builder
			err := do(b, &out)
			return out.String(), err
		}}
	}
	list := append(questions(111),
		ask("Hashes", func(b *ledger.Book, out *strings.Builder) error {
			for h := uint64(10); h < 106; h += 5 {
				if err := each(b.TransactionsByHash(ctx, hashOfTransaction(h)), told[*ledger.Transaction](out)); err != nil {
					return err
				}
			}
			return nil
		}),
		ask("FindingsOfSome", func(b *ledger.Book, out *strings.Builder) error {
			return each(b.Findings(ctx, ledger.Query{Span: chain.Heights{First: 22, Last: 104}, Limit: 7}), told[*ledger.Finding](out))
		}),
		ask("Extent", func(b *ledger.Book, out *strings.Builder) error {
			first, next, err := b.Extent(ctx)
			return answered(out, []uint64{first, next}, err)
		}))
	for by := ledger.ByQuarterHour; by <= ledger.ByAccountDay; by++ {
		list = append(list, ask(fmt.Sprint("Totals by ", by), func(b *ledger.Book, out *strings.Builder) error {
			found, rules, err := totalled(b, heights(15, math.MaxInt64), by)
			return answered(out, fmt.Sprint(found, rules), err)
		}))
	}
	return list
}

// said is an answer, or the error.
func said(q question, b *ledger.Book) (answer string, err error) {
	if answer, err = q.ask(b); err != nil {
		return "error: " + err.Error(), err
	}
	return answer, nil
}

// right requires every query of a changed ledger to return the same answer, or damage.
func right(t *testing.T, b *ledger.Book, asked []question, whole map[string]string, what string) (refused bool) {
	for _, q := range asked {
		switch answer, err := said(q, b); {
		case errors.Is(err, ledger.ErrDamaged):
			refused = true
		case answer != whole[q.name]:
			t.Errorf("%s: %s is\n%.2000s\nand not\n%.2000s", what, q.name, answer, whole[q.name])
		}
	}
	return refused
}

// If any bit of a ledger's file or any value of a row in PostgreSQL changes, no query returns a wrong answer.
func TestSingleBits(t *testing.T) {
	seed, changes := uint64(time.Now().UnixNano()), damagesWanted(t)
	if text := os.Getenv(seedAsked); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("%s=%d", seedAsked, seed)
	asked := bitsQuestions()
	engines(t, func(t *testing.T, newPlace func() string) {
		random := rand.New(rand.NewPCG(seed, 1))
		place := newPlace()
		bitsBook(t, place)
		book, whole, refused, opened := reader(t, place), map[string]string{}, 0, 0
		for _, q := range asked {
			whole[q.name], _ = said(q, book)
		}
		if ledger.Postgres(place) {
			x := tampered{database: openSQL(t, place), book: book}
			for range changes {
				if what, undo := x.anyChange(t, random); undo != nil {
					opened++
					if right(t, book, asked, whole, what) {
						refused++
					}
					undo()
				}
			}
			right(t, book, asked, whole, "nothing was changed")
		} else {
			require.NoError(t, book.Close())
			file, err := os.ReadFile(place)
			require.NoError(t, err)
			for range changes {
				at := random.IntN(8 * len(file))
				changed := bytes.Clone(file)
				changed[at/8] ^= 1 << (at % 8)
				require.NoError(t, os.WriteFile(place, changed, 0o600))
				book, err := ledger.Open(ctx, place)
				if err != nil {
					continue
				}
				opened++
				if right(t, book, asked, whole, fmt.Sprintf("bit %d of byte %d", at%8, at/8)) {
					refused++
				}
				require.NoError(t, book.Close())
			}
		}
		t.Logf("%d of %d changed books were opened, and %d of them did not answer every question", opened, changes, refused)
	})
}

// anyChange changes a value of a row, if the schema accepts it.
func (x *tampered) anyChange(t *testing.T, random *rand.Rand) (what string, undo func()) {
	x.table = []string{"blocks", "blocks", "stretches", "parts", "book", "proved"}[random.IntN(6)]
	x.columns = x.database.columns(t, x.table)
	_, x.rows = x.database.table(t, "SELECT * FROM "+x.table)
	n, i := random.IntN(len(x.rows)), random.IntN(len(x.columns))
	before := x.rows[n]
	if h, ok := before[i].(int64); ok && x.columns[i].name == "height" && (h < 10 || h > 99) {
		return "", nil // an unsealed block then looks as if it was never stored, and is fetched again
	}
	after := append([]any(nil), before...)
	switch v := before[i].(type) {
	case int64:
		after[i] = v ^ 1<<random.IntN(63)
	case []byte:
		if len(v) == 0 {
			return "", nil
		}
		changed := bytes.Clone(v)
		changed[random.IntN(len(v))] ^= 1 << random.IntN(8)
		after[i] = changed
	case string:
		if v == "" {
			return "", nil
		}
		changed := []byte(v)
		changed[random.IntN(len(v))] ^= 1 << random.IntN(4)
		after[i] = string(changed)
	default:
		return "", nil
	}
	what = fmt.Sprintf("column %s of row %d of %s is %v and not %v", x.columns[i].name, n, x.table, after[i], before[i])
	if x.replace(before, after) != nil {
		return "", nil
	}
	return what, func() { require.NoError(t, x.replace(after, before), what) }
}

// replace replaces a row by another one.
func (x *tampered) replace(before, after []any) error {
	tx, err := x.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var where, places []string
	var key []any
	for i, c := range x.columns {
		places = append(places, fmt.Sprint("$", i+1))
		if c.key {
			key = append(key, before[i])
			where = append(where, fmt.Sprintf("%s = $%d", c.name, len(key)))
		}
	}
	if _, err := tx.Exec("DELETE FROM "+x.table+" WHERE "+strings.Join(where, " AND "), key...); err != nil {
		return err
	}
	if _, err := tx.Exec("INSERT INTO "+x.table+" VALUES ("+strings.Join(places, ", ")+")", after...); err != nil {
		return err
	}
	return tx.Commit()
}
