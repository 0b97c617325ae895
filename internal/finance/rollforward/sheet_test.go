package rollforward_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/table"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with a file, or rewrites it.
func golden(t *testing.T, name, have string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o777))
		require.NoError(t, os.WriteFile(path, []byte(have), 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), have)
}

// row is a movement inserted into a recording by SQL.
func row(height, position int, where movement.Where, event string, kind movement.Kind, account chain.Address, counterparty, amount, free, reserved string) string {
	return fmt.Sprintf("INSERT INTO movements (height, position, place, event_index, event, kind, account, counterparty, amount, free, reserved) VALUES (%d, %d, %d, 0, '%s', '%s', x'%x', %s, %s, %s, %s)",
		height, position, where, event, kind, account.Bytes(), counterparty, amount, free, reserved)
}

// shown is the rollforward of two periods and five accounts. Two accounts are generated: one event does not state its
// change, a balance was set, and one wei is missing.
func shown(t *testing.T) (*rollforward.Rollforward, *rollforward.Style) {
	const name = "moonbeam-2100"
	all := accountsOf(t, name)
	accounts := emptyBook()
	for i, e := range all.Entries()[:3] {
		e.Group = []string{"trading", "trading", ""}[i]
		require.NoError(t, accounts.Add(e))
	}
	require.NoError(t, accounts.Add(addressbook.Entry{Address: who, Label: "=HYPERLINK(\"http://x\")\u202e"}))
	require.NoError(t, accounts.Add(addressbook.Entry{Address: someone, Group: "trading"}))
	book := recorded(t, name,
		row(8, 9000, movement.OnInitialize, "balances.Deposit", movement.KindDeposit, who, "NULL", "40", "40", "0"),
		row(9, 9000, movement.OnFinalize, "balances.Slashed", movement.KindSlash, who, "NULL", "5", "NULL", "NULL"),
		row(20, 9000, movement.OnInitialize, "balances.BalanceSet", movement.KindFreeSet, who, "NULL", "5", "NULL", "0"),
		row(21, 9000, movement.OnInitialize, "balances.Slashed", movement.KindSlash, who, "NULL", "3", "NULL", "NULL"),
		row(21, 9001, movement.OnInitialize, "balances.TransferOnHold", movement.KindTransferIn, who, fmt.Sprintf("x'%x'", relay.Bytes()), "2", "NULL", "NULL"),
		row(22, 9000, movement.OnFinalize, "balances.Unheard", movement.KindDeposit, who, "NULL", "1", "1", "0"),
	)
	have := recordedBalances(t, name)
	have[who] = map[uint64]chain.Balance{}
	have[someone] = map[uint64]chain.Balance{}
	for h := range uint64(28) {
		b := chain.Balance{Free: chain.NewWei(10), Reserved: chain.NewWei(7)}
		if h >= 8 {
			b.Free = chain.NewWei(50)
		}
		if h >= 9 {
			b = chain.Balance{Free: chain.NewWei(47), Reserved: chain.NewWei(5)}
		}
		if h >= 20 {
			b.Free = chain.NewWei(5)
		}
		if h >= 21 {
			b.Free = chain.NewWei(4) // slashed by 3 and given 2
		}
		if h >= 22 {
			b.Free = chain.NewWei(5)
		}
		have[who][h] = b
		have[someone][h] = chain.Balance{Free: chain.NewWei(h / 25)} // 1 wei from nowhere
	}
	r := made(t, book, rollforward.Request{
		Periods:  []rollforward.Period{{Name: "2026-01", Span: chain.Heights{First: 0, Last: 14}}, {Name: "2026-02", Span: chain.Heights{First: 15, Last: 27}}},
		Accounts: accounts, Balances: have, Classifier: rollforward.Classifier{Treasury: chain.Some(treasurer)},
	})
	zone, err := time.LoadLocation("Asia/Tokyo")
	require.NoError(t, err)
	var labels addressbook.Book
	require.NoError(t, labels.Add(addressbook.Entry{Address: relay, Label: "relay chain"}))
	return r, &rollforward.Style{Network: "moonbeam", Token: console.Token{Symbol: "GLMR"}, Title: "Rollforward", Labels: &labels, Notes: []string{"Known part: not all of it"}, Zone: zone, Evidence: evidence.Recorded(28)}
}

