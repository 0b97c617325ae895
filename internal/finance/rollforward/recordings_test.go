package rollforward_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/rollforward"
)

// rawBlock contains the fields of a block that this test reads with its own code.
type rawBlock struct {
	Number       string
	OnInitialize struct{ Events []rawEvent } `json:"onInitialize"`
	OnFinalize   struct{ Events []rawEvent } `json:"onFinalize"`
	Extrinsics   []struct {
		Method    rawMethod
		Signature *struct {
			Signer json.RawMessage
		}
		Events []rawEvent
	}
}

type rawMethod struct{ Pallet, Method string }

type rawEvent struct {
	Method rawMethod
	Data   []json.RawMessage
}

func (e *rawEvent) text(t testing.TB, i int) string {
	t.Helper()
	var text string
	require.NoError(t, json.Unmarshal(e.Data[i], &text))
	return strings.ToLower(text)
}

// figure is a sum of this test, for an account or a pair of accounts.
type figure struct {
	account, line, class, direction string
}

// expectation contains the sums of a recording's events.
type expectation struct {
	free, reserved map[figure]*big.Int
	count          map[figure]uint64
	internal       map[[2]string]*big.Int // transfers, by who sent and who received
}

func (x *expectation) add(f figure, free, reserved *big.Int) {
	for sums, by := range map[*map[figure]*big.Int]*big.Int{&x.free: free, &x.reserved: reserved} {
		if (*sums)[f] == nil {
			(*sums)[f] = new(big.Int)
		}
		(*sums)[f].Add((*sums)[f], by)
	}
	x.count[f]++
}

// readExpectation sums up the balances events of a recording's blocks. It relies on properties of these chains: nothing
// happens in hooks, an extrinsic's only withdrawal is its fee, and deposits are refunds or the amounts of treasury
// and author.
func readExpectation(t testing.TB, dir, treasury string) *expectation {
	t.Helper()
	x := &expectation{map[figure]*big.Int{}, map[figure]*big.Int{}, map[figure]uint64{}, map[[2]string]*big.Int{}}
	zero := new(big.Int)
	for height := range heightOf(t, dir) + 1 {
		text, err := os.ReadFile(filepath.Join(dir, "blocks", fmt.Sprint(height)+".json"))
		require.NoError(t, err)
		var b rawBlock
		require.NoError(t, json.Unmarshal(text, &b))
		for _, e := range append(b.OnInitialize.Events, b.OnFinalize.Events...) {
			require.NotEqual(t, "balances", e.Method.Pallet)
		}
		for _, extrinsic := range b.Extrinsics {
			payer, refunded := "", false
			for _, e := range extrinsic.Events {
				if e.Method.Pallet != "balances" {
					continue
				}
				switch e.Method.Method {
				case "Endowed", "Upgraded":
				case "Withdraw":
					require.Empty(t, payer, "one withdrawal for each extrinsic")
					payer = e.text(t, 0)
					x.add(figure{payer, "fees", "fee", "out"}, new(big.Int).Neg(number(t, e.text(t, 1))), zero)
				case "Deposit":
					who := e.text(t, 0)
					f := figure{who, "rewards", "priority-fee", "in"}
					switch {
					case who == payer && !refunded:
						refunded, f = true, figure{who, "fees", "fee-refund", "in"}
					case who == treasury:
						f = figure{who, "other_in", "treasury", "in"}
					}
					x.add(f, number(t, e.text(t, 1)), zero)
				case "Transfer":
					class := "transfer"
					if extrinsic.Method == (rawMethod{"ethereum", "transact"}) {
						class = "evm-value"
					}
					from, to, amount := e.text(t, 0), e.text(t, 1), number(t, e.text(t, 2))
					x.add(figure{from, "sent", class, "out"}, new(big.Int).Neg(amount), zero)
					x.add(figure{to, "received", class, "in"}, amount, zero)
					pair := [2]string{from, to}
					if x.internal[pair] == nil {
						x.internal[pair] = new(big.Int)
					}
					x.internal[pair].Add(x.internal[pair], amount)
				case "Reserved":
					amount := number(t, e.text(t, 1))
					x.add(figure{e.text(t, 0), "reserved", "reserve", "out"}, new(big.Int).Neg(amount), amount)
				case "Unreserved":
					amount := number(t, e.text(t, 1))
					x.add(figure{e.text(t, 0), "reserved", "reserve", "in"}, amount, new(big.Int).Neg(amount))
				default:
					require.Fail(t, "an event that this test does not know", e.Method.Method)
				}
			}
		}
	}
	return x
}

