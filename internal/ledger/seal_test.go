package ledger_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// Digests and seals can be computed from the records as documented: this test uses its own code and plain SQL.
func TestDigestsAndSealsFollowFromTheDocumentation(t *testing.T) {
	both(t, func(t *testing.T, r *recording) {
		entries := full(t, r)
		engines(t, func(t *testing.T, newPlace func() string) {
			place := newPlace()
			book := written(t, place, r.id, entries)
			db := openSQL(t, place)
			type sum struct {
				blocks int
				seal   [32]byte
			}
			after := func(seal [32]byte, digest [32]byte) [32]byte { return sha256.Sum256(append(seal[:], digest[:]...)) }
			days, months := map[int64]sum{}, map[int64]sum{}
			_, have := db.table(t, "SELECT record, time_ms FROM blocks ORDER BY height")
			require.Len(t, have, len(entries))
			for height, x := range have {
				record := x[0].([]byte)
				require.EqualValues(t, len(record), entries[height].Encoded())
				digest := sha256.Sum256(record)
				require.Equal(t, hex.EncodeToString(digest[:]), entries[height].Digest().String())
				text, err := entries[height].Digest().MarshalText()
				require.NoError(t, err)
				require.Equal(t, hex.EncodeToString(digest[:]), string(text))
				number := int64(-1)
				if ms, timed := x[1].(int64); timed {
					number = ms / 86_400_000
				}
				day := days[number]
				days[number] = sum{day.blocks + 1, after(day.seal, digest)}
			}
			var whole [32]byte
			for _, number := range slices.Sorted(maps.Keys(days)) {
				day := days[number]
				line := documentedLine(uint64(number), uint64(day.blocks), day.seal)
				whole = after(whole, line)
				month := int64(-1)
				if at := time.Unix(number*86_400, 0).UTC(); number >= 0 {
					month = int64(at.Year()-1970)*12 + int64(at.Month()) - 1
				}
				months[month] = sum{months[month].blocks + day.blocks, after(months[month].seal, line)}
			}
			for unit, want := range map[string]map[int64]sum{"day": days, "month": months} {
				_, rows := db.table(t, "SELECT number, blocks, seal FROM stretches WHERE unit = '"+unit+"'")
				have := map[int64]sum{}
				for _, x := range rows {
					have[x[0].(int64)] = sum{int(x[1].(int64)), [32]byte(x[2].([]byte))}
				}
				require.Equal(t, want, have, unit)
			}
			seal, ok := statusOf(t, book).Seal.Get()
			require.True(t, ok)
			text, err := seal.MarshalText()
			require.NoError(t, err)
			require.Equal(t, hex.EncodeToString(whole[:]), string(text))
			same, err := book.SealOf(ctx, heights(0, uint64(len(entries)-1)), chain.Heights{Last: uint64(len(entries) - 1)})
			require.NoError(t, err)
			require.Equal(t, seal, same, "the period of all blocks has the book's seal")
		})
	})
}

// documentedLine computes a day's contribution to seals as documented.
func documentedLine(number, blocks uint64, seal [32]byte) [32]byte {
	text := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, number), blocks)
	return sha256.Sum256(append(text, seal[:]...))
}

// The order of storing and sealing does not change the seal and the totals, in both engines.
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
		require.Equal(t, chain.Some(uint64(1)), statusOf(t, book).Sealed, "those that were written")
		require.EqualValues(t, 2, sealAll(t, book))
		require.Zero(t, sealAll(t, book))
		require.NoError(t, book.Write(ctx, entries[5:]))
		require.Zero(t, sealAll(t, book))
		require.Equal(t, chain.Some(uint64(3)), statusOf(t, book).Sealed)
		verified(t, book)
	})
}

// A ledger with more blocks than are sealed, read or checked at once.
func TestManyBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("not in a short run: many blocks")
	}
	entries := madeUp(0, 7_000)
	seals := make(chan ledger.Status, 2)
	engines(t, func(t *testing.T, newPlace func() string) {
		book := writer(t, newPlace())
		require.NoError(t, book.Begin(ctx, madeUpChain, 0))
		for _, chunk := range slices.Backward(slices.Collect(slices.Chunk(entries, 1_000))) {
			require.NoError(t, book.Write(ctx, chunk))
		}
		require.Equal(t, chain.Some(uint64(999)), statusOf(t, book).Sealed)
		require.EqualValues(t, 6_000, sealAll(t, book))
		verified(t, book)
		seals <- statusOf(t, book)
	})
	close(seals)
	first := <-seals
	for other := range seals {
		require.Equal(t, first, other)
	}
}
