package chain_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

// events builds events from their names, account and amount: "Withdraw 1 50" of balances concerns account 1, "Held C 5" is a
// hold of pallet revive. Other names are events of another pallet.
func events(t *testing.T, text string) (list []chain.Event) {
	t.Helper()
	issuance := map[string]bool{"BurnedDebt": true, "Rescinded": true, "Issued": true, "MintedCredit": true}
	pallets := map[string]string{"Withdraw": "balances", "Deposit": "balances", "Held": "balances", "Released": "balances", "DustLost": "balances", "Endowed": "balances", "NewAccount": "system", "TransactionFeePaid": "transactionPayment"}
	for part := range strings.SplitSeq(text, "; ") {
		words := strings.Fields(part)
		e := chain.Event{Pallet: cmp.Or(pallets[words[0]], "revive"), Name: words[0]}
		if issuance[e.Name] {
			e.Pallet = "balances"
		}
		if e.Name == "Held" || e.Name == "Released" {
			e.Data = chain.Values{chain.HoldReasonValue("revive.StorageDepositReserve")}
		}
		for i, word := range words[1:] {
			if i == 0 && !issuance[e.Name] {
				e.Data = append(e.Data, chain.AccountValue(chain.Address32([32]byte{word[0]})))
				continue
			}
			amount, err := chain.ParseWei(word)
			require.NoError(t, err)
			e.Data = append(e.Data, chain.NumberValue(amount.Word()))
		}
		list = append(list, e)
	}
	return list
}

// 1 is the payer, P the receiver of fees, C a contract.
func TestFlow(t *testing.T) {
	const largest = "340282366920938463463374607431768211455"
	for text, want := range map[string]string{
		"Withdraw 1 40; Withdraw 1 10; Transfer; Deposit 1 43; Deposit P 7; TransactionFeePaid":                 "charged 7, hold 50, credits 7",
		"Withdraw 1 40; Withdraw 1 10; Deposit C 20; Held; Deposit 1 23; Deposit P 7; TransactionFeePaid":       "charged 7, hold 50, credits 7",
		"Withdraw 1 40; Withdraw 1 10; Released; Withdraw C 20; Deposit 1 63; Deposit P 7; TransactionFeePaid":  "charged 7, hold 50, credits 7",
		"Withdraw 1 40; Withdraw 1 10; Deposit 1 43; NewAccount P; Endowed P; Deposit P 7; TransactionFeePaid":  "charged 7, hold 50, credits 7",
		"Withdraw 1 40; Withdraw 1 10; Deposit 1 43; Deposit P 4; Deposit P 3; TransactionFeePaid":              "charged 7, hold 50, credits 7",
		"Withdraw 1 40; Withdraw 1 10; Deposit 1 43; BurnedDebt; TransactionFeePaid":                            "charged 7, hold 50, credits 0",
		"Withdraw 1 40; Withdraw 1 10; Deposit P 5; Call; Deposit 1 38; BurnedDebt; TransactionFeePaid":         "charged 7, hold 50, credits 0",
		"Withdraw 1 40; Withdraw 1 10; Deposit P 5; NewAccount C; Deposit P 7; Deposit C 1; TransactionFeePaid": "charged 37, hold 50, credits 0",
		"Withdraw 1 40; Call; Withdraw 1 10; Deposit 1 43; TransactionFeePaid":                                  "charged 7, hold 40, credits 0",
		"Withdraw 1 40; Withdraw 1 10; Withdraw 1 1; Deposit 1 44; TransactionFeePaid; Deposit 1 9":             "charged 7, hold 50, credits 0",
		"Withdraw C 40; Deposit 1 33; TransactionFeePaid":                                                       "charged 7, hold 0, credits 0",
		"Withdraw 1 40": "event transactionPayment.TransactionFeePaid: missing",
		"Withdraw 1 40; Deposit 1; TransactionFeePaid":                             "event balances.Deposit: data[1]: missing",
		"Withdraw 1 4; Deposit 1 5; TransactionFeePaid":                            "4 wei withdrawn but 5 deposited: overflow",
		"Withdraw 1 " + largest + "; Withdraw 1 1; TransactionFeePaid":             "overflow",
		"Withdraw 1 1; Deposit 1 " + largest + "; Deposit 1 1; TransactionFeePaid": "overflow",
	} {
		flow, err := chain.FindFlow(&chain.Extrinsic{Events: events(t, text)}, chain.Some(chain.Address32([32]byte{'P'})))
		var charged, hold, credits chain.Wei
		if err == nil {
			charged, err = flow.Charged()
		}
		if err == nil {
			hold, err = chain.Sum(flow.Hold(chain.Address32([32]byte{'1'})))
			require.NoError(t, err)
			credits, err = chain.Sum(flow.Credits)
		}
		have := fmt.Sprintf("charged %v, hold %v, credits %v", charged, hold, credits)
		if err != nil {
			have = err.Error()
		}
		require.Equal(t, want, have, text)
	}
	flow, err := chain.FindFlow(&chain.Extrinsic{Events: events(t, "Withdraw 1 9; Deposit P 7; TransactionFeePaid")}, chain.Optional[chain.Address]{})
	require.NoError(t, err)
	require.Empty(t, flow.Credits, "no receiver is known")
}

