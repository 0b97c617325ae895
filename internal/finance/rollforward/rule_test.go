package rollforward_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

var (
	who        = chain.Address20([20]byte{0x77, 19: 1})
	someone    = chain.Address20([20]byte{0x88, 19: 2})
	pot        = chain.Address20([20]byte{'P', 'o', 't', 'S', 't', 'a', 'k', 'e'})
	treasurer  = chain.Address20([20]byte{'m', 'o', 'd', 'l', 'p', 'y', '/', 't', 'r', 's', 'r', 'y'})
	sibling    = chain.Address20([20]byte{'s', 'i', 'b', 'l', 0xe8, 0x03})
	parachain  = chain.Address20([20]byte{'p', 'a', 'r', 'a', 0xd4, 0x07})
	relay      = chain.Address20([20]byte{'P', 'a', 'r', 'e', 'n', 't'})
	almost     = chain.Address20([20]byte{'s', 'i', 'b', 'l', 0xe8, 0x03, 19: 1}) // somebody's, by chance
	almostTwo  = chain.Address20([20]byte{'P', 'a', 'r', 'e', 'n', 't', 'a', 'l'})
	transacted = "ethereum.transact"
)

// A case is a movement and its expected class, written by hand from the table's intent.
type moved struct {
	event        string
	kind         movement.Kind
	call         string // "" for an inherent, onInitialize or onFinalize
	account      chain.Address
	counterparty chain.Address
	beside       chain.Address // who lost balance there
	author       bool          // the amount is the author's part of the fee
	held         bool          // the event states the reason of a hold
	class        rollforward.Class
	line         rollforward.Line
}

