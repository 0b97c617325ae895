package reconcile_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/reconcile"
)

// scaled returns an amount of wei times a number, with some decimals.
func scaled(wei, times string, decimals int) string {
	n, _ := new(big.Rat).SetString(wei)
	by, _ := new(big.Rat).SetString(times)
	text := n.Mul(n, by).FloatString(decimals)
	if !strings.Contains(text, ".") {
		return text
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// If most fees are the chain's times a constant, a note says so. If it is a power of ten that another unit explains, the
// proposed unit makes them match.
func TestFactorOfMostFees(t *testing.T) {
	var list []*sent
	for _, s := range allSent(t, "moonbeam-2100") {
		if s.EthHash != "" && len(s.Charged) > 4 && s.Charged[:4] != "2100" && len(list) < 3 {
			list = append(list, s)
		}
	}
	require.Len(t, list, 3)
	for name, c := range map[string]struct {
		column     string
		rows       int
		times      string // of the wei
		decimals   int
		note, unit string
	}{
		"wei as gwei":       {"Fee (Gwei)", 3, "1", 0, `3 of 3 fees are 10^9 times the chain's: the column "Fee (Gwei)" looks like wei.`, "wei"},
		"one fee":           {"Fee (Gwei)", 1, "1", 0, `1 of 1 fee is 10^9 times the chain's: the column "Fee (Gwei)" looks like wei.`, "wei"},
		"gwei as tokens":    {"Fee (GLMR)", 3, "1e-9", 9, `3 of 3 fees are 10^9 times the chain's: the column "Fee (GLMR)" looks like gwei.`, "gwei"},
		"tokens as gwei":    {"Fee (Gwei)", 3, "1e-18", 9, `the column "Fee (Gwei)" looks like the network's token.`, ""},
		"another power":     {"Fee (GLMR)", 3, "1e-17", 18, "3 of 3 fees are 10^1 times the chain's. Check the unit and the separators of the export.", ""},
		"a surcharge":       {"Fee (GLMR)", 3, "1.19e-18", 18, "3 of 3 fees are 1.19 times the chain's. Check whether the column is in another currency, or contains a surcharge.", ""},
		"about a surcharge": {"Fee (GLMR)", 3, "1.190001e-18", 18, "3 of 3 fees are about 1.19 times the chain's.", ""},
		"too few":           {"Fee (GLMR)", 2, "1.19e-18", 18, "", ""},
		"the chain's":       {"Fee (GLMR)", 3, "1e-18", 18, "", ""},
		"within a rounding": {"Fee (GLMR)", 3, "1.0001e-18", 18, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := grid{{"hash", c.column}}
			for _, s := range list[:c.rows] {
				g = append(g, []string{s.hash(), scaled(s.Charged, c.times, c.decimals)})
			}
			o := reconcile.Options{Symbol: "GLMR", RowsOnly: true}
			_, r := matched(t, g.csv(','), o)
			notes := strings.Join(r.Notes, "\n")
			if c.note == "" {
				require.NotContains(t, notes, "times the chain's")
				require.Empty(t, r.Try)
				return
			}
			require.Contains(t, notes, c.note)
			if c.unit != "" {
				require.Equal(t, []reconcile.Way{{Means: "the fees are in " + c.unit, Settings: []reconcile.Setting{{Name: "map", Value: "fee=" + c.column}, {Name: "unit", Value: c.unit}}}}, r.Try)
				_, r = matched(t, g.csv(','), with(o, r.Try[0].Settings))
				require.True(t, r.Agrees())
			}
		})
	}
}
