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

// outlay is what left an account's free balance in an extrinsic whose fee it paid. Cash is the sum of all other parts.
type outlay struct {
	Cash     chain.SignedWei
	Fee      chain.Wei
	Deposits chain.SignedWei // taken from it, less what it got back
	// Endowed are the existential deposits that an Ethereum transaction of pallet revive gave to new accounts, out of what it
	// withdrew from the payer.
	Endowed   chain.Wei
	Burned    chain.Wei       // the rounding of the Ethereum receipt, and the part of a value below the smallest unit
	Dust      chain.Wei       // was too little to keep the account
	Transfers chain.SignedWei // sent, less received
	// Other is what the call itself withdrew or deposited, such as a swap: 0 for an Ethereum transaction.
	Other chain.SignedWei
}

// outlayOf returns what an extrinsic took from the free balance of its fee's payer.
func outlayOf(t testing.TB, list []movement.Movement, p movement.Payment, revive bool) outlay {
	o, err := outlay{Fee: p.Fee}, error(nil)
	movements, at := len(list), func(i int) *movement.Movement { return &list[i] }
	add := func(to *chain.SignedWei, amount chain.SignedWei) {
		if err == nil {
			*to, err = to.Add(amount)
		}
	}
	deposits := movement.DepositsAmong(movements, at, chain.Some(p.Payer))
	held := map[int]bool{} // the deposits to accounts that hold them, and what was put on hold or given back
	for _, d := range deposits {
		held[d.At] = true
		if d.Party == chain.Some(p.Payer) {
			add(&o.Deposits, d.Amount)
			if m := at(d.At); m.Kind == movement.KindReserve && m.Account != p.Payer {
				held[d.At-1] = true
			}
		}
	}
	for i := range movements {
		m := at(i)
		free, known := m.Free.Get()
		switch {
		case m.Account != p.Payer:
			if m.Kind == movement.KindDeposit && revive && !held[i] && p.Receiver != chain.Some(m.Account) && err == nil {
				o.Endowed, err = o.Endowed.Add(m.Amount)
			}
			continue
		}
		require.True(t, known)
		add(&o.Cash, free.Negated())
		switch {
		case m.Kind == movement.KindBurn && free.Sign() < 0 && err == nil:
			o.Burned, err = o.Burned.Add(m.Amount)
		case m.Kind == movement.KindDust && err == nil:
			o.Dust, err = o.Dust.Add(m.Amount)
		case m.Event == "balances.Transfer":
			add(&o.Transfers, free.Negated())
		}
	}
	o.Other = o.Cash
	for _, part := range []chain.SignedWei{o.Fee.Signed(), o.Deposits, o.Endowed.Signed(), o.Burned.Signed(), o.Dust.Signed(), o.Transfers} {
		add(&o.Other, part.Negated())
	}
	require.NoError(t, err)
	return o
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
		o := outlayOf(t, of[at], movement.Payment{Payer: payer, Fee: fee}, s.Family == "evm")
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
		o := outlayOf(t, of[at], movement.Payment{Payer: payer, Fee: amount(t, s.Charged), Receiver: chain.Some(pot)}, s.Family == "evm")
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