var cases = []moved{
	{event: "balances.Transfer", kind: movement.KindTransferIn, call: "balances.transfer", counterparty: someone, class: "transfer", line: "received"},
	{event: "balances.Transfer", kind: movement.KindTransferOut, call: "utility.batch", counterparty: someone, class: "transfer", line: "sent"},
	{event: "balances.Transfer", kind: movement.KindTransferIn, call: "onInitialize", counterparty: someone, class: "transfer", line: "received"},
	{event: "balances.Transfer", kind: movement.KindTransferIn, call: transacted, counterparty: someone, class: "evm-value", line: "received"},
	{event: "balances.Transfer", kind: movement.KindTransferOut, call: transacted, counterparty: someone, class: "evm-value", line: "sent"},
	{event: "balances.Transfer", kind: movement.KindTransferOut, call: transacted, counterparty: sibling, class: "xcm", line: "sent"},
	{event: "balances.Transfer", kind: movement.KindTransferIn, call: "", counterparty: relay, class: "xcm", line: "received"},
	{event: "balances.Transfer", kind: movement.KindTransferOut, call: "balances.transfer", counterparty: parachain, class: "xcm", line: "sent"},
	{event: "balances.Transfer", kind: movement.KindTransferOut, call: "balances.transfer", counterparty: almost, class: "transfer", line: "sent"},
	{event: "balances.Transfer", kind: movement.KindTransferOut, call: "balances.transfer", counterparty: almostTwo, class: "transfer", line: "sent"},
	{event: "balances.Transfer", kind: movement.KindTransferOut, call: "xTokens.transfer", counterparty: someone, class: "xcm", line: "sent"},
	{event: "balances.Burned", kind: movement.KindBurn, call: "polkadotXcm.limitedReserveTransferAssets", class: "xcm", line: "sent"},
	{event: "balances.Deposit", kind: movement.KindDeposit, call: "", beside: sibling, class: "xcm", line: "received"},
	{event: "balances.Minted", kind: movement.KindMint, call: "onFinalize", beside: parachain, class: "xcm", line: "received"},
	{event: "balances.Minted", kind: movement.KindMint, call: "onFinalize", class: "unclassified", line: "unclassified"},
	{event: "balances.Deposit", kind: movement.KindDeposit, call: "onInitialize", class: "staking-reward", line: "rewards"},
	{event: "balances.Minted", kind: movement.KindMint, call: "onInitialize", class: "staking-reward", line: "rewards"},
	{event: "balances.Minted", kind: movement.KindMint, call: "onInitialize", beside: sibling, class: "unclassified", line: "unclassified"},
	{event: "balances.Deposit", kind: movement.KindDeposit, call: "onInitialize", beside: treasurer, class: "unclassified", line: "unclassified"},
	{event: "balances.Deposit", kind: movement.KindDeposit, call: "onInitialize", beside: someone, class: "staking-reward", line: "rewards"},
	{event: "balances.Deposit", kind: movement.KindDeposit, call: transacted, author: true, class: "priority-fee", line: "rewards"},
	{event: "balances.Deposit", kind: movement.KindDeposit, call: "system.remark", class: "unclassified", line: "unclassified"},
	{event: "balances.Withdraw", kind: movement.KindWithdrawal, call: "system.remark", class: "unclassified", line: "unclassified"},
	{event: "balances.Withdraw", kind: movement.KindWithdrawal, call: "onFinalize", class: "unclassified", line: "unclassified"},
	{event: "balances.Transfer", kind: movement.KindTransferIn, call: "onInitialize", counterparty: pot, class: "staking-reward", line: "rewards"},
	{event: "balances.Transfer", kind: movement.KindTransferIn, call: "onInitialize", counterparty: treasurer, class: "treasury", line: "other_in"},
	{event: "balances.Transfer", kind: movement.KindTransferOut, call: "balances.transfer", counterparty: treasurer, class: "treasury", line: "other_out"},
	{event: "balances.Deposit", kind: movement.KindDeposit, call: transacted, account: treasurer, class: "treasury", line: "other_in"},
	{event: "balances.Withdraw", kind: movement.KindWithdrawal, call: "onInitialize", account: treasurer, class: "treasury", line: "other_out"},
	{event: "balances.Minted", kind: movement.KindMint, call: "sudo.sudo", class: "issuance", line: "other_in"},
	{event: "balances.Burned", kind: movement.KindBurn, call: "balances.burn", class: "issuance", line: "other_out"},
	{event: "balances.BurnedHeld", kind: movement.KindBurn, call: "sudo.sudo", class: "issuance", line: "other_out"},
	{event: "balances.Suspended", kind: movement.KindSuspension, call: "sudo.sudo", class: "suspension", line: "other_out"},
	{event: "balances.Restored", kind: movement.KindRestoration, call: "sudo.sudo", class: "suspension", line: "other_in"},
	{event: "balances.DustLost", kind: movement.KindDust, call: "balances.transfer", class: "dust", line: "other_out"},
	{event: "balances.Slashed", kind: movement.KindSlash, call: "onInitialize", class: "slash", line: "other_out"},
	{event: "balances.BalanceSet", kind: movement.KindFreeSet, call: "sudo.sudo", class: "balance-set", line: "other_in"},
	{event: "balances.BalanceSet", kind: movement.KindReservedSet, call: "sudo.sudo", class: "balance-set", line: "other_in"},
	{event: "balances.Reserved", kind: movement.KindReserve, call: "parachainStaking.delegate", class: "bond", line: "reserved"},
	{event: "balances.Unreserved", kind: movement.KindUnreserve, call: "parachainStaking.executeDelegationRequest", class: "bond", line: "reserved"},
	{event: "balances.Held", kind: movement.KindReserve, call: "proxy.addProxy", class: "reserve", line: "reserved"},
	{event: "balances.Released", kind: movement.KindUnreserve, call: "onInitialize", class: "reserve", line: "reserved"},
	{event: "balances.ReserveRepatriated", kind: movement.KindTransferIn, call: "identity.killIdentity", counterparty: someone, class: "transfer", line: "received"},
	{event: "balances.TransferOnHold", kind: movement.KindTransferIn, call: "sudo.sudo", counterparty: someone, class: "transfer", line: "received"},
	{event: "balances.TransferAndHold", kind: movement.KindTransferOut, call: "sudo.sudo", counterparty: someone, class: "transfer", line: "sent"},
	{event: "balances.TransferAndHold", kind: movement.KindTransferOut, call: "revive.call", counterparty: someone, held: true, class: "deposit", line: "other_out"},
	{event: "balances.TransferOnHold", kind: movement.KindTransferIn, call: "revive.call", counterparty: someone, held: true, class: "deposit", line: "other_in"},
	{event: "balances.Deposit", kind: movement.KindTransferOut, call: "revive.ethTransact", counterparty: someone, held: true, class: "deposit", line: "other_out"},
	{event: "balances.Withdraw", kind: movement.KindTransferOut, call: "revive.ethTransact", counterparty: someone, held: true, class: "deposit", line: "other_out"},
	{event: "balances.Withdraw", kind: movement.KindTransferIn, call: "revive.ethTransact", counterparty: someone, held: true, class: "deposit", line: "other_in"},
	{event: "balances.Deposit", kind: movement.KindTransferOut, call: "revive.ethTransact", counterparty: someone, class: "transfer", line: "sent"},
	{event: "balances.Deposit", kind: movement.KindTransferIn, call: "revive.ethTransact", counterparty: someone, class: "transfer", line: "received"},
	{event: "balances.Held", kind: movement.KindReserve, call: "revive.ethTransact", held: true, class: "reserve", line: "reserved"},
	{event: "balances.Released", kind: movement.KindDepositPassedOut, call: "revive.ethTransact", counterparty: someone, held: true, class: "deposit-passed", line: "other_out"},
	{event: "balances.Released", kind: movement.KindDepositPassedIn, call: "revive.ethTransact", counterparty: someone, held: true, class: "deposit-passed", line: "other_in"},
	{event: "balances.Released", kind: movement.KindDepositUnmatchedOut, call: "revive.ethTransact", counterparty: someone, held: true, class: "deposit-unmatched", line: "other_out"},
	{event: "balances.Released", kind: movement.KindDepositUnmatchedIn, call: "revive.ethTransact", counterparty: someone, held: true, class: "deposit-unmatched", line: "other_in"},
	{event: "balances.Transfer", kind: movement.KindTransferIn, call: "system.remark", counterparty: someone, class: "transfer", line: "received"},
	{event: "balances.Slashed", kind: movement.KindDeposit, call: "system.remark", class: "unclassified", line: "unclassified"}, // no slash comes in
	{event: "balances.Unheard", kind: movement.KindDeposit, call: "system.remark", class: "unclassified", line: "unclassified"},
}

