package reconcile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/test/ledgertest"
)

// A column whose name states another asset is rejected, however it is found, and no setting is proposed. The network's own
// asset, and words that are not assets, are accepted.
func TestAssetInTheColumnsName(t *testing.T) {
	hash := allSent(t, "moonbeam-2100")[0].hash()
	for _, c := range []struct{ name, asset string }{ // "" is taken
		{"Fee (MOVR)", "MOVR"}, {"Fee (movr)", "movr"}, {"Fee [ETH]", "ETH"}, {"TxnFee(USD)", "USD"}, {"TxnFee(ETH)", "ETH"}, {"fee_usd", "usd"},
		{"feeUSD", "USD"}, {"Fee USD", "USD"}, {"Fee in EUR", "EUR"}, {"USD Fee", "USD"}, {"Txn Fee ($)", "$"}, {"Fee €", "€"}, {"Network Fee (xcDOT)", "xcDOT"},
		{"Gas Fee (1INCH)", "1INCH"}, {"Fee (USDT)", "USDT"}, {"fee-dot", "dot"}, {"Fee (Eth)", "Eth"}, {"Fee (in CHF)", "CHF"}, {"Fee (USD value)", "USD"},
		{"Fee (GLMR in USD)", "USD"}, {"Fee Fiat Amount", "Fiat"}, {"FEE USD", "USD"}, {"Fee Value (EUR)", "EUR"}, {"Cost (BTC)", "BTC"}, {"Kosten in EUR", "EUR"},
		{"Fee (GLMR)", ""}, {"fee_glmr", ""}, {"Fee (wei)", ""}, {"Fee (Gwei)", ""}, {"fee", ""}, {"Network Fee", ""}, {"Fee (Optional)", ""}, {"Gebühr (netto)", ""},
		{"TX FEE", ""}, {"Fee (EVM)", ""}, {"Gas used x price", ""}, {"Used Fee", ""}, {"Fee (est.)", ""}, {"Kosten", ""}, {"Fee #2", ""},
	} {
		text := "Tx Hash," + c.name + "\n" + hash + ",1\n"
		mapped := reconcile.Options{Symbol: "GLMR", Unit: reconcile.Wei, Columns: map[reconcile.Field]string{reconcile.Fee: c.name}}
		_, err := readAll(strings.NewReader(text), mapped)
		if c.asset == "" {
			require.NoError(t, err, c.name)
			continue
		}
		require.ErrorContains(t, err, fmt.Sprintf("column %q is in %s; only fees in GLMR can be compared", c.name, c.asset))
		require.Empty(t, reconcile.Tries(err), c.name)
		for _, unit := range []reconcile.Unit{"", reconcile.Token} {
			_, err = readAll(strings.NewReader(text), reconcile.Options{Symbol: "GLMR", Unit: unit})
			require.Error(t, err, c.name)
			for _, way := range reconcile.Tries(err) {
				_, err := readAll(strings.NewReader(text), with(reconcile.Options{Symbol: "GLMR", Unit: unit}, way.Settings))
				require.Error(t, err, "%s: %v", c.name, way)
			}
		}
	}

	// The same with a column in the network's token next to it.
	rows := read(t, "Tx Hash,Fee (USD),TxnFee(GLMR),Fee (MOVR)\n"+hash+",0.01,0.5,7\n", reconcile.Options{Symbol: "GLMR"})
	require.Equal(t, "500000000000000000", rows[0].Fee.String())
	_, err := readAll(strings.NewReader("Tx Hash,TxnFee(ETH),TxnFee(USD)\n"), reconcile.Options{Symbol: "GLMR"})
	require.EqualError(t, err, `line 1: column "TxnFee(ETH)" is in ETH, column "TxnFee(USD)" is in USD; only fees in GLMR can be compared with this ledger, and values in a currency with --prices FILE --fiat CODE`)
}

