package ledger_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/ledgertest"
)

// The digests and seals follow from the rows by the package's documentation: this
// test has its own code for it (see also ledgertest), and reads the rows by plain SQL.
func TestDigestsAndSealsFollowFromTheDocumentation(t *testing.T) {
	both(t, func(t *testing.T, r *recording) {
		entries := full(t, r)
		engines(t, func(t *testing.T, newPlace func() string) {
			place := newPlace()
			book := written(t, place, r.id, entries)
			db := openSQL(t, place)
			ask := func(query string, arguments ...any) ([]string, [][]any) { return db.table(t, query, arguments...) }
			seals := map[string][]byte{} // by unit and number
			_, have := db.table(t, "SELECT leaves, time_ms, costs FROM blocks ORDER BY height")
			require.Len(t, have, len(entries))
			for height, x := range have {
				leaves, encoded := ledgertest.Leaves(t, ask, int64(height), x[2].([]byte))
				require.Equal(t, leaves, x[0], "block %d", height)
				require.EqualValues(t, encoded, entries[height].Encoded(), "block %d", height)
				there := leaves[2] & 0x3f // the first six leaves
				digest := sha256.Sum256(append([]byte{1, 0, there}, leaves[3:3+32*bits.OnesCount8(there)]...))
				require.Equal(t, hex.EncodeToString(digest[:]), entries[height].Digest().String())
				for _, name := range documentedStretches(x[1]) {
					if seals[name] == nil {
						seals[name] = make([]byte, 32)
					}
					sum := sha256.Sum256(append(bytes.Clone(seals[name]), digest[:]...))
					seals[name] = sum[:]
				}
			}
			whole := make([]byte, 32)
			_, rows := db.table(t, "SELECT unit, number, seal, blocks FROM seals ORDER BY unit, number")
			require.Len(t, rows, len(seals))
			for _, x := range rows {
				name := fmt.Sprint(x[0], " ", x[1])
				require.Equal(t, seals[name], x[2], name)
				if x[0] == "month" {
					of := slices.Concat(ledgertest.Value(t, x[1]), ledgertest.Value(t, x[3]))
					month := sha256.Sum256(append(of, ledgertest.Value(t, x[2])...))
					sum := sha256.Sum256(append(whole, month[:]...))
					whole = sum[:]
				}
			}
			seal, ok := statusOf(t, book).Seal.Get()
			require.True(t, ok)
			text, err := seal.MarshalText()
			require.NoError(t, err)
			require.Equal(t, hex.EncodeToString(whole), string(text))
			text, err = entries[3].Digest().MarshalText()
			require.NoError(t, err)
			require.Equal(t, entries[3].Digest().String(), string(text))

			encoded := ledgertest.Values(t, ask, "SELECT network, genesis, first, sealed FROM book")
			sum := sha256.Sum256(encoded)
			_, row := db.table(t, "SELECT digest FROM book")
			require.Equal(t, sum[:], row[0][0])
		})
	})
}

// documentedStretches are the day and the month of a time.
func documentedStretches(ms any) []string {
	if ms == nil {
		return []string{"day -1", "month -1"}
	}
	at := time.UnixMilli(ms.(int64)).UTC()
	return []string{fmt.Sprint("day ", at.Unix()/86_400), fmt.Sprint("month ", (at.Year()-1970)*12+int(at.Month())-1)}
}

// Whatever order blocks come in, and whenever they are sealed: the seal is one, in
// both engines, and so are the totals.
func TestSealAndTotalsDoNotDependOnTheOrder(t *testing.T) {
	entries := full(t, recording2100())
	id := recording2100().id
	quiet := statusOf(t, written(t, newFile(t), id, entries))
	require.Equal(t, chain.Some(uint64(29)), quiet.Sealed)
	engines(t, func(t *testing.T, newPlace func() string) {
		for seed := range uint64(8) {
			random := rand.New(rand.NewPCG(seed, 0))
			book := writer(t, newPlace())
			require.NoError(t, book.Begin(ctx, id, 0))
			var chunks [][]*ledger.Entry
			for first := 0; first < len(entries); {
				last := min(first+1+random.IntN(6), len(entries))
				chunks = append(chunks, entries[first:last])
				chunks = append(chunks, entries[max(first-2, 0):min(last+2, len(entries))]) // overlaps
				first = last
			}
			random.Shuffle(len(chunks), func(i, j int) { chunks[i], chunks[j] = chunks[j], chunks[i] })
			for _, chunk := range chunks {
				require.NoError(t, book.Write(ctx, chunk))
				if random.IntN(3) == 0 {
					sealAll(t, book)
				}
				if random.IntN(4) == 0 {
					verified(t, book)
				}
			}
			sealAll(t, book)
			verified(t, book)
			require.Equal(t, quiet, statusOf(t, book), "seed %d", seed)
		}
	})
}

func TestSealGoesUpToTheFirstGapOrBlockThatIsNotFinal(t *testing.T) {
	entries := madeUp(0, 12)
	engines(t, func(t *testing.T, newPlace func() string) {
		book := writer(t, newPlace())
		require.Zero(t, sealAll(t, book), "nothing was begun")
		require.NoError(t, book.Begin(ctx, madeUpChain, 0))
		require.Zero(t, sealAll(t, book))
		require.NoError(t, book.Write(ctx, entries[2:4]))
		require.Zero(t, sealAll(t, book))
		require.NoError(t, book.Write(ctx, entries[:2]))
		require.EqualValues(t, 4, sealAll(t, book))
		require.Zero(t, sealAll(t, book))
		require.NoError(t, book.Write(ctx, entries[5:]))
		require.Zero(t, sealAll(t, book))
		require.Equal(t, chain.Some(uint64(3)), statusOf(t, book).Sealed)
		verified(t, book)
	})
}

// A book of more blocks than are sealed, read or checked at once.
func TestManyBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("not in a short run: many blocks")
	}
	entries := madeUp(0, 7_000)
	seals := make(chan ledger.Status, 2)
	engines(t, func(t *testing.T, newPlace func() string) {
		book := writer(t, newPlace())
		require.NoError(t, book.Begin(ctx, madeUpChain, 0))
		for chunk := range slices.Chunk(entries, 1_000) {
			require.NoError(t, book.Write(ctx, chunk))
		}
		require.Equal(t, chain.Some(uint64(4_999)), statusOf(t, book).Sealed, "sealed with 5,000 at once")
		require.EqualValues(t, 2_000, sealAll(t, book))
		verified(t, book)
		seals <- statusOf(t, book)
	})
	close(seals)
	first := <-seals
	for other := range seals {
		require.Equal(t, first, other)
	}
}
