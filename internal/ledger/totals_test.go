package ledger_test

import (
	"bufio"
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
)

// expected are sums computed by the test, by table, key and column.
type expected map[string]map[string]map[string]*big.Int

func (e expected) add(table, key, column string, n *big.Int) {
	if e[table] == nil {
		e[table] = map[string]map[string]*big.Int{}
	}
	if e[table][key] == nil {
		e[table][key] = map[string]*big.Int{}
	}
	if e[table][key][column] == nil {
		e[table][key][column] = new(big.Int)
	}
	e[table][key][column].Add(e[table][key][column], n)
}

// sumColumns are sums by column name.
func sumColumns(s *ledger.Sums) map[string]any {
	return map[string]any{
		"blocks": s.Blocks, "inherents": s.Inherents, "evm": s.EVM, "native": s.Native, "evm_failed": s.EVMFailed, "native_failed": s.NativeFailed,
		"outcome_unknown": s.OutcomeUnknown, "undetermined": s.Undetermined, "uncharged": s.Uncharged, "unaccounted": s.Unaccounted, "gas": s.Gas,
		"fee": s.Fee, "evm_fee": s.EVMFee, "native_fee": s.NativeFee, "priority_fee": s.PriorityFee, "tip": s.Tip, "charged": s.Charged, "burned": s.Burned,
		"treasury": s.Treasury, "author": s.Author, "drifts": s.Drifts, "priority_unknown": s.PriorityUnknown, "burned_unknown": s.BurnedUnknown,
		"treasury_unknown": s.TreasuryUnknown, "author_unknown": s.AuthorUnknown, "priced_gas": s.PricedGas, "priced": s.Priced, "gas_unknown": s.GasUnknown, "tip_unknown": s.TipUnknown,
	}
}

// are requires sums to match the test's; a missing column means 0.
func (e expected) are(t *testing.T, table, key string, have map[string]any) {
	t.Helper()
	want := e[table][key]
	require.NotNil(t, want, "%s %s", table, key)
	for column := range want {
		require.Contains(t, have, column)
	}
	for column, sum := range have {
		n := want[column]
		if n == nil {
			n = new(big.Int)
		}
		require.Equal(t, n.String(), textOf(sum), "%s %s %s", table, key, column)
	}
}

