package evidence_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/network"
)

// spentBy returns the gas that the block's only transaction took from another account.
func spentBy(t *testing.T, b *chain.Block, rules network.Rules) chain.Optional[evidence.GasSpent] {
	t.Helper()
	r := evidence.Prove(b, fee.Price(b, &rules, one), rules, evidence.Options{})
	require.Len(t, r.Transactions, 1)
	text, err := json.Marshal(r.Transactions[0])
	require.NoError(t, err)
	require.Equal(t, r.Transactions[0].GasSpent.Known(), strings.Contains(string(text), "gas_spent"))
	return r.Transactions[0].GasSpent
}

// The gas of evm.call is what its source's account lost, if that is not the payer's.
func TestGasOfAnotherAccount(t *testing.T) {
	rules := rulesOf(t, "moonbeam", 2600)
	args := fmt.Sprintf(`{"source":%q}`, payee)
	withdraw, refund := fmt.Sprintf(`balances.Withdraw [%q,"700"]`, payee), fmt.Sprintf(`balances.Deposit [%q,"200"]`, payee)
	own, foreign := fmt.Sprintf(`balances.Withdraw [%q,"7"]`, caller), fmt.Sprintf(`balances.Deposit [%q,"50"]`, another)
	for what, c := range map[string]struct {
		call, args string
		events     []string
		want       string // "" if none
	}{
		"spent and refunded": {"evm.call", args, []string{own, withdraw, foreign, refund}, "500"},
		"a creation":         {"evm.create2", args, []string{own, withdraw}, "700"},
		"another call":       {"evm.withdraw", args, []string{own, withdraw}, ""},
		"another pallet":     {"ethereumChecked.call", args, []string{own, withdraw}, ""},
		"its own":            {"evm.call", fmt.Sprintf(`{"source":%q}`, caller), []string{own}, ""},
		"nothing":            {"evm.call", args, []string{own}, ""},
		"all refunded":       {"evm.call", args, []string{withdraw, strings.Replace(refund, "200", "700", 1)}, ""},
		"more refunded":      {"evm.call", args, []string{withdraw, strings.Replace(refund, "200", "701", 1)}, ""},
		"no source":          {"evm.call", `{}`, []string{withdraw}, ""},
		"no account":         {"evm.call", args, []string{`balances.Withdraw ["x","700"]`, withdraw}, ""},
		"no amount":          {"evm.call", args, []string{strings.Replace(withdraw, "700", "x", 1)}, ""},
	} {
		spent, known := spentBy(t, signedCall(t, c.call, c.args, ordinary, append(c.events, well)...), rules).Get()
		require.Equal(t, c.want != "", known, what)
		if known {
			require.Equal(t, c.want, spent.Amount.String(), what)
			require.Equal(t, strings.ToLower(payee), strings.ToLower(spent.Source.String()), what)
			require.Equal(t, spent.Source, spent.Account, what)
		}
	}
}

// On a real chain with accounts of 32 bytes, a signer's evm.call took 10,500,000,000,000 from the account mapped from the
// first 20 bytes of its key (facts/frontier.md). One that failed took nothing.
func TestGasOfARecordedCall(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(repository.Shared(t, "pairs", "creditcoin3-87", "gateway"), "blocks", "8.json"))
	require.NoError(t, err)
	b, err := sidecar.DecodeBlock(string(text))
	require.NoError(t, err)
	rules := rulesOf(t, "creditcoin", 87)
	r := evidence.Prove(b, fee.Price(b, &rules, one), rules, evidence.Options{})
	spent, known := r.Transactions[0].GasSpent.Get()
	require.True(t, known)
	require.Equal(t, "0x8eaf04151687736326c9fea17e25fc5287613693", strings.ToLower(spent.Source.String()))
	require.Equal(t, "5HbG9ag4EdpqXLTK45MpTocQ4byqwaDtjQfeEiaygg8w573u", spent.Account.String())
	require.Equal(t, "10500000000000", spent.Amount.String())
	require.Equal(t, chain.Some(chain.Wei{}), r.Transactions[0].Charged)
	require.False(t, r.Transactions[1].GasSpent.Known())
}

// A treasury of 32 bytes is checked like one of 20, by events in SS58. Where no fee goes to a
// treasury, the check says so.
func TestTreasuryOf32Bytes(t *testing.T) {
	hex := "0x6d6f646c70792f74727372790000000000000000000000000000000000000000" // modl, py/trsry
	account, err := chain.ParseAccount(hex)
	require.NoError(t, err)
	rules := rulesOf(t, "creditcoin", 87)
	const elsewhere = "not made: no part of the fees goes to a treasury"
	for change, want := range map[string]string{
		"7": "held", "8": "the treasury's account changed by 8 wei since its last report, but by 7 according to the events",
	} {
		with := rules
		with.Treasury = chain.Some(account)
		var sequence, without evidence.Sequence
		for i, has := range []string{"100", "10" + change} {
			b := block()
			b.Number += uint64(i)
			b.OnInitialize = []chain.Event{told(t, "100", has)}
			b.OnFinalize = []chain.Event{credit(t, account.String(), "7")}
			r := evidence.Prove(b, fee.Price(b, &with, one), with, evidence.Options{})
			sequence.Add(b, r)
			if i == 1 {
				require.Equal(t, want, outcome(t, r, "block.treasury"))
			}
			r = evidence.Prove(b, fee.Price(b, &rules, one), rules, evidence.Options{})
			without.Add(b, r)
			require.Equal(t, elsewhere, outcome(t, r, "block.treasury"))
		}
	}
}
