package reconcile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/reconcile"
)

// viewAndBook are the same form as a view and as a book.
func viewAndBook(t *testing.T) (view, book []*reconcile.Profile) {
	const form = `{"name": "own", "title": "own", "kind": %q, "headers": ["Ref", "Gas"], "unit": "wei", "columns": {"id": ["Ref"], "fee": ["Gas"], "account": ["Sender"]}, "decimals": 0}`
	parse := func(kind reconcile.RecordKind) []*reconcile.Profile {
		list, err := reconcile.ParseProfiles([]byte(fmt.Sprintf(form, kind)))
		require.NoError(t, err)
		return list
	}
	return parse(reconcile.View), parse(reconcile.Bookkeeping)
}

// comparedAs compares a text with the recording by a profile, for the sender of 25-4.
func comparedAs(t *testing.T, p []*reconcile.Profile, text string) *reconcile.Result {
	o := reconcile.Options{Symbol: "GLMR", Profiles: p, Accounts: payers(t, []*sent{senderOf(t, "25-4")}), RowsOnly: true}
	_, r := matched(t, text, o)
	return r
}

func senderOf(t *testing.T, place string) *sent {
	for _, s := range allSent(t, "moonbeam-2100") {
		if s.place() == place {
			return s
		}
	}
	require.Fail(t, "no such transaction", place)
	return nil
}

// A view repeats the fee of a transaction in lines that list different things; the same line twice is a duplicate. In a
// book, each is deducted. The fee of another sender is listed in a view; in a book, it is deducted.
func TestViewsAndBooks(t *testing.T) {
	view, records := viewAndBook(t)
	mine, fee := senderOf(t, "25-4"), "2100000000000000"
	type outcomes = map[reconcile.Outcome]int
	for _, c := range []struct {
		name           string
		rows           [][3]string // fee, sender, what is listed
		inView, inBook outcomes
	}{
		{"once", [][3]string{{fee, mine.From, "a"}}, outcomes{reconcile.Matched: 1}, outcomes{reconcile.Matched: 1}},
		{"other tokens", [][3]string{{fee, mine.From, "a"}, {fee, mine.From, "b"}, {fee, mine.From, "c"}}, outcomes{reconcile.Matched: 1, reconcile.Repeated: 2}, outcomes{reconcile.Matched: 1, reconcile.Duplicate: 2}},
		{"the same line", [][3]string{{fee, mine.From, "a"}, {fee, mine.From, "a"}}, outcomes{reconcile.Matched: 1, reconcile.Duplicate: 1}, outcomes{reconcile.Matched: 1, reconcile.Duplicate: 1}},
		{"a repeated line again", [][3]string{{fee, mine.From, "a"}, {fee, mine.From, "b"}, {fee, mine.From, "b"}}, outcomes{reconcile.Matched: 1, reconcile.Repeated: 1, reconcile.Duplicate: 1}, outcomes{reconcile.Matched: 1, reconcile.Duplicate: 2}},
		{"another fee", [][3]string{{fee, mine.From, "a"}, {"7", mine.From, "b"}}, outcomes{reconcile.Matched: 1, reconcile.Duplicate: 1}, outcomes{reconcile.Matched: 1, reconcile.Duplicate: 1}},
		{"shares", [][3]string{{"2000000000000000", mine.From, "a"}, {"100000000000000", mine.From, "b"}}, outcomes{reconcile.Matched: 2}, outcomes{reconcile.Matched: 2}},
	} {
		text := "Ref,Gas,Sender,Listed\n"
		books := "0"
		for _, row := range c.rows {
			text += "25-4," + strings.Join(row[:], ",") + "\n"
			books = plus(books, row[0])
		}
		for _, as := range []struct {
			kind []*reconcile.Profile
			want outcomes
		}{{view, c.inView}, {records, c.inBook}} {
			r := comparedAs(t, as.kind, text)
			require.Equal(t, as.want, counts(r), c.name)
			require.Equal(t, books, r.Total.Books.String(), c.name)
			onChain, _ := r.Total.Chain.Get()
			require.Equal(t, fee, onChain.String(), c.name)
		}
	}
	// Another account's transaction. In a view, its line is listed; its own sender decides, not what the line says.
	all := allSent(t, "moonbeam-2100")
	other := all[slices.IndexFunc(all, func(s *sent) bool { return s.From != mine.From && s.Charged != "0" })]
	text := fmt.Sprintf("Ref,Gas,Sender,Listed\n%s,%s,%s,a\n", other.place(), other.Charged, other.From)
	require.Equal(t, outcomes{reconcile.SentByAnother: 1}, counts(comparedAs(t, view, text)))
	require.Equal(t, outcomes{reconcile.PaidByAnother: 1}, counts(comparedAs(t, records, text)))
	text = fmt.Sprintf("Ref,Gas,Sender,Listed\n25-4,%s,%s,a\n", fee, other.From)
	require.Equal(t, outcomes{reconcile.PayerDiffers: 1}, counts(comparedAs(t, view, text)))
}

// Shares of a product that cuts fees add up to the fee within a unit of the last decimal each. A whole fee is not a share.
func TestCutShares(t *testing.T) {
	s := senderOf(t, "25-4")
	for _, c := range []struct {
		fees []string
		want map[reconcile.Outcome]int
	}{
		{[]string{"0.00105001", "0.00104998"}, map[reconcile.Outcome]int{reconcile.Matched: 1, reconcile.WithinRounding: 1}},
		{[]string{"0.0007", "0.0007", "0.0007"}, map[reconcile.Outcome]int{reconcile.Matched: 3}},
		{[]string{"0.00105002", "0.00105"}, map[reconcile.Outcome]int{reconcile.AmountDiffers: 1, reconcile.Duplicate: 1}},
		{[]string{"0.0021", "0.0021"}, map[reconcile.Outcome]int{reconcile.Matched: 1, reconcile.Duplicate: 1}},
		{[]string{"0.0021", "0.00000001"}, map[reconcile.Outcome]int{reconcile.Matched: 1, reconcile.Duplicate: 1}},
	} {
		text := "hash,fee (token)\n"
		for _, fee := range c.fees {
			text += s.hash() + "," + fee + "\n"
		}
		o := reconcile.Options{Symbol: "GLMR", RowsOnly: true, CutDecimals: 8}
		r := match(t, book(t, "moonbeam-2100"), read(t, text, o), o)
		require.Equal(t, c.want, counts(r), c.fees)
		onChain, _ := r.Total.Chain.Get()
		require.Equal(t, s.Charged, onChain.String(), "the shares of the charge add up to it")
	}
}