// The sums of a ledger match the reports: of whole days and months in SQL, and in all groupings.
func TestTotals(t *testing.T) {
	number := func(o chain.Optional[chain.Time], seconds int64) string {
		at, _ := o.Get()
		return fmt.Sprint(at.Std().Unix() / seconds)
	}
	contract := func(x *ledger.Total) string {
		to, known := x.Contract.Get()
		if !known {
			return fmt.Sprint(x.Layer, " ", x.Call, " ")
		}
		return fmt.Sprintf("%s %s %x", x.Layer, x.Call, to.Bytes())
	}
	account := func(x *ledger.Total) string {
		a, known := x.Account.Get()
		require.True(t, known)
		return fmt.Sprintf("%x", a.Bytes())
	}
	both(t, func(t *testing.T, r *recording) {
		want, fees := sumsOf(t, r)
		require.Positive(t, fees.Sign())
		engines(t, func(t *testing.T, newPlace func() string) {
			place := newPlace()
			book := written(t, place, r.id, r.entries)
			verified(t, book)
			for table, unit := range map[string]string{"days": "day", "months": "month"} {
				columns, rows := openSQL(t, place).table(t, "SELECT * FROM stretches WHERE number >= 0 AND unit = '"+unit+"'")
				require.Len(t, rows, len(want[table]))
				for _, row := range rows {
					have := map[string]any{}
					for i, c := range columns {
						if _, sum := sumColumns(new(ledger.Sums))[c]; sum {
							have[c] = row[i]
						}
					}
					require.Len(t, have, len(sumColumns(new(ledger.Sums))))
					want.are(t, table, textOf(row[1]), have)
				}
			}
			months, _, err := book.Months(ctx)
			require.NoError(t, err)
			for table, x := range map[string]struct {
				by  ledger.TotalsBy
				key func(x *ledger.Total) string
			}{
				"quarter_hours":   {ledger.ByQuarterHour, func(x *ledger.Total) string { return number(x.Start, 900) }},
				"days":            {ledger.ByDay, func(x *ledger.Total) string { return number(x.Start, 86_400) }},
				"months":          {ledger.ByMonth, func(*ledger.Total) string { return "" }},
				"contract_days":   {ledger.ByContractDay, func(x *ledger.Total) string { return number(x.Start, 86_400) + " " + contract(x) }},
				"account_days":    {ledger.ByAccountDay, func(x *ledger.Total) string { return number(x.Start, 86_400) + " " + account(x) }},
				"contract_months": {ledger.ByContract, func(x *ledger.Total) string { return " " + contract(x) }},
				"account_months":  {ledger.ByAccount, func(x *ledger.Total) string { return " " + account(x) }},
			} {
				found := map[string]ledger.Sums{}
				for _, month := range months {
					period, err := month.Period()
					require.NoError(t, err)
					_, err = book.Totals(ctx, period, chain.Heights{Last: r.last}, x.by, func(total *ledger.Total) error {
						key := x.key(total)
						if strings.HasSuffix(table, "months") {
							key = fmt.Sprint(int64(month.Month), key)
						}
						sums := found[key]
						err := sums.Add(&total.Sums)
						found[key] = sums
						return err
					}, func(uint64) {})
					require.NoError(t, err)
				}
				require.Len(t, found, len(want[table]), table)
				for key, sums := range found {
					want.are(t, table, key, sumColumns(&sums))
				}
			}
			totals := statusOf(t, book).Totals
			require.Equal(t, fees.String(), totals.Fee.String())
			for name, have := range sumColumns(&totals) {
				sum := new(big.Int)
				for _, d := range want["days"] {
					if d[name] != nil {
						sum.Add(sum, d[name])
					}
				}
				if name == "blocks" {
					sum.Add(sum, big.NewInt(1)) // block 0, which belongs to no day
				}
				require.Equal(t, sum.String(), fmt.Sprint(have), name)
			}
		})
	})
}

// sumsOf adds up the reports of a recording, and all its fees separately.
func sumsOf(t *testing.T, r *recording) (want expected, fees *big.Int) {
	want, fees = expected{}, new(big.Int)
	one := big.NewInt(1)
	for _, p := range r.proved {
		at, ok := p.Report.Time.Get()
		if !ok {
			continue // block 0
		}
		day, quarter := fmt.Sprint(at.Std().Unix()/86400), fmt.Sprint(at.Std().Unix()/900)
		month := fmt.Sprint((at.Std().UTC().Year()-1970)*12 + int(at.Std().UTC().Month()) - 1)
		for table, key := range map[string]string{"months": month, "days": day, "quarter_hours": quarter} {
			want.add(table, key, "blocks", one)
			want.add(table, key, "inherents", big.NewInt(int64(p.Report.Totals.Inherents)))
		}
		for _, x := range p.Report.Transactions {
			contract := ""
			if to, ok := x.To.Get(); ok && x.Layer == fee.EVM {
				contract = fmt.Sprintf("%x", to.Bytes())
			}
			called := fmt.Sprint(x.Layer, " ", x.Call, " ", contract)
			keys := map[string]string{"months": month, "days": day, "quarter_hours": quarter, "contract_months": month + " " + called, "contract_days": day + " " + called}
			if payer, ok := x.Payer.Get(); ok {
				keys["account_months"] = fmt.Sprintf("%s %x", month, payer.Bytes())
				keys["account_days"] = fmt.Sprintf("%s %x", day, payer.Bytes())
			}
			for table, key := range keys {
				add := func(column string, n *big.Int) { want.add(table, key, column, n) }
				add(string(x.Layer), one)
				if outcome, ok := x.Outcome.Get(); !ok {
					add("outcome_unknown", one)
				} else if outcome != fee.Succeeded {
					add(string(x.Layer)+"_failed", one)
				}
				if gas, ok := x.Gas.Get(); ok {
					n, _ := new(big.Int).SetString(gas.String(), 10)
					add("gas", n)
				}
				if wei, ok := x.Fee.Get(); ok {
					add("fee", wei.Big())
					add(string(x.Layer)+"_fee", wei.Big())
				} else {
					add("undetermined", one)
				}
				if !x.Charged.Known() {
					add("uncharged", one)
				}
				if x.Charged.Known() && !(x.Burned.Known() && x.Treasury.Known() && x.Author.Known()) {
					add("unaccounted", one)
				}
				for column, known := range map[string]bool{"burned_unknown": x.Burned.Known(), "treasury_unknown": x.Treasury.Known(), "author_unknown": x.Author.Known(),
					"priority_unknown": x.Layer != fee.EVM || !x.Fee.Known() || x.PriorityFee.Known(),
					"gas_unknown":      x.Layer != fee.EVM || !x.Fee.Known() || x.Gas.Known(),
					"tip_unknown":      x.Layer == fee.EVM || !x.Fee.Known() || x.Tip.Known()} {
					if !known {
						add(column, one)
					}
				}
				if verdict, ok := x.Verdict.Get(); ok && verdict == evidence.Drift {
					add("drifts", one)
				}
				price, priced := x.GasPrice.Get()
				if gas, ok := x.Gas.Get(); ok && priced && x.Layer == fee.EVM && x.Fee.Known() {
					a, b := whole(t, price.String()), whole(t, gas.String())
					add("priced_gas", b)
					add("priced", a.Mul(a, b))
				}
				if wei, ok := x.PriorityFee.Get(); ok {
					add("priority_fee", wei.Big())
				}
				if wei, ok := x.Tip.Get(); ok {
					add("tip", wei.Big())
				}
				if wei, ok := x.Charged.Get(); ok {
					add("charged", wei.Big())
				}
				if wei, ok := x.Burned.Get(); ok {
					add("burned", wei.Big())
				}
				if wei, ok := x.Treasury.Get(); ok {
					add("treasury", wei.Big())
				}
				if wei, ok := x.Author.Get(); ok {
					add("author", wei.Big())
				}
			}
			if wei, ok := x.Fee.Get(); ok {
				fees.Add(fees, wei.Big())
			}
		}
	}
	return want, fees
}

