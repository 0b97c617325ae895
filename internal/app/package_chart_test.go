package app_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/test/pdftest"
)

// feesBy are the fees of a report of a package, by the value of a column.
func feesBy(t testing.TB, dir, name, column string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	var r struct{ Groups []map[string]any }
	require.NoError(t, json.Unmarshal(text, &r))
	fees := map[string]string{}
	for _, g := range r.Groups {
		fees[g[column].(string)] = g["fee"].(string)
	}
	return fees
}

// A package with a chart of accounts and tags reports and books by them: the sums are those of what the senders were
// charged. It keeps both files, and is made again from them.
func TestPackageWithAChart(t *testing.T) {
	long(t)
	place := copied(t)
	d, q := opened(t, place), question(t)
	inputs := map[string]string{
		"chart.csv": "# suspense: 9999\nlayer,tag,account\n,Project X,6820\nevm,,6810\n",
		"tags.csv":  "25-4,Project X\n",
	}
	q.With, q.Proved, q.Names, q.Books, q.Balances = app.WithFees, false, "", app.BooksInput{}, nil
	q.Chart, q.Tags = write(t, "our chart.csv", inputs["chart.csv"]), write(t, "our tags.csv", inputs["tags.csv"])
	made := packed(t, d, q)
	require.True(t, made.Manifest.Options.Chart && made.Manifest.Options.Tags && made.Manifest.Options.About)

	mine := func(s sent) bool { return of(alith)(s) || of(baltathar)(s) }
	tagged := func(s sent) bool { return mine(s) && s.place() == "25-4" }
	project, _ := charges(t, tagged)
	evm, _ := charges(t, func(s sent) bool { return mine(s) && s.Family == "evm" && !tagged(s) })
	native, _ := charges(t, func(s sent) bool { return mine(s) && s.Family == "native" })
	untagged, _ := charges(t, func(s sent) bool { return mine(s) && !tagged(s) })
	require.Equal(t, map[string]string{"6820": project, "6810": evm, "9999": native}, feesBy(t, made.Dir, "account-codes.json", "account_code"))
	require.Equal(t, map[string]string{"Project X": project, "(no tag)": untagged}, feesBy(t, made.Dir, "tags.json", "tag"))
	journal, err := os.ReadFile(filepath.Join(made.Dir, "journal.hledger"))
	require.NoError(t, err)
	for _, account := range []string{"6820", "6810", "9999"} {
		require.Regexp(t, `(?m)^\s+\S*`+account+`\s`, string(journal))
	}

	// The statement has the hashes of the user's files, and what the manifest has.
	text, err := os.ReadFile(filepath.Join(made.Dir, "about.txt"))
	require.NoError(t, err)
	about := string(text)
	for name, content := range inputs {
		kept, err := os.ReadFile(filepath.Join(made.Dir, "inputs", name))
		require.NoError(t, err)
		require.Equal(t, content, string(kept))
		require.Regexp(t, fmt.Sprintf(`(?m)^input: %s +inputs/%s, SHA-256 %x$`, strings.TrimSuffix(name, ".csv"), regexp.QuoteMeta(name), sha256.Sum256([]byte(content))), about)
	}
	sum, count := charges(t, mine)
	for name, want := range map[string]string{
		"made by": "a test", "transactions": fmt.Sprint(count), "control total: fee": inTokens(t, sum), "control total: charged": inTokens(t, sum), "accounts": "2",
		"from": "2026-01-01T00:00:00Z", "up to, excluding": "2026-02-01T00:00:00Z", "seal of the blocks": made.Manifest.Blocks.Seal,
	} {
		require.Regexp(t, `(?m)^`+regexp.QuoteMeta(name)+` {2,}`+regexp.QuoteMeta(want)+`$`, about)
	}
	for _, option := range []string{"chart true", "tags true", "journal hledger", "with fees", "partial true"} {
		require.Regexp(t, `(?m)^parameter +`+option+`$`, about)
	}
	require.NotContains(t, about, q.Chart, "no path of the user's machine")

	// The cover has the fees, the findings, the accounts, and the checksum of each other file, and no parameters.
	cover, err := os.ReadFile(filepath.Join(made.Dir, "cover.pdf"))
	require.NoError(t, err)
	leaves, pages := pdftest.Parse(t, cover).Leaves()
	all := ""
	for _, l := range leaves {
		all += l.Text + "\n"
	}
	require.Contains(t, all, "\nfees charged, as in the report\n"+strings.TrimSuffix(strings.SplitN(inTokens(t, sum), "(", 2)[1], " GLMR)")+"\n")
	require.NotContains(t, all, "parameter")
	require.Contains(t, all, "Prepared by")
	for _, f := range made.Manifest.Files {
		if f.Name != "cover.pdf" && f.Name != "networks.json" {
			require.Contains(t, all, fmt.Sprintf("%s\n%d\n%s\n", f.Name, f.Size, f.SHA256))
		}
	}
	for what, count := range made.Manifest.Findings.Counts {
		require.Contains(t, all, fmt.Sprintf("%s\n%d\n", what, count))
	}
	for _, a := range made.Manifest.Accounts {
		require.Contains(t, all, a.Address+"\n")
	}
	for _, page := range pages {
		require.Contains(t, page, "seal "+made.Manifest.Blocks.Seal)
		require.Contains(t, page, "January 2026, UTC, blocks ")
	}

	require.NoError(t, os.Remove(q.Chart))
	require.NoError(t, os.Remove(q.Tags))
	o := q.PackageOptions
	o.Program = "a later test"
	c := checked(t, q.Dir, place, o)
	require.Empty(t, c.Damage)
	require.Empty(t, c.Differences, "about.txt names the program that made the package")
	require.Equal(t, []string{"made by a test, checked by a later test"}, c.Notes)

	// Another chart is another package, and a chart that was altered gives other files.
	reseal(t, q.Dir, func(name string, text []byte) []byte {
		if name == "inputs/chart.csv" {
			return []byte(strings.Replace(string(text), "6810", "6811", 1))
		}
		return text
	}, nil)
	differ := strings.Join(checked(t, q.Dir, place, o).Differences, "\n")
	for _, name := range []string{"account-codes.json", "account-codes.csv", "account-codes.xlsx", "journal.hledger", "about.txt", "cover.pdf"} {
		require.Contains(t, differ, name+" differs from the file made from the ledger")
	}
	require.NotContains(t, differ, "tags.")

	// Files that cannot be read fail before anything is written.
	for field, change := range map[app.Field]func(*app.PackageRequest){
		app.FieldChart: func(q *app.PackageRequest) { q.Chart, q.Tags = filepath.Join(t.TempDir(), "none.csv"), "" },
		app.FieldTags:  func(q *app.PackageRequest) { q.Chart, q.Tags = "", write(t, "bad.csv", "=,\n") },
	} {
		q := q
		q.Dir = filepath.Join(t.TempDir(), "none")
		change(&q)
		_, err := d.MakePackage(t.Context(), q)
		require.ErrorContains(t, err, string(field))
		require.Equal(t, failure.NotUnderstood, app.KindOf(err))
		require.NoDirExists(t, q.Dir)
	}
}

