package chain_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/test/blocktest"
)

const (
	cashPayer    = "0x1000000000000000000000000000000000000001"
	cashStranger = "0x2000000000000000000000000000000000000002"
)

func address(t testing.TB, text string) chain.Address {
	t.Helper()
	a, err := chain.ParseAddress(text)
	require.NoError(t, err)
	return a
}

// cashEvents parses events, one per line: a name and its values, where P is the payer and S someone else.
func cashEvents(t testing.TB, lines string) *chain.Extrinsic {
	t.Helper()
	x := &chain.Extrinsic{}
	for line := range strings.SplitSeq(lines, ";") {
		name, data, _ := strings.Cut(strings.TrimSpace(line), " ")
		var values []string
		for _, v := range strings.Fields(data) {
			v = strings.NewReplacer("P", cashPayer, "S", cashStranger).Replace(v)
			values = append(values, `"`+v+`"`)
		}
		x.Events = append(x.Events, blocktest.Event(t, name, "["+strings.Join(values, ",")+"]"))
	}
	return x
}

func TestFindCash(t *testing.T) {
	for events, want := range map[string]string{
		"balances.Withdraw P 9; system.ExtrinsicSuccess":                                                                                                            "9 []",
		"balances.Withdraw P 9; balances.Deposit P 3; system.ExtrinsicSuccess":                                                                                      "9 [P 3]",
		"balances.Deposit S 1; balances.Withdraw P 9; balances.Deposit P 3":                                                                                         "9 [P 3]",
		"balances.Withdraw P 9; balances.Deposit S 1; balances.Transfer P S 1; balances.Deposit P 3":                                                                "9 [P 3]",
		"balances.Withdraw P 9; proxy.ProxyExecuted; balances.Deposit S 1; treasury.Deposit 1; balances.Deposit S 0":                                                "9 [S 1 S 0]",
		"balances.Withdraw P 9; balances.Deposit P 3; ethereum.Executed; evm.Log; system.NewAccount S; balances.Endowed S":                                          "9 [P 3]",
		"balances.Withdraw P 9; balances.Deposit P 3; balances.Issued 1; balances.Rescinded 1; transactionPayment.TransactionFeePaid P 6 0; system.ExtrinsicFailed": "9 [P 3]",
		"balances.Withdraw P 9; balances.MintedCredit 1; balances.BurnedDebt 2; balances.Deposit P 3":                                                               "9 [P 3]",
		"balances.Withdraw P 9; balances.Deposit P 3; evm.Created S; balances.Deposit P 4":                                                                          "9 [P 4]",
		"balances.Withdraw P 9; balances.Deposit P 3; system.Remarked P":                                                                                            "9 []",
		"balances.Withdraw P 9; balances.Deposit P 3; treasury.Spending 3; ethereum.Other":                                                                          "9 []",
		"balances.Withdraw P 9; balances.Withdraw S 5; balances.Deposit P 3":                                                                                        "9 [P 3]",
		"balances.Withdraw P 9; system.KilledAccount S; balances.Deposit P 3":                                                                                       "9 [P 3]",
		"balances.Withdraw P 9; system.KilledAccount P; system.ExtrinsicSuccess":                                                                                    "9 [] removed",
		"balances.Withdraw P 9; system.KilledAccount P; system.KilledAccount S":                                                                                     "9 [] removed",
		"balances.Withdraw P 9; system.KilledAccount":                                                                                                               "9 []",
		"system.KilledAccount P; balances.Withdraw P 9":                                                                                                             "9 []",
		"balances.Withdraw P 0": "0 []",
	} {
		c, err := chain.FindCash(cashEvents(t, events))
		require.NoError(t, err, events)
		require.Equal(t, address(t, cashPayer), c.Payer, events)
		var deposits []string
		for _, d := range c.Deposits {
			who := map[chain.Address]string{address(t, cashPayer): "P", address(t, cashStranger): "S"}[d.Account]
			deposits = append(deposits, who+" "+d.Amount.String())
		}
		have := fmt.Sprintf("%v %v", c.Withdrawn, deposits)
		if c.PayerRemoved {
			have += " removed"
		}
		require.Equal(t, want, have, events)
	}
}

func TestFindCashRefuses(t *testing.T) {
	for events, want := range map[string]string{
		"system.ExtrinsicSuccess":                       "event balances.Withdraw: missing",
		"other.Withdraw P 9; balances.Deposit P 3":      "event balances.Withdraw: missing",
		"balances.Withdraw":                             "event balances.Withdraw: data[0]: missing",
		"balances.Withdraw P":                           "event balances.Withdraw: data[1]: missing",
		"balances.Withdraw 0x12 9":                      `event balances.Withdraw: data[0]: "0x12" is not an address: want 0x and 40 hex digits`,
		"balances.Withdraw P -9":                        `event balances.Withdraw: data[1]: "-9" is not a non-negative integer`,
		"balances.Withdraw P 9; balances.Deposit P":     "event balances.Deposit: data[1]: missing",
		"balances.Withdraw P 9; balances.Deposit Q 3":   `event balances.Deposit: data[0]: "Q" is not an address: want 0x and 40 hex digits`,
		"balances.Withdraw P " + power(128, 0).String(): "event balances.Withdraw: data[1]: " + power(128, 0).String() + " is more than 128 bits",
	} {
		c, err := chain.FindCash(cashEvents(t, events))
		require.EqualError(t, err, want)
		require.Zero(t, c)
		// An event without its values differs from a missing event.
		require.Equal(t, want == "event balances.Withdraw: missing", errors.Is(err, chain.ErrNoWithdraw), events)
	}
	require.ErrorIs(t, chain.ErrNoWithdraw, chain.ErrMissing)
	// The extrinsic's own deposits are ignored.
	_, err := chain.FindCash(cashEvents(t, "balances.Withdraw P 9; balances.Deposit Q; proxy.ProxyExecuted"))
	require.NoError(t, err)
}