// hooks are the places without a transaction.
var hooks = map[string]movement.Where{"onInitialize": movement.OnInitialize, "onFinalize": movement.OnFinalize, "": 0}

// paper is a ledger of one movement.
type paper struct {
	transaction *ledger.Transaction
	movements   []*ledger.Movement
	err         error
}

func (p *paper) Movements(context.Context, ledger.Query) iter.Seq2[*ledger.Movement, error] {
	return func(yield func(*ledger.Movement, error) bool) {
		for _, m := range p.movements {
			if !yield(m, nil) {
				return
			}
		}
		if p.err != nil {
			yield(nil, p.err)
		}
	}
}

// on builds the ledger and the movement of a case.
func (c *moved) on() (*paper, *ledger.Movement) {
	m := &ledger.Movement{Height: 9}
	m.Event, m.Kind, m.Amount, m.Account = c.event, c.kind, chain.NewWei(70), c.account
	if m.Account == (chain.Address{}) {
		m.Account = who
	}
	if c.counterparty != (chain.Address{}) {
		m.Counterparty = chain.Some(c.counterparty)
	}
	if c.held {
		m.Reason = chain.Some(chain.HoldReason("revive.StorageDepositReserve"))
	}
	p := &paper{}
	where, hook := hooks[c.call]
	if m.Where = where; !hook {
		m.Where = 3
		p.transaction = &ledger.Transaction{}
		p.transaction.Call = c.call
		if c.author {
			p.transaction.Author = chain.Some(m.Amount)
		}
	}
	p.movements = []*ledger.Movement{m}
	if c.beside != (chain.Address{}) {
		other := &ledger.Movement{Height: 9}
		other.Where, other.Kind, other.Account = m.Where, movement.KindBurn, c.beside
		elsewhere := *other
		elsewhere.Where, elsewhere.Account = 7, relay
		p.movements = append(p.movements, other, &elsewhere)
	}
	return p, m
}

