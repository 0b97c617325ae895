package movement_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/test/blocktest"
)

// Three accounts, as a gateway writes them, and as the cases below call them.
var accounts = strings.NewReplacer(
	"ALICE", "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac",
	"BOB", "0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0",
)

func account(t testing.TB, name string) chain.Address {
	t.Helper()
	a, err := chain.ParseAddress(accounts.Replace(name))
	require.NoError(t, err)
	return a
}

func balancesEvent(t testing.TB, name, data string) chain.Event {
	t.Helper()
	return blocktest.Event(t, "balances."+name, accounts.Replace(data))
}

// moved is a movement in one line: kind, account, counterparty, amount, change of
// free, change of reserved, reason of the hold if any. What is not known is "?", no counterparty is "-".
func moved(t testing.TB, m movement.Movement) string {
	t.Helper()
	name := map[chain.Address]string{account(t, "ALICE"): "ALICE", account(t, "BOB"): "BOB"}
	counterparty := "-"
	if other, known := m.Counterparty.Get(); known {
		counterparty = name[other]
	}
	change := func(o chain.Optional[chain.SignedWei]) string {
		if by, known := o.Get(); known {
			return by.String()
		}
		return "?"
	}
	line := fmt.Sprintf("%s %s %s %v %s %s", m.Kind, name[m.Account], counterparty, m.Amount, change(m.Free), change(m.Reserved))
	if reason, known := m.Reason.Get(); known {
		line += " " + string(reason)
	}
	return line
}

