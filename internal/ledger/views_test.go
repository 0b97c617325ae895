package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// shown are the rows of a view, each value as text with its column's name.
func shown(t *testing.T, db database, view string) (list []map[string]string) {
	columns := db.columns(t, view)
	var texts []string
	for _, c := range columns {
		text := "CAST(" + c.name + " AS TEXT)"
		if c.name == "success" || c.name == "final" { // the engines have their own words for these
			text = "CASE WHEN " + c.name + " THEN 'true' WHEN NOT " + c.name + " THEN 'false' END"
		}
		texts = append(texts, text)
	}
	rows := db.texts(t, "SELECT "+strings.Join(texts, ", ")+" FROM "+view)
	slices.SortFunc(rows, slices.Compare)
	for _, row := range rows {
		line := map[string]string{}
		for i, c := range columns {
			line[c.name] = row[i]
		}
		list = append(list, line)
	}
	return list
}

func TestViewsAreTheSameInBothEngines(t *testing.T) {
	both(t, func(t *testing.T, r *recording) {
		entries := full(t, r)
		var books []map[string][]map[string]string
		engines(t, func(t *testing.T, newPlace func() string) {
			place := newPlace()
			book := written(t, place, r.id, entries)
			last := entries[len(entries)-1]
			m := makeBlock(last.Height()+1, hashOf(1, 1), last.Hash(), "1").at(1_234)
			m.Report.Finalized = chain.Some(false)
			require.NoError(t, book.Write(ctx, []*ledger.Entry{m.entry(t)}))
			db := openSQL(t, place)
			views := map[string][]map[string]string{}
			for _, view := range db.names(t, "view") {
				require.True(t, strings.HasPrefix(view, "book_"))
				views[view] = shown(t, db, view)
				if view != "book_unanswered" { // every question was answered
					require.NotEmpty(t, views[view], view)
				}
			}
			require.Equal(t, 14, len(views)) // not Len, which would print all of them
			books = append(books, views)
		})
		if len(books) < 2 {
			t.Skip("one engine alone")
		}
		for view, rows := range books[0] {
			require.Equal(t, rows, books[1][view], view)
		}
	})
}

// Values that a person can work out.
func TestViews(t *testing.T) {
	first := makeBlock(0, hashOf(0, 0), chain.Hash{}, "1").at(0)
	first.event("balances", "Withdraw", `["0x00000000000000000000000000000000000000AA","1500000000000000000"]`)
	second := makeBlock(1, hashOf(1, 0), hashOf(0, 0), largestWei).at(1_700_000_000_007)
	second.Report.Transactions[0].To = chain.Optional[chain.Address]{}
	second.OnFinalize = append(second.OnFinalize, chain.Event{Pallet: "balances", Name: "Reserved", Data: json(`["0x00000000000000000000000000000000000000aa","5"]`)})
	third := makeBlock(2, hashOf(2, 0), hashOf(1, 0), "1000000000000000000").at(1_709_164_800_000) // 2024-02-29
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		written(t, place, madeUpChain, []*ledger.Entry{first.entry(t), second.entry(t), third.entry(t)})
		db := openSQL(t, place)
		cells := func(view string, columns ...string) (list [][]string) {
			for _, row := range shown(t, db, view) {
				var line []string
				for _, c := range columns {
					require.Contains(t, row, c)
					line = append(line, row[c])
				}
				list = append(list, line)
			}
			return list
		}
		require.Equal(t, [][]string{
			{"0", "1970-01-01T00:00:00Z", "1", "0.000000000000000001", "true"},
			{"1", "2023-11-14T22:13:20.007Z", largestWei, "340282366920938463463.374607431768211455", "true"},
			{"2", "2024-02-29T00:00:00Z", "1000000000000000000", "1.000000000000000000", "true"},
		}, cells("book_blocks", "height", "time", "fee", "fee_token", "final"))
		require.Equal(t, []string{fmt.Sprint(hashOf(1, 0)), fmt.Sprint(hashOf(0, 0)), "null", "null"}, cells("book_blocks", "hash", "parent_hash", "charged", "base_fee_per_gas")[1])
		require.Equal(t, [][]string{
			{"0", "false", "reverted", "0x0000000000000000000000000000000000000000", "0x0100000000000000000000000000000000000000", "null", "null"},
			{"1", "true", "succeeded", "0x0000000000000000000000000000000000000001", "null", "null", "null"},
			{"2", "true", "succeeded", "0x0000000000000000000000000000000000000002", "0x0100000000000000000000000000000000000002", "null", "null"},
		}, cells("book_transactions", "height", "success", "outcome", "payer", "recipient", "evm_hash", "tip"))
		require.Equal(t, [][]string{
			{"0", "onInitialize", "withdrawal", "0x00000000000000000000000000000000000000aa", "null", "-1500000000000000000", "-1.500000000000000000", "0", "0.000000000000000000"},
			{"1", "onFinalize", "reserve", "0x00000000000000000000000000000000000000aa", "null", "-5", "-0.000000000000000005", "5", "0.000000000000000005"},
		}, cells("book_movements", "height", "place", "kind", "account", "counterparty", "free", "free_token", "reserved", "reserved_token"))
		require.Equal(t, [][]string{
			{"1970-01-01", "1", "1", "1", "0.000000000000000001"},
			{"2023-11-14", "1", "0", largestWei, "340282366920938463463.374607431768211455"},
			{"2024-02-29", "1", "0", "1000000000000000000", "1.000000000000000000"},
		}, cells("book_days", "day", "blocks", "evm_failed", "evm_fee", "evm_fee_token"))
		require.Equal(t, [][]string{
			{"1970-01-01", "0x0100000000000000000000000000000000000000"},
			{"2023-11-14", "null"},
			{"2024-02-29", "0x0100000000000000000000000000000000000002"},
		}, cells("book_contract_days", "day", "contract"))
		require.Equal(t, [][]string{
			{"1970-01", "0x0100000000000000000000000000000000000000", "1"},
			{"2023-11", "null", largestWei},
			{"2024-02", "0x0100000000000000000000000000000000000002", "1000000000000000000"},
		}, cells("book_contract_months", "month", "contract", "fee"))
		require.Equal(t, [][]string{
			{"day", "1970-01-01", "0", "0", "1"}, {"day", "2023-11-14", "1", "1", "1"}, {"day", "2024-02-29", "2", "2", "1"},
			{"month", "1970-01", "0", "0", "1"}, {"month", "2023-11", "1", "1", "1"}, {"month", "2024-02", "2", "2", "1"},
		}, cells("book_seals", "unit", "name", "first", "last", "blocks"))
	})
}
