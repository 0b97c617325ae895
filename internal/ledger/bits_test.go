package ledger_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/feeledger/fees/internal/test/tier"
)

// seedAsked sets the seed of random changes.
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

// randomChanges returns the source of the changes of a test, from the seed of the environment if there is one, and their
// number.
func randomChanges(t *testing.T) (random *rand.Rand, changes int) {
	now := uint64(time.Now().UnixNano())
	seed := tier.Count(t, seedAsked, now, now)
	t.Logf("%s=%d", seedAsked, seed)
	return rand.New(rand.NewPCG(seed, 1)), damagesWanted(t)
}

// saidBy returns all answers of a whole ledger; some are errors.
func saidBy(book *ledger.Book, asked []question) map[string]string {
	whole := map[string]string{}
	for _, q := range asked {
		whole[q.name], _ = said(q, book)
	}
	return whole
}

// changeBits requires right answers of a file, each time with one bit changed.
func changeBits(t *testing.T, changes int, bits func(file []byte) (random func() int)) {
	place, asked := filepath.Join(t.TempDir(), "fees.db"), bitsQuestions()
	bitsBook(t, place)
	whole := saidBy(reader(t, place), asked)
	file, err := os.ReadFile(place)
	require.NoError(t, err)
	refused, opened, next := 0, 0, bits(file)
	for range changes {
		at := next()
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
	t.Logf("%d of %d changed files were opened, and %d of them did not answer every question", opened, changes, refused)
}

// If any bit of a ledger's file changes, no query returns a wrong answer.
func TestSingleBits(t *testing.T) {
	random, changes := randomChanges(t)
	changeBits(t, changes, func(file []byte) func() int {
		return func() int { return random.IntN(8 * len(file)) }
	})
}

// Nor if it is a bit that says where unsealed blocks are, which the seals do not cover.
func TestSingleBitsOfUnsealedHeights(t *testing.T) {
	random, changes := randomChanges(t)
	changeBits(t, changes, func(file []byte) func() int {
		places := placesOfUnsealed(file)
		require.Greater(t, len(places), 300)
		return func() int { return 8*places[random.IntN(len(places))] + random.IntN(8) }
	})
}

// placesOfUnsealed returns the bytes of a file that say where bitsBook's unsealed blocks are: the headers, the pointers
// and the keys of the leaves that contain them, and of all pages above leaves (https://sqlite.org/fileformat2.html).
func placesOfUnsealed(file []byte) (places []int) {
	size := int(binary.BigEndian.Uint16(file[16:]))
	for start := 0; start < len(file); start += size {
		page, header := file[start:start+size], 8
		switch page[0] {
		case 5:
			header = 12
		case 13:
		default:
			continue
		}
		found, unsealed := []int(nil), header == 12
		for i := range header + 2*int(binary.BigEndian.Uint16(page[3:])) {
			found = append(found, start+i)
			if i < header || i%2 != 0 {
				continue
			}
			cell := int(binary.BigEndian.Uint16(page[i:]))
			key := cell + 4 // after the pointer to a page
			if header == 8 {
				_, n := varint(page[cell:]) // the size of the row
				key = cell + n
			}
			height, n := varint(page[key:])
			unsealed = unsealed || height >= 4 && height <= 6 || height >= 102 && height <= 107
			for at := cell; at < key+n; at++ {
				found = append(found, start+at)
			}
		}
		if unsealed {
			places = append(places, found...)
		}
	}
	return places
}

// varint reads a number of SQLite's, and returns its length.
func varint(from []byte) (x uint64, length int) {
	for x, length = uint64(from[0]&0x7f), 1; from[length-1] >= 0x80; length++ {
		x = x<<7 | uint64(from[length]&0x7f)
	}
	return x, length
}

// If any value of a row in PostgreSQL changes, no query returns a wrong answer.
func TestSingleValues(t *testing.T) {
	random, changes := randomChanges(t)
	place, asked := postgrestest.Start(t).Database(t), bitsQuestions()
	bitsBook(t, place)
	book := reader(t, place)
	whole, refused, changed := saidBy(book, asked), 0, 0
	x := tampered{database: openSQL(t, place), book: book}
	for range changes {
		if what, undo := x.anyChange(t, random); undo != nil {
			changed++
			if right(t, book, asked, whole, what) {
				refused++
			}
			undo()
		}
	}
	right(t, book, asked, whole, "nothing was changed")
	t.Logf("%d of %d changes were accepted, and after %d of them a question was not answered", changed, changes, refused)
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
	statement, key := x.deletion(before)
	if _, err := tx.Exec(x.numbered(statement), key...); err != nil {
		return err
	}
	if _, err := tx.Exec(x.numbered(x.insertion()), after...); err != nil {
		return err
	}
	return tx.Commit()
}