// Exports of several tools with a column that states the asset of their fees.
func TestAssetColumn(t *testing.T) {
	hash := allSent(t, "moonbeam-2100")[0].hash()
	for _, c := range []struct {
		header string
		fee    string // that is mapped, "" where it is found
		asset  string // "" where there is none
	}{
		{"TxHash,Fee Amount,Fee Currency", "", "Fee Currency"},
		{"TxHash,Asset,Network Fee,Service Fee,Network Fee Asset", "", "Network Fee Asset"},
		{"txhash,outgoingAsset,feeAsset,feeVolume", "feeVolume", "feeAsset"},
		{"tx,Fee Asset (optional),Fee Amount (optional)", "Fee Amount (optional)", "Fee Asset (optional)"},
		{"TxHash,Sent Amount,Sent Currency,Fee Amount,Fee Currency", "Sent Amount", "Sent Currency"},
		{"TxHash,Buy,Cur.,Sell,Cur.,Fee,Cur.,Exchange", "", "#7"},
		{"hash,fee,currency", "", "currency"},
		{"hash,asset,amount", "amount", "asset"},
		{"hash,fee,Fee Worth Currency,Fee Fiat Currency", "", ""},
		{"hash,fee_wei,fee_unit", "", "fee_unit"},
	} {
		width := strings.Count(c.header, ",")
		row := hash + strings.Repeat(",1", width)
		o := reconcile.Options{Symbol: "GLMR", Columns: map[reconcile.Field]string{}}
		if c.fee != "" {
			o.Columns[reconcile.Fee] = c.fee
		}
		if c.asset == "" {
			o.Unit = reconcile.Wei
		}
		f, err := reconcile.ReadFile(t.Context(), strings.NewReader(c.header+"\n"+row+"\n"), o)
		require.NoError(t, err, c.header)
		found := ""
		for _, column := range f.Columns {
			if column.Field == reconcile.Asset {
				found = column.Name
				if strings.HasPrefix(c.asset, "#") {
					found = fmt.Sprintf("#%d", column.Place)
				}
			}
		}
		require.Equal(t, c.asset, found, c.header)
		if c.asset != "" {
			for row, err := range f.Rows.All() {
				require.NoError(t, err)
				require.Equal(t, "1", row.Other.Name, c.header)
			}
		}
		require.NoError(t, f.Close())
	}
	_, err := readAll(strings.NewReader("hash,fee,Fee Currency,Fee Asset\n"), reconcile.Options{Symbol: "GLMR"})
	require.ErrorContains(t, err, "could all be the asset")
	require.Len(t, reconcile.Tries(err), 2)
}

// mixed is a file with the fees of a recording and fees on other chains between them.
func mixed(list []*sent) grid {
	g := grid{{"Date", "Network Fee", "Network Fee Asset", "TxHash"}}
	for i, s := range list {
		g = append(g, []string{"2026-01-01", s.token(), "GLMR", s.hash()})
		switch i {
		case 3:
			g = append(g, []string{"2026-01-01", "0.00004", "BTC", "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16"})
		case 5:
			g = append(g, []string{"2026-01-01", "1.5", "ETH;27", "0x" + strings.Repeat("ab", 32)}, []string{"yesterday", "--(n/a", "ETH", "0x" + strings.Repeat("cd", 32)})
		case 7:
			g = append(g, []string{"2026-01-01", "", "", s.hash()}, []string{"2026-01-01", "0.000", "GLMR", s.hash()}, []string{"2026-01-01", "-", "GLMR", ""})
		}
	}
	return g
}

