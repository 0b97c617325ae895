package reconcile_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
)

// wrongRecord is a record with a correct row, one that is cut after 8 decimals, one of another payer and one that is
// nowhere, which lacks a fee. It returns the transactions too.
func wrongRecord(t testing.TB) (rows [][]string, mine []*sent, o reconcile.Options) {
	t.Helper()
	all := allSent(t, "moonbeam-2100")
	for _, s := range all {
		if s.From == all[1].From && len(mine) < 4 {
			mine = append(mine, s)
		}
	}
	require.Len(t, mine, 4)
	for i, charged := range []string{"2960000012345678", "2987654321012345678"} { // as compared reads them
		own := *mine[i]
		own.Charged, mine[i] = charged, &own
	}
	cut := mine[1].token()[:len("2.98765432")]
	rows = [][]string{
		{"Tx Hash", "Fee (GLMR)", "Payer"},
		{mine[0].hash(), mine[0].token(), mine[0].From},
		{mine[1].hash(), cut, mine[1].From},
		{mine[2].hash(), mine[2].token(), "0x" + strings.Repeat("12", 20)},
		{"0x" + strings.Repeat("ab", 32), "0.001", ""},
	}
	return rows, mine, reconcile.Options{Symbol: "GLMR", Accounts: payers(t, mine[:1]), Period: heights(mine[0].Height, mine[3].Height)}
}

func compared(t testing.TB, rows [][]string, o reconcile.Options) *reconcile.Result {
	t.Helper()
	_, mine, _ := wrongRecord(t)
	return match(t, chargingAll(t, mine[:2]), read(t, grid(rows).csv(','), o), o)
}

// chargingAll is a ledger in which transactions were charged other amounts.
func chargingAll(t testing.TB, list []*sent) reconcile.Book {
	return &changed{book(t, "moonbeam-2100"), func(x *ledger.Transaction) {
		for _, s := range list {
			if x.Hash.String() == s.XtHash {
				x.Charged = chain.Some(wei(t, s.Charged))
				x.Fee = x.Charged
			}
		}
	}}
}

// digests returns the digests of the differences with an outcome.
func digests(t testing.TB, r *reconcile.Result, outcomes ...reconcile.Outcome) (list []ledger.Digest) {
	t.Helper()
	for _, o := range outcomes {
		for _, i := range items(t, r) {
			if i.Outcome == o {
				list = append(list, i.Digest())
			}
		}
	}
	return list
}

// by accepts differences.
func by(name string, act uint64, list ...ledger.Digest) (accepted []reconcile.Acceptance) {
	for _, d := range list {
		accepted = append(accepted, reconcile.Acceptance{Difference: d, By: name, Time: "2026-02-03", Comment: "immaterial", Act: act})
	}
	return accepted
}

// Differences are grouped by what to do about them. A difference is identified by the documented texts.
func TestGroups(t *testing.T) {
	rows, mine, o := wrongRecord(t)
	r := compared(t, rows, o)
	type group struct {
		kind         reconcile.Kind
		title        string
		count, total int
	}
	var have []group
	total := 0
	for i := range r.Groups {
		g := &r.Groups[i]
		require.NotEmpty(t, g.Remedy())
		in := 0
		for _, i := range items(t, r) {
			if g.In(&i) {
				in++
			}
		}
		have, total = append(have, group{g.Kind, g.Title(), g.Count, in}), total+g.Count
	}
	lacking := r.Apart() - 3
	require.Positive(t, lacking)
	require.Equal(t, []group{
		{reconcile.CutOff, "Cut after 8 decimals", 1, 1}, {"payer_differs", "Payer differs", 1, 1},
		{"only_in_books", "Only in books", 1, 1}, {"only_on_chain", "Only on chain", lacking, lacking},
	}, have)
	require.Equal(t, r.Apart(), total)

	cut := items(t, r)[1]
	books := strings.TrimLeft(strings.Replace(rows[2][1], ".", "", 1)+"0000000000", "0")
	text := strings.Join([]string{"amount_differs", "3", mine[1].place(), mine[1].XtHash, mine[1].From, "", mine[1].hash(), mine[1].From, books, mine[1].Charged}, "\n")
	require.Equal(t, ledger.Digest(sha256.Sum256([]byte(text))), cut.Digest())
	require.Equal(t, ledger.Digest(sha256.Sum256([]byte("only_in_books\n5\n\n\n\n\n"+rows[4][0]+"\n\n1000000000000000\n"))), items(t, r)[3].Digest())

	var out bytes.Buffer
	require.NoError(t, r.WriteTable(&out, false, 100))
	require.Contains(t, out.String(), "What to do\n\nCut after 8 decimals (1): The rest of the amount is missing. Accept, or export your record with\n  all decimals.\n")

	// Cut after other decimals too; not cut, but wrong.
	rows[1][1] = mine[0].token()[:len("0.000000000000")]
	r = compared(t, rows, o)
	require.Equal(t, "Cut after 8 to 12 decimals", r.Groups[0].Title())
	for _, wrong := range []string{"0.00000001", "0.1", "2.98765433", "2.987654", "2.987654321012345679"} {
		rows[2][1] = wrong
		require.Equal(t, map[reconcile.Outcome]int{"amount_differs": 2, "payer_differs": 1, "only_in_books": 1, "only_on_chain": lacking}, counts(compared(t, rows, o)))
		require.Equal(t, reconcile.Kind("amount_differs"), compared(t, rows, o).Groups[1].Kind, wrong)
	}
}