// eventCases are the events of the pallet with what its source says that they
// tell: polkadot-sdk, substrate/frame/balances (lib.rs, impl_currency.rs,
// impl_fungible.rs) and the traits in substrate/frame/support. A case is the
// event, its data, and its movements: none for an event that moves nothing.
var eventCases = map[string]struct {
	event, data string
	moved       []string
}{
	"deposit":     {"Deposit", `["ALICE","7"]`, []string{"deposit ALICE - 7 7 0"}},
	"withdraw":    {"Withdraw", `["ALICE","7"]`, []string{"withdrawal ALICE - 7 -7 0"}},
	"minted":      {"Minted", `["ALICE","7"]`, []string{"mint ALICE - 7 7 0"}},
	"burned":      {"Burned", `["ALICE","7"]`, []string{"burn ALICE - 7 -7 0"}},
	"suspended":   {"Suspended", `["ALICE","7"]`, []string{"suspension ALICE - 7 -7 0"}},
	"restored":    {"Restored", `["ALICE","7"]`, []string{"restoration ALICE - 7 7 0"}},
	"dust lost":   {"DustLost", `["ALICE","7"]`, []string{"dust ALICE - 7 -7 0"}},
	"reserved":    {"Reserved", `["ALICE","7"]`, []string{"reserve ALICE - 7 -7 7"}},
	"unreserved":  {"Unreserved", `["ALICE","7"]`, []string{"unreserve ALICE - 7 7 -7"}},
	"held":        {"Held", `[{"preimage":"Preimage"},"ALICE","7"]`, []string{"reserve ALICE - 7 -7 7 preimage.Preimage"}},
	"released":    {"Released", `[{"preimage":"Preimage"},"ALICE","7"]`, []string{"unreserve ALICE - 7 7 -7 preimage.Preimage"}},
	"burned held": {"BurnedHeld", `[null,"ALICE","7"]`, []string{"burn ALICE - 7 0 -7"}},

	"transfer": {"Transfer", `["ALICE","BOB","7"]`, []string{
		"transfer-out ALICE BOB 7 -7 0", "transfer-in BOB ALICE 7 7 0"}},
	"transfer to oneself": {"Transfer", `["ALICE","ALICE","7"]`, []string{
		"transfer-out ALICE ALICE 7 -7 0", "transfer-in ALICE ALICE 7 7 0"}},
	"repatriated, free": {"ReserveRepatriated", `["ALICE","BOB","7","Free"]`, []string{
		"transfer-out ALICE BOB 7 0 -7", "transfer-in BOB ALICE 7 7 0"}},
	"repatriated, reserved": {"ReserveRepatriated", `["ALICE","BOB","7","Reserved"]`, []string{
		"transfer-out ALICE BOB 7 0 -7", "transfer-in BOB ALICE 7 0 7"}},
	"repatriated, free as an object": {"ReserveRepatriated", `["ALICE","BOB","7",{"free":null}]`, []string{
		"transfer-out ALICE BOB 7 0 -7", "transfer-in BOB ALICE 7 7 0"}},
	"repatriated, reserved as an object": {"ReserveRepatriated", `["ALICE","BOB","7",{"Reserved":null}]`, []string{
		"transfer-out ALICE BOB 7 0 -7", "transfer-in BOB ALICE 7 0 7"}},
	"repatriated to oneself": {"ReserveRepatriated", `["ALICE","ALICE","7","free"]`, []string{
		"transfer-out ALICE ALICE 7 0 -7", "transfer-in ALICE ALICE 7 7 0"}},
	"transfer and hold": {"TransferAndHold", `["x","ALICE","BOB","7"]`, []string{
		"transfer-out ALICE BOB 7 -7 0 x", "transfer-in BOB ALICE 7 0 7 x"}},
	"refund of a deposit": {"TransferOnHold", `[{"revive":"StorageDepositReserve"},"ALICE","BOB","7"]`, []string{
		"transfer-out ALICE BOB 7 0 -7 revive.StorageDepositReserve", "transfer-in BOB ALICE 7 7 0 revive.StorageDepositReserve"}},
	"reason unread": {"Held", `[7,"ALICE","7"]`, []string{"reserve ALICE - 7 -7 7"}},

	// the event does not tell all
	"transfer on hold": {"TransferOnHold", `["x","ALICE","BOB","7"]`, []string{"transfer-out ALICE BOB 7 0 -7 x", "transfer-in BOB ALICE 7 ? ? x"}},
	"deposit of contracts": {"TransferOnHold", `[{"contracts":"CodeUploadDepositReserve"},"ALICE","BOB","7"]`, []string{
		"transfer-out ALICE BOB 7 0 -7 contracts.CodeUploadDepositReserve", "transfer-in BOB ALICE 7 ? ? contracts.CodeUploadDepositReserve"}},
	"transfer, reason unread": {"TransferOnHold", `[null,"ALICE","BOB","7"]`, []string{"transfer-out ALICE BOB 7 0 -7", "transfer-in BOB ALICE 7 ? ?"}},
	"slashed":                 {"Slashed", `["ALICE","7"]`, []string{"slash ALICE - 7 ? ?"}},
	"balance set":             {"BalanceSet", `["ALICE","7"]`, []string{"free-set ALICE - 7 ? 0"}},
	"balance set, old":        {"BalanceSet", `["ALICE","7","5"]`, []string{"free-set ALICE - 7 ? 0", "reserved-set ALICE - 5 0 ?"}},
	"balance set, nothing":    {"BalanceSet", `["ALICE","0"]`, []string{"free-set ALICE - 0 ? 0"}},

	// amounts
	"refund of zero": {"Deposit", `["ALICE","0"]`, []string{"deposit ALICE - 0 0 0"}},
	"zero withdrawn": {"Withdraw", `["ALICE","0"]`, []string{"withdrawal ALICE - 0 0 0"}},
	"hex":            {"Withdraw", `["ALICE","0x0000000a"]`, []string{"withdrawal ALICE - 10 -10 0"}},
	"JSON number":    {"Withdraw", `["ALICE",10]`, []string{"withdrawal ALICE - 10 -10 0"}},
	"largest": {"Withdraw", `["ALICE","340282366920938463463374607431768211455"]`, []string{
		"withdrawal ALICE - 340282366920938463463374607431768211455 -340282366920938463463374607431768211455 0"}},
	"address in lower case": {"Deposit", `["0xf24ff3a9cf04c71dbc94d0b566f7a27b94566cac","7"]`, []string{"deposit ALICE - 7 7 0"}},

	// known to move nothing
	"endowed":               {"Endowed", `["ALICE","7"]`, nil},
	"upgraded":              {"Upgraded", `["ALICE"]`, nil},
	"locked":                {"Locked", `["ALICE","7"]`, nil},
	"unlocked":              {"Unlocked", `["ALICE","7"]`, nil},
	"frozen":                {"Frozen", `["ALICE","7"]`, nil},
	"thawed":                {"Thawed", `["ALICE","7"]`, nil},
	"issued":                {"Issued", `["7"]`, nil},
	"rescinded":             {"Rescinded", `["7"]`, nil},
	"total issuance forced": {"TotalIssuanceForced", `["7","8"]`, nil},
	"minted credit":         {"MintedCredit", `["7"]`, nil},
	"burned debt":           {"BurnedDebt", `["7"]`, nil},
}

