package ledger_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"testing"

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
			seal := make([]byte, 32)
			_, have := db.table(t, "SELECT digest, seal FROM blocks ORDER BY height")
			require.Len(t, have, len(entries))
			for height, x := range have {
				encoded := documentedBlock(t, db, int64(height))
				require.EqualValues(t, len(encoded), entries[height].Encoded(), "block %d", height)
				digest := sha256.Sum256(encoded)
				require.Equal(t, digest[:], x[0], "block %d", height)
				require.Equal(t, hex.EncodeToString(digest[:]), entries[height].Digest().String())
				sum := sha256.Sum256(append(seal, digest[:]...))
				seal = sum[:]
				require.Equal(t, seal, x[1], "block %d", height)
			}
			for height, x := range have {
				at, err := book.SealAt(ctx, uint64(height))
				require.NoError(t, err)
				got, ok := at.Get()
				require.True(t, ok)
				require.Equal(t, x[1], got[:])
			}
			above, err := book.SealAt(ctx, uint64(len(have)))
			require.NoError(t, err)
			require.False(t, above.Known())
			text, err := statusOf(t, book).Seal.MarshalText()
			require.NoError(t, err)
			require.Equal(t, hex.EncodeToString(seal), string(text))
			text, err = entries[3].Digest().MarshalText()
			require.NoError(t, err)
			require.Equal(t, entries[3].Digest().String(), string(text))

			encoded := documentedValues(t, db, "SELECT network, genesis, first, sealed, seal FROM book", nil)
			sum := sha256.Sum256(encoded)
			_, row := db.table(t, "SELECT digest FROM book")
			require.Equal(t, sum[:], row[0][0])
		})
	})
}

// documentedBlock are the bytes that the digest of a block is of.
func documentedBlock(t *testing.T, db database, height int64) (all []byte) {
	for _, table := range [][2]string{
		{"blocks", "height"}, {"transactions", "extrinsic"}, {"movements", "position"},
		{"unclassified", "position"}, {"transfers", "position"}, {"findings", "position"},
	} {
		var columns string
		for _, c := range db.columns(t, table[0]) {
			if table[0] == "blocks" && slices.Contains([]string{"costs", "final", "digest", "seal"}, c.name) {
				continue
			}
			if columns != "" {
				columns += ", "
			}
			columns += c.name
		}
		_, rows := db.table(t, "SELECT 1 FROM "+table[0]+" WHERE height = ?1", height)
		all = append(all, documentedValue(t, table[0], false)...)
		all = append(all, documentedValue(t, int64(len(rows)), false)...)
		all = append(all, documentedValues(t, db, "SELECT "+columns+" FROM "+table[0]+" WHERE height = ?1 ORDER BY "+table[1], height)...)
	}
	return all
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
