package movement_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/test/pairs"
)

// sentTo is a transaction of a recording, with what its payer paid: read from the state before and after it.
type sentTo struct {
	Height, Index           int
	Family, Payer, Call     string
	Charged                 string `json:"charged_wei"`
	Tip, Deposits           string
	DepositsBy              map[string]string
	Endowed, Burned         string
	Transfers               string
	PayerBefore, PayerAfter struct{ Free, Reserved string }
	TipPaid                 string `json:"tip_paid"`
	Withdrawn               string
	GivenBack               string            `json:"given_back"`
	AssetFee                []json.RawMessage `json:"asset_fee"`
}

func sentOf(t testing.TB, name string) (list []sentTo) {
	text, err := os.ReadFile(pairs.Path(t, name, "gateway", "sent.json"))
	require.NoError(t, err)
	var all struct{ Sent []sentTo }
	require.NoError(t, json.Unmarshal(text, &all))
	return all.Sent
}

// extrinsics returns the movements of a recording's extrinsics by place.
func extrinsics(t testing.TB, name string) map[string][]movement.Movement {
	r := recordedChain{size: chain.LongAddressSize}
	r.readBlocks(t, pairs.Path(t, name, "gateway", "blocks"))
	of := map[string][]movement.Movement{}
	for height, b := range r.blocks {
		movements, _ := movement.Of(b, r.size)
		for _, m := range movements {
			of[m.Where.In(uint64(height))] = append(of[m.Where.In(uint64(height))], m)
		}
	}
	return of
}

func outlay(t testing.TB, list []movement.Movement, p movement.Payment) movement.Outlay {
	o, err := movement.OutlayAmong(len(list), func(i int) *movement.Movement { return &list[i] }, p)
	require.NoError(t, err)
	known, ok := o.Get()
	require.True(t, ok)
	return known
}

func signed(t testing.TB, text string) chain.SignedWei {
	if text == "" {
		return chain.SignedWei{}
	}
	if text[0] == '-' {
		return amount(t, text[1:]).Signed().Negated()
	}
	return amount(t, text).Signed()
}

func plus(t testing.TB, list ...chain.SignedWei) (sum chain.SignedWei) {
	var err error
	for _, x := range list {
		sum, err = sum.Add(x)
		require.NoError(t, err)
	}
	return sum
}

// What left a payer's balance is the fee, deposits, existential deposits, rounding and transfers: for each transaction of
// both layers, each part as it was read from the state before and after the transaction.
func TestOutlays(t *testing.T) {
	of := extrinsics(t, "stack-template-3")
	sent := sentOf(t, "stack-template-3")
	require.Len(t, sent, 149)
	evm, gained, others := 0, 0, 0
	for _, s := range sent {
		at := fmt.Sprintf("%d-%d", s.Height, s.Index)
		payer, err := chain.ParseAccount(s.Payer)
		require.NoError(t, err)
		fee, err := amount(t, s.Charged).Add(amount(t, s.Tip))
		require.NoError(t, err)
		o := outlay(t, of[at], movement.Payment{Payer: payer, Fee: fee, Revive: s.Family == "evm"})
		require.Equal(t, plus(t, signed(t, s.PayerBefore.Free), signed(t, s.PayerAfter.Free).Negated()), o.Cash, at)
		require.Equal(t, signed(t, s.DepositsBy[s.Payer]), o.Deposits, at)
		require.Equal(t, amount(t, s.Endowed), o.Endowed, at)
		require.Equal(t, amount(t, s.Burned), o.Burned, at)
		require.Equal(t, signed(t, s.Transfers), plus(t, o.Transfers, o.Dust.Signed()), at)
		require.Zero(t, o.Other.Sign(), at)
		for party := range s.DepositsBy {
			require.Equal(t, s.Payer, party, "%s: no other account's deposit", at)
		}
		if s.Family == "evm" {
			evm++
		}
		if o.Cash.Sign() < 0 {
			gained++
		}
		if o.Deposits.Sign() != 0 {
			others++
		}
	}
	require.Equal(t, 88, evm)
	require.Equal(t, 6, gained)
	require.Equal(t, 39, others)

	// The older generation, where a pot gets the fee.
	of = extrinsics(t, "passet-1019002")
	pot, err := chain.ParseAccount("5EYCAe5cKPAoFh2HnQQvpKqRYZGqBpaA87u4Zzw89qPE58is")
	require.NoError(t, err)
	compared := 0
	for _, s := range sentOf(t, "passet-1019002") {
		if len(s.AssetFee) > 0 {
			continue // its payer withdraws nothing for it
		}
		at := fmt.Sprintf("%d-%d", s.Height, s.Index)
		payer, err := chain.ParseAccount(s.Payer)
		require.NoError(t, err)
		o := outlay(t, of[at], movement.Payment{Payer: payer, Fee: amount(t, s.Charged), Revive: s.Family == "evm", Receiver: chain.Some(pot)})
		cost := plus(t, signed(t, s.Withdrawn), signed(t, s.GivenBack).Negated())
		require.Zero(t, o.Other.Sign(), "%s: %v", at, o)
		if s.Family == "evm" {
			require.Equal(t, cost, plus(t, o.Fee.Signed(), o.Deposits, o.Endowed.Signed()), at)
		}
		compared++
	}
	require.Equal(t, 80, compared)
}