func TestMovements(t *testing.T) {
	for name, test := range eventCases {
		t.Run(name, func(t *testing.T) {
			movements, unclassified := movement.Of(&chain.Block{OnFinalize: []chain.Event{balancesEvent(t, test.event, test.data)}}, chain.AddressSize)
			require.Empty(t, unclassified)
			var have []string
			for _, m := range movements {
				require.Equal(t, movement.OnFinalize, m.Where)
				require.Equal(t, "balances."+test.event, m.Event)
				require.Equal(t, m.Free.Known() && m.Reserved.Known(), m.Known())
				have = append(have, moved(t, m))
			}
			require.Equal(t, test.moved, have)
		})
	}
}

// What no rule can read is kept with its reason, and nothing of it is a movement.
func TestUnclassified(t *testing.T) {
	const tooLarge = "340282366920938463463374607431768211456"
	for name, test := range map[string]struct {
		event, data, err string
	}{
		"unknown event":            {"Teleported", `["ALICE","7"]`, "unknown event"},
		"a check of the chain":     {"Unexpected", `["BalanceUpdated"]`, "unknown event"},
		"name in other case":       {"deposit", `["ALICE","7"]`, "unknown event"},
		"no data":                  {"Deposit", `[]`, "data: want 2 values (who, amount), have 0"},
		"a value too few":          {"Deposit", `["ALICE"]`, "data: want 2 values (who, amount), have 1"},
		"a value too many":         {"Transfer", `["ALICE","BOB","7","1"]`, "data: want 3 values (from, to, amount), have 4"},
		"balance set of one":       {"BalanceSet", `["ALICE"]`, "data: want 2 values (who, free), have 1"},
		"balance set of four":      {"BalanceSet", `["ALICE","7","5","1"]`, "data: want 2 values (who, free), have 4"},
		"old balance set":          {"BalanceSet", `["ALICE","7","x"]`, `data[2]: reserved: "x" is not a non-negative integer`},
		"account missing":          {"Deposit", `[null,"7"]`, "data[0]: who: missing"},
		"account of 32 bytes":      {"Deposit", `["0x6d6f646c70792f74727372790000000000000000000000000000000000000000","7"]`, `data[0]: who: "0x6d6f646c70792f74727372790000000000000000000000000000000000000000" is not an address: want 0x and 40 hex digits`},
		"account in SS58":          {"Deposit", `["5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY","7"]`, `data[0]: who: 5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY has 32 bytes, want 20`},
		"account and amount":       {"Deposit", `["7","ALICE"]`, `data[0]: who: "7" is not an address: want 0x and 40 hex digits`},
		"receiver missing":         {"Transfer", `["ALICE",null,"7"]`, "data[1]: to: missing"},
		"sender missing":           {"Transfer", `[null,"BOB","7"]`, "data[0]: from: missing"},
		"amount missing":           {"Withdraw", `["ALICE",null]`, "data[1]: amount: missing"},
		"amount negative":          {"Withdraw", `["ALICE","-7"]`, `data[1]: amount: "-7" is not a non-negative integer`},
		"amount with a fraction":   {"Withdraw", `["ALICE",7.0]`, `data[1]: amount: "7.0" is not a non-negative integer`},
		"amount above 128 bits":    {"Withdraw", `["ALICE","` + tooLarge + `"]`, "data[1]: amount: " + tooLarge + " is more than 128 bits"},
		"held, who and reason":     {"Held", `["ALICE",{"preimage":"Preimage"},"7"]`, "data[1]: who: want an address, have an object"},
		"hold, amount":             {"TransferAndHold", `["x","ALICE","BOB","ten"]`, `data[3]: transferred: "ten" is not a non-negative integer`},
		"status missing":           {"ReserveRepatriated", `["ALICE","BOB","7"]`, "data[3]: destination_status: missing"},
		"status null":              {"ReserveRepatriated", `["ALICE","BOB","7",null]`, "data[3]: destination_status: missing"},
		"status unknown":           {"ReserveRepatriated", `["ALICE","BOB","7","Frozen"]`, `data[3]: destination_status: want Free or Reserved, have "Frozen"`},
		"status a number":          {"ReserveRepatriated", `["ALICE","BOB","7",0]`, "data[3]: destination_status: want Free or Reserved, have a number"},
		"status with a value":      {"ReserveRepatriated", `["ALICE","BOB","7",{"free":1}]`, "data[3]: destination_status: want Free or Reserved, have an object"},
		"status both":              {"ReserveRepatriated", `["ALICE","BOB","7",{"free":null,"reserved":null}]`, "data[3]: destination_status: want Free or Reserved, have an object"},
		"more than the status":     {"ReserveRepatriated", `["ALICE","BOB","7","Free",1]`, "data: want 4 values (from, to, amount, destination_status), have 5"},
		"an account in the amount": {"ReserveRepatriated", `["ALICE","BOB","BOB","Free"]`, "data[2]: amount: 0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0 is more than 128 bits"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := balancesEvent(t, test.event, test.data)
			b := chain.Block{Reported: blocktest.Data{0: {"", test.data}}, Extrinsics: []chain.Extrinsic{{Events: []chain.Event{
				balancesEvent(t, "Withdraw", `["BOB","9"]`), bad, balancesEvent(t, "Deposit", `["BOB","4"]`),
			}}}}
			movements, unclassified := movement.Of(&b, chain.AddressSize)
			require.Len(t, unclassified, 1)
			u := unclassified[0]
			require.EqualError(t, u.Err, test.err)
			require.Equal(t, test.err == "unknown event", u.Err == movement.ErrUnknownEvent)
			require.Equal(t, movement.Unclassified{Where: 0, EventIndex: 1, Event: "balances." + test.event, Data: test.data, Err: u.Err}, u)
			require.Len(t, movements, 2, "the other events count")
			require.Equal(t, "withdrawal BOB - 9 -9 0", moved(t, movements[0]))
			require.Equal(t, "deposit BOB - 4 4 0", moved(t, movements[1]))
		})
	}
}

