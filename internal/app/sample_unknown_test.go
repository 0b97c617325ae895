package app_test

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/report"
)

// pairsOf are the lines of a statement by name; lines of one name are joined.
func pairsOf(a *closing.About) map[string]string {
	have := map[string]string{}
	for _, p := range a.Pairs() {
		if old, more := have[p.Name]; more {
			p.Text = old + "\n" + p.Text
		}
		have[p.Name] = p.Text
	}
	return have
}

// inTokens is an amount in wei and in the token: 10^18 wei are one.
func inTokens(t testing.TB, wei string) string {
	n := integer(t, wei)
	whole, rest := new(big.Int).QuoRem(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil), new(big.Int))
	return fmt.Sprintf("%s wei (%v.%018v GLMR)", wei, whole, rest)
}

// otherPayload is a transaction of an unknown type, which has no price.
func otherPayload() chain.Decoded[*chain.Payload] {
	return chain.DecodedOf(sidecar.DecodePayload(`{"transaction":{"eip9999":{}}}`))
}

// A sample whose fees are what the chain charged holds; one with an unknown fee, or one that was charged
// otherwise, does not. Unknown fees are counted, and never zero in a total.
func TestSampleOfUnknownFees(t *testing.T) {
	accounts := []chain.Address{address(t, alith), address(t, baltathar)}
	mine := func(s sent) bool { return of(alith)(s) || of(baltathar)(s) }
	taken := func(d *app.Ledger, p app.Period) (*app.Sample, map[string]string) {
		s, err := d.Sample(t.Context(), app.SampleRequest{Request: app.Request{Period: p, Accounts: accounts}, Size: app.MaxSample, Seed: "audit 2026"})
		require.NoError(t, err)
		a, err := s.About(t.Context(), app.AboutRequest{Program: "a test", Command: "fees sample"})
		require.NoError(t, err)
		return s, pairsOf(a)
	}
	all, count := charges(t, mine)
	s, about := taken(opened(t, copied(t)), app.Heights(1, 27))
	require.True(t, s.Holds())
	for _, of := range []string{"population, ", "sample, "} {
		require.Equal(t, fmt.Sprint(count), about[of+"transactions"])
		require.Equal(t, "0, not in the totals", about[of+"undetermined fees"])
		require.Equal(t, inTokens(t, all), about[of+"control total: fee"])
		require.Equal(t, inTokens(t, all), about[of+"control total: charged"])
	}
	require.Equal(t, fmt.Sprint(count), about["rows"])
	require.Equal(t, fmt.Sprintf("size %d\nseed audit 2026", app.MaxSample), about["parameter"])
	require.Equal(t, fmt.Sprintf(`Sample of %d of %[1]d transactions, seed "audit 2026", moonbeam, blocks 1..27`, count), about["content"])

	// The command of the note gives the key of the row. The hash is taken here, since sha256sum is not on every machine.
	command := regexp.MustCompile(`(printf .*) \| sha256sum`).FindStringSubmatch(about["note"])
	require.NotNil(t, command, about["note"])
	hashed, err := exec.Command("sh", "-c", command[1]).Output()
	require.NoError(t, err)
	for _, row := range rowsOf(t, s.Sheet(t.Context())) {
		if row["id"] == "25-4" {
			require.Equal(t, row["key_sha256"], fmt.Sprintf("%x", sha256.Sum256(hashed)))
		}
	}

	// The charges of block 25 are unknown, and so is the fee of one transaction.
	d := opened(t, changed(t, func(b *chain.Block) error {
		if b.Number == 25 {
			b.Extrinsics[4].Payload = otherPayload()
		}
		return withoutWithdraws(25)(b)
	}))
	s, about = taken(d, app.Heights(1, 27))
	require.False(t, s.Holds())
	rest, _ := charges(t, func(s sent) bool { return mine(s) && s.place() != "25-4" })
	for _, of := range []string{"population, ", "sample, "} {
		require.Equal(t, fmt.Sprint(count), about[of+"transactions"])
		require.Equal(t, "1, not in the totals", about[of+"undetermined fees"])
		require.Equal(t, inTokens(t, rest), about[of+"control total: fee"])
		require.Equal(t, "not known", about[of+"control total: charged"])
	}
	for _, row := range rowsOf(t, s.Sheet(t.Context())) {
		require.Equal(t, row["id"] == "25-4", row["fee"] == "", row["id"])
		require.Equal(t, strings.HasPrefix(row["id"], "25-"), row["charged"] == "", row["id"])
		require.Equal(t, row["id"] == "25-4", row["error"] != "", row["id"])
	}
	for _, name := range []string{alith, baltathar} {
		a, err := d.Account(t.Context(), app.AccountRequest{Account: address(t, name)})
		require.NoError(t, err)
		require.Len(t, a.Months, 1)
		_, unknown := charges(t, func(s sent) bool { return of(name)(s) && s.place() == "25-4" })
		require.Equal(t, unknown == 0, a.Months[0].Fee.Known(), "a month with an unknown fee has no sum")
	}
	s, _ = taken(d, app.Heights(1, 24))
	require.True(t, s.Holds())

	// 25-4 was charged 7 × 10^15 wei, and its fee is 21,000 gas at 100 Gwei.
	d = opened(t, changed(t, otherWithdraw))
	s, about = taken(d, app.Heights(25, 25))
	require.False(t, s.Holds())
	fees, _ := charges(t, func(s sent) bool { return mine(s) && s.Height == 25 })
	more := new(big.Int).Add(integer(t, fees), big.NewInt(7_000_000_000_000_000-2_100_000_000_000_000))
	require.Equal(t, inTokens(t, fees), about["sample, control total: fee"])
	require.Equal(t, inTokens(t, more.String()), about["sample, control total: charged"])
}

