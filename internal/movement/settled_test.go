package movement_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
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
		{"Withdraw P 9; Endow S 1; Deposit P 1", "P -7; P -1 to S; S 1 to P"},
		{"Withdraw P 9; Endow S 1; Deposit P 2", "P -7; S 1"},
		{"Withdraw P 9; Endow S 1; Deposit P 3", "differs"},
		{"Withdraw P 9; Deposit S 1; Deposit P 1", "differs"},
		{"Withdraw P 9; Endow S 1; Withdraw S 4; Deposit S 4; Deposit P 1", "P -7; P -1 to S; S 1 to P; S -4; S 4"},
		{"Withdraw P 4; Withdraw P 9; Withdraw P 6; Deposit S 6; Endow S 2; Endow S 2; Deposit P 2", "P -7; P -6; S 6; P -2 to S; S 2 to P; P -2 to S; S 2 to P"},
		// The rest is 2 or nothing: in either case, what remains is one existential deposit.
		{"Withdraw P 9; Endow S 2; Endow S 1; Deposit P 1", "differs"},
		// One of two accounts got an existential deposit of the payer's.
		{"Withdraw P 9; Endow S 1; Endow S 1; Deposit P 1", "differs"},
		// What is left can be one deposit of 2, or two of 1.
		{"Withdraw P 9; Endow S 1; Endow S 1; Endow S 2; Deposit P 0", "differs"},
		{"Withdraw P 340282366920938463463374607431768211455; Withdraw P 1; Deposit P 340282366920938463463374607431768211448", "P -7; P -1"},
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

// A transaction settles whatever it pays for at once: existential deposits of new accounts, deposits of several holders,
// deposits given back, also such that others paid, swaps, the rounding of its receipt, and its fee. The first account is the
// payer. A stranger's deposits never become the payer's.
func TestSettledCombinations(t *testing.T) {
	const existential, seeds = 1_000_000_000, 4000
	seen := map[string]int{}
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 55))
		s := newScript(r)
		kinds := map[string]func(){
			"new account": func() { s.endow(s.account(), existential) },
			"deposit":     func() { s.take(s.account(), s.amount()) },
			"given back":  func() { s.giveBack(s.account(), s.amount()) },
			"new contract": func() {
				contract := s.account()
				s.endow(contract, existential)
				s.take(contract, s.amount())
			},
			"swap":                            func() { s.swap(s.amount(), s.amount()) },
			"swap of the existential deposit": func() { s.swap(existential, s.amount()) },
			"transfer":                        func() { s.event("Transfer", s.payer, s.account(), s.amount()) },
			"own deposit":                     func() { s.event("Held", chain.HoldReason("preimage.Preimage"), s.payer, s.amount()) },
			"burned":                          func() { s.event("Burned", s.payer, s.amount()) },
			"passed on":                       func() { s.swapped(s.payer, s.account(), s.amount()) },
			"a stranger's new account": func() {
				s.event("Withdraw", s.account(), s.amount()+existential)
				s.event("Endowed", s.account(), s.amount())
				s.event("Deposit", s.account(), s.amount()+existential)
			},
		}
		names := slices.Sorted(maps.Keys(kinds))
		for range r.IntN(8) {
			name := names[r.IntN(len(names))]
			kinds[name]()
			seen[name]++
		}
		list, payment := s.finish(seed%3 == 0, seed%5 == 0)
		settled, ok := movement.SettledAmong(len(list), func(i int) *movement.Movement { return &list[i] }, payment)
		require.True(t, ok, "seed %d: %v", seed, s.events)
		require.Equal(t, changes(t, list), changes(t, settled), "seed %d", seed)
		require.Equal(t, payment.Fee, settled[0].Amount, "seed %d", seed)
		have := map[string]int{}
		for _, m := range settled {
			if to, is := m.Counterparty.Get(); is && m.Event != "balances.Transfer" {
				have[fmt.Sprintf("%v %v %v %v", m.Account, m.Free, to, m.Reason)]++
			}
		}
		require.Equal(t, s.transfers, have, "seed %d", seed)
	}
	for name, n := range seen {
		require.Greater(t, n, seeds/10, name)
	}
}