func TestSettle(t *testing.T) {
	for _, c := range []struct {
		deposits   string // to P, S: someone else, T: the treasury
		authorPaid bool
		refund     uint64
		credits    string
	}{
		{"", false, 0, ""},
		{"", true, 0, ""},
		{"P 3", false, 3, ""},
		{"P 3", true, 0, "P 3"}, // the author is the payer, and nothing was refunded
		{"P 0 S 4", false, 0, "S 4"},
		{"P 3 S 4", false, 3, "S 4"},
		{"P 3 S 4", true, 3, "S 4"},
		{"S 4", false, 0, "S 4"},
		{"S 4 S 5", true, 0, "S 4 S 5"},
		{"P 3 S 4 P 5", true, 3, "S 4 P 5"},
		{"P 3 S 4 P 5", false, 5, ""},
		{"P 1 P 3 S 4", false, 3, "S 4"}, // the extrinsic's own deposit comes first
		{"P 1 P 3", true, 1, "P 3"},
		{"S 1 P 3 S 4", false, 3, "S 4"},
	} {
		cash := chain.Cash{Payer: address(t, cashPayer)}
		words := strings.Fields(c.deposits)
		for i := 0; i < len(words); i += 2 {
			who := map[string]string{"P": cashPayer, "S": cashStranger}[words[i]]
			amount, err := chain.ParseWei(words[i+1])
			require.NoError(t, err)
			cash.Deposits = append(cash.Deposits, chain.Deposit{Account: address(t, who), Amount: amount})
		}
		refund, credits := cash.Settle(c.authorPaid)
		require.Equal(t, chain.NewWei(c.refund), refund, "%+v", c)
		var have []string
		for _, d := range credits {
			who := map[chain.Address]string{address(t, cashPayer): "P", address(t, cashStranger): "S"}[d.Account]
			have = append(have, who+" "+d.Amount.String())
		}
		require.Equal(t, c.credits, strings.Join(have, " "), "%+v", c)
	}
}

// For any extrinsic, its fee's refund is found between its own deposits and the credits, and the charge is
// exact.
func TestCashOfRandomExtrinsics(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	steps := []string{"balances.Transfer P S 5", "balances.Deposit S 8", "balances.Deposit P 7", "balances.Withdraw S 9", "system.NewAccount S", "proxy.ProxyExecuted", "evm.Log"}
	for range 3000 {
		withdrawn, refund := random(r, 128), random(r, 128)
		lines := []string{"balances.Withdraw P " + withdrawn.String()}
		for range r.IntN(6) {
			lines = append(lines, steps[r.IntN(len(steps))])
		}
		lines = append(lines, "balances.Deposit P "+refund.String())
		credits := r.IntN(3)
		for i := range credits {
			lines = append(lines, fmt.Sprintf("balances.Deposit S %d; treasury.Deposit %d", i, i))
		}
		lines = append(lines, "system.ExtrinsicSuccess")
		events := strings.Join(lines, ";")
		c, err := chain.FindCash(cashEvents(t, events))
		require.NoError(t, err, events)
		have, rest := c.Settle(false)
		require.Equal(t, refund.String(), have.String(), events)
		require.Len(t, rest, credits, events)
		charged, err := c.Charged(have)
		want := new(big.Int).Sub(withdrawn, refund)
		if want.Sign() < 0 {
			require.ErrorIs(t, err, chain.ErrOverflow)
			require.EqualError(t, err, fmt.Sprintf("%v wei withdrawn but %v refunded: overflow", withdrawn, refund))
			require.True(t, charged.IsZero())
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want.String(), charged.String(), events)

		// The movements of the payer's balance report the same events.
		movements, _ := movement.Of(&chain.Block{Extrinsics: []chain.Extrinsic{*cashEvents(t, events)}}, chain.AddressSize)
		among, err := movement.CashAmong(len(movements), func(i int) *movement.Movement { return &movements[i] }, address(t, cashPayer))
		require.NoError(t, err)
		require.Equal(t, c.At, movements[among.At].EventIndex, events)
		back, err := among.Refund(charged)
		require.NoError(t, err, events)
		if d, given := back.Get(); given {
			require.Equal(t, refund.String(), d.Amount.String())
			require.Equal(t, c.Deposits[len(c.Deposits)-credits-1].At, movements[d.At].EventIndex, events)
		} else {
			require.Zero(t, refund.Sign())
		}
	}
}