// A statement names a temporary ledger and other sources, the ends of a month, and the parameters of a report.
func TestAboutAReport(t *testing.T) {
	temporary, err := app.Temporary(t.Context(), "of the moment", app.Heights(0, 27), app.FillOptions{Reader: demo(t)})
	require.NoError(t, err)
	defer temporary.Close()
	january := parsed(t, app.PeriodInput{Month: "2026-01", Timezone: "Europe/Berlin", Partial: true})
	q, choice := app.Request{Period: january}, report.Choice{By: report.Call, Top: 2, Only: onlyOf(t, "layer=native")}
	f, err := temporary.Fees(t.Context(), q, choice, chain.Optional[app.PeriodInput]{})
	require.NoError(t, err)
	a, err := temporary.About(t.Context(), f, &q, app.AboutRequest{Program: "a test", Command: "fees report", Sources: []string{"gateway https://host"}})
	require.NoError(t, err)
	have := pairsOf(a)
	require.Equal(t, "temporary ledger of the moment; gateway https://host", have["source"])
	require.Equal(t, []string{"2025-12-31T23:00:00Z", "2026-01-31T23:00:00Z"}, []string{have["from"], have["up to, excluding"]}, "one hour east of UTC")
	require.Equal(t, "Europe/Berlin", have["time zone"])
	require.Equal(t, "every block of the period, by its own time", have["blocks wanted"])
	require.Equal(t, "by call\nonly layer=native\ntop 2 by fee; the last row is the rest", have["parameter"])
	require.Equal(t, "3", have["rows"])
	sum, count := charges(t, func(s sent) bool { return s.Family == "native" })
	require.Equal(t, fmt.Sprint(count), have["transactions"])
	require.Equal(t, inTokens(t, sum), have["control total: fee"])
	require.Equal(t, "all payers", have["accounts"])
	require.Equal(t, "fees report", a.Command, "the month is in the command already")

	choice.Top, q.Period = 0, app.Heights(3, 4)
	f, err = temporary.Fees(t.Context(), q, choice, chain.Some(app.PeriodInput{Blocks: "1..2"}))
	require.NoError(t, err)
	_, err = temporary.About(t.Context(), f, &q, app.AboutRequest{})
	require.ErrorContains(t, err, "a comparison has two periods")
}
