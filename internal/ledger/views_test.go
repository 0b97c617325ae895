package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
)

// shown returns the rows of a view, each value as text with its column name.
func shown(t *testing.T, db database, view string) (list []map[string]string) {
	columns := db.columns(t, view)
	var texts []string
	for _, c := range columns {
		text := "CAST(" + c.name + " AS TEXT)"
		if c.name == "success" || c.name == "final" { // the engines use different words for these
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
			recordActs(t, book)
			db := openSQL(t, place)
			views := map[string][]map[string]string{}
			for _, view := range db.names(t, "view") {
				require.True(t, strings.HasPrefix(view, "book_"))
				views[view] = shown(t, db, view)
				require.NotEmpty(t, views[view], view)
			}
			require.Equal(t, 13, len(views)) // Len would print all of them
			books = append(books, views)
		})
		if len(books) < 2 {
			t.Skip("one engine only")
		}
		for view, rows := range books[0] {
			require.Equal(t, rows, books[1][view], view)
		}
	})
}

// Values that can be computed by hand.
func TestViews(t *testing.T) {
	first := makeBlock(0, hashOf(0, 0), chain.Hash{}, "1").at(0)
	second := makeBlock(1, hashOf(1, 0), hashOf(0, 0), largestWei).at(1_700_000_000_007)
	second.Findings = []evidence.Finding{{Check: "made-up", Block: 1, Extrinsic: chain.Some(1), Message: "nothing"}, {Check: "another", Block: 1, Message: "too"}}
	second.Unanswered = []evidence.FailedRequest{{About: "multiplier", At: 1, Why: "it was late"}}
	x := second.Report.Transactions[0].Transaction
	x.To, x.EVMHash, x.Tip, x.GasPrice = chain.Optional[chain.Address]{}, chain.Some(chain.Hash{31: 9}), chain.Some(chain.NewWei(5)), chain.Some(chain.NewGasPrice(7))
	x.Payer = chain.Some(chain.Address20([20]byte{19: 0xbb}))
	third := makeBlock(2, hashOf(2, 0), hashOf(1, 0), "1000000000000000000").at(1_709_164_800_000) // 2024-02-29
	fourth := makeBlock(3, hashOf(3, 0), hashOf(2, 0), "1").at(1_709_164_800_000)
	fourth.unpaid()
	fourth.Report.Finalized = chain.Some(false)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		acts := recordActs(t, written(t, place, madeUpChain, []*ledger.Entry{first.entry(t), second.entry(t), third.entry(t), fourth.entry(t)}))
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
			{"0", "1970-01-01T00:00:00Z", "true"}, {"1", "2023-11-14T22:13:20.007Z", "true"},
			{"2", "2024-02-29T00:00:00Z", "true"}, {"3", "2024-02-29T00:00:00Z", "false"},
		}, cells("book_blocks", "height", "time", "final"))
		require.Equal(t, []string{fmt.Sprint(hashOf(1, 0)), fmt.Sprint(hashOf(0, 0))}, cells("book_blocks", "hash", "parent_hash")[1])
		const nobody, contract = "0x0000000000000000000000000000000000000000", "0x0100000000000000000000000000000000000000"
		require.Equal(t, [][]string{
			{"0", "1", "1970-01-01T00:00:00Z", "evm", "legacy", "ethereum.transact", nobody, contract, nobody, "null", "21000", "1", "0.000000000000000001", "null", "false", "reverted", "null", "null", "true"},
			{"1", "1", "2023-11-14T22:13:20.007Z", "evm", "legacy", "ethereum.transact", nobody[:41] + "1", "null", nobody[:40] + "bb", "7", "21000", largestWei, "340282366920938463463.374607431768211455", "5", "true", "succeeded", "null", "null", "true"},
			{"2", "1", "2024-02-29T00:00:00Z", "evm", "legacy", "ethereum.transact", nobody[:41] + "2", contract[:41] + "2", nobody[:41] + "2", "null", "21000", "1000000000000000000", "1.000000000000000000", "null", "true", "succeeded", "null", "null", "true"},
			{"3", "1", "2024-02-29T00:00:00Z", "evm", "legacy", "ethereum.transact", nobody[:41] + "3", contract, "null", "null", "21000", "null", "null", "null", "true", "succeeded", "null", "null", "false"},
		}, cells("book_transactions", "height", "extrinsic", "time", "layer", "type", "call", "sender", "recipient", "payer", "gas_price", "gas", "fee", "fee_token", "tip", "success", "outcome", "charged", "verdict", "final"))
		require.Equal(t, []string{fmt.Sprint(first.Report.Transactions[0].Hash)}, cells("book_transactions", "hash")[0])
		require.Equal(t, []string{fmt.Sprint(chain.Hash{31: 9})}, cells("book_transactions", "hash")[1], "the EVM's")
		require.Equal(t, [][]string{{"1", "another", "null", "too"}, {"1", "made-up", "1", "nothing"}}, cells("book_findings", "height", "check_id", "extrinsic", "message"))
		require.Equal(t, [][]string{{"1", "multiplier", "1", "it was late"}}, cells("book_unanswered", "height", "about", "at", "why"))
		require.Equal(t, [][]string{
			{"1970-01-01", "1", "1", "1", "0.000000000000000001"},
			{"2023-11-14", "1", "0", largestWei, "340282366920938463463.374607431768211455"},
			{"2024-02-29", "1", "0", "1000000000000000000", "1.000000000000000000"},
		}, cells("book_days", "day", "blocks", "evm_failed", "evm_fee", "evm_fee_token"))
		require.Equal(t, [][]string{{"1970-01", "1"}, {"2023-11", largestWei}, {"2024-02", "1000000000000000000"}}, cells("book_months", "month", "fee"))
		require.Equal(t, [][]string{
			{"day", "1970-01-01", "0", "0", "1"}, {"day", "2023-11-14", "1", "1", "1"}, {"day", "2024-02-29", "2", "2", "1"},
			{"month", "1970-01", "0", "0", "1"}, {"month", "2023-11", "1", "1", "1"}, {"month", "2024-02", "2", "2", "1"},
		}, cells("book_seals", "unit", "name", "first", "last", "blocks"))
		require.Equal(t, [][]string{{"0", "1", fmt.Sprint(trusted.Height), fmt.Sprint(trusted.Hash)}}, cells("book_proved", "first", "last", "trusted_height", "trusted_hash"))
		trail := cells("book_trail", "number", "time", "actor", "act", "period", "zone", "manifest", "comment", "account", "entry_before", "entry_after")
		require.Len(t, trail, len(acts))
		require.Equal(t, []string{"1", "2026-02-03T08:30:00.123Z", "anna", "prepared", "2026-01", "UTC", "0x01" + strings.Repeat("0", 62), "the first", "", "", ""}, trail[0])
	})
}
