package ledger_test

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// anAct returns an act of a user, some minutes after the first.
func anAct(t testing.TB, user string, kind ledger.ActKind, manifest byte, comment string, minutes int) ledger.Act {
	t.Helper()
	at, err := chain.TimeAt(uint64(time.Date(2026, 2, 3, 8, 30+minutes, 0, 123e6, time.UTC).UnixMilli()))
	require.NoError(t, err)
	return ledger.Act{Time: at, User: user, Kind: kind, Period: "2026-01", Zone: "UTC", Manifest: ledger.Digest{manifest}, Comment: comment}
}

// recordActs appends some acts to the trail of a ledger.
func recordActs(t testing.TB, book *ledger.Book) (acts []ledger.Act) {
	t.Helper()
	for i, a := range []ledger.Act{
		anAct(t, "anna", ledger.Prepared, 1, "the first", 0), anAct(t, "bob", ledger.Returned, 1, "Prices are missing: see “notes”.", 1),
		anAct(t, "anna", ledger.Prepared, 2, "", 2), anAct(t, "bob", ledger.Approved, 2, "", 3), anAct(t, "anna", ledger.Closed, 2, "done", 4),
	} {
		a, err := book.Record(ctx, a, nil)
		require.NoError(t, err)
		require.EqualValues(t, i+1, a.Number)
		acts = append(acts, a)
	}
	return acts
}

// Lines are numbered and chained; the digests are computed here from the documented bytes.
func TestTrail(t *testing.T) {
	entries := madeUp(0, 3)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, entries)
		none, err := book.Trail(ctx)
		require.NoError(t, err)
		require.Empty(t, none)
		want := recordActs(t, book)
		for _, b := range []*ledger.Book{book, reader(t, place)} {
			have, err := b.Trail(ctx)
			require.NoError(t, err)
			require.Equal(t, want, have)
		}
		verified(t, book)
		var before [32]byte
		for i, texts := range [][]string{
			{"1", "2026-02-03T08:30:00.123Z", "anna", "prepared", "2026-01", "UTC", "01" + strings.Repeat("0", 62), "the first"},
			{"2", "2026-02-03T08:31:00.123Z", "bob", "returned", "2026-01", "UTC", "01" + strings.Repeat("0", 62), "Prices are missing: see “notes”."},
		} {
			text := string(before[:])
			for _, part := range texts {
				text += "\x00\x00\x00\x00\x00\x00\x00" + string(rune(len(part))) + part // all are shorter than 128 bytes
			}
			before = sha256.Sum256([]byte(text))
			require.Equal(t, ledger.Digest(before), want[i].Digest)
			require.Equal(t, texts, want[i].Texts())
		}
	})
}

// Whatever changes in a line, verification names the line, the trail cannot be read, and nothing is appended to it.
func TestAlteredTrails(t *testing.T) {
	entries := madeUp(0, 3)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, entries)
		recordActs(t, book)
		db := openSQL(t, place)
		for query, message := range map[string]string{
			"UPDATE trail SET time_ms = time_ms + 1 WHERE number = 2":                                        "line 2 was altered or moved: its digest is ",
			"UPDATE trail SET time_ms = -1 WHERE number = 2":                                                 "line 2 was altered: ",
			"UPDATE trail SET time_ms = 9223372036854775807 WHERE number = 2":                                "line 2 was altered",
			"UPDATE trail SET actor = 'eve' WHERE number = 3":                                                "line 3 was altered or moved",
			"UPDATE trail SET act = 'approved' WHERE number = 2":                                             "line 2 was altered or moved",
			"UPDATE trail SET period = '2026-02' WHERE number = 1":                                           "line 1 was altered or moved",
			"UPDATE trail SET zone = 'Europe/Berlin' WHERE number = 5":                                       "line 5 was altered or moved",
			"UPDATE trail SET comment = 'Done' WHERE number = 5":                                             "line 5 was altered or moved",
			"UPDATE trail SET manifest = (SELECT manifest FROM trail WHERE number = 1) WHERE number = 4":     "line 4 was altered or moved",
			"UPDATE trail SET digest = (SELECT digest FROM trail WHERE number = 1) WHERE number = 4":         "line 4 was altered or moved",
			"UPDATE trail SET actor = 'annap', act = 'repared' WHERE number = 1":                             "line 1 was altered or moved",
			"DELETE FROM trail WHERE number = 1":                                                             "line 1 is missing",
			"DELETE FROM trail WHERE number = 3":                                                             "line 3 is missing",
			"UPDATE trail SET number = 9 WHERE number = 5":                                                   "line 5 is missing",
			"UPDATE trail SET number = CASE number WHEN 1 THEN -3 WHEN 3 THEN -1 END WHERE number IN (1, 3)": "line 1 was altered",
		} {
			requireAlteredTrail(t, book, db, query, message)
		}
		verified(t, book)
		db.do(t, "DELETE FROM trail WHERE number = 5") // the end is not protected here; the package that was closed has its digest
		verified(t, book)
	})
}

// requireAlteredTrail requires an alteration of the trail to be found and named. Then the trail is not read or extended.
func requireAlteredTrail(t *testing.T, book *ledger.Book, db database, query, message string) {
	t.Helper()
	db.altered(t, "trail", query, func() {
		list := damages(t, book)
		require.Len(t, list, 1, query)
		require.Equal(t, "trail", list[0].Table)
		require.Contains(t, list[0].Message, message, query)
		_, err := book.Trail(ctx)
		require.ErrorIs(t, err, ledger.ErrDamaged)
		_, err = book.Record(ctx, anAct(t, "bob", ledger.Returned, 2, "", 9), nil)
		require.ErrorIs(t, err, ledger.ErrDamaged)
	})
}