// The order is the chain's, and each movement says where its event stands.
func TestMovementsOrder(t *testing.T) {
	other := blocktest.Event(t, "treasury.Deposit", `["7"]`)
	deposit := func(amount string) chain.Event { return balancesEvent(t, "Deposit", `["ALICE","`+amount+`"]`) }
	b := chain.Block{
		OnInitialize: []chain.Event{other, deposit("1"), deposit("2")},
		Extrinsics: []chain.Extrinsic{
			{Index: 0, Events: []chain.Event{deposit("3")}},
			{Index: 1, Events: []chain.Event{other}},
			{Index: 2, Events: []chain.Event{other, balancesEvent(t, "Endowed", `["BOB","4"]`), balancesEvent(t, "Transfer", `["ALICE","BOB","4"]`), deposit("5"), balancesEvent(t, "Odd", `[]`)}},
		},
		OnFinalize: []chain.Event{balancesEvent(t, "Odder", `[]`), deposit("6")},
	}
	movements, unclassified := movement.Of(&b, chain.AddressSize)
	var have []string
	previous := movement.Where(-2)
	for _, m := range movements {
		have = append(have, fmt.Sprintf("%v/%d/%s/%v", m.Where, m.EventIndex, m.Event, m.Amount))
		require.LessOrEqual(t, previous, m.Where)
		previous = m.Where
	}
	require.Equal(t, []string{
		"onInitialize/1/balances.Deposit/1",
		"onInitialize/2/balances.Deposit/2",
		"extrinsic 0/0/balances.Deposit/3",
		"extrinsic 2/2/balances.Transfer/4",
		"extrinsic 2/2/balances.Transfer/4",
		"extrinsic 2/3/balances.Deposit/5",
		"onFinalize/1/balances.Deposit/6",
	}, have)
	var odd []string
	for _, u := range unclassified {
		odd = append(odd, fmt.Sprintf("%v/%d/%s", u.Where, u.EventIndex, u.Event))
	}
	require.Equal(t, []string{"extrinsic 2/4/balances.Odd", "onFinalize/0/balances.Odder"}, odd)
}

