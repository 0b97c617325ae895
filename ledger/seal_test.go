package ledger_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/ledger"
)

// The digests and seals follow from the rows by the package's documentation: this
// test has its own code for it, and reads the rows by plain SQL.
func TestDigestsAndSealsFollowFromTheDocumentation(t *testing.T) {
	both(t, func(t *testing.T, r *recording) {
		entries := full(t, r)
		engines(t, func(t *testing.T, newPlace func() string) {
			place := newPlace()
			book := written(t, place, r.id, entries)
			db := openSQL(t, place)
			seals := map[string][]byte{} // by unit and number
			_, have := db.table(t, "SELECT leaves, time_ms, costs, final FROM blocks ORDER BY height")
			require.Len(t, have, len(entries))
			for height, x := range have {
				leaves, encoded := documentedLeaves(t, db, int64(height), x[2].([]byte))
				require.Contains(t, []any{true, int64(1)}, x[3], "block %d is final", height)
				leaves[1] |= 0x80 // which it says, too
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
				if x[0] == "day" {
					of := append(documentedValue(t, x[1], false), documentedValue(t, x[3], false)...)
					day := sha256.Sum256(append(of, documentedValue(t, x[2], false)...))
					sum := sha256.Sum256(append(whole, day[:]...))
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

			encoded := documentedValues(t, db, "SELECT network, genesis, first, sealed FROM book", nil)
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

// documentedLeaves are the leaves of a block as its row has them, and how many bytes they
// are over.
func documentedLeaves(t *testing.T, db database, height int64, costs []byte) (leaves []byte, encoded int) {
	leaves = []byte{1, 0, 0}
	for i, table := range [][2]string{
		{"blocks", "height"}, {"transactions", "extrinsic"}, {"movements", "position"}, {"unclassified", "position"}, {"transfers", "position"},
		{"costs"}, {"diagnoses", "extrinsic"}, {"findings", "position"}, {"unanswered", "position"},
	} {
		var over []byte
		if table[0] == "costs" {
			over = append(documentedValue(t, "costs", false), documentedValue(t, height, false)...)
			over = append(over, documentedValue(t, costs, false)...)
		} else if over = documentedTable(t, db, table[0], table[1], height); over == nil {
			continue
		}
		sum := sha256.Sum256(over)
		leaves[2-i/8] |= 1 << (i % 8)
		leaves = append(leaves, sum[:]...)
		encoded += len(over)
	}
	return leaves, encoded
}

// documentedTable are the bytes that the leaf of a table is over; none where it has no row
// of the block.
func documentedTable(t *testing.T, db database, table, key string, height int64) []byte {
	var columns []string
	for _, c := range db.columns(t, table) {
		if table != "blocks" || !slices.Contains([]string{"costs", "final", "leaves"}, c.name) {
			columns = append(columns, c.name)
		}
	}
	_, rows := db.table(t, "SELECT 1 FROM "+table+" WHERE height = ?1", height)
	if len(rows) == 0 {
		return nil
	}
	over := append(documentedValue(t, table, false), documentedValue(t, int64(len(rows)), false)...)
	return append(over, documentedValues(t, db, "SELECT "+strings.Join(columns, ", ")+" FROM "+table+" WHERE height = ?1 ORDER BY "+key, height)...)
}

func documentedValues(t *testing.T, db database, query string, height any) (all []byte) {
	var arguments []any
	if height != nil {
		arguments = append(arguments, height)
	}
	columns, rows := db.table(t, query, arguments...)
	for _, row := range rows {
		for i, v := range row {
			all = append(all, documentedValue(t, v, columns[i] == "certain" || columns[i] == "success")...)
		}
	}
	return all
}

// documentedValue encodes a value. SQLite has true and false as 1 and 0.
func documentedValue(t *testing.T, v any, flag bool) []byte {
	sized := func(tag byte, data []byte) []byte {
		return append(binary.BigEndian.AppendUint32([]byte{tag}, uint32(len(data))), data...)
	}
	switch v := v.(type) {
	case nil:
		return []byte{0}
	case int64:
		if flag {
			return []byte{4 + byte(v)}
		}
		return binary.BigEndian.AppendUint64([]byte{1}, uint64(v))
	case string:
		return sized(2, []byte(v))
	case []byte:
		return sized(3, v)
	case bool:
		if v {
			return []byte{5}
		}
		return []byte{4}
	}
	t.Fatalf("a value of type %T", v)
	return nil
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
	var seals []ledger.Status
	engines(t, func(t *testing.T, newPlace func() string) {
		book := writer(t, newPlace())
		require.NoError(t, book.Begin(ctx, madeUpChain, 0))
		for chunk := range slices.Chunk(entries, 1_000) {
			require.NoError(t, book.Write(ctx, chunk))
		}
		require.Equal(t, chain.Some(uint64(5_999)), statusOf(t, book).Sealed, "sealed with 3,000 at once")
		require.EqualValues(t, 1_000, sealAll(t, book))
		verified(t, book)
		seals = append(seals, statusOf(t, book))
	})
	require.Equal(t, seals[0], seals[len(seals)-1])
}