// script is a transaction of pallet revive in the making.
type script struct {
	random    *rand.Rand
	payer     chain.Address
	accounts  byte
	events    []chain.Event // of the call
	left      int64         // what the call leaves of the highest cost
	transfers map[string]int
}

func newScript(r *rand.Rand) *script {
	s := &script{random: r, transfers: map[string]int{}}
	s.payer = s.account()
	return s
}

// account returns another account.
func (s *script) account() chain.Address {
	s.accounts++
	return chain.Address32([32]byte{s.accounts})
}

// amount returns an amount of which a thousand are less than an existential deposit.
func (s *script) amount() int64 { return 1 + s.random.Int64N(1_000_000) }

func (s *script) event(name string, data ...any) {
	e := chain.Event{Pallet: "balances", Name: name}
	for _, d := range data {
		switch d := d.(type) {
		case chain.Address:
			e.Data = append(e.Data, chain.AccountValue(d))
		case chain.HoldReason:
			e.Data = append(e.Data, chain.HoldReasonValue(d))
		case int64:
			e.Data = append(e.Data, chain.Uint64Value(uint64(d)))
		}
	}
	s.events = append(s.events, e)
}

const storageDeposit = chain.HoldReason("revive.StorageDepositReserve")

// paid records an amount from the payer to another account, or the other way round.
func (s *script) paid(other chain.Address, amount int64, reason chain.Optional[chain.HoldReason]) {
	s.left -= amount
	s.transfers[fmt.Sprintf("%v %v %v %v", s.payer, -amount, other, reason)]++
	s.transfers[fmt.Sprintf("%v %v %v %v", other, amount, s.payer, reason)]++
}

func (s *script) endow(account chain.Address, amount int64) {
	s.event("Endowed", account, amount)
	s.event("Deposit", account, amount)
	s.paid(account, amount, chain.Optional[chain.HoldReason]{})
}

func (s *script) take(holder chain.Address, amount int64) {
	s.event("Deposit", holder, amount)
	s.event("Held", storageDeposit, holder, amount)
	s.paid(holder, amount, chain.Some(storageDeposit))
}

func (s *script) giveBack(holder chain.Address, amount int64) {
	s.event("Released", storageDeposit, holder, amount)
	s.event("Withdraw", holder, amount)
	s.paid(holder, -amount, chain.Some(storageDeposit))
}

func (s *script) swapped(from, to chain.Address, amount int64) {
	s.event("Withdraw", from, amount)
	s.event("Deposit", to, amount)
}

// swap is of the payer and a pool.
func (s *script) swap(in, out int64) {
	pool := s.account()
	s.swapped(s.payer, pool, in)
	s.swapped(pool, s.payer, out)
}

// finish returns the movements with a fee, which a pot may get, and with nothing left to give back if exact.
func (s *script) finish(pot, exact bool) ([]movement.Movement, movement.Payment) {
	payment := movement.Payment{Payer: s.payer, Fee: chain.NewWei(uint64(s.amount()))}
	fee := int64(payment.Fee.Big().Uint64())
	rest := s.amount()
	if exact {
		rest = 0
	}
	hold := max(0, rest+fee-s.left)
	rest = hold + s.left - fee
	call := s.events
	s.events = nil
	first := s.random.Int64N(hold + 1)
	s.event("Withdraw", s.payer, first)
	s.event("Withdraw", s.payer, hold-first)
	s.events = append(s.events, call...)
	if rest > 0 {
		s.event("Deposit", s.payer, rest)
	}
	if pot {
		to := s.account()
		payment.Receiver = chain.Some(to)
		s.event("Endowed", to, fee)
		s.event("Deposit", to, fee)
	}
	list, _ := movement.Of(&chain.Block{Extrinsics: []chain.Extrinsic{{Events: s.events}}}, chain.LongAddressSize)
	return list, payment
}