// An accepted difference stays a difference with its amounts, in each form of the result.
func TestAccepted(t *testing.T) {
	rows, _, o := wrongRecord(t)
	plain := compared(t, rows, o)
	o.Accepted = append(by("anna", 7, digests(t, plain, reconcile.AmountDiffers)...), by("bob", 0, digests(t, plain, reconcile.OnlyOnChain)[0])...)
	r := compared(t, rows, o)
	require.Equal(t, 2, r.Accepted())
	require.Empty(t, r.Unfit)
	require.Equal(t, plain.Apart(), r.Apart())
	require.Equal(t, plain.Sums, r.Sums)
	require.Equal(t, plain.Total, r.Total)
	require.False(t, r.Agrees())
	require.Equal(t, fmt.Sprintf("%d match, 2 accepted, %d open", plain.Compared()-plain.Apart(), plain.Apart()-2), r.Headline())
	require.Equal(t, []int{1, 0, 0, 1}, []int{r.Groups[0].Accepted, r.Groups[1].Accepted, r.Groups[2].Accepted, r.Groups[3].Accepted})

	var whole, text, list, details bytes.Buffer
	require.NoError(t, r.WriteJSON(&whole, true))
	require.Contains(t, whole.String(), `"accepted": 2,`)
	in, err := reconcile.AcceptedIn(&whole)
	require.NoError(t, err)
	require.Equal(t, o.Accepted, in, "the digests are computed from the JSON alone")
	require.NoError(t, r.WriteTable(&text, false, 200))
	require.Contains(t, text.String(), "accepted by anna, 2026-02-03: immaterial")
	require.Contains(t, text.String(), "Cut after 8 decimals (1, 1 accepted): ")
	require.NoError(t, r.WriteDifferences(&list, true))
	read, err := reconcile.ReadAccepted(list.Bytes())
	require.NoError(t, err)
	require.Len(t, read, 2)
	require.Equal(t, []string{"cut_off", "3", "7"}, []string{read[0].Kind, read[0].Record, fmt.Sprint(read[0].Act)})
	require.Equal(t, []string{"only_on_chain", ""}, []string{read[1].Kind, read[1].Record})
	for _, s := range allSent(t, "moonbeam-2100") {
		if s.place() == read[1].ID {
			wei, err := chain.ParseSignedWei("-" + s.Charged)
			require.NoError(t, err)
			require.Equal(t, chain.Some(wei), read[1].Amount)
		}
	}
	unstated, err := reconcile.ReadAccepted(regexp.MustCompile(`,-[0-9]+,`).ReplaceAll(list.Bytes(), []byte(",about 5,")))
	require.NoError(t, err, "amounts are for the reader")
	require.False(t, unstated[1].Amount.Known())
	for i, a := range reconcile.Acceptances(read) {
		a.Line = 0
		require.Equal(t, o.Accepted[i], a)
	}
	columns := r.Details(false).Columns
	require.Equal(t, "accepted_comment", columns[len(columns)-1].Name)
	for row, err := range r.Details(false).Rows {
		require.NoError(t, err)
		require.Len(t, row, len(columns))
		fmt.Fprintln(&details, row[0], row[len(row)-3], row[len(row)-1])
	}
	require.Contains(t, details.String(), "amount_differs anna immaterial\npayer_differs <nil> <nil>\n")

	// Filled in by a person, with another separator and other lines.
	list.Reset()
	require.NoError(t, plain.WriteDifferences(&list, false))
	table, err := csv.NewReader(&list).ReadAll()
	require.NoError(t, err)
	require.Len(t, table, plain.Apart()+1)
	table[2][7], table[2][8], table[2][9] = "Carol", "2026-02-03T10:00:00+01:00", "paid for us"
	read, err = reconcile.ReadAccepted([]byte("\ufeff" + grid(table).csv(';')))
	require.NoError(t, err)
	require.Len(t, read, 1)
	o.Accepted = reconcile.Acceptances(read)
	require.Equal(t, 1, compared(t, rows, o).Accepted())
	require.Equal(t, 1, compared(t, rows, o).Groups[1].Accepted)
}

