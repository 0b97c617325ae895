package report_test

import (
	"context"
	"fmt"
	"math/big"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/source/prove"
)

func only(t testing.TB, conditions ...string) report.Only {
	o, err := report.ParseOnly(conditions)
	require.NoError(t, err)
	return o
}

// A filtered report sums up the matching transactions: each condition is checked by hand on every transaction of the
// ledger, for both ways of building the report.
func TestOnly(t *testing.T) {
	book, _ := kept(t, recorded(t, "moonbeam-2100"), 27)
	var all []*ledger.Transaction
	for x, err := range book.Transactions(context.Background(), ledger.Query{Span: chain.Heights{Last: 27}}) {
		require.NoError(t, err)
		all = append(all, x)
	}
	contract := ""
	for _, x := range all {
		if to, ok := x.Recipient.Get(); ok && x.Layer == "evm" && x.Type == "eip1559" {
			contract = to.String()
		}
	}
	require.NotEmpty(t, contract)
	for condition, is := range map[string]func(*ledger.Transaction) bool{
		"layer=evm":    func(x *ledger.Transaction) bool { return x.Layer == "evm" },
		"layer=native": func(x *ledger.Transaction) bool { return x.Layer == "native" },
		"layer=native,status=succeeded": func(x *ledger.Transaction) bool {
			return x.Outcome == "succeeded" && x.Layer == "native"
		},
		"status=reverted":        func(x *ledger.Transaction) bool { return x.Outcome == "reverted" },
		"type=eip1559":           func(x *ledger.Transaction) bool { return x.Type == "eip1559" },
		"call=BALANCES.TRANSFER": func(x *ledger.Transaction) bool { return strings.EqualFold(x.Call, "balances.transfer") },
		"call=ethereum.transact": func(x *ledger.Transaction) bool { return x.Layer == "evm" },
		"contract=" + contract: func(x *ledger.Transaction) bool {
			to, _ := x.Recipient.Get()
			return x.Layer == "evm" && to.String() == contract
		},
		"layer=native,type=eip1559": func(*ledger.Transaction) bool { return false },
	} {
		want, count := new(big.Int), uint64(0)
		for _, x := range all {
			if is(x) {
				count++
				if fee, known := x.Fee.Get(); known {
					want.Add(want, number(t, fee.String()))
				}
			}
		}
		for _, by := range report.Groupings() {
			r := made(t, book, report.Request{Choice: report.Choice{By: by, Only: only(t, strings.Split(condition, ",")...)}, Period: heights(0, 27)})
			require.Equal(t, want.String(), r.Totals.Fee.String(), "%s by %s", condition, by)
			require.Equal(t, count, r.Totals.EVM+r.Totals.Native, "%s by %s", condition, by)
			require.Contains(t, r.Title(), ", only "+strings.ReplaceAll(condition, ",", ", "))
			if count == 0 {
				require.Empty(t, paid(r.Groups))
			}
		}
	}
}

// checks=failed selects the transactions with failed checks, of sealed and open blocks, whatever their verdict. A finding
// on a block concerns none of its transactions.
func TestOnlyFailedChecks(t *testing.T) {
	ctx := context.Background()
	book, err := ledger.OpenWriter(ctx, filepath.Join(t.TempDir(), "fees.db"))
	require.NoError(t, err)
	defer book.Close()
	require.NoError(t, book.Begin(ctx, ledger.Identity{Network: "moonbeam"}, 24))
	var want []ledger.Place
	var entries []*ledger.Entry
	reader := recorded(t, "moonbeam-2100")
	before, err := prove.Before(ctx, reader, 24)
	require.NoError(t, err)
	prover := prove.Prover{Reader: reader, Concurrency: 1}
	for p, err := range prover.Range(ctx, chain.Heights{First: 24, Last: 27}, before) {
		require.NoError(t, err)
		require.Empty(t, p.Report.Findings)
		p.Report.Findings = append(p.Report.Findings, evidence.Finding{Check: "block.parent", Block: p.Report.Number, Message: "of the block"})
		if p.Report.Number >= 25 {
			last := p.Report.Transactions[len(p.Report.Transactions)-1].Index
			for _, check := range []string{"evm.split", "evm.hash", "evm.split"} {
				p.Report.Findings = append(p.Report.Findings, evidence.Finding{Check: check, Block: p.Report.Number, Extrinsic: chain.Some(last), Message: "made"})
			}
			want = append(want, ledger.Place{Height: p.Report.Number, Row: last})
		}
		e, err := ledger.NewEntry(p.Block, p.Report)
		require.NoError(t, err)
		entries = append(entries, e)
	}
	require.NoError(t, book.Write(ctx, entries[:2]))
	_, err = book.Seal(ctx)
	require.NoError(t, err)
	require.NoError(t, book.Write(ctx, entries[2:]))
	places := func(q ledger.Query) (list []ledger.Place) {
		q.Failed = true
		for x, err := range book.Transactions(ctx, q) {
			require.NoError(t, err)
			require.Equal(t, "match, 2 checks failed", x.Standing().Words())
			require.Equal(t, "evm.split evm.hash", x.Failed)
			list = append(list, x.Place())
		}
		return list
	}
	span := chain.Heights{First: 24, Last: 27}
	require.Equal(t, want, places(ledger.Query{Span: span}))
	require.Equal(t, want[:1], places(ledger.Query{Span: span, Limit: 1}))
	require.Equal(t, want[1:], places(ledger.Query{Span: span, After: chain.Some(want[0])}))
	sum, payers := new(big.Int), map[chain.Address]bool{}
	for _, at := range want {
		x, err := book.TransactionAt(ctx, at)
		require.NoError(t, err)
		fee, _ := x.Fee.Get()
		sum.Add(sum, number(t, fee.String()))
		payer, _ := x.Payer.Get()
		payers[payer] = true
	}
	for _, of := range []map[chain.Address]bool{nil, payers} {
		r := made(t, book, report.Request{Choice: report.Choice{By: report.Layer, Only: only(t, "checks=failed")}, Payers: of, Period: heights(24, 27)})
		require.Equal(t, sum.String(), r.Totals.Fee.String())
		require.EqualValues(t, len(want), r.Totals.EVM+r.Totals.Native)
		require.False(t, r.Holds())
	}
	_, err = report.ParseOnly([]string{"checks=passed"})
	require.EqualError(t, err, "checks=passed is not valid; use one of failed")
}

