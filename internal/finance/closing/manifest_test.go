package closing

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/table"
)

// Only manifests written by fees are accepted.
func TestManifestIsStrict(t *testing.T) {
	m := january(7)
	m.Format, m.Version, m.Files = 1, 1, []File{{"a", 1, "aa"}, {"b", 2, "bb"}}
	encoded, err := m.Encode()
	require.NoError(t, err)
	text := string(encoded)
	read, err := ReadManifest(encoded)
	require.NoError(t, err)
	require.Equal(t, &m, read)
	for change, message := range map[[2]string]string{
		{`"format": 1`, `"format": 2`}:                             "format 2 is not supported",
		{`"version": 1`, `"version": 0`}:                           "version 0",
		{`"version": 1`, `"version": 2`}:                           "version 2 does not fit",
		{`"version": 1`, `"version": 1, "more": 1`}:                "unknown field",
		{`"version": 1`, `"version":  1`}:                          "not in the exact form",
		{`"version": 1`, `"version": 5, "version": 1`}:             "not in the exact form",
		{`"first": 5`, `"first": 10`}:                              "is inconsistent",
		{`"complete": true`, `"complete": false`}:                  "is inconsistent",
		{`"level": "recorded"`, `"level": "proved"`}:               "inconsistent evidence: ",
		{`"proved": 3`, `"proved": 5`}:                             "inconsistent evidence: ",
		{`"count": 5`, `"count": 6`}:                               "evidence covers 5 blocks",
		{`"name": "a"`, `"name": "c"`}:                             "out of order",
		{`"name": "a"`, `"name": "../a"`}:                          "is not a valid file name",
		{`"name": "b"`, `"name": "manifest.json"`}:                 "is not a valid file name",
		{`"fee": "7"`, `"fee": "-7"`}:                              "-7",
		{`"fee": "7"`, `"fee": 7`}:                                 "cannot unmarshal",
		{"\n}\n", "\n}"}:                                           "not in the exact form",
		{"\n}\n", "\n}\n{}"}:                                       "not in the exact form",
		{"\n}\n", "\n}\n" + strings.Repeat(" ", maxManifestBytes)}: "larger than",
	} {
		changed := strings.Replace(text, change[0], change[1], 1)
		require.NotEqual(t, text, changed, change)
		_, err := ReadManifest([]byte(changed))
		require.ErrorContains(t, err, message, "%s", change[1][:min(len(change[1]), 40)])
	}
	m.Files = make([]File, maxFiles+1)
	require.ErrorContains(t, m.check(), "1001 files")
}

// The period before ends where the package's begins, and its evidence is consistent.
func TestManifestOfAVariance(t *testing.T) {
	for _, c := range []struct {
		before Variance
		fits   bool
	}{{Variance{"2025-12", 4, evidence.Recorded(1)}, true}, {Variance{"2025-12", 5, evidence.Recorded(1)}, false}, {Variance{"2025-12", 1, evidence.Evidence{Level: "proved", Blocks: 3}}, false}} {
		m := january(7)
		m.Format, m.Version, m.Files, m.Options.Variance = 1, 1, []File{{"a", 1, "aa"}, {"b", 2, "bb"}, {"c/d", 2, "cc"}}, &c.before
		text, err := m.Encode()
		require.NoError(t, err)
		read, err := ReadManifest(text)
		if !c.fits {
			require.EqualError(t, err, "the period before is inconsistent")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, &c.before, read.Options.Variance)
		require.Equal(t, []File{{"a", 1, "aa"}, {"c/d", 2, "cc"}}, read.Named([]string{"c/d", "a", "d"}))
		require.Empty(t, read.Named(nil))
	}
}

func TestExamine(t *testing.T) {
	b := &book{seal: chain.Some(ledger.Seal{31: 7})}
	for h := uint64(5); h <= 7; h++ {
		b.blocks = append(b.blocks, ledger.Block{Height: h, Hash: chain.Hash{31: byte(h)}, Rules: fmt.Sprint("rules ", h%2), Final: true, Sealed: true})
	}
	zeros := strings.Repeat("0", 63)
	want := Blocks{
		First: 5, Last: 7, Count: 3, FirstHash: "0x" + zeros + "5", LastHash: "0x" + zeros + "7", Final: true,
		Seal: zeros + "7", Rules: []string{"rules 0", "rules 1"},
	}
	got, err := Examine(ctx, b, ledger.Period{}, chain.Heights{First: 5, Last: 7})
	require.NoError(t, err)
	require.Equal(t, want, got)

	m := Manifest{Network: "moonbeam", Blocks: want}
	require.Empty(t, m.Differ(ledger.Identity{Network: "moonbeam"}, got))
	b.seal, b.blocks = chain.Optional[ledger.Seal]{}, b.blocks[:2]
	got, err = Examine(ctx, b, ledger.Period{}, chain.Heights{First: 5, Last: 7})
	require.NoError(t, err)
	require.False(t, got.Final)
	require.Equal(t, []string{
		"the network: moonbeam in the package, moonriver in the ledger",
		"the hash of block 0: nothing in the package, 0x" + zeros + "1 in the ledger",
		"the number of blocks: 3 in the package, 2 in the ledger",
		"the hash of block 7: 0x" + zeros + "7 in the package, nothing in the ledger",
		"the seal of the period: " + zeros + "7 in the package, nothing in the ledger",
	}, m.Differ(ledger.Identity{Network: "moonriver", Genesis: chain.Some(chain.Hash{31: 1})}, got))
	b.err = errors.New("broken")
	_, err = Examine(ctx, b, ledger.Period{}, chain.Heights{})
	require.ErrorIs(t, err, b.err)
}

