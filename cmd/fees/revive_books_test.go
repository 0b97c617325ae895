package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/pairs"
)

// Books of the payers of a chain with pallet revive: the fee of each Ethereum transaction is what was charged, deposits have
// their own account, which ends with what is still open, no movement is unclassified, and every balance closes.
func TestBooksOfRevivePayers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		last  int
		flags []string
	}{
		"passet-1019002":   {36, nil}, // then fees are paid in an asset
		"stack-template-3": {37, []string{"--network-file", "../../testdata/networks/stack-template-3.json"}},
	} {
		t.Run(name, func(t *testing.T) {
			recorded, blocks := pairs.Path(t, name, "gateway"), fmt.Sprintf("1..%d", c.last)
			flags := append([]string{"--ledger", filepath.Join(t.TempDir(), "fees.db")}, c.flags...)
			out, stderr, _ := fees(append([]string{"sync", fmt.Sprintf("0..%d", c.last), "--gateway", recorded}, flags...)...)
			require.Regexp(t, sealIn, out, stderr)
			text, err := os.ReadFile(filepath.Join(recorded, "sent.json"))
			require.NoError(t, err)
			var sent struct {
				Sent []struct {
					Family, Payer string
					Charged       string `json:"charged_wei"`
					Height        int
					DepositsBy    map[string]string
					Burned        string
				}
			}
			require.NoError(t, json.Unmarshal(text, &sent))
			type sums struct{ fee, deposits *big.Int }
			payers := map[string]*sums{}
			for _, s := range sent.Sent {
				if s.Family != "evm" || s.Height > c.last {
					continue
				}
				if payers[s.Payer] == nil {
					payers[s.Payer] = &sums{new(big.Int), new(big.Int)}
				}
				p := payers[s.Payer]
				p.fee.Add(p.fee, bigOf(t, s.Charged))
				if amount := s.DepositsBy[s.Payer]; amount != "" {
					p.deposits.Add(p.deposits, bigOf(t, amount))
				}
			}
			require.GreaterOrEqual(t, len(payers), 5)
			open := openFor(t, fmt.Sprintf("0..%d", c.last), flags)
			for payer, want := range payers {
				query := append([]string{"--gateway", recorded}, flags...)
				out, stderr, code := fees(append([]string{"statement", payer, blocks, "--format", "json"}, query...)...)
				require.Zero(t, code, stderr)
				var s struct {
					Proved bool
					Fees   []struct {
						Layer, Charged string
						Apart          int
					} `json:"fees_by_layer"`
					Movements []struct {
						Free, Layer string
						OfFee       bool `json:"of_fee"`
					}
				}
				require.NoError(t, json.Unmarshal([]byte(out), &s))
				require.True(t, s.Proved)
				require.Equal(t, "evm", s.Fees[0].Layer)
				require.Equal(t, want.fee.String(), s.Fees[0].Charged, payer)
				require.Zero(t, s.Fees[0].Apart)
				paid := new(big.Int)
				for _, m := range s.Movements {
					if m.OfFee && m.Layer == "evm" {
						paid.Sub(paid, bigOf(t, m.Free))
					}
				}
				require.Equal(t, want.fee.String(), paid.String())

				out, stderr, code = fees(append([]string{"rollforward", blocks, "--accounts", payer}, query...)...)
				require.Zero(t, code, stderr)
				require.NotContains(t, out, "unclassified")
				require.Contains(t, out, "proved to the wei")

				out, stderr, code = fees(append([]string{"export", blocks, "--with", "movements", "--as", "hledger", "--accounts", payer}, query...)...)
				require.Zero(t, code, stderr)
				if name == "stack-template-3" { // what it paid less what it got, but not for deposits that passed
					booked := postedTo(t, out, "Assets:Deposits")
					addTo(open, payer, new(big.Int)) // if it has none
					require.Equal(t, open[payer].String(), booked.String(), payer)
					passed := new(big.Int)
					for _, x := range passedIn(t, blocks, flags) {
						if x.Payer == payer {
							passed.Add(passed, bigOf(t, x.Change)) // below 0
						}
						if x.To == payer {
							passed.Sub(passed, bigOf(t, x.Change))
						}
					}
					require.Equal(t, want.deposits.String(), new(big.Int).Sub(booked, passed).String(), payer)
				}
			}
		})
	}
}

func addTo(sums map[string]*big.Int, account string, amount *big.Int) {
	if sums[account] == nil {
		sums[account] = new(big.Int)
	}
	sums[account].Add(sums[account], amount)
}