// A transaction with unknown outcome is excluded from a report filtered by outcome, with a
// note.
func TestOnlyOfWhatIsNotKnown(t *testing.T) {
	book, reports := kept(t, recorded(t, "moonbeam-1701"), 21)
	untold := 0
	for _, r := range reports {
		for _, x := range r.Transactions {
			if !x.Outcome.Known() {
				untold++
			}
		}
	}
	r := made(t, book, report.Request{Choice: report.Choice{By: report.Day, Only: only(t, "status=failed")}, Period: heights(0, 21)})
	notes := strings.Join(r.Notes, "\n")
	if untold == 0 {
		require.NotContains(t, notes, "left out")
		t.Skip("SKIPPED: the recording has no such transaction")
	}
	require.Contains(t, notes, fmt.Sprintf("%d transactions with unknown outcome or fee are left out", untold))
}

// An unknown outcome leaves a transaction out only if it satisfies the other conditions.
func TestUntold(t *testing.T) {
	unknown := ledger.Kind{Layer: fee.EVM, Type: "legacy", Call: "ethereum.transact"}
	known := unknown
	known.Outcome = fee.Reverted
	for condition, want := range map[string]bool{
		"status=reverted": true, "status=failed,layer=evm": true, "status=failed,type=legacy": true,
		"layer=evm": false, "status=failed,layer=native": false, "status=failed,type=eip1559": false, "status=failed,call=balances.transfer": false,
	} {
		o := only(t, strings.Split(condition, ",")...)
		require.Equal(t, want, o.Untold(&unknown), condition)
		require.False(t, o.Untold(&known), condition)
	}
}

func TestParseOnly(t *testing.T) {
	const address = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"
	o := only(t, "contract="+strings.ToLower(address), "status=out_of_gas", "type=legacy", "call=a=b", "layer=evm")
	require.Equal(t, []string{"layer=evm", "status=out_of_gas", "type=legacy", "call=a=b", "contract=" + address}, o.Conditions())
	text, err := o.MarshalJSON()
	require.NoError(t, err)
	require.JSONEq(t, `{"layer":"evm","status":"out_of_gas","type":"legacy","call":"a=b","contract":"`+address+`"}`, string(text))
	require.False(t, o.IsAll())
	require.True(t, only(t).IsAll())
	for condition, want := range map[string]string{
		"layer":             `"layer" is not a condition; use NAME=VALUE, such as layer=evm, with one of the names layer, status, type, call, contract`,
		"layer=":            "is not a condition; use NAME=VALUE",
		"layer=x":           "layer=x is not valid; use one of evm, native",
		"status=x":          "status=x is not valid; use one of succeeded, reverted, out_of_gas, failed",
		"type=0":            "type=0 is not valid; use one of legacy, eip2930, eip1559, eip7702",
		"contract=0x12":     "contract: ",
		"payer=x":           "payer is not a condition; use one of layer, status",
		"type=x,type=":      "type=x,type= is not valid; use one of",
		"layer=evm layer=x": "layer=evm layer=x is not valid; use one of evm",
	} {
		_, err := report.ParseOnly([]string{condition})
		require.ErrorContains(t, err, want, condition)
	}
	_, err = report.ParseOnly([]string{"layer=evm", "layer=native"})
	require.EqualError(t, err, "layer is repeated; use each name once")
}
