package ledger_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// The SQL views sum fees by account and contract to the wei, like the totals.
func TestViewsOfPayments(t *testing.T) {
	list := madeUp(0, 100)
	for _, wei := range []string{"340282366920938463463374607431768", "1", "999999999999999999999999999999999", "9223372036854775808"} { // more than SQLite's integers hold
		last := list[len(list)-1]
		m := makeBlock(last.Height()+1, hashOf(last.Height()+1, 0), last.Hash(), wei).at(1_702_000_000_000 + last.Height()*10_000_000)
		if wei == "1" {
			m.unpaid()
		}
		list = append(list, m.entry(t))
	}
	for name, r := range map[string]*recording{"made up": {id: madeUpChain, entries: list}, "moonbeam-2100": recording2100(), "moonbeam-1701": recording1701()} {
		t.Run(name, func(t *testing.T) {
			engines(t, func(t *testing.T, newPlace func() string) {
				place := newPlace()
				book := written(t, place, r.id, r.entries)
				db := openSQL(t, place)
				for by, view := range map[ledger.TotalsBy][2]string{
					ledger.ByAccountDay: {"book_account_days", "account, account"}, ledger.ByContractDay: {"book_contract_days", "layer || ' ' || call, contract"},
				} {
					sums := map[string]ledger.Sums{}
					p := ledger.Period{Heights: chain.Some(chain.Heights{Last: 1 << 20})}
					_, err := book.Totals(ctx, p, chain.Heights{Last: 1 << 20}, by, func(x *ledger.Total) error {
						of, of2 := text(x.Account), text(x.Account)
						if by == ledger.ByContractDay {
							of, of2 = string(x.Layer)+" "+x.Call, text(x.Contract)
						}
						at, _ := x.Start.Get()
						key := fmt.Sprint(at.Std().Format("2006-01-02"), " ", of, " ", of2)
						s := sums[key]
						err := s.Add(&x.Sums)
						sums[key] = s
						return err
					}, func(uint64) {})
					require.NoError(t, err)
					var want [][]string
					for key, s := range sums {
						want = append(want, []string{key, fmt.Sprint(s.EVM), fmt.Sprint(s.Native), fmt.Sprint(s.Undetermined), fmt.Sprint(s.Uncharged), s.Fee.String(), s.Tip.String(), s.Charged.String()})
					}
					have := db.texts(t, "SELECT CAST(day AS TEXT), "+view[1]+", evm, native, undetermined, uncharged, fee, tip, charged FROM "+view[0])
					for i, row := range have {
						have[i] = append([]string{row[0] + " " + row[1] + " " + row[2]}, row[3:]...)
					}
					slices.SortFunc(want, slices.Compare)
					slices.SortFunc(have, slices.Compare)
					require.NotEmpty(t, want)
					require.Equal(t, want, have, view[0])
				}
			})
		})
	}
}

// text formats an address like the views.
func text(o chain.Optional[chain.Address]) string {
	if a, known := o.Get(); known {
		return fmt.Sprintf("0x%x", a.Bytes())
	}
	return "null"
}