// openFor returns the open deposits that others hold, by payer: what it paid, less what others paid and it holds.
func openFor(t *testing.T, blocks string, flags []string) map[string]*big.Int {
	out, stderr, code := fees(append([]string{"deposits", blocks, "--format", "json"}, flags...)...)
	require.Zero(t, code, stderr)
	var list struct {
		Deposits []struct{ Holder, Payer, Amount string }
	}
	require.NoError(t, json.Unmarshal([]byte(out), &list))
	sums := map[string]*big.Int{}
	for _, x := range list.Deposits {
		amount := bigOf(t, x.Amount)
		addTo(sums, x.Payer, amount)
		addTo(sums, x.Holder, new(big.Int).Neg(amount))
	}
	return sums
}

type passed struct {
	Place, Payer, Change string
	To                   string `json:"given_back_to"`
	Passed               bool
}

// passedIn returns the deposits that passed between accounts.
func passedIn(t *testing.T, blocks string, flags []string) []passed {
	out, stderr, code := fees(append([]string{"deposits", "--changes", blocks, "--format", "json"}, flags...)...)
	require.Zero(t, code, stderr)
	var list struct{ Changes []passed }
	require.NoError(t, json.Unmarshal([]byte(out), &list))
	return slices.DeleteFunc(list.Changes, func(x passed) bool { return !x.Passed })
}

// The books of 8-5 and 8-6 of the recording: Charleth paid a deposit of 1,480,000,000, and Dorothy cleared the slot and got it.
// The first book loses the receivable, the second one has the income, and both say so.
func TestBooksOfAPassedDeposit(t *testing.T) {
	t.Parallel()
	const charleth, dorothy = "5Ep5dBwRE7mhFsH69SLRTSHYJ7yugeTycZHeT8Ez4DPACvqz", "5Em1NEHgVvpXYBEzWeNf9JzuLyvuyyn3ZLifywLQPGdqFVU2"
	recorded := pairs.Path(t, "stack-template-3", "gateway")
	flags := []string{"--ledger", filepath.Join(t.TempDir(), "fees.db"), "--network-file", "../../testdata/networks/stack-template-3.json"}
	_, stderr, _ := fees(append([]string{"sync", "0..8", "--gateway", recorded}, flags...)...)
	require.Empty(t, stderr)
	run := func(args ...string) string {
		out, stderr, code := fees(append(append(args, "--gateway", recorded), flags...)...)
		require.Zero(t, code, stderr)
		return out
	}
	journal := func(accounts string) string {
		return run("export", "8..8", "--with", "movements", "--as", "hledger", "--accounts", accounts)
	}
	for account, want := range map[string]struct{ other, transfers, deposits, kind, remark, note string }{
		charleth: {dorothy, "1480000000", "0", "deposit-passed-out", "a deposit of 0.00148 UNIT that " + charleth + " paid passed to " + dorothy, "deposits of 0.00148 UNIT that this account had paid passed to"},
		dorothy:  {charleth, "-1480000000", "0", "deposit-passed-in", dorothy + " got a deposit of 0.00148 UNIT that " + charleth + " had paid", "deposits of 0.00148 UNIT that other accounts had paid were given back to this account"},
	} {
		text := journal(account)
		require.Equal(t, want.transfers, postedTo(t, text, "Equity:Transfers:"+want.other).String())
		require.Equal(t, want.deposits, postedTo(t, text, "Assets:Deposits").String())
		require.Contains(t, text, want.remark)

		var s struct {
			Proved    bool
			Notes     []string
			Movements []struct{ Place, Kind, Counterparty, Amount, Free, Reserved string }
		}
		require.NoError(t, json.Unmarshal([]byte(run("statement", account, "8..8", "--format", "json")), &s))
		require.True(t, s.Proved)
		require.Contains(t, strings.Join(s.Notes, "\n"), want.note)
		found := 0
		for _, m := range s.Movements {
			if m.Kind == want.kind {
				found++
				require.Equal(t, []string{"8-6", want.other, "1480000000", "0", "0"}, []string{m.Place, m.Counterparty, m.Amount, m.Free, m.Reserved})
			}
		}
		require.Equal(t, 1, found)
		out := run("rollforward", "8..8", "--accounts", account)
		require.Regexp(t, `deposit-passed +1 +0\.000000000000\n`, out)
		require.Contains(t, out, want.note)
	}
	both := journal(charleth + "," + dorothy)
	require.NotContains(t, both, "Equity:Transfers:"+charleth)
	require.NotContains(t, both, "Equity:Transfers:"+dorothy)
	require.Equal(t, "0", postedTo(t, both, "Assets:Deposits").String())
}

