package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// custodyExport is a custodian's export: the company's January fees among those of other chains, with an asset for
// each fee, and empty cells without a fee.
func custodyExport(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("Date,Asset,Network Fee,Network Fee Asset,TxHash\n")
	for i, r := range recordsOf(t, []byte(explorerExport))[1:] {
		if r[1] == "5" || r[1] == "24" { // received
			text.WriteString("2026-01-30,USDC,,," + r[0] + "\n")
			continue
		}
		text.WriteString("2026-01-31,GLMR," + r[4] + ",GLMR," + r[0] + "\n")
		if i%5 == 0 {
			text.WriteString("2026-01-30,BTC,0.00004,BTC,f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16\n")
		}
	}
	for _, r := range [][]string{ // the native extrinsics, which an explorer's export lacks
		{"0.0079460802000376", "0xec209c680a328437de50e11bc03fd5005c170d68b37f7c6b9e4a3b953206519e"},
		{"0.015764397713674274", "0xa595455061f8026daa2d26f56b4bf5e91e669795e7d07bab362deee9004bf1d7"},
		{"0.007454482310561513", "0x6a14b1715404b184938a4b76b63eec4e4f0e633e60e24baf0748b9a59b7ca14d"},
	} {
		text.WriteString("2026-01-31,GLMR," + r[0] + ",GLMR," + r[1] + "\n")
	}
	return text.String()
}

// Fees in other assets are left out and counted. Settings that would add them are refused and never suggested.
func TestReconcileOtherAssets(t *testing.T) {
	demoMonth(t)
	write := func(text string) { require.NoError(t, os.WriteFile("books.csv", []byte(text), 0o600)) }
	run := func(more ...string) (stdout, stderr string, code int) {
		return fees(append([]string{"reconcile", "books.csv", "--month", "2026-01", "--accounts", "group:company", "--quiet"}, more...)...)
	}
	write(custodyExport(t))
	stdout, stderr, code := run()
	require.Equal(t, exitOK, code, stdout+stderr)
	require.Contains(t, stdout, "all 16 match")
	require.Contains(t, stdout, "note: Left out: 3 rows in BTC.")
	require.Contains(t, stdout, "note: Left out: 2 rows without a fee.")
	require.Regexp(t, `(?m)^total +21 +0\.91121656287607318 +0\.91121656287607318 +0$`, stdout)
	_, stderr, code = run("--format", "csv")
	require.Equal(t, exitOK, code)
	require.Contains(t, stderr, "fees: Left out: 3 rows in BTC.\n")
	require.Contains(t, stderr, "fees: Left out: 2 rows without a fee.\n")
	stdout, stderr, code = run("--map", "asset=", "--unit", "token") // by the user's word, who is asked for each row without a fee
	require.Equal(t, exitUsage, code, stdout)
	require.Contains(t, stderr, "the fee is empty")

	hash := "0x2be578b75fee9f4bf0e88f95e47c602056300c253987c192f8d9efcd281fa5f5"
	for _, text := range []string{
		"hash,Fee (MOVR)\n" + hash + ",0.021797132753844\n",
		"hash,TxnFee(USD)\n" + hash + ",0.01\n",
		"hash,Fee,Currency\n" + hash + ",0.021797132753844,\nx,0.1,ETH\n",
		"hash,Fee,memo,Asset\n" + hash + ",0.021797132753844,,GLMR\n" + hash + ",0.1,,ETH\n",
		"hash,Cost (EUR)\n" + hash + ",0.021797132753844\n",
		"hash,Fee\n" + hash + ",0.021797132753844 MOVR\n",
		"hash,Fee\n" + hash + ",$0.01\n",
	} {
		write(text)
		name, _, _ := strings.Cut(strings.Split(strings.SplitN(text, "\n", 2)[0], ",")[1], "\n")
		for _, more := range [][]string{nil, {"--unit", "token"}, {"--unit", "token", "--map", "fee=" + name}} {
			stdout, stderr, code := run(more...)
			require.Equal(t, exitUsage, code, "%s %v\n%s", text, more, stdout+stderr)
			require.NotContains(t, stderr, "fees reconcile", "%s %v", text, more)
		}
	}
	write("hash,Fee (MOVR)\n" + hash + ",0.021797132753844\n")
	_, stderr, _ = run()
	require.Equal(t, "fees: books.csv: line 1: column \"Fee (MOVR)\" is in MOVR; only fees in GLMR can be compared with this ledger, and values in a currency with --prices FILE --fiat CODE\n", stderr)

	// For a file without a unit, the suggested command states its assumption.
	write("hash,fee\n" + hash + ",0.021797132753844\n")
	_, stderr, code = run()
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "the file does not state the unit of its fees, or states another; the command below assumes the network's token\n")
	require.Contains(t, stderr, ". Read it with: fees reconcile books.csv")
}