// The contents of each format. The figures of the generated accounts are those in the comments above; TestRecordings
// verifies the others.
func TestForms(t *testing.T) {
	r, y := shown(t)
	ctx := t.Context()
	require.False(t, r.Holds(), "1 wei is from nowhere")
	for _, name := range []string{who.String(), "all accounts"} {
		c := columnOf(t, r, "2026-01 to 2026-02", name)
		require.Equal(t, name == who.String(), c.Holds())
	}
	unexplained, _ := columnOf(t, r, "2026-02", someone.String()).Unexplained.Get()
	require.Equal(t, "1", unexplained.Free.String())
	unexplained, _ = columnOf(t, r, "2026-02", "group trading").Unexplained.Get()
	require.Equal(t, "1", unexplained.Free.String())

	first := columnOf(t, r, "2026-01", who.String())
	require.Equal(t, []string{"rewards staking-reward in 1 40 0", "other_out slash out 1 -3 -2"}, sumsOf(first))
	second := columnOf(t, r, "2026-02", who.String())
	require.Equal(t, []string{"other_out balance-set out 1 -42 0", "unclassified unclassified in 2 1 0", "unclassified unclassified out 1 -1 0"}, sumsOf(second))

	for name, write := range map[string]func(*bytes.Buffer) error{
		"rollforward.txt":   func(w *bytes.Buffer) error { return y.WriteTable(w, r, 100) },
		"rollforward.csv":   func(w *bytes.Buffer) error { return table.WriteCSV(w, y.Lines(r)) },
		"rollforward.json":  func(w *bytes.Buffer) error { return y.WriteJSON(w, r) },
		"summary.csv":       func(w *bytes.Buffer) error { return table.WriteCSV(w, y.Summary(r)) },
		"movements.csv":     func(w *bytes.Buffer) error { return table.WriteCSV(w, y.Movements(ctx, r, rollforward.All)) },
		"rewards.txt":       func(w *bytes.Buffer) error { return y.WriteBrief(ctx, w, r, selection(t, "rewards"), 100) },
		"unclassified.json": func(w *bytes.Buffer) error { return y.WriteMovementsJSON(ctx, w, r, selection(t, "unclassified")) },
		"internal.csv":      func(w *bytes.Buffer) error { return table.WriteCSV(w, y.Movements(ctx, r, selection(t, "internal"))) },
	} {
		var out bytes.Buffer
		require.NoError(t, write(&out), name)
		golden(t, name, out.String())
	}
	var out bytes.Buffer
	require.NoError(t, table.WriteXLSX(&out, y.Sheets(ctx, r)...))
	f, err := excelize.OpenReader(&out)
	require.NoError(t, err)
	require.Equal(t, []string{"summary", "rollforward", "movements"}, f.GetSheetList())
}

func selection(t *testing.T, name string) rollforward.Selection {
	t.Helper()
	s, err := rollforward.ParseSelection(name)
	require.NoError(t, err)
	return s
}

func sumsOf(c *rollforward.Column) (list []string) {
	for _, s := range c.Sums {
		list = append(list, fmt.Sprint(s.Line, " ", s.Class, " ", s.Direction, " ", s.Count, " ", textOf(s.Free), " ", textOf(s.Reserved)))
	}
	return list
}

// The movements that --list shows for a line add up to the sums of the accounts' columns.
func TestListsAreTheLines(t *testing.T) {
	r, y := shown(t)
	for _, name := range rollforward.Selections() {
		var out bytes.Buffer
		require.NoError(t, y.WriteMovementsJSON(t.Context(), &out, r, selection(t, name)))
		var have struct {
			Movements []struct{ Free, Line, Class, Internal, Remark *string }
		}
		require.NoError(t, json.Unmarshal(out.Bytes(), &have))
		sum, want := number(t, "0"), number(t, "0")
		for _, m := range have.Movements {
			if m.Free == nil { // inferred from balances, in a separate row
				require.Contains(t, *m.Remark, "in a separate row")
				continue
			}
			sum.Add(sum, number(t, *m.Free))
			require.True(t, name == "all" || *m.Line == name || *m.Class == name || name == "internal" && m.Internal != nil)
		}
		if name == "internal" {
			continue // it is of the columns of several accounts
		}
		for _, c := range r.Columns {
			for _, s := range c.Sums {
				if c.Scope == rollforward.OfAccount && !c.Whole && (name == "all" || name == string(s.Line) || name == string(s.Class)) {
					want.Add(want, number(t, textOf(s.Free)))
				}
			}
		}
		require.Equal(t, want.String(), sum.String(), name)
	}
	_, err := rollforward.ParseSelection("gains")
	require.ErrorContains(t, err, `"gains" is not valid; use one of all, received, rewards,`)
}

// Without balances, a change that no event states is in no sum, and affected sums are unknown.
func TestWithoutBalances(t *testing.T) {
	book := recorded(t, "moonbeam-2100",
		row(9, 9000, movement.OnFinalize, "balances.Slashed", movement.KindSlash, who, "NULL", "5", "NULL", "NULL"),
		row(10, 9000, movement.OnInitialize, "balances.Deposit", movement.KindDeposit, who, "NULL", "40", "40", "0"),
	)
	accounts := emptyBook()
	require.NoError(t, accounts.Add(entryOf(who)))
	r := made(t, book, rollforward.Request{Periods: []rollforward.Period{{Name: "a", Span: chain.Heights{First: 0, Last: 14}}, {Name: "b", Span: chain.Heights{First: 15, Last: 27}}}, Accounts: accounts})
	require.True(t, r.Holds())
	c := columnOf(t, r, "a to b", who.String())
	require.False(t, c.Opening.Known() || c.Closing.Known() || c.Unexplained.Known())
	require.Equal(t, []string{"rewards staking-reward in 1 40 0", "other_out slash out 1 not known not known"}, sumsOf(c))
	change, err := c.Change()
	require.NoError(t, err)
	require.False(t, change.Known())
	var out bytes.Buffer
	y := &rollforward.Style{}
	require.NoError(t, table.WriteCSV(&out, y.Summary(r)))
	require.NoError(t, table.WriteCSV(&out, y.Movements(t.Context(), r, rollforward.All)))
	require.Contains(t, out.String(), "change not stated by the event")

	_, err = rollforward.Make(t.Context(), book, rollforward.Request{Periods: []rollforward.Period{{Name: "a", Span: chain.Heights{First: 0, Last: 14}}, {Name: "b", Span: chain.Heights{First: 16, Last: 27}}}, Accounts: accounts})
	require.EqualError(t, err, "a ends with block 14, but b starts with block 16")
	_, err = rollforward.Make(t.Context(), book, rollforward.Request{Periods: []rollforward.Period{{Name: "a", Span: chain.Heights{First: 0, Last: 14}}}, Accounts: accounts, Balances: told{}})
	require.ErrorContains(t, err, "no balance of "+who.String())
}