func TestMovementsOfNothing(t *testing.T) {
	movements, unclassified := movement.Of(&chain.Block{}, chain.AddressSize)
	require.Empty(t, movements)
	require.Empty(t, unclassified)
}

func TestWhere(t *testing.T) {
	for where, want := range map[movement.Where]string{
		movement.OnInitialize: "onInitialize", 0: "extrinsic 0", 12: "extrinsic 12", movement.OnFinalize: "onFinalize",
	} {
		require.Equal(t, want, where.String())
		words := map[string]string{"onInitialize": "25, start of the block", "onFinalize": "25, end of the block", "extrinsic 0": "25-0", "extrinsic 12": "25-12"}
		require.Equal(t, words[want], where.Words(25))
		index, ok := where.Extrinsic()
		require.Equal(t, strings.HasPrefix(want, "extrinsic"), ok)
		if ok {
			require.Equal(t, fmt.Sprintf("extrinsic %d", index), want)
		}
	}
}

// FuzzMovements: whatever an event holds, it gives movements or a reason, never
// both; what stays with the accounts together is as much as before; and what is
// known of a change is the amount, one way or the other, or nothing.
func FuzzMovements(f *testing.F) {
	for _, c := range eventCases {
		f.Add(c.event, accounts.Replace(c.data))
	}
	f.Add("ReserveRepatriated", `["","","",{"free":null}]`)
	f.Add("Held", `[[],[],[]]`)
	stays := map[string]bool{"Transfer": true, "Reserved": true, "Unreserved": true, "ReserveRepatriated": true, "Held": true, "Released": true, "TransferAndHold": true}
	f.Fuzz(func(t *testing.T, name, data string) {
		text, err := json.Marshal(name)
		require.NoError(t, err)
		b, err := sidecar.DecodeBlock(blocktest.Text(`"onInitialize":{"events":[{"method":{"pallet":"balances","method":` + string(text) + `},"data":` + data + `}]},"extrinsics":[]`))
		if err != nil {
			return
		}
		movements, unclassified := movement.Of(b, chain.AddressSize)
		require.LessOrEqual(t, len(movements), 2)
		require.LessOrEqual(t, len(unclassified), 1)
		require.False(t, len(movements) > 0 && len(unclassified) > 0, "both movements and unclassified")
		sum := chain.SignedWei{}
		for _, m := range movements {
			for _, change := range []chain.Optional[chain.SignedWei]{m.Free, m.Reserved} {
				if by, known := change.Get(); known {
					require.True(t, by.Sign() == 0 || by.Size() == m.Amount, "%v of %v", by, m.Amount)
					sum, err = sum.Add(by)
					require.NoError(t, err)
				}
			}
		}
		if stays[name] {
			require.Zero(t, sum.Sign(), "%s %s", name, data)
		}
	})
}
