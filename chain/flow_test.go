package chain_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

// events builds events from words: "Withdraw 1 50" of balances concerns account 1, "paid" is TransactionFeePaid, "made 2"
// and "endowed 2" are what the creation of account 2 emits, and other words are events of another pallet.
func events(t *testing.T, text string) (list []chain.Event) {
	t.Helper()
	account := func(name string) chain.Value {
		return chain.AccountValue(chain.Address32([32]byte{name[0]}))
	}
	for part := range strings.SplitSeq(text, "; ") {
		words := strings.Fields(part)
		e := chain.Event{Pallet: "revive", Name: words[0]}
		switch words[0] {
		case "Withdraw", "Deposit":
			amount, err := chain.ParseWei(words[2])
			require.NoError(t, err)
			e = chain.Event{Pallet: "balances", Name: words[0], Data: chain.Values{account(words[1]), chain.NumberValue(amount.Word())}}
		case "broken":
			e = chain.Event{Pallet: "balances", Name: "Deposit", Data: chain.Values{account("1")}}
		case "made":
			e = chain.Event{Pallet: "system", Name: "NewAccount", Data: chain.Values{account(words[1])}}
		case "endowed":
			e = chain.Event{Pallet: "balances", Name: "Endowed", Data: chain.Values{account(words[1])}}
		case "paid":
			e = chain.Event{Pallet: "transactionPayment", Name: "TransactionFeePaid"}
		}
		list = append(list, e)
	}
	return list
}

// 1 is the payer, P the receiver of fees, C a contract.
func TestFlow(t *testing.T) {
	const largest = "340282366920938463463374607431768211455"
	for text, want := range map[string]string{
		"Withdraw 1 40; Withdraw 1 10; Transfer; Deposit 1 43; Deposit P 7; paid":                "charged 7, hold 50, credits 7",
		"Withdraw 1 40; Withdraw 1 10; Deposit C 20; Held; Deposit 1 23; Deposit P 7; paid":      "charged 7, hold 50, credits 7",
		"Withdraw 1 40; Withdraw 1 10; Released; Withdraw C 20; Deposit 1 63; Deposit P 7; paid": "charged 7, hold 50, credits 7",
		"Withdraw 1 40; Withdraw 1 10; Deposit 1 43; made P; endowed P; Deposit P 7; paid":       "charged 7, hold 50, credits 7",
		"Withdraw 1 40; Withdraw 1 10; Deposit 1 43; Deposit P 4; Deposit P 3; paid":             "charged 7, hold 50, credits 7",
		"Withdraw 1 40; Withdraw 1 10; Deposit 1 43; BurnedDebt; paid":                           "charged 7, hold 50, credits 0",
		"Withdraw 1 40; Withdraw 1 10; Deposit P 5; Call; Deposit 1 38; BurnedDebt; paid":        "charged 7, hold 50, credits 0",
		"Withdraw 1 40; Withdraw 1 10; Deposit P 5; made C; Deposit P 7; Deposit C 1; paid":      "charged 37, hold 50, credits 0",
		"Withdraw 1 40; Call; Withdraw 1 10; Deposit 1 43; paid":                                 "charged 7, hold 40, credits 0",
		"Withdraw 1 40; Withdraw 1 10; Withdraw 1 1; Deposit 1 44; paid; Deposit 1 9":            "charged 7, hold 50, credits 0",
		"Withdraw C 40; Deposit 1 33; paid":                                                      "charged 7, hold 0, credits 0",
		"Withdraw 1 40":                                                                          "event transactionPayment.TransactionFeePaid: missing",
		"Withdraw 1 40; broken; paid":                                                            "event balances.Deposit: data[1]: missing",
		"Withdraw 1 4; Deposit 1 5; paid":                                                        "4 wei withdrawn but 5 deposited: overflow",
		"Withdraw 1 " + largest + "; Withdraw 1 1; paid":                                         "overflow",
		"Withdraw 1 1; Deposit 1 " + largest + "; Deposit 1 1; paid":                             "overflow",
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
	flow, err := chain.FindFlow(&chain.Extrinsic{Events: events(t, "Withdraw 1 9; Deposit P 7; paid")}, chain.Optional[chain.Address]{})
	require.NoError(t, err)
	require.Empty(t, flow.Credits, "no receiver is known")
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