// Each kind of movement has the expected class and line.
func TestClasses(t *testing.T) {
	seen := map[rollforward.Class]bool{"fee": true, "fee-refund": true} // which the recordings have
	for _, c := range cases {
		name := fmt.Sprintf("%s %s %s", c.event, c.kind, c.call)
		p, m := c.on()
		one := rollforward.Classifier{Treasury: chain.Some(treasurer), Pot: chain.Some(pot)}
		class, line, err := one.Of(t.Context(), p, m, p.transaction)
		require.NoError(t, err)
		require.Equal(t, c.class, class, name)
		require.Equal(t, c.line, line, name)
		seen[class] = true
	}
	for _, x := range rollforward.Classes() {
		require.True(t, seen[x.Class], "no case of %s", x.Class)
	}
}

// Every query reports an error of the ledger.
func TestBookThatFails(t *testing.T) {
	for _, c := range []moved{{event: "balances.Deposit", kind: movement.KindDeposit, call: "onInitialize"}, {event: "balances.Deposit", kind: movement.KindDeposit, call: ""}} {
		p, m := c.on()
		p.err = context.Canceled
		_, _, err := (&rollforward.Classifier{}).Of(t.Context(), p, m, p.transaction)
		require.ErrorIs(t, err, context.Canceled)
	}
}

// A user's own rules precede the table's, in order, and follow those of fees.
func TestOwnRules(t *testing.T) {
	own, err := rollforward.ReadOwnRules([]byte(`pallet,method,direction,class
# what we know better
crowdloanRewards,claim,in,staking-reward
*,onInitialize,in,treasury
*,inherent,,issuance
balances,Transfer,out,unclassified
proxy,*,,transfer
balances,Deposit,in,xcm
`))
	require.NoError(t, err)
	for _, c := range []moved{
		{event: "balances.Transfer", kind: movement.KindTransferIn, call: "crowdloanRewards.claim", counterparty: someone, class: "staking-reward", line: "rewards"},
		{event: "balances.Transfer", kind: movement.KindTransferOut, call: "crowdloanRewards.claim", counterparty: someone, class: "unclassified", line: "unclassified"},
		{event: "balances.Deposit", kind: movement.KindDeposit, call: "onInitialize", class: "treasury", line: "other_in"},
		{event: "balances.Withdraw", kind: movement.KindWithdrawal, call: "onInitialize", class: "unclassified", line: "unclassified"},
		{event: "balances.Withdraw", kind: movement.KindWithdrawal, call: "", class: "issuance", line: "other_out"},
		{event: "balances.Reserved", kind: movement.KindReserve, call: "proxy.addProxy", class: "transfer", line: "sent"},
		{event: "balances.Deposit", kind: movement.KindDeposit, call: "system.remark", class: "xcm", line: "received"},
		{event: "balances.Deposit", kind: movement.KindDeposit, call: transacted, author: true, class: "priority-fee", line: "rewards"},
		{event: "balances.Transfer", kind: movement.KindTransferIn, call: transacted, counterparty: someone, class: "evm-value", line: "received"},
	} {
		p, m := c.on()
		class, line, err := (&rollforward.Classifier{Own: own}).Of(t.Context(), p, m, p.transaction)
		require.NoError(t, err)
		require.Equal(t, c.class, class, "%s %s", c.event, c.call)
		require.Equal(t, c.line, line, "%s %s", c.event, c.call)
	}
}

