package ledger_test

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/ledger"
)

const labelled = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"

// aLabel returns an edit of an account's entry in the address book.
func aLabel(t testing.TB, before, after string) ledger.Act {
	t.Helper()
	a := anAct(t, "anna", ledger.Labelled, 9, "", 5)
	a.Period, a.Zone, a.Account, a.EntryBefore, a.EntryAfter = "", "", labelled, before, after
	return a
}

// aLongLabel is an edit of an account of 32 bytes, in the form of its chain.
func aLongLabel(t testing.TB) ledger.Act {
	a := aLabel(t, "", `label "Stash"`)
	a.Account = "15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5"
	return a
}

// An edit of the address book is a line like the others: it is read again, its digest covers the account and both entries,
// and whatever changes in it is found.
func TestTrailOfLabels(t *testing.T) {
	entries := madeUp(0, 3)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, entries)
		want := recordActs(t, book)
		long := strings.Repeat("é", 2000)
		for _, a := range []ledger.Act{aLabel(t, "", `label "Bridge", group "outside"`), aLabel(t, `label "Bridge", group "outside"`, ""), aLabel(t, long, "x"), aLongLabel(t)} {
			a, err := book.Record(ctx, a, nil)
			require.NoError(t, err)
			want = append(want, a)
		}
		have, err := reader(t, place).Trail(ctx)
		require.NoError(t, err)
		require.Equal(t, want, have)
		verified(t, book)

		text := string(want[4].Digest[:])
		for _, part := range []string{"6", "2026-02-03T08:35:00.123Z", "anna", "labelled", "", "", "09" + strings.Repeat("0", 62), "", labelled, "", `label "Bridge", group "outside"`} {
			text += string(binary.BigEndian.AppendUint64(nil, uint64(len(part)))) + part
		}
		require.Equal(t, ledger.Digest(sha256.Sum256([]byte(text))), want[5].Digest)

		db := openSQL(t, place)
		for query, message := range map[string]string{
			"UPDATE trail SET account = lower(account) WHERE number = 6":                     "line 6 was altered or moved",
			"UPDATE trail SET entry_before = 'label \"Own\"' WHERE number = 6":               "line 6 was altered or moved",
			"UPDATE trail SET entry_after = '' WHERE number = 6":                             "line 6 was altered or moved",
			"UPDATE trail SET entry_before = entry_after, entry_after = '' WHERE number = 6": "line 6 was altered or moved",
			"UPDATE trail SET act = 'prepared' WHERE number = 6":                             "line 6 was altered: it is about an account",
			"UPDATE trail SET account = 'x' WHERE number = 2":                                "line 2 was altered: it is about an account",
			"UPDATE trail SET entry_after = 'x' WHERE number = 2":                            "line 2 was altered: it is about an account",
			"DELETE FROM trail WHERE number = 6":                                             "line 6 is missing",
		} {
			requireAlteredTrail(t, book, db, query, message)
		}
		verified(t, book)
		requireInvalid(t, book, aLabel(t, `label "Own"`, `label "Other"`), map[string]func(*ledger.Act){
			`"Operations" is not an account`:    func(a *ledger.Act) { a.Account = "Operations" },
			"is not an account":                 func(a *ledger.Act) { a.Account = strings.ToLower(labelled) },
			`"0x` + strings.Repeat("ab", 32):    func(a *ledger.Act) { a.Account = "0x" + strings.Repeat("ab", 32) },
			`"5Grw"`:                            func(a *ledger.Act) { a.Account = "5Grw" },
			"has no period and no comment":      func(a *ledger.Act) { a.Comment = "why" },
			"has no period":                     func(a *ledger.Act) { a.Period = "2026-01" },
			"does not change":                   func(a *ledger.Act) { a.EntryAfter = a.EntryBefore },
			"must be one line of up to 4096":    func(a *ledger.Act) { a.EntryAfter = strings.Repeat("x", 4097) },
			"must be one line of":               func(a *ledger.Act) { a.EntryAfter = "a\nb" },
			"must be one line":                  func(a *ledger.Act) { a.EntryBefore = "=x" },
			"the user must be one line":         func(a *ledger.Act) { a.User = "" },
			"the user must":                     func(a *ledger.Act) { a.User = "=anna" },
			"only an edit of the address book ": func(a *ledger.Act) { a.Kind, a.Period, a.Zone = ledger.Prepared, "2026-01", "UTC" },
		})
	})
}