// Fees that the accounts paid in assets and that no row names are not compared: the verdict says so, and is not that all match.
func TestFeesInAssetsAreNotCompared(t *testing.T) {
	hub := ledgertest.Hub(t, filepath.Join(t.TempDir(), "fees.db"), "passet-1019002", chain.Heights{Last: 39})
	bob, err := chain.ParseAccount("5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty")
	require.NoError(t, err)
	o := reconcile.Options{Symbol: "PAS", Decimals: 10, Unit: reconcile.Wei, Accounts: []chain.Address{bob}}
	rows, fees := "hash,fee\n", 0
	for x, err := range hub.Transactions(t.Context(), ledger.Query{Span: chain.Heights{Last: 39}, Accounts: o.Accounts}) {
		require.NoError(t, err)
		if charged, known := x.Charged.Get(); known && !x.InAsset() && !charged.IsZero() {
			rows += x.Hash.String() + "," + charged.String() + "\n"
			fees++
		}
	}
	for text, want := range map[string]string{
		rows:         fmt.Sprintf("%d match; 3 fees in assets were not compared", fees),
		"hash,fee\n": fmt.Sprintf("%d of %[1]d do not match; 3 fees in assets were not compared", fees),
	} {
		f, err := reconcile.ReadFile(t.Context(), strings.NewReader(text), o)
		require.NoError(t, err)
		r, err := reconcile.Match(t.Context(), hub, f.Rows.All(), o)
		require.NoError(t, err)
		require.Equal(t, want, r.Headline())
		require.Equal(t, 3, r.InAssets)
		require.NotEqual(t, chain.Some(true), r.Reconciled())
		require.Equal(t, text != rows, r.Reconciled().Known(), "what is not compared neither agrees nor differs")
		var out struct {
			Reconciled *bool `json:"reconciled"`
			Fees       int   `json:"fees_in_assets_not_compared"`
		}
		data, err := r.MarshalJSON()
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &out))
		require.Equal(t, 3, out.Fees)
		require.Equal(t, text == rows, out.Reconciled == nil)
		require.NoError(t, r.Close())
		require.NoError(t, f.Close())
	}
	o.Period = chain.Some(ledger.Period{Heights: chain.Some(chain.Heights{First: 37, Last: 39})}) // where Bob pays in assets only
	r, err := reconcile.Match(t.Context(), hub, func(func(*reconcile.Row, error) bool) {}, o)
	require.NoError(t, err)
	defer r.Close()
	require.Equal(t, "nothing to compare: the file contains no fees and the accounts paid none in PAS; 3 fees in assets were not compared", r.Headline())
	require.False(t, r.Reconciled().Known())
}

// Fees in other assets, and rows without one, are counted and shown, but are in no total.
func TestOtherAssetsAreLeftOut(t *testing.T) {
	list := slices.DeleteFunc(allSent(t, "moonbeam-2100"), func(s *sent) bool { return s.Charged == "0" })
	for form, text := range map[string]string{"csv": mixed(list).csv(','), "xlsx": mixed(list).xlsx(t, nil)} {
		o := reconcile.Options{Symbol: "GLMR", Accounts: payers(t, list)}
		f, r := matched(t, text, o)
		require.Equal(t, []string{"Left out: 3 rows without a fee."}, f.Notes)
		require.Contains(t, r.Notes, "Left out: 1 row in BTC, 2 rows in ETH.")
		r.Files, r.Notes = []reconcile.NamedFile{{File: f}}, append(r.Notes, f.Notes...)
		require.Equal(t, map[reconcile.Outcome]int{reconcile.Matched: len(list), reconcile.LeftOut: 6}, counts(r), form)
		require.Equal(t, total(list), r.Total.Books.String())
		require.Equal(t, chain.Some(wei(t, total(list))), r.Total.Chain)
		require.Equal(t, fmt.Sprintf("all %d match", len(list)), r.Headline())
		require.Equal(t, chain.Some(true), r.Reconciled())
		require.Zero(t, countRows(r.Details(false)))
		require.Equal(t, len(list)+6, countRows(r.Details(true)))
		var out bytes.Buffer
		require.NoError(t, r.WriteJSON(&out, false))
		require.Contains(t, out.String(), f.Notes[0])
		require.Contains(t, out.String(), `"details": []`)
		out.Reset()
		require.NoError(t, r.WriteTable(&out, true, 200))
		require.Contains(t, out.String(), "note: "+f.Notes[0])
		require.Regexp(t, `(?m)^left_out +6 `, out.String())
		require.Regexp(t, `(?m)^left_out +6 +the fee is in BTC$`, out.String())
		if form == "csv" {
			out.Reset()
			require.NoError(t, r.WriteFixed(t.Context(), &out, strings.NewReader(text)))
			require.Contains(t, out.String(), "0x"+strings.Repeat("ab", 32)+",left_out,,,,,,the fee is in ETH\n")
			require.Contains(t, out.String(), "2026-01-01,-,GLMR,,left_out,,,,,,the row has no fee\n")
		}
	}

	// They are not valued, and need no price.
	o := reconcile.Options{Symbol: "GLMR", Prices: listOf(t, "# source: sample\ndate,price\n2026-01-01,1\n")}
	g := mixed(list[:9])
	g[5][0] = "2031-05-05"
	r := match(t, book(t, "moonbeam-2100"), read(t, g.csv(','), o), o)
	require.Equal(t, 6, sum(t, r, reconcile.LeftOut).Count)
	require.True(t, r.Total.Worth.Books.Known())
	require.True(t, r.Total.Worth.Difference.Known())

	// The same if each cell states its own asset.
	hash := allSent(t, "moonbeam-2100")[0].hash()
	rows := read(t, "hash,fee\n"+hash+",0.5 GLMR\nx,0.1 ETH\ny,DOT 3\n", reconcile.Options{Symbol: "GLMR"})
	require.Equal(t, []string{"", "ETH", "DOT"}, []string{rows[0].Other.Name, rows[1].Other.Name, rows[2].Other.Name})
}