// The sum of what was taken and given back for each account is what it holds and reserves, at every height.
func TestDepositsAreWhatIsHeld(t *testing.T) {
	for _, name := range []string{"passet-1019002", "stack-template-3"} {
		r := readPair(t, name)
		held := map[chain.Address]chain.SignedWei{}
		for a, balances := range r.balances {
			held[a] = balances[0].Reserved.Signed()
		}
		compared, above := 0, 0
		for height, b := range r.blocks {
			if height == 0 {
				continue
			}
			movements, _ := movement.Of(b, r.size)
			for _, d := range movement.DepositsAmong(len(movements), func(i int) *movement.Movement { return &movements[i] }, chain.Optional[chain.Address]{}) {
				held[d.Holder] = plus(t, held[d.Holder], d.Amount)
			}
			for a, balances := range r.balances {
				require.Equal(t, balances[height].Reserved.Signed(), held[a], "%s, block %d, %v", name, height, a)
				compared++
				if held[a].Sign() > 0 {
					above++
				}
			}
		}
		require.Equal(t, map[string]int{"passet-1019002": 12 * 39, "stack-template-3": 20 * 37}[name], compared)
		require.Positive(t, above)
	}
}

// A deposit's party is who pays the transaction for what pallet revive holds of a contract, and otherwise the account
// itself or the one that the event names.
func TestPartiesOfDeposits(t *testing.T) {
	for name, test := range map[string]struct{ events, want []string }{
		"storage":          {[]string{`Deposit ["BOB","7"]`, `Held [{"revive":"StorageDepositReserve"},"BOB","7"]`}, []string{"BOB 7 by PAYER"}},
		"another amount":   {[]string{`Deposit ["BOB","6"]`, `Held [{"revive":"StorageDepositReserve"},"BOB","7"]`}, []string{"BOB 7 by BOB"}},
		"another's":        {[]string{`Deposit ["ALICE","7"]`, `Held [{"revive":"StorageDepositReserve"},"BOB","7"]`}, []string{"BOB 7 by BOB"}},
		"another pallet":   {[]string{`Deposit ["BOB","7"]`, `Held [{"preimage":"Preimage"},"BOB","7"]`}, []string{"BOB 7 by BOB"}},
		"cleared":          {[]string{`Released [{"revive":"StorageDepositReserve"},"BOB","7"]`, `Withdraw ["BOB","7"]`}, []string{"BOB -7 by PAYER"}},
		"unmapped":         {[]string{`Released [{"revive":"AddressMapping"},"BOB","7"]`, `Withdraw ["BOB","6"]`}, []string{"BOB -7 by BOB"}},
		"reserved":         {[]string{`Reserved ["BOB","7"]`, `Unreserved ["BOB","2"]`}, []string{"BOB 7 by BOB", "BOB -2 by BOB"}},
		"from another":     {[]string{`TransferAndHold [{"revive":"StorageDepositReserve"},"ALICE","BOB","7"]`}, []string{"BOB 7 by ALICE"}},
		"back to another":  {[]string{`TransferOnHold [{"revive":"StorageDepositReserve"},"BOB","ALICE","7"]`}, []string{"BOB -7 by ALICE"}},
		"burned":           {[]string{`BurnedHeld [{"revive":"StorageDepositReserve"},"BOB","7"]`}, []string{"BOB -7 by unknown"}},
		"a reserve passes": {[]string{`ReserveRepatriated ["BOB","ALICE","7","Reserved"]`}, []string{"BOB -7 by ALICE", "ALICE 7 by ALICE"}},
		"a reserve ends":   {[]string{`ReserveRepatriated ["BOB","ALICE","7","Free"]`}, []string{"BOB -7 by ALICE"}},
	} {
		t.Run(name, func(t *testing.T) {
			x := chain.Extrinsic{Index: 3}
			for _, text := range test.events {
				var event, data string
				_, err := fmt.Sscan(text, &event, &data)
				require.NoError(t, err)
				x.Events = append(x.Events, balancesEvent(t, event, data))
			}
			movements, unclassified := movement.Of(&chain.Block{Extrinsics: []chain.Extrinsic{x}}, chain.AddressSize)
			require.Empty(t, unclassified)
			payer := account(t, "0xcccccccccccccccccccccccccccccccccccccccc")
			names := map[chain.Address]string{account(t, "ALICE"): "ALICE", account(t, "BOB"): "BOB", payer: "PAYER"}
			var have []string
			for _, d := range movement.DepositsAmong(len(movements), func(i int) *movement.Movement { return &movements[i] }, chain.Some(payer)) {
				party := "unknown"
				if p, known := d.Party.Get(); known {
					party = names[p]
				}
				have = append(have, fmt.Sprintf("%s %v by %s", names[d.Holder], d.Amount, party))
			}
			require.Equal(t, test.want, have)
		})
	}
}

