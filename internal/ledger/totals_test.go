package ledger_test

import (
	"bufio"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/movement"
)

// expected are sums that the test works out, by table, key and column.
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

func TestTotals(t *testing.T) {
	both(t, func(t *testing.T, r *recording) {
		want, fees := sumsOf(t, r)
		require.Positive(t, fees.Sign())
		engines(t, func(t *testing.T, newPlace func() string) {
			place := newPlace()
			book := written(t, place, r.id, r.entries)
			verified(t, book)
			db := openSQL(t, place)
			for table, keys := range map[string]string{
				"days": "day", "quarter_hours": "quarter_hour", "account_days": "day account",
				"months": "month", "account_months": "month account", "contract_days": "day layer call contract", "contract_months": "month layer call contract",
			} {
				require.NotEmpty(t, want[table])
				columns, rows := db.table(t, "SELECT * FROM "+table)
				require.Len(t, rows, len(want[table]), table)
				for _, row := range rows {
					var key []string
					for i := range strings.Fields(keys) {
						key = append(key, textOf(row[i]))
					}
					sums := want[table][strings.Join(key, " ")]
					require.NotNil(t, sums, "%s %s", table, key)
					for i := len(key); i < len(columns); i++ {
						n := sums[columns[i]]
						if n == nil {
							n = new(big.Int)
						}
						require.Equal(t, n.String(), textOf(row[i]), "%s %s %s", table, key, columns[i])
					}
				}
			}
			totals := statusOf(t, book).Totals
			require.Equal(t, fees.String(), totals.Fee.String())
			day := want["days"]
			for name, have := range map[string]any{
				"blocks": totals.Blocks, "inherents": totals.Inherents, "evm": totals.EVM, "native": totals.Native, "evm_failed": totals.EVMFailed,
				"native_failed": totals.NativeFailed, "outcome_unknown": totals.OutcomeUnknown,
				"undetermined": totals.Undetermined, "gas": totals.Gas, "evm_fee": totals.EVMFee, "native_fee": totals.NativeFee,
				"priority_fee": totals.PriorityFee, "tip": totals.Tip, "charged": totals.Charged, "burned": totals.Burned,
				"treasury": totals.Treasury, "author": totals.Author,
			} {
				sum := new(big.Int)
				for _, d := range day {
					if d[name] != nil {
						sum.Add(sum, d[name])
					}
				}
				require.Equal(t, sum.String(), fmt.Sprint(have), name)
			}
		})
	})
}

// sumsOf adds up what the reports of a recording have, and all fees once more.
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
		moved, others := movement.Of(p.Block)
		require.Empty(t, others)
		for _, m := range moved {
			want.add("account_days", fmt.Sprintf("%s %x", day, m.Account[:]), "movements", one)
		}
		for _, x := range p.Report.Transactions {
			for _, y := range x.Transfers {
				for _, account := range slices.Compact([]chain.Address{y.From, y.To}) {
					want.add("account_days", fmt.Sprintf("%s %x", day, account[:]), "transfers", one)
				}
			}
		}
		for table, key := range map[string]string{"months": month, "days": day, "quarter_hours": quarter} {
			want.add(table, key, "blocks", one)
			want.add(table, key, "inherents", big.NewInt(int64(p.Report.Totals.Inherents)))
		}
		for _, x := range p.Report.Transactions {
			contract := ""
			if to, ok := x.To.Get(); ok && x.Layer == fee.EVM {
				contract = fmt.Sprintf("%x", to[:])
			}
			called := fmt.Sprint(x.Layer, " ", x.Call, " ", contract)
			keys := map[string]string{"months": month, "days": day, "quarter_hours": quarter, "contract_months": month + " " + called, "contract_days": day + " " + called}
			if payer, ok := x.Payer.Get(); ok {
				keys["account_months"] = fmt.Sprintf("%s %x", month, payer[:])
				keys["account_days"] = fmt.Sprintf("%s %x", day, payer[:])
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
					"priority_unknown": x.Layer != fee.EVM || !x.Fee.Known() || x.PriorityFee.Known()} {
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

// Opening + movements = closing, for each account of a recording and each height.
func TestMovementsMakeTheBalances(t *testing.T) {
	both(t, func(t *testing.T, r *recording) {
		engines(t, func(t *testing.T, newPlace func() string) {
			place := newPlace()
			written(t, place, r.id, r.entries)
			_, rows := openSQL(t, place).table(t, "SELECT height, account, free, reserved FROM movements ORDER BY height, position")
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
				for _, row := range rows {
					if at := row[0].(int64); at > 0 && at <= height && textOf(row[1]) == account {
						for i := range sum {
							sum[i].Add(sum[i], whole(t, textOf(row[2+i])))
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