// An acceptance does not cover a difference that is new or changed in any part, and one act holds together or not at all.
func TestChangedDifferencesAreNotAccepted(t *testing.T) {
	rows, mine, o := wrongRecord(t)
	differing := []reconcile.Outcome{reconcile.AmountDiffers, reconcile.PayerDiffers, reconcile.OnlyInBooks, reconcile.OnlyOnChain}
	all := digests(t, compared(t, rows, o), differing...)
	accepting := func(rows [][]string, act uint64) *reconcile.Result {
		of := o
		of.Accepted = by("anna", act, all...)
		r := compared(t, rows, of)
		require.Equal(t, len(all), r.Accepted()+len(r.Unfit))
		return r
	}
	require.Empty(t, accepting(rows, 3).Unfit)
	for name, change := range map[string]func(rows [][]string) [][]string{
		"the amount in the books": func(rows [][]string) [][]string { rows[2][1] += "000000001"; return rows },
		"the account":             func(rows [][]string) [][]string { rows[3][2] = "0x" + strings.Repeat("13", 20); return rows },
		"the hash":                func(rows [][]string) [][]string { rows[4][0] = "0x" + strings.Repeat("ac", 32); return rows },
		"the line":                func(rows [][]string) [][]string { return append(rows[:4], []string{mine[0].hash(), "0", ""}, rows[4]) },
		"another transaction":     func(rows [][]string) [][]string { rows[2][0] = mine[3].hash(); return rows },
	} {
		copied := make([][]string, len(rows))
		for i := range rows {
			copied[i] = append([]string{}, rows[i]...)
		}
		changed := change(copied)
		r := accepting(changed, 0)
		require.NotEmpty(t, r.Unfit, name)
		require.NotContains(t, r.Headline(), fmt.Sprint(len(all), " of them"), name)
		require.Zero(t, accepting(changed, 3).Accepted(), name)
	}

	// The chain's side.
	more, err := wei(t, mine[1].Charged).Add(chain.NewWei(1))
	require.NoError(t, err)
	of := o
	of.Accepted = by("anna", 0, all...)
	mine[1].Charged = more.String()
	r := match(t, chargingAll(t, mine[:2]), read(t, grid(rows).csv(','), of), of)
	require.Len(t, r.Unfit, 1)
	require.Equal(t, all[0], r.Unfit[0].Difference)

	two, one := digests(t, r, reconcile.OnlyInBooks, reconcile.PayerDiffers), digests(t, r, reconcile.PayerDiffers, reconcile.OnlyInBooks)
	require.NotEqual(t, two, one)
	require.Equal(t, reconcile.ActDigest(two), reconcile.ActDigest(one))
	require.NotEqual(t, reconcile.ActDigest(two), reconcile.ActDigest(two[:1]))
}

// What is not an acceptance is an error with its line; so is a result that is not one.
func TestUnreadableAcceptances(t *testing.T) {
	head, digest := "difference,by,time,comment,act\n", strings.Repeat("ab", 32)
	for line, want := range map[string]string{
		digest + ",anna,2026-02-03,": "line 2: comment", digest + ",,2026-02-03,x": "line 2: by", digest + ",anna,3.2.2026,x": `line 2: time: "3.2.2026"`,
		digest + ",=anna,2026-02-03,x": "line 2: by", digest + ",anna,2026-02-03,=1+1": "line 2: comment", digest + ",anna,2026-02-03,\"a\nb\"": "line 2: comment",
		digest + ",anna,2026-02-03,a\u202eb": "line 2: comment", digest + ",anna,2026-02-03," + strings.Repeat("x", 1001): "line 2: comment",
		digest + "," + strings.Repeat("x", 257) + ",2026-02-03,x": "line 2: by", "12,anna,2026-02-03,x": "line 2: difference", digest + ",anna,2026-02-03,x,0": "line 2: act", digest + ",anna,2026-02-03,x,-1": "line 2: act",
		digest + ",anna,2026-02-03,x\n" + digest + ",bob,2026-02-03,y": "line 3: line 2 accepts the same difference", "\"": "line 2", "\xff": "not UTF-8",
	} {
		_, err := reconcile.ReadAccepted([]byte(head + line + "\n"))
		require.ErrorContains(t, err, want, line)
	}
	for _, text := range []string{"", "difference,by,time\n", "x\n"} {
		_, err := reconcile.ReadAccepted([]byte(text))
		require.ErrorContains(t, err, "the first line must name the columns", text)
	}
	none, err := reconcile.ReadAccepted([]byte(head + digest + ",,,\n"))
	require.NoError(t, err)
	require.Empty(t, none)
	_, err = reconcile.ReadAccepted([]byte(head + strings.Repeat("x", 0) + many()))
	require.ErrorContains(t, err, "more than 100000 differences are accepted")

	accepted := `{"outcome": "%s", "line": 1, "accepted": {"by": "anna", "time": "2026-02-03", "comment": "x"}}`
	for text, want := range map[string]string{
		"": "as fees writes it", "[]": "as fees writes it", `{"details": 5}`: "no details", `{"x": {"details": []}}`: "as fees writes it", `{"details": [5]}`: "as fees writes it",
		`{"details": [` + fmt.Sprintf(accepted, "matched") + `]}`: "accepts what is not a difference",
	} {
		_, err := reconcile.AcceptedIn(strings.NewReader(text))
		require.ErrorContains(t, err, want, text)
	}
	list, err := reconcile.AcceptedIn(strings.NewReader(`{"notes": ["x"], "details": [` + fmt.Sprintf(accepted, "duplicate") + `, {"outcome": "matched"}]}`))
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.True(t, json.Valid([]byte(fmt.Sprintf(accepted, ""))))
}