// Two tags of one transaction end a package and its check, since neither tag is preferred.
func TestPackageWithTwoTags(t *testing.T) {
	long(t)
	place := copied(t)
	d, q := opened(t, place), question(t)
	q.With, q.Proved, q.Names, q.Books, q.Balances = app.WithFees, false, "", app.BooksInput{}, nil
	var hash string
	for _, s := range allSent(t) {
		if s.place() == "25-4" {
			hash = s.Hash
		}
	}
	const twice = `transaction 25-4 has the tag "A" on line 1, and "B" on line 2`
	q.Tags = write(t, "tags.csv", "25-4,A\n"+hash+",B\n")
	_, err := d.MakePackage(t.Context(), q)
	require.ErrorContains(t, err, twice)
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))

	q.Tags = write(t, "tags.csv", "25-4,A\n")
	packed(t, d, q)
	reseal(t, q.Dir, func(name string, text []byte) []byte {
		if name == "inputs/tags.csv" {
			return append(text, hash+",B\n"...)
		}
		return text
	}, nil)
	_, err = check(t, q.Dir, place, q.PackageOptions)
	require.ErrorContains(t, err, twice)

	reseal(t, q.Dir, func(name string, text []byte) []byte {
		if name == "inputs/tags.csv" {
			return nil
		}
		return text
	}, func(m *closing.Manifest) { m.Options.Tags = true })
	_, err = check(t, q.Dir, place, q.PackageOptions)
	require.ErrorContains(t, err, "tags.csv does not exist")
}