// What the call burned or issued is not of the fee, if the fee that the chain states is left then. The fee is 7.
func TestFlowOfACallThatBurns(t *testing.T) {
	const hold, rest = "Withdraw 1 40; Withdraw 1 10; ", "; Deposit 1 43; BurnedDebt 7; TransactionFeePaid 1 7"
	for call, want := range map[string]string{
		"Call":                                     "7, burned 0",
		"Withdraw 1 5; BurnedDebt 5":               "7, burned 5",
		"Withdraw 1 5; Deposit C 2; Rescinded 3":   "7, burned 3",
		"Issued 5; Deposit C 5":                    "7, burned -5",
		"Deposit 1 60; MintedCredit 60":            "7, burned -60",
		"Withdraw 1 5; BurnedDebt 4":               "12, burned 0",
		"Withdraw 1 5; BurnedDebt":                 "12, burned 0",
		"Withdraw 1 5; DustLost C 5; BurnedDebt 5": "12, burned 0",
		"DustLost C 5; BurnedDebt 5":               "7, burned 0",
		"Slash; BurnedDebt 5":                      "7, burned 0",
		"Issued 340282366920938463463374607431768211455; Issued 340282366920938463463374607431768211455; Withdraw 1 5": "12, burned 0",
		"Deposit 1 60": "overflow",
	} {
		flow, err := chain.FindFlow(&chain.Extrinsic{Events: events(t, hold+call+rest)}, chain.Optional[chain.Address]{})
		require.NoError(t, err)
		charged, err := flow.Charged()
		have := fmt.Sprintf("%v, burned %v", charged, flow.Burned)
		if err != nil {
			require.ErrorIs(t, err, chain.ErrOverflow)
			have = "overflow"
		}
		require.Equal(t, want, have, call)
	}
	burned, err := chain.FindFlow(&chain.Extrinsic{Events: events(t, "BurnedDebt 5; Withdraw 1 12; TransactionFeePaid 1 7")}, chain.Optional[chain.Address]{})
	require.NoError(t, err)
	require.Equal(t, "5", burned.Burned.String())
}