// A file is read the same with other separators, line endings, and a byte order mark.
func TestOwnRulesOfSpreadsheets(t *testing.T) {
	const commas = "# ours\n\npallet,method,direction,class\nproxy,addProxy,,transfer\nbalances,Deposit,in,treasury\n"
	want, err := rollforward.ReadOwnRules([]byte(commas))
	require.NoError(t, err)
	none, err := rollforward.ReadOwnRules([]byte("pallet,method,direction,class\n"))
	require.NoError(t, err)
	require.NotEqual(t, none, want)
	for _, separator := range []string{",", ";", "\t", " ; "} {
		text := strings.ReplaceAll(commas, ",", separator)
		for _, text := range []string{text, "\ufeff" + text, strings.ReplaceAll(text, "\n", "\r\n"), "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n"), strings.ReplaceAll(text, "r\n", "r"+separator+separator+"\n")} {
			have, err := rollforward.ReadOwnRules([]byte(text))
			require.NoError(t, err, "%q", text)
			require.Equal(t, want, have, "%q", text)
		}
	}
	_, err = rollforward.ReadOwnRules([]byte("pallet;method;direction;class\r\nproxy;*;;grant\r\n"))
	require.ErrorContains(t, err, `line 2: class "grant"`)
}

// All errors in a file are reported, each with its line.
func TestOwnRulesThatAreWrong(t *testing.T) {
	_, err := rollforward.ReadOwnRules([]byte(`pallet,method,direction,class
proxy,addProxy,in
proxy,addProxy,up,transfer
proxy,addProxy,,grant
ethereum,transact,out,fee
ethereum,transact,,staking-reward
parachainStaking,Rewarded,in,staking-reward
pro xy,addProxy,in,transfer
proxy,add-proxy,in,transfer
*,transact,in,transfer
balances,transfer,out,transfer
`))
	require.Error(t, err)
	lines := strings.Split(err.Error(), "\n")
	for i, want := range []string{
		"line 2: 3 fields; expected pallet,method,direction,class",
		`line 3: direction "up" is not valid; use in, out, or nothing for both`,
		`line 4: class "grant" is not valid; use one of transfer, evm-value, xcm, staking-reward, treasury, issuance, balance-set, suspension, slash, dust, bond, reserve, unclassified`,
		"line 5: class fee is assigned by the chain's charges and holds only; use one of transfer",
		"line 6: class staking-reward does not exist with the direction out; use the other direction",
		"line 7: parachainStaking.Rewarded is an event, but a ledger contains only events of the pallet balances; use the call",
		`line 8: pallet "pro xy" is not valid; use one such as proxy, or * for the methods inherent, onInitialize and onFinalize`,
		`line 9: method "add-proxy" is not valid; use a call such as addProxy, an event such as Deposit, or *`,
		`line 10: pallet "*" is not valid; use one such as proxy`,
	} {
		require.True(t, strings.HasPrefix(lines[i], want), "%s\n%s", want, lines[i])
	}
	require.Len(t, lines, 9)
	for text, want := range map[string]string{
		"":                              "line 1: expected the columns pallet,method,direction,class",
		"method,pallet,direction,class": "line 1: expected the columns pallet,method,direction,class",
		"\"":                            `extraneous or missing "`,
		"pallet,method,direction,class\nproxy,*,,transfer\n\"x": "line 3: extraneous or missing \"",
		"# ours\npallet;method;direction\n":                     "line 2: expected the columns pallet,method,direction,class",
		"\xff\xfep\x00":                                         "it is UTF-16: save it as UTF-8",
		"pallet,method,direction,class\n" + strings.Repeat("proxy,*,,transfer\n", 10_001): "line 10002: more than 10000 rules",
		"pallet,method,direction,class\n" + strings.Repeat("x\n", 10_001):                 "line 101: 1 fields",
	} {
		_, err := rollforward.ReadOwnRules([]byte(text))
		require.ErrorContains(t, err, want)
	}
}

// madeUp is a movement inserted into a recording by SQL.
type madeUp struct {
	height, position int
	c                moved
	amount           int64
}