// In a file with several assets, a fee without a stated asset is an error with its lines, and no setting that would include
// it is proposed.
func TestFeeWithoutAnAsset(t *testing.T) {
	hash := allSent(t, "moonbeam-2100")[0].hash()
	other := "0x" + strings.Repeat("ab", 32)
	row := func(list ...string) string { return strings.Join(list, ",") + "\n" }
	for _, c := range []struct {
		text    string
		options reconcile.Options
		why     string // "" where it is read
	}{
		{"tx,fee,Fee Currency\n" + row(hash, "1", "") + row(other, "2", "ETH"), reconcile.Options{}, `line 2, column 2 "fee": "1" has no unit, and column "Fee Currency" states no asset`},
		{"tx,fee,Fee Currency\n" + row(hash, "1", "") + row(other, "2", "ETH"), reconcile.Options{Unit: reconcile.Token}, `line 2, column 3 "Fee Currency": the fee has no asset, but other fees are in ETH`},
		{"tx,fee_wei,Fee Currency\n" + row(hash, "1", "") + row(other, "2", "BTC") + row(other, "2", "-"), reconcile.Options{}, "the fee has no asset, but other fees are in BTC: 2 rows, lines 2 and 4"},
		{"tx,fee,Fee Currency\n" + row(hash, "1", "") + row(other, "2", "GLMR"), reconcile.Options{Unit: reconcile.Token}, ""},
		{"tx,fee,Fee Currency\n" + row(hash, "0", "") + row(other, "2", "ETH"), reconcile.Options{}, ""},
		{"tx,fee\n" + row(hash, "0.5") + row(other, "0.1 ETH"), reconcile.Options{Unit: reconcile.Token}, "the fee has no asset, but other fees are in ETH"},
		{"tx,fee\n" + row(hash, "0.5") + row(other, "0.1 ETH"), reconcile.Options{}, "has no unit"},
		{"tx,fee\n" + row(hash, "0.5 ETH") + row(other, "0.1 DOT"), reconcile.Options{Unit: reconcile.Token}, "is in ETH, but the ledger is in GLMR"},

		// A column of assets that may not belong to the fees.
		{"tx,fee,memo,Asset\n" + row(hash, "1", "", "GLMR") + row(other, "2", "", "ETH"), reconcile.Options{Unit: reconcile.Token}, `column "Asset" contains eth, glmr; name the column with --map asset=NAME, or use --map asset= if all fees are in GLMR`},
		{"tx,fee_wei,memo,Symbol\n" + row(hash, "1", "", "USDT"), reconcile.Options{}, `column "Symbol" contains usdt`},
		{"tx,fee,Blockchain\n" + row(hash, "1", "Moonbeam") + row(other, "2", "Ethereum"), reconcile.Options{Unit: reconcile.Token}, `column "Blockchain" contains ethereum, moonbeam`},
		{"tx,fee,Blockchain\n" + row(hash, "1", "Moonbeam") + row(other, "2", "moonbeam"), reconcile.Options{Unit: reconcile.Token}, ""},
		{"tx,fee,memo,Asset\n" + row(hash, "1", "", "GLMR") + row(other, "2", "", "ETH"), reconcile.Options{Unit: reconcile.Token, Columns: map[reconcile.Field]string{reconcile.Asset: ""}}, ""},
		{"tx,fee,memo,Asset\n" + row(hash, "1", "", "GLMR") + row(other, "2", "", "ETH"), reconcile.Options{Columns: map[reconcile.Field]string{reconcile.Asset: "Asset"}}, ""},
		{"tx,Fee (GLMR),memo,Asset\n" + row(hash, "1", "", "GLMR") + row(other, "2", "", "USDT"), reconcile.Options{}, ""},
		{"tx,fee,memo,Asset\n" + row(hash, "1 GLMR", "", "GLMR") + row(other, "2 GLMR", "", "USDT"), reconcile.Options{}, ""},

		// Contradictions.
		{"tx,Fee (GLMR),Fee Currency\n" + row(hash, "1", "ETH"), reconcile.Options{}, `"1" is in GLMR, but column "Fee Currency" says ETH`},
		{"tx,fee,Fee Currency\n" + row(hash, "1 GLMR", "ETH"), reconcile.Options{}, `"1 GLMR" is in GLMR, but column "Fee Currency" says ETH`},
		{"tx,fee,Fee Currency\n" + row(hash, "1 ETH", "GLMR"), reconcile.Options{}, "is not recognised"},
		{"tx,fee,Fee Unit\n" + row(hash, "1", "gwei"), reconcile.Options{Unit: reconcile.Token}, `"1" is in gwei, but the fees are declared to be in token`},
	} {
		c.options.Symbol = "GLMR"
		_, err := readAll(strings.NewReader(c.text), c.options)
		if c.why == "" {
			require.NoError(t, err, c.text)
			continue
		}
		require.ErrorContains(t, err, c.why, c.text)
		for range 3 { // no advice, and no advice on what it leads to, reads it
			ways := reconcile.Tries(err)
			if len(ways) == 0 {
				break
			}
			c.options = with(c.options, ways[0].Settings)
			_, err = readAll(strings.NewReader(c.text), c.options)
			require.Error(t, err, "%s %v", c.text, ways[0])
		}
	}
}

// However many assets a file contains, only a limited number is kept and listed.
func TestManyAssets(t *testing.T) {
	var text strings.Builder
	text.WriteString("tx,fee,Fee Currency\n")
	const assets = 1000
	for i := range assets {
		fmt.Fprintf(&text, "x,1,A%d%s\n", i, strings.Repeat("\u202e", assets*(i%2)))
	}
	_, r := matched(t, text.String(), reconcile.Options{Symbol: "GLMR", RowsOnly: true})
	note := r.Notes[len(r.Notes)-1]
	require.Regexp(t, `^Left out: 1 row in A0, .*, 990 rows in other assets\.$`, note)
	require.Less(t, len(note), assets)
}

// The smallest unit of a token without 18 decimals is not called wei.
func TestUnitOfTolerance(t *testing.T) {
	for decimals, want := range map[int]string{18: "5 wei", 10: "5 planck"} {
		require.Equal(t, want, reconcile.Shown(&reconcile.Options{Symbol: "PAS", Decimals: decimals}, chain.NewWei(5)))
	}
}