// treasuries contains the treasury accounts of the recorded chains.
func treasuryOf(name string) string {
	if strings.HasPrefix(name, "datahaven") {
		return "0x6d6f646c70632f74727372790000000000000000"
	}
	return "0x6d6f646c70792f74727372790000000000000000"
}

func textOf(o chain.Optional[chain.SignedWei]) string {
	w, ok := o.Get()
	if !ok {
		return "not known"
	}
	return w.String()
}

func lower(a chain.Address) string { return strings.ToLower(a.String()) }

// Every line of every account equals the sums of the raw events by this test's own code, the opening and closing
// balances are those of the gateway, free and reserved, and nothing is unexplained.
func TestRecordings(t *testing.T) {
	for _, name := range recordings {
		t.Run(name, func(t *testing.T) {
			dir, book, have, accounts := directoryOf(t, name), recorded(t, name), recordedBalances(t, name), accountsOf(t, name)
			last := heightOf(t, dir)
			want := readExpectation(t, dir, treasuryOf(name))
			treasury := address(t, treasuryOf(name))
			r := made(t, book, rollforward.Request{
				Periods: []rollforward.Period{{Name: "all", Span: chain.Heights{First: 0, Last: last}}}, Accounts: accounts, Balances: have,
				Classifier: rollforward.Classifier{Treasury: chain.Some(treasury)},
			})
			require.True(t, r.Holds())
			require.Len(t, r.Columns, 18+2+1)
			seen := 0
			for i := range r.Columns[:18] {
				c := &r.Columns[i]
				account, ok := c.Account.Get()
				require.True(t, ok)
				opening, _ := c.Opening.Get()
				closing, _ := c.Closing.Get()
				require.Equal(t, have[account][0].Free.String(), opening.Free.String())
				require.Equal(t, have[account][0].Reserved.String(), opening.Reserved.String())
				require.Equal(t, have[account][last].Free.String(), closing.Free.String())
				require.Equal(t, have[account][last].Reserved.String(), closing.Reserved.String())
				unexplained, known := c.Unexplained.Get()
				require.True(t, known && unexplained.IsZero())
				free, reserved := number(t, opening.Free.String()), number(t, opening.Reserved.String())
				for _, s := range c.Sums {
					f := figure{lower(account), string(s.Line), string(s.Class), string(s.Direction)}
					require.NotNil(t, want.free[f], "%v", f)
					require.Equal(t, want.free[f].String(), textOf(s.Free), "%v", f)
					require.Equal(t, want.reserved[f].String(), textOf(s.Reserved), "%v", f)
					require.Equal(t, want.count[f], s.Count, "%v", f)
					free.Add(free, want.free[f])
					reserved.Add(reserved, want.reserved[f])
					seen++
				}
				require.Equal(t, closing.Free.String(), free.String())
				require.Equal(t, closing.Reserved.String(), reserved.String())
			}
			mine := 0
			for f := range want.free {
				if slices.Contains(accounts.Addresses(), address(t, f.account)) {
					mine++
				}
			}
			require.Equal(t, mine, seen, "no sum of the events is left out")
			for i := range r.Columns[18:] {
				checkGroup(t, r, &r.Columns[18+i], want)
			}
		})
	}
}

// checkGroup verifies that a group's lines are the sums of its accounts, except for transfers between
// them, which are in a separate line.
func checkGroup(t *testing.T, r *rollforward.Rollforward, c *rollforward.Column, want *expectation) {
	t.Helper()
	members, sums := map[string]bool{}, map[string]*big.Int{}
	opening, closing := new(big.Int), new(big.Int)
	for i := range r.Columns[:18] {
		one := &r.Columns[i]
		if c.Scope == rollforward.OfGroup && one.Group != c.Group {
			continue
		}
		account, _ := one.Account.Get()
		members[lower(account)] = true
		before, _ := one.Opening.Get()
		after, _ := one.Closing.Get()
		opening.Add(opening, number(t, before.Free.String()))
		closing.Add(closing, number(t, after.Free.String()))
	}
	require.Equal(t, len(members), c.Accounts)
	for f, by := range want.free {
		if members[f.account] {
			if sums[f.line] == nil {
				sums[f.line] = new(big.Int)
			}
			sums[f.line].Add(sums[f.line], by)
		}
	}
	between := new(big.Int)
	for pair, amount := range want.internal {
		if members[pair[0]] && members[pair[1]] {
			between.Add(between, amount)
		}
	}
	lines, err := c.Lines()
	require.NoError(t, err)
	for _, line := range lines {
		free := sums[string(line.Line)]
		if free == nil {
			free = new(big.Int)
		}
		switch line.Line {
		case rollforward.Received:
			free = new(big.Int).Sub(free, between)
		case rollforward.Sent:
			free = new(big.Int).Add(free, between)
		case rollforward.Internal:
			in := new(big.Int)
			for _, s := range line.Classes {
				if s.Direction == rollforward.In {
					in.Add(in, number(t, textOf(s.Free)))
				}
			}
			require.Equal(t, between.String(), in.String())
		}
		require.Equal(t, free.String(), textOf(line.Free), "%s of %s", line.Line, c.Name(console.Token{}))
	}
	before, _ := c.Opening.Get()
	after, _ := c.Closing.Get()
	require.Equal(t, opening.String(), before.Free.String())
	require.Equal(t, closing.String(), after.Free.String())
}