// Books of payers together with the contracts that hold their deposits, and with the accounts that they endowed: what passes
// between them is internal, what is held nets within the column, and nothing is income.
func TestBooksOfPayersWithHolders(t *testing.T) {
	t.Parallel()
	recorded := pairs.Path(t, "stack-template-3", "gateway")
	flags := []string{"--ledger", filepath.Join(t.TempDir(), "fees.db"), "--network-file", "../../testdata/networks/stack-template-3.json"}
	out, stderr, _ := fees(append([]string{"sync", "0..37", "--gateway", recorded}, flags...)...)
	require.Regexp(t, sealIn, out, stderr)
	known, err := os.ReadDir(filepath.Join(recorded, "balance-info"))
	require.NoError(t, err)
	var all []string
	for _, a := range known {
		switch a.Name() { // root set these balances, so their changes are not known
		case "5CiPPseXPECbkjWCa6MnjNokrgYjMqmKndv2rSnekmSK2DjL", "5HGjWAeFDfFCWPsjFQdVV2Msvz2XtMktvgocEZcCj68kUMaw":
		default:
			all = append(all, a.Name())
		}
	}
	const baltathar, contract, endowed = "5DSSiJevXj8XQ6uKD5ZNQJEimLPWwxuW4MZE9YNcAtRsYgVG", "5Cq1onJs8s8arASiDZTWU7C3cCEdvsq5QcR1Pp4E3A5DsD7n", "5Gogun4FVwQPJbN3iaD9DaFUatuRsy7Nzgx5Xbr5t4aBZQyb"
	for name, c := range map[string]struct {
		blocks   string
		accounts []string
	}{
		"a payer and a contract":       {"1..37", []string{baltathar, contract}},
		"a payer and its new contract": {"5..5", []string{baltathar, endowed}},
		"all":                          {"1..37", all},
	} {
		t.Run(name, func(t *testing.T) {
			query := append([]string{"--gateway", recorded, "--accounts", strings.Join(c.accounts, ",")}, flags...)
			out, stderr, code := fees(append([]string{"rollforward", c.blocks, "--format", "json"}, query...)...)
			require.Zero(t, code, stderr)
			var r struct {
				Columns []struct {
					Scope  string
					Proved bool
					Lines  []struct {
						Line, Free, Reserved string
						Count                int
					}
				} `json:"rollforwards"`
			}
			require.NoError(t, json.Unmarshal([]byte(out), &r))
			var list struct {
				Movements []struct{ Class, Internal, Event, Counterparty, Amount string }
			}
			out, stderr, code = fees(append([]string{"rollforward", c.blocks, "--list", "all", "--format", "json"}, query...)...)
			require.Zero(t, code, stderr)
			require.NoError(t, json.Unmarshal([]byte(out), &list))
			column := r.Columns[len(r.Columns)-1]
			require.Equal(t, "all", column.Scope)
			require.True(t, column.Proved)
			seen := 0
			for _, l := range column.Lines {
				switch l.Line {
				case "unclassified":
					require.Zero(t, l.Count)
				case "reserved", "internal":
					seen++
					require.Positive(t, l.Count)
					require.Zero(t, new(big.Int).Add(bigOf(t, l.Free), bigOf(t, l.Reserved)).Sign(), l)
				}
			}
			require.Equal(t, 2, seen)
			selected := map[string]bool{}
			for _, a := range c.accounts {
				selected[a] = true
			}
			deposits := 0
			for _, m := range list.Movements {
				if selected[m.Counterparty] {
					require.NotEmpty(t, m.Internal, m)
				}
				if m.Event == "balances.Deposit" && m.Class == "transfer" { // an existential deposit
					require.Equal(t, "1000000000", m.Amount)
					deposits++
				}
			}
			require.Positive(t, deposits)

			out, stderr, code = fees(append([]string{"export", c.blocks, "--with", "movements", "--as", "hledger"}, query...)...)
			require.Zero(t, code, stderr)
			require.NotContains(t, out, "Income:Deposits")
			for _, a := range c.accounts {
				require.NotContains(t, out, "Equity:Transfers:"+a)
			}
			open := new(big.Int) // what the accounts paid for others to hold, less what they hold for others
			for a, amount := range openFor(t, "0.."+strings.Split(c.blocks, "..")[1], flags) {
				if selected[a] {
					open.Add(open, amount)
				}
			}
			require.Equal(t, open.String(), postedTo(t, out, "Assets:Deposits").String())
		})
	}
}

// postedTo returns the sum of a journal's postings to an account in the token's smallest unit, of 10^-12.
func postedTo(t *testing.T, journal, account string) *big.Int {
	sum := new(big.Int)
	for _, found := range regexp.MustCompile(`(?m)^    `+account+`  (-?\d+)\.(\d{12}) `).FindAllStringSubmatch(journal, -1) {
		sum.Add(sum, bigOf(t, strings.TrimSpace(found[1]+found[2])))
	}
	return sum
}