// many is more acceptances than a comparison takes.
func many() string {
	var text strings.Builder
	for i := range reconcile.MaxAccepted + 1 {
		fmt.Fprintf(&text, "%064x,anna,2026-02-03,x,\n", i)
	}
	return text.String()
}

// The counts of a written result are those of the result: what is only listed is not compared.
func TestCounts(t *testing.T) {
	rows, _, o := wrongRecord(t)
	rows = append(rows, []string{"", "0", ""}) // neither a fee nor a transaction
	r := compared(t, rows, o)
	lacking := counts(r)[reconcile.OnlyOnChain]
	require.Positive(t, lacking)
	require.Equal(t, map[reconcile.Outcome]int{reconcile.Matched: 1, reconcile.AmountDiffers: 1, reconcile.PayerDiffers: 1, reconcile.OnlyInBooks: 1, reconcile.LeftOut: 1, reconcile.OnlyOnChain: lacking}, counts(r))
	for _, all := range []bool{true, false} {
		var text bytes.Buffer
		require.NoError(t, r.WriteJSON(&text, all))
		c, err := reconcile.CountsIn(&text)
		require.NoError(t, err)
		require.Equal(t, reconcile.Counts{Compared: 4 + lacking, Agreeing: 1}, c)
	}
	for text, want := range map[string]string{
		"": "EOF", `{"title": `: "EOF", `{"title" x`: "expected colon", `{"title": x}`: "invalid character", `{"summary": 5}`: "cannot unmarshal", "[]": "it has no summary", `{"details": []}`: "it has no summary",
	} {
		_, err := reconcile.CountsIn(strings.NewReader(text))
		require.ErrorContains(t, err, want, text)
	}

	// The table of what was found lists each of these outcomes, and the total.
	var found []string
	for row, err := range r.Found().Rows {
		require.NoError(t, err)
		found = append(found, fmt.Sprint(row[0], " ", row[1]))
	}
	require.Equal(t, []string{"matched 1", "amount_differs 1", "payer_differs 1", "only_in_books 1", fmt.Sprint("only_on_chain ", lacking), "left_out 1", fmt.Sprint("total ", 5+lacking)}, found)
}

// An accepted total is another difference if the sum above it changes. The JSON identifies it too.
func TestAcceptedTotals(t *testing.T) {
	list := allSent(t, "moonbeam-2100")[:2]
	o := reconcile.Options{Symbol: "GLMR", Accounts: payers(t, list), RowsOnly: true}
	comparing := func(second string, accepted ...reconcile.Acceptance) *reconcile.Result {
		text := grid{{"Tx Hash", "fee_wei"}, {list[0].hash(), list[0].Charged}, {list[1].hash(), second}, {"Total", "7"}}.csv(',')
		asked := o
		asked.Accepted = accepted
		return match(t, book(t, "moonbeam-2100"), read(t, text, o), asked)
	}
	difference := func(sum string) ledger.Digest {
		return sha256.Sum256([]byte("total_differs\n4\n\n\n\n\n\n\n" + sum + "\n"))
	}
	differences := digests(t, comparing(list[1].Charged), reconcile.TotalDiffers)
	require.Equal(t, []ledger.Digest{difference("-" + minus(total(list), "7"))}, differences)
	accepted := by("anna", 0, differences...)
	r := comparing(list[1].Charged, accepted...)
	require.Empty(t, r.Unfit)
	require.True(t, r.Agrees())
	require.True(t, r.Accepts(differences[0]))
	require.False(t, r.Accepts(difference("1")))
	var text bytes.Buffer
	require.NoError(t, r.WriteJSON(&text, false))
	in, err := reconcile.AcceptedIn(&text)
	require.NoError(t, err)
	require.Equal(t, accepted, in)
	require.Len(t, comparing("1", accepted...).Unfit, 1)
}