// Opening + movements = closing, for each account of a recording at each height.
func TestMovementsMakeTheBalances(t *testing.T) {
	both(t, func(t *testing.T, r *recording) {
		engines(t, func(t *testing.T, newPlace func() string) {
			book := written(t, newPlace(), r.id, r.entries)
			moved := listOf(t, book.Movements(ctx, in(chain.Heights{Last: r.last})))
			file, err := os.Open("../movement/testdata/balances/" + r.name + ".txt")
			require.NoError(t, err)
			defer file.Close()
			opening := map[string][2]*big.Int{}
			checked := 0
			for lines := bufio.NewScanner(file); lines.Scan(); {
				if strings.HasPrefix(lines.Text(), "#") {
					continue
				}
				var account string
				var height int64
				var have [2]*big.Int
				var free, reserved string
				_, err := fmt.Sscan(lines.Text(), &account, &height, &free, &reserved)
				require.NoError(t, err)
				have = [2]*big.Int{whole(t, free), whole(t, reserved)}
				account = strings.ToLower(strings.TrimPrefix(account, "0x"))
				if height == 0 {
					opening[account] = have
				}
				sum := [2]*big.Int{new(big.Int).Set(opening[account][0]), new(big.Int).Set(opening[account][1])}
				for _, m := range moved {
					if m.Height > 0 && m.Height <= uint64(height) && fmt.Sprintf("%x", m.Account.Bytes()) == account {
						for i, change := range []chain.Optional[chain.SignedWei]{m.Free, m.Reserved} {
							n, known := change.Get()
							require.True(t, known)
							sum[i].Add(sum[i], whole(t, n.String()))
						}
					}
				}
				require.Equal(t, have[0].String(), sum[0].String(), "free of %s at %d", account, height)
				require.Equal(t, have[1].String(), sum[1].String(), "reserved of %s at %d", account, height)
				checked++
			}
			require.Equal(t, 18*len(r.entries), checked)
		})
	})
}

func whole(t testing.TB, text string) *big.Int {
	n, ok := new(big.Int).SetString(text, 10)
	require.True(t, ok, text)
	return n
}