// requireInvalid requires each change of an act to make it invalid.
func requireInvalid(t *testing.T, book *ledger.Book, act ledger.Act, changes map[string]func(*ledger.Act)) {
	t.Helper()
	for message, change := range changes {
		a := act
		change(&a)
		_, err := book.Record(ctx, a, nil)
		require.ErrorIs(t, err, ledger.ErrAct)
		require.ErrorContains(t, err, message)
	}
}

// An act that is not allowed or not valid leaves no line.
func TestActsThatAreNotRecorded(t *testing.T) {
	entries := madeUp(0, 3)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		empty := writer(t, place)
		_, err := empty.Record(ctx, anAct(t, "anna", ledger.Prepared, 1, "", 0), nil)
		require.ErrorIs(t, err, ledger.ErrNone)
		require.NoError(t, empty.Close())
		book := written(t, place, madeUpChain, entries)
		have := recordActs(t, book)
		refused := errors.New("refused")
		_, err = book.Record(ctx, anAct(t, "bob", ledger.Approved, 2, "", 6), func(before []ledger.Act) error {
			require.Equal(t, have, before)
			return refused
		})
		require.ErrorIs(t, err, refused)
		requireInvalid(t, book, anAct(t, "bob", ledger.Approved, 2, "", 6), map[string]func(*ledger.Act){
			"the user must be one line of up to 256 bytes": func(a *ledger.Act) { a.User = "" },
			"the user must":                 func(a *ledger.Act) { a.User = "an\nna" },
			"the period must":               func(a *ledger.Act) { a.Period = strings.Repeat("1", 257) },
			"the time zone must":            func(a *ledger.Act) { a.Zone = "\xff" },
			`"paid" is not one of the acts`: func(a *ledger.Act) { a.Kind = "paid" },
			"the comment must be one line of up to 1000 characters": func(a *ledger.Act) { a.Comment = strings.Repeat("é", 1001) },
			"the comment must":             func(a *ledger.Act) { a.Comment = "a\x00b" },
			"the comment must be one line": func(a *ledger.Act) { a.Comment = "\u202eevil" },
			"the comment must be one":      func(a *ledger.Act) { a.Comment = "\xc3" },
			"a spreadsheet would":          func(a *ledger.Act) { a.Comment = "=HYPERLINK(1)" },
			"a spreadsheet":                func(a *ledger.Act) { a.User = "@bob" },
		})
		_, err = book.RecordAll(ctx, []ledger.Act{anAct(t, "bob", ledger.Approved, 2, "", 6), anAct(t, "", ledger.Approved, 2, "", 6)}, nil)
		require.ErrorIs(t, err, ledger.ErrAct, "all or none")
		now, err := book.Trail(ctx)
		require.NoError(t, err)
		require.Equal(t, have, now)
		both, err := book.RecordAll(ctx, []ledger.Act{anAct(t, "bob", ledger.Returned, 2, "one", 6), anAct(t, "bob", ledger.Answered, 2, "two", 6)}, nil)
		require.NoError(t, err)
		now, err = book.Trail(ctx)
		require.NoError(t, err)
		require.Equal(t, both, now[len(have):])
		require.Equal(t, uint64(len(have)+2), both[1].Number)
		longest := anAct(t, "bob", ledger.Returned, 2, strings.Repeat("é", ledger.MaxComment), 7)
		_, err = book.Record(ctx, longest, nil)
		require.NoError(t, err)
		verified(t, book)
	})
}

// A backup contains the trail.
func TestABackupKeepsTheTrail(t *testing.T) {
	entries := madeUp(0, 3)
	engines(t, func(t *testing.T, newPlace func() string) {
		book := written(t, newPlace(), madeUpChain, entries)
		want := recordActs(t, book)
		path := filepath.Join(t.TempDir(), "copy.db")
		require.NoError(t, book.Backup(ctx, path, quietly))
		have, err := reader(t, path).Trail(ctx)
		require.NoError(t, err)
		require.Equal(t, want, have)
	})
}

// Programs that record acts write between the changes of the program that fills the ledger.
func TestActsBesideAWriter(t *testing.T) {
	const each, programs = 10, 3
	entries := madeUp(0, 60)
	engines(t, func(t *testing.T, newPlace func() string) {
		place, quiet := newPlace(), newPlace()
		written(t, quiet, madeUpChain, entries)
		book := written(t, place, madeUpChain, entries[:1])
		var all sync.WaitGroup
		for user := range programs {
			all.Go(func() {
				trail, err := ledger.OpenTrail(ctx, place)
				if !assert.NoError(t, err) {
					return
				}
				for range each {
					_, err := trail.Record(ctx, anAct(t, string(rune('a'+user)), ledger.Prepared, 1, "", 0), nil)
					assert.NoError(t, err)
				}
				assert.NoError(t, trail.Close())
			})
		}
		for _, e := range entries[1:] {
			require.NoError(t, book.Write(ctx, []*ledger.Entry{e}))
		}
		all.Wait()
		sealAll(t, book)
		acts, err := book.Trail(ctx)
		require.NoError(t, err)
		require.Len(t, acts, each*programs)
		verified(t, book)
		other := reader(t, quiet)
		require.Equal(t, statusOf(t, other).Seal, statusOf(t, book).Seal)
	})
}

// The trail of nothing is not opened, and nothing is created.
func TestTrailOfNoLedger(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.db")
	_, err := ledger.OpenTrail(ctx, path)
	require.ErrorIs(t, err, ledger.ErrNone)
	require.NoFileExists(t, path)
	require.NoError(t, os.WriteFile(path, []byte("something else"), 0o600))
	_, err = ledger.OpenTrail(ctx, path)
	require.Error(t, err)
}
