package movement_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
)

// changes returns what movements changed in each account's free and reserved balance.
func changes(t testing.TB, list []movement.Movement) map[chain.Address][2]chain.SignedWei {
	sums := map[chain.Address][2]chain.SignedWei{}
	for _, m := range list {
		free, known := m.Free.Get()
		reserved, also := m.Reserved.Get()
		require.True(t, known && also)
		sums[m.Account] = [2]chain.SignedWei{plus(t, sums[m.Account][0], free), plus(t, sums[m.Account][1], reserved)}
	}
	return sums
}

// The settled movements of an Ethereum transaction have the fee in one withdrawal, change each balance by the same amount,
// and have each transfer once for either account. What the payer transferred to those that hold deposits, and to new
// accounts, is what the recording states.
func TestSettled(t *testing.T) {
	of, settled, endowed := extrinsics(t, "stack-template-3"), 0, 0
	for _, s := range sentOf(t, "stack-template-3") {
		if s.Family != "evm" {
			continue
		}
		at := fmt.Sprintf("%d-%d", s.Height, s.Index)
		payer, err := chain.ParseAccount(s.Payer)
		require.NoError(t, err)
		fee := amount(t, s.Charged)
		list, ok := movement.SettledAmong(len(of[at]), func(i int) *movement.Movement { return &of[at][i] }, movement.Payment{Payer: payer, Fee: fee})
		require.True(t, ok, at)
		settled++
		require.Equal(t, changes(t, of[at]), changes(t, list), at)
		var withdrawn, deposits, given chain.SignedWei
		transfers := map[string]int{}
		for _, m := range list {
			free, _ := m.Free.Get()
			other, isTransfer := m.Counterparty.Get()
			if isTransfer {
				from, to := m.Account, other
				if m.Kind == movement.KindTransferIn {
					from, to = to, from
				}
				transfers[fmt.Sprintf("event %d: %v to %v, %v %v", m.EventIndex, from, to, m.Amount, m.Reason)]++
			}
			switch {
			case m.Account != payer:
			case m.Kind == movement.KindWithdrawal:
				withdrawn = plus(t, withdrawn, free)
			case m.Reason.Known(): // to and from others, or held by the payer
				deposits = plus(t, deposits, free.Negated())
			case isTransfer && m.Event == "balances.Deposit":
				given = plus(t, given, free.Negated())
			}
		}
		for transfer, times := range transfers {
			require.Equal(t, 2, times, "%s: %s", at, transfer)
		}
		require.Equal(t, fee.Signed().Negated(), withdrawn, at)
		require.Equal(t, signed(t, s.DepositsBy[s.Payer]), deposits, at)
		require.Equal(t, amount(t, s.Endowed).Signed(), given, at)
		if given.Sign() > 0 {
			endowed++
		}

		// With another fee, they do not add up.
		wrong, err := fee.Add(chain.NewWei(1))
		require.NoError(t, err)
		_, ok = movement.SettledAmong(len(of[at]), func(i int) *movement.Movement { return &of[at][i] }, movement.Payment{Payer: payer, Fee: wrong})
		require.False(t, ok)
	}
	require.Equal(t, 88, settled)
	require.Positive(t, endowed)

	// The older generation, where a pot gets the fee, and is no new account.
	of = extrinsics(t, "passet-1019002")
	pot, err := chain.ParseAccount("5EYCAe5cKPAoFh2HnQQvpKqRYZGqBpaA87u4Zzw89qPE58is")
	require.NoError(t, err)
	for _, s := range sentOf(t, "passet-1019002") {
		if s.Family != "evm" {
			continue
		}
		at := fmt.Sprintf("%d-%d", s.Height, s.Index)
		payer, err := chain.ParseAccount(s.Payer)
		require.NoError(t, err)
		list, ok := movement.SettledAmong(len(of[at]), func(i int) *movement.Movement { return &of[at][i] }, movement.Payment{Payer: payer, Fee: amount(t, s.Charged), Receiver: chain.Some(pot)})
		require.True(t, ok, at)
		require.Equal(t, changes(t, of[at]), changes(t, list), at)
		for _, m := range list {
			require.False(t, m.Account == pot && m.Counterparty.Known(), at)
		}
		settled++
	}
	require.Equal(t, 88+53, settled)
}

// What the call itself withdraws and deposits, such as a swap, stays apart from what is withdrawn and given back for the fee.
func TestSettledBesideASwap(t *testing.T) {
	for _, c := range []struct{ movements, want string }{
		{"Withdraw P 9; Deposit P 2", "P -7"},
		{"Withdraw P 9; Withdraw P 3; Deposit P 5", "P -7"},
		{"Withdraw P 0; Withdraw P 9; Deposit P 2", "P -7"},
		{"Withdraw P 7", "P -7"},
		{"Withdraw P 4; Withdraw P 5; Withdraw P 6; Deposit S 6; Deposit P 8; Deposit P 2", "P -7; P -6; S 6; P 8"},
		{"Withdraw P 9; Withdraw P 6; Deposit S 6; Deposit P 2", "P -7; P -6; S 6"},
		{"Withdraw P 9; Deposit S 1; Deposit P 1", "P -7; P -1 to S; S 1 to P"},
		{"Withdraw P 9; Deposit S 1; Deposit P 2", "P -7; S 1"},
		{"Withdraw P 9; Deposit S 1; Deposit P 3", "differs"},
		{"Deposit P 2", "differs"},
	} {
		list := movementsOf(t, c.movements)
		settled, ok := movement.SettledAmong(len(list), func(i int) *movement.Movement { return &list[i] }, movement.Payment{Payer: address(t, cashPayer), Fee: chain.NewWei(7)})
		name := func(a chain.Address) string {
			return map[bool]string{true: "P", false: "S"}[a == address(t, cashPayer)]
		}
		var have []string
		for _, m := range settled {
			free, _ := m.Free.Get()
			text := fmt.Sprintf("%s %v", name(m.Account), free)
			if other, is := m.Counterparty.Get(); is {
				text += " to " + name(other)
			}
			have = append(have, text)
		}
		if !ok {
			have = []string{"differs"}
		}
		require.Equal(t, c.want, strings.Join(have, "; "), c.movements)
	}
}