// The settled movements of an Ethereum transaction have the fee in one withdrawal, and change the payer's balance by what
// left it.
func TestSettled(t *testing.T) {
	of, settled, transfers := extrinsics(t, "stack-template-3"), 0, 0
	for _, s := range sentOf(t, "stack-template-3") {
		if s.Family != "evm" {
			continue
		}
		at := fmt.Sprintf("%d-%d", s.Height, s.Index)
		payer, err := chain.ParseAccount(s.Payer)
		require.NoError(t, err)
		fee := amount(t, s.Charged)
		list, ok := movement.SettledAmong(len(of[at]), func(i int) *movement.Movement { return &of[at][i] }, movement.Payment{Payer: payer, Fee: fee, Revive: true})
		require.True(t, ok, at)
		settled++
		var change, withdrawn chain.SignedWei
		for _, m := range list {
			require.Equal(t, payer, m.Account)
			free, known := m.Free.Get()
			require.True(t, known)
			change = plus(t, change, free)
			switch {
			case m.Kind == movement.KindWithdrawal:
				withdrawn = plus(t, withdrawn, free)
			case !m.Mirrored() && m.Counterparty.Known():
				transfers++
			}
		}
		require.Equal(t, plus(t, signed(t, s.PayerAfter.Free), signed(t, s.PayerBefore.Free).Negated()), change, at)
		require.Equal(t, fee.Signed().Negated(), withdrawn, at)

		// With another fee, they do not add up.
		wrong, err := fee.Add(chain.NewWei(1))
		require.NoError(t, err)
		_, ok = movement.SettledAmong(len(of[at]), func(i int) *movement.Movement { return &of[at][i] }, movement.Payment{Payer: payer, Fee: wrong, Revive: true})
		require.False(t, ok)
	}
	require.Equal(t, 88, settled)
	require.Positive(t, transfers)
}