// The charges of an account, determined from the loss of its balance and not from events, equal its line
// of fees.
func TestFeesAreWhatWasCharged(t *testing.T) {
	for _, name := range []string{"moonbeam-1701", "moonbeam-2100"} {
		t.Run(name, func(t *testing.T) {
			dir := directoryOf(t, name)
			text, err := os.ReadFile(filepath.Join(dir, "sent.json"))
			require.NoError(t, err)
			var list struct {
				Sent []struct {
					From    string
					Charged string `json:"charged_wei"`
				}
			}
			require.NoError(t, json.Unmarshal(text, &list))
			charged := map[string]*big.Int{}
			for _, s := range list.Sent {
				who := strings.ToLower(s.From)
				if charged[who] == nil {
					charged[who] = new(big.Int)
				}
				charged[who].Sub(charged[who], number(t, s.Charged))
			}
			require.NotEmpty(t, charged)
			r := made(t, recorded(t, name), rollforward.Request{
				Periods: []rollforward.Period{{Name: "all", Span: chain.Heights{First: 0, Last: heightOf(t, dir)}}}, Accounts: accountsOf(t, name),
			})
			found := 0
			for i := range r.Columns[:18] {
				account, _ := r.Columns[i].Account.Get()
				lines, err := r.Columns[i].Lines()
				require.NoError(t, err)
				for _, line := range lines {
					if line.Line == rollforward.Fees && charged[lower(account)] != nil {
						require.Equal(t, charged[lower(account)].String(), textOf(line.Free), lower(account))
						found++
					}
				}
			}
			require.Equal(t, len(charged), found)
		})
	}
}

// Treasury and authors, whose balances were not recorded, have the sums of the events: the treasury's part of fees,
// and priority fees.
func TestTreasuryAndAuthors(t *testing.T) {
	for _, name := range recordings {
		t.Run(name, func(t *testing.T) {
			dir := directoryOf(t, name)
			want := readExpectation(t, dir, treasuryOf(name))
			list := accountsOf(t, name)
			others := emptyBook()
			for f := range want.free {
				if !slices.Contains(list.Addresses(), address(t, f.account)) && (f.class == "treasury" || f.class == "priority-fee") {
					require.NoError(t, others.Add(entryOf(address(t, f.account))))
				}
			}
			require.NotEmpty(t, others.Entries())
			r := made(t, recorded(t, name), rollforward.Request{
				Periods: []rollforward.Period{{Name: "all", Span: chain.Heights{First: 0, Last: heightOf(t, dir)}}}, Accounts: others,
				Classifier: rollforward.Classifier{Treasury: chain.Some(address(t, treasuryOf(name)))},
			})
			authors := 0
			for i := range r.Columns[:len(others.Entries())] {
				c := &r.Columns[i]
				require.False(t, c.Opening.Known(), "balances were not queried")
				account, _ := c.Account.Get()
				for _, s := range c.Sums {
					f := figure{lower(account), string(s.Line), string(s.Class), string(s.Direction)}
					require.NotNil(t, want.free[f], "%v", f)
					require.Equal(t, want.free[f].String(), textOf(s.Free), "%v", f)
					require.Equal(t, want.count[f], s.Count, "%v", f)
					if s.Class == "priority-fee" {
						authors++
					}
				}
			}
			if strings.HasPrefix(name, "datahaven") {
				require.Equal(t, len(others.Entries())-1, authors)
			}
		})
	}
}