// Every movement of an account is in exactly one line, with the expected class, and opening + lines = closing. The sums
// are computed with math/big.
func TestEveryMovementIsInOneLine(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	for range 4 {
		var list []madeUp
		var changes []string
		have := told{who: {}}
		free, reserved := big.NewInt(1_000_000), big.NewInt(1_000_000)
		have[who][0] = balanceOf(t, free, reserved)
		sums, counts := map[rollforward.Line]*big.Int{}, map[rollforward.Line]uint64{}
		for i := range 40 {
			c := cases[random.IntN(len(cases))]
			_, hook := hooks[c.call]
			if c.account != (chain.Address{}) || c.beside != (chain.Address{}) || !hook || c.kind == movement.KindSlash || c.kind == movement.KindFreeSet || c.event == "balances.TransferOnHold" {
				continue // needs more than its own row
			}
			list = append(list, madeUp{height: 2 + i%26, position: 9000 + i, c: c, amount: random.Int64N(1000)})
		}
		for _, x := range list {
			f, r := int64(0), int64(0)
			switch x.c.kind {
			case movement.KindDeposit, movement.KindMint, movement.KindTransferIn:
				f = x.amount
			case movement.KindWithdrawal, movement.KindBurn, movement.KindTransferOut:
				f = -x.amount
			case movement.KindUnreserve:
				f, r = x.amount, -x.amount
			default:
				require.Fail(t, "a kind that this test does not know", string(x.c.kind))
			}
			free.Add(free, big.NewInt(f))
			reserved.Add(reserved, big.NewInt(r))
			if sums[x.c.line] == nil {
				sums[x.c.line] = new(big.Int)
			}
			sums[x.c.line].Add(sums[x.c.line], big.NewInt(f))
			counts[x.c.line]++
			counterparty := "NULL"
			if x.c.counterparty != (chain.Address{}) {
				counterparty = fmt.Sprintf("x'%x'", x.c.counterparty.Bytes())
			}
			changes = append(changes, fmt.Sprintf("INSERT INTO movements (height, position, place, event_index, event, kind, account, counterparty, amount, free, reserved) VALUES (%d, %d, %d, 0, '%s', '%s', x'%x', %s, %d, %d, %d)",
				x.height, x.position, hooks[x.c.call], x.c.event, x.c.kind, who.Bytes(), counterparty, x.amount, f, r))
		}
		have[who][27] = balanceOf(t, free, reserved)
		accounts := emptyBook()
		require.NoError(t, accounts.Add(entryOf(who)))
		r := made(t, recorded(t, "moonbeam-2100", changes...), rollforward.Request{
			Periods: []rollforward.Period{{Name: "all", Span: chain.Heights{First: 0, Last: 27}}}, Accounts: accounts, Balances: have,
			Classifier: rollforward.Classifier{Treasury: chain.Some(treasurer), Pot: chain.Some(pot)},
		})
		require.True(t, r.Holds())
		require.Len(t, r.Columns, 1, "one account is no group")
		lines, err := r.Columns[0].Lines()
		require.NoError(t, err)
		for _, line := range lines {
			want := sums[line.Line]
			if want == nil {
				want = new(big.Int)
			}
			require.Equal(t, want.String(), textOf(line.Free), line.Line)
			require.Equal(t, counts[line.Line], line.Count, line.Line)
		}
		items := 0
		require.NoError(t, r.Each(t.Context(), func(i *rollforward.Item) error {
			items++
			require.NotEmpty(t, i.Class)
			return nil
		}))
		require.Equal(t, len(list), items)
	}
}

func balanceOf(t testing.TB, free, reserved *big.Int) chain.Balance {
	return chain.Balance{Free: wei(t, free.String()), Reserved: wei(t, reserved.String())}
}

// The number of a parachain is little-endian, as in the runtimes' own tests: 1000 and 2004.
func TestSovereignAccounts(t *testing.T) {
	require.EqualValues(t, 1000, binary.LittleEndian.Uint32(sibling.Bytes()[4:8]))
	require.EqualValues(t, 2004, binary.LittleEndian.Uint32(parachain.Bytes()[4:8]))
}
