package reconcile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/reconcile"
)

// SI prefixes before the token's symbol are read exactly, in cells and in names of columns. What may mean something else
// is refused.
func TestPrefixes(t *testing.T) {
	for _, c := range []struct{ column, text, want, why string }{
		{"fee", "2.1 mGLMR", "2100000000000000", ""},
		{"fee", "2.1mGLMR", "2100000000000000", ""},
		{"fee", "2.1 m GLMR", "2100000000000000", ""},
		{"fee", "2.1m GLMR", "2100000000000000", ""},
		{"fee", "2.1000 mglmr", "2100000000000000", ""},
		{"fee", "2.1 milli", "2100000000000000", ""},
		{"fee", "2.1 milli GLMR", "2100000000000000", ""},
		{"fee", "2.1 Milli glmr", "2100000000000000", ""},
		{"fee", "mGLMR 2.1", "2100000000000000", ""},
		{"fee", "2.1 mGLMR ($0.01)", "2100000000000000", ""},
		{"fee", "0.0021 GLMR (2.1 mGLMR)", "2100000000000000", ""},
		{"fee", "2.100000000000001 mGLMR", "2100000000000001", ""},
		{"fee", "2.0000000000000001234 mGLMR", "", "has 19 decimals, but an amount in milli has at most 15"},
		{"fee", "2100 \u00b5GLMR", "2100000000000000", ""},
		{"fee", "2100 \u03bcGLMR", "2100000000000000", ""},
		{"fee", "\u00b5GLMR 2100", "2100000000000000", ""},
		{"fee", "2100\u00b5 GLMR", "2100000000000000", ""},
		{"fee", "2100 uGLMR", "2100000000000000", ""},
		{"fee", "2100 micro", "2100000000000000", ""},
		{"fee", "2100000 nGLMR", "2100000000000000", ""},
		{"fee", "2100000000 pGLMR", "2100000000000000", ""},
		{"fee", "0.0021 kGLMR", "2100000000000000000", ""},
		{"fee", "0.0021 MGLMR", "2100000000000000000000", ""}, // not milli
		{"fee", "2.1m", "", `"m" is not recognised`},          // a million?
		{"fee", "2.1 xGLMR", "", "is in xGLMR"},
		{"fee", "2.1 mMOVR", "", "is in mMOVR"},
		{"fee_wei", "2.1 mGLMR", "", "is in milli, but the fees are declared to be in wei"},
		{"Fee (GLMR)", "2.1 mGLMR", "2100000000000000", ""},
		{"Fee (mGLMR)", "2.1", "2100000000000000", ""},
		{"Fee (mGLMR)", "0.0021 GLMR", "", "is in token, but the fees are declared to be in milli"},
		{"fee_mglmr", "2.1", "2100000000000000", ""},
		{"Fee (milli GLMR)", "2.1", "2100000000000000", ""},
		{"Fee (\u00b5GLMR)", "2100", "2100000000000000", ""},
		{"Fee [nGLMR]", "2100000", "2100000000000000", ""},
		{"Fee (mMOVR)", "2.1", "", "is in mMOVR"},
		{"Fee in milli GLMR", "2.1", "2100000000000000", ""},
	} {
		text := grid{{"Extrinsic ID", c.column}, {"25-7", c.text}}.csv(';')
		rows, err := readAll(strings.NewReader(text), reconcile.Options{Symbol: "GLMR", Columns: map[reconcile.Field]string{reconcile.Fee: c.column}})
		if c.why != "" {
			require.ErrorContains(t, err, c.why, "%s: %s", c.column, c.text)
			continue
		}
		require.NoError(t, err, "%s: %s", c.column, c.text)
		require.Equal(t, c.want, rows[0].Fee.String(), "%s: %s", c.column, c.text)
		require.Empty(t, rows[0].Other.Name)
	}
	// In a column of units; and of a token with fewer decimals.
	rows := read(t, "Extrinsic ID,fee,unit\n25-7,2.1,mGLMR\n", reconcile.Options{Symbol: "GLMR"})
	require.Equal(t, "2100000000000000", rows[0].Fee.String())
	tao := reconcile.Options{Symbol: "TAO", Decimals: 9}
	require.Equal(t, "2100", read(t, "Extrinsic ID,fee\n25-7,2.1 \u00b5TAO\n", tao)[0].Fee.String())
	_, err := readAll(strings.NewReader("Extrinsic ID,fee\n25-7,2.1 pTAO\n"), tao)
	require.Error(t, err)
}
