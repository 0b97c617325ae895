package reconcile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/reconcile"
)

// Several records are compared together, each as it is read: what one lacks, another may have, and a fee in two of them is
// deducted twice. Acceptances hold for the record that they name.
func TestSeveralRecords(t *testing.T) {
	list := allSent(t, "moonbeam-2100")[:3]
	o := reconcile.Options{Symbol: "GLMR", Accounts: payers(t, list), RowsOnly: true}
	compare := func(texts map[string]string, accepted ...reconcile.Acceptance) *reconcile.Result {
		var records []reconcile.Record
		var files []reconcile.NamedFile
		for _, name := range []string{"a.csv", "b.csv"} {
			f, err := reconcile.ReadFile(t.Context(), strings.NewReader(texts[name]), o)
			require.NoError(t, err)
			t.Cleanup(func() { f.Close() })
			asked := o
			asked.Accepted = accepted
			records = append(records, reconcile.Record{Name: name, Rows: f.Rows.All(), Options: f.Matching(asked)})
			files = append(files, reconcile.NamedFile{Name: name, File: f})
		}
		r, err := reconcile.MatchAll(t.Context(), book(t, "moonbeam-2100"), records)
		require.NoError(t, err)
		t.Cleanup(func() { r.Close() })
		r.Files = files
		return r
	}
	wei := weiGrid(list[:2]).csv(',')
	inToken := grid{{"Tx Hash", "Fee (GLMR)"}, {list[2].hash(), list[2].token()}}.csv(';')
	r := compare(map[string]string{"a.csv": wei, "b.csv": inToken})
	require.Equal(t, map[reconcile.Outcome]int{reconcile.Matched: 3}, counts(r))
	require.Equal(t, total(list), r.Total.Books.String())

	again := grid{{"Tx Hash", "Fee (GLMR)"}, {list[0].hash(), list[0].token()}}.csv(';')
	r = compare(map[string]string{"a.csv": wei, "b.csv": again})
	require.Equal(t, map[reconcile.Outcome]int{reconcile.Matched: 2, reconcile.Duplicate: 1}, counts(r))
	second := items(t, r)[2]
	require.Equal(t, []string{"line 2 of a.csv names the same transaction"}, second.Notes)
	var whole strings.Builder
	accepted := []reconcile.Acceptance{{Difference: second.Digest(), By: "anna", Time: "2026-02-03", Comment: "corrected in February"}}
	r = compare(map[string]string{"a.csv": wei, "b.csv": again}, accepted...)
	require.Equal(t, "2 match, 1 accepted, 0 open; completeness not checked", r.Headline())
	require.True(t, r.Agrees())
	require.NoError(t, r.WriteJSON(&whole, true))
	require.Contains(t, whole.String(), `"file": "b.csv"`)
	require.Contains(t, whole.String(), `"record_2_file": "b.csv"`)
	in, err := reconcile.AcceptedIn(strings.NewReader(whole.String()))
	require.NoError(t, err)
	require.Equal(t, accepted, in)
	require.Error(t, r.WriteFixed(t.Context(), &whole, strings.NewReader(wei)))
	require.Len(t, compare(map[string]string{"a.csv": again, "b.csv": wei}, accepted...).Unfit, 1, "of another record")
}