func TestFindings(t *testing.T) {
	b := &book{
		findings: []evidence.Finding{{Check: "block.time", Block: 5, Message: "late"}, {Check: "fee", Block: 6, Extrinsic: chain.Some(2), Message: "no"}},
		transactions: []ledger.Transaction{
			{Cost: ledger.Cost{Height: 5, Index: 1, Kind: ledger.Kind{Call: "a.b"}, Fee: chain.Some(chain.NewWei(1)), Verdict: evidence.Match}},
			{Cost: ledger.Cost{Height: 5, Index: 2, Kind: ledger.Kind{Call: "a.c"}, Payer: chain.Some(chain.Address20([20]byte{19: 1}))}, Error: "not priced"},
			{Cost: ledger.Cost{Height: 5, Index: 3, Kind: ledger.Kind{Call: "a.d"}, Fee: chain.Some(chain.NewWei(3)), Charged: chain.Some(chain.NewWei(4)), Verdict: evidence.Drift},
				Drift: chain.Some(chain.NewWei(4).Difference(chain.NewWei(3))), Class: evidence.Unknown},
			{Cost: ledger.Cost{Height: 5, Index: 4, Fee: chain.Some(chain.NewWei(3)), Verdict: evidence.Drift}, Class: evidence.ZeroedPayer},
		},
		unclassified: []ledger.Unclassified{{Height: 7, Where: 4, Event: "balances.New", Reason: "not understood"}, {Height: 8, Where: movement.OnInitialize, Event: "balances.New", Reason: "not understood"}},
	}
	var count Findings
	var out strings.Builder
	require.True(t, count.None())
	require.NoError(t, table.WriteCSV(&out, List(ctx, b, chain.Heights{}, &count)))
	require.Equal(t, `kind,block,place,check,call,event,payer,fee,fee_token,charged,charged_token,message
check,5,5,block.time,,,,,,,,late
check,6,6-2,fee,,,,,,,,no
undetermined,5,5-2,,a.c,,0x0000000000000000000000000000000000000001,,,,,not priced
drift,5,5-3,,a.d,,,3,0.000000000000000003,4,0.000000000000000004,"1 wei, unknown"
drift,5,5-4,,,,,3,0.000000000000000003,,,zeroed_payer
unclassified,7,7-4,,,balances.New,,,,,,not understood
unclassified,8,8-onInitialize,,,balances.New,,,,,,not understood
`, out.String())
	require.Equal(t, Findings{Checks: 2, Undetermined: 1, Drifts: 2, Unclassified: 2}, count)
	require.False(t, count.None())
	for range List(ctx, b, chain.Heights{}, &count).Rows {
		break
	}
	b.err = errors.New("broken")
	require.ErrorIs(t, table.WriteCSV(&out, List(ctx, b, chain.Heights{}, &count)), b.err)
}

// The reader of the findings may stop at any of them: only those read count.
func TestFindingsStop(t *testing.T) {
	b := &book{
		findings:     []evidence.Finding{{Check: "fee", Block: 6, Message: "no"}},
		transactions: []ledger.Transaction{{Cost: ledger.Cost{Height: 7, Index: 1}}},
		unclassified: []ledger.Unclassified{{Height: 8, Where: 4}},
	}
	for i, want := range []Findings{{Checks: 1}, {Checks: 1, Undetermined: 1}, {Checks: 1, Undetermined: 1, Unclassified: 1}} {
		var count Findings
		rows := 0
		for _, err := range List(ctx, b, chain.Heights{}, &count).Rows {
			require.NoError(t, err)
			if rows++; rows == i+1 {
				break
			}
		}
		require.Equal(t, want, count)
	}
}

// The company's own record comes first, before the records that were compared together with it.
func TestRecords(t *testing.T) {
	first, second, third := Reading{Unit: "wei"}, Reading{Unit: "gwei"}, Reading{Sheet: "Fees"}
	r := Reconciliation{Name: "a.csv", Input: "inputs/books.csv", Reading: first}
	require.Equal(t, []Record{{"a.csv", "inputs/books.csv", first}}, r.Records())
	require.Equal(t, "a.csv", r.Names())
	r.More = []Record{{"c.csv", "inputs/books-2.csv", second}, {"b.xlsx", "inputs/books-3.xlsx", third}}
	require.Equal(t, []Record{{"a.csv", "inputs/books.csv", first}, {"c.csv", "inputs/books-2.csv", second}, {"b.xlsx", "inputs/books-3.xlsx", third}}, r.Records())
	require.Equal(t, "a.csv, c.csv, b.xlsx", r.Names())
}

// Counts skips zero counts and has a fixed order.
func TestCounts(t *testing.T) {
	var told []string
	for what, n := range (Findings{Checks: 2, Drifts: 1, Differences: 7}).Counts {
		told = append(told, fmt.Sprint(n, " ", what))
	}
	require.Equal(t, []string{"2 failed checks", "1 fee drifts", "7 open reconciliation differences"}, told)
	for what := range (Findings{Undetermined: 1, Journal: 1}).Counts {
		require.Equal(t, "undetermined fees", what)
		break
	}
	for what := range (Findings{}).Counts {
		t.Fatal(what)
	}
}
