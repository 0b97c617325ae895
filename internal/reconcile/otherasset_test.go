package reconcile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/reconcile"
)

// unknownHash is the hash of a transaction that no ledger has.
func unknownHash(n int) string { return fmt.Sprintf("0x%064x", n+1) }

// A row whose transaction the ledger has is compared, whatever it calls the asset. With a name that stands for the token,
// so are the other rows; with the name of another asset, they are left out, with a count and a note.
func TestAssetOfAKnownTransaction(t *testing.T) {
	list := paying(t)
	for _, c := range []struct {
		asset   string
		known   int // rows with transactions of the ledger
		unknown reconcile.Outcome
	}{
		{"Moonbeam", 3, reconcile.OnlyInBooks}, {"moonbeam", 0, reconcile.OnlyInBooks}, {"ID:27541", 1, reconcile.OnlyInBooks}, {"GLMR (Moonbeam)", 2, reconcile.OnlyInBooks},
		{"ETH", 5, reconcile.OnlyInBooks}, {"ETH", 1, reconcile.LeftOut}, {"ETH;27", 1, reconcile.LeftOut}, {"ETH", 0, reconcile.LeftOut}, {"ID:27541", 0, reconcile.LeftOut},
	} {
		g := grid{{"Date", "Network Fee", "Network Fee Asset", "TxHash"}}
		for i, s := range list[:6] {
			asset := "GLMR"
			if i < c.known {
				asset = c.asset
			}
			g = append(g, []string{"2026-01-01", s.token(), asset, s.hash()})
		}
		for i := range 3 {
			g = append(g, []string{"2026-01-01", "0.5", c.asset, unknownHash(i)})
		}
		g = append(g, []string{"whenever", "0.00004", "BTC", "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16"}, []string{"2026-01-01", "0.01", "SOL", "5VERv8NMvzbJ"})
		for _, turned := range []bool{false, true} {
			if turned {
				slices.Reverse(g[1:])
			}
			_, r := matched(t, g.csv(','), reconcile.Options{Symbol: "GLMR", RowsOnly: true})
			want := map[reconcile.Outcome]int{reconcile.Matched: 6, reconcile.LeftOut: 2}
			want[c.unknown] += 3
			require.Equal(t, want, counts(r), c)
			require.Equal(t, c.unknown == reconcile.LeftOut, r.Agrees(), c)
			books := total(list[:6])
			if c.unknown == reconcile.OnlyInBooks {
				require.Equal(t, "1500000000000000000", sum(t, r, reconcile.OnlyInBooks).Books.String())
			} else {
				require.Equal(t, books, r.Total.Books.String())
				name, _, _ := strings.Cut(c.asset, ";")
				require.Contains(t, r.Notes, "Left out: 1 row in BTC, 3 rows in "+name+", 1 row in SOL.")
			}
			for _, i := range items(t, r) {
				if i.Outcome == reconcile.Matched && i.Row.Other.Name != "" {
					require.Contains(t, i.Notes[0], "the record states ")
				}
			}
		}
	}
}

// A fee stated in another asset is never left out if the ledger has its transaction: not if the amount differs, if it
// cannot be read, or if another row has the fee.
func TestOtherAssetIsADifference(t *testing.T) {
	s := paying(t)[0]
	for name, c := range map[string]struct {
		rows []string
		want map[reconcile.Outcome]int
	}{
		"another amount":     {[]string{"0.3,USDC"}, map[reconcile.Outcome]int{reconcile.AmountDiffers: 1}},
		"no amount":          {[]string{"n/a,USDC"}, map[reconcile.Outcome]int{reconcile.Ambiguous: 1}},
		"too many decimals":  {[]string{"0.0000000000000000001,BTC"}, map[reconcile.Outcome]int{reconcile.Ambiguous: 1}},
		"beside the fee":     {[]string{s.token() + ",GLMR", "0.3,USDC"}, map[reconcile.Outcome]int{reconcile.Matched: 1, reconcile.Duplicate: 1}},
		"before the fee":     {[]string{"0.3,USDC", s.token() + ",GLMR"}, map[reconcile.Outcome]int{reconcile.Matched: 1, reconcile.Duplicate: 1}},
		"the fee twice":      {[]string{s.token() + ",ETH", s.token() + ",ETH"}, map[reconcile.Outcome]int{reconcile.Matched: 1, reconcile.Duplicate: 1}},
		"no fee in an asset": {[]string{"0,USDC"}, map[reconcile.Outcome]int{reconcile.LeftOut: 1}},
	} {
		text := "Network Fee,Network Fee Asset,TxHash\n"
		for _, row := range c.rows {
			text += row + "," + s.hash() + "\n"
		}
		_, r := matched(t, text, reconcile.Options{Symbol: "GLMR", RowsOnly: true})
		require.Equal(t, c.want, counts(r), name)
		require.Equal(t, c.want[reconcile.LeftOut] > 0, r.Agrees(), name)
	}
}

// An explorer's alias is one chain's: of a file of several chains, rows of the others are left out.
func TestAliasOnSeveralChains(t *testing.T) {
	list := slices.DeleteFunc(paying(t), func(s *sent) bool { return s.EthHash == "" })[:3]
	at := slices.IndexFunc(products, func(p product) bool { return p.profile == "routescan" })
	p := &products[at]
	g, _ := p.file(p.headers[0], list, false)
	header := g[0]
	for i, chain := range []string{"1284", "1284", "1"} {
		row := slices.Clone(g[1])
		row[slices.Index(header, "Transaction Hash")], row[slices.Index(header, "ChainId")] = unknownHash(i), chain
		g = append(g, row)
	}
	_, r := matched(t, g.csv(','), reconcile.Options{Symbol: "GLMR", RowsOnly: true})
	require.Equal(t, map[reconcile.Outcome]int{reconcile.Matched: 3, reconcile.OnlyInBooks: 2, reconcile.LeftOut: 1}, counts(r))
	require.Contains(t, r.Notes, "Left out: 1 row in ETH.")
}