// What a transaction moved besides its hold and rest: taken, endowed, given back, and of the call itself.
func TestStakes(t *testing.T) {
	const hold, rest = "Withdraw 1 40; Withdraw 1 10; ", "; Deposit 1 43; TransactionFeePaid 1 7"
	for call, want := range map[string]string{
		"Call":                                   "[] [] [] []",
		"Deposit C 5; Held C 5":                  "[5] [] [] []",
		"NewAccount C; Endowed C 5; Deposit C 5": "[] [5] [] []",
		"Released C 5; Withdraw C 5":             "[] [] [5] []",
		"Released C 5; Withdraw C 5; Deposit D 5; Held D 5":             "[5] [] [5] []",
		"NewAccount C; Endowed C 5; Deposit C 5; Deposit C 5; Held C 5": "[5] [5] [] []",
		"Withdraw 1 6; Deposit S 6; Withdraw S 3; Deposit 1 3":          "[] [] [] []",
		"Withdraw S 6; NewAccount C; Endowed C 6; Deposit C 6":          "[] [] [] []",
		"Withdraw 1 6; BurnedDebt 6":                                    "[] [] [] []",
		"Withdraw 1 0; Deposit S 0":                                     "[] [] [] []",
		"Withdraw 1 0; Call; Deposit S 0":                               "[] [] [] []",
		"Withdraw 1 6; BurnedDebt 5":                                    "[] [] [] [6]",
		"Withdraw 1 6; Call; Deposit S 6":                               "[] [] [] [6 6]",
		"Withdraw 1 6; Deposit S 5":                                     "[] [] [] [6 5]",
		"Withdraw 1 6; Deposit C 6; Held C 6":                           "[6] [] [] [6]",
		"Deposit C 5; Held C 6":                                         "[] [] [] [5]",
		"Deposit C 5; Held D 5":                                         "[] [] [] [5]",
		"Endowed C 4; Deposit C 5":                                      "[] [] [] [5]",
		"Deposit 1 3":                                                   "[] [] [] [3]",
	} {
		x := chain.Extrinsic{Events: events(t, hold+call+rest)}
		flow, err := chain.FindFlow(&x, chain.Optional[chain.Address]{})
		require.NoError(t, err)
		stakes := flow.Stakes(&x, chain.Address32([32]byte{'1'}))
		var have []string
		for _, list := range [][]chain.Deposit{stakes.Taken, stakes.Endowed, stakes.GivenBack, stakes.Own} {
			amounts := []chain.Wei{}
			for _, d := range list {
				amounts = append(amounts, d.Amount)
			}
			have = append(have, fmt.Sprint(amounts))
		}
		require.Equal(t, want, strings.Join(have, " "), call)
	}
	// The last withdrawal is that of an account that holds nothing, before the fee's event.
	x := chain.Extrinsic{Events: events(t, "Withdraw 1 9; TransactionFeePaid 1 9")}
	flow, err := chain.FindFlow(&x, chain.Optional[chain.Address]{})
	require.NoError(t, err)
	require.Len(t, flow.Stakes(&x, chain.Address32([32]byte{'2'})).Own, 1)
}

func TestPaddedAccounts(t *testing.T) {
	// Alith and the account that paid for her in the recording pairs/passet-1019002.
	alith, err := chain.ParseAddress("0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac")
	require.NoError(t, err)
	paid, err := chain.ParseAccount("5HYRCKHYJN9z5xUtfFkyMj4JUhsAwWyvuU8vKB1FcnYTf9ZQ")
	require.NoError(t, err)
	require.Equal(t, paid, alith.Padded())
	require.True(t, alith.Is(paid))
	require.True(t, paid.Is(alith))
	require.True(t, alith.Is(alith.Hashed()))
	require.False(t, alith.Hashed().Is(paid))
	require.False(t, alith.Is(chain.Address32([32]byte{1})))
}

func TestOffered(t *testing.T) {
	p := chain.Payload{LegacyGasPrice: chain.NewGasPrice(3), MaxFeePerGas: chain.NewGasPrice(5)}
	for of, want := range map[chain.TransactionType]uint64{chain.Legacy: 3, chain.EIP2930: 3, chain.EIP1559: 5, chain.EIP7702: 5} {
		p.Type = of
		require.Equal(t, chain.NewGasPrice(want), p.Offered(), of)
	}
}

func TestTextValue(t *testing.T) {
	v := chain.TextValue(`{"parents":"0"}`)
	text, err := v.Text()
	require.NoError(t, err)
	require.Equal(t, `{"parents":"0"}`, text)
	require.Equal(t, text, v.String())
	_, err = chain.Uint64Value(1).Text()
	require.Error(t, err)
	_, err = v.Wei()
	require.Error(t, err)
}

func TestSumsOfUnits(t *testing.T) {
	scaled, err := chain.NewGasPrice(999_981).Scale(50_000)
	require.NoError(t, err)
	require.Equal(t, "49999050000", scaled.String())
	most := chain.GasPriceOf([32]byte{0: 0xff, 31: 0xff})
	_, err = most.Scale(2)
	require.ErrorIs(t, err, chain.ErrOverflow)
	sum, err := chain.TokenAmountOf([32]byte{31: 2}).Add(chain.TokenAmountOf([32]byte{31: 3}))
	require.NoError(t, err)
	require.Equal(t, "5", sum.String())
	all := [32]byte{}
	for i := range all {
		all[i] = 0xff
	}
	_, err = chain.TokenAmountOf(all).Add(chain.TokenAmountOf([32]byte{31: 1}))
	require.ErrorIs(t, err, chain.ErrOverflow)
}
